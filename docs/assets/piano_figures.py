"""Draw the figures of the page "The grand action in figures": python docs/assets/piano_figures.py [NAME ...]"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from touchweight.library import piano
from touchweight.library.keyboards import KEYBOARDS, finger_force, key_dip
from touchweight.library.piano.regulation import slow_press

BLACK, BLUE, ORANGE, GREEN, PINK = "#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, AMBER = "#56B4E9", "#E69F00"
FIGURES: dict[str, Callable[[], Figure]] = {}


def figure(draw: Callable[[], Figure]) -> Callable[[], Figure]:
    """Register a figure under the name of its function."""
    FIGURES[draw.__name__] = draw
    return draw


def made(width: float = 9.0, height: float = 4.2) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def finish(axes, x: str, y: str, **limits) -> None:
    axes.set(xlabel=x, ylabel=y, **limits)
    axes.grid(alpha=0.3)


def moves(*steps: tuple[float, float, float]) -> piano.Motion:
    """A motion from starts [s], durations [s] and dips [mm]."""
    return piano.Motion(tuple(piano.Move(start, duration, 1e-3 * dip) for start, duration, dip in steps))


def going_down(stroke: piano.Stroke) -> slice:
    return slice(1, int(np.argmax(stroke.dip)))


def slow_forces(axes, cases, top: float = 2.6) -> None:
    """Force over dip in a press at 10 mm/s, for parameters that differ."""
    model = piano.build("motion").compile()
    for label, colour, parameters in cases:
        stroke = slow_press(model, piano.rest(model, parameters))
        down = going_down(stroke)
        axes.plot(1e3 * stroke.dip[down], stroke.finger[down], color=colour, lw=1.3, label=label)
    finish(axes, "dip [mm]", "force at the finger [N]", xlim=(0, 10), ylim=(0, top))
    axes.legend(fontsize="small", loc="upper left")


@figure
def button() -> Figure:
    made_, height = made(), piano.TABLE["button.height"].si
    shifts = ((-0.5, BLUE), (-0.2, SKY), (0.0, BLACK), (0.2, AMBER), (0.5, ORANGE))
    cases = [(f"{s:+.1f} mm" if s else "as regulated", c, {"button.height": height + 1e-3 * s}) for s, c in shifts]
    slow_forces(made_.subplots(), cases, 3.6)
    return made_


@figure
def hammer() -> Figure:
    made_ = made()
    grams = ((-3.0, BLUE), (0.0, BLACK), (3.0, AMBER), (6.0, ORANGE))
    cases = [(f"{g:+.0f} g" if g else "as it is", c, piano.heavier_hammer(g) if g else {}) for g, c in grams]
    slow_forces(made_.subplots(), cases)
    return made_


@figure
def double() -> Figure:
    made_ = made(9.5, 5.4)
    panels = made_.subplots(3, 2, sharex="col")
    model = piano.build("motion").compile()
    start = piano.rest(model)
    slow = moves((0.3, 0.35, 10.2), (0.9, 0.35, 0.0), (1.5, 0.35, 10.2), (2.1, 0.35, 0.0))
    fast = moves((0.05, 0.07, 10.2), (0.25, 0.1, 0.0), (0.45, 0.07, 10.2), (0.65, 0.1, 0.0))
    cases = ((slow, 2.7, "slow"), (fast, 0.9, "fast"))
    for (key, angle, pilot), (motion, end, name) in zip(panels.T, cases, strict=True):
        run = piano.play(model, motion, end, start)
        stroke = piano.analyse(run)
        key.plot(run.t, 1e3 * stroke.dip, color=BLUE)
        finish(key, "", "dip [mm]", title=f"{name} double stroke", xlim=(0, end))
        angle.plot(run.t, np.degrees(run["hammer"]), color=GREEN)
        finish(angle, "", "hammer [°]")
        pilot.plot(run.t, stroke.capstan, color=ORANGE, lw=1.0)
        finish(pilot, "time [s]", "pilot force [N]", ylim=(0, 6 if name == "slow" else None))
    panels[2, 0].axhline(3.0, color="#888888", ls="--", lw=1.0)
    panels[2, 0].text(2.68, 3.15, "measured, key down", fontsize=8, color="#555555", ha="right")
    return made_


@figure
def strokes() -> Figure:
    made_ = made(9.5, 5.0)
    panels = made_.subplots(3, 2, sharex="col")
    model = piano.build("motion").compile()
    start = piano.rest(model)
    cases = (("piano", 0.16, 0.3), ("mezzoforte", 0.06, 0.14))
    for (key, felt, gap), (name, time, end) in zip(panels.T, cases, strict=True):
        run = piano.play(model, piano.press(time, 10.1e-3), end, start)
        stroke = piano.analyse(run)
        t = 1e3 * run.t
        key.plot(t, 1e3 * stroke.dip, color=BLUE)
        finish(
            key, "", "dip [mm]", title=f"{name}: {1e3 * time:.0f} ms, hammer {stroke.speed:.2f} m/s", xlim=(0, t[-1])
        )
        felt.plot(t[1:], stroke.finger[1:], color=ORANGE, lw=1.2)
        finish(felt, "", "finger [N]")
        gap.plot(t, 1e3 * stroke.gap, color=GREEN)
        finish(gap, "time [ms]", "hammer to\nstring [mm]")
        for moment, colour in (("button", PINK), ("strike", BLACK), ("let-off", AMBER), ("check", SKY)):
            at = 1e3 * stroke.when(moment)
            if np.isfinite(at):
                for axes in (key, felt, gap):
                    axes.axvline(at, color=colour, lw=1.0, ls="--", label=moment)
        gap.legend(handles=list(gap.lines[1:]), fontsize="small", loc="upper right")
    return made_


@figure
def timing() -> Figure:
    made_ = made(9.5, 3.8)
    travel, bottom = made_.subplots(1, 2)
    model = piano.build("force").compile()
    start = piano.rest(model)
    forces = (0.8, 0.9, 1.2, 1.6, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 35.0)
    found = [piano.analyse(piano.strike(model, f, start=start)) for f in forces]
    speeds = np.array([s.speed for s in found])
    when = np.array([s.when("strike") for s in found])
    down = np.array([s.when("key bottom") for s in found]) - when
    v = np.linspace(0.35, 7.0, 200)
    travel.plot(speeds, 1e3 * when, "o", color=ORANGE, label="model, constant force")
    travel.plot(v[v < 5], 98.57 * v[v < 5] ** -0.715, color=BLACK, label="pressed, Goebl et al. 2005")
    travel.plot(v, 65.19 * v**-0.727, color=BLACK, ls="--", label="struck, the same")
    finish(travel, "hammer at the string [m/s]", "finger to string [ms]", ylim=(0, 220))
    travel.legend(fontsize="small")
    bottom.plot(speeds, 1e3 * down, "o", color=ORANGE, label="model, constant force")
    bottom.plot(v[v < 5], 19.09 * v[v < 5] ** -0.394 - 12.30, color=BLACK, label="pressed, Goebl et al. 2005")
    bottom.axhline(0.0, color="#888888", lw=0.8)
    finish(bottom, "hammer at the string [m/s]", "string to key bottom [ms]")
    bottom.legend(fontsize="small")
    return made_


@figure
def repetition() -> Figure:
    made_ = made(9.5, 4.4)
    panels = made_.subplots(2, 2, sharex="col", sharey="row")
    model = piano.build("motion").compile()
    start = piano.rest(model)
    cases = ((6e-3, "released to 6 mm"), (8.5e-3, "released to 8.5 mm"))
    for (key, gap), (release, title) in zip(panels.T, cases, strict=True):
        run = piano.play(model, piano.again(release), 0.34, start)
        stroke = piano.analyse(run)
        key.plot(1e3 * run.t, 1e3 * stroke.dip, color=BLUE)
        gap.plot(1e3 * run.t, 1e3 * stroke.gap, color=GREEN)
        for s in stroke.strikes:
            gap.plot(1e3 * s.t, 0.0, "v", color=ORANGE)
            gap.text(1e3 * s.t + 4, 2.0, f"{s.speed:.1f} m/s", color=ORANGE, fontsize=9)
        finish(key, "", "dip [mm]", title=title)
        finish(gap, "time [ms]", "hammer to string [mm]")
    return made_


@figure
def keyboards() -> Figure:
    made_ = made(9.5, 4.2)
    panels = made_.subplots(1, 2)
    looks = {"grand": BLACK, "model-a": SKY, "model-b": BLUE, "harpsichord": ORANGE, "organ": GREEN}
    for axes, title in zip(panels, ("slow: 10 mm/s", "60 ms"), strict=True):
        for name, colour in looks.items():
            board = KEYBOARDS[name]
            motion = (
                piano.slow(10e-3, board.dip, back=False) if title.startswith("slow") else piano.press(0.06, board.dip)
            )
            run = board.play(board.build().compile(), motion, motion.end)
            axes.plot(1e3 * key_dip(run)[1:], finger_force(run)[1:], color=colour, lw=1.3, label=name)
        finish(axes, "dip [mm]", "force at the finger [N]", title=title, xlim=(0, 10))
    panels[0].set_ylim(0.0, 2.6)
    panels[1].legend(fontsize="small")
    return made_


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        path = Path(__file__).with_name(f"piano_figures_{name}.png")
        FIGURES[name]().savefig(path, dpi=100)
        print(path.name)

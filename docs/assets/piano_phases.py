"""Draw piano_phases.png, the grand action at five moments of a stroke: python docs/assets/piano_phases.py"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import touchweight as tw
from touchweight.library import piano
from touchweight.symbolic import evaluate

INK, FIXED, TOUCH = "#3B3B3B", "#777777", "#D1203A"
BODIES = {"key": "#E5D3B3", "wippen": "#D8B384", "jack": "#9C6B30", "lever": "#B98B4E", "hammer": "#C9A56B",
          "damper": "#A9A9A9"}  # fmt: skip

#: outlines of the bodies: points of shapes (name, which), and the pivot of the body or of one that hangs on it
LINES = {
    "key": [[("finger", 0), ("pivot", 0), ("foot of check", 0)], [("capstan", 0), ("foot of capstan", 0)],
            [("check", 0), ("foot of check", 0)], [("key end", 0), ("foot of key end", 0)]],
    "wippen": [[("pivot", 0), ("heel", 1), ("heel", 0), ("jack pivot", 0), ("pivot", 0)],
               [("heel", 1), ("lever pivot", 0)]],
    "jack": [[("pivot", 0), ("jack top", 0), ("jack top", 1), ("pivot", 0), ("toe", 0)]],
    "lever": [[("lever face", 0), ("lever face", 1), ("pivot", 0), ("lever face", 0)]],
    "hammer": [[("pivot", 0), ("foot of strike", 0), ("strike", 0)], [("knuckle", 0), ("foot of knuckle", 0)],
               [("foot of strike", 0), ("tail", 0), ("tail", 1), ("foot of strike", 0)]],
    "damper": [[("pivot", 0), ("damper lever", 1), ("damper lever", 0)]],
}  # fmt: skip


class Action:
    """The shapes of the action, and where they are in a run [mm]."""

    def __init__(self, mechanism: tw.Mechanism) -> None:
        numbers = {p.symbol: p.value for p in mechanism.parameters.values()}
        self.mechanism = mechanism
        self.points = {
            name: np.array([[1e3 * float(evaluate(v[k], numbers)) for k in (0, 2)] for v in shape.points])
            for name, shape in mechanism.shapes.items()
        }
        self.radius = {n: 1e3 * float(evaluate(s.radius, numbers)) for n, s in mechanism.shapes.items()}
        self.body = {n: s.frame.body.name for n, s in mechanism.shapes.items()}
        p = {n: 1e3 * x.value for n, x in mechanism.parameters.items()}
        self.pivots = {b: np.array([p.get(f"{b}.pivot.x", 0.0), p.get(f"{b}.pivot.z", 0.0)]) for b in BODIES}
        self.string = p["string.height"], p["hammer.pivot.x"] + p["strike.x"]
        self.finger = np.array([[p["finger.x"], 0.0]])
        self.q = dict.fromkeys((*BODIES, "string"), 0.0)

    def at(self, run: tw.Recording, i: int) -> "Action":
        """Move to a sample of a run."""
        self.q = {n: float(run[n][i]) for n in self.q}
        self.q["jack"] += self.q["wippen"]
        self.q["lever"] += self.q["wippen"]
        self.touching = {c: run[f"force.{c}"][i] for c in self.mechanism.contacts}
        return self

    def place(self, body: str, local: np.ndarray) -> np.ndarray:
        """Points from the body's pivot, in the room."""
        if body in ("ground", "string"):
            shift = (self.string[1], self.string[0] + 1e3 * self.q["string"]) if body == "string" else (0.0, 0.0)
            return local + np.array(shift)
        pivot = self.pivots[body]
        if body in ("jack", "lever"):
            pivot = self.place("wippen", (pivot - self.pivots["wippen"])[None])[0]
        c, s = np.cos(self.q[body]), np.sin(self.q[body])
        return pivot + local @ np.array([[c, s], [-s, c]])

    def point(self, body: str, name: str, which: int) -> np.ndarray:
        """One corner of an outline."""
        if name == "pivot":
            return self.place(body, np.zeros((1, 2)))[0]
        if name == "finger":
            return self.place(body, self.finger)[0]
        if name.endswith(" pivot"):
            return self.place(body, (self.pivots[name.removesuffix(" pivot")] - self.pivots[body])[None])[0]
        if name.startswith("foot of "):
            return self.place(body, self.points[name.removeprefix("foot of ")][:1] * np.array([1.0, 0.0]))[0]
        return self.place(body, self.points[name][which : which + 1])[0]


def draw(axes, action: Action, title: str = "", left: float = 35.0) -> None:
    """The bodies, the shapes where they may touch, and a red ring where they do."""
    for body, lines in LINES.items():
        width = {"key": 7.0, "jack": 3.0, "lever": 2.5, "damper": 2.5}.get(body, 4.0)
        for line in lines:
            x, z = np.array([action.point(body, *p) for p in line]).T
            look = {"solid_capstyle": "round", "solid_joinstyle": "round"}
            axes.plot(x, z, color=BODIES[body], lw=width, zorder=2, **look)
    felt = np.array([action.point("hammer", "strike", 0), action.point("hammer", "foot of strike", 0)])
    felt = felt[0] + np.array([[0.1], [0.35]]) * (felt[1] - felt[0])
    axes.plot(*felt.T, color="#D9D4C7", lw=9, solid_capstyle="round", zorder=3)
    for name, points in action.points.items():
        shown = action.place(action.body[name], points)
        if name == "string":
            axes.plot([shown[0, 0] - 55, shown[0, 0] + 55], [shown[0, 1]] * 2, color=INK, lw=1.6, zorder=4)
        elif len(points) == 2:
            axes.plot(*shown.T, color=INK, lw=1.4, zorder=4)
        else:
            colour = FIXED if action.body[name] == "ground" else "none"
            size = max(action.radius[name], 1.0)
            axes.add_patch(Circle(tuple(shown[0]), size, fc=colour, ec=INK, lw=1.0, zorder=4))
    for name, contact in action.mechanism.contacts.items():
        round_ = next((s for s in (contact.a, contact.b) if s is not None and s.kind == "circle"), None)
        if round_ is not None and action.touching[name] > 0.02:
            at = action.place(action.body[round_.name], action.points[round_.name])[0]
            size = max(action.radius[round_.name], 3.0) + 2.5
            axes.add_patch(Circle(tuple(at), size, fc="none", ec=TOUCH, lw=2.0, zorder=6))
    for body in BODIES:
        axes.plot(*action.point(body, "pivot", 0), "o", ms=3.5, mfc="white", mec=INK, zorder=5)
    axes.set(aspect="equal", xlim=(left, 300), ylim=(-10, 162))
    axes.set_title(title, fontsize=10)
    axes.axis("off")


def stroke() -> tuple[Action, tw.Recording, piano.Stroke]:
    """A stroke, a release to half the dip, and a second stroke."""
    mechanism = piano.build("motion")
    run = piano.play(mechanism.compile(), piano.again(5e-3, 0.06, 10.1e-3), 0.36)
    return Action(mechanism), run, piano.analyse(run)


def moments(run: tw.Recording, found: piano.Stroke) -> dict[str, int]:
    """Samples of the five phases."""

    def sample(t: float) -> int:
        return int(np.searchsorted(run.t, t))

    strike = sample(found.strikes[0].t) + 1
    lifting = int(np.argmin(np.abs(found.gap[:strike] - 23e-3)))
    return {
        "1  at rest": 2,
        "2  the jack throws the hammer": lifting,
        "3  strike": strike,
        "4  the back-check has caught it": sample(0.15),
        "5  half released: ready to strike again": sample(found.strikes[1].t) - 24,
    }


if __name__ == "__main__":
    action, run, found = stroke()
    figure = Figure(figsize=(11, 8.4), layout="constrained")
    panels = figure.subplots(3, 2).ravel()
    phases = moments(run, found)
    for axes, (title, i) in zip(panels, phases.items(), strict=False):
        draw(axes, action.at(run, i), f"{title} ({1e3 * run.t[i]:.0f} ms)")
    axes, other = panels[5], panels[5].twinx()
    t = 1e3 * run.t
    axes.plot(t, 1e3 * found.dip, color="#0072B2", label="dip [mm]")
    axes.plot(t, 1e3 * found.gap, color="#009E73", label="hammer to string [mm]")
    other.plot(t, found.finger, color="#D55E00", lw=1.0, label="force at the finger [N]")
    for title, i in phases.items():
        axes.axvline(t[i], color="#999999", lw=0.8)
        axes.text(t[i] + 1.5, 46.5, title[0], fontsize=9, color="#555555")
    axes.set(xlabel="time [ms]", ylabel="[mm]", ylim=(-1, 52), xlim=(-4, 360))
    other.set(ylabel="[N]", ylim=(-2, 20))
    axes.legend(handles=[*axes.lines[:2], other.lines[0]], fontsize="small", loc=(0.34, 0.62))
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=100)

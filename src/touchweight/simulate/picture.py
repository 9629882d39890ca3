"""The picture and the animation of a run: the mechanism as a stroboscope sees it, its angles, its energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen.callable import Array
from ..errors import printable
from .recording import Recording

NIGHT, PANEL, SHADOW, FAINT, INK = "#0f1420", "#151c2b", "#26314a", "#7b879c", "#e9eef7"
LINES = ("#5cc8f2", "#ffb454", "#95e6a0", "#ff7a93", "#c7a6ff", "#f2e863", "#8ab4f8", "#ff9e64")
GLOW = ("#1b3a6b", "#1f7fb8", "#39c6c8", "#ffd27a", "#ff8a5c")

#: curves in one panel
MOST = 6

#: pictures in a second of animation, and the longest animation [s]
RATE, LONGEST = 20, 6.0


@dataclass
class Scene:
    """A run, seen from one side.

    Attributes:
        run: the recording.
        points: what is drawn, in the plane of the picture: (samples, pieces, 2 ends, 2).
        trace: the path of the free end that travels farthest, (samples, 2).
        end: the sensor there.
        floor: the shadow of that path on the ground, or nothing when the motion is in a plane.
        disc: rim of a disc around the piece before that end, (samples, corners, 2), or nothing.
    """

    run: Recording
    points: Array
    trace: Array
    end: str
    floor: Array | None = None
    disc: Array | None = None


def make_scene(run: Recording, pieces: Sequence[tuple[str, str]], disc: float = 0.0) -> Scene:
    """Look at a run straight on when it moves in a plane, from the side and above when it doesn't."""
    space = np.array([[[run[f"{end}.{axis}"] for axis in "xyz"] for end in piece] for piece in pieces])
    space = np.moveaxis(space, -1, 0)  # (samples, pieces, ends, xyz)
    spread = np.ptp(space.reshape(-1, 3), axis=0)
    lead = _busiest(space, pieces)
    path, end = space[:, lead, 1], pieces[lead][1]
    flat = [k for k in (1, 0, 2) if spread[k] < 1e-9]
    if flat and not disc:
        keep = [k for k in range(3) if k != flat[0]]
        return Scene(run, space[..., keep], path[:, keep], end)
    view = _view(np.radians(-58.0), np.radians(24.0))
    ground = path.copy()
    ground[:, 2] = min(0.0, float(space[..., 2].min()))
    rim = _rim(space[:, lead], disc) @ view if disc else None
    return Scene(run, space @ view, path @ view, end, ground @ view, rim)


def _busiest(space: Array, pieces: Sequence[tuple[str, str]]) -> int:
    """The piece whose free end travels farthest."""
    starts = {start for start, _ in pieces}
    travelled = np.linalg.norm(np.diff(space[:, :, 1], axis=0), axis=2).sum(axis=0)
    free = [k for k, (_, end) in enumerate(pieces) if end not in starts] or range(len(pieces))
    return max(free, key=lambda k: float(travelled[k]))


def _view(azimuth: float, elevation: float) -> Array:
    """The matrix that takes a point in space to the picture: right and up."""
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    return np.array([[-sa, -se * ca], [ca, -se * sa], [0.0, ce]])


def _rim(piece: Array, radius: float) -> Array:
    """A circle around the middle of a piece, square to it."""
    axis = piece[:, 1] - piece[:, 0]
    axis = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    side = np.cross(axis, [1.0, 0.2, 0.0])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(axis, side)
    turn = np.linspace(0.0, 2.0 * np.pi, 49)[None, :, None]
    middle = piece.mean(axis=1)[:, None, :]
    return np.asarray(middle + radius * (np.cos(turn) * side[:, None] + np.sin(turn) * other[:, None]))


# -- the picture -----------------------------------------------------------------------------------------
def draw(scene: Scene, title: str, subtitle: str, conserved: bool, path: Path, dpi: int = 110) -> None:
    """Left the motion, right the coordinates and the energy over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 6.4), facecolor=NIGHT)
    grid = figure.add_gridspec(
        2, 2, left=0.02, right=0.975, bottom=0.095, top=0.86, hspace=0.28, wspace=0.13, width_ratios=(1.05, 1)
    )
    figure.text(0.03, 0.93, _plain(title), color=INK, fontsize=19, fontweight="bold", va="center")
    figure.text(0.975, 0.93, _plain(subtitle), color=FAINT, fontsize=10.5, va="center", ha="right")
    stage = figure.add_subplot(grid[:, 0])
    _stage(stage, scene)
    _motion(stage, scene)
    _coordinates(figure.add_subplot(grid[0, 1]), scene)
    _energy(figure.add_subplot(grid[1, 1]), scene.run, conserved)
    figure.savefig(path, dpi=dpi, facecolor=NIGHT)


def _stage(axes: Any, scene: Scene) -> None:
    """An empty stage that holds everything, with a scale."""
    axes.set_facecolor(NIGHT)
    axes.axis("off")
    axes.set_aspect("equal")
    every = [scene.points.reshape(-1, 2), scene.trace]
    every += [a.reshape(-1, 2) for a in (scene.floor, scene.disc) if a is not None]
    low, high = np.vstack(every).min(axis=0), np.vstack(every).max(axis=0)
    size = max(float((high - low).max()), 1e-3)
    low, high = low - 0.06 * size, high + 0.06 * size
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1] - 0.06 * size, high[1])
    bar = 10.0 ** np.floor(np.log10(size / 2.5))
    bar *= next(k for k in (5, 2, 1) if k * bar <= size / 2.5)
    left, down = low[0] + 0.03 * size, low[1] - 0.03 * size
    axes.plot([left, left + bar], [down, down], color=FAINT, lw=2.0, solid_capstyle="butt")
    axes.annotate(
        f"{bar:g} m",
        (left + bar, down),
        (6, 0),
        textcoords="offset points",
        color=FAINT,
        fontsize=9,
        va="center",
    )


def _colours() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("glow", GLOW)


def _motion(axes: Any, scene: Scene) -> None:
    from matplotlib.collections import LineCollection

    t = scene.run.t
    if scene.floor is not None:
        axes.plot(*scene.floor.T, color=SHADOW, lw=1.6, zorder=1)
    path = np.stack([scene.trace[:-1], scene.trace[1:]], axis=1)
    axes.add_collection(
        LineCollection(list(path), array=t[1:], cmap=_colours(), lw=1.5, alpha=0.9, zorder=2, capstyle="round")
    )
    # the last moments, as a stroboscope sees them
    span = min(float(t[-1]) * 0.25, 0.9)
    flashes = np.searchsorted(t, np.linspace(t[-1] - span, t[-1], 15))
    for fade, i in zip(np.linspace(0.04, 0.5, len(flashes) - 1), flashes[:-1], strict=True):
        axes.add_collection(
            LineCollection(list(scene.points[i]), colors=INK, lw=2.2, alpha=float(fade) ** 1.3, zorder=3)
        )
    _skeleton(axes, scene, -1)


def _skeleton(axes: Any, scene: Scene, i: int) -> None:
    """The mechanism at one moment."""
    points = scene.points[i]
    if scene.disc is not None:
        axes.fill(*scene.disc[i].T, color="#2b4a7a", alpha=0.95, ec=INK, lw=1.5, zorder=5)
    axes.plot(*_polyline(points).T, color=INK, lw=4.0, solid_capstyle="round", solid_joinstyle="round", zorder=6)
    joints = np.unique(points[:, 0].round(9), axis=0)
    axes.plot(*joints.T, "o", color=NIGHT, mec=INK, mew=1.6, ms=6.5, zorder=7)
    axes.plot(*scene.trace[i], "o", color=GLOW[-1], mec=INK, mew=1.2, ms=9, zorder=8)


def _polyline(points: Array) -> Array:
    """Pieces one after another, with gaps, for one call of plot."""
    gap = np.full((len(points), 1, 2), np.nan)
    return np.asarray(np.concatenate([points, gap], axis=1).reshape(-1, 2))


def _panel(axes: Any, label: str) -> None:
    axes.set_facecolor(PANEL)
    axes.tick_params(colors=FAINT, labelsize=9, length=0)
    axes.grid(True, color="#26304a", lw=0.8)
    axes.set_title(label, color=INK, fontsize=11, loc="left")
    axes.margins(x=0.0)
    for side in axes.spines.values():
        side.set_visible(False)


def _coordinates(axes: Any, scene: Scene) -> None:
    """Angles and displacements; where there are none (a ball has quaternions), the path of the free end."""
    run = scene.run
    moving = [n for n in run if f"v.{n}" in run]
    unit = " and ".join(sorted({run.units.get(n, "") for n in moving}, reverse=True))
    names = _readable(moving, 55 - len(unit))
    labels = names
    if not names:
        names, labels, unit = [f"{scene.end}.{k}" for k in "xyz"], ["x", "y", "z"], "m"
    _panel(axes, f"coordinates [{unit}]" if labels is names else f"position of the free end [{unit}]")
    for colour, name, label in zip(LINES, names, labels, strict=False):
        axes.plot(run.t, run[name], color=colour, lw=1.6, label=_plain(label, 14))
    if len(names) > 1:
        legend = axes.legend(
            fontsize=8.5, ncols=MOST, loc="lower right", bbox_to_anchor=(1.0, 0.99), frameon=False,
            handlelength=1.0, handletextpad=0.4, columnspacing=0.9, borderaxespad=0.1,
        )  # fmt: skip
        for entry in legend.get_texts():
            entry.set_color(FAINT)
    axes.tick_params(labelbottom=False)


def _readable(names: list[str], room: int) -> list[str]:
    """As many names as fit a legend on one line with ``room`` for so many letters."""
    for i, name in enumerate(names):
        room -= min(len(name), 14) + 3
        if room < 0 or i == MOST:
            return names[: max(1, i)]
    return names


def _energy(axes: Any, run: Recording, conserved: bool) -> None:
    t, total, kinetic = run.t, run["energy.total"], run["energy.kinetic"]
    if conserved:
        error = (total - total[0]) / max(float(np.max(kinetic)), 1e-300)
        power = int(np.floor(np.log10(max(float(np.max(np.abs(error))), 1e-16))))
        _panel(axes, f"energy error [$10^{{{power}}}$ of the largest kinetic energy]")
        axes.plot(t, error / 10.0**power, color=LINES[2], lw=1.4)
    else:
        _panel(axes, "kinetic energy [J]")
        axes.plot(t, kinetic, color=LINES[2], lw=1.4)
        axes.fill_between(t, 0.0, kinetic, color=LINES[2], alpha=0.15, lw=0)
        axes.set_ylim(bottom=0.0)
    axes.set_xlabel("time [s]", color=FAINT, fontsize=9.5)


def _plain(text: str, limit: int = 90) -> str:
    """Names come from files: keep Matplotlib from reading them as mathematics."""
    return printable(text, limit).replace("$", r"\$")


# -- the animation ---------------------------------------------------------------------------------------
def animate(scene: Scene, path: Path, tail: float = 1.6) -> int:
    """Write an animated GIF in real time with a comet's tail; returns the number of pictures."""
    from matplotlib.animation import PillowWriter
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    t = scene.run.t
    end = min(float(t[-1]), LONGEST)
    moments = np.searchsorted(t, np.arange(0.0, end + 1e-9, 1.0 / RATE)).clip(max=len(t) - 1)
    figure = Figure(figsize=(4.6, 4.6), facecolor=NIGHT, dpi=96)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    _stage(axes, scene)
    shadow = axes.plot([], [], color=SHADOW, lw=2.0, zorder=1)[0]
    comet = LineCollection([], cmap=_colours(), lw=2.2, zorder=2, capstyle="round")
    axes.add_collection(comet)
    disc = axes.fill([0], [0], color="#2b4a7a", ec=INK, lw=1.5, zorder=5)[0] if scene.disc is not None else None
    rods = axes.plot([], [], color=INK, lw=4.0, solid_capstyle="round", solid_joinstyle="round", zorder=6)[0]
    joints = axes.plot([], [], "o", color=NIGHT, mec=INK, mew=1.5, ms=6, zorder=7)[0]
    tip = axes.plot([], [], "o", color=GLOW[-1], mec=INK, mew=1.2, ms=9, zorder=8)[0]
    writer = PillowWriter(fps=RATE)
    with writer.saving(figure, str(path), 96):
        for i in moments:
            first = int(np.searchsorted(t, t[i] - tail))
            step = max(1, (i - first) // 120)
            trail = scene.trace[first : i + 1 : step]
            comet.set_segments(list(np.stack([trail[:-1], trail[1:]], axis=1)))
            comet.set_array(np.linspace(0.0, 1.0, max(1, len(trail) - 1)))
            comet.set_clim(0.0, 1.0)
            if scene.floor is not None:
                shadow.set_data(*scene.floor[first : i + 1].T)
            if disc is not None and scene.disc is not None:
                disc.set_xy(scene.disc[i])
            rods.set_data(*_polyline(scene.points[i]).T)
            joints.set_data(*scene.points[i, :, 0].T)
            tip.set_data(*scene.trace[i][:, None])
            writer.grab_frame(facecolor=NIGHT)
    return len(moments)

"""Draw piano_action.png, the parts of the grand action at rest and caught: python docs/assets/piano_action.py"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from touchweight.library import piano

P = {name: datum.value for name, datum in piano.TABLE.items()}
WOOD, FELT, FIXED = "#C9A56B", "#8C2F39", "#555555"
Points = Sequence[tuple[float, float]]


class Pose:
    """Where the bodies are at one moment of a recording."""

    def __init__(self, run, index: int) -> None:
        q = {n: float(run[n][index]) for n in ("key", "wippen", "jack", "lever", "hammer", "damper", "string")}
        self.angles = {**q, "jack": q["wippen"] + q["jack"], "lever": q["wippen"] + q["lever"], "ground": 0.0}
        self.string = 1e3 * q["string"]

    def place(self, body: str, points: Points, local: bool = False) -> np.ndarray:
        """Points given at rest (or from the body's own pivot), where they are now [mm]."""
        pivot = np.array([P.get(f"{body}.pivot.x", 0.0), P.get(f"{body}.pivot.z", 0.0)])
        offset = np.asarray(points, float) - (0.0 if local else pivot)
        if body in ("jack", "lever"):
            pivot = self.place("wippen", [tuple(pivot)])[0]
        c, s = np.cos(self.angles[body]), np.sin(self.angles[body])
        return pivot + offset @ np.array([[c, s], [-s, c]])


def draw(axes: Axes, pose: Pose, title: str) -> None:
    def line(body: str, points: Points, local: bool = False, colour: str = WOOD, width: float = 5.0) -> None:
        x, z = pose.place(body, points, local).T
        axes.plot(x, z, color=colour, lw=width, solid_capstyle="round", solid_joinstyle="round", zorder=2)

    def disc(body: str, x: float, z: float, radius: float, local: bool = False, colour: str = FELT) -> None:
        axes.add_patch(Circle(tuple(pose.place(body, [(x, z)], local)[0]), radius, color=colour, zorder=3))

    def pin(body: str) -> None:
        at = pose.place(body, [(0.0, 0.0)], local=True)[0]
        axes.plot(*at, "o", ms=5, mfc="white", mec="black", zorder=5)

    w, j, r = ((P[f"{n}.pivot.x"], P[f"{n}.pivot.z"]) for n in ("wippen", "jack", "lever"))
    line("key", [(-240, -4), (232, -4)], width=9)
    line("key", [(P["check.x"], 0), (P["check.x"], P["check.z"])], width=2, colour=FIXED)
    disc("key", P["check.x"], P["check.z"], P["check.radius"])
    line("key", [(P["capstan.x"], 0), (P["capstan.x"], P["capstan.height"])], width=3, colour=FIXED)
    disc("key", P["capstan.x"], P["capstan.height"], P["capstan.radius"], colour=FIXED)
    disc("key", P["key_end.x"], P["key_end.z"], P["key_end.radius"])
    line("wippen", [w, j, (95, 36), (w[0] - 55, 32), w], width=4)
    line("wippen", [(r[0], 38), r], width=4)
    line("wippen", [(P["heel.front"], P["heel.height"]), (P["heel.rear"], P["heel.height"])], colour=FELT, width=3)
    middle = 0.5 * (P["jack.front.x"] + P["jack.rear.x"])
    line("jack", [j, (middle, P["jack.front.z"] - 1.0)], width=4, colour="#B08A4F")
    line("jack", [j, (P["toe.x"], P["toe.z"])], width=3, colour="#B08A4F")
    disc("jack", P["toe.x"], P["toe.z"], P["toe.radius"])
    line("lever", [(P["lever.front"], P["lever.height"]), (P["lever.rear"], P["lever.height"])], width=2, colour=FELT)
    line("lever", [(P["lever.front"], P["lever.height"] - 3), r, (145, 78)], width=3)
    line("hammer", [(0, 0), (P["strike.x"], 0)], local=True, width=4)
    line("hammer", [(P["strike.x"], -8), (P["strike.x"], 30)], local=True, width=7)
    line("hammer", [(P["strike.x"], 34), (P["strike.x"], P["strike.z"] - 7)], local=True, width=13, colour="#B9B4A6")
    tail = [(P[f"tail.{e}.x"], P[f"tail.{e}.z"]) for e in ("low", "high")]
    line("hammer", [(P["strike.x"], -6), *tail, (P["strike.x"], -4)], local=True, width=3)
    disc("hammer", P["knuckle.x"], P["knuckle.z"], P["knuckle.radius"], local=True)
    d = (P["damper.pivot.x"], P["damper.pivot.z"])
    line("damper", [d, (P["key_end.x"] - 12, P["damper_lever.height"] + 2)], width=3)
    line("ground", [(P["button.front"], P["button.height"] + 1.5), (P["button.rear"], P["button.height"] + 1.5)],
         colour=FIXED, width=4)  # fmt: skip
    disc("ground", P["drop_screw.x"], P["drop_screw.height"], P["drop_screw.radius"], colour=FIXED)
    line("ground", [(150, P["string.height"]), (280, P["string.height"])], colour=FIXED, width=2)
    line("ground", [(P["front.x"], -22), (P["front.x"], -19)], colour=FELT, width=10)
    for body in ("key", "wippen", "jack", "lever", "hammer", "damper"):
        pin(body)
    axes.set(aspect="equal", title=title, xlim=(-250, 305), ylim=(-30, 165))
    axes.axis("off")


model = piano.build("motion").compile()
run = piano.play(model, piano.press(0.06, 10.15e-3), 0.3)
strike = piano.analyse(run).strikes[0]
figure = Figure(figsize=(9, 7.0), layout="constrained")
rest, caught = figure.subplots(2, 1)
draw(rest, Pose(run, 0), "at rest")
draw(caught, Pose(run, len(run.t) - 1), "key down, the hammer caught by the back-check")
words = {
    "key": (-150, 6), "wippen": (150, 30), "jack": (72, 66), "repetition lever": (132, 62), "hammer": (150, 95),
    "knuckle": (104, 108), "string": (262, 145), "back-check": (240, 60), "damper lever": (252, 24),
    "capstan": (72, 14), "let-off button": (-10, 56), "drop screw": (33, 99),
}  # fmt: skip
for text, place in words.items():
    rest.text(*place, text, fontsize=8.5, color="#222222", zorder=6)
figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)

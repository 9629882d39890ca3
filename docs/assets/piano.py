"""Draw piano.png, the touch of the grand action in a slow press: python docs/assets/piano.py"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from touchweight.library import piano
from touchweight.library.piano.regulation import slow_press

PHASES = ("lifting", "with the damper", "drop screw", "escapement", "aftertouch")
COLOURS = ("#FFFFFF", "#FFF3D6", "#E3EEF8", "#FCE4DC", "#FFFFFF")

model = piano.build("motion").compile()
stroke = slow_press(model, piano.rest(model))
dip, force = 1e3 * stroke.dip, stroke.finger
bottom = int(np.argmax(dip))
down, up = slice(1, bottom), slice(bottom + 600, len(dip))


def dip_when(name: str) -> float:
    """Dip at which something first happens [mm]."""
    return float(dip[np.searchsorted(5e-4 * np.arange(len(dip)), stroke.when(name))])


let_off = float(dip[np.argmin(np.where(np.arange(len(dip)) <= bottom, stroke.gap, np.inf))])
edges = [0.0, dip_when("damper lift"), dip_when("drop screw"), dip_when("button"), let_off, 10.0]

figure = Figure(figsize=(9, 6.2), layout="constrained")
felt, hammer = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
for axes in (felt, hammer):
    for a, b, colour in zip(edges[:-1], edges[1:], COLOURS, strict=True):
        axes.axvspan(a, b, color=colour, lw=0, zorder=0)
    for edge in edges[1:-1]:
        axes.axvline(edge, color="#999999", lw=0.8, zorder=1)
    axes.grid(alpha=0.25)
for a, b, phase in zip(edges[:-1], edges[1:], PHASES, strict=True):
    words = phase.replace(" ", "\n") if b - a < 1.0 else phase
    felt.text((a + b) / 2, 1.98, words, ha="center", va="top", fontsize=9)
felt.plot(dip[down], force[down], color="#D55E00", lw=1.6, label="finger, down")
felt.plot(dip[up], force[up], color="#0072B2", lw=1.6, label="finger, up")
felt.set(ylabel="force at the finger [N]", ylim=(-0.1, 2.05), title="A press and a release at 10 mm/s")
felt.legend(loc="upper left", bbox_to_anchor=(0.0, 0.9), frameon=False)
hammer.plot(dip[down], 1e3 * stroke.gap[down], color="#D55E00", lw=1.6)
hammer.plot(dip[up], 1e3 * stroke.gap[up], color="#0072B2", lw=1.6)
hammer.annotate("let-off", (let_off, 1.55), (8.9, 13.0), fontsize=9, arrowprops={"arrowstyle": "-", "lw": 0.7})
hammer.set(xlabel="dip of the key [mm]", ylabel="hammer to string [mm]", xlim=(0, 10.05), ylim=(0, 48))
figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)

"""Draw piano_key.png, after figure 6 of Gillespie and Cutkosky (1996): python docs/assets/piano_key.py"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from touchweight.library.classics import piano_key_b

DURATION, STEP = 2.6, 0.002  # s
RESTING, FLYING = "#FFF3D6", "#E3EEF8"

run = piano_key_b.build().compile().simulate(DURATION, drives={"manipulandum": piano_key_b.hand}, dt=STEP)
key, hammer = run["key"], run["hammer"]
numbers = {n: p.value for n, p in piano_key_b.build().parameters.items()}
# how far the hammer's line is above the key's point; on the key, the force of the spring between them
gap = np.cos(hammer) * (numbers["L3"] - numbers["L1"] * np.sin(key))
gap += np.sin(hammer) * (numbers["L2"] - numbers["L1"] * np.cos(key))
resting = run["mode"] == 0.0
indicator = np.where(resting, -numbers["k2"] * gap / np.cos(key + hammer), gap)

figure = Figure(figsize=(9, 6), layout="constrained")
force, angle = figure.subplots(2, 1, sharex=True)

switches = [e for e in run.events if e.source != e.target]
edges = [0.0, *(e.t for e in switches), DURATION]
modes = ["coupled", *(e.target for e in switches)]
for axes in (force, angle):
    for start, end, mode in zip(edges[:-1], edges[1:], modes, strict=True):
        axes.axvspan(start, end, color=RESTING if mode == "coupled" else FLYING, lw=0, zorder=0)
    for e in switches:
        axes.axvline(e.t, color="#555555", lw=1.2, zorder=1)
    axes.grid(alpha=0.25)
for start, end, mode in zip(edges[:-1], edges[1:], modes, strict=True):
    first = start == 0.0 or start == edges[1]
    where = {"coupled": "B1, on the key" if first else "B1", "flight": "B2, in flight" if first else "B2"}[mode]
    force.text((start + end) / 2, 104, where, ha="center", va="center", fontsize=9)

above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3, "frameon": False, "fontsize": 9}
force.plot(run.t, run["force.manipulandum"], color="#D55E00", lw=1.6, label="$F_{KU}$, felt by the hand [N m]")
force.plot(run.t, indicator, color="#0072B2", lw=1.6, label="indicator: $g_1 = k_2 q_4$ [N], $g_2$ = gap [m]")
force.set(ylim=(-35, 115), ylabel="force and indicator")
force.legend(**above)

named = (("manipulandum", "manipulandum", "#000000"), ("key", "key", "#009E73"), ("hammer", "hammer", "#CC79A7"))
for name, label, colour in named:
    angle.plot(run.t, np.degrees(run[name]), color=colour, lw=1.6, label=label)
string = np.degrees(numbers["string.angle"])
angle.axhline(string, color="#888888", lw=1.0, ls="--")
angle.text(0.02, string + 0.8, "string", color="#555555", fontsize=9)
angle.set(xlabel="time [s]", ylabel="angle [°]", xlim=(0, DURATION), ylim=(-26, 34))
angle.legend(**above)

figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)

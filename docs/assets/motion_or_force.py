"""Draw motion_or_force.png: a mass with a bump, driven by force and by motion: python docs/assets/motion_or_force.py"""

import runpy
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

example = Path(__file__).parents[2] / "examples" / "how_do_i_see_why_motion_drives_better.py"
made = runpy.run_path(str(example))
key, press, finger = made["key"], made["press"], made["finger"]

BUMPS = ((0.0, "#000000", "without a bump"), (0.5, "#0072B2", "0.5 N"), (1.0, "#D55E00", "1 N"))
forced = [key(n, False).simulate(0.06, inputs={"finger": finger}, dt=1e-4) for n, _, _ in BUMPS]
moved = [key(n, True).simulate(0.06, drives={"dip": press}, dt=1e-4) for n, _, _ in BUMPS]

figure = Figure(figsize=(9, 5.2), layout="constrained")
(a, b), (c, d) = figure.subplots(2, 2, sharex=True)
t = 1e3 * forced[0].t
a.plot(t, [finger(x) for x in forced[0].t], color="#000000")
a.set(title="driven by force: this goes in", ylabel="force [N]", ylim=(-3.2, 4.5))
d.set(title="… this comes out", xlabel="time [ms]", ylabel="force [N]", ylim=(-3.2, 4.5))
b.plot(t, 1e3 * np.array([press(x)[0] for x in forced[0].t]), color="#000000")
b.set(title="driven by motion: this goes in", ylabel="dip [mm]", ylim=(-0.3, 10.3))
c.set(title="… this comes out", xlabel="time [ms]", ylabel="dip [mm]", ylim=(-0.3, 10.3))
for (_, colour, label), by_force, by_motion in zip(BUMPS, forced, moved, strict=True):
    c.plot(t, 1e3 * by_force["dip"], color=colour, label=label)
    d.plot(t, by_motion["force.dip"], color=colour, label=label)
for axes in (a, b, c, d):
    axes.grid(alpha=0.3)
    axes.margins(x=0.0)
c.legend(fontsize="small", loc="upper left")
d.legend(fontsize="small", loc="upper right")
figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)

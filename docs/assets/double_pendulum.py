"""Draw double_pendulum.png, the picture of the README: python docs/assets/double_pendulum.py"""

from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from touchweight.library.classics import double_pendulum

DURATION = 6.0  # s
POSES = 5  # how often the rods are drawn, at the end of the motion

run = double_pendulum.build().compile().simulate(DURATION, q={"shoulder": 2.2, "elbow": 0.6}, every=5)
middle = np.column_stack([run["middle.x"], run["middle.z"]])
tip = np.column_stack([run["tip.x"], run["tip.z"]])

figure = Figure(figsize=(9, 4), layout="constrained")
space, time = figure.subplots(1, 2, width_ratios=(1, 1.5))

# where the tip went, darker towards the end
path = LineCollection(np.stack([tip[:-1], tip[1:]], axis=1), cmap="Blues", lw=1.5)
path.set_array(np.linspace(0.25, 1.0, len(tip) - 1))
path.set_clim(0.0, 1.0)
space.add_collection(path)
for k in range(POSES):
    i = len(tip) - 1 - 15 * k
    rods = np.array([(0.0, 0.0), middle[i], tip[i]])
    space.plot(*rods.T, "-o", color="#D55E00", lw=2.5, ms=5, alpha=0.75**k, zorder=3 - k / POSES)
space.set(aspect="equal", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xlabel="x [m]", ylabel="z [m]")

for name, colour in {"shoulder": "#0072B2", "elbow": "#009E73"}.items():
    time.plot(run.t, run[name], color=colour, label=name)
time.set(xlabel="time [s]", ylabel="angle [rad]", xlim=(0, DURATION))
time.legend(loc="lower left", frameon=False)
for axes in (space, time):
    axes.grid(alpha=0.3)

figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)

"""Draw piano_stroke.gif, a stroke and a second one from half the dip, slowly: python docs/assets/piano_stroke.py"""

from pathlib import Path

import numpy as np
from matplotlib.animation import PillowWriter
from matplotlib.figure import Figure
from piano_phases import draw, stroke

action, run, found = stroke()
figure = Figure(figsize=(6.0, 4.9))
grid = figure.add_gridspec(2, 1, height_ratios=(3, 1.2), left=0.1, right=0.98, top=0.98, bottom=0.11, hspace=0.05)
stage, force = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
t = 1e3 * run.t
# slow where the hammer flies, quicker while nothing happens
moving = np.concatenate(
    [np.arange(0, 120, 3), np.arange(120, 320, 12), np.arange(320, 600, 4), np.arange(600, 720, 12)]
)
writer = PillowWriter(fps=20)
with writer.saving(figure, str(Path(__file__).with_suffix(".gif")), dpi=75):
    for i in moving:
        stage.clear()
        draw(stage, action.at(run, max(2, int(i))))
        stage.text(40, 150, f"{t[i]:.0f} ms", fontsize=11)
        force.clear()
        force.plot(t, found.finger, color="#D55E00", lw=1.0)
        force.axvline(t[i], color="#555555", lw=1.0)
        force.set(xlim=(0, 360), ylim=(-2, 20), xlabel="time [ms]", ylabel="finger [N]")
        force.grid(alpha=0.3)
        writer.grab_frame()

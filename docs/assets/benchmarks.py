"""Draw andrews.png and flat.png, the pictures of the page on benchmarks: python docs/assets/benchmarks.py"""

import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from touchweight.library.classics import andrews, four_bar

HERE = Path(__file__).parent
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444")

# -- Andrews' squeezer: all angles over 30 ms, with the published end state --------------------------------------
END = {
    "beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101, "phi": -0.5347301163226948,
    "delta": 0.5244099658805304, "Omega": 0.5347301163226948, "epsilon": 1.048080741042263,
}  # fmt: skip
LETTERS = {"beta": "β", "theta": "θ", "gamma": "γ", "phi": "φ", "delta": "δ", "Omega": "Ω", "epsilon": "ε"}
run = andrews.build().compile().simulate(0.03, q=andrews.START, dt=1e-5, method="DOP853", rtol=1e-11, atol=1e-11)
figure = Figure(figsize=(9, 3.6), layout="constrained")
whirling, others = figure.subplots(1, 2, width_ratios=(1, 1.6))
for (name, letter), colour in zip(LETTERS.items(), COLOURS, strict=True):
    axes = whirling if name in ("beta", "theta") else others
    axes.plot(1e3 * run.t, run[name], color=colour, lw=1.5)
    axes.plot(30.0, END[name], "o", color=colour, ms=5, clip_on=False, zorder=3)
    shift = {"delta": -11, "Omega": 3}.get(name, -4)  # two end in nearly the same place
    axes.annotate(letter, (30.0, END[name]), xytext=(8, shift), textcoords="offset points", color=colour, fontsize=12)
for axes in (whirling, others):
    axes.set(xlabel="time [ms]", xlim=(0, 30))
    axes.grid(alpha=0.3)
whirling.set(ylabel="angle [rad]", title="crank and link whirl")
others.set(title="the rest squeezes (dots: published)")
figure.savefig(HERE / "andrews.png", dpi=110)

# -- two windows through the flat position ----------------------------------------------------------------------
WINDOWS = 2
run = four_bar.build(WINDOWS, start=0.0).compile().simulate(2.0, v={"rod0": 1.0}, dt=1e-3)
figure = Figure(figsize=(9, 3.6), layout="constrained")
space, time = figure.subplots(1, 2, width_ratios=(1.6, 1))
flat = int(np.argmin(np.abs(run["rod0"] - math.pi / 2)))
for i, shade in ((flat - 260, 0.25), (flat - 90, 0.45), (flat, 1.0), (flat + 110, 0.45)):
    angle = run["rod0"][i]
    tip = np.array([math.sin(angle), math.cos(angle)])
    for k in range(WINDOWS + 1):
        space.plot([k, k + tip[0]], [0, tip[1]], "-o", color="#0072B2", lw=2.5, ms=4, alpha=shade)
    space.plot([tip[0], WINDOWS + tip[0]], [tip[1], tip[1]], "-", color="#D55E00", lw=2.5, alpha=shade)
    space.text(WINDOWS + tip[0] + 0.1, tip[1], f"{1e3 * run.t[i]:.0f} ms", color="#444444", va="center")
space.plot(range(WINDOWS + 1), [0] * (WINDOWS + 1), "^", color="#444444", ms=9)
space.set(aspect="equal", xlim=(-0.2, 3.7), ylim=(-0.9, 1.1), xlabel="x [m]", ylabel="z [m]")
space.set_title("falling through the flat position")

time.plot(run.t, run["v.rod0"], color="#0072B2", label="first rod")
time.plot(run.t, run[f"v.rod{WINDOWS}"], "--", color="#D55E00", label="last rod")
for turn in (0.5, 1.5):
    time.axvline(float(np.interp(turn * math.pi, run["rod0"], run.t)), color="#444444", lw=1, ls=":")
time.set(xlabel="time [s]", ylabel="speed [rad/s]", xlim=(0, 2), title="flat at the dotted lines")
time.legend(frameon=False, loc="lower center")
for axes in (space, time):
    axes.grid(alpha=0.3)
figure.savefig(HERE / "flat.png", dpi=110)

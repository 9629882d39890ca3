"""Measured against simulated: a model driven by a measured motion, and how far its forces are from the measured ones.

measured = read_measured("stroke.csv", {"angle": Column("dip", 1e-3 / 0.225), "torque": Column("force", 0.225)})
simulated = drive(model, measured, {"key": "angle"}, how="low-pass", cutoff=150.0)
found = compare(measured, simulated, {"torque": "force.key"})
found["torque"].rms, found["torque"].shift
found.plot("overlay.png")

Driving by motion and comparing forces shows what driving by force hides: inertia smooths it away (A. Thorin,
X. Boutillon, J. Lozada, X. Merlhiot 2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..codegen.callable import Array
from ..errors import ShapeError, printable
from .measured import smooth
from .recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .model import Model
    from .state import State

Lags = npt.NDArray[np.int64]

#: most samples of the common grid
MOST = 2_000_000


@dataclass(frozen=True)
class Difference:
    """How a simulated channel differs from a measured one; in the unit of the channel.

    Attributes:
        rms: root mean square of the difference.
        peak: largest difference.
        relative_rms: ``rms`` over the root mean square of the measurement.
        shift: how much later the simulation is [s], where the cross-correlation of both is largest.
        aligned_rms: root mean square of the difference with that shift taken out.
        correlation: there, from -1 to 1.
    """

    rms: float
    peak: float
    relative_rms: float
    shift: float
    aligned_rms: float
    correlation: float


@dataclass(frozen=True)
class Comparison(Mapping[str, Difference]):
    """Differences by measured channel, and what they were taken from.

    Attributes:
        differences: by the name of the measured channel.
        channels: measured channel -> simulated channel.
        measured: what was measured.
        simulated: what was simulated.
    """

    differences: dict[str, Difference]
    channels: dict[str, str]
    measured: Recording
    simulated: Recording

    def __getitem__(self, channel: str) -> Difference:
        return self.differences[channel]

    def __iter__(self) -> Iterator[str]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def plot(self, save: str | Path | None = None) -> Figure:
        """Measured and simulated channels on top of each other, one panel for each pair."""
        from matplotlib.figure import Figure

        from .plotting import _plain, _save

        figure = Figure(figsize=(8.0, 1.0 + 2.6 * len(self)), layout="constrained")
        panels: Any = figure.subplots(len(self), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, found) in zip(panels, self.items(), strict=True):
            other = self.channels[name]
            unit = self.simulated.units.get(other, "")
            axes.plot(self.measured.t, self.measured[name], color="#000000", lw=1.0, label=_plain(f"measured: {name}"))
            label = _plain(f"simulated: {other}")
            axes.plot(self.simulated.t, self.simulated[other], color="#D55E00", lw=1.4, alpha=0.85, label=label)
            axes.set_title(
                f"rms {found.rms:.3g} ({100.0 * found.relative_rms:.1f} %), peak {found.peak:.3g}, "
                f"simulation later by {1e3 * found.shift:.2f} ms",
                fontsize=9,
            )
            axes.set_ylabel(_plain(f"[{unit}]") if unit else "")
            axes.grid(alpha=0.3)
            axes.margins(x=0.0)
            axes.legend(fontsize="small", framealpha=0.9)
        panels[-1].set_xlabel("time [s]")
        if save is not None:
            _save(figure, save)
        return figure


def drive(
    model: Model,
    measured: Recording,
    motion: Mapping[str, str],
    *,
    how: str = "spline",
    cutoff: float | None = None,
    noise: float | None = None,
    settle: float = 0.5,
    state: State | None = None,
    dt: float = 2.5e-4,
    every: int = 2,
    **options: Any,
) -> Recording:
    """Simulate a model whose drives follow measured channels.

    Args:
        model: what to run.
        measured: from :func:`~.measured.read_measured`, in SI units.
        motion: drive -> measured channel that holds its position.
        how: smoothing of the motion, see :func:`~.measured.smooth`.
        cutoff: of the low-pass filter [Hz].
        noise: standard deviation of the motion's noise, for the spline.
        settle: how long the mechanism rests at the first sample before the motion starts [s].
        state: where it starts; stays as it is.
        dt: step [s].
        every: record every so many steps.
        options: as for :meth:`Model.simulate`.
    """
    curves = {d: smooth(measured.t, measured[c], how, cutoff=cutoff, noise=noise) for d, c in motion.items()}
    begin = (model.state() if state is None else state).copy()
    if settle > 0.0:
        still = {d: curve(0.0)[0] for d, curve in curves.items()}
        model.simulate(settle, state=begin, drives=still, dt=dt, every=every, **options)
        begin.t = 0.0
    steps = int(float(measured.t[-1]) / dt / every) * every
    return model.simulate(steps * dt, state=begin, drives=curves, dt=dt, every=every, **options)


def compare(
    measured: Recording, simulated: Recording, channels: Mapping[str, str], *, most_shift: float = 0.05
) -> Comparison:
    """How simulated channels differ from measured ones.

    Args:
        measured: what was measured.
        simulated: what was simulated; times of both start together.
        channels: measured channel -> simulated channel, in one unit.
        most_shift: largest shift that is looked for [s].
    """
    begin, end = max(measured.t[0], simulated.t[0]), min(measured.t[-1], simulated.t[-1])
    dt = min(float(np.median(np.diff(r.t))) if len(r.t) > 1 else 0.0 for r in (measured, simulated))
    if not (end > begin and dt > 0.0) or not channels:
        raise ShapeError("expected two recordings with a common stretch of time and channels to compare, found none")
    count = min(MOST, max(2, round((end - begin) / dt) + 1))
    grid: Array = np.linspace(begin, end, count)
    found = {}
    for name, other in channels.items():
        a, b = np.interp(grid, measured.t, measured[name]), np.interp(grid, simulated.t, simulated[other])
        if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
            raise ShapeError(
                f"expected finite numbers in {printable(name, 40)!r}, found others; look where it comes from"
            )
        found[name] = difference(grid, a, b, most_shift)
    return Comparison(found, dict(channels), measured, simulated)


def difference(t: Array, measured: Array, simulated: Array, most_shift: float = 0.05) -> Difference:
    """How two channels at the same even times [s] differ."""
    gap = simulated - measured
    shift, correlation = time_shift(t, measured, simulated, most_shift)
    inside = (t + shift >= t[0]) & (t + shift <= t[-1])
    aligned = np.interp(t[inside] + shift, t, simulated) - measured[inside]
    size = _rms(measured)
    rms = _rms(gap)
    return Difference(
        rms,
        float(np.abs(gap).max()),
        rms / size if size > 0.0 else float("inf"),
        shift,
        _rms(aligned),
        correlation,
    )


def time_shift(t: Array, measured: Array, simulated: Array, most: float) -> tuple[float, float]:
    """How much later the second is [s], to a part of a sample by a parabola, and how alike they are there.

    At each shift the correlation is that of the samples which overlap, so that short recordings are not biased.
    """
    dt, n = float(t[1] - t[0]), len(t)
    reach = min(n // 2, max(1, round(most / dt)))
    lags: Lags = np.arange(-reach, reach + 1, dtype=np.int64)
    alike = _correlations(measured, simulated, lags)
    k = int(np.argmax(alike))
    part = 0.0
    if 0 < k < len(alike) - 1:
        bend = alike[k - 1] - 2.0 * alike[k] + alike[k + 1]
        part = 0.5 * (alike[k - 1] - alike[k + 1]) / bend if bend < 0.0 else 0.0
    return float((lags[k] + part) * dt), float(alike[k])


def _correlations(a: Array, b: Array, lags: Lags) -> Array:
    """Correlation of a[i] with b[i + lag] for each lag; zero where one of them does not change."""
    from scipy.signal import correlate

    n = len(a)
    a, b = a - a.mean(), b - b.mean()
    first, last = np.maximum(0, -lags), np.minimum(n, n - lags)  # of a
    count = last - first

    def sums(x: Array, shift: Lags) -> Array:
        total = np.concatenate([[0.0], np.cumsum(x)])
        return np.asarray(total[last + shift] - total[first + shift])

    none = np.zeros_like(lags)
    products = correlate(b, a, mode="full")[n - 1 + lags]
    mean_a, mean_b = sums(a, none) / count, sums(b, lags) / count
    spread_a, spread_b = sums(a * a, none) / count - mean_a**2, sums(b * b, lags) / count - mean_b**2
    size = np.sqrt(np.maximum(0.0, spread_a) * np.maximum(0.0, spread_b))
    together = products / count - mean_a * mean_b
    return np.where(size > 0.0, together / np.where(size > 0.0, size, 1.0), 0.0)


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(np.square(x))))

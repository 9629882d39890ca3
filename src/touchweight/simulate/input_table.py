"""Inputs over a run: numbers, functions of time, samples and recordings as a table with a row for each moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.callable import Array
from ..errors import ShapeError, printable
from .recording import Recording
from .state import State

if TYPE_CHECKING:
    from .model import Model

#: what may feed an input or a drive
Source = float | Callable[[float], Any] | tuple[Sequence[float], Sequence[float]] | Recording

#: how inputs are seen within a step
SAMPLINGS = ("stages", "steps")


@dataclass(frozen=True)
class InputTable:
    """Rows of inputs: one for all steps (``per_step`` 0), one for each step (1), or three for each, shared (2)."""

    rows: Array
    per_step: int

    def at_steps(self, count: int) -> Array:
        """The inputs at the start of each of ``count`` steps and at the end of the last."""
        index = np.minimum(self.per_step * np.arange(count + 1), len(self.rows) - 1)
        return self.rows[index]


def live_inputs(model: Model) -> list[int]:
    """Where the position of each live drive is among the inputs; its velocity and acceleration follow."""
    named = [d.inputs for d in model.mechanism.drives.values() if d.inputs is not None]
    return [model.inputs.index(names[0]) for names in named]


def within_step(rows: Sequence[Array], s: float, h: float, live: Sequence[int]) -> Array:
    """The inputs a part ``s`` of the way through a step of ``h`` [s] with rows at its start, middle and end.

    The parabola through the rows; but position, velocity and acceleration of a live drive (inputs from each index in
    ``live`` on) come from one curve through both ends, so that they belong together.
    """
    a, b, c = (1 - s) * (1 - 2 * s), 4 * s * (1 - s), s * (2 * s - 1)
    out: Array = a * rows[0] + b * rows[1] + c * rows[2]
    for i in live:
        q0, v0, a0 = rows[0][i], rows[0][i + 1] * h, rows[0][i + 2] * h * h
        d = rows[2][i] - q0 - v0 - 0.5 * a0
        e, f = rows[2][i + 1] * h - v0 - a0, rows[2][i + 2] * h * h - a0
        c3, c4, c5 = 10 * d - 4 * e + 0.5 * f, -15 * d + 7 * e - f, 6 * d - 3 * e + 0.5 * f
        out[i] = q0 + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))
        out[i + 1] = (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h
        out[i + 2] = (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h)
    return out


def input_table(
    model: Model,
    state: State,
    inputs: Mapping[str, Source] | None,
    drives: Mapping[str, Source] | None,
    dt: float,
    steps: int,
    sampling: str,
) -> InputTable:
    """The inputs of a run of ``steps`` steps of ``dt`` [s] from the state's time."""
    if sampling not in SAMPLINGS:
        raise ShapeError(f"expected sampling among {', '.join(SAMPLINGS)}, found {_shown(sampling)}")
    given, motions = dict(inputs or {}), dict(drives or {})
    for name in given:
        if name not in model.inputs:
            known = ", ".join(printable(n, 40) for n in model.inputs[:8]) or "none"
            raise ShapeError(f"expected inputs among {known}, found {_shown(name)}; declare it with mechanism.input()")
    live = {n: d for n, d in model.mechanism.drives.items() if d.inputs is not None}
    for name in motions:
        if name not in live:
            known = ", ".join(printable(n, 40) for n in live) or "none"
            raise ShapeError(
                f"expected drives without a motion of their own among {known}, found {_shown(name)}; "
                "declare it with mechanism.drive()"
            )
    varying = bool(motions) or any(not isinstance(f, int | float) for f in given.values())
    per_step = 0 if not varying else 2 if sampling == "stages" else 1
    rows = 1 if not per_step else 2 * steps + 1 if per_step == 2 else max(1, steps)
    times: Array = state.t + dt / max(1, per_step) * np.arange(rows, dtype=np.float64)
    u = np.tile(state.u, (rows, 1))
    for name, source in given.items():
        u[:, model.inputs.index(name)] = _column(name, source, times)
    for name, source in motions.items():
        names = live[name].inputs
        assert names is not None
        for channel, values in zip(names, _motion(name, source, times), strict=True):
            u[:, model.inputs.index(channel)] = values
    if not np.all(np.isfinite(u)):
        name = model.inputs[int(np.argmin(np.isfinite(u).all(axis=0)))]
        raise ShapeError(f"expected finite inputs, found NaN or infinity for {_shown(name)}; look where it comes from")
    return InputTable(u, per_step)


def _column(name: str, source: Any, times: Array) -> Array:
    """Values of one input at the given times."""
    if callable(source):
        return _numbers(name, source, [source(float(t)) for t in times])
    if isinstance(source, Recording | tuple):
        return np.interp(times, *_samples(name, source))
    return np.repeat(_numbers(name, source, [source]), len(times))


def _numbers(name: str, source: Any, values: list[Any]) -> Array:
    """What a source gave, as numbers."""
    try:
        return np.array([float(x) for x in values])
    except (TypeError, ValueError):
        raise ShapeError(
            f"expected a number, a function of time, samples (times, values) or a recording for {_shown(name)}, "
            f"found {_shown(source)}"
        ) from None


def _samples(name: str, source: Recording | tuple[Any, ...]) -> tuple[Array, Array]:
    if isinstance(source, Recording):
        return source.t, source[name]
    try:
        t, values = (np.asarray(a, dtype=float) for a in source)
    except (TypeError, ValueError):
        raise ShapeError(
            f"expected samples (times, values), two rows of numbers, for {_shown(name)}, found {_shown(source)}"
        ) from None
    if t.ndim != 1 or t.shape != values.shape or len(t) < 2 or not np.all(np.diff(t) > 0):
        raise ShapeError(
            f"expected samples (times, values) of equal length with rising times for {_shown(name)}, "
            f"found shapes {t.shape} and {values.shape}"
        )
    return t, values


Motion = tuple[Array, Array, Array]


def _motion(name: str, source: Any, times: Array) -> Motion:
    """Position, velocity and acceleration of a drive: as a function gives them, or of a smooth curve through it."""
    if callable(source):
        if isinstance(source(float(times[0])), tuple):
            return _told(name, [source(float(t)) for t in times])
        # a few samples beyond both ends, so that the curve is as smooth there as inside
        gap = times[1] - times[0] if len(times) > 1 else 1e-3
        t = np.concatenate([times[0] - gap * np.arange(5, 0, -1), times, times[-1] + gap * np.arange(1, 6)])
        return _curve(name, t, _column(name, source, t), times)
    if isinstance(source, Recording | tuple):
        return _curve(name, *_samples(name, source), times)
    zero = np.zeros(len(times))
    return _column(name, source, times), zero, zero


def _told(name: str, values: list[Any]) -> Motion:
    """What a function gave: position, velocity and acceleration at each time."""
    for value in values:
        if not isinstance(value, tuple) or len(value) != 3:
            found = f"{len(value)} values" if isinstance(value, tuple) else _shown(value)
            raise ShapeError(
                f"expected position, or always (position, velocity, acceleration), for drive {_shown(name)}, "
                f"found {found}"
            )
    q, v, a = (_numbers(name, values[0], [value[k] for value in values]) for k in range(3))
    return q, v, a


def _curve(name: str, t: Array, values: Array, times: Array) -> Motion:
    """A smooth curve through samples; before the first and after the last it stands still."""
    from scipy.interpolate import make_interp_spline

    if not np.all(np.isfinite(values)):
        raise ShapeError(f"expected finite inputs, found NaN or infinity for {_shown(name)}; look where it comes from")
    degree = min(5, len(t) - 1)
    curve = make_interp_spline(t, values, k=degree)
    inside = np.clip(times, t[0], t[-1])
    still = np.abs(times - inside) > 1e-9 * (t[-1] - t[0])
    rates = [curve.derivative(n)(inside) if n <= degree else np.zeros(len(times)) for n in (1, 2)]
    for rate in rates:
        rate[still] = 0.0
    return curve(inside), rates[0], rates[1]


def _shown(value: object) -> str:
    return printable(repr(value), 80)

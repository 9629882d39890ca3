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
    try:
        if callable(source):
            return np.array([float(source(float(t))) for t in times])
        if isinstance(source, Recording | tuple):
            return np.interp(times, *_samples(name, source))
        return np.full(len(times), float(source))
    except (TypeError, ValueError):
        raise ShapeError(
            f"expected a number, a function of time, samples (times, values) or a recording for {_shown(name)}, "
            f"found {_shown(source)}"
        ) from None


def _samples(name: str, source: Recording | tuple[Any, Any]) -> tuple[Array, Array]:
    if isinstance(source, Recording):
        return source.t, source[name]
    t, values = (np.asarray(a, dtype=float) for a in source)
    if t.ndim != 1 or t.shape != values.shape or len(t) < 2 or not np.all(np.diff(t) > 0):
        raise ShapeError(
            f"expected samples (times, values) of equal length with rising times for {_shown(name)}, "
            f"found shapes {t.shape} and {values.shape}"
        )
    return t, values


def _motion(name: str, source: Any, times: Array) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration of a drive: as a function gives them, or of a smooth curve through it."""
    from scipy.interpolate import make_interp_spline

    if callable(source):
        first = source(float(times[0]))
        if isinstance(first, tuple):
            if len(first) != 3:
                raise ShapeError(
                    f"expected position, or (position, velocity, acceleration), for drive {_shown(name)}, "
                    f"found {len(first)} values"
                )
            q, v, a = np.array([source(float(t)) for t in times], dtype=float).T
            return q, v, a
        # a few samples beyond both ends, so that the curve is as smooth there as inside
        gap = times[1] - times[0] if len(times) > 1 else 1e-3
        t = np.concatenate([times[0] - gap * np.arange(5, 0, -1), times, times[-1] + gap * np.arange(1, 6)])
        values = _column(name, source, t)
    elif isinstance(source, Recording | tuple):
        t, values = _samples(name, source)
    else:
        zero = np.zeros(len(times))
        return _column(name, source, times), zero, zero
    curve = make_interp_spline(t, values, k=min(5, len(t) - 1))
    inside = np.clip(times, t[0], t[-1])
    return curve(inside), curve.derivative(1)(inside), curve.derivative(2)(inside)


def _shown(value: object) -> str:
    return printable(repr(value), 80)

"""Running a model offline with a fixed step, in the native core (or in Python where there is no compiler)."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..codegen.callable import Array, NativeFunction
from ..codegen.library import contract, load_native
from ..errors import ShapeError, TouchweightError, printable
from .arguments import as_time, as_vector
from .model import Model, Values
from .recording import Recording
from .state import State

#: methods by name, with their number in the native core
METHODS = {"euler": 0, "rk4": 1}

#: steps integrated before Python looks up again (progress, interruption)
SPAN = 20_000


class SimulationError(TouchweightError, RuntimeError):
    """A run could not be finished; what was recorded until then is in ``recording``."""

    def __init__(self, message: str, recording: Recording | None = None) -> None:
        super().__init__(message)
        self.recording = recording


def simulate(
    model: Model,
    duration: float,
    *,
    q: Values | None = None,
    v: Values | None = None,
    x: Values | None = None,
    inputs: Mapping[str, float | Callable[[float], float]] | None = None,
    state: State | None = None,
    dt: float = 1e-3,
    method: str = "rk4",
    every: int = 1,
    progress: bool | None = None,
) -> Recording:
    """Integrate the motion and record it.

    Args:
        model: what to run.
        duration: how long [s].
        q: initial coordinates, in order or by name; the reference position by default.
        v: initial speeds.
        x: initial first-order states.
        inputs: a number or a function of time for each input, sampled at the start of every step.
        state: start here instead (and leave the final state in it); excludes q, v and x.
        dt: step [s].
        method: ``rk4`` (fourth order) or ``euler`` (semi-implicit).
        every: record every so many steps.
        progress: show a bar; by default only for runs that take a while.

    Returns:
        A recording of coordinates, speeds, states, inputs, sensors and energies.
    """
    dt, every, steps = _grid(duration, dt, every, method)
    if state is None:
        state = model.state(q, v, x)
    elif q is not None or v is not None or x is not None:
        raise ShapeError("expected either a state or q, v, x to start from, found both; drop one")
    _check_state(model, state)
    u = _inputs(model, inputs, state, dt, steps)
    y = np.concatenate([state.q, state.v, state.x])
    rows = _rows(steps // every + 1, len(y))
    rows[0] = y
    t0 = state.t
    advance = _advance(model, state)
    done, ended = 0, 0
    from .progress import bar

    with bar(steps, f"simulating {model.name}", progress) as tick:
        while done < steps and not ended:
            n = min(steps - done, SPAN - SPAN % every or every)
            target = rows[1 + done // every : 1 + (done + n) // every]
            taken, ended = advance(
                METHODS[method], t0 + done * dt, dt, n, y, u[done:] if len(u) > 1 else u, every, target
            )
            done += taken
            tick(done)
    size = [model.nq, model.nv]
    state.t = t0 + done * dt
    state.q[:], state.v[:], state.x[:] = np.split(y, np.cumsum(size))
    kept = rows[: 1 + done // every]
    t: Array = t0 + dt * every * np.arange(len(kept), dtype=np.float64)
    recording = _recording(model, state, t, kept, u, every)
    if ended:
        raise SimulationError(
            f"expected finite numbers throughout, found NaN or infinity at t = {state.t:g} s of model "
            f"{_shown(model.name)}; take a smaller dt or check stiffnesses and initial values",
            recording,
        )
    return recording


def _grid(duration: Any, dt: Any, every: Any, method: Any) -> tuple[float, int, int]:
    """Step, steps from one recorded sample to the next, number of steps."""
    h, end = _real(dt), _real(duration)
    if not isinstance(method, str) or method not in METHODS:
        raise ShapeError(f"expected a method among {', '.join(METHODS)}, found {_shown(method)}")
    if not 0.0 < h < math.inf:
        raise ShapeError(f"expected a positive step dt [s], found {_shown(dt)}")
    if not 0.0 <= end < math.inf:
        raise ShapeError(f"expected a duration of zero or more seconds, found {_shown(duration)}")
    if isinstance(every, bool) or not isinstance(every, numbers.Integral) or int(every) < 1:
        raise ShapeError(f"expected every as a whole number of steps, at least 1, found {_shown(every)}")
    if not end / h < 2.0**53:
        raise ShapeError(f"expected fewer than 2**53 steps, found {end / h:g}; take a larger dt")
    steps = round(end / h)
    if abs(steps * h - end) > 1e-6 * h * max(1, steps):
        steps = math.ceil(end / h)
    return h, int(every), steps


def _real(value: Any) -> float:
    return float(value) if isinstance(value, numbers.Real) else math.nan


def _shown(value: object) -> str:
    return printable(repr(value), 80)


def _check_state(model: Model, state: State) -> None:
    """A state may have been edited, or belong to another model; the native core trusts its sizes."""
    d = model.dimensions
    if not state.parameters.fits(model.parameters):
        raise ShapeError(f"expected a state of model {_shown(model.name)}, found one of another; take model.state()")
    state.t = as_time(state.t)
    state.q = as_vector(state.q, "q", d.coordinates, d.q_default, d.balls)
    state.v = as_vector(state.v, "v", d.speeds, d.v_default)
    state.x = as_vector(state.x, "x", d.states, d.x_default)
    state.u = as_vector(state.u, "u", d.inputs, d.u_default)


def _rows(count: int, width: int) -> Array:
    try:
        return np.empty((count, width))
    except (MemoryError, ValueError):
        raise ShapeError(
            f"expected a recording that fits into memory, found {count} samples of {width} numbers; "
            "record less often with every="
        ) from None


def _inputs(model: Model, inputs: Mapping[str, Any] | None, state: State, dt: float, steps: int) -> Array:
    """One row for each step, or a single row when all inputs are constant."""
    given = dict(inputs or {})
    for name in given:
        if name not in model.inputs:
            known = ", ".join(printable(n, 40) for n in model.inputs[:8]) or "none"
            raise ShapeError(f"expected inputs among {known}, found {_shown(name)}; declare it with mechanism.input()")
    varying = any(callable(f) for f in given.values())
    u = np.tile(state.u, (max(1, steps) if varying else 1, 1))
    times = state.t + dt * np.arange(len(u))
    for name, value in given.items():
        column = [value(float(t)) for t in times] if callable(value) else value
        try:
            u[:, model.inputs.index(name)] = np.asarray(column, dtype=float)
        except (TypeError, ValueError):
            raise ShapeError(
                f"expected a number or a function of time for input {_shown(name)}, found {_shown(column)}"
            ) from None
    if not np.all(np.isfinite(u)):
        name = model.inputs[int(np.argmin(np.isfinite(u).all(axis=0)))]
        raise ShapeError(f"expected finite inputs, found NaN or infinity for {_shown(name)}; look where it comes from")
    return u


Advance = Callable[[int, float, float, int, Array, Array, int, Array], tuple[int, int]]


def _advance(model: Model, state: State) -> Advance:
    rates = model.function("rates")
    table = state.parameters.table(rates)
    if isinstance(rates, NativeFunction):
        return _native_advance(model, rates, table)
    return _python_advance(model, rates, table)


def _native_advance(model: Model, rates: NativeFunction, table: Array) -> Advance:
    ffi = contract()
    core = load_native(rates.compiler)
    d = model.dimensions
    balls = ffi.new("int32_t[]", list(d.balls) or [0])
    held = ffi.from_buffer("double[]", table)
    system = ffi.new(
        "tw_system *",
        {
            "rates": rates.unit.table, "c": held, "nq": model.nq, "nv": model.nv, "nx": len(d.states),
            "nu": len(d.inputs), "balls": len(d.balls), "ball_start": balls,
        },
    )  # fmt: skip
    work = ffi.new("double[]", core.tw_work_size(system))
    taken = ffi.new("int64_t *")

    def advance(
        method: int, t: float, h: float, n: int, y: Array, u: Array, every: int, record: Array
    ) -> tuple[int, int]:
        ended = core.tw_integrate(
            system, method, t, h, n, ffi.from_buffer("double[]", y),
            ffi.cast("double *", u.ctypes.data), u.shape[1] if len(u) > 1 else 0, every,
            ffi.cast("double *", record.ctypes.data), work, taken,
        )  # fmt: skip
        return int(taken[0]), int(ended)

    # what the closure must keep alive
    advance.held = (balls, held, table, system)  # type: ignore[attr-defined]
    return advance


def _python_advance(model: Model, rates: Any, table: Array) -> Advance:
    nq, nv = model.nq, model.nv

    def f(t: float, y: Array, u: Array) -> Array:
        return np.concatenate(rates.evaluate(table, [y[:nq], y[nq : nq + nv], y[nq + nv :], u, np.array([t])]))

    def advance(
        method: int, t: float, h: float, n: int, y: Array, u: Array, every: int, record: Array
    ) -> tuple[int, int]:
        for i in range(n):
            now, inputs = t + i * h, u[i] if len(u) > 1 else u[0]
            if method == METHODS["rk4"]:
                k1 = f(now, y, inputs)
                k2 = f(now + 0.5 * h, y + 0.5 * h * k1, inputs)
                k3 = f(now + 0.5 * h, y + 0.5 * h * k2, inputs)
                k4 = f(now + h, y + h * k3, inputs)
                y += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
            else:
                y[nq:] += h * f(now, y, inputs)[nq:]
                y[:nq] += h * f(now, y, inputs)[:nq]
            for b in model.dimensions.balls:
                y[b : b + 4] /= np.sqrt(np.sum(y[b : b + 4] ** 2))
            if (i + 1) % every == 0:
                record[(i + 1) // every - 1] = y
            if not np.all(np.isfinite(y)):
                return i + 1, 1
        return n, 0

    return advance


def _recording(model: Model, state: State, t: Array, rows: Array, u: Array, every: int) -> Recording:
    q, v, x = rows[:, : model.nq], rows[:, model.nq : model.nq + model.nv], rows[:, model.nq + model.nv :]
    inputs = u[np.minimum(every * np.arange(len(rows)), len(u) - 1)]
    channels: dict[str, Array] = {}
    units: dict[str, str] = {}

    def put(name: str, values: Array, unit: str, what: str) -> None:
        while name in channels:
            name = f"{what}.{name}"
        channels[name] = values
        units[name] = unit

    kinds = _coordinate_units(model)
    for i, name in enumerate(model.coordinates):
        put(name, q[:, i], kinds[i], "q")
    speeds = _speed_units(model)
    for i, name in enumerate(model.speeds):
        put(f"v.{name}", v[:, i], speeds[i], "v")
    for i, s in enumerate(model.mechanism.states.values()):
        put(s.name, x[:, i], s.unit, "state")
    for i, source in enumerate(model.mechanism.inputs.values()):
        put(source.name, inputs[:, i], source.unit, "input")
    options = {"parameters": state.parameters}
    finite = np.all(np.isfinite(rows), axis=1)
    if finite.all():
        energy = model.energy(q, v, **options)
        for key, values in (
            ("kinetic", energy.kinetic),
            ("potential", energy.potential),
            ("total", energy.total),
        ):
            put(f"energy.{key}", values, "J", "energy")
        if model.mechanism.sensors:
            readings = model.sensors(q, v, x=x, u=inputs, t=t, **options)
            for sensor in model.mechanism.sensors.values():
                flat = readings[sensor.name].reshape(len(rows), -1)
                for k, channel in enumerate(sensor.channels):
                    put(channel, flat[:, k], sensor.unit, "sensor")
    return Recording(model.name, t, channels, units)


def _coordinate_units(model: Model) -> list[str]:
    out: list[str] = []
    for joint in model.mechanism.joints.values():
        for primitive in _primitives(joint.kind):
            out += {"R": ["rad"], "P": ["m"], "S": [""] * 4}[primitive]
    return out


def _speed_units(model: Model) -> list[str]:
    out: list[str] = []
    for joint in model.mechanism.joints.values():
        for primitive in _primitives(joint.kind):
            out += {"R": ["rad/s"], "P": ["m/s"], "S": ["rad/s"] * 3}[primitive]
    return out


def _primitives(kind: str) -> str:
    from ..mechanism import JOINT_KINDS

    return JOINT_KINDS[kind].primitives

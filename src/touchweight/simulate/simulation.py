"""Running a model offline: with a fixed step in the native core, or with an adaptive one by SciPy for reference."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..codegen.callable import Array
from ..errors import ShapeError, TouchweightError, printable
from .arguments import as_time, as_vector
from .assembly import start
from .choice import CLOSED
from .core import NOT_FINITE, OPEN, TOO_MANY_EVENTS
from .engine import METHODS, CoreEngine, Stretch, make_engine
from .event import Event
from .input_table import InputTable, Source, input_table
from .model import Model, Values
from .record import make_recording
from .recording import Recording
from .reference import ADAPTIVE, integrate_adaptively
from .state import State

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
    inputs: Mapping[str, Source] | None = None,
    drives: Mapping[str, Source] | None = None,
    parameters: Mapping[str, float] | None = None,
    state: State | None = None,
    mode: str | None = None,
    dt: float = 1e-3,
    method: str | None = None,
    sampling: str = "stages",
    every: int = 1,
    rtol: float = 1e-9,
    atol: float = 1e-11,
    event_tolerance: float = 1e-12,
    rest_time: float = 1e-9,
    most_events: int = 1000,
    theta: float = 0.5,
    progress: bool | None = None,
) -> Recording:
    """Integrate the motion and record it.

    Args:
        model: what to run.
        duration: how long [s].
        q: initial coordinates, in order or by name; the reference position by default. Where there are loops, they
            are closed first: what is given by name is held if that is possible, the rest is found.
        v: initial speeds; likewise.
        x: initial first-order states.
        inputs: for each input a number, a function of time, samples (times, values), or a recording with a channel of
            that name.
        drives: for each drive without a motion of its own the same; a function may also return (position, velocity,
            acceleration), else these are taken from a smooth curve through the positions.
        parameters: values that differ from the description's in this run.
        state: start here instead (and leave the final state in it); excludes q, v, x and parameters.
        mode: the mode to start in, of a model with modes; its first by default.
        dt: step [s]; with an adaptive method, the distance of the recorded samples.
        method: ``moreau`` (non-smooth, for contacts and dry friction; the default where there are contacts), ``rk4``
            (fourth order; the default elsewhere), ``euler`` (semi-implicit), ``rosenbrock`` (linearly implicit,
            second order, for stiff elements), or one of SciPy's adaptive ones: ``DOP853``, ``RK45``, ``RK23``,
            ``Radau``, ``BDF``, ``LSODA``.
        sampling: ``stages``: inputs are taken at the start, middle and end of each step; ``steps``: once, at its start,
            and held, as a live loop does.
        every: record every so many steps.
        rtol: relative tolerance of adaptive methods.
        atol: absolute tolerance of adaptive methods.
        event_tolerance: how closely transitions between modes are located [s].
        rest_time: accumulating transitions that would end within this time are resolved into rest [s].
        most_events: transitions in one step before they are resolved into rest, or the run ends.
        theta: of the method ``moreau``: 0.5 takes felts in the middle of the step (second order), 1 at its end (which
            damps most).
        progress: show a bar; by default only for runs that take a while.

    Returns:
        A recording of coordinates, speeds, states, inputs, sensors, energies, forces of loops and drives, the largest
        residual of the loops, and every transition.
    """
    method = method or ("moreau" if model.mechanism.contacts else "rk4")
    dt, every, steps = _grid(duration, dt, every, method)
    _check_contacts(model, method, theta)
    if state is None:
        state = model.state(q, v, x, parameters=parameters)
    elif not (q is None and v is None and x is None and parameters is None):
        raise ShapeError("expected either a state or q, v, x, parameters to start from, found both; drop one")
    _check_state(model, state, mode)
    table = input_table(model, state, inputs, drives, dt, steps, sampling)
    state.u[:] = table.rows[0]
    start(model, state, q, v)
    if method in ADAPTIVE:
        return _adaptive(model, state, table, dt, every, steps, method, (rtol, atol), progress)
    events = _event_options(event_tolerance, rest_time, most_events)
    if method == "moreau":
        events["theta"] = float(theta)
    return _fixed(model, state, table, dt, every, steps, method, events, progress)


def _fixed(
    model: Model,
    state: State,
    table: InputTable,
    dt: float,
    every: int,
    steps: int,
    method: str,
    event_options: dict[str, float],
    progress: bool | None,
) -> Recording:
    y = np.concatenate([state.q, state.v, state.x])
    engine = make_engine(model, state, method, event_options)
    count = steps // every + 1
    rows, residual = _rows(count, len(y)), np.zeros(count)
    modes = np.zeros(count, dtype=np.int32)
    mode = model.modes.index(state.mode) if state.mode is not None else 0
    rows[0], modes[0] = y, mode
    names = engine.core.force_names if isinstance(engine, CoreEngine) and method == "moreau" else []
    forces = np.zeros((count, len(names)))
    events: list[Event] = []
    t0 = state.t
    done, ended = 0, 0
    u = np.ascontiguousarray(table.rows)
    from .progress import bar

    with bar(steps, f"simulating {model.name}", progress) as tick:
        while done < steps and not ended:
            n = min(steps - done, SPAN - SPAN % every or every)
            place = slice(1 + done // every, 1 + (done + n) // every)
            out = Stretch(rows[place], residual[place], modes[place], mode=mode)
            out.forces = forces[place] if names else None
            engine.advance(
                METHODS[method], t0 + done * dt, dt, n, y, u[done * table.per_step :], table.per_step, every, out
            )
            done += out.taken
            mode = out.mode
            events += out.events
            ended = out.ended
            tick(done)
    state.t = events[-1].t if ended == TOO_MANY_EVENTS and events else t0 + done * dt
    state.u[:] = table.at_steps(steps)[done]
    state.q[:], state.v[:], state.x[:] = np.split(y, [model.nq, model.nq + model.nv])
    if model.modes:
        state.mode = model.modes[mode]
    kept = 1 + done // every
    t: Array = t0 + dt * every * np.arange(kept, dtype=np.float64)
    closed = bool(model.modes) or bool(model.loops(state.mode).rows)
    recording = make_recording(
        model,
        state,
        t,
        rows[:kept],
        table.at_steps(steps)[::every][:kept],
        residual[:kept] if closed else None,
        modes[:kept] if model.modes else None,
        events,
        dict(zip(names, forces[:kept].T, strict=True)) if names else None,
    )
    if ended:
        raise SimulationError(_complaint(model, state, ended, events), recording)
    return recording


def _complaint(model: Model, state: State, ended: int, events: list[Event]) -> str:
    at = f"at t = {state.t:g} s of model {_shown(model.name)}"
    if ended == OPEN and _stuck(model, state):
        return (
            f"expected a position that says how the motion goes on, found a singular one at rest {at}; "
            "start beside it, or with a speed"
        )
    if ended == OPEN:
        return (
            f"expected loops that stay closed, found them open {at}; take a smaller dt, or see whether the mechanism "
            "can reach that position at all"
        )
    if ended == TOO_MANY_EVENTS:
        name = printable(events[-1].name, 40) if events else "?"
        return (
            f"expected transitions that come to an end, found {name!r} taken over and over {at}; give it rest=, or see "
            "whether its guard is positive when its mode is entered"
        )
    if ended != NOT_FINITE:
        return f"expected a run that the core can do, found code {ended} {at}; take a smaller dt"
    return (
        f"expected finite numbers throughout, found NaN or infinity {at}; take a smaller dt or check stiffnesses and "
        "initial values"
    )


def _stuck(model: Model, state: State) -> bool:
    """Whether a state is closed and at rest: then no motion tells how to leave its singular position."""
    loops = model.loops(state.mode)
    gap = np.abs(loops.closure(state.q, state.t, state.parameters).h)
    return bool(np.all(gap <= CLOSED)) and not np.any(state.v)


def _adaptive(
    model: Model,
    state: State,
    table: InputTable,
    dt: float,
    every: int,
    steps: int,
    method: str,
    tolerances: tuple[float, float],
    progress: bool | None,
) -> Recording:
    if model.modes:
        raise ShapeError(
            f"expected one of {', '.join(METHODS)} for a model with modes, found {method}, which cannot switch"
        )
    t0 = state.t
    from .progress import bar

    with bar(steps, f"simulating {model.name}", progress) as tick:
        rows, residual, problem = integrate_adaptively(model, state, table, dt, steps, method, tolerances, tick)
    done = len(rows) - 1
    kept = rows[::every]
    state.t = t0 + done * dt
    state.u[:] = table.at_steps(steps)[done]
    state.q[:], state.v[:], state.x[:] = np.split(rows[-1], [model.nq, model.nq + model.nv])
    t: Array = t0 + dt * every * np.arange(len(kept), dtype=np.float64)
    closed = bool(model.loops(state.mode).rows)
    recording = make_recording(
        model,
        state,
        t,
        kept,
        table.at_steps(steps)[::every][: len(kept)],
        residual[::every] if closed else None,
        None,
        (),
    )
    if problem is not None:
        raise SimulationError(
            f"expected {method} to reach the end, found: {printable(problem, 120)}, at t = {state.t:g} s of model "
            f"{_shown(model.name)}; loosen rtol and atol, or take another method",
            recording,
        )
    return recording


def _grid(duration: Any, dt: Any, every: Any, method: Any) -> tuple[float, int, int]:
    """Step, steps from one recorded sample to the next, number of steps."""
    h, end = _real(dt), _real(duration)
    if not isinstance(method, str) or (method not in METHODS and method not in ADAPTIVE):
        raise ShapeError(f"expected a method among {', '.join((*METHODS, *ADAPTIVE))}, found {_shown(method)}")
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


def _event_options(tolerance: Any, rest_time: Any, most_events: Any) -> dict[str, float]:
    """How transitions are located and resolved."""
    for name, value, least in (("event_tolerance", tolerance, 0.0), ("rest_time", rest_time, 0.0)):
        if not least <= _real(value) < math.inf:
            raise ShapeError(f"expected {name} [s] of zero or more, found {_shown(value)}")
    whole = isinstance(most_events, numbers.Integral) and not isinstance(most_events, bool)
    if not (whole and 1 <= int(most_events) <= 1_000_000):
        raise ShapeError(f"expected most_events as a whole number from 1 to a million, found {_shown(most_events)}")
    return {"tolerance": float(tolerance), "rest_time": float(rest_time), "most_events": int(most_events)}


def _check_contacts(model: Model, method: str, theta: float) -> None:
    """Rigid contacts need the non-smooth method."""
    if method == "moreau":
        if not 0.5 <= theta <= 1.0:
            raise ShapeError(f"expected theta from 0.5 to 1, found {_shown(theta)}")
        return
    stiff = [c.name for c in model.mechanism.contacts.values() if c.force is None]
    if stiff:
        raise ShapeError(
            f"expected the method moreau for rigid contacts such as {_shown(stiff[0])}, found {method}; "
            "give them a law such as felt, or leave the method to us"
        )


def _real(value: Any) -> float:
    return float(value) if isinstance(value, numbers.Real) else math.nan


def _shown(value: object) -> str:
    return printable(repr(value), 80)


def _check_state(model: Model, state: State, mode: str | None) -> None:
    """A state may have been edited, or belong to another model; the native core trusts its sizes."""
    d = model.dimensions
    if not state.parameters.fits(model.parameters):
        raise ShapeError(f"expected a state of model {_shown(model.name)}, found one of another; take model.state()")
    if mode is not None:
        state.mode = mode
    if state.mode is not None and state.mode not in model.modes:
        known = ", ".join(printable(m, 40) for m in model.modes) or "none"
        raise ShapeError(f"expected a mode among {known}, found {_shown(state.mode)}")
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

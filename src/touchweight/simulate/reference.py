"""Reference solutions: SciPy's adaptive integrators on the same compiled functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..codegen.callable import Array, NativeFunction
from .choice import LOOSE
from .core import DONE, Core
from .input_table import InputTable, live_inputs, within_step
from .model import Model
from .state import State

#: what stopped it where a state has no accelerations
LOST = "loops that cannot be closed, or accelerations that are not finite"

#: SciPy's methods, by their own names
ADAPTIVE = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")


def integrate_adaptively(
    model: Model,
    state: State,
    table: InputTable,
    dt: float,
    steps: int,
    method: str,
    tolerances: tuple[float, float],
    tick: Callable[[int], None],
) -> tuple[Array, Array, str | None]:
    """Rows (q, v, x) at the grid of ``dt``, largest residual of the loops at each, and what went wrong if it did."""
    from scipy.integrate import solve_ivp

    f, close = _functions(model, state)
    t0 = state.t
    inputs = _interpolated(table, t0, dt, live_inputs(model))
    y = np.concatenate([state.q, state.v, state.x])
    rows, residual = [y], [0.0]
    # one stretch for every few samples, so that progress shows and drift is removed
    span = 1 if table.per_step == 1 else max(1, min(steps, 200))  # inputs that are held jump from step to step
    done = 0
    while done < steps:
        n = min(span, steps - done)
        grid = t0 + dt * np.arange(done, done + n + 1)
        if not np.all(np.isfinite(f(float(grid[0]), y, inputs(float(grid[0]))))):
            return np.array(rows), np.array(residual), LOST
        try:
            found = solve_ivp(
                lambda t, z: f(t, z, inputs(t)),
                (grid[0], grid[-1]),
                y,
                method=method,
                t_eval=grid[1:],
                rtol=tolerances[0],
                atol=tolerances[1],
            )
        except ValueError:  # SciPy's implicit methods, on accelerations that are not finite; nearer to where they end
            if n == 1:
                return np.array(rows), np.array(residual), LOST
            span = n // 2
            continue
        for t, z in zip(found.t, found.y.T, strict=True):
            closed, open_by = close(float(t), np.ascontiguousarray(z), inputs(float(t)))
            if not (open_by <= LOOSE and np.all(np.isfinite(closed))):  # some methods step over what is not finite
                return np.array(rows), np.array(residual), LOST
            rows.append(closed)
            residual.append(open_by)
        if found.status != 0:
            return np.array(rows), np.array(residual), str(found.message)
        y = rows[-1].copy()
        done += n
        tick(done)
    return np.array(rows), np.array(residual), None


Rates = Callable[[float, Array, Array], Array]
Close = Callable[[float, Array, Array], tuple[Array, float]]


def _functions(model: Model, state: State) -> tuple[Rates, Close]:
    """dy/dt, and the closing of a state, natively where possible."""
    loops, parameters = model.loops(state.mode), state.parameters
    nq = model.nq

    def residual(t: float, y: Array) -> float:
        return float(np.max(np.abs(loops.closure(y[:nq], t, parameters).h), initial=0.0))

    if isinstance(model.function("turn", state.mode), NativeFunction):
        core = Core(model, parameters, state.mode)

        def f(t: float, y: Array, u: Array) -> Array:
            z = np.array(y)
            normalise(model, z)
            ended, dy, _ = core.evaluate(t, z, u)
            return dy if ended == DONE else np.full(len(y), np.nan)

        def close(t: float, y: Array, u: Array) -> tuple[Array, float]:
            normalise(model, y)
            ended = core.evaluate(t, y, u)[0] if loops else DONE
            return y, residual(t, y) if ended == DONE else np.inf

        return f, close

    if loops:
        return (
            lambda t, y, u: loops.rates(t, y, u, parameters)[0],
            lambda t, y, u: ((z := loops.rates(t, y, u, parameters)[1]), residual(t, z)),
        )
    from .engine import PythonEngine

    engine = PythonEngine(model, state.parameters, state.mode)
    return engine.rates, lambda t, y, u: (normalise(model, y), 0.0)


def normalise(model: Model, y: Array) -> Array:
    """Quaternions back to unit length, in place."""
    for b in model.dimensions.balls:
        y[b : b + 4] /= np.linalg.norm(y[b : b + 4])
    return y


def _interpolated(table: InputTable, t0: float, dt: float, live: list[int]) -> Callable[[float], Array]:
    """The inputs at any time: held rows, or a curve through the three of each step."""
    u, per_step = np.ascontiguousarray(table.rows), table.per_step
    if not per_step:
        return lambda t: u[0]
    if per_step == 1:
        return lambda t: np.asarray(u[min(max(int((t - t0) / dt + 1e-9), 0), len(u) - 1)])
    steps = (len(u) - 1) // 2

    def at(t: float) -> Array:
        if steps == 0:
            return np.asarray(u[0])
        i = min(max(int((t - t0) / dt), 0), steps - 1)
        return within_step(list(u[2 * i : 2 * i + 3]), (t - t0) / dt - i, dt, live)

    return at

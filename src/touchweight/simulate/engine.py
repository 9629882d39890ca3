"""What carries a run forward: the native core, the native core with modes, or generated Python without a compiler."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..codegen.callable import Array, NativeFunction
from ..errors import TouchweightError
from .choice import LOOSE
from .core import DONE, EVENTS_FULL, NOT_FINITE, OPEN, Core
from .event import Event
from .hybrid import Hybrid
from .hybrid_python import PythonHybrid
from .model import Model
from .parameters import Parameters
from .state import State

#: methods by name, with their number in the native core
METHODS = {"euler": 0, "rk4": 1, "rosenbrock": 2, "moreau": 3}


@dataclass
class Stretch:
    """Some steps of a run: where to write them, and what came of them."""

    record: Array
    residual: Array
    modes: npt.NDArray[np.int32]
    taken: int = 0
    ended: int = DONE
    mode: int = 0
    events: list[Event] = field(default_factory=list)
    forces: Array | None = None


class Engine(Protocol):
    """Carries a state forward in fixed steps."""

    def advance(
        self, method: int, t: float, h: float, n: int, y: Array, u: Array, per_step: int, every: int, out: Stretch
    ) -> None:
        """Take ``n`` steps from time ``t``, in place on ``y``, and fill in ``out``."""


def make_engine(model: Model, state: State, method: str, events: dict[str, float]) -> Engine:
    """The best engine there is for a model."""
    implicit = method == "rosenbrock"
    native = isinstance(model.function("turn", state.mode), NativeFunction)
    if not native:
        if implicit or method == "moreau":
            raise TouchweightError(
                f"expected a C compiler for the method {method}, found none; "
                "pip install 'touchweight[compiler]' brings one"
            )
        if model.modes:
            engines = [PythonEngine(model, state.parameters, mode) for mode in model.modes]
            options = (events["tolerance"], events["rest_time"], int(events["most_events"]))
            return PythonHybrid(model, state.parameters, engines, *options)
        return PythonEngine(model, state.parameters, state.mode)
    if model.modes:
        if method == "moreau":
            raise TouchweightError(
                "expected a mechanism without modes for the method moreau, found one with modes; "
                "describe what touches by contacts alone"
            )
        return HybridEngine(model, state, implicit, events)
    return CoreEngine(model, state, implicit, method == "moreau", events.get("theta", 0.5))


class CoreEngine:
    """The native core."""

    def __init__(self, model: Model, state: State, implicit: bool, contacts: bool, theta: float) -> None:
        self.core = Core(model, state.parameters, state.mode, implicit=implicit, contacts=contacts)
        if contacts:
            self.core.memory.theta = theta

    def advance(
        self, method: int, t: float, h: float, n: int, y: Array, u: Array, per_step: int, every: int, out: Stretch
    ) -> None:
        """As :class:`Engine` says."""
        if out.forces is not None:
            self.core.record_forces(out.forces)
        out.taken, out.ended = self.core.integrate(method, t, h, n, y, u, per_step, every, out.record, out.residual)


class HybridEngine:
    """The native core with modes."""

    def __init__(self, model: Model, state: State, implicit: bool, events: dict[str, float]) -> None:
        most = int(events.get("most_events", 1000))
        self.hybrid = Hybrid(
            model,
            state.parameters,
            implicit=implicit,
            most_events=most,
            **{k: v for k, v in events.items() if k != "most_events"},
        )

    def advance(
        self, method: int, t: float, h: float, n: int, y: Array, u: Array, per_step: int, every: int, out: Stretch
    ) -> None:
        """As :class:`Engine` says."""
        while True:
            done = out.taken
            row, late = divmod(done, every)
            # after a pause between two recorded samples, first the rest of the way to the next one
            gap, most = (every - late, min(every - late, n - done)) if late else (every, n - done)
            taken, out.ended, out.mode, events = self.hybrid.run(
                out.mode, method, t + done * h, h, most, y, u[done * per_step :], per_step, gap,
                out.record[row:], out.residual[row:], out.modes[row:],
            )  # fmt: skip
            out.taken += taken
            out.events += events
            if out.ended not in (DONE, EVENTS_FULL) or out.taken == n:
                return


class PythonEngine:
    """Generated Python: the same methods on the same equations, far more slowly."""

    def __init__(self, model: Model, parameters: Parameters, mode: str | None) -> None:
        self.model = model
        self.loops = model.loops(mode)
        self.parameters = parameters
        self._rates = model.function("rates", mode) if not self.loops else None
        self._table = parameters.table(self._rates) if self._rates is not None else None

    def rates(self, t: float, y: Array, u: Array) -> Array:
        """dy/dt."""
        if self._rates is None or self._table is None:
            return self.loops.rates(t, y, u, self.parameters)[0]
        nq, nv = self.model.nq, self.model.nv
        parts = [y[:nq], y[nq : nq + nv], y[nq + nv :], u, np.array([t])]
        return np.concatenate(self._rates.evaluate(self._table, parts))

    def residual(self, t: float, y: Array) -> float:
        """The largest residual of the loops."""
        if not self.loops:
            return 0.0
        h = self.loops.closure(y[: self.model.nq], t, self.parameters).h
        return float(np.max(np.abs(h), initial=0.0))

    def advance(
        self, method: int, t: float, h: float, n: int, y: Array, u: Array, per_step: int, every: int, out: Stretch
    ) -> None:
        """As :class:`Engine` says."""
        worst = 0.0
        for i in range(n):
            now = t + i * h
            self.step(method, now, h, y, [u[i * per_step + (k if per_step == 2 else 0)] for k in range(3)])
            gap = self.residual(now + h, y)
            if gap > LOOSE:
                out.ended = OPEN
                return
            worst = max(worst, gap)
            out.taken = i + 1
            if (i + 1) % every == 0:
                out.record[(i + 1) // every - 1] = y
                out.residual[(i + 1) // every - 1] = worst
                worst = 0.0
            if not np.all(np.isfinite(y)):
                out.ended = NOT_FINITE
                return

    def step(self, method: int, now: float, h: float, y: Array, rows: list[Array]) -> None:
        """One step, in place, closed at its end; ``rows`` are the inputs at its start, middle and end."""
        nq = self.model.nq
        if method == METHODS["rk4"]:
            k1 = self.rates(now, y, rows[0])
            k2 = self.rates(now + 0.5 * h, y + 0.5 * h * k1, rows[1])
            k3 = self.rates(now + 0.5 * h, y + 0.5 * h * k2, rows[1])
            k4 = self.rates(now + h, y + h * k3, rows[2])
            y += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
        else:
            # speeds first, then coordinates with the new speeds
            if self.loops:
                k, y[:] = self.loops.rates(now, y, rows[0], self.parameters)
            else:
                k = self.rates(now, y, rows[0])
            y[nq:] += h * k[nq:]
            y[:nq] += h * self.loops.turn(y[:nq], y[nq : nq + self.model.nv], self.parameters)
        for b in self.model.dimensions.balls:
            y[b : b + 4] /= np.sqrt(np.sum(y[b : b + 4] ** 2))
        if self.loops and np.all(np.isfinite(y)):
            y[:] = self.loops.rates(now + h, y, rows[2], self.parameters)[1]

"""Runs with modes where there is no compiler: the same transitions as the native core's, in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from ..codegen.callable import Array
from ..mechanism import Transition
from .choice import CLOSED, LOOSE
from .core import DONE, NOT_FINITE, OPEN, TOO_MANY_EVENTS
from .event import Event
from .input_table import live_inputs, within_step
from .loops import least_change

if TYPE_CHECKING:
    from .engine import PythonEngine, Stretch
    from .model import Model
    from .parameters import Parameters

#: halvings in the search for a guard that rises from zero and falls again within one step
MOST_HALVINGS = 24

#: transitions at one instant, to and fro, after which a step goes on without looking at guards
CHATTER = 4


@dataclass
class Watch:
    """What is remembered about a transition: its guard, whether that was positive, when it was last taken [s]."""

    g: float = 0.0
    armed: bool = False
    last: float = -np.inf
    interval: float = 0.0


class PythonHybrid:
    """Several modes of a model; one engine for each."""

    def __init__(
        self,
        model: Model,
        parameters: Parameters,
        engines: list[PythonEngine],
        tolerance: float,
        rest_time: float,
        most_events: int,
    ) -> None:
        self.model = model
        self.parameters = parameters
        self.engines = engines
        self.tolerance, self.rest_time, self.most_events = tolerance, rest_time, most_events
        self.ways = list(model.mechanism.transitions.values())
        self.live = live_inputs(model)
        self.watch: list[Watch] = []
        self.mode = 0

    def advance(
        self, method: int, t: float, h: float, n: int, y: Array, u: Array, per_step: int, every: int, out: Stretch
    ) -> None:
        """As :class:`.engine.Engine` says."""
        self.mode = out.mode
        worst = 0.0
        for i in range(n):
            rows = list(u[2 * i : 2 * i + 3]) if per_step == 2 else [u[i * per_step]] * 3
            if not self.watch:
                self.watch = [Watch() for _ in self.ways]
                self._enter(t, y, rows[0])
            out.ended = self._step(method, t + i * h, h, y, rows, out.events)
            if not np.all(np.isfinite(y)):
                out.ended = NOT_FINITE
            out.mode = self.mode
            if out.ended:
                return
            gap = self.engines[self.mode].residual(t + (i + 1) * h, y)
            if gap > LOOSE:
                out.ended = OPEN
                return
            worst = max(worst, gap)
            out.taken = i + 1
            if (i + 1) % every == 0:
                place = (i + 1) // every - 1
                out.record[place], out.residual[place], out.modes[place] = y, worst, self.mode
                worst = 0.0

    # -- one step ----------------------------------------------------------------------------------------
    def _step(self, method: int, t0: float, h: float, y: Array, rows: list[Array], events: list[Event]) -> int:
        t, taken, stalled = t0, 0, 0

        def inputs(moment: float) -> Array:
            return rows[0] if rows[0] is rows[2] else within_step(rows, (moment - t0) / h, h, self.live)

        def reach(tau: float) -> Array:
            z = y.copy()
            if tau > 0.0:
                self.engines[self.mode].step(method, t, tau, z, [inputs(t + 0.5 * k * tau) for k in range(3)])
            return z

        end = t0 + h
        while end - t > 0.0:
            tau = end - t
            there = reach(tau)
            if stalled >= CHATTER:  # no more transitions in this step: it goes on as it is
                y[:] = there
                self._enter(end, y, inputs(end))
                return DONE
            found: tuple[float, int] | None = None
            for i in self._leaving():
                moment = self._crossing(i, t, tau, there, reach, inputs)
                if moment is not None and (found is None or moment < found[0]):
                    found = (moment, i)
            if found is None:
                y[:] = there
                for i in self._leaving():
                    g = self._guard(i, end, y, inputs(end))
                    self.watch[i].armed |= g > self._zero(self.watch[i].g, g, tau)
                    self.watch[i].g = g
                return DONE
            y[:] = reach(found[0])
            t += found[0]
            taken += 1
            left = self.mode
            ended, rested = self._take(found[1], t, y, inputs(t), taken, events)
            if ended:
                return ended
            stalled = stalled + 1 if found[0] <= self.tolerance and self.mode != left else 0
            if stalled >= CHATTER and not rested:
                events[-1] = replace(events[-1], name=f"{events[-1].name} (chattering)")
            if taken >= self.most_events and not rested:
                return TOO_MANY_EVENTS
        return DONE

    def _leaving(self) -> list[int]:
        name = self.model.modes[self.mode]
        return [i for i, way in enumerate(self.ways) if way.source == name]

    def _zero(self, g0: float, g1: float, tau: float) -> float:
        return abs(g1 - g0) / tau * self.tolerance * 4.0 + 1e-13 * (abs(g0) + abs(g1)) + 1e-15

    def _crossing(
        self,
        i: int,
        t: float,
        tau: float,
        there: Array,
        reach: Callable[[float], Array],
        inputs: Callable[[float], Array],
    ) -> float | None:
        """The moment (from t) at which a guard falls through zero, or None."""
        watch = self.watch[i]

        def g(s: float) -> float:
            return self._guard(i, t + s, reach(s), inputs(t + s))

        g0, g1 = watch.g, self._guard(i, t + tau, there, inputs(t + tau))
        zero = self._zero(g0, g1, tau)
        watch.armed |= g0 > zero
        if g1 > 0.0:
            return None
        low = 0.0
        if not watch.armed or g0 <= 0.0:
            if g1 > -zero and abs(g0) <= zero:
                return None
            parts = (tau * 0.5**k for k in range(1, MOST_HALVINGS + 1))
            rising = next((s for s in parts if g(s) > 0.0), None)
            if rising is None:
                return 0.0
            low = rising
        return float(brentq(g, low, tau, xtol=0.25 * self.tolerance, rtol=8.9e-16))

    # -- transitions -------------------------------------------------------------------------------------
    def _guard(self, i: int, t: float, y: Array, u: Array) -> float:
        way = self.ways[i]
        loops = self.model.loops(way.source)
        nq, nv = self.model.nq, self.model.nv
        q, v, x = np.split(y, [nq, nq + nv])
        used = loops.chosen.partition.rows
        force = np.zeros(len(used) + len(loops.driven) + len(loops.locked))
        if loops.equations.closed.needs_force(way.name):
            _, rows, held = loops.accelerations(q, v, x, u, t, self.parameters)
            force = np.concatenate([rows[used], held])
        return float(self._evaluate("guard", way, q, v, x, u, np.array([t]), force)[0][0])

    def _evaluate(self, name: str, way: Transition, *inputs: Array) -> list[Array]:
        function = self.model.function(f"{name}:{way.name}", way.source)
        return function.evaluate(self.parameters.table(function), [np.ascontiguousarray(a) for a in inputs])

    def _take(self, i: int, t: float, y: Array, u: Array, taken: int, events: list[Event]) -> tuple[int, bool]:
        way, watch = self.ways[i], self.watch[i]
        modes = self.model.modes
        interval = t - watch.last
        ratio = interval / watch.interval if watch.interval > 0.0 else 1.0
        left = interval * ratio / (1.0 - ratio) if ratio < 1.0 else np.inf
        still = not watch.interval > 0.0 and interval < self.rest_time
        rest = way.rest is not None and (left < self.rest_time or still or taken >= self.most_events)
        nq, nv = self.model.nq, self.model.nv
        q, v, x = np.split(y, [nq, nq + nv])
        new_q, new_v, new_x, restitution, normal = self._evaluate("reset", way, q, v, x, u, np.array([t]))
        normal, own = normal[:nv], float(normal[nv])  # along the speeds, and what the guard moves by itself
        wanted = -float(restitution[0]) * (float(normal @ v) + own) - own
        target = way.rest if rest and way.rest is not None else way.target
        source, self.mode = modes[self.mode], modes.index(target)
        after = np.concatenate([new_q, new_v, new_x])
        bounce = normal if way.restitution is not None and not rest else None
        if not self._impact(t, after, u, bounce, wanted):
            return OPEN, rest
        y[:] = after
        events.append(Event(t, f"{way.name} (to rest)" if rest else way.name, source, target))
        watch.interval = 0.0 if rest or not np.isfinite(interval) else interval
        watch.last = t
        self._enter(t, y, u)
        return DONE, rest

    def _impact(self, t: float, y: Array, u: Array, normal: Array | None, wanted: float) -> bool:
        """Close a state in the mode just entered, in place; speeds change by an impulse through M and J."""
        loops = self.model.loops(self.model.modes[self.mode])
        nq, nv = self.model.nq, self.model.nv
        q, v = y[:nq].copy(), y[nq : nq + nv].copy()
        loops.set_drives(q, v, u, t, self.parameters)
        q, residual = loops.close_positions(q, t, self.parameters)
        if residual > CLOSED:
            return False
        at = loops.closure(q, t, self.parameters)
        jacobian, gap = at.jacobian, at.jacobian @ v + at.rate
        if normal is not None:
            jacobian, gap = np.vstack([jacobian, normal]), np.append(gap, normal @ v - wanted)
        free = loops.free
        metric = loops.mass(q, self.parameters)[np.ix_(free, free)]
        v[free] -= least_change(metric, jacobian[:, free], gap)
        y[:nq], y[nq : nq + nv] = q, v
        return True

    def _enter(self, t: float, y: Array, u: Array) -> None:
        for i, watch in enumerate(self.watch):
            watch.armed = False
            if self.ways[i].source == self.model.modes[self.mode]:
                watch.g = self._guard(i, t, y, u)

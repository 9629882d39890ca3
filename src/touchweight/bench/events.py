"""Events: the impacts of a bouncing ball, located by us and by SciPy's ``solve_ivp``, in one run."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..codegen.callable import Array
from ..library.classics import bouncing_ball
from ..simulate.hybrid import Hybrid
from ..simulate.model import Model

#: of the ball: restitution, gravity [m/s²], height of its start [m]; and how long it is watched [s]
RESTITUTION, GRAVITY, HEIGHT, END = 0.9, 9.81, 1.0, 8.0


@dataclass(frozen=True)
class EventTime:
    """Time of one located event.

    Attributes:
        what: whose.
        event_us: time of a run over its number of events [µs].
        events: how many there were.
        error_s: largest error of their times [s].
    """

    what: str
    event_us: float
    events: int
    error_s: float


def best_of(repeat: int, job: Callable[[], object]) -> float:
    """The shortest of some runs [s]."""
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        job()
        times.append(time.perf_counter() - begun)
    return min(times)


def measure_events(repeat: int) -> list[EventTime]:
    """Every impact until 8 s."""
    model = bouncing_ball.build(restitution=RESTITUTION, height=HEIGHT).compile()
    out = []
    for step in (1e-2, 1e-3):
        found: list[float] = []
        hybrid = Hybrid(model, model.parameters)
        seconds = best_of(repeat, functools.partial(_ours, model, hybrid, step, found))
        out.append(_event_time(f"touchweight, steps of {step:g} s", seconds, found))
    found = []
    seconds = best_of(repeat, functools.partial(_scipy, found))
    return [*out, _event_time("SciPy solve_ivp, terminal event", seconds, found)]


def _event_time(what: str, seconds: float, found: list[float]) -> EventTime:
    first = float(np.sqrt(2.0 * HEIGHT / GRAVITY))
    exact = np.cumsum([first, *(2.0 * first * RESTITUTION ** (k + 1) for k in range(len(found)))])
    error = float(np.max(np.abs(np.array(found) - exact[: len(found)])))
    return EventTime(what, 1e6 * seconds / len(found), len(found), error)


def _ours(model: Model, hybrid: Hybrid, step: float, found: list[float]) -> None:
    n = round(END / step)
    y = np.concatenate([model.dimensions.q_default, model.dimensions.v_default])
    record, residual, modes = np.empty((n, len(y))), np.empty(n), np.empty(n, dtype=np.int32)
    hybrid.forget()
    events = hybrid.run(0, 1, 0.0, step, n, y, np.zeros(1), 0, 1, record, residual, modes)[3]
    found[:] = [e.t for e in events]


def _scipy(found: list[float]) -> None:
    from scipy.integrate import solve_ivp

    def fall(t: float, y: Array) -> list[float]:
        return [y[1], -GRAVITY]

    def floor(t: float, y: Array) -> float:
        return float(y[0])

    floor.terminal, floor.direction = True, -1  # type: ignore[attr-defined]
    found.clear()
    t, y = 0.0, [HEIGHT, 0.0]
    while True:
        part = solve_ivp(fall, (t, END), y, events=floor, rtol=1e-10, atol=1e-12)
        if not len(part.t_events[0]):
            return
        t = float(part.t_events[0][0])
        found.append(t)
        y = [0.0, -RESTITUTION * float(part.y[1, -1])]

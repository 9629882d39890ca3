"""Evaluating closed and driven models from Python: accelerations, forces of loops and drives, joint reactions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..codegen.callable import Array, NativeFunction
from ..errors import TouchweightError
from .choice import CLOSED
from .core import DONE, Core

if TYPE_CHECKING:
    from .loops import Loops
    from .model import Model
    from .parameters import Parameters


class Solution(NamedTuple):
    """What the constrained equations of motion give at some states.

    Attributes:
        a: accelerations dv/dt, (..., nv).
        forces: of the rows in use, the drives and the locks, (..., count).
        q: the coordinates with all loops closed.
        v: the speeds with all loops closed.
    """

    a: Array
    forces: Array
    q: Array
    v: Array


class OpenError(TouchweightError, ValueError):
    """A state at which the loops don't close."""


def solve_closed(
    model: Model, parameters: Parameters, mode: str | None, arrays: Sequence[Array], lead: tuple[int, ...]
) -> Solution:
    """Accelerations and forces for arrays q, v, tau, x, u, t of a common leading shape."""
    count = math.prod(lead)
    q, v, tau, x, u, t = (np.ascontiguousarray(np.broadcast_to(a, (*lead, a.shape[-1]))) for a in arrays)
    flat = [a.reshape(count, -1) for a in (q, v, tau, x, u, t)]
    loops = model.loops(mode)
    held = len(loops.driven) + len(loops.locked)
    a, force = np.empty((count, model.nv)), np.empty((count, len(loops.chosen.partition.rows) + held))
    closed_q, closed_v = np.empty((count, model.nq)), np.empty((count, model.nv))
    evaluate = _native if isinstance(model.function("turn", mode), NativeFunction) else _python
    one = evaluate(model, loops, parameters)
    for i in range(count):
        a[i], force[i], closed_q[i], closed_v[i] = one([f[i] for f in flat])
    return Solution(*(z.reshape(*lead, z.shape[-1]) for z in (a, force, closed_q, closed_v)))


def _native(model: Model, loops: Loops, parameters: Parameters) -> _One:
    core = Core(model, parameters, loops.mode, generated=False, hybrid=True)
    nq, nv = model.nq, model.nv

    def one(row: list[Array]) -> tuple[Array, Array, Array, Array]:
        q, v, tau, x, u, t = row
        y = np.concatenate([q, v, x])
        ended, dy, force = core.evaluate(float(t[0]), y, u, tau, forces=True)
        if ended != DONE:
            raise OpenError(loops.complaint(q, float(t[0]), parameters))
        return dy[nq : nq + nv], force, y[:nq], y[nq : nq + nv]

    return one


def _python(model: Model, loops: Loops, parameters: Parameters) -> _One:
    used = loops.chosen.partition.rows

    def one(row: list[Array]) -> tuple[Array, Array, Array, Array]:
        q, v, tau, x, u, t = (a.copy() for a in row)
        now = float(t[0])
        loops.set_drives(q, v, u, now, parameters)
        q, residual = loops.close_positions(q, now, parameters)
        if residual > CLOSED:
            raise OpenError(loops.complaint(q, now, parameters))
        v, _ = loops.close_speeds(q, v, now, parameters)
        a, force, held = loops.accelerations(q, v, x, u, now, parameters, tau)
        return a, np.concatenate([force[used], held]), q, v

    return one


if TYPE_CHECKING:
    from collections.abc import Callable

    _One = Callable[[list[Array]], tuple[Array, Array, Array, Array]]

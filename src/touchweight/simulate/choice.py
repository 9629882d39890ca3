"""The choice of a partition: rank, redundant rows, and the best conditioned dependent speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.callable import Array
from ..dynamics.partition import Partition
from ..errors import TouchweightError, printable
from ..mechanism import JOINT_KINDS

if TYPE_CHECKING:
    from .loops import Loops
    from .model import Model
    from .parameters import Parameters

#: a residual [m, rad] at which a loop counts as closed
CLOSED = 1e-10

#: a residual [m, rad] at which a run ends because its loops are open
LOOSE = 1e-8

#: singular values of the scaled J below this are zero
RANK = 1e-7


class AssemblyError(TouchweightError, ValueError):
    """The loops of a mechanism cannot be closed."""


@dataclass(frozen=True)
class Chosen:
    """A partition and what it was chosen by.

    Attributes:
        partition: rows in use, dependent speeds.
        redundant: names of rows that others imply.
        row_scale: size of each row in use.
        column_scale: size of a step of each speed.
        pivot: smallest pivot of the scaled J on the dependent speeds, at its best.
        q: the closed configuration it was chosen in.
    """

    partition: Partition
    redundant: tuple[str, ...]
    row_scale: Array
    column_scale: Array
    pivot: float
    q: Array


def choose(loops: Loops) -> Chosen:
    """Rank and partition, judged at generic closed configurations (never at a singular one alone)."""
    model, parameters = loops.model, loops.model.parameters
    q, v = model.dimensions.q_default.copy(), np.zeros(model.nv)
    loops.set_drives(q, v, model.dimensions.u_default, 0.0, parameters)
    q, residual = loops.close_positions(q, 0.0, parameters, tries=12)
    if residual > CLOSED:
        # where drives and locks take it is not known yet, or cannot be reached from here: any position will do
        q, residual = loops.close_positions(model.dimensions.q_default, 0.0, parameters, tries=12, release=True)
    if residual > CLOSED:
        raise AssemblyError(loops.complaint(q, 0.0, parameters))
    columns = _column_scale(loops, q, parameters)
    places = _generic(loops, q, parameters)
    jacobians = [loops.closure(p, 0.0, parameters).jacobian * columns for p in places]
    sizes = np.max([np.linalg.norm(j[:, loops.free], axis=1) for j in jacobians], axis=0) if loops.rows else np.zeros(0)
    rank = [_rank(j[:, loops.free], sizes) for j in jacobians]
    best = int(np.argmax(rank)) if rank else 0
    rows = _independent_rows(jacobians[best][:, loops.free], sizes) if loops.rows else []
    redundant = tuple(r for i, r in enumerate(loops.rows) if i not in rows)
    scale = sizes[rows]
    positions = sum(i < loops.positions for i in rows)
    # the partition is chosen where the mechanism starts, unless that is singular
    columns_free = _candidates(loops, len(rows))
    pivots = [best_columns(j[rows][:, columns_free] / scale[:, None], positions) for j in jacobians]
    least = [float(np.min(np.abs(p[1]), initial=1.0)) for p in pivots]
    strongest = max(least)
    place = 0 if least[0] > 0.1 * strongest else least.index(strongest)
    dependent = [columns_free[c] for c in pivots[place][0]]
    where = places[place]
    reference = jacobians[place][np.ix_(rows, dependent)] / columns[dependent]
    partition = Partition(rows, dependent, reference, list(loops.locked_speeds))
    return Chosen(partition, redundant, scale, columns, max(strongest, 1e-6), where)


def _candidates(loops: Loops, rows: int) -> list[int]:
    """Speeds that may depend on the others: all that are free, or all that the user did not call independent."""
    wanted = loops.model.independent
    if wanted is None:
        return loops.free
    speeds = loops.model.speeds
    left = [k for k in loops.free if speeds[k] not in wanted]
    if len(left) != rows:
        held = ", ".join(printable(n, 40) for n in wanted)
        raise AssemblyError(
            f"expected {len(loops.free) - rows} independent speeds, found {len(loops.free) - len(left)} ({held}); "
            "name as many as there are degrees of freedom, none of them driven or locked"
        )
    return left


def best_columns(scaled: Array, positions: int) -> tuple[list[int], list[float]]:
    """Columns for the rows by complete pivoting, those of rows with a residual first; and the pivots."""
    a = scaled.copy()
    chosen: list[int] = []
    pivots: list[float] = []
    for k in range(len(a)):
        end = positions if k < positions else len(a)
        sizes = np.abs(a[k:end])
        sizes[:, chosen] = -1.0
        i, j = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        a[[k, k + int(i)]] = a[[k + int(i), k]]
        chosen.append(int(j))
        pivots.append(float(a[k, j]))
        if a[k, j] != 0.0:
            a[k + 1 :] -= np.outer(a[k + 1 :, j] / a[k, j], a[k])
    return chosen, pivots


def _column_scale(loops: Loops, q: Array, parameters: Parameters) -> Array:
    """Steps of equal kinetic energy, so that heavy speeds stay independent; a turn of a typical joint is one."""
    inertia = np.diag(loops.mass(q, parameters)).copy()
    turning = [inertia[i] for i, kind in enumerate(speed_kinds(loops.model)) if kind != "P" and inertia[i] > 0]
    positive = inertia[inertia > 0]
    if not len(positive):
        return np.asarray(loops.steps)
    typical = float(np.median(turning)) if turning else float(np.median(positive)) * loops.model.reach**2
    lightest = 1e-6 * float(np.max(positive))
    return np.sqrt(typical / np.maximum(inertia, lightest))


def _generic(loops: Loops, q: Array, parameters: Parameters) -> list[Array]:
    """The start and other closed configurations, reached by moving at random and closing again.

    What is driven or locked moves as well: it may start at a dead point.
    """
    places = [q]
    rng = np.random.default_rng(7)
    for spread in (0.05, 0.1, 0.2, 0.3, 0.4):
        kick = rng.normal(size=loops.model.nv) * loops.steps * spread
        there, residual = loops.close_positions(loops.moved(q, kick, parameters), 0.0, parameters, release=True)
        if residual <= CLOSED:
            places.append(there)
    return places


def _rank(scaled: Array, sizes: Array) -> int:
    if not len(scaled):
        return 0
    rows = scaled / np.where(sizes > 0, sizes, 1.0)[:, None]
    return int(np.sum(np.linalg.svd(rows, compute_uv=False) > RANK))


def _independent_rows(scaled: Array, sizes: Array) -> list[int]:
    """The rows, in order, that are not combinations of those before."""
    kept: list[int] = []
    basis: list[Array] = []
    for i, row in enumerate(scaled):
        if not sizes[i] > 0:
            continue
        rest = row / sizes[i]
        for b in (*basis, *basis):
            rest = rest - (rest @ b) * b
        size = float(np.linalg.norm(rest))
        if size > RANK:
            kept.append(i)
            basis.append(rest / size)
    return kept


def speed_kinds(model: Model) -> Sequence[str]:
    """The primitive each speed belongs to: R, P or S."""
    out: list[str] = []
    for joint in model.mechanism.joints.values():
        for primitive in JOINT_KINDS[joint.kind].primitives:
            out += [primitive] * (3 if primitive == "S" else 1)
    return out

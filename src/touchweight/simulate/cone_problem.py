"""Friction problems between the impulses and speeds of contacts: u = W r + q under Coulomb's and Signorini's laws."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..codegen.callable import Array
from ..codegen.compiler import find_compiler
from ..codegen.library import contract, load_native
from ..errors import ShapeError, printable
from . import cone_python

#: how far W may be from symmetric, relative to its largest entry
ASYMMETRY = 1e-6
#: the most contacts of one problem
MOST_CONTACTS = 10_000


@dataclass(frozen=True)
class Solution:
    """What a friction problem has for an answer; usable also where it was stopped early.

    Attributes:
        r: impulses of the contacts one after the other, normal first [N s], inside their cones.
        u: speeds W r + q [m/s].
        residual: how far the laws are from fulfilled: the largest change that one step of projection would make, in
            scaled impulses and speeds, relative to their size; 0 for an exact solution.
        sweeps: over the group of contacts that took most.
        groups: how many groups of contacts act on each other only within; 0 where all contacts open by themselves.
        newton_steps: Newton steps in all groups.
        history: the residual after every sweep, the largest of all groups; only as far as sweeps were made.
        solved: whether the residual reached the tolerance.
    """

    r: Array
    u: Array
    residual: float
    sweeps: int
    groups: int
    newton_steps: int
    history: Array
    solved: bool


@dataclass(frozen=True)
class ConeProblem:
    """A checked friction problem: W symmetric, one coefficient for each contact."""

    W: Array
    q: Array
    mu: Array
    bilateral: npt.NDArray[np.int32]
    dimension: int

    @property
    def contacts(self) -> int:
        """How many contacts."""
        return len(self.mu)


def solve(
    W: Any,
    q: Any,
    mu: Any,
    dimension: int = 3,
    tolerance: float = 1e-10,
    most_sweeps: int = 2000,
    start: Any = None,
    *,
    bilateral: Sequence[bool] | None = None,
    newton: bool = True,
    relaxation: float = 1.0,
    native: bool | None = None,
) -> Solution:
    """Impulses r with u = W r + q, each in its friction cone, that stick or oppose the sliding, or are zero.

    Args:
        W: Delassus operator H M⁻¹ Hᵀ of the contacts [1/kg], symmetric and positive semidefinite; (n d, n d).
        q: speeds of the contacts without impulses [m/s], for each the normal one, then the tangential ones; (n d).
        mu: friction coefficient, one for all contacts or one for each.
        dimension: rows d of each contact: 2 (in a plane) or 3.
        tolerance: of the residual, relative.
        most_sweeps: over the contacts; then it stops with what it has.
        start: impulses to start from [N s], such as those of the last time step.
        bilateral: for each contact, whether it is a block of bilateral rows: u = 0, no cone.
        newton: whether Newton's method may be tried where sweeps are slow.
        relaxation: of the sweeps, between 0 and 2; 1 is none.
        native: True insists on machine code, False on NumPy; None takes what there is.
    """
    problem = checked(W, q, mu, dimension, bilateral)
    r = np.zeros(len(problem.q)) if start is None else _numbers("start", start, (len(problem.q),)).copy()
    for name, value, top in (("tolerance", tolerance, np.inf), ("relaxation", relaxation, 2.0)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < top:
            raise ShapeError(
                f"expected a {name} between 0 and {top:g}, found {printable(repr(value), 80)}; pass one number"
            )
    if isinstance(most_sweeps, bool) or not isinstance(most_sweeps, int) or not 0 <= most_sweeps < 2**31:
        raise ShapeError(
            f"expected most_sweeps as a whole number from 0 on, found {printable(repr(most_sweeps), 80)}; pass one"
        )
    core = _core(native)
    if core is None:
        found = cone_python.solve(
            problem.W, problem.q, problem.mu, problem.bilateral, problem.dimension, tolerance, most_sweeps, r,
            newton=newton, relaxation=relaxation,
        )  # fmt: skip
        return Solution(*found)
    return _solve_native(core, problem, float(tolerance), most_sweeps, r, newton, float(relaxation))


def residual(W: Any, q: Any, mu: Any, r: Any, dimension: int = 3, bilateral: Sequence[bool] | None = None) -> float:
    """How far impulses r are from a solution, as :class:`Solution` says it; all contacts as one group."""
    problem = checked(W, q, mu, dimension, bilateral)
    given = _numbers("r", r, (len(problem.q),))
    return cone_python.residual(problem.W, problem.q, problem.mu, problem.bilateral, problem.dimension, given)


def checked(W: Any, q: Any, mu: Any, dimension: int, bilateral: Sequence[bool] | None = None) -> ConeProblem:
    """The problem as arrays that fit each other."""
    if isinstance(dimension, bool) or dimension not in (2, 3):
        raise ShapeError(f"expected a dimension of 2 or 3, found {printable(repr(dimension), 80)}; pass one of them")
    speeds = _numbers("q", q, None)
    if speeds.ndim != 1 or len(speeds) % dimension or len(speeds) > MOST_CONTACTS * dimension:
        raise ShapeError(
            f"expected q of shape (n * {dimension},) with at most {MOST_CONTACTS} contacts, found {speeds.shape}; "
            f"each contact has {dimension} entries, the normal speed first"
        )
    n = len(speeds) // dimension
    given = _numbers("W", W, (len(speeds), len(speeds)))
    largest = float(np.max(np.abs(given), initial=0.0))
    if np.max(np.abs(given - given.T), initial=0.0) > ASYMMETRY * largest:
        raise ShapeError("expected a symmetric W, found one that is not; compute it as H M⁻¹ Hᵀ")
    if np.min(np.diagonal(given), initial=0.0) < 0.0:
        i = int(np.argmin(np.diagonal(given)))
        raise ShapeError(
            f"expected a positive semidefinite W, found W[{i}, {i}] = {given[i, i]:g}; compute it as H M⁻¹ Hᵀ"
        )
    friction = _numbers("mu", mu, None)
    if friction.ndim == 0:
        friction = np.full(n, float(friction))
    if friction.shape != (n,):
        raise ShapeError(f"expected mu of shape ({n},), found {friction.shape}; one coefficient for each contact")
    if np.any(friction < 0.0):
        raise ShapeError(f"expected friction coefficients from 0 on, found {friction.min():g}; make it positive")
    free = np.zeros(n, dtype=np.int32)
    if bilateral is not None:
        flags = np.asarray(bilateral)
        if flags.shape != (n,) or flags.dtype.kind not in "bi":
            raise ShapeError(
                f"expected bilateral as {n} truth values, found {printable(repr(bilateral), 80)}; one for each contact"
            )
        free = (flags != 0).astype(np.int32)
    return ConeProblem(np.ascontiguousarray(0.5 * (given + given.T)), speeds, friction, free, dimension)


def _numbers(name: str, value: Any, shape: tuple[int, ...] | None) -> Array:
    """Finite real numbers as contiguous doubles, of the shape wanted."""
    try:
        a = np.asarray(value)
    except ValueError:
        a = np.asarray(None)
    if a.dtype.kind not in "fiu" and a.size:
        raise ShapeError(
            f"expected real numbers for {name}, found {printable(repr(value), 80)}; pass numbers or arrays"
        )
    if shape is not None and a.shape != shape:
        raise ShapeError(
            f"expected {name} of shape {shape}, found {a.shape}; W, q and start belong to the same contacts"
        )
    out: Array = np.ascontiguousarray(a, dtype=np.float64).reshape(a.shape)
    if not np.isfinite(out).all():
        raise ShapeError(
            f"expected finite numbers for {name}, found {out[~np.isfinite(out)].flat[0]}; look where it comes from"
        )
    return out


@functools.cache
def _core(native: bool | None) -> Any:
    """The native core; None where NumPy shall do it."""
    if native is False:
        return None
    compiler = find_compiler()
    if compiler is None:
        if native:
            raise ShapeError("expected a C compiler for native=True, found none; install gcc or clang, or leave it out")
        return None
    return load_native(compiler)


def _solve_native(
    core: Any, p: ConeProblem, tolerance: float, most_sweeps: int, r: Array, newton: bool, relaxation: float
) -> Solution:
    ffi = contract()
    u = np.zeros_like(r)
    history = np.zeros(max(1, most_sweeps))
    w, q, mu, at, speed, past = (ffi.from_buffer("double[]", a) for a in (p.W, p.q, p.mu, r, u, history))
    problem = ffi.new(
        "tw_cone_problem *",
        {
            "contacts": p.contacts, "dimension": p.dimension, "w": w, "q": q, "mu": mu,
            "bilateral": ffi.from_buffer("int32_t[]", p.bilateral) if p.bilateral.any() else ffi.NULL,
        },
    )  # fmt: skip
    options = ffi.new(
        "tw_cone_options *",
        {
            "tolerance": tolerance, "most_sweeps": most_sweeps, "newton": int(bool(newton)),
            "relaxation": relaxation, "history": past,
        },
    )  # fmt: skip
    report = ffi.new("tw_cone_report *")
    work = np.empty(int(core.tw_cone_size(p.contacts, p.dimension)))
    ended = core.tw_cone_solve(problem, options, at, speed, report, ffi.from_buffer("double[]", work))
    if ended == 1:
        raise ShapeError("expected a friction problem within the range of numbers, found one beyond; scale W and q")
    return Solution(
        r, u, report.residual, report.sweeps, report.groups, report.newton_steps, history[: report.sweeps].copy(),
        ended == 0,
    )  # fmt: skip

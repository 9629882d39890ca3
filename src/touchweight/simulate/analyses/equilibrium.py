"""Static equilibrium: where a mechanism stays, with the forces that keep it there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ShapeError, printable
from ..state import State
from .begin import AnalysisError, begin, held_speeds
from .labels import force_name, labels
from .linearise import linear_of
from .rest import RestSearch
from .tangent import Tangent

if TYPE_CHECKING:
    from ..model import Model, Values

METHODS = ("newton", "relaxation")


@dataclass(frozen=True)
class Equilibrium:
    """Where a mechanism stays at rest.

    Attributes:
        state: the state, all speeds zero.
        forces: what each row of a loop, each drive, lock and held coordinate takes [N or N m].
        residual: largest acceleration left [rad/s² or m/s²], and rate of a first-order state.
        eigenvalues: of the motion nearby [1/s], the slowest first.
        steps: Newton steps taken.
        method: ``newton``, or ``relaxation`` where that was needed first.
        units: of the forces.
    """

    state: State
    forces: dict[str, float]
    residual: float
    eigenvalues: Any
    steps: int
    method: str
    units: dict[str, str] = field(default_factory=dict)

    @property
    def stability(self) -> str:
        """``stable``: disturbances die away; ``marginal``: none grows, some stay; ``unstable``: some grow.

        ``unknown`` at a singular position of the loops.
        """
        if not np.all(np.isfinite(self.eigenvalues)):
            return "unknown"
        if not len(self.eigenvalues):
            return "stable"
        size = max(1.0, float(np.max(np.abs(self.eigenvalues))))
        worst = float(np.max(self.eigenvalues.real))
        # a double root at zero comes out as far from zero as the root of what was rounded off
        return "unstable" if worst > 1e-6 * size else "stable" if worst < -1e-9 * size else "marginal"


def equilibrium(
    model: Model,
    q: Values | None = None,
    *,
    inputs: Mapping[str, float] | None = None,
    hold: Iterable[str] = (),
    x: Values | None = None,
    state: State | None = None,
    mode: str | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
    method: str = "newton",
) -> Equilibrium:
    """A configuration in which nothing moves: all forces, of springs, gravity, loops, are in balance.

    First-order states rest too. Drives stand still where they are at time ``t``.

    Args:
        model: what is to rest.
        q: where to look for it: a rough guess, in order or by name.
        inputs: constant inputs, by name; a drive's own name sets its position.
        hold: names of coordinates that stay as given; what holds them is among the forces.
        x: guess of the first-order states.
        state: start from here instead.
        mode: which mode to rest in.
        t: time [s], for what depends on it.
        parameters: changed values, by name.
        method: ``newton`` goes to the nearest equilibrium, stable or not; ``relaxation`` lets the mechanism move and
            brakes it, so that it finds a stable one, before Newton's method makes it exact.

    Returns:
        The state, the forces, and how stable it is.
    """
    if method not in METHODS:
        raise ShapeError(f"expected a method among {', '.join(METHODS)}, found {printable(repr(method), 60)}")
    made = begin(model, q, None, x, inputs, state, mode, t, parameters, still=True)
    made.v[:] = 0.0
    search = RestSearch(model, made, held_speeds(model, hold))
    steps, ok, used = 0, False, "newton"
    if method == "newton":
        steps, ok = search.newton()
    if not ok:
        used = "relaxation"
        search.restart()
        search.relax()
        more, ok = search.newton()
        steps += more
    if not ok:
        raise AnalysisError(search.complaint())
    return _result(search, steps, used)


def _result(search: RestSearch, steps: int, method: str) -> Equilibrium:
    at, loops, model = search.at, search.loops, search.model
    forces = {loops.rows[k]: float(f) for k, f in zip(at.used, at.force, strict=True)}
    units = {loops.rows[k]: loops.units[k] for k in at.used}
    along = labels(model)
    for k, f in zip(at.held, at.hold_force, strict=True):
        name = force_name(along[k])
        forces[name] = float(f)
        units[name] = "N" if along[k].unit == "m" else "N m"
    left = max(float(np.max(np.abs(at.a), initial=0.0)), float(np.max(np.abs(at.lags), initial=0.0)))
    # at a singular position the motion nearby has no linear form
    eigenvalues = np.array([np.nan], dtype=complex) if at.is_singular() else linear_of(Tangent(at)).eigenvalues
    return Equilibrium(search.state, forces, left, eigenvalues, steps, method, units)

"""How everything about a state changes when a little of it does: the constrained equations, differentiated.

    J δq + δh = 0                                    (rows on positions)
    J δv + G δq + δg = 0                             (their rates, and rows on speeds)
    M δa + K δq + D δv + E δx + δρ = Jᵀ δλ           (equations of motion)
    J δa + A δq + A' δv + δd = 0                     (second rates)

δq is along the speeds. What comes in is the change of independent displacements and speeds, of first-order states, of
the drives, and what inputs or parameters do to each equation; a column for each cause.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...codegen.callable import Array
from ...errors import printable
from .balance import Balance, solve_scaled
from .begin import AnalysisError


@dataclass
class Cause:
    """Changes that come from outside, a column for each cause; zeros where nothing is said."""

    count: int
    displacement: Array | None = None
    speed: Array | None = None
    state: Array | None = None
    drive: tuple[Array, Array, Array] | None = None
    closure: Array | None = None
    rate: Array | None = None
    drift: Array | None = None
    balance: Array | None = None
    lag: Array | None = None


@dataclass
class Effect:
    """What follows, a column for each cause.

    Displacements, speeds and accelerations are of all speeds, ``force`` of the rows in use, ``hold_force`` of what is
    driven, locked or held; then first-order states and their rates.
    """

    displacement: Array
    speed: Array
    acceleration: Array
    force: Array
    hold_force: Array
    state: Array
    lag: Array


class Tangent:
    """The differentiated equations at a state."""

    def __init__(self, at: Balance) -> None:
        self.at = at
        if at.is_singular():
            raise AnalysisError(
                f"expected a position in which the loops of {printable(at.model.name, 40)!r} say how it goes on, "
                "found a singular one; take a place beside it"
            )
        self.slopes = at.slopes()
        self.tangents = at.tangents()
        self.first, self.loose, self.dependent, self.independent = at.partition()

    def effect(self, cause: Cause) -> Effect:
        """Solve for what follows from causes."""
        at, s, g = self.at, self.slopes, self.tangents
        nv, m, n = at.model.nv, len(at.used), cause.count
        driven = at.loops.driven_speeds
        position, velocity, acceleration = cause.drive or (0.0, 0.0, 0.0)

        dq = np.zeros((nv, n))
        dq[self.loose] = _or_zero(cause.displacement)
        dq[driven] = position
        top = at.jacobian[: at.positions]
        dq[self.first] = _solved(top[:, self.first], top @ dq + _or_zero(cause.closure)[: at.positions])

        dv = np.zeros((nv, n))
        dv[self.independent] = _or_zero(cause.speed)
        dv[driven] = velocity
        gap = at.jacobian @ dv + g["Gq"] @ dq + _or_zero(cause.rate)
        dv[self.dependent] = _solved(at.jacobian[:, self.dependent], gap)

        dx = np.zeros((len(at.state.x), n)) + _or_zero(cause.state)
        da = np.zeros((nv, n))
        da[driven] = acceleration
        rest = s["K"] @ dq + s["D"] @ dv + s["E"] @ dx + at.mass @ da + _or_zero(cause.balance)
        drift = g["Aq"] @ dq + g["Av"] @ dv + at.jacobian @ da + _or_zero(cause.drift)
        found = at.solve(-np.vstack([rest[at.free], np.zeros((m, n)) + drift]))
        da[at.free] = found[: len(at.free)]
        force = found[len(at.free) :]
        hold = (rest + at.mass[:, at.free] @ da[at.free] - at.jacobian.T @ force)[at.held]
        lag = s["Xq"] @ dq + s["Xv"] @ dv + s["Xx"] @ dx + _or_zero(cause.lag)
        return Effect(dq, dv, da, force, hold, dx, lag)


def _or_zero(a: Array | None) -> Array:
    return a if a is not None else np.zeros((1, 1))


def _solved(block: Array, gap: Array) -> Array:
    return -solve_scaled(block, gap) if len(block) else np.zeros((0, gap.shape[1]))

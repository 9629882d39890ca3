"""Coordinate partitioning in symbols: the equations of a closed mechanism reduced to its independent speeds.

With v = (u, d, w) independent, driven and dependent, J_w w + J_u u + J_d d + r = 0 gives w = B u + ..., and the
equations of motion projected on [1 B]ᵀ lose their multipliers: M_r du/dt + c_r = 0 (Samin and Fisette 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..mechanism import Mechanism
from ..symbolic import ZERO, Expr, Symbol, minimum, share, substitute_all, total
from .closure import Row, closure_rows
from .drives import driven_motions
from .elimination import Elimination
from .factor import elimination_order, solve
from .forces import gather_forces
from .frames import Posture
from .inverse import inverse_dynamics
from .kinematics import coordinate_rates
from .mass import MassMatrix, mass_matrix
from .tree import Tree


@dataclass
class Partition:
    """A choice of dependent speeds.

    Attributes:
        rows: the rows of closure in use, by index; the others are redundant.
        dependent: a speed for each of them, those of rows with a residual first.
        reference: J of the rows in use on the dependent speeds, where the choice was made.
        locked: speeds that stand still.
    """

    rows: list[int] = field(default_factory=list)
    dependent: list[int] = field(default_factory=list)
    reference: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    locked: list[int] = field(default_factory=list)


class Rates(NamedTuple):
    """Closed speeds, dq/dt, dv/dt, dx/dt; forces of the rows in use, the drives and the locks if asked for."""

    speeds: list[Expr]
    dq: list[Expr]
    dv: list[Expr]
    dx: list[Expr]
    forces: list[Expr]


class Reduction:
    """The expressions of one partition of a mechanism."""

    def __init__(self, mechanism: Mechanism, tree: Tree, where: Sequence[Posture], partition: Partition) -> None:
        self.mechanism = mechanism
        self.tree = tree
        self.where = where
        self.partition = partition
        self.symbols: list[Symbol] = tree.v
        self.driven = {d.speed: d for d in driven_motions(mechanism, tree)}
        held = {*self.driven, *partition.locked, *partition.dependent}
        self.independent = [k for k in elimination_order(tree) if k not in held]
        self.rows = self._rows()
        self._at = {k: i for i, k in enumerate(partition.dependent)}

    def _rows(self) -> list[Row]:
        rows = closure_rows(self.mechanism, self.tree, self.where)
        return [rows[i] for i in self.partition.rows]

    def _elimination(self, count: int) -> Elimination:
        """On the first ``count`` rows and their dependent speeds."""
        matrix = [
            {self._at[k]: e for k, e in row.jacobian.items() if self._at.get(k, count) < count}
            for row in self.rows[:count]
        ]
        return Elimination(matrix, self.partition.reference[:count, :count])

    # -- positions ---------------------------------------------------------------------------------------
    def newton(self) -> tuple[list[Expr], list[Expr], Expr]:
        """Residuals, the step of every speed that should remove them, and the health of the partition on all rows."""
        residuals = [row.residual for row in self.rows if row.residual is not None]
        step: list[Expr] = [ZERO] * len(self.symbols)
        elimination = self._elimination(len(residuals))
        for i, x in enumerate(elimination.solve([-h for h in residuals])):
            step[self.partition.dependent[i]] = x
        if len(residuals) == len(self.rows):
            return residuals, step, elimination.health
        return residuals, step, minimum(elimination.health, self._elimination(len(self.rows)).health)

    # -- speeds ------------------------------------------------------------------------------------------
    def _closed_speeds(self, elimination: Elimination) -> list[Expr]:
        """Every speed, the dependent ones in terms of the others."""
        held: list[Expr] = list(self.symbols)
        for k in self.partition.locked:
            held[k] = ZERO
        right = [
            share(total([-row.rate, *(-(e * held[k]) for k, e in row.jacobian.items() if k not in self._at)]))
            for row in self.rows
        ]
        for i, x in enumerate(elimination.solve(right)):
            held[self.partition.dependent[i]] = x
        return held

    def speeds(self) -> list[Expr]:
        """Every speed, the dependent ones in terms of the others."""
        return self._closed_speeds(self._elimination(len(self.rows)))

    # -- accelerations -----------------------------------------------------------------------------------
    def rates(self, with_forces: bool = False) -> Rates:
        """The motion, and the forces of loops, drives and locks if asked for; dependent speeds given are not read."""
        elimination = self._elimination(len(self.rows))
        v = self._closed_speeds(elimination)
        forces = gather_forces(self.mechanism, self.tree, self.where)
        base = self._base(elimination)
        tau = inverse_dynamics(self.tree, self.where, base, forces.wrenches)
        needed = [share(t - g) for t, g in zip(tau, forces.generalised, strict=True)]
        shape = self._influence(elimination)
        mass = mass_matrix(self.tree, self.where)
        reduced, right = self._project(shape, mass, needed)
        u = solve(list(range(len(self.independent))), reduced, right)
        gain: list[Expr] = [ZERO] * len(self.symbols)
        for j, k in enumerate(self.independent):
            gain[k] = u[j]
        for i, k in enumerate(self.partition.dependent):
            gain[k] = share(total([column[i] * u[j] for j, column in enumerate(shape)]))
        dv = [share(b + g) for b, g in zip(base, gain, strict=True)]
        pushes = self._forces(elimination, mass, needed, gain) if with_forces else []
        return Rates(
            v,
            self._with_speeds(v, coordinate_rates(self.tree)),
            self._with_speeds(v, dv),
            self._with_speeds(v, forces.state_rates),
            self._with_speeds(v, pushes),
        )

    def _forces(
        self, elimination: Elimination, mass: MassMatrix, needed: Sequence[Expr], gain: Sequence[Expr]
    ) -> list[Expr]:
        """λ of the rows in use, then what the driven and the locked speeds take: M a + c = Jᵀ λ + Q."""
        moving = [k for k, e in enumerate(gain) if e is not ZERO]

        def taken(k: int) -> Expr:
            return share(total([needed[k], *(mass.get(k, i) * gain[i] for i in moving)]))

        pushes = elimination.solve_transposed([taken(k) for k in self.partition.dependent])
        for k in [*self.driven, *self.partition.locked]:
            carried = [-(row.jacobian[k] * p) for row, p in zip(self.rows, pushes, strict=False) if k in row.jacobian]
            pushes.append(share(total([taken(k), *carried])))
        return pushes

    def _base(self, elimination: Elimination) -> list[Expr]:
        """Accelerations with the independent speeds constant."""
        base: list[Expr] = [ZERO] * len(self.symbols)
        for k, driven in self.driven.items():
            base[k] = driven.acceleration
        right = [
            share(total([-row.drift, *(-(e * base[k]) for k, e in row.jacobian.items() if k in self.driven)]))
            for row in self.rows
        ]
        for i, x in enumerate(elimination.solve(right)):
            base[self.partition.dependent[i]] = x
        return base

    def _influence(self, elimination: Elimination) -> list[list[Expr]]:
        """B by columns: the dependent speeds that one unit of each independent speed takes along."""
        return [elimination.solve([-row.jacobian.get(k, ZERO) for row in self.rows]) for k in self.independent]

    def _project(
        self, shape: Sequence[Sequence[Expr]], mass: MassMatrix, needed: Sequence[Expr]
    ) -> tuple[MassMatrix, list[Expr]]:
        """M_r and the right side of M_r du/dt = right."""
        dependent = self.partition.dependent
        used = [[(i, e) for i, e in enumerate(column) if e is not ZERO] for column in shape]
        entries: dict[tuple[int, int], Expr] = {}
        right: list[Expr] = []
        for j, k in enumerate(self.independent):
            right.append(share(-total([needed[k], *(e * needed[dependent[i]] for i, e in used[j])])))
            push: dict[int, Expr] = {}
            for other in range(j, len(self.independent)):
                carried = used[other]
                for row in (self.independent[other], *(dependent[i] for i, _ in carried)):
                    if row not in push:
                        parts = [mass.get(row, k), *(mass.get(row, dependent[i]) * e for i, e in used[j])]
                        push[row] = share(total(parts))
                value = share(total([push[self.independent[other]], *(e * push[dependent[i]] for i, e in carried)]))
                if value is not ZERO:
                    entries[(other, j)] = value
        return MassMatrix(len(self.independent), entries), right

    def _with_speeds(self, v: Sequence[Expr], exprs: Sequence[Expr]) -> list[Expr]:
        """Expressions of the motion with closed speeds in place of those given."""
        changed: dict[Expr, Expr] = {s: e for s, e in zip(self.symbols, v, strict=True) if s is not e}
        return substitute_all(exprs, changed) if changed else list(exprs)

"""The equations of a mechanism in numbers, at one state: M a + c = Jᵀ λ + Q, J a + d = 0, and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from ...codegen.callable import Array
from ..choice import best_columns, speed_kinds
from ..state import State
from .begin import AnalysisError

if TYPE_CHECKING:
    from ..model import Model

#: a partition whose block of the scaled J is so many times weaker than J itself is chosen anew
WORST = 100.0

#: beside the largest singular value of the scaled J, the smallest at a singular position
SINGULAR = 1e-8


class Balance:
    """A state, the accelerations and the forces there, and the derivatives of all that hold them.

    Speeds are of three sorts: held (driven, locked, or held by the caller), dependent (one for each row in use), and
    independent. Displacements are along the speeds: one for each, also of balls.

    Args:
        model: whose equations.
        state: a closed state.
        hold: indices of speeds that stand still besides those that are locked.
        still: drives stand still where they are, whatever their motion says; for statics.
    """

    def __init__(self, model: Model, state: State, hold: Sequence[int] = (), still: bool = False) -> None:
        self.model, self.state, self.still = model, state, still
        self.loops = loops = model.loops(state.mode)
        self.used = list(loops.chosen.partition.rows)
        self.positions = sum(i < loops.positions for i in self.used)
        self.extra = [k for k in hold if k not in {*loops.driven_speeds, *loops.locked_speeds}]
        self.held = [*loops.driven_speeds, *loops.locked_speeds, *self.extra]
        self.free = [k for k in range(model.nv) if k not in self.held]
        if len(self.free) < len(self.used):
            freedom = len(loops.free) - len(self.used)
            raise AnalysisError(
                f"expected no more held coordinates than degrees of freedom, {freedom}, found {len(self.extra)}; "
                "hold fewer: the loops keep the others"
            )
        nv = model.nv
        q, v, x, u, t, p = state.q, state.v, state.x, state.u, np.array([state.t]), state.parameters
        self.mass = loops._evaluate("mass_matrix", p, q)[0].reshape(nv, nv)
        self.rest = loops._evaluate("inverse", p, q, v, np.zeros(nv), x, u, t)[0]
        at = loops.closure(q, state.t, p)
        self.gap = at.h[self.used]
        self.jacobian = at.jacobian[self.used]
        self.drift = np.zeros(len(self.used)) if still else loops.drift(q, v, state.t, p)[self.used]
        self.lags = loops._evaluate("lags", p, q, v, x, u, t)[0] if len(x) else np.zeros(0)
        self.a = np.zeros(nv)
        if not still:
            self.a[loops.driven_speeds] = loops.motion(u, state.t, p)[2]
        free = self.free
        right = np.concatenate(
            [-self.rest[free] - self.mass[free] @ self.a, -self.drift - self.jacobian @ self.a],
        )
        found = self.solve(right)
        self.a[free] = found[: len(free)]
        #: forces of the rows in use, and of the held speeds
        self.force = found[len(free) :]
        self.hold_force = (self.mass @ self.a + self.rest - self.jacobian.T @ self.force)[self.held]

    # -- solving -----------------------------------------------------------------------------------------
    def solve(self, right: Array) -> Array:
        """Accelerations of the free speeds and forces of the rows for right-hand sides (free, rows)."""
        n, m = len(self.free), len(self.used)
        if not n + m:
            return np.zeros_like(right)
        kkt = np.zeros((n + m, n + m))
        kkt[:n, :n] = self.mass[np.ix_(self.free, self.free)]
        kkt[:n, n:] = -self.jacobian[:, self.free].T
        kkt[n:, :n] = self.jacobian[:, self.free]
        return solve_scaled(kkt, right)

    # -- partition ---------------------------------------------------------------------------------------
    def partition(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """Dependent and independent speeds for displacements, then for speeds (rows on speeds bind only these)."""
        chosen = self.loops.chosen
        dependent = list(chosen.partition.dependent)
        if self.used and (set(dependent) & set(self.held) or self._weakness(dependent) > WORST):
            scaled = self._scaled(self.free)
            dependent = [self.free[c] for c in best_columns(scaled, self.positions)[0]]
        first = dependent[: self.positions]
        return (
            first,
            [k for k in self.free if k not in first],
            dependent,
            [k for k in self.free if k not in dependent],
        )

    def _scaled(self, columns: Sequence[int]) -> Array:
        chosen = self.loops.chosen
        return np.asarray(self.jacobian[:, columns] * chosen.column_scale[columns] / chosen.row_scale[:, None])

    def is_singular(self) -> bool:
        """Whether rows that are independent elsewhere are not so here."""
        if not self.used:
            return False
        sizes = np.linalg.svd(self._scaled(self.free), compute_uv=False)
        return len(sizes) < len(self.used) or bool(sizes[-1] <= SINGULAR * sizes[0])

    def _weakness(self, dependent: Sequence[int]) -> float:
        """How much weaker the rows are on the dependent speeds than on all free ones."""
        smallest = [np.linalg.svd(self._scaled(k), compute_uv=False)[-1] for k in (self.free, list(dependent))]
        return float(smallest[0] / max(smallest[1], 1e-300))

    # -- derivatives -------------------------------------------------------------------------------------
    def slopes(self, a: Array | None = None, force: Array | None = None) -> dict[str, Array]:
        """K, D, E, Xq, Xv, Xx as matrices, at these accelerations and forces; see ``ClosedEquations.slopes``."""
        s, spare = self.state, np.zeros(len(self.loops.driven) + len(self.loops.locked))
        a = self.a if a is None else a
        pulls = np.concatenate([self.force if force is None else force, spare])
        return self._matrices("slopes", s.q, s.v, a, pulls, s.x, s.u)

    def tangents(self) -> dict[str, Array]:
        """U, Xu, Gq, Aq, Av as matrices; see ``ClosedEquations.tangents``."""
        s = self.state
        return self._matrices("tangents", s.q, s.v, self.a, s.x, s.u)

    def sensor_slopes(self) -> dict[str, Array]:
        """Yq, Yv, Ya, Yx, Yu as matrices."""
        s = self.state
        return self._matrices("sensor_slopes", s.q, s.v, self.a, s.x, s.u)

    def gradients(self, parameters: Sequence[str]) -> dict[str, Array]:
        """R, X, H, G, A, P, V, W as matrices, a column for each parameter; see ``ClosedEquations.gradients``."""
        s = self.state
        index = {n: i for i, n in enumerate(self.model.parameters)}
        name = "gradients:" + ",".join(str(index[n]) for n in parameters)
        return self._matrices(name, s.q, s.v, self.a, self.force, s.x, s.u, width=len(parameters))

    def _matrices(self, name: str, *inputs: Array, width: int = 0) -> dict[str, Array]:
        model, mode = self.model, self.state.mode
        values = self.loops._evaluate(name, self.state.parameters, *inputs, np.array([self.state.t]))
        names = list(model.function(name, mode).program.sizes_out)
        readings = sum(len(s.channels) for s in model.mechanism.sensors.values())
        rows = {"X": len(model.states), "Y": readings, **dict.fromkeys("KDEUR", model.nv)}
        rows |= {**dict.fromkeys("GAH", len(self.used)), **dict.fromkeys("PVW", len(self.loops.driven))}
        columns = {"q": model.nv, "v": model.nv, "a": model.nv, "x": len(model.states), "u": len(model.inputs)}
        by = {"K": "q", "D": "v", "E": "x", "U": "u"}
        return {
            key: flat.reshape(rows[key[0]], columns.get(by.get(key, key[1:]), width))
            for key, flat in zip(names, values, strict=True)
        }

    def spin(self) -> Array:
        """Ω in dδ/dt = δv + Ω δ: displacements of a ball are along its own axes, which turn."""
        out = np.zeros((self.model.nv, self.model.nv))
        kinds = speed_kinds(self.model)
        k = 0
        while k < self.model.nv:
            if kinds[k] == "S":
                x, y, z = self.state.v[k : k + 3]
                out[k : k + 3, k : k + 3] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
                k += 2
            k += 1
        return out


def solve_scaled(matrix: Array, right: Array) -> Array:
    """Solve after scaling rows and columns; by least squares where that fails."""
    rows = np.max(np.abs(matrix), axis=1)
    rows = np.where(rows > 0, rows, 1.0)[:, None]
    scaled = matrix / rows
    columns = np.max(np.abs(scaled), axis=0)
    columns = np.where(columns > 0, columns, 1.0)
    scaled = scaled / columns
    b = right / (rows if right.ndim == 2 else rows[:, 0])
    try:
        factors = scipy.linalg.lu_factor(scaled, check_finite=True)
        small = np.min(np.abs(np.diag(factors[0])))
        if small < 1e-13:
            raise np.linalg.LinAlgError
        y = scipy.linalg.lu_solve(factors, b)
        y = y + scipy.linalg.lu_solve(factors, b - scaled @ y)
    except (np.linalg.LinAlgError, ValueError):
        y = np.linalg.lstsq(np.nan_to_num(scaled), np.nan_to_num(b), rcond=1e-12)[0]
    out: Array = y / (columns[:, None] if right.ndim == 2 else columns)
    return out

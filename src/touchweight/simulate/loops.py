"""Loops in numbers: closing them, and the constrained accelerations, in NumPy.

What runs in a loop of steps is in the native core; this is what prepares it, and what serves where there is no
compiler. It works by weighted least squares instead of a partition, so that each is a witness of the other.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from ..codegen.callable import Array
from ..dynamics.closure import ordered_loops
from ..errors import printable
from ..mechanism import Constraint
from .choice import CLOSED, Chosen, choose, speed_kinds
from .equations import Equations

if TYPE_CHECKING:
    from .model import Model
    from .parameters import Parameters


@dataclass(frozen=True)
class Closure:
    """The rows of closure in numbers: residuals h, J, rates r; h is zero for rows on speeds."""

    h: Array
    jacobian: Array
    rate: Array


class Loops:
    """The loops, constraints, drives and locks of a model, in one of its modes."""

    def __init__(self, model: Model, equations: Equations) -> None:
        self.model = model
        self.equations = equations
        self.mode = equations.mode
        mechanism = equations.mechanism
        ordered = ordered_loops(mechanism)
        on_speeds = [i for i in ordered if isinstance(i, Constraint) and i.level == "speed"]
        #: names of the rows, and the loop each belongs to
        self.rows: tuple[str, ...] = tuple(r for i in ordered for r in i.rows)
        self.units: tuple[str, ...] = tuple(u for i in ordered for u in i.units)
        self.owner: tuple[str, ...] = tuple(i.name for i in ordered for _ in i.rows)
        #: how many of them, the first ones, have a residual
        self.positions = len(self.rows) - len(on_speeds)
        self.driven: tuple[str, ...] = tuple(mechanism.drives)
        mode = mechanism.modes.get(equations.mode or "")
        self.locked: tuple[str, ...] = mode.locked if mode is not None else ()
        self.driven_speeds = [model.speeds.index(n) for n in self.driven]
        self.driven_coordinates = [model.coordinates.index(n) for n in self.driven]
        self.locked_speeds = [model.speeds.index(n) for n in self.locked]
        held = {*self.driven_speeds, *self.locked_speeds}
        #: speeds that are neither driven nor locked
        self.free = [k for k in range(model.nv) if k not in held]
        #: for each speed, the coordinates of its joint that it may move, and whether it is part of a ball
        self._lock = model._lock

    def __bool__(self) -> bool:
        """Whether anything restricts the motion."""
        return bool(self.rows or self.driven or self.locked)

    # -- functions ---------------------------------------------------------------------------------------
    def _evaluate(self, name: str, parameters: Parameters, *inputs: Array) -> list[Array]:
        function = self.model.function(name, self.mode)
        return function.evaluate(parameters.table(function), [np.ascontiguousarray(i) for i in inputs])

    def closure(self, q: Array, t: float, parameters: Parameters) -> Closure:
        """Residuals, J and rates of all rows."""
        nv = self.model.nv
        if not self.rows:
            return Closure(np.zeros(0), np.zeros((0, nv)), np.zeros(0))
        h, j, r = self._evaluate("closure", parameters, q, np.array([t]))
        return Closure(h, j.reshape(-1, nv), r)

    def drift(self, q: Array, v: Array, t: float, parameters: Parameters) -> Array:
        """d in J a + d = 0."""
        if not self.rows:
            return np.zeros(0)
        return self._evaluate("drift", parameters, q, v, np.array([t]))[0]

    def motion(self, u: Array, t: float, parameters: Parameters) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of what is driven."""
        if not self.driven:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        q, v, a = self._evaluate("drives", parameters, u, np.array([t]))
        return q, v, a

    def turn(self, q: Array, v: Array, parameters: Parameters) -> Array:
        """dq/dt from the speeds."""
        return self._evaluate("turn", parameters, q, v)[0]

    def moved(self, q: Array, step: Array, parameters: Parameters) -> Array:
        """q after a displacement along the speeds."""
        out = q + self.turn(q, step, parameters)
        for ball in self.model.dimensions.balls:
            out[ball : ball + 4] /= np.linalg.norm(out[ball : ball + 4])
        return out

    # -- closing -----------------------------------------------------------------------------------------
    def set_drives(self, q: Array, v: Array, u: Array, t: float, parameters: Parameters) -> None:
        """Put what is driven where it has to be, and stop what is locked."""
        if self.driven:
            position, velocity, _ = self.motion(u, t, parameters)
            q[self.driven_coordinates] = position
            v[self.driven_speeds] = velocity
        v[self.locked_speeds] = 0.0

    def close_positions(
        self,
        q: Array,
        t: float,
        parameters: Parameters,
        hold: Iterable[int] = (),
        tries: int = 1,
        release: bool = False,
    ) -> tuple[Array, float]:
        """The closed configuration nearest to ``q``, keeping the speeds in ``hold`` still; and its largest residual.

        What is driven or locked stays where it is, unless it is to be released.
        """
        held = set(hold)
        free = [k for k in (range(self.model.nv) if release else self.free) if k not in held]
        rng = np.random.default_rng(1)
        best, least = q, np.inf
        for attempt in range(max(1, tries)):
            start = q
            if attempt:
                kick = np.zeros(self.model.nv)
                kick[free] = rng.normal(size=len(free)) * self.steps[free] * (0.2 + 0.1 * attempt)
                start = self.moved(q, kick, parameters)
            found, residual = self._gauss_newton(start, t, parameters, free)
            if residual < least:
                best, least = found, residual
            if least <= CLOSED:
                break
        return best, least

    def _gauss_newton(self, q: Array, t: float, parameters: Parameters, free: list[int]) -> tuple[Array, float]:
        n = self.positions
        if not n:
            return q, 0.0
        weight = self.steps[free]
        now = self.closure(q, t, parameters)
        size = float(np.max(np.abs(now.h[:n])))
        for _ in range(60):
            if size < 1e-14:
                break
            scaled = now.jacobian[:n][:, free] * weight
            if not (np.isfinite(size) and np.all(np.isfinite(scaled))):
                return q, np.inf  # as between the ends of a rod that coincide
            step = np.zeros(self.model.nv)
            step[free] = -weight * np.linalg.lstsq(scaled, now.h[:n], rcond=1e-9)[0]
            far = float(np.max(np.abs(step[free] / weight), initial=0.0))
            # a long step must lead much nearer, or it may lead into another assembly
            cap = min(1.0, 0.7 / far) if far > 0.0 else 1.0
            for cut in (1.0, cap, 0.5 * cap, 0.25 * cap, 0.1 * cap, 0.03 * cap):
                trial = self.moved(q, cut * step, parameters)
                there = self.closure(trial, t, parameters)
                enough = 1.0 if cut <= cap else 0.01
                if np.linalg.norm(there.h[:n]) < enough * np.linalg.norm(now.h[:n]):
                    break
            else:
                break
            better = float(np.max(np.abs(there.h[:n])))
            q, now = trial, there
            if better > 0.5 * size and better < 1e-12:
                size = better
                break
            size = better
        return q, size

    def close_speeds(
        self, q: Array, v: Array, t: float, parameters: Parameters, hold: Iterable[int] = ()
    ) -> tuple[Array, float]:
        """Speeds that satisfy the rows, changed as little as kinetic energy goes; and their largest residual."""
        if not self.rows:
            return v, 0.0
        at = self.closure(q, t, parameters)
        held = set(hold)
        free = [k for k in self.free if k not in held]
        metric = self.mass(q, parameters)[np.ix_(free, free)]
        jacobian = at.jacobian[:, free]
        gap = at.jacobian @ v + at.rate
        out = v.copy()
        out[free] -= least_change(metric, jacobian, gap)
        return out, float(np.max(np.abs(at.jacobian @ out + at.rate), initial=0.0))

    def mass(self, q: Array, parameters: Parameters) -> Array:
        """M(q)."""
        nv = self.model.nv
        return self._evaluate("mass_matrix", parameters, q)[0].reshape(nv, nv)

    @functools.cached_property
    def steps(self) -> Array:
        """The size of a step of each speed: a turn of one, or as far as a typical length of the mechanism [rad, m]."""
        reach = self.model.reach
        out = np.ones(self.model.nv)
        for i, kind in enumerate(speed_kinds(self.model)):
            if kind == "P":
                out[i] = reach
        return out

    # -- partition ---------------------------------------------------------------------------------------
    @functools.cached_property
    def chosen(self) -> Chosen:
        """Rank and partition, judged at generic closed configurations (never at a singular one alone)."""
        with self._lock:
            found = choose(self)
            self.equations.partition = found.partition
            return found

    # -- complaints --------------------------------------------------------------------------------------
    def complaint(self, q: Array, t: float, parameters: Parameters) -> str:
        """One sentence on what does not close, and by how much."""
        h = np.abs(self.closure(q, t, parameters).h[: self.positions])
        by_loop: dict[str, float] = {}
        for name, size in zip(self.owner, h, strict=False):
            by_loop[name] = max(by_loop.get(name, 0.0), float(size))
        open_ones = sorted((n for n, s in by_loop.items() if s > CLOSED), key=lambda n: -by_loop[n])
        shown = ", ".join(f"{printable(n, 40)!r} open by {by_loop[n]:.3g}" for n in open_ones[:3])
        more = f" and {len(open_ones) - 3} more" if len(open_ones) > 3 else ""
        return (
            f"expected loops that close, found {shown or 'residuals that are not finite'}{more} [m or rad] at best; "
            "change lengths, what is held or driven, or start nearer to a closed position"
        )

    # -- motion ------------------------------------------------------------------------------------------
    def accelerations(
        self, q: Array, v: Array, x: Array, u: Array, t: float, parameters: Parameters, tau: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """dv/dt at a closed state, the multipliers of all rows, and the forces of drives and locks."""
        nv = self.model.nv
        mass = self.mass(q, parameters)
        rest = self._evaluate("inverse", parameters, q, v, np.zeros(nv), x, u, np.array([t]))[0]
        right = (tau if tau is not None else np.zeros(nv)) - rest
        a = np.zeros(nv)
        a[self.driven_speeds] = self.motion(u, t, parameters)[2]
        at = self.closure(q, t, parameters)
        gap = at.jacobian @ a + self.drift(q, v, t, parameters)
        free = self.free
        metric = mass[np.ix_(free, free)]
        loose = scipy.linalg.solve(metric, right[free] - mass[free] @ a, assume_a="sym") if free else np.zeros(0)
        a[free] = loose - least_change(metric, at.jacobian[:, free], gap + at.jacobian[:, free] @ loose)
        needed = mass @ a - right
        force: Array = np.zeros(len(self.rows))
        if self.rows:
            force = np.asarray(np.linalg.lstsq(at.jacobian[:, free].T, needed[free], rcond=1e-10)[0], dtype=np.float64)
        held = self.driven_speeds + self.locked_speeds
        return a, force, needed[held] - at.jacobian[:, held].T @ force

    def rates(self, t: float, y: Array, u: Array, parameters: Parameters) -> tuple[Array, Array]:
        """dy/dt at ``y`` closed first; and the closed state."""
        nq, nv = self.model.nq, self.model.nv
        q, v, x = (a.copy() for a in np.split(y, [nq, nq + nv]))
        for ball in self.model.dimensions.balls:
            q[ball : ball + 4] /= np.linalg.norm(q[ball : ball + 4])
        self.set_drives(q, v, u, t, parameters)
        q, _ = self.close_positions(q, t, parameters)
        v, _ = self.close_speeds(q, v, t, parameters)
        a, _, _ = self.accelerations(q, v, x, u, t, parameters)
        lags = self._evaluate("lags", parameters, q, v, x, u, np.array([t]))[0] if len(x) else x
        return np.concatenate([self.turn(q, v, parameters), a, lags]), np.concatenate([q, v, x])


def least_change(metric: Array, jacobian: Array, gap: Array) -> Array:
    """The smallest δ in the metric with jacobian δ = gap (least squares where there is none)."""
    if not len(gap):
        return np.zeros(jacobian.shape[1])
    try:
        root = np.linalg.cholesky(metric)
    except np.linalg.LinAlgError:
        root = np.eye(len(metric))
    across = scipy.linalg.solve_triangular(root, jacobian.T, lower=True)
    part = np.linalg.lstsq(across.T, gap, rcond=1e-11)[0]
    out: Array = scipy.linalg.solve_triangular(root.T, part, lower=False)
    return out

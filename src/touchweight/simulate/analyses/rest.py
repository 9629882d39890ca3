"""The search for rest: Newton's method on the closed equations, and relaxation where it does not get through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from ...codegen.callable import Array
from ...errors import printable
from ..choice import CLOSED, speed_kinds
from ..state import State
from .balance import Balance
from .labels import labels

if TYPE_CHECKING:
    from ..model import Model

#: what is left of forces, beside those in balance, of accelerations [rad/s² or m/s²] and rates that counts as nothing
STILL = 1e-10

#: Newton steps, the longest of them [rad, or lengths of the mechanism]
STEPS, LONGEST = 60, 0.5

#: relaxation steps, and how far they may lead [rad, or lengths of the mechanism]
RELAXED, FARTHEST = 5000, 60.0


class RestSearch:
    """A state on its way to rest."""

    def __init__(self, model: Model, state: State, hold: Sequence[int]) -> None:
        self.model, self.state, self.hold = model, state, list(hold)
        self.first = state.copy()
        self.loops = model.loops(state.mode)
        self.held = [*self.loops.driven_speeds, *self.loops.locked_speeds, *self.hold]
        self.size = np.ones(model.nv)
        for k, kind in enumerate(speed_kinds(model)):
            if kind == "P":
                self.size[k] = model.reach
        self.at = self._balance(state)

    def _balance(self, state: State) -> Balance:
        return Balance(self.model, state, self.hold, still=True)

    def restart(self) -> None:
        """Back to the guess."""
        self.state = self.first.copy()
        self.at = self._balance(self.state)

    def unrest(self, at: Balance) -> float:
        """How far from rest: power per mass of what is unbalanced, √(aᵀ M a) and rates of states."""
        energy = max(0.0, float(at.a @ at.mass @ at.a))
        lags = self._lag_size(at)
        return float(np.hypot(np.sqrt(energy), lags)) if np.isfinite(energy) else np.inf

    def _lag_size(self, at: Balance) -> float:
        return float(np.linalg.norm(at.lags)) if len(at.lags) else 0.0

    # -- Newton ------------------------------------------------------------------------------------------
    def newton(self) -> tuple[int, bool]:
        """Steps taken, and whether nothing moves any more."""
        best = self.unrest(self.at)
        for step in range(STEPS):
            resting = self._rests(self.at)
            if not np.isfinite(best) or best == 0.0:
                return step, resting
            direction = self._direction()
            far = float(np.max(np.abs(direction[0] / self.size), initial=0.0))
            start = min(1.0, LONGEST / far) if far > 0 else 1.0
            better = self._try(direction, best, [start * 0.5**i for i in range(2 if resting else 12)])
            # it goes on until rounding stops it
            if better is None or (resting and better > 0.3 * best):
                return step + 1, resting
            best = better
        return STEPS, self._rests(self.at)

    def _rests(self, at: Balance) -> bool:
        """Whether what is left is nothing, beside the forces that are in balance."""
        balanced = max(float(np.max(np.abs(at.rest), initial=0.0)), float(np.max(np.abs(at.force), initial=0.0)))
        left = float(np.max(np.abs(at.mass @ at.a), initial=0.0))
        resting = left <= STILL * balanced or float(np.max(np.abs(at.a), initial=0.0)) <= STILL
        lags = float(np.max(np.abs(at.lags), initial=0.0))
        return resting and lags <= STILL * (1.0 + float(np.max(np.abs(at.state.x), initial=0.0)))

    def _direction(self) -> tuple[Array, Array]:
        """Newton's step: displacements of all speeds, and of the first-order states."""
        at = self.at
        force = self._static_force(at)
        s = at.slopes(np.zeros(self.model.nv), force)
        free, m, nx = at.free, len(at.used), len(at.state.x)
        n = len(free)
        matrix = np.zeros((n + nx + m, n + nx + m))
        matrix[:n, :n] = s["K"][np.ix_(free, free)]
        matrix[:n, n : n + nx] = s["E"][free]
        matrix[:n, n + nx :] = -at.jacobian[:, free].T
        matrix[n : n + nx, :n] = s["Xq"][:, free]
        matrix[n : n + nx, n : n + nx] = s["Xx"]
        matrix[n + nx :, :n] = at.jacobian[:, free]
        right = -np.concatenate([at.rest[free] - at.jacobian[:, free].T @ force, at.lags, at.gap])
        found = least_step(matrix, right, np.concatenate([self.size[free], np.ones(nx + m)]))
        displacement = np.zeros(self.model.nv)
        displacement[free] = found[:n]
        return displacement, found[n : n + nx]

    def _static_force(self, at: Balance) -> Array:
        if not at.used:
            return at.force
        j = at.jacobian[:, at.free]
        return np.asarray(np.linalg.lstsq(j.T, at.rest[at.free], rcond=1e-11)[0])

    def _try(self, direction: tuple[Array, Array], best: float, sizes: Sequence[float]) -> float | None:
        """Move as far as it helps; None where nothing does."""
        for size in sizes:
            there = self._moved(size * direction[0], size * direction[1])
            if there is None:
                continue
            at = self._balance(there)
            now = self.unrest(at)
            if now < best * (1.0 - 1e-4 * size) or now < 1e-14:
                self.state, self.at = there, at
                return now
        return None

    def _moved(self, displacement: Array, lags: Array) -> State | None:
        there = self.state.copy()
        parameters = there.parameters
        q = self.loops.moved(there.q, displacement, parameters)
        q, gap = self.loops.close_positions(q, there.t, parameters, self.hold)
        if not gap <= CLOSED:
            return None
        there.q[:] = q
        there.x[:] += lags
        return there

    # -- relaxation --------------------------------------------------------------------------------------
    def relax(self) -> None:
        """Let it move, and stop it whenever its kinetic energy falls: it loses what it fell."""
        speed = np.zeros(self.model.nv)
        way = np.zeros(self.model.nv)
        moving = 0.0
        h = self._pace()
        for step in range(RELAXED):
            at = self.at
            still = float(np.sqrt(max(0.0, float(at.a @ at.mass @ at.a)))) < 1e-9
            if (still and step > 200) or self.unrest(at) < 1e-9 or not np.all(np.isfinite(at.a)):
                return
            speed = speed + h * at.a
            speed, _ = self.loops.close_speeds(self.state.q, speed, self.state.t, self.state.parameters, self.hold)
            speed[self.held] = 0.0
            far = float(np.max(np.abs(h * speed) / self.size, initial=0.0))
            if far > 0.1:
                speed *= 0.1 / far
            there = self._moved(h * speed, self._lag_step(h))
            if there is None:
                speed[:] = 0.0
                h *= 0.5
                continue
            self.state, self.at = there, self._balance(there)
            way += h * speed
            if np.max(np.abs(way) / self.size, initial=0.0) > FARTHEST:
                return
            energy = float(speed @ self.at.mass @ speed)
            if energy < moving:
                speed[:] = 0.0
                energy = 0.0
                h = self._pace()
            moving = energy
            if step % 50 == 49 and self.unrest(self.at) < 1e-3 and self.newton()[1]:
                return

    def _lag_step(self, h: float) -> Array:
        """First-order states go their way implicitly, so that quick ones don't overshoot."""
        at = self.at
        if not len(at.lags):
            return at.lags
        xx = at.slopes()["Xx"]
        return np.asarray(np.linalg.lstsq(np.eye(len(xx)) / (10.0 * h) - xx, at.lags, rcond=None)[0])

    def _pace(self) -> float:
        """A step well within the quickest oscillation [s]."""
        at = self.at
        free = at.free
        k = at.slopes()["K"][np.ix_(free, free)]
        basis = scipy.linalg.null_space(at.jacobian[:, free]) if at.used else np.eye(len(free))
        if not basis.shape[1]:
            return 1e-2
        mass = basis.T @ at.mass[np.ix_(free, free)] @ basis
        quick = np.abs(np.linalg.eigvals(np.linalg.lstsq(mass, basis.T @ k @ basis, rcond=None)[0]))
        return 0.3 / float(np.sqrt(max(float(np.max(quick)), 1e-2)))

    # -- complaint ---------------------------------------------------------------------------------------
    def complaint(self) -> str:
        """Which generalised force remains."""
        at = self.at
        left = np.abs(at.mass @ at.a)
        k = int(np.argmax(left)) if len(left) else 0
        name = labels(self.model)[k].name if len(left) else "?"
        what = f"{left[k]:.3g} N or N m left at {printable(name, 40)!r}" if len(left) else "rates of states left"
        lag = np.abs(at.lags)
        if len(lag) and (not len(left) or lag.max() > left.max()):
            name = self.model.states[int(np.argmax(lag))]
            what = f"state {printable(name, 40)!r} still changing by {lag.max():.3g} a second"
        return (
            f"expected an equilibrium of {printable(self.model.name, 40)!r} near the guess, found {what} at best; "
            "guess another place, hold a coordinate, or see whether anything stops the motion at all"
        )


def least_step(matrix: Array, right: Array, size: Array) -> Array:
    """Solve; where directions are free (a wheel that may stand anywhere) take none of them."""
    scaled = matrix * size
    rows = np.max(np.abs(scaled), axis=1, initial=0.0)
    rows = np.where(rows > 0, rows, 1.0)
    return np.asarray(size * np.linalg.lstsq(scaled / rows[:, None], right / rows, rcond=1e-12)[0])

"""A path: a mechanism led along its driven coordinates, on one branch of its loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...codegen.callable import Array
from ...errors import printable
from ..choice import CLOSED, speed_kinds
from ..state import State
from .begin import AnalysisError
from .labels import labels, scalar_speeds

if TYPE_CHECKING:
    from ..model import Model

#: a correction of the predicted place that is larger [rad, or lengths of the mechanism] calls for smaller steps
JUMP = 0.02

#: how often a step may be halved
HALVINGS = 16

#: beside its largest singular value, the smallest of J on what is solved for, at a dead centre
DEAD = 1e-7


class Path:
    """A mechanism led along its driven coordinates."""

    def __init__(
        self, model: Model, state: State, motions: Mapping[str, tuple[Array, Array, Array]], hold: Sequence[int]
    ) -> None:
        self.model, self.state, self.motions = model, state, motions
        self.loops = loops = model.loops(state.mode)
        self.names = list(motions)
        self.speeds = [scalar_speeds(model)[n] for n in motions]
        self.coordinates = [model.coordinates.index(n) for n in motions]
        self.others = [i for i, n in enumerate(loops.driven) if n not in motions]
        held = {*self.speeds, *hold}
        #: speeds that the loops have to give
        self.solved = [k for k in loops.free if k not in held]
        self.hold = sorted(held)
        self.used = list(loops.chosen.partition.rows)
        self._check(len([k for k in held if k in loops.free]))
        self.size = np.array([model.reach if kind == "P" else 1.0 for kind in speed_kinds(model)])

    def _check(self, given: int) -> None:
        loops = self.loops
        if loops.positions < len(loops.rows):
            name = printable(loops.rows[loops.positions], 40)
            raise AnalysisError(
                f"expected equations on positions only, found {name!r} on speeds, which no position follows from; "
                "simulate with drives instead"
            )
        freedom = len(loops.free) - len(self.used)
        if given != freedom:
            more = [label.name for k, label in enumerate(labels(self.model)) if k in self.solved and label.coordinate]
            hint = f"; there are {', '.join(printable(n, 40) for n in more[:6])}" if given < freedom and more else ""
            raise AnalysisError(
                f"expected as many driven or held coordinates as degrees of freedom, {freedom}, found {given}{hint}"
            )

    def follow(self, times: Array) -> tuple[Array, Array]:
        """Rows (q, v) and accelerations at all times."""
        model = self.model
        rows, found = np.empty((len(times), model.nq + model.nv)), np.empty((len(times), model.nv))
        q = self.state.q
        q[self.coordinates] = self._target(0)
        q, gap = self.loops.close_positions(q, float(times[0]), self.state.parameters, self.hold, tries=8)
        if gap > CLOSED:
            raise AnalysisError(f"{self.loops.complaint(q, float(times[0]), self.state.parameters)}")
        for i, t in enumerate(times):
            if i:
                q = self._advance(q, i, float(times[i - 1]), float(t))
            v, a = self._motion(q, i, float(t))
            rows[i], found[i] = np.concatenate([q, v]), a
        return rows, found

    def _target(self, i: int) -> Array:
        return np.array([p[i] for p, _, _ in self.motions.values()])

    def _advance(self, q: Array, i: int, t0: float, t1: float) -> Array:
        """From one sample to the next, in as many steps as the branch needs to stay the same."""
        start, end = self._target(i - 1), self._target(i)
        done, step = 0.0, 1.0
        while done < 1.0:
            part = min(done + step, 1.0)
            there = self._step(q, start + part * (end - start), t0 + part * (t1 - t0))
            if there is not None:
                q, done, step = there, part, min(1.0, 2.0 * step)
                continue
            step *= 0.5
            if step < 0.5**HALVINGS:
                reached = ", ".join(
                    f"{printable(n, 40)} = {x:.6g}"
                    for n, x in zip(self.names, start + done * (end - start), strict=True)
                )
                raise AnalysisError(
                    f"expected a motion that the loops allow, found a dead centre at {reached} "
                    f"(t = {t0 + done * (t1 - t0):.6g} s), beyond which they cannot close; drive less far, or another "
                    "coordinate"
                )
        return q

    def _step(self, q: Array, target: Array, t: float) -> Array | None:
        """One step along the tangent and back into the loops; None where it is too large."""
        loops, parameters = self.loops, self.state.parameters
        move = np.zeros(self.model.nv)
        move[self.speeds] = target - q[self.coordinates]
        described = loops.motion(self.state.u, t, parameters)[0]
        for k in self.others:
            move[loops.driven_speeds[k]] = described[k] - q[loops.driven_coordinates[k]]
        at = loops.closure(q, t, parameters)
        if self.solved:
            scaled = at.jacobian[:, self.solved] * self.size[self.solved]
            gap = at.h[: loops.positions] + at.jacobian[: loops.positions] @ move
            move[self.solved] = self.size[self.solved] * np.linalg.lstsq(scaled, -gap, rcond=1e-12)[0]
        if np.max(np.abs(move[self.solved] / self.size[self.solved]), initial=0.0) > 0.3:
            return None
        guess = loops.moved(q, move, parameters)
        guess[self.coordinates] = target
        closed, residual = loops.close_positions(guess, t, parameters, self.hold)
        if not residual <= CLOSED or not np.max(np.abs(closed - guess), initial=0.0) <= JUMP * max(
            1.0, self.model.reach
        ):
            return None
        return closed

    def _motion(self, q: Array, i: int, t: float) -> tuple[Array, Array]:
        """Speeds and accelerations at a sample."""
        loops, p = self.loops, self.state.parameters
        v, a = np.zeros(self.model.nv), np.zeros(self.model.nv)
        _, velocity, acceleration = loops.motion(self.state.u, t, p)
        for k in self.others:
            v[loops.driven_speeds[k]], a[loops.driven_speeds[k]] = velocity[k], acceleration[k]
        v[self.speeds] = [m[1][i] for m in self.motions.values()]
        a[self.speeds] = [m[2][i] for m in self.motions.values()]
        if not self.solved:
            return v, a
        at = loops.closure(q, t, p)
        scaled = at.jacobian[self.used][:, self.solved] * self.size[self.solved]
        left, sizes, right = np.linalg.svd(scaled)
        if sizes[-1] <= DEAD * sizes[0]:
            where = ", ".join(f"{printable(n, 40)} = {x:.6g}" for n, x in zip(self.names, self._target(i), strict=True))
            raise AnalysisError(
                f"expected drives that lead the mechanism, found a dead centre at {where} (t = {t:.6g} s), where the "
                "others may go more than one way; drive another coordinate"
            )

        def solve(gap: Array) -> Array:
            return np.asarray(self.size[self.solved] * (right.T @ ((left.T @ gap) / sizes)))

        v[self.solved] = -solve((at.jacobian @ v + at.rate)[self.used])
        a[self.solved] = -solve((at.jacobian @ a + loops.drift(q, v, t, p))[self.used])
        return v, a

"""The functions that closed and driven mechanisms need besides those of their tree."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.function import Function
from ..dynamics.closure import Row, closure_rows, ordered_loops
from ..dynamics.drives import driven_motions
from ..dynamics.forces import gather_forces
from ..dynamics.frames import postures
from ..dynamics.inverse import inverse_dynamics
from ..dynamics.kinematics import Kinematics, coordinate_rates
from ..dynamics.partition import Partition, Reduction
from ..dynamics.reactions import joint_reactions
from ..dynamics.sensors import reading
from ..dynamics.signals import Signals
from ..dynamics.slopes import along_speeds, by_directions, by_symbols
from ..dynamics.tree import build_tree
from ..mechanism import Mechanism
from ..mechanism.loop import reaction_symbol
from ..symbolic import ZERO, Expr, Symbol, differentiate, free_symbols, share, substitute, symbol, total


class ClosedEquations:
    """Derives them for one mechanism, or one mode of it."""

    def __init__(self, mechanism: Mechanism, parameters: list[Symbol], signals: dict[str, list[Symbol]]) -> None:
        self.mechanism = mechanism
        self.parameters = parameters
        self.signals = signals
        self.time = {"t": [mechanism.time]}

    def _function(self, name: str, inputs: dict[str, list[Symbol]], outputs: dict[str, list[Expr]]) -> Function:
        return Function(name, inputs, outputs, self.parameters)

    def closure(self) -> Function:
        """q, t -> residuals h, J by rows, rates r."""
        tree = build_tree(self.mechanism)
        rows = closure_rows(self.mechanism, tree, postures(tree, frozenset()))
        n = range(len(tree.speeds))
        return self._function(
            "closure",
            {"q": tree.q, **self.time},
            {
                "h": [row.residual if row.residual is not None else ZERO for row in rows],
                "J": [row.jacobian.get(k, ZERO) for row in rows for k in n],
                "r": [row.rate for row in rows],
            },
        )

    def drift(self) -> Function:
        """q, v, t -> d, the second rate of the residuals without accelerations."""
        tree = build_tree(self.mechanism)
        rows = closure_rows(self.mechanism, tree, postures(tree, frozenset()))
        return self._function("drift", {"q": tree.q, "v": tree.v, **self.time}, {"d": [row.drift for row in rows]})

    def drives(self) -> Function:
        """u, t -> position, velocity and acceleration of what is driven."""
        tree = build_tree(self.mechanism)
        driven = driven_motions(self.mechanism, tree)
        outputs: dict[str, list[Expr]] = {
            "position": [d.position for d in driven],
            "velocity": [d.velocity for d in driven],
            "acceleration": [d.acceleration for d in driven],
        }
        return self._function("drives", {"u": self.signals["u"], **self.time}, outputs)

    def turn(self) -> Function:
        """q, v -> dq/dt."""
        tree = build_tree(self.mechanism)
        return self._function("turn", {"q": tree.q, "v": tree.v}, {"dq": coordinate_rates(tree)})

    def lags(self) -> Function:
        """q, v, x, u, t -> dx/dt."""
        tree = build_tree(self.mechanism)
        forces = gather_forces(self.mechanism, tree, postures(tree, frozenset()))
        return self._function("lags", {"q": tree.q, "v": tree.v, **self.signals}, {"dx": forces.state_rates})

    def slopes(self, partition: Partition) -> Function:
        """q, v, a, forces, x, u, t -> derivatives K, D, E of M a + c - Jᵀ λ and of dx/dt by q, v and x."""
        tree = build_tree(self.mechanism)
        where = postures(tree, frozenset())
        rows = closure_rows(self.mechanism, tree, where)
        used = [rows[i] for i in partition.rows]
        force = self._forces(partition)
        laws = gather_forces(self.mechanism, tree, where)
        tau = inverse_dynamics(tree, where, tree.a, laws.wrenches)
        pulls: list[list[Expr]] = [[] for _ in tree.speeds]
        for row, push in zip(used, force, strict=False):
            for k, e in row.jacobian.items():
                pulls[k].append(e * push)
        residual = [share(t - g - total(p)) for t, g, p in zip(tau, laws.generalised, pulls, strict=True)]
        along = along_speeds(tree)
        states = self.signals["x"]
        outputs = {
            "K": by_directions(residual, along),
            "D": by_symbols(residual, tree.v),
            "E": by_symbols(residual, states),
            "Xq": by_directions(laws.state_rates, along),
            "Xv": by_symbols(laws.state_rates, tree.v),
            "Xx": by_symbols(laws.state_rates, states),
        }
        inputs = {"q": tree.q, "v": tree.v, "a": tree.a, "force": force, **self.signals}
        return self._function("slopes", inputs, {k: [x for row in m for x in row] for k, m in outputs.items()})

    def reactions(self, partition: Partition) -> Function:
        """q, v, a, forces, x, u, t -> six components for each joint."""
        tree = build_tree(self.mechanism)
        force = self._forces(partition)
        out = joint_reactions(self.mechanism, partition.rows, force[: len(partition.rows)])
        inputs = {"q": tree.q, "v": tree.v, "a": tree.a, "force": force, **self.signals}
        return self._function("reactions", inputs, {"R": out})

    def _forces(self, partition: Partition) -> list[Symbol]:
        """Symbols for the forces of the rows in use, of the drives and of the locks."""
        count = len(partition.rows) + len(self.mechanism.drives) + len(partition.locked)
        return [symbol(f"force.'{i}", "force") for i in range(count)]

    # -- linearisation -----------------------------------------------------------------------------------
    def tangents(self, partition: Partition) -> Function:
        """q, v, a, x, u, t -> what linearising needs besides slopes.

        U and Xu: derivatives of M a + c and of dx/dt by u. Gq: of J v + r along the speeds. Aq, Av: of J a + d along
        the speeds and by v. All of the rows in use.
        """
        tree = build_tree(self.mechanism)
        where = postures(tree, frozenset())
        rows = closure_rows(self.mechanism, tree, where)
        used = [rows[i] for i in partition.rows]
        laws = gather_forces(self.mechanism, tree, where)
        tau = inverse_dynamics(tree, where, tree.a, laws.wrenches)
        needed = [share(t - g) for t, g in zip(tau, laws.generalised, strict=True)]
        along, inputs = along_speeds(tree), self.signals["u"]
        rates = [_along_row(row, tree.v, row.rate) for row in used]
        second = [_along_row(row, tree.a, row.drift) for row in used]
        outputs = {
            "U": by_symbols(needed, inputs),
            "Xu": by_symbols(laws.state_rates, inputs),
            "Gq": by_directions(rates, along),
            "Aq": by_directions(second, along),
            "Av": by_symbols(second, tree.v),
        }
        given = {"q": tree.q, "v": tree.v, "a": tree.a, **self.signals}
        return self._function("tangents", given, {k: [x for row in m for x in row] for k, m in outputs.items()})

    def sensor_slopes(self) -> Function:
        """q, v, a, x, u, t -> derivatives of all sensors along the speeds and by v, a, x, u."""
        tree = build_tree(self.mechanism)
        world = Kinematics(tree, postures(tree, frozenset()))
        y = [share(e) for s in self.mechanism.sensors.values() for e in reading(tree, world, s, tree.a)]
        outputs = {
            "Yq": by_directions(y, along_speeds(tree)),
            "Yv": by_symbols(y, tree.v),
            "Ya": by_symbols(y, tree.a),
            "Yx": by_symbols(y, self.signals["x"]),
            "Yu": by_symbols(y, self.signals["u"]),
        }
        given = {"q": tree.q, "v": tree.v, "a": tree.a, **self.signals}
        return self._function("sensor_slopes", given, {k: [x for row in m for x in row] for k, m in outputs.items()})

    def gradients(self, chosen: Sequence[int], partition: Partition) -> Function:
        """q, v, a, forces, x, u, t -> derivatives by some of the parameters, by index.

        Of M a + c - Jᵀ λ (R), dx/dt (X), h (H), J v + r (G), J a + d (A), and of the drives' positions, velocities and
        accelerations (P, V, W); all of the rows in use.
        """
        tree = build_tree(self.mechanism)
        where = postures(tree, frozenset())
        rows = closure_rows(self.mechanism, tree, where)
        used = [rows[i] for i in partition.rows]
        force = [symbol(f"force.'{i}", "force") for i in range(len(used))]
        laws = gather_forces(self.mechanism, tree, where)
        tau = inverse_dynamics(tree, where, tree.a, laws.wrenches)
        pulls: list[list[Expr]] = [[] for _ in tree.speeds]
        for row, push in zip(used, force, strict=True):
            for k, e in row.jacobian.items():
                pulls[k].append(e * push)
        driven = driven_motions(self.mechanism, tree)
        exprs = {
            "R": [share(t - g - total(p)) for t, g, p in zip(tau, laws.generalised, pulls, strict=True)],
            "X": laws.state_rates,
            "H": [row.residual if row.residual is not None else ZERO for row in used],
            "G": [_along_row(row, tree.v, row.rate) for row in used],
            "A": [_along_row(row, tree.a, row.drift) for row in used],
            "P": [d.position for d in driven],
            "V": [d.velocity for d in driven],
            "W": [d.acceleration for d in driven],
        }
        by = [self.parameters[i] for i in chosen]
        outputs = {k: [x for row in by_symbols(e, by) for x in row] for k, e in exprs.items()}
        given = {"q": tree.q, "v": tree.v, "a": tree.a, "force": force, **self.signals}
        return self._function("gradients", given, outputs)

    # -- transitions -------------------------------------------------------------------------------------
    def guard(self, name: str, partition: Partition) -> Function:
        """q, v, x, u, t, forces -> g, positive while the mode is valid."""
        tree = build_tree(self.mechanism)
        world = Kinematics(tree, postures(tree, frozenset()))
        signals = Signals(self.mechanism, tree, world, [ZERO] * len(tree.speeds))
        rows = [r for item in ordered_loops(self.mechanism) for r in item.rows]
        inside = [reaction_symbol(rows[i]) for i in partition.rows]
        inside += [reaction_symbol(n) for n in self.mechanism.drives]
        spare = [symbol(f"force.'lock{i}", "force") for i in range(len(partition.locked))]
        absent: dict[Expr, Expr] = {reaction_symbol(r): ZERO for i, r in enumerate(rows) if i not in partition.rows}
        g = substitute(signals.resolve(self.mechanism.transitions[name].guard), absent)
        inputs = {"q": tree.q, "v": tree.v, **self.signals, "force": [*inside, *spare]}
        return self._function("guard", inputs, {"g": [g]})

    def needs_force(self, name: str) -> bool:
        """Whether the guard of a transition reads forces of loops or drives."""
        seen = free_symbols([self.mechanism.transitions[name].guard])
        return any(s.kind == "force" and s.name.startswith("force.") for s in seen)

    def reset(self, name: str) -> Function:
        """q, v, x, u, t -> their values after the transition, restitution, and the guard's slope along the speeds."""
        tree = build_tree(self.mechanism)
        world = Kinematics(tree, postures(tree, frozenset()))
        signals = Signals(self.mechanism, tree, world, [ZERO] * len(tree.speeds))
        way = self.mechanism.transitions[name]
        new = {k: signals.resolve(e) for k, e in way.reset.items()}
        states = self.signals["x"]
        q = [new.get(s.name, s) for s in tree.q]
        v = [new.get(s.name, s) for s in tree.v]
        x = [new.get(s.name, s) for s in states]
        restitution: Expr = ZERO
        normal: list[Expr] = [ZERO] * (len(tree.speeds) + 1)
        if way.restitution is not None:
            restitution = signals.resolve(way.restitution)
            guard = signals.resolve(way.guard)
            normal = [*by_directions([guard], along_speeds(tree))[0], differentiate(guard, self.mechanism.time)]
        outputs = {"q_new": q, "v_new": v, "x_new": x, "restitution": [restitution], "normal": normal}
        return self._function("reset", {"q": tree.q, "v": tree.v, **self.signals}, outputs)

    # -- one partition -----------------------------------------------------------------------------------
    def _reduction(self, partition: Partition) -> Reduction:
        tree = build_tree(self.mechanism)
        return Reduction(self.mechanism, tree, postures(tree, frozenset()), partition)

    def newton(self, partition: Partition) -> Function:
        """q, t -> residuals, the step that should remove them, health of the partition."""
        reduction = self._reduction(partition)
        h, step, health = reduction.newton()
        return self._function(
            "newton", {"q": reduction.tree.q, **self.time}, {"h": h, "step": step, "health": [health]}
        )

    def speeds(self, partition: Partition) -> Function:
        """q, v, t -> v with the dependent speeds closed."""
        reduction = self._reduction(partition)
        return self._function(
            "speeds", {"q": reduction.tree.q, "v": reduction.tree.v, **self.time}, {"closed": reduction.speeds()}
        )

    def reduced(self, partition: Partition) -> Function:
        """q, v, x, u, t -> closed v, dq, dv, dx."""
        return self._motion("reduced", partition, with_forces=False)

    def feel(self, partition: Partition) -> Function:
        """q, v, x, u, t -> closed v, dq, dv, dx, and the forces of loops, drives and locks."""
        return self._motion("feel", partition, with_forces=True)

    def _motion(self, name: str, partition: Partition, with_forces: bool) -> Function:
        reduction = self._reduction(partition)
        found = reduction.rates(with_forces)
        inputs = {"q": reduction.tree.q, "v": reduction.tree.v, **self.signals}
        outputs = {"closed": found.speeds, "dq": found.dq, "dv": found.dv, "dx": found.dx}
        if with_forces:
            outputs["force"] = found.forces
        return self._function(name, inputs, outputs)


def _along_row(row: Row, motion: Sequence[Expr], rest: Expr) -> Expr:
    """J times speeds or accelerations, plus what they don't make."""
    return share(total([*(e * motion[k] for k, e in row.jacobian.items()), rest]))

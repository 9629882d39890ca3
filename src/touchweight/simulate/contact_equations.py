"""The functions that contacts need: gaps and rows, laws, limits, smooth forces with their slopes."""

from __future__ import annotations

from ..codegen.function import Function
from ..dynamics.contact import Touch, touches
from ..dynamics.forces import gather_forces
from ..dynamics.frames import postures
from ..dynamics.inverse import Wrench, backward_pass, inverse_dynamics
from ..dynamics.slopes import along_speeds, by_directions, by_symbols
from ..dynamics.tree import build_tree
from ..dynamics.vector import negative
from ..mechanism import Mechanism
from ..mechanism.contact import COMPRESSION, COMPRESSION_RATE
from ..symbolic import ZERO, Expr, Symbol, differentiate, substitute, symbol


class ContactEquations:
    """Derives them for one mechanism, or one mode of it."""

    def __init__(self, mechanism: Mechanism, parameters: list[Symbol], signals: dict[str, list[Symbol]]) -> None:
        self.mechanism = mechanism
        self.parameters = parameters
        self.signals = signals
        self.time = {"t": [mechanism.time]}

    def _function(self, name: str, inputs: dict[str, list[Symbol]], outputs: dict[str, list[Expr]]) -> Function:
        return Function(name, inputs, outputs, self.parameters)

    def touches(self) -> list[Touch]:
        """Every point at which something may touch."""
        tree = build_tree(self.mechanism)
        return touches(self.mechanism, tree, postures(tree, frozenset()))

    def touch(self) -> Function:
        """q, t -> gaps, normal rows, sliding rows."""
        tree = build_tree(self.mechanism)
        found = touches(self.mechanism, tree, postures(tree, frozenset()))
        n = range(len(tree.speeds))
        outputs = {
            "gap": [t.gap for t in found],
            "N": [t.normal.get(k, ZERO) for t in found for k in n],
            "T": [row.get(k, ZERO) for t in found for row in t.tangents for k in n],
        }
        return self._function("touch", {"q": tree.q, **self.time}, outputs)

    def law(self) -> Function:
        """Compression and its rate -> force and its slopes by both."""
        found = self.touches()
        depth = [symbol(f"depth.'{i}", "state") for i in range(len(found))]
        rate = [symbol(f"rate.'{i}", "state") for i in range(len(found))]
        force: list[Expr] = []
        for touch, d, r in zip(found, depth, rate, strict=True):
            law = touch.contact.force
            force.append(ZERO if law is None else substitute(law, {COMPRESSION: d, COMPRESSION_RATE: r}))
        outputs = {
            "force": force,
            "by_depth": [differentiate(f, d) for f, d in zip(force, depth, strict=True)],
            "by_rate": [differentiate(f, r) for f, r in zip(force, rate, strict=True)],
        }
        return self._function("law", {"depth": depth, "rate": rate}, outputs)

    def limits(self) -> Function:
        """t -> restitution and friction coefficient of every point, dry friction of speeds."""
        found = self.touches()
        outputs = {
            "restitution": [t.contact.restitution for t in found],
            "friction": [t.contact.friction for t in found],
            "dry": list(self.mechanism.dry_friction.values()),
        }
        return self._function("limits", dict(self.time), outputs)

    def push(self) -> Function:
        """q, v, x, u, t -> c without contacts and dry friction; slopes of the laws by q, and of c by v."""
        tree = build_tree(self.mechanism)
        where = postures(tree, frozenset())
        forces = gather_forces(self.mechanism, tree, where, non_smooth=True)
        still = [ZERO] * len(tree.speeds)
        tau = inverse_dynamics(tree, where, still, forces.wrenches)
        c = [t - g for t, g in zip(tau, forces.generalised, strict=True)]
        # what laws between frames take, as generalised forces
        pushed = [forces.wrenches.get(link.index, Wrench()) for link in tree.links]
        taken = backward_pass(tree, where, still, [Wrench(negative(w.force), negative(w.moment)) for w in pushed])
        laws = [t - g for t, g in zip(taken, forces.generalised, strict=True)]
        outputs = {
            "c": c,
            "K": [x for row in by_directions(laws, along_speeds(tree)) for x in row],
            "D": [x for row in by_symbols(c, tree.v) for x in row],
        }
        return self._function("push", {"q": tree.q, "v": tree.v, **self.signals}, outputs)

"""What a unit for several copies of one mechanism needs: its shape and its functions, zeros left out."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.ensemble import Entry, Parts, Shape
from ..codegen.function import Function
from ..codegen.program import Program, make_program
from ..dynamics.frames import postures
from ..dynamics.mass import mass_matrix
from ..dynamics.tree import Tree
from ..symbolic import ZERO, Expr, Func, Symbol, fresh_table, substitute_all, topological
from .contact_equations import ContactEquations
from .equations import Equations, _deriving, _quiet
from .model import Model


def derive_ensemble(model: Model) -> tuple[Shape, Parts]:
    """The shape and the programs of a model without loops and modes."""
    equations = model.equations
    with _deriving, _quiet(), fresh_table():
        return _Derivation(model, equations).make()


class _Derivation:
    """Derives them with one table of nodes, so that all parts of the middle share what they have in common."""

    def __init__(self, model: Model, equations: Equations) -> None:
        self.model = model
        self.equations = equations
        self.contacts: ContactEquations = equations.contacts
        self.parameters: list[Symbol] = equations.parameters

    def make(self) -> tuple[Shape, Parts]:
        """Everything."""
        loops = self.model.loops()
        mechanism = self.equations.mechanism
        touches = self.contacts.touches()
        push = self.contacts.push()
        nv = self.model.nv
        stiffness, damping = _entries(push.outputs["K"], nv), _entries(push.outputs["D"], nv)
        limits = self.contacts.limits()
        gap = [t.gap for t in touches]
        rows = [t.normal for t in touches] + [row for t in touches for row in t.tangents]
        closed = self.equations.closed
        made: list[tuple[list[Entry], Program]] = []
        for masses in self._masses():
            outputs = {
                "gap": gap,
                "G": [row[k] for row in rows for k in sorted(row)],
                "M": list(masses.values()),
                "c": list(push.outputs["c"]),
                "K": [push.outputs["K"][k * nv + n] for k, n in stiffness],
                "D": [push.outputs["D"][k * nv + n] for k, n in damping],
                **limits.outputs,
            }
            function = Function("middle", push.inputs, outputs, self.parameters)
            made.append((list(masses), make_program(function)))
        mass, middle = min(made, key=lambda m: m[1].operations.total)
        shape = Shape(
            self.model.nq, nv, len(self.model.states), len(self.model.inputs), len(self.parameters),
            [sorted(t.normal) for t in touches],
            [[sorted(row) for row in t.tangents] for t in touches],
            [t.contact.force is not None for t in touches],
            [self.model.speeds.index(n) for n in mechanism.dry_friction],
            mass, stiffness, damping,
            list(zip(loops.driven_speeds, loops.driven_coordinates, strict=True)),
            tuple(self.model.dimensions.balls),
        )  # fmt: skip
        parts = Parts(
            middle,
            self._laws(),
            make_program(closed.turn()),
            make_program(closed.drives()) if loops.driven else None,
            make_program(closed.lags()) if self.model.states else None,
        )
        return shape, parts

    def _masses(self) -> list[dict[Entry, Expr]]:
        """Entries of the mass matrix that are not zero, in the ways that may pay."""
        short, plain = self.equations._short_tree(), self.equations.tree
        trees: list[tuple[Tree, frozenset[int]]] = [(plain, frozenset())]
        trees += [(short, carried) for carried in self.equations._carriers(short)]
        out = []
        for tree, carried in trees:
            for by_trace in (False, True):
                rows = mass_matrix(tree, postures(tree, carried), by_trace).rows()
                out.append(
                    {(k, n): e for k, row in enumerate(rows) for n, e in enumerate(row[: k + 1]) if e is not ZERO}
                )
        return out

    def _laws(self) -> dict[int, Program]:
        """Of every compliant contact: compression, its rate -> force and its slopes by both."""
        law = self.contacts.law()
        out = {}
        for i, (depth, rate) in enumerate(zip(law.inputs["depth"], law.inputs["rate"], strict=True)):
            force = law.outputs["force"][i]
            if self.contacts.touches()[i].contact.force is None:
                continue
            parts = (force, law.outputs["by_depth"][i], law.outputs["by_rate"][i])
            names = ("force", "by_depth", "by_rate")
            outputs = {n: [e] for n, e in zip(names, _by_one_power(parts, depth), strict=True)}
            out[i] = make_program(Function(f"law_{i}", {"depth": [depth], "rate": [rate]}, outputs, self.parameters))
        return out


def _entries(values: Sequence[Expr], size: int) -> list[Entry]:
    return [divmod(i, size) for i, e in enumerate(values) if e is not ZERO]


def _by_one_power(parts: Sequence[Expr], depth: Symbol) -> list[Expr]:
    """A force and its slopes with d^r written as d d^(r - 1), which the slope needs anyway: one power serves both."""
    powers = [n for n in topological(parts[:1]) if isinstance(n, Func) and n.name == "pow" and n.args[0] is depth]
    return substitute_all(parts, {n: depth * depth ** (n.args[1] - 1) for n in powers})

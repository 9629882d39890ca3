"""The equations of a mechanism, function by function: what is asked for is derived, nothing else."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from ..codegen.function import Function
from ..codegen.program import Program, make_program
from ..dynamics.direct import TRIAL_SIZE, WAITING, accelerations, likely_forms
from ..dynamics.energy import kinetic_energy, momentum, potential_energy
from ..dynamics.forces import gather_forces
from ..dynamics.frames import Posture, parallel_links, postures
from ..dynamics.inverse import inverse_dynamics
from ..dynamics.jacobian import frame_jacobian
from ..dynamics.kinematics import Kinematics, coordinate_rates
from ..dynamics.mass import mass_matrix
from ..dynamics.partition import Partition
from ..dynamics.regroup import regroup
from ..dynamics.sensors import reading
from ..dynamics.slide import slide_origins
from ..dynamics.tree import Tree, build_tree
from ..errors import MechanismError, printable
from ..mechanism import Frame, Mechanism
from ..symbolic import ZERO, Expr, Symbol, fresh_table, symbol
from .closed_equations import ClosedEquations
from .contact_equations import ContactEquations

_deriving = threading.RLock()

#: what may be derived of any mechanism
TREE_FUNCTIONS = (
    "inverse", "forward", "rates", "mass_matrix", "bias", "energy", "momentum", "sensors", "turn", "lags",
)  # fmt: skip

#: what closed and driven mechanisms, and analyses, need besides
CLOSED_FUNCTIONS = (
    "closure", "drift", "drives", "slopes", "reactions", "tangents", "sensor_slopes", "newton", "speeds", "reduced",
    "feel", "touch", "law", "limits", "push",
)  # fmt: skip

#: what may be derived, besides ``jacobian:FRAME``, ``guard:TRANSITION`` and ``reset:TRANSITION``
FUNCTIONS = (*TREE_FUNCTIONS, *CLOSED_FUNCTIONS)


class Equations:
    """Derives the functions of one mechanism, or of one mode of it.

    ``partition`` says which rows of closure are in use and which speeds depend on them; it is known once numbers have
    been looked at, and only slopes, newton, speeds and reduced need it.
    """

    def __init__(self, mechanism: Mechanism, mode: str | None = None) -> None:
        mechanism = mechanism.in_mode(mode)
        self.mechanism = mechanism
        self.mode = mode
        self.partition = Partition()
        self.parameters: list[Symbol] = [p.symbol for p in mechanism.parameters.values()]
        plain = build_tree(mechanism)
        self.tree = plain
        self.states = [s.symbol for s in mechanism.states.values()]
        self.inputs = [s.symbol for s in mechanism.inputs.values()]
        taken = {p.name for p in self.parameters}
        stem = next(s for s in ("tau." + "'" * i for i in count()) if not any(n.startswith(s) for n in taken))
        self.tau = [symbol(f"{stem}{n}", "force") for n in plain.speeds]
        self.contacts = ContactEquations(mechanism, self.parameters, self._signals())
        self.closed = ClosedEquations(mechanism, self.parameters, self._signals())
        #: which form of the direct dynamics was chosen, once it has been derived
        self.form: str | None = None

    def derive(self, name: str) -> Program:
        """The program of a function, ready to be emitted."""
        # one derivation at a time: threads share the table of nodes
        with _deriving, _quiet(), fresh_table():
            if name.startswith("jacobian:"):
                return make_program(self._jacobian(name))
            if name.startswith("guard:"):
                return make_program(self.closed.guard(name.removeprefix("guard:"), self.partition))
            if name.startswith("reset:"):
                return make_program(self.closed.reset(name.removeprefix("reset:")))
            if name.startswith("gradients:"):
                chosen = [int(i) for i in name.removeprefix("gradients:").split(",")]
                return make_program(self.closed.gradients(chosen, self.partition))
            makers: dict[str, Callable[[], Program]] = {
                "inverse": lambda: self._shortest([self._inverse]),
                "bias": lambda: self._shortest([self._bias]),
                "mass_matrix": lambda: self._shortest([self._mass_matrix, self._mass_matrix_by_trace]),
                "forward": lambda: self._direct("forward"),
                "rates": lambda: self._direct("rates"),
                "energy": lambda: make_program(self._energy()),
                "momentum": lambda: make_program(self._momentum()),
                "sensors": lambda: make_program(self._sensors()),
                "turn": lambda: make_program(self.closed.turn()),
                "lags": lambda: make_program(self.closed.lags()),
                "closure": lambda: make_program(self.closed.closure()),
                "drift": lambda: make_program(self.closed.drift()),
                "drives": lambda: make_program(self.closed.drives()),
                "slopes": lambda: make_program(self.closed.slopes(self.partition)),
                "reactions": lambda: make_program(self.closed.reactions(self.partition)),
                "tangents": lambda: make_program(self.closed.tangents(self.partition)),
                "sensor_slopes": lambda: make_program(self.closed.sensor_slopes()),
                "touch": lambda: make_program(self.contacts.touch()),
                "law": lambda: make_program(self.contacts.law()),
                "limits": lambda: make_program(self.contacts.limits()),
                "push": lambda: make_program(self.contacts.push()),
                "newton": lambda: make_program(self.closed.newton(self.partition)),
                "speeds": lambda: make_program(self.closed.speeds(self.partition)),
                "reduced": lambda: make_program(self.closed.reduced(self.partition)),
                "feel": lambda: make_program(self.closed.feel(self.partition)),
            }
            if name not in makers:
                raise MechanismError(
                    f"expected a function among {', '.join(FUNCTIONS)} or jacobian:FRAME, found {printable(name)!r}"
                )
            return makers[name]()

    # -- choices by counting -------------------------------------------------------------------------------
    def _short_tree(self) -> Tree:
        """The tree with slid origins and regrouped inertia, built anew: each derivation has its own nodes."""
        return regroup(slide_origins(build_tree(self.mechanism)))

    def _carriers(self, tree: Tree) -> list[frozenset[int]]:
        """Which links to write in their parent's axes: none, or those on parallel hinges."""
        parallel = parallel_links(tree)
        if not parallel or len(tree.links) > TRIAL_SIZE:
            return [frozenset()]
        return [frozenset(), parallel]

    def _traces(self, tree: Tree) -> list[bool]:
        """Whether to read the mass matrix by traces; worth trying where hinges are parallel."""
        return [False, True] if len(self._carriers(tree)) > 1 else [False]

    def _shortest(self, makers: Sequence[Callable[[Tree, Sequence[Posture]], Function]]) -> Program:
        """Derive in every way that may pay; keep what takes fewest operations."""
        tree = self._short_tree()
        programs = [make_program(make(tree, postures(tree, c))) for c in self._carriers(tree) for make in makers]
        return min(programs, key=lambda p: p.operations.total)

    def _direct(self, name: str) -> Program:
        tree = self._short_tree()
        best: tuple[float, str, Program] | None = None
        for carried in self._carriers(tree):
            where = postures(tree, carried)
            for form in likely_forms(tree):
                for by_trace in self._traces(tree) if form == "factorised" else [False]:
                    program = make_program(self._forward(tree, where, form, name, by_trace))
                    cost = program.operations.total * (WAITING if form == "articulated" else 1.0)
                    if best is None or cost < best[0]:
                        best = (cost, form, program)
        assert best is not None
        self.form = best[1]
        return best[2]

    # -- the functions -------------------------------------------------------------------------------------
    def _signals(self) -> dict[str, list[Symbol]]:
        return {"x": self.states, "u": self.inputs, "t": [self.mechanism.time]}

    def _function(self, name: str, inputs: dict[str, list[Symbol]], outputs: dict[str, list[Expr]]) -> Function:
        return Function(name, inputs, outputs, self.parameters)

    def _inverse(self, tree: Tree, where: Sequence[Posture]) -> Function:
        forces = gather_forces(self.mechanism, tree, where)
        tau = inverse_dynamics(tree, where, tree.a, forces.wrenches)
        needed = [t - g for t, g in zip(tau, forces.generalised, strict=True)]
        return self._function("inverse", {"q": tree.q, "v": tree.v, "a": tree.a, **self._signals()}, {"tau": needed})

    def _bias(self, tree: Tree, where: Sequence[Posture]) -> Function:
        forces = gather_forces(self.mechanism, tree, where)
        tau = inverse_dynamics(tree, where, [ZERO] * len(tree.speeds), forces.wrenches)
        needed = [t - g for t, g in zip(tau, forces.generalised, strict=True)]
        return self._function("bias", {"q": tree.q, "v": tree.v, **self._signals()}, {"c": needed})

    def _mass_matrix(self, tree: Tree, where: Sequence[Posture], by_trace: bool = False) -> Function:
        rows = mass_matrix(tree, where, by_trace).rows()
        return self._function("mass_matrix", {"q": tree.q}, {"M": [x for row in rows for x in row]})

    def _mass_matrix_by_trace(self, tree: Tree, where: Sequence[Posture]) -> Function:
        return self._mass_matrix(tree, where, by_trace=True)

    def _forward(self, tree: Tree, where: Sequence[Posture], form: str, name: str, by_trace: bool = False) -> Function:
        forces = gather_forces(self.mechanism, tree, where)
        if name == "rates":
            still = [ZERO] * len(tree.speeds)
            a = accelerations(tree, where, still, forces, form, by_trace)
            return self._function(
                name,
                {"q": tree.q, "v": tree.v, **self._signals()},
                {"dq": coordinate_rates(tree), "dv": a, "dx": forces.state_rates},
            )
        a = accelerations(tree, where, list(self.tau), forces, form, by_trace)
        return self._function(
            name,
            {"q": tree.q, "v": tree.v, "tau": self.tau, **self._signals()},
            {"a": a, "dx": forces.state_rates},
        )

    def _plain(self) -> tuple[Tree, list[Posture], Kinematics]:
        tree = build_tree(self.mechanism)
        where = postures(tree, frozenset())
        return tree, where, Kinematics(tree, where)

    def _energy(self) -> Function:
        tree, where, world = self._plain()
        kinetic = kinetic_energy(tree, world)
        potential = potential_energy(self.mechanism, tree, world, where)
        return self._function("energy", {"q": tree.q, "v": tree.v}, {"energy": [kinetic, potential]})

    def _momentum(self) -> Function:
        tree, _, world = self._plain()
        linear, angular = momentum(tree, world)
        return self._function("momentum", {"q": tree.q, "v": tree.v}, {"momentum": [*linear, *angular]})

    def _sensors(self) -> Function:
        tree, _, world = self._plain()
        values = [x for s in self.mechanism.sensors.values() for x in reading(tree, world, s, tree.a)]
        return self._function("sensors", {"q": tree.q, "v": tree.v, "a": tree.a, **self._signals()}, {"y": values})

    def _jacobian(self, name: str) -> Function:
        frame = self.find_frame(name.removeprefix("jacobian:"))
        tree, _, world = self._plain()
        rows = frame_jacobian(tree, world, tree.place(frame))
        return self._function("jacobian", {"q": tree.q}, {"J": [x for row in rows for x in row]})

    def find_frame(self, name: str) -> Frame:
        """A frame or body of the mechanism by name."""
        return self.mechanism._frame_of(name)


@contextmanager
def _quiet() -> Iterator[None]:
    """No garbage collection while a graph is built: nothing in it is garbage, and looking takes time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()

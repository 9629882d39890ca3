"""The native core's view of a model in one of its modes: tables of functions, memory, work space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.callable import Array, NativeFunction
from ..codegen.library import contract, load_native

if TYPE_CHECKING:
    from .model import Model
    from .parameters import Parameters

#: how a call of the core may end
DONE, NOT_FINITE, BAD_CALL, OPEN, TOO_MANY_EVENTS, EVENTS_FULL = range(6)


@dataclass(frozen=True)
class Statistics:
    """What the core counted since it was made.

    Attributes:
        evaluations: of the accelerations.
        newton: Newton steps on the positions.
        most_newton: most Newton steps in one closure.
        switches: changes of the partition.
        singular: evaluations at singular positions.
        residual: largest residual at the end of the last step [m or rad].
        speed_residual: largest residual of the speeds there (where the generic path closed them).
        generic: whether the generated partition is out of use.
    """

    evaluations: int
    newton: int
    most_newton: int
    switches: int
    singular: int
    residual: float
    speed_residual: float
    generic: bool


class Core:
    """A model in a mode, ready for the native integrators; for one thread at a time.

    ``generated`` off leaves out the generated partition: everything then runs on the generic path. ``feel`` has the
    forces of loops and drives generated as well, for those who ask for them at every step.
    """

    def __init__(
        self,
        model: Model,
        parameters: Parameters,
        mode: str | None = None,
        *,
        implicit: bool = False,
        generated: bool = True,
        hybrid: bool = False,
        feel: bool = False,
        contacts: bool = False,
    ) -> None:
        self.model = model
        self.mode = mode
        self._feel = feel
        self.parameters = parameters
        self.ffi = contract()
        self.loops = model.loops(mode)
        self.closed = bool(self.loops) or implicit or hybrid or contacts
        self._alive: list[Any] = []
        self._tables: list[tuple[NativeFunction, Array]] = []
        turn = self._function("turn")
        self.native = load_native(self._compiler)
        constraints = self._constraints(generated) if self.closed else self.ffi.NULL
        d = model.dimensions
        self.system = self.ffi.new(
            "tw_system *",
            {
                "rates": self._function("rates") if not self.closed else self._none(),
                "turn": turn,
                "slopes": self._function("slopes") if implicit else self._none(),
                "nq": model.nq,
                "nv": model.nv,
                "nx": len(d.states),
                "nu": len(d.inputs),
                "balls": len(d.balls),
                "ball_start": self._integers(d.balls),
                "constraints": constraints,
                "contacts": self._contacts() if contacts else self.ffi.NULL,
            },
        )
        self.memory = self.ffi.new("tw_memory *")
        if self.closed:
            self._dependent = self._integers(self.loops.chosen.partition.dependent)
            self.memory.dependent = self._dependent
            self.memory.generic = int(not self._has_generated)
        if contacts:
            self.impulse = np.zeros(1 + self.contact_rows + len(self.loops.chosen.partition.rows))
            self.drive_impulse = np.zeros(1 + len(self.loops.driven) + len(self.loops.locked))
            self.memory.impulse = self._pointer(self.impulse)
            self.memory.drive_impulse = self._pointer(self.drive_impulse)
            self._sum = np.zeros(len(self.impulse) + len(self.drive_impulse))
            self.memory.impulse_sum = self._pointer(self._sum)
            self.memory.theta = 0.5
            self.memory.contact_tolerance = 1e-9
        self.work = self.ffi.new("double[]", int(self.native.tw_work_size(self.system)))
        self._taken = self.ffi.new("int64_t *")

    # -- tables ------------------------------------------------------------------------------------------
    def _none(self) -> dict[str, Any]:
        return {"unit": self.ffi.NULL, "c": self.ffi.NULL}

    def _function(self, name: str) -> dict[str, Any]:
        function = self.model.function(name, self.mode)
        assert isinstance(function, NativeFunction)
        self._compiler = function.compiler
        table = self.parameters.table(function)
        self._tables.append((function, table))
        return {"unit": function.unit.table, "c": self.ffi.from_buffer("double[]", table)}

    def _integers(self, values: Sequence[int]) -> Any:
        made = self.ffi.new("int32_t[]", list(values) or [0])
        self._alive.append(made)
        return made

    def _doubles(self, values: Array) -> Any:
        made = self.ffi.new("double[]", values.tolist() or [0.0])
        self._alive.append(made)
        return made

    def _constraints(self, generated: bool) -> Any:
        loops = self.loops
        chosen = loops.chosen
        partition = chosen.partition
        rows, driven = bool(loops.rows), bool(loops.driven)
        self._has_generated = generated
        made = self.ffi.new(
            "tw_constraints *",
            {
                "rows": len(partition.rows),
                "positions": sum(i < loops.positions for i in partition.rows),
                "all_rows": len(loops.rows),
                "row": self._integers(partition.rows),
                "row_scale": self._doubles(chosen.row_scale),
                "column_scale": self._doubles(chosen.column_scale),
                "pivot": chosen.pivot,
                "driven": len(loops.driven),
                "driven_speed": self._integers(loops.driven_speeds),
                "driven_coordinate": self._integers(loops.driven_coordinates),
                "locked": len(loops.locked),
                "locked_speed": self._integers(loops.locked_speeds),
                # where the speeds that the user calls independent are not, others serve until they are again
                "dependent": self._integers(partition.dependent),
                "closure": self._function("closure") if rows else self._none(),
                "drift": self._function("drift") if rows else self._none(),
                "drives": self._function("drives") if driven else self._none(),
                "lags": self._function("lags") if self.model.states else self._none(),
                "inverse": self._function("inverse"),
                "mass": self._function("mass_matrix"),
                "newton": self._function("newton") if self._has_generated else self._none(),
                "speeds": self._function("speeds") if self._has_generated else self._none(),
                "reduced": self._function("reduced") if self._has_generated else self._none(),
                "feel": self._function("feel") if self._has_generated and self._feel else self._none(),
            },
        )
        self._alive.append(made)
        return made

    def _contacts(self) -> Any:
        """What may touch."""
        touches = self.loops.equations.contacts.touches()
        dry = list(self.loops.equations.mechanism.dry_friction)
        starts = np.cumsum([0, *(len(t.tangents) for t in touches)])
        self.contact_rows = len(touches) + int(starts[-1]) + len(dry)
        self.touches = touches
        made = self.ffi.new(
            "tw_contacts *",
            {
                "count": len(touches),
                "tangents": int(starts[-1]),
                "dry": len(dry),
                "compliant": self._integers([int(t.contact.force is not None) for t in touches]),
                "slide_start": self._integers([int(s) for s in starts]),
                "dry_speed": self._integers([self.model.speeds.index(n) for n in dry]),
                "touch": self._function("touch"),
                "law": self._function("law"),
                "limits": self._function("limits"),
                "push": self._function("push"),
            },
        )
        self._alive.append(made)
        return made

    def record_forces(self, rows: Array) -> None:
        """From now on write the mean forces of contacts, drives and locks to these rows."""
        self._force_rows = rows
        self.memory.force_record = self._pointer(rows)

    @property
    def force_names(self) -> list[str]:
        """What the columns of recorded forces are: contacts, their friction, dry friction, loops, drives, locks.

        The last two are works since the start [J]: of contacts and dry friction, and of drives.
        """
        loops = self.loops
        normal = [t.name for t in self.touches]
        slides = [
            f"{t.name}.friction" if len(t.tangents) == 1 else f"{t.name}.friction{i + 1}"
            for t in self.touches
            for i in range(len(t.tangents))
        ]
        dry = [f"{n}.dry_friction" for n in loops.equations.mechanism.dry_friction]
        rows = [loops.rows[i] for i in loops.chosen.partition.rows]
        held = [*loops.driven, *(f"{n}.lock" for n in loops.locked)]
        return [*normal, *slides, *dry, *rows, *held, "work.contacts", "work.drives"]

    def refresh(self) -> None:
        """Read the parameters again, after some of them have changed."""
        for function, table in self._tables:
            table[:] = self.parameters.table(function)

    # -- calls -------------------------------------------------------------------------------------------
    def _pointer(self, a: Array | None) -> Any:
        return self.ffi.NULL if a is None else self.ffi.cast("double *", a.ctypes.data)

    def integrate(
        self,
        method: int,
        t: float,
        h: float,
        n: int,
        y: Array,
        u: Array,
        u_per_step: int,
        every: int,
        record: Array,
        residual: Array | None,
    ) -> tuple[int, int]:
        """Steps taken, and how it ended; as ``tw_integrate`` says."""
        ended = self.native.tw_integrate(
            self.system, self.memory, method, t, h, n, self._pointer(y), self._pointer(u), u_per_step, every,
            self._pointer(record), self._pointer(residual), self.work, self._taken,
        )  # fmt: skip
        return int(self._taken[0]), int(ended)

    def evaluate(
        self, t: float, y: Array, u: Array, tau: Array | None = None, forces: bool = False
    ) -> tuple[int, Array, Array]:
        """Close ``y`` in place; how that ended, dy/dt, and the forces of rows in use, drives and locks if asked for."""
        dy = np.empty_like(y)
        loops = self.loops
        count = len(loops.chosen.partition.rows) + len(loops.driven) + len(loops.locked) if self.closed else 0
        force = np.zeros(max(1, count)) if forces else None
        ended = self.native.tw_evaluate(
            self.system, self.memory, t, self._pointer(y), self._pointer(u), self._pointer(tau), self._pointer(dy),
            self._pointer(force), self.work,
        )  # fmt: skip
        return int(ended), dy, force[:count] if force is not None else np.zeros(0)

    @property
    def statistics(self) -> Statistics:
        """What has been counted."""
        m = self.memory
        return Statistics(
            int(m.evaluations),
            int(m.newton),
            int(m.most_newton),
            int(m.switches),
            int(m.singular),
            float(m.residual),
            float(m.speed_residual),
            bool(m.generic),
        )

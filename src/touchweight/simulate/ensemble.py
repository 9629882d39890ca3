"""Many copies of one mechanism with parameters of their own, carried side by side in the lanes of vector registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..codegen.callable import Array
from ..codegen.ensemble_library import lanes_for
from ..errors import ShapeError, TouchweightError, printable
from .arguments import as_vector
from .assembly import start
from .copy_view import CopyView
from .ensemble_unit import ensemble_unit, force_names
from .input_table import Source, input_table
from .model import Model, Values
from .parameters import Parameters
from .record import make_recording
from .recording import Recording
from .state import State

#: bytes to which arrays for vector registers are aligned
_ALIGN = 64


def _aligned(*shape: int) -> Array:
    """Zeros at an address that vector registers like."""
    size = int(np.prod(shape))
    raw = np.zeros(size + _ALIGN // 8)
    skip = -raw.ctypes.data % _ALIGN // 8
    return raw[skip : skip + size].reshape(shape)


class Ensemble:
    """Copies of one model: the same mechanism, each with its own parameters, state and inputs.

    All take the steps of the method ``moreau`` together, as many side by side as a register has lanes; no copy
    influences another. For mechanisms with contacts or dry friction, without loops and modes; for one thread at a time.

    Args:
        model: what to run.
        parameters: for each copy, what differs from the description's values: a mapping, or parameters of a state.
        theta: 0.5 takes felts in the middle of a step, 1 at its end.
        tolerance: at which the contact problem of a step counts as solved [sqrt J].
        lanes: copies side by side, 2, 4 or 8; by default as many as suit the processor and the number of copies.

    Attributes:
        q: coordinates, (copies, nq), to be read and written between steps.
        v: speeds, likewise.
        x: first-order states, likewise.
        t: time [s].
    """

    def __init__(
        self,
        model: Model,
        parameters: Sequence[Mapping[str, float] | Parameters],
        *,
        theta: float = 0.5,
        tolerance: float = 1e-9,
        lanes: int | None = None,
    ) -> None:
        if not len(parameters):
            raise ShapeError("expected parameters for at least one copy, found none; pass [{}] for one as described")
        if lanes not in (None, 2, 4, 8):
            raise ShapeError(f"expected lanes of 2, 4 or 8, found {printable(repr(lanes), 40)}")
        if not 0.5 <= theta <= 1.0:
            raise ShapeError(f"expected theta from 0.5 to 1, found {printable(repr(theta), 40)}")
        self.model = model
        self.parameters = [p.copy() if isinstance(p, Parameters) else model.parameters.copy(p) for p in parameters]
        self.copies = len(self.parameters)
        self.lanes = lanes or lanes_for(self.copies)
        self.unit = ensemble_unit(model, self.lanes)
        self.t = 0.0
        self._allocate()
        self._blocks.theta, self._blocks.tolerance = theta, tolerance
        self.refresh()
        for name, default in (("q", model.dimensions.q_default), ("v", model.dimensions.v_default),
                              ("x", model.dimensions.x_default)):  # fmt: skip
            getattr(self, name)[:] = default

    def _allocate(self) -> None:
        model, table, lanes = self.model, self.unit.table, self.lanes
        blocks = -(-self.copies // lanes)
        self._size = model.nq + model.nv + len(model.states)
        self._forces = int(table.rows + table.driven)
        self._y = _aligned(blocks, self._size, lanes)
        self._c = _aligned(blocks, int(table.slots) + 1, lanes)
        self._impulse = _aligned(blocks, self._forces + 1, lanes)
        self._told = _aligned(blocks, 4, lanes)
        self._u = np.tile(model.dimensions.u_default, (self.copies, 1))
        self._record_copy = np.zeros(self.copies, dtype=np.int64)
        ffi = self.unit.ffi
        self._blocks = ffi.new("tw_copies *")
        self._blocks.blocks, self._blocks.copies = blocks, self.copies
        for name, array in (("c", self._c), ("y", self._y), ("impulse", self._impulse), ("told", self._told)):
            setattr(self._blocks, name, self._pointer(array))
        self._blocks.record_copy = ffi.cast("int64_t *", self._record_copy.ctypes.data)
        #: a view of the state, copy by copy: (blocks, lanes, size); a block may have more lanes than there are copies
        self._by_copy = np.swapaxes(self._y, 1, 2)

    def _pointer(self, a: Array) -> Any:
        return self.unit.ffi.cast("double *", a.ctypes.data)

    # -- what can be read and written ----------------------------------------------------------------------------
    @property
    def q(self) -> CopyView:
        """Coordinates by copy."""
        return CopyView(self._y, self.copies, 0, self.model.nq)

    @property
    def v(self) -> CopyView:
        """Speeds by copy."""
        return CopyView(self._y, self.copies, self.model.nq, self.model.nv)

    @property
    def x(self) -> CopyView:
        """First-order states by copy."""
        return CopyView(self._y, self.copies, self.model.nq + self.model.nv, len(self.model.states))

    @property
    def looks(self) -> Array:
        """How often the last step looked at the contact problem, by copy."""
        return self._lanes_of(self._told[:, 1])

    @property
    def most_looks(self) -> Array:
        """The most looks in any step so far, by copy."""
        return self._lanes_of(self._told[:, 2])

    @property
    def residual(self) -> Array:
        """How far the last step ended from a solution of the contact problem [sqrt J], by copy."""
        return self._lanes_of(self._told[:, 0])

    @property
    def worst_residual(self) -> Array:
        """The largest such residual so far, by copy."""
        return self._lanes_of(self._told[:, 3])

    def _lanes_of(self, a: Array) -> Array:
        return a.reshape(-1)[: self.copies].copy()

    def impulses(self) -> Array:
        """Impulses of contacts, sliding, dry friction and drives in the last step, (copies, forces) [N s or N m s]."""
        by_copy = np.swapaxes(self._impulse, 1, 2).reshape(-1, self._forces + 1)
        return by_copy[: self.copies, : self._forces].copy()

    def refresh(self) -> None:
        """Read the parameters again, after some of them have changed."""
        vectors = np.array([p.vector for p in self.parameters])
        p = _aligned(int(self.unit.table.parameters) + 1, self.lanes)
        for b in range(len(self._c)):
            which = np.minimum(np.arange(b * self.lanes, (b + 1) * self.lanes), self.copies - 1)
            p[:-1] = vectors[which].T
            self.unit.table.prepare(self._pointer(p), self._pointer(self._c[b]))

    # -- running -------------------------------------------------------------------------------------------------
    @property
    def inputs(self) -> Array:
        """Inputs, (copies, nu), that :meth:`step` holds over a step; to be written between steps."""
        return self._u

    def step(self, u: Array | None = None, dt: float = 5e-4) -> None:
        """One step of all copies, with inputs (copies, nu), or :attr:`inputs` as they are, held over it."""
        if u is not None:
            self._u[:] = u
        self.stepper(dt)()

    def stepper(self, dt: float = 5e-4, steps: int = 1) -> Callable[[], None]:
        """A function that takes some steps of ``dt`` [s] with :attr:`inputs`; it allocates nothing."""
        run, blocks, u, null = self.unit.table.run, self._blocks, self._pointer(self._u), self.unit.ffi.NULL
        length = steps * dt

        def advance() -> None:
            blocks.recorded = 0
            ended = run(blocks, self.t, dt, steps, u, 0, 1, null, null)
            self.t += length
            if ended:
                self._complain()

        return advance

    def run(
        self,
        duration: float,
        *,
        inputs: Sequence[Mapping[str, Source]] | Mapping[str, Source] | None = None,
        drives: Sequence[Mapping[str, Source]] | Mapping[str, Source] | None = None,
        dt: float = 5e-4,
        sampling: str = "stages",
        record: Sequence[int] | None = None,
        every: int = 1,
    ) -> list[Recording]:
        """Run all copies for a while.

        Args:
            duration: how long [s]; rounded to whole steps.
            inputs: for each copy a mapping as in :meth:`.Model.simulate`, or one mapping for all.
            drives: likewise.
            dt: step [s].
            sampling: ``stages`` or ``steps``, as in :meth:`.Model.simulate`.
            record: which copies to record; all by default, none with ``[]``.
            every: record every so many steps.

        Returns:
            A recording for each copy in ``record``.
        """
        if not (dt > 0.0 and duration >= 0.0 and duration / dt < 2.0**31) or every < 1:
            raise ShapeError(
                f"expected a positive dt, a duration and every of at least 1, found {dt:g}, {duration:g}, {every}"
            )
        steps = round(duration / dt)
        chosen = self._chosen(record)
        states = [self._state(i) for i in range(self.copies)]
        given, driven = self._each(inputs, "inputs"), self._each(drives, "drives")
        tables = [input_table(self.model, s, given[i], driven[i], dt, steps, sampling) for i, s in enumerate(states)]
        per_step = max(t.per_step for t in tables)
        count = {0: 1, 1: max(1, steps), 2: 2 * steps + 1}[per_step]
        u = np.empty((count, self.copies, len(self.model.inputs)))
        for i, t in enumerate(tables):
            u[:, i] = t.rows
        self._u[:] = u[-1]
        self._start(states, u[0])
        rows = np.zeros((1 + steps // every, len(chosen), self._size))
        forces = np.zeros((1 + steps // every, len(chosen), self._forces))
        rows[0] = self._copies_of_state()[chosen]
        self._record_copy[: len(chosen)] = chosen
        self._blocks.recorded = len(chosen)
        t0 = self.t
        ended = self.unit.table.run(
            self._blocks, self.t, dt, steps, self._pointer(u), per_step, every, self._pointer(rows[1:]),
            self._pointer(forces[1:]),
        )  # fmt: skip
        self.t += steps * dt
        if ended:
            self._complain()
        at: Array = t0 + dt * every * np.arange(len(rows), dtype=np.float64)
        names = force_names(self.model)
        return [
            make_recording(
                self.model, states[i], at, np.ascontiguousarray(rows[:, n]),
                tables[i].at_steps(steps)[::every][: len(rows)], None, None, (),
                dict(zip(names, forces[:, n].T, strict=True)),
            )
            for n, i in enumerate(chosen)
        ]  # fmt: skip

    def place(self, q: Values | None = None, v: Values | None = None, copies: Sequence[int] | None = None) -> None:
        """Put copies (all by default) somewhere: coordinates and speeds in order or by name, as in a state."""
        d = self.model.dimensions
        for i in self._chosen(copies):
            if q is not None:
                self.q[i] = as_vector(q, "q", d.coordinates, d.q_default, d.balls)
            if v is not None:
                self.v[i] = as_vector(v, "v", d.speeds, d.v_default)

    def _state(self, i: int) -> State:
        return State(
            self.t, self.q[i].copy(), self.v[i].copy(), self.x[i].copy(), self._u[i].copy(), self.parameters[i],
            self.model.equations.mode,
        )  # fmt: skip

    def _start(self, states: Sequence[State], u: Array) -> None:
        """Put what is driven where it is driven to begin with."""
        if not self.model.loops():
            return
        for i, state in enumerate(states):
            state.u[:] = u[i]
            start(self.model, state, None, None)
            self.q[i], self.v[i] = state.q, state.v

    def _copies_of_state(self) -> Array:
        return self._by_copy.reshape(-1, self._size)

    def _chosen(self, copies: Sequence[int] | None) -> list[int]:
        chosen = list(range(self.copies)) if copies is None else list(copies)
        if any(not 0 <= i < self.copies for i in chosen) or len(set(chosen)) < len(chosen):
            raise ShapeError(
                f"expected different copies from 0 to {self.copies - 1}, found {printable(str(chosen), 60)}; "
                "name each once"
            )
        return chosen

    def _each(self, given: Any, what: str) -> list[Mapping[str, Source] | None]:
        if given is None or isinstance(given, Mapping):
            return [given] * self.copies
        if len(given) != self.copies:
            raise ShapeError(f"expected {what} for {self.copies} copies, found {len(given)}; give one for each")
        return list(given)

    def _complain(self) -> None:
        bad = np.flatnonzero(~np.isfinite(self._copies_of_state()[: self.copies]).all(axis=1))
        raise TouchweightError(
            f"expected finite numbers throughout, found NaN or infinity in copy {bad[0] if len(bad) else '?'} of model "
            f"{printable(self.model.name)!r}; take a smaller dt or check its parameters"
        )

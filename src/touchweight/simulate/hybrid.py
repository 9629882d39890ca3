"""A model with modes as the native core sees it: one core for each mode, and the transitions between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..codegen.callable import Array, NativeFunction
from .core import Core
from .event import Event
from .input_table import live_inputs

if TYPE_CHECKING:
    from .model import Model
    from .parameters import Parameters

#: events that are recorded before the core asks for more room
ROOM = 4096


class Hybrid:
    """Cores and transitions; for one thread at a time.

    Args:
        model: with modes.
        parameters: current values.
        tolerance: how closely transitions are located [s].
        rest_time: accumulating events that would end within this time are resolved into rest [s].
        most_events: in one step; if they don't lead to rest, the run ends.
        implicit: prepare the linearly implicit method as well.
    """

    def __init__(
        self,
        model: Model,
        parameters: Parameters,
        *,
        tolerance: float = 1e-12,
        rest_time: float = 1e-9,
        most_events: int = 1000,
        implicit: bool = False,
    ) -> None:
        self.model = model
        self.modes = model.modes
        self.transitions = list(model.mechanism.transitions.values())
        self.cores = [
            Core(model, parameters, mode, implicit=implicit, hybrid=True, feel=self._feels(mode)) for mode in self.modes
        ]
        self.most_events = most_events
        first = self.cores[0]
        ffi = self.ffi = first.ffi
        self._native = first.native
        self._alive: list[Any] = []
        ways = [self._transition(way, parameters) for way in self.transitions]
        self._ways = ffi.new("tw_transition[]", ways or 1)
        self._watch = ffi.new("tw_watch[]", max(1, len(ways)))
        self.forget()
        self._systems = ffi.new("tw_system *[]", [c.system for c in self.cores])
        self._memories = ffi.new("tw_memory *[]", [c.memory for c in self.cores])
        live = live_inputs(model)
        self._live = ffi.new("int32_t[]", live or [0])
        self.hybrid = ffi.new(
            "tw_hybrid *",
            {
                "modes": len(self.cores),
                "system": self._systems,
                "memory": self._memories,
                "transitions": len(ways),
                "transition": self._ways,
                "watch": self._watch,
                "tolerance": tolerance,
                "rest_time": rest_time,
                "most_events": most_events,
                "live": len(live),
                "live_input": self._live,
            },
        )
        self.work = ffi.new("double[]", int(self._native.tw_run_size(self.hybrid)))
        self._taken = ffi.new("int64_t *")
        self._count = ffi.new("int64_t *")
        self._mode = ffi.new("int32_t *")

    def _feels(self, mode: str) -> bool:
        """Whether a guard of the mode reads forces."""
        closed = self.model.loops(mode).equations.closed
        return any(way.source == mode and closed.needs_force(way.name) for way in self.transitions)

    def forget(self) -> None:
        """Start a new run: what was armed, predicted or counted belongs to the one before."""
        for i in range(len(self.transitions)):
            self._watch[i].armed = -1
            self._watch[i].last = -1e300
            self._watch[i].interval = 0.0
            self._watch[i].predicted = 1e300

    def _transition(self, way: Any, parameters: Parameters) -> dict[str, Any]:
        model, modes = self.model, self.modes
        # the partition of the source tells which forces the guard can see
        loops = model.loops(way.source)
        _ = loops.chosen

        def function(name: str) -> dict[str, Any]:
            compiled = model.function(f"{name}:{way.name}", way.source)
            assert isinstance(compiled, NativeFunction)
            table = parameters.table(compiled)
            self._alive.append(table)
            return {"unit": compiled.unit.table, "c": self.ffi.from_buffer("double[]", table)}

        return {
            "source": modes.index(way.source),
            "target": modes.index(way.target),
            "rest": modes.index(way.rest) if way.rest is not None else -1,
            "impact": int(way.restitution is not None),
            "needs_force": int(loops.equations.closed.needs_force(way.name)),
            "guard": function("guard"),
            "reset": function("reset"),
        }

    def run(
        self,
        mode: int,
        method: int,
        t: float,
        h: float,
        n: int,
        y: Array,
        u: Array,
        u_per_step: int,
        every: int,
        record: Array,
        residual: Array,
        mode_record: Any,
    ) -> tuple[int, int, int, list[Event]]:
        """Steps taken, how it ended, the mode it ended in, and the transitions on the way."""
        ffi = self.ffi
        room = ROOM + self.most_events
        events = ffi.new("tw_event[]", room)
        self._count[0], self._mode[0] = 0, mode

        def pointer(a: Array) -> Any:
            return ffi.cast("double *", a.ctypes.data)

        ended = self._native.tw_run(
            self.hybrid, self._mode, method, t, h, n, pointer(y), pointer(u), u_per_step, every, pointer(record),
            pointer(residual), ffi.cast("int32_t *", mode_record.ctypes.data), events, room, self._count, self.work,
            self._taken,
        )  # fmt: skip
        found = [self._event(events[i]) for i in range(self._count[0])]
        return int(self._taken[0]), int(ended), int(self._mode[0]), found

    def _event(self, e: Any) -> Event:
        name = self.transitions[e.transition].name
        how = ("", " (to rest)", " (chattering)")[e.rested]
        return Event(float(e.t), name + how, self.modes[e.source], self.modes[e.target])

"""Calling generated functions from Python: one evaluation, or a batch across lanes and cores."""

from __future__ import annotations

import functools
import os
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import python
from .compiler import Compiler, find_compiler, native_lanes
from .library import Unit, contract, load_unit
from .program import Program

Array = npt.NDArray[np.float64]

#: a batch with fewer operations than this stays on one core
WORTH_A_THREAD = 2_000_000


@dataclass(frozen=True)
class Binding:
    """A function with its arrays fixed: ``call()`` reads table and inputs and fills outputs, unchecked."""

    table: Array
    inputs: list[Array]
    outputs: list[Array]
    call: Callable[[], object]


class Compiled(Protocol):
    """A generated function that can be called."""

    program: Program

    def prepare(self, p: Array) -> Array:
        """The table of slots for a parameter vector."""

    def evaluate(self, table: Array, inputs: Sequence[Array]) -> list[Array]:
        """One evaluation: one-dimensional arrays in and out."""

    def bind(self, table: Array) -> Binding:
        """An evaluation with arrays of its own, for one thread at a time."""

    def batch(
        self, table: Array | None, p: Array | None, inputs: Sequence[Array], count: int, threads: int
    ) -> list[Array]:
        """``count`` evaluations: arrays of shape (count or 1, size) in, (count, size) out.

        With ``p`` of shape (count, parameters) every item has its own parameters; else ``table`` serves all.
        """


class NativeFunction:
    """A function as machine code."""

    def __init__(self, program: Program, compiler: Compiler) -> None:
        self.program = program
        self.compiler = compiler
        self.ffi = contract()
        self.unit = load_unit(program, compiler)
        self._lane_units: dict[bool, Unit] = {}
        self._lock = threading.Lock()
        self._sizes_out = list(program.sizes_out.values())
        self._evaluate = self.unit.table.evaluate
        self._doubles = self.ffi.typeof("double[]")

    def _pointer(self, a: Array) -> Any:
        """A pointer to the numbers of ``a``, which keeps them alive."""
        return self.ffi.from_buffer(self._doubles, a)

    def prepare(self, p: Array) -> Array:
        """As :class:`Compiled` says."""
        table = np.zeros(max(1, len(self.program.slots)))
        self.unit.table.prepare(self._pointer(p), self._pointer(table))
        return table

    def evaluate(self, table: Array, inputs: Sequence[Array]) -> list[Array]:
        """As :class:`Compiled` says."""
        outputs = [np.empty(n) for n in self._sizes_out]
        self._evaluate(self._pointer(table), [*map(self._pointer, inputs)], [*map(self._pointer, outputs)])
        return outputs

    def bind(self, table: Array) -> Binding:
        """As :class:`Compiled` says."""
        inputs = [np.zeros(n) for n in self.program.sizes_in.values()]
        outputs = [np.zeros(n) for n in self._sizes_out]
        places_in = self.ffi.new("double *[]", [*map(self._pointer, inputs)] or 1)
        places_out = self.ffi.new("double *[]", [*map(self._pointer, outputs)] or 1)
        call = functools.partial(self._evaluate, self._pointer(table), places_in, places_out)
        call.keeps_alive = (self.unit, inputs, outputs)  # type: ignore[attr-defined]
        return Binding(table, inputs, outputs, call)

    def lane_unit(self, own_parameters: bool) -> Unit:
        """The unit that takes several items side by side, built when first needed."""
        with self._lock:
            found = self._lane_units.get(own_parameters)
            if found is None:
                found = load_unit(self.program, self.compiler, native_lanes(), own_parameters)
                self._lane_units[own_parameters] = found
        return found

    def batch(
        self, table: Array | None, p: Array | None, inputs: Sequence[Array], count: int, threads: int
    ) -> list[Array]:
        """As :class:`Compiled` says."""
        outputs = [np.empty((count, n)) for n in self._sizes_out]
        if not count:
            return outputs
        unit = self.lane_unit(p is not None)
        lanes = int(unit.table.lanes)
        pieces = max(1, min(threads, count // (4 * lanes)))
        step = -(-count // pieces)
        step += -step % lanes
        spans = [(lo, min(count, lo + step)) for lo in range(0, count, step)]
        if len(spans) == 1:
            self._span(unit, table, p, inputs, outputs, 0, count)
        else:
            with ThreadPoolExecutor(len(spans)) as pool:
                list(pool.map(lambda s: self._span(unit, table, p, inputs, outputs, *s), spans))
        return outputs

    def _span(
        self,
        unit: Unit,
        table: Array | None,
        p: Array | None,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        lo: int,
        hi: int,
    ) -> None:
        ffi = self.ffi

        def pointer(a: Array) -> Any:
            row = a.strides[0] if a.shape[0] > 1 else 0
            return ffi.cast("double *", a.ctypes.data + lo * row)

        def layout(a: Array) -> tuple[int, int]:
            row = a.strides[0] // 8 if a.shape[0] > 1 else 0
            return row, (a.strides[1] // 8 if a.shape[1] > 1 else 1)

        unit.table.batch(
            ffi.from_buffer("double[]", table) if table is not None else ffi.NULL,
            pointer(p) if p is not None else ffi.NULL,
            layout(p) if p is not None else (0, 1),
            [pointer(a) for a in inputs],
            [layout(a) for a in inputs],
            [pointer(a) for a in outputs],
            [layout(a) for a in outputs],
            hi - lo,
        )


#: what Python raises outside a function's domain, where machine code and NumPy go on with NaN and infinity
_OUTSIDE = (ValueError, OverflowError, ZeroDivisionError)


class PythonFunction:
    """A function as generated Python."""

    def __init__(self, program: Program) -> None:
        self.program = program
        prepare, evaluate = python.emit_prepare(program), python.emit_evaluate(program)
        self._prepare = python.load(prepare, "prepare", python.SCALAR_NAMES)
        self._prepare_arrays = python.load(prepare, "prepare", python.ARRAY_NAMES)
        self._evaluate = python.load(evaluate, "evaluate", python.SCALAR_NAMES)
        self._evaluate_arrays = python.load(evaluate, "evaluate", python.ARRAY_NAMES)

    def prepare(self, p: Array) -> Array:
        """As :class:`Compiled` says."""
        table = [0.0] * max(1, len(self.program.slots))
        try:
            self._prepare(p.tolist(), table)
        except _OUTSIDE:
            with np.errstate(all="ignore"):
                self._prepare_arrays(list(p), table)
        return np.array(table, dtype=float)

    def evaluate(self, table: Array, inputs: Sequence[Array]) -> list[Array]:
        """As :class:`Compiled` says."""
        outputs: list[list[float]] = [[0.0] * n for n in self.program.sizes_out.values()]
        try:
            self._evaluate(table.tolist(), *(a.tolist() for a in inputs), *outputs)
        except _OUTSIDE:
            return [o[0] for o in self.batch(table, None, [a[None, :] for a in inputs], 1, 1)]
        return [np.array(o, dtype=float) for o in outputs]

    def bind(self, table: Array) -> Binding:
        """As :class:`Compiled` says."""
        inputs = [np.zeros(n) for n in self.program.sizes_in.values()]
        outputs = [np.zeros(n) for n in self.program.sizes_out.values()]

        def call() -> None:
            for array, found in zip(outputs, self.evaluate(table, inputs), strict=True):
                array[:] = found

        return Binding(table, inputs, outputs, call)

    def batch(
        self, table: Array | None, p: Array | None, inputs: Sequence[Array], count: int, threads: int
    ) -> list[Array]:
        """As :class:`Compiled` says."""
        columns = [[a[:, i] for i in range(a.shape[1])] for a in inputs]
        outputs: list[list[Any]] = [[0.0] * n for n in self.program.sizes_out.values()]
        with np.errstate(all="ignore"):
            if p is not None:
                slots: Any = [0.0] * max(1, len(self.program.slots))
                self._prepare_arrays([p[:, i] for i in range(p.shape[1])], slots)
            else:
                slots = [] if table is None else list(table)
            self._evaluate_arrays(slots, *columns, *outputs)
        return [
            np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in o], axis=1)
            if o
            else np.empty((count, 0))
            for o in outputs
        ]


_warned = False


def compile_function(program: Program) -> NativeFunction | PythonFunction:
    """A callable for a program: machine code, or generated Python and a warning without a compiler."""
    global _warned
    compiler = find_compiler()
    if compiler is not None:
        return NativeFunction(program, compiler)
    if not _warned and not os.environ.get("TOUCHWEIGHT_NO_COMPILER"):
        _warned = True
        warnings.warn(
            "expected a C compiler ($CC, cc, gcc, clang or the ziglang wheel), found none; running generated "
            "Python, which gives the same numbers far more slowly (pip install 'touchweight[compiler]')",
            stacklevel=2,
        )
    return PythonFunction(program)


def batch_threads(program: Program, count: int) -> int:
    """How many cores a batch is worth."""
    if program.operations.total * count < WORTH_A_THREAD:
        return 1
    return os.cpu_count() or 1

"""Building generated units and loading them through the native contract."""

from __future__ import annotations

import functools
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cffi

from ..errors import BuildError
from .c import emit_unit
from .cache import cached, key_of
from .compiler import (
    FLAGS,
    NATIVE,
    Compiler,
    compile_object,
    cpu_identity,
    include_flags,
    library_suffix,
    link_library,
    optimisation,
    python_platform,
)
from .program import Program

#: the contract's version, as the header says
ABI = 1


@functools.cache
def contract() -> cffi.FFI:
    """The declarations of ``native/touchweight.h``, read from its own text."""
    text = (NATIVE / "touchweight.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    ffi = cffi.FFI()
    ffi.cdef(text + "\nextern tw_unit tw_unit_table;\n")
    return ffi


@functools.cache
def _headers() -> str:
    return "".join(p.read_text(encoding="utf-8") for p in sorted(NATIVE.glob("*.h")))


def build_unit(program: Program, compiler: Compiler, lanes: int = 1, slot_lanes: bool = False) -> Path:
    """The shared library of a program, from the cache or freshly built."""
    source = emit_unit(program)
    flags = (
        *FLAGS,
        optimisation(len(program.body.steps)),
        *compiler.tune,
        f"-DTW_LANES={lanes}",
        f"-DTW_SLOT_LANES={int(slot_lanes)}",
    )
    return _build([source], compiler, flags)


def build_native(compiler: Compiler) -> Path:
    """The shared library of the hand-written core."""
    sources = [p.read_text(encoding="utf-8") for p in sorted(NATIVE.glob("*.c"))]
    return _build(sources, compiler, (*FLAGS, "-O3", *compiler.tune))


def _build(sources: list[str], compiler: Compiler, flags: tuple[str, ...]) -> Path:
    key = key_of(
        [str(ABI), *sources, _headers(), *flags, *compiler.command, compiler.version, cpu_identity(), python_platform()]
    )

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="touchweight-") as scratch:
            jobs = []
            for i, text in enumerate(sources):
                path = Path(scratch) / f"part{i}.c"
                path.write_text(text, encoding="utf-8")
                jobs.append((path, path.with_suffix(".o")))
            with ThreadPoolExecutor() as pool:
                list(pool.map(lambda j: compile_object(compiler, j[0], j[1], (*flags, *include_flags())), jobs))
            link_library(compiler, [o for _, o in jobs], target)

    return cached(key, library_suffix(), make)


class Unit:
    """A loaded unit: the table of a generated function, checked against the program it should be."""

    def __init__(self, path: Path, program: Program) -> None:
        self.ffi = contract()
        try:
            self.library: Any = self.ffi.dlopen(str(path))
            self.table = self.ffi.addressof(self.library, "tw_unit_table")
        except (OSError, AttributeError) as error:
            raise BuildError(f"expected a library of ours at {path.name}, found: {error}; delete it and try again") from None
        self._check(program)

    def _check(self, program: Program) -> None:
        t = self.table
        found = (
            t.abi, t.inputs, t.outputs, t.parameters, t.slots,
            [t.sizes_in[i] for i in range(t.inputs)], [t.sizes_out[i] for i in range(t.outputs)],
        )  # fmt: skip
        expected = (
            ABI, len(program.sizes_in), len(program.sizes_out), len(program.function.parameters), len(program.slots),
            list(program.sizes_in.values()), list(program.sizes_out.values()),
        )  # fmt: skip
        if found != expected:
            raise BuildError(f"expected a library with (abi, sizes) {expected}, found {found}; clear the cache folder")


def load_unit(program: Program, compiler: Compiler, lanes: int = 1, slot_lanes: bool = False) -> Unit:
    """Build (or find) and load the library of a program."""
    return Unit(build_unit(program, compiler, lanes, slot_lanes), program)

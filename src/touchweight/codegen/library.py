"""Building generated units and loading them through the native contract."""

from __future__ import annotations

import functools
import os
import re
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

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
from .levels import emit_levels
from .program import Program

T = TypeVar("T")

#: the contract's version, as the header says
ABI = int(re.findall(r"^#define TW_ABI (\d+)", (NATIVE / "touchweight.h").read_text(encoding="utf-8"), re.M)[0])


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
    flags = (*FLAGS, *compiler.tune, f"-DTW_LANES={lanes}", f"-DTW_SLOT_LANES={int(slot_lanes)}")
    usual = optimisation(program.operations.total)
    # rare code runs when a parameter changes; with parameters of their own, every item runs it
    rare = usual if slot_lanes else "-O0"
    return _build([(f.text, (rare if f.rare else usual)) for f in emit_unit(program)], compiler, flags)


def build_levels(program: Program, compiler: Compiler) -> Path:
    """The library of a program whose body is grouped into vector steps; for measurement."""
    flags = (*FLAGS, *compiler.tune, "-DTW_LANES=1", "-DTW_SLOT_LANES=0")
    return _build([(f.text, "-O0" if f.rare else "-O3") for f in emit_levels(program)], compiler, flags)


def build_native(compiler: Compiler) -> Path:
    """The shared library of the hand-written core."""
    sources = [(p.read_text(encoding="utf-8"), "-O3") for p in sorted(NATIVE.glob("*.c"))]
    return _build(sources, compiler, (*FLAGS, *compiler.tune))


def _build(sources: list[tuple[str, str]], compiler: Compiler, flags: tuple[str, ...]) -> Path:
    """Compile (text, optimisation) pairs side by side and link them, unless the cache has the result."""
    made_of = [part for source in sources for part in source]
    identity = (*compiler.command, compiler.version, cpu_identity(), python_platform())
    key = key_of([str(ABI), *made_of, _headers(), *flags, *identity])

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="touchweight-") as scratch:
            jobs = []
            for i, (text, level) in enumerate(sources):
                path = Path(scratch) / f"part{i}.c"
                path.write_text(text, encoding="utf-8")
                jobs.append((path, path.with_suffix(".o"), (*flags, level, *include_flags())))
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                list(pool.map(lambda job: compile_object(compiler, *job), jobs))
            link_library(compiler, [o for _, o, _ in jobs], target)

    return cached(key, library_suffix(), make)


class Unit:
    """A loaded unit: the table of a generated function, checked against the program it should be."""

    def __init__(self, path: Path, program: Program, lanes: int = 1, slot_lanes: bool = False) -> None:
        self.ffi = contract()
        self.library = _open(path)
        try:
            self.table = self.ffi.addressof(self.library, "tw_unit_table")
        except AttributeError as error:
            raise BuildError(f"expected a library of ours at {path}, found: {error}; delete it and try again") from None
        self._check(program, lanes, slot_lanes)

    def _check(self, program: Program, lanes: int, slot_lanes: bool) -> None:
        t = self.table
        found: tuple[Any, ...] = (t.abi,)
        if t.abi == ABI:  # else the rest of the table may lie elsewhere
            found += (
                t.lanes, t.slot_lanes, t.parameters, t.slots,
                [t.sizes_in[i] for i in range(t.inputs)], [t.sizes_out[i] for i in range(t.outputs)],
            )  # fmt: skip
        expected = (
            ABI, lanes, int(slot_lanes), len(program.function.parameters), len(program.slots),
            list(program.sizes_in.values()), list(program.sizes_out.values()),
        )  # fmt: skip
        if found != expected:
            raise BuildError(f"expected a library with (abi, sizes) {expected}, found {found}; clear the cache folder")


def _open(path: Path) -> Any:
    try:
        return contract().dlopen(str(path))
    except OSError as error:
        raise BuildError(f"expected a library of ours at {path}, found: {error}; delete it and try again") from None


def load_unit(program: Program, compiler: Compiler, lanes: int = 1, slot_lanes: bool = False) -> Unit:
    """Build (or find) and load the library of a program."""
    return _load(
        lambda: build_unit(program, compiler, lanes, slot_lanes),
        lambda path: Unit(path, program, lanes, slot_lanes),
    )


@functools.cache
def load_native(compiler: Compiler) -> Any:
    """Build (or find) and load the hand-written core."""

    def load(path: Path) -> Any:
        core = _open(path)
        try:
            found = core.tw_abi()
        except AttributeError:
            found = None
        if found != ABI:
            raise BuildError(f"expected a core with abi {ABI}, found {found}; clear the cache folder")
        return core

    return _load(lambda: build_native(compiler), load)


def _load(build: Callable[[], Path], load: Callable[[Path], T]) -> T:
    """What ``load`` makes of the library; one that cannot be used is thrown away and built once more."""
    path = build()
    try:
        return load(path)
    except BuildError:
        path.unlink(missing_ok=True)
        return load(build())

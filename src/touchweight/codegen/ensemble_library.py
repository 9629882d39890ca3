"""Building and loading units that carry several copies of one mechanism."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import cffi

from ..errors import BuildError
from .compiler import FLAGS, NATIVE, Compiler, native_lanes, optimisation
from .ensemble import Parts, Shape, emit_ensemble
from .library import _build, _load

_HEADER = "tw_ensemble.h"


@functools.cache
def ensemble_contract() -> cffi.FFI:
    """The declarations of ``native/tw_ensemble.h``, read from its own text."""
    text = re.sub(r"/\*.*?\*/", "", _header(), flags=re.S)
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    ffi = cffi.FFI()
    ffi.cdef(text + "\nextern tw_ensemble tw_ensemble_table;\n")
    return ffi


@functools.cache
def _header() -> str:
    return (NATIVE / _HEADER).read_text(encoding="utf-8")


def _abi() -> int:
    return int(re.findall(r"^#define TW_ENSEMBLE_ABI (\d+)", _header(), re.M)[0])


def lanes_for(copies: int) -> int:
    """Lanes that suit a number of copies: no wider than a register, no wider than they fill."""
    lanes = 2
    while lanes < native_lanes() and lanes < copies:
        lanes *= 2
    return lanes


class EnsembleUnit:
    """A loaded unit, checked against the shape it should have."""

    def __init__(self, path: Path, shape: Shape, lanes: int) -> None:
        self.ffi = ensemble_contract()
        try:
            self.library = self.ffi.dlopen(str(path))
            self.table: Any = self.ffi.addressof(self.library, "tw_ensemble_table")
        except (OSError, AttributeError) as error:
            raise BuildError(f"expected a library of ours at {path}, found: {error}; delete it and try again") from None
        t = self.table
        expected = (_abi(), lanes, shape.nq, shape.nv, shape.nx, shape.nu, shape.parameters)
        found = (t.abi, t.lanes, t.nq, t.nv, t.nx, t.nu, t.parameters) if t.abi == _abi() else (t.abi,)
        if found != expected:
            raise BuildError(f"expected a library with (abi, sizes) {expected}, found {found}; clear the cache folder")


def load_ensemble(shape: Shape, parts: Parts, compiler: Compiler, lanes: int) -> EnsembleUnit:
    """Build (or find) and load the unit."""
    text = emit_ensemble(shape, parts)
    level = optimisation(sum(p.operations.total for p in parts.all()) + shape.nv**3)
    flags = (*FLAGS, *compiler.tune, f"-DTW_LANES={lanes}")
    return _load(
        lambda: _build([(text, level)], compiler, flags),
        lambda path: EnsembleUnit(path, shape, lanes),
    )

"""Programs as machine code, as Python and as Octave, with one way to call them all."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from touchweight.codegen.callable import NativeFunction
from touchweight.codegen.compiler import Compiler, find_compiler
from touchweight.codegen.library import Unit, load_unit
from touchweight.codegen.matlab import emit_matlab
from touchweight.codegen.program import Program

Array = NDArray[np.float64]


@functools.cache
def compiler() -> Compiler:
    """The compiler at hand; without one, a test that needs it skips."""
    found = find_compiler()
    if found is None:
        pytest.skip("no C compiler found: install gcc or clang, set $CC, or pip install ziglang")
    return found


class Lanes(NativeFunction):
    """Machine code whose batches take so many items side by side, whatever this processor would choose."""

    def __init__(self, program: Program, lanes: int) -> None:
        super().__init__(program, compiler())
        self.lanes = lanes

    def lane_unit(self, own_parameters: bool) -> Unit:
        found = self._lane_units.get(own_parameters)
        if found is None:
            found = load_unit(self.program, self.compiler, self.lanes, own_parameters)
            self._lane_units[own_parameters] = found
        return found


def joined(outputs: Sequence[Array]) -> Array:
    """All outputs side by side."""
    return np.concatenate(list(outputs), axis=-1)


def octave(
    folder: Path, programs: dict[str, Program], p: dict[str, Array], inputs: dict[str, list[Array]]
) -> dict[str, Array]:
    """Every program at every item of its inputs, by one Octave: name -> (count, outputs)."""
    command = shutil.which("octave-cli")
    if command is None:
        pytest.skip("no octave-cli found: install GNU Octave")
    script = [f"addpath('{folder}');"]
    for name, program in programs.items():
        (folder / f"{name}.m").write_text(emit_matlab(program, name), encoding="utf-8")
        outs = [f"o{i}" for i in range(len(program.sizes_out))]
        for item in range(len(inputs[name][0])):
            rows = [p[name], *(a[item] for a in inputs[name])]
            given = ", ".join("[" + "; ".join(repr(float(x)) for x in row) + "]" for row in rows)
            script.append(f"[{', '.join(outs)}] = {name}({given});")
            script.append(f"if ~isreal([{'; '.join(outs)}]) error('complex'); end")
            script.append(f"printf('{name} %s\\n', sprintf('%.17g ', [{'; '.join(outs)}]));")
    path = folder / "run_all.m"
    path.write_text("\n".join(script) + "\n", encoding="utf-8")
    done = subprocess.run(
        [command, "--norc", "--quiet", "--no-gui", str(path)], capture_output=True, text=True, timeout=120
    )
    found: dict[str, list[list[float]]] = {name: [] for name in programs}
    for line in done.stdout.splitlines():
        name, *numbers = line.split()
        found[name].append([float(x) for x in numbers])
    for name, rows in found.items():
        assert len(rows) == len(inputs[name][0]), f"Octave stopped at {name}: {done.stderr}"
    return {name: np.array(rows).reshape(len(rows), -1) for name, rows in found.items()}

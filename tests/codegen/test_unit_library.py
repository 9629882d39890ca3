"""A library is only used when its table says that it is the one."""

import re
import subprocess

import numpy as np
import pytest
from emitted import compiler
from recipes import P, Q, V

from touchweight.codegen import library
from touchweight.codegen.compiler import NATIVE, include_flags, library_suffix
from touchweight.codegen.function import Function
from touchweight.codegen.library import ABI, Unit, build_unit, contract, load_native, load_unit
from touchweight.codegen.program import Program, make_program
from touchweight.errors import BuildError
from touchweight.symbolic import sin


def program(inputs: int = 2, results: int = 2, parameters: int = 1) -> Program:
    made = [P[0] * sin(q) for q in Q[:inputs]] + [Q[0]] * results
    return make_program(Function("f", {"q": Q[:inputs]}, {"y": made[:results]}, P[:parameters]))


@pytest.fixture(scope="module")
def built():
    return build_unit(program(), compiler())


def test_the_right_one_is_taken(built):
    table = Unit(built, program()).table
    assert (table.abi, table.lanes, table.inputs, table.outputs) == (ABI, 1, 1, 1)


@pytest.mark.parametrize(
    "other",
    [
        program(inputs=3),
        program(results=3),
        program(parameters=2),
        make_program(Function("f", {"q": Q[:1], "v": V[:1]}, {"y": [P[0] * sin(Q[0]), Q[0]]}, P[:1])),
        make_program(Function("f", {"q": Q[:2]}, {"y": [Q[0]], "z": [sin(Q[1])]}, P[:1])),
    ],
    ids=["inputs", "results", "parameters", "input arrays", "output arrays"],
)
def test_one_with_other_sizes_is_refused(built, other):
    with pytest.raises(
        BuildError, match=r"^expected a library with \(abi, sizes\) .*, found .*; clear the cache"
    ) as error:
        Unit(built, other)
    assert "\n" not in str(error.value)


def test_one_with_other_lanes_is_refused(built):
    with pytest.raises(BuildError, match="expected a library with"):
        Unit(built, program(), lanes=4)


def test_one_of_another_version_is_refused(built, monkeypatch):
    monkeypatch.setattr(library, "ABI", ABI + 1)
    with pytest.raises(BuildError, match=rf"found \({ABI},\); clear the cache folder"):
        Unit(built, program())
    load_native.cache_clear()
    with pytest.raises(BuildError, match=f"expected a core with abi {ABI + 1}, found {ABI}"):
        load_native(compiler())
    load_native.cache_clear()


def test_something_else_is_refused(tmp_path):
    text = tmp_path / f"text{library_suffix()}"
    text.write_text("not a library")
    with pytest.raises(BuildError, match=r"expected a library of ours at .*; delete it") as error:
        Unit(text, program())
    assert "\n" not in str(error.value)
    source, other = tmp_path / "other.c", tmp_path / f"other{library_suffix()}"
    source.write_text("int other(void) { return 1; }\n")
    subprocess.run([*compiler().command, "-shared", "-fPIC", str(source), "-o", str(other)], check=True)
    with pytest.raises(BuildError, match="expected a library of ours"):
        Unit(other, program())


def test_the_contract_is_the_header(tmp_path):
    """Python and C read the same declarations, so sizes and offsets agree."""
    ffi = contract()
    fields = [name for name, _ in ffi.typeof("tw_unit").fields]
    checks = [f'_Static_assert(sizeof(tw_unit) == {ffi.sizeof("tw_unit")}, "size");']
    checks += [f'_Static_assert(offsetof(tw_unit, {f}) == {ffi.offsetof("tw_unit", f)}, "{f}");' for f in fields]
    checks += [f'_Static_assert(sizeof(tw_system) == {ffi.sizeof("tw_system")}, "system");']
    checks += [f'_Static_assert(TW_ABI == {ABI}, "version");']
    text = '#include <stddef.h>\n#include "touchweight.h"\n' + "\n".join(checks) + "\nint x;\n"
    source = tmp_path / "contract.c"
    source.write_text(text)
    command = [*compiler().command, *include_flags(), "-c", str(source), "-o", str(tmp_path / "contract.o")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"#define TW_ABI", (NATIVE / "touchweight.h").read_text())) == 1


def test_the_core_loads():
    assert load_native(compiler()).tw_abi() == ABI


def test_loading_twice_gives_two_handles_on_the_same_numbers():
    a, b = load_unit(program(), compiler()), load_unit(program(), compiler())
    results = []
    for unit in (a, b):
        out = np.zeros(2)
        ffi = unit.ffi
        unit.table.evaluate(
            ffi.from_buffer("double[]", np.array([2.0])),
            [ffi.from_buffer("double[]", np.array([0.5, 0.7]))],
            [ffi.from_buffer("double[]", out)],
        )
        results.append(out)
    assert results[0] == pytest.approx([2 * np.sin(0.5), 2 * np.sin(0.7)])
    assert (results[0] == results[1]).all()

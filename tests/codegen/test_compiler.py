"""Which compiler is taken, and what is said when none is, or when the wanted one does not work."""

import os
import shutil
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from emitted import compiler
from recipes import Q

from touchweight.codegen import callable as calling
from touchweight.codegen import compiler as compilers
from touchweight.codegen.callable import NativeFunction, PythonFunction, compile_function
from touchweight.codegen.compiler import (
    candidates,
    compile_object,
    cpu_features,
    cpu_identity,
    find_compiler,
    native_lanes,
    optimisation,
)
from touchweight.codegen.function import Function
from touchweight.codegen.program import Program, make_program
from touchweight.errors import BuildError
from touchweight.symbolic import sin, tanh

SRC = Path(compilers.__file__).parents[2]


def twice() -> Program:
    return make_program(Function("f", {"q": Q[:1]}, {"y": [2.0 * sin(Q[0]) + tanh(Q[0])]}, ()))


def script(path: Path, text: str) -> Path:
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def no_compiler(monkeypatch):
    """Nothing on the path, no CC, no ziglang."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("TOUCHWEIGHT_NO_COMPILER", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(compilers.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(calling, "_warned", False)


posix = pytest.mark.skipif(sys.platform == "win32", reason="needs shell scripts")


@posix
def test_cc_is_taken_and_used(monkeypatch, tmp_path):
    real = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if real is None:
        pytest.skip("no compiler on the path to stand behind CC")
    log = tmp_path / "log"
    wrapper = script(tmp_path / "my cc", f'echo "$@" >> "{log}"\nexec "{real}" "$@"\n')
    monkeypatch.setenv("CC", f'"{wrapper}" -DMINE=1')
    monkeypatch.setenv("TOUCHWEIGHT_CACHE", str(tmp_path / "cache"))
    found = find_compiler()
    assert found is not None and found.command == (str(wrapper), "-DMINE=1")
    assert found.name == "my cc -DMINE=1"
    f = compile_function(twice())
    assert isinstance(f, NativeFunction)
    assert f.evaluate(f.prepare(np.zeros(0)), [np.array([0.5])])[0][0] == pytest.approx(2 * np.sin(0.5) + np.tanh(0.5))
    assert "-shared" in log.read_text() and "part0.c" in log.read_text()


@posix
@pytest.mark.parametrize(
    "text",
    ["/nowhere/cc", "no-such-compiler -O2", "true", "false", "cc 'unbalanced", "BROKEN"],
)
def test_a_cc_that_does_not_work_is_an_error_of_one_sentence(monkeypatch, tmp_path, text):
    if text == "BROKEN":
        text = str(script(tmp_path / "broken", 'case "$1" in --version) echo broken 1.0;; *) exit 1;; esac\n'))
    monkeypatch.setenv("CC", text)
    with pytest.raises(BuildError, match=r"^expected CC to .*, found .*; correct it") as error:
        find_compiler()
    assert "\n" not in str(error.value)
    with pytest.raises(BuildError, match="expected CC"):
        compile_function(twice())


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_cc_is_none(monkeypatch, text):
    monkeypatch.delenv("CC", raising=False)
    expected = candidates()
    monkeypatch.setenv("CC", text)
    assert candidates() == expected


def test_without_a_compiler_python_runs_and_says_so_once(no_compiler, recwarn):
    assert find_compiler() is None
    f = compile_function(twice())
    assert isinstance(f, PythonFunction)
    assert [str(w.message)[:46] for w in recwarn] == ["expected a C compiler ($CC, cc, gcc, clang or "]
    assert "\n" not in str(recwarn[0].message)
    compile_function(twice())
    assert len(recwarn) == 1


def test_a_compiler_can_be_declined(monkeypatch, recwarn):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    monkeypatch.setenv("CC", "/nowhere/cc")
    assert find_compiler() is None
    assert isinstance(compile_function(twice()), PythonFunction)
    assert len(recwarn) == 0


PENDULUM = """
import touchweight as tw
from touchweight.codegen.compiler import find_compiler
m = tw.Mechanism("pendulum")
arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
m.revolute("hip", m.ground, arm, axis="y")
model = m.compile()
name = type(model.function("forward")).__name__
many = model.forward([[0.1]] * 9, [0.2], [0.3])
print(find_compiler().name, name, float(model.forward([0.1], [0.2], [0.3])[0]), float(many[8, 0]))
"""


@pytest.mark.skipif(find_spec("ziglang") is None, reason="ziglang is not installed")
def test_the_compiler_in_the_ziglang_wheel_serves_where_there_is_no_other(tmp_path):
    """No path, no home: what a bare container has."""
    environment = {"PATH": "", "TOUCHWEIGHT_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(SRC)}
    done = subprocess.run(
        [sys.executable, "-c", PENDULUM], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "-m ziglang cc NativeFunction" in done.stdout
    one, many = map(float, done.stdout.split()[-2:])
    inertia = 0.07 + 1.2 * 0.4**2
    assert one == pytest.approx((0.3 - 1.2 * 9.81 * 0.4 * np.sin(0.1)) / inertia, rel=1e-13)
    assert many == pytest.approx(one, rel=1e-13)


def test_what_a_compiler_complains_about_fits_into_a_sentence(tmp_path):
    source = tmp_path / "wrong.c"
    source.write_text("int f(void) { return undeclared; }\n" * 3, encoding="utf-8")
    with pytest.raises(
        BuildError, match=r"^expected .* to compile wrong.c, found: .*undeclared.*; run `touchweight"
    ) as error:
        compile_object(compiler(), source, tmp_path / "wrong.o", ())
    assert "\n" not in str(error.value)


@posix
def test_a_compiler_that_does_not_finish_is_given_up_on(monkeypatch, tmp_path):
    slow = script(tmp_path / "slow", "exec sleep 30\n")
    stuck = compilers.Compiler((str(slow),), "slow 1.0", ())
    monkeypatch.setattr(compilers, "PATIENCE", 0.2)
    with pytest.raises(BuildError, match=r"expected slow to finish within 0\.2 s"):
        compile_object(stuck, tmp_path / "x.c", tmp_path / "x.o", ())


def test_a_compiler_that_has_gone_is_an_error_of_one_sentence(tmp_path):
    gone = compilers.Compiler((str(tmp_path / "gone"),), "gone 1.0", ())
    with pytest.raises(BuildError, match=r"expected to run gone, found: .*; set CC"):
        compile_object(gone, tmp_path / "x.c", tmp_path / "x.o", ())


def test_probing_leaves_the_null_device_alone():
    before = os.stat(os.devnull)
    compilers._accepts(compiler().command, ())
    after = os.stat(os.devnull)
    assert (before.st_ino, stat.S_ISCHR(after.st_mode)) == (after.st_ino, stat.S_ISCHR(before.st_mode))


@pytest.mark.parametrize(
    ("features", "lanes"), [("sse2 avx avx2 avx512f", 8), ("sse2 avx2", 4), ("sse2 avx", 4), ("neon", 2)]
)
def test_lanes_follow_the_processor(monkeypatch, features, lanes):
    monkeypatch.setattr(compilers, "cpu_identity", lambda: f"machine\nflags\t\t: {features}")
    assert cpu_features() == set(features.split())
    assert native_lanes() == lanes


def test_the_processor_is_known_by_its_features():
    assert cpu_identity() == cpu_identity()
    assert len(cpu_identity()) > 5


def test_longer_code_is_never_optimised_harder():
    levels = [optimisation(n) for n in (10, 1_000, 20_000, 50_000, 1_000_000)]
    assert levels == sorted(levels, reverse=True)

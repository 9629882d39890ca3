"""A program is built once, and again whenever anything it is made of changes."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from touchweight.bench import toolchain
from touchweight.bench.rivals import MissingRival
from touchweight.bench.toolchain import Program

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler is installed"
)
PROGRAM = Program("greeting", '#include <stdio.h>\nint main(void) { puts("[1, 2]"); return 0; }\n', ".c", ("-O1",))


@needs_compiler
def test_builds_once_and_runs(tmp_path: Path) -> None:
    said: list[str] = []
    first = toolchain.build(PROGRAM, tmp_path, said.append)
    assert toolchain.run(first) == [1, 2]
    assert toolchain.build(PROGRAM, tmp_path, said.append) == first
    assert said == ["building greeting"]
    assert list(tmp_path.iterdir()) == [first]


@needs_compiler
def test_key_changes_with_source_flags_version_and_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {toolchain.key(PROGRAM)}
    keys.add(toolchain.key(replace(PROGRAM, source=PROGRAM.source + "\n")))
    keys.add(toolchain.key(replace(PROGRAM, flags=("-O2",))))
    keys.add(toolchain.key(replace(PROGRAM, salt="4.1")))
    monkeypatch.setattr(toolchain, "cpu", lambda: "another")
    keys.add(toolchain.key(PROGRAM))
    assert len(keys) == 5


@needs_compiler
def test_what_does_not_build_says_why(tmp_path: Path) -> None:
    with pytest.raises(MissingRival, match=r"greeting does not build: .*error"):
        toolchain.build(replace(PROGRAM, source="int main(void) { return nothing; }"), tmp_path)
    assert not list(tmp_path.iterdir())


@needs_compiler
def test_what_fails_says_why(tmp_path: Path) -> None:
    source = '#include "state_timer.h"\nint main(void) { timer_fail("no luck"); }\n'
    built = toolchain.build(replace(PROGRAM, source=source), tmp_path)
    with pytest.raises(MissingRival, match="no luck"):
        toolchain.run(built)


def test_no_compiler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingRival, match=r"install c\+\+ or g\+\+ or clang\+\+, or set \$CXX"):
        toolchain.find_compiler(".cpp")

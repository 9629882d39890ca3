"""Whatever a file holds, loading gives a mechanism or one sentence that names the file and the line."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from corpus import CASES, RICH_FILES, SOUND_FILES, Case
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from touchweight.errors import FileError, MechanismError, TouchweightError
from touchweight.mechanism.load import load
from touchweight.mechanism.yaml_format import dumps, loads


def test_the_corpus_is_large() -> None:
    assert len(CASES) >= 150
    assert len({(c.file, c.data) for c in CASES.values()}) == len(CASES)


@pytest.mark.parametrize("name", CASES)
def test_corpus(name: str, tmp_path: Path) -> None:
    case: Case = CASES[name]
    path = tmp_path / case.file
    path.write_bytes(case.data)
    try:
        m = load(path)
    except (FileError, MechanismError) as error:
        message = str(error)
        assert case.outcome == "error", message
        assert case.says in message
        assert case.file in message
        assert message.isprintable()
        assert len(message) < 1000
        if case.line is not None:
            assert isinstance(error, FileError)
            assert error.line == case.line, message
        return
    problems = m.check()
    assert case.outcome != "error", problems
    assert all(str(p).isprintable() and len(str(p)) < 1000 for p in problems)
    assert all(r.isprintable() for r in m.remarks)
    if case.outcome == "problem":
        assert any(case.says in str(p) for p in problems), [str(p) for p in problems]
    else:
        assert [str(p) for p in problems] == []
        assert dumps(loads(dumps(m))) == dumps(m)  # odd names survive


def test_what_is_not_a_file(tmp_path: Path) -> None:
    for path, says in (
        (tmp_path, "folder"),
        (tmp_path / "gone.urdf", "nothing there"),
        (tmp_path / ("x" * 5000), "too long"),
        ("/dev/null", "regular file"),
        ("a\0b", "path"),
    ):
        with pytest.raises(FileError) as caught:
            load(path)
        assert says in str(caught.value)
        assert str(caught.value).isprintable()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "m.urdf"
    path.write_bytes(SOUND_FILES["m.urdf"])
    path.chmod(0)
    with pytest.raises(FileError, match="permission"):
        load(path)


def test_what_is_inside_decides(tmp_path: Path) -> None:
    for name, inside in (
        ("a.xml", "m.urdf"),
        ("b.txt", "m.urdf"),
        ("c.urdf", "m.xml"),
        ("d", "m.yaml"),
        ("e.YML", "m.yaml"),
    ):
        (tmp_path / name).write_bytes(SOUND_FILES[inside])
        assert len(load(tmp_path / name).speeds) == 1


def test_options_belong_to_formats(tmp_path: Path) -> None:
    for name, data in SOUND_FILES.items():
        (tmp_path / name).write_bytes(data)
    assert len(load(tmp_path / "m.urdf", free_flying=True, passive=False).speeds) == 7
    assert len(load(tmp_path / "m.xml", passive=False).speeds) == 1
    with pytest.raises(FileError, match="free_flying"):
        load(tmp_path / "m.xml", free_flying=True)
    with pytest.raises(FileError, match="passive"):
        load(tmp_path / "m.yaml", passive=True)


@st.composite
def _mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A sound file with bytes flipped, lines repeated or exchanged, and attributes exchanged."""
    file = draw(st.sampled_from([*SOUND_FILES]))
    others = [c.data for c in CASES.values() if c.file == file and len(c.data) < 2000]
    data = draw(st.sampled_from([SOUND_FILES[file], *RICH_FILES[file], *others]))
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["flip", "insert", "delete", "line", "swap", "token", "cut"]))
        at = draw(st.integers(0, max(0, len(data) - 1)))
        if kind == "flip":
            data = data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]
        elif kind == "insert":
            data = (
                data[:at]
                + draw(
                    st.sampled_from(
                        [
                            b"<",
                            b">",
                            b'"',
                            b"&",
                            b"{",
                            b"[",
                            b":",
                            b"*a",
                            b"&a ",
                            b"\n",
                            b"- ",
                            b"1e9",
                            b"nan",
                        ]
                    )
                )
                + data[at:]
            )
        elif kind == "delete":
            data = data[:at] + data[at + draw(st.integers(1, 30)) :]
        elif kind == "cut":
            data = data[:at]
        elif kind == "line":
            lines = data.split(b"\n")
            k = at % len(lines)
            data = b"\n".join(lines[: k + 1] + lines[k:])
        elif kind == "swap":
            words = data.split(b'"')
            k, j = at % len(words), draw(st.integers(0, len(words) - 1))
            words[k], words[j] = words[j], words[k]
            data = b'"'.join(words)
        else:
            words = data.split(b" ")
            k, j = at % len(words), draw(st.integers(0, len(words) - 1))
            words[k] = words[j]
            data = b" ".join(words)
    return file, data


@given(_mutated())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fuzz(tmp_path: Path, mutated: tuple[str, bytes]) -> None:
    file, data = mutated
    path = tmp_path / file
    path.write_bytes(data)
    try:
        m = load(path)
    except TouchweightError as error:
        assert str(error).isprintable()
        assert file in str(error)
        return
    assert all(str(p).isprintable() for p in m.check())
    with suppress(TouchweightError):  # a name with two meanings cannot be written
        dumps(m)

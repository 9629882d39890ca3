"""The cache holds only what we made, whole; whatever happens to it, what is loaded is right."""

import os
import signal
import stat
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from emitted import compiler
from recipes import Q

from touchweight.codegen import cache, library
from touchweight.codegen.cache import cache_folder, cached, default_folder, key_of, why_unsafe
from touchweight.codegen.callable import NativeFunction
from touchweight.codegen.function import Function
from touchweight.codegen.program import Program, make_program
from touchweight.errors import BuildError
from touchweight.symbolic import sin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file to another user"
)
SRC = Path(cache.__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path) -> Iterator[Path]:
    """A cache of its own for each test, and no memory of unsafe ones."""
    made = tmp_path / "cache"
    monkeypatch.setenv("TOUCHWEIGHT_CACHE", str(made))
    monkeypatch.setattr(cache, "_private", [])
    monkeypatch.setattr(cache.atexit, "register", opened.append)
    yield made
    while opened:
        opened.pop()()


opened: list[Callable[[], None]] = []


def doubled() -> Program:
    return make_program(Function("f", {"q": Q[:1]}, {"y": [2.0 * sin(Q[0])]}, ()))


def value() -> float:
    f = NativeFunction(doubled(), compiler())
    return float(f.evaluate(np.zeros(1), [np.array([0.5])])[0][0])


RIGHT = 2.0 * np.sin(0.5)


def write(text: str):
    def make(path: Path) -> None:
        path.write_text(text)

    return make


def never(path: Path) -> None:
    raise AssertionError("made although it was there")


# -- keys --------------------------------------------------------------------------------------------------


def test_keys_tell_parts_apart():
    keys = [["ab", "c"], ["a", "bc"], ["abc"], ["ab", "c", ""], ["c", "ab"], ["ab", "d"], ["ab", "\ud800"]]
    assert len({key_of(k) for k in keys}) == len(keys)
    assert key_of(["ab", "c"]) == key_of(iter(["ab", "c"]))


def built_key(monkeypatch, program: Program, cc, lanes: int = 1, own: bool = False) -> str:
    keys: list[str] = []
    monkeypatch.setattr(library, "cached", lambda key, suffix, make: keys.append(key) or Path("x"))
    library.build_unit(program, cc, lanes, own)
    return keys[0]


def test_the_key_changes_with_everything_that_matters(monkeypatch):
    from dataclasses import replace

    cc = compiler()
    other = make_program(Function("f", {"q": Q[:1]}, {"y": [3.0 * sin(Q[0])]}, ()))
    keys = {
        "as it is": built_key(monkeypatch, doubled(), cc),
        "source": built_key(monkeypatch, other, cc),
        "lanes": built_key(monkeypatch, doubled(), cc, 4),
        "own parameters": built_key(monkeypatch, doubled(), cc, 4, True),
        "command": built_key(monkeypatch, doubled(), replace(cc, command=(*cc.command, "-g"))),
        "version": built_key(monkeypatch, doubled(), replace(cc, version="other 1.0")),
        "tuning": built_key(monkeypatch, doubled(), replace(cc, tune=("-mtune=generic",))),
    }
    monkeypatch.setattr(library, "FLAGS", (*library.FLAGS, "-fno-inline"))
    keys["flags"] = built_key(monkeypatch, doubled(), cc)
    monkeypatch.setattr(library, "cpu_identity", lambda: "another processor")
    keys["processor"] = built_key(monkeypatch, doubled(), cc)
    monkeypatch.setattr(library, "_headers", lambda: "another header")
    keys["headers"] = built_key(monkeypatch, doubled(), cc)
    assert len(set(keys.values())) == len(keys), keys


def test_the_key_does_not_change_with_values_of_parameters(monkeypatch):
    from touchweight.mechanism import Mechanism
    from touchweight.simulate.equations import Equations

    def key(mass: float) -> str:
        m = Mechanism("pendulum")
        arm = m.body("arm", mass=mass, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
        m.revolute("hip", m.ground, arm, axis="y")
        return built_key(monkeypatch, Equations(m).derive("forward"), compiler())

    assert key(1.0) == key(2.0)


# -- what is kept ------------------------------------------------------------------------------------------


def test_made_once_then_found(folder):
    path = cached("k", ".so", write("hello"))
    assert path.read_text() == "hello" and path.parent == folder
    assert cached("k", ".so", never) == path
    assert cached("other", ".so", write("there")) != path


def test_folder_and_files_are_for_their_owner_only(folder):
    path = cached("k", ".so", write("hello"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_failed_build_leaves_nothing(folder):
    def fail(path: Path) -> None:
        path.write_text("half")
        raise BuildError("no")

    with pytest.raises(BuildError, match="no"):
        cached("k", ".so", fail)
    assert list(folder.iterdir()) == []


def test_no_room_is_said_in_a_sentence():
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(BuildError, match=r"expected to write .* found: No space left on device; make room") as error:
        cached("k", ".so", full)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", ["truncated", "emptied", "one byte", "longer"])
def test_a_damaged_library_is_built_again(folder, damage):
    assert value() == pytest.approx(RIGHT)
    (path,) = folder.glob("*.so")
    good = path.read_bytes()
    bad = {
        "truncated": good[: len(good) // 2],
        "emptied": b"",
        "one byte": b"\0" + good[1:],
        "longer": good + b"x",
    }
    path.unlink()  # not in place: it is mapped into this process
    path.write_bytes(bad[damage])
    path.chmod(0o700)
    assert value() == pytest.approx(RIGHT)
    # the damaged one is replaced; a compiler whose output differs from time to time gives it another name
    (intact,) = (p for p in folder.glob("*.so") if p.read_bytes() != bad[damage])
    if "ziglang" not in compiler().command:
        assert intact == path and intact.read_bytes() == good


def test_a_library_that_does_not_load_is_built_once_more(folder, monkeypatch):
    assert value() == pytest.approx(RIGHT)
    tries: list[Path] = []
    really_open = library._open

    def first_fails(path: Path):
        tries.append(path)
        if len(tries) == 1:
            raise BuildError("expected a library of ours")
        return really_open(path)

    monkeypatch.setattr(library, "_open", first_fails)
    assert value() == pytest.approx(RIGHT)
    assert len(tries) == 2


def test_leftovers_of_killed_builds_are_swept(folder):
    cached("k", ".so", write("hello"))
    old, young = folder / "build-old", folder / "build-young"
    for left in (old, young):
        left.mkdir(mode=0o700)
        (left / "k2.so").write_text("half")
    past = time.time() - 2 * cache.LEFTOVER
    os.utime(old, (past, past))
    cached("k2", ".so", write("whole"))
    assert not old.exists() and young.exists()


# -- whom to trust -----------------------------------------------------------------------------------------


def plant(folder: Path, text: str, mode: int = 0o700) -> Path:
    """A file under the very name that ours will have."""
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / cached("k", ".so", write(text)).name
    path.chmod(mode)
    return path


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_file_that_others_may_write_is_not_taken(folder, mode):
    path = plant(folder, "theirs?", mode)
    assert why_unsafe(path) == "others may write to it"
    made = cached("k", ".so", write("ours"))
    assert made.read_text() == "ours" and why_unsafe(made) is None


@needs_root
def test_a_file_of_another_user_is_not_taken(folder):
    path = plant(folder, "same")
    os.chown(path, 65534, 65534)
    made = []

    def make(target: Path) -> None:
        made.append(target)
        target.write_text("same")

    found = cached("k", ".so", make)
    assert made and found == path
    assert path.stat().st_uid == os.geteuid()


def test_a_link_is_not_taken(folder, tmp_path):
    path = plant(folder, "ours")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("ours")
    elsewhere.chmod(0o700)
    path.unlink()
    path.symlink_to(elsewhere)
    assert why_unsafe(path) == "it is a symbolic link"
    made = cached("k", ".so", write("ours"))
    assert not made.is_symlink()


def test_a_folder_in_place_of_a_file_is_said_in_a_sentence(folder):
    path = plant(folder, "ours")
    path.unlink()
    path.mkdir()
    (path / "x").write_text("")
    with pytest.raises(BuildError, match="expected to write a compiled library"):
        cached("k", ".so", write("ours"))


def private_instead(reason: str) -> Path:
    with pytest.warns(UserWarning, match=f"expected a private cache folder at .*, but {reason}; using a temporary one"):
        found = cache_folder()
    assert why_unsafe(found) is None
    assert found != default_folder()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache_folder() == found, "said once is enough"
    assert cached("k", ".so", write("hello")).parent == found
    return found


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_may_write_is_refused(folder, mode):
    folder.mkdir()
    folder.chmod(mode)
    (folder / "k-x.so").write_text("theirs")
    private_instead("others may write to it")


@needs_root
def test_a_folder_of_another_user_is_refused(folder):
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    private_instead("it belongs to user 65534")


def test_a_linked_folder_is_refused(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    private_instead("it is a symbolic link")


def test_a_folder_that_others_could_exchange_is_refused(monkeypatch, tmp_path):
    above = tmp_path / "open to all"
    above.mkdir()
    above.chmod(0o777)
    monkeypatch.setenv("TOUCHWEIGHT_CACHE", str(above / "cache"))
    private_instead(f"anyone may write to {above}")
    above.chmod(0o1777)  # as /tmp is: only owners may rename
    monkeypatch.setattr(cache, "_private", [])
    assert cache_folder() == above / "cache"


def test_a_folder_that_cannot_be_made_is_no_end(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TOUCHWEIGHT_CACHE", str(tmp_path / "file" / "cache"))
    private_instead(r"it cannot be made \(Not a directory\)")


def test_a_folder_that_is_read_only_is_no_end(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(cache.os, "access", lambda path, mode: False)
    private_instead("it is read-only")


def test_the_temporary_folder_serves_machine_code(folder):
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(UserWarning, match="expected a private cache folder"):
        assert value() == pytest.approx(RIGHT)
    assert list(folder.iterdir()) == []


# -- where it is -------------------------------------------------------------------------------------------


def test_where_it_is_without_a_home(monkeypatch, tmp_path):
    monkeypatch.delenv("TOUCHWEIGHT_CACHE")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "touchweight"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says its standard
    assert default_folder().is_absolute()


def test_no_home_at_all_is_no_end(monkeypatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TOUCHWEIGHT_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.Path, "home", homeless)
    with pytest.warns(UserWarning, match="there is no home folder"):
        assert why_unsafe(cache_folder()) is None


def test_a_relative_folder_is_meant_from_here(monkeypatch, tmp_path):
    """A library without a folder in its name would be looked for among the system's."""
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TOUCHWEIGHT_CACHE", ".")
    assert default_folder() == tmp_path
    assert value() == pytest.approx(RIGHT)


# -- several at once ---------------------------------------------------------------------------------------

BUILD = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_cache import value
print(value())
"""


def start(folder: Path, **environment: str) -> "subprocess.Popen[str]":
    settings = {**os.environ, "TOUCHWEIGHT_CACHE": str(folder), "PYTHONPATH": str(SRC), **environment}
    return subprocess.Popen(
        [sys.executable, "-c", BUILD],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_two_processes_may_build_the_same_at_once(folder):
    compiler()
    jobs = [start(folder) for _ in range(2)]
    for job in jobs:
        out, errors = job.communicate(timeout=120)
        assert job.returncode == 0, errors
        assert float(out) == pytest.approx(RIGHT)
    # zig's output differs from time to time, and so does the name made from it
    allowed = (1, 2) if "ziglang" in compiler().command else (1,)
    assert len(list(folder.glob("*.so"))) in allowed
    assert list(folder.glob("build-*")) == []


def test_a_build_that_is_killed_leaves_nothing_to_load(folder, tmp_path):
    real = compiler().command
    if len(real) > 1:
        pytest.skip("wants a compiler that is one command")
    started = tmp_path / "started"
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *part0*) : > "{started}"; sleep 60;; esac\nexec "{real[0]}" "$@"\n')
    slow.chmod(0o700)
    job = start(folder, CC=str(slow))
    deadline = time.monotonic() + 60
    while not started.exists() and time.monotonic() < deadline:
        assert job.poll() is None, job.communicate()
        time.sleep(0.02)
    os.killpg(job.pid, signal.SIGKILL)
    job.communicate()
    assert list(folder.glob("*.so")) == []
    assert list(folder.glob("build-*")), "the build should have been on its way"
    assert value() == pytest.approx(RIGHT)

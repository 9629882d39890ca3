"""The command line as a whole: one line for a mistake, quiet when interrupted, plain without a terminal."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from mechanisms_to_take import hostile, zoo
from take_away import compiler_command

import touchweight as tw
from touchweight.cli import main
from touchweight.library import MECHANISMS

COMMAND = [sys.executable, "-m", "touchweight.cli"]


def environment(**more):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more}


def run(*arguments, **more):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, env=environment(**more))


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"touchweight {tw.__version__}\n"
    for arguments in (
        [],
        ["--help"],
        ["play", "--help"],
        ["info", "-h"],
        ["bench", "--help"],
        ["doctor", "--help"],
    ):
        assert main(arguments) == 0
        out, err = capsys.readouterr()
        assert "Usage" in out and err == ""


def test_list_names_every_mechanism(capsys):
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out and sentence in out for name, (sentence, _) in MECHANISMS.items())
    assert main(["list", "--json"]) == 0
    assert [m["name"] for m in json.loads(capsys.readouterr().out)] == list(MECHANISMS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["info"],
        ["info", "pendulum", "--nonsense"],
        ["info", "no-such-thing"],
        ["info", "/no/such/file.urdf"],
        ["info", "."],
        ["info", "pendulum", "--free-flying"],
        ["info", "a\x1b[31m\nb"],
        ["info", "pendulum", "--equations", "nonsense"],
        ["play", "no-such-thing"],
        ["play", "pendulum", "--seconds", "-1"],
        ["play", "pendulum", "--seconds", "many"],
        ["generate", "pendulum"],
        ["simulate", "pendulum", "--q", "hip"],
        ["simulate", "pendulum", "--q", "hip=x"],
        ["simulate", "pendulum", "--q", "hop=1"],
        ["simulate", "pendulum", "--set", "rod.mass=-1"],
        ["simulate", "pendulum", "--set", "rod.com.x=1"],
        ["simulate", "pendulum", "--input", "motor=1"],
        ["simulate", "pendulum", "--dt", "0"],
        ["simulate", "pendulum", "--seconds", "inf"],
        ["simulate", "pendulum", "--seconds", "1e15"],
        ["simulate", "top", "--q", "point.qw=3"],
        ["simulate", "pendulum", "--seconds", "0.01", "--save", "/no/such/folder/x.csv"],
        ["simulate", "pendulum", "--seconds", "0.01", "--plot", "/no/such/folder/x.png"],
        ["simulate", "pendulum", "--seconds", "0.01", "--plot", "x.nonsense"],
        ["bench", "dynamics", "--robots", "r2d2"],
        ["bench", "nonsense"],
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_line_and_exit_code_two(arguments, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert err.startswith("touchweight: error: ") and err.endswith("\n") and err.count("\n") == 1
    assert "Traceback" not in out + err and "\x1b" not in err


@pytest.mark.parametrize("name", ["empty.yaml", "noise.urdf", "bomb.xml", "list.yaml", "deep.yaml"])
def test_a_file_that_is_none_is_one_line(name, tmp_path, capsys):
    texts = {
        "empty.yaml": "",
        "noise.urdf": "\x00\x01\x02",
        "bomb.xml": '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><robot name="&c;"/>',
        "list.yaml": "- 1\n- 2\n",
        "deep.yaml": "a: " + "[" * 5000,
    }
    (tmp_path / name).write_text(texts[name])
    assert main(["info", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_names_from_files_cannot_colour_or_move_the_terminal(tmp_path, capsys):
    hostile().save(tmp_path / "hostile.yaml")
    assert main(["info", str(tmp_path / "hostile.yaml")]) in (0, 1)
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "[bold red]loud[/]" in out and "\\x1b[31mred" in out
    assert main(["info", str(tmp_path / "hostile.yaml"), "--json"]) in (0, 1)
    assert "\x1b[31mred" in json.loads(capsys.readouterr().out)["bodies"]


@pytest.mark.skipif(compiler_command() is None, reason="without a C compiler there is nothing to cache")
def test_a_warning_is_one_line(tmp_path):
    (tmp_path / "shared").mkdir(mode=0o777)
    (tmp_path / "shared").chmod(0o777)
    done = run("simulate", "pendulum", "--seconds", "0.01", TOUCHWEIGHT_CACHE=str(tmp_path / "shared"))
    assert done.returncode == 0
    assert done.stderr.startswith("touchweight: warning: ") and done.stderr.count("\n") == 1


def test_no_colour_without_a_terminal_and_no_trouble_with_ascii():
    done = run("list", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0 and done.stdout.isascii() and "\x1b" not in done.stdout
    done = run("info", "double-pendulum", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0 and done.stdout.isascii() and done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes here")
def test_a_reader_that_leaves_is_no_error(tmp_path):
    zoo().save(tmp_path / "zoo.yaml")
    for command in (
        "list",
        "info zoo.yaml",
        "info zoo.yaml --json",
        "info zoo.yaml --equations forward",
        "doctor --json",
    ):
        done = subprocess.run(
            ["sh", "-c", f'"$0" -m touchweight.cli {command} | true', sys.executable],
            capture_output=True, text=True, env=environment(), cwd=tmp_path,
        )  # fmt: skip
        assert done.stderr == "", command


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such shell here")
def test_closed_and_full_outputs_are_no_traceback():
    for redirect in (">&-", "2>&-", ">&- 2>&-", "> /dev/full"):
        if "full" in redirect and not os.path.exists("/dev/full"):
            continue
        done = subprocess.run(
            ["sh", "-c", f'"$0" -m touchweight.cli list {redirect}', sys.executable],
            capture_output=True, text=True, env=environment(),
        )  # fmt: skip
        assert "Traceback" not in done.stderr, redirect
        assert done.returncode == (2 if "full" in redirect else 0), redirect


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals here")
def test_ctrl_c_is_quiet():
    began = time.monotonic()
    subprocess.run(
        [*COMMAND, "simulate", "pendulum", "--seconds", "1"], env=environment(), capture_output=True, check=True
    )
    until_it_runs = time.monotonic() - began
    started = subprocess.Popen(
        [*COMMAND, "simulate", "pendulum", "--seconds", "90000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    time.sleep(2.0 + 2.0 * until_it_runs)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, "", "")

"""The page of the command line: every command it shows runs, and says what it shows, numbers apart."""

import re
import shlex
from pathlib import Path

import pytest

from touchweight.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
SHOWN = re.findall(r"```console\n\$ touchweight (.*?)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("command, answer", [s for s in SHOWN if not s[0].startswith(("play", "doctor"))])
def test_it_runs_as_shown(command, answer, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    wanted = 2 if answer.startswith("touchweight: error") else 0
    assert main(shlex.split(command)) == wanted
    out, err = capsys.readouterr()
    said = {_plain(line) for line in (out + err).splitlines()}
    lines = answer.splitlines()[: 1 if "--equations" in command else None]  # their form may improve
    missing = [line for line in map(_plain, lines) if line not in said]
    assert not missing


def test_every_verb_is_on_the_page():
    shown = {command.split()[0] for command, _ in SHOWN}
    assert {"list", "play", "info", "simulate", "generate", "doctor"} <= shown


def _plain(line):
    """A line without times and counts, which differ from machine to machine and from version to version."""
    return re.sub(r"[\s\d.]+(ms|s)?\b", " ", line).strip() if re.search(r"\d", line) else line.rstrip()

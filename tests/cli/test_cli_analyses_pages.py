"""The pages of the analyses: their Python runs, and their commands say what the pages show, numbers apart."""

import re
import shlex
from pathlib import Path

import pytest
from test_cli_page import _plain

from touchweight.cli import main

PAGES = Path(__file__).parents[2] / "docs" / "analyses"
NAMES = ("assembly", "equilibrium", "linearise", "modes", "kinematics", "sensitivity")


def blocks(name, language):
    return re.findall(rf"```{language}\n(.*?)```", (PAGES / f"{name}.md").read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_does_what_it_says(name, tmp_path, monkeypatch, capsys):
    pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    names = {}
    for page in ("index", name):
        for text in blocks(page, "python"):
            exec(text, names)
    capsys.readouterr()
    shown = blocks(name, "console")
    assert shown
    for text in shown:
        command, _, answer = text.removeprefix("$ touchweight ").partition("\n")
        assert main(shlex.split(command)) == (2 if answer.startswith("touchweight: error") else 0)
        out, err = capsys.readouterr()
        said = {_plain(line) for line in (out + err).splitlines()}
        missing = [line for line in map(_plain, answer.splitlines()) if line not in said]
        assert not missing


def test_every_page_is_listed():
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert all(f"({name}.md)" in index for name in NAMES)

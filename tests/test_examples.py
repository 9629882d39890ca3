"""Every example runs by itself, says something and leaves its files where it was started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_it_runs(path, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "agg"}
    command = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and done.stderr == ""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_it_is_a_question_with_an_answer(path):
    text = path.read_text(encoding="utf-8")
    question = path.stem.replace("_", " ").capitalize().replace(" i ", " I ")
    assert text.startswith(f'"""{question}? ')
    assert len(text.splitlines()) < 60
    assert f"[{question}?]({path.name})" in (path.parent / "README.md").read_text(encoding="utf-8")

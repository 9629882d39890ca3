"""The page on file formats: what it shows is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sameness import describe

from touchweight.mechanism.mechanism import Mechanism
from touchweight.mechanism.yaml_format import dumps, loads

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL) if PAGE.exists() else []


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not in this copy")
def test_there_is_an_example() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("source", EXAMPLES)
def test_examples_are_sound_and_come_back(source: str) -> None:
    m: Mechanism = loads(source)
    assert m.check() == []
    assert describe(loads(dumps(m))) == describe(m)
    for section in ("parameters", "bodies", "joints", "frames", "inputs", "sensors", "states", "forces"):
        assert getattr(m, section)

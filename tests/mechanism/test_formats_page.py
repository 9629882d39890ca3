"""The page on file formats: what it shows is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sameness import describe

from touchweight.mechanism import LOOP_KINDS
from touchweight.mechanism.contact import LAWS
from touchweight.mechanism.mechanism import Mechanism
from touchweight.mechanism.shape import SHAPE_KINDS
from touchweight.mechanism.yaml_closing_reader import CONSTRAINT_KINDS
from touchweight.mechanism.yaml_format import dumps, loads

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
EXAMPLES = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
SECTIONS = (
    "parameters", "bodies", "joints", "frames", "inputs", "sensors", "states", "forces", "shapes", "contacts", "loops",
    "constraints", "drives", "modes", "transitions",
)  # fmt: skip


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not in this copy")
def test_there_is_an_example() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("source", EXAMPLES)
def test_examples_are_sound_and_come_back(source: str) -> None:
    m: Mechanism = loads(source)
    assert m.check() == []
    assert describe(loads(dumps(m))) == describe(m)


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not in this copy")
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_shown(section: str) -> None:
    assert any(f"\n{section}:\n" in source for source in EXAMPLES)
    assert f"| `{section}`" in TEXT or f"`{section}`," in TEXT


@pytest.mark.parametrize("kind", [*LOOP_KINDS, *CONSTRAINT_KINDS])
def test_every_kind_of_loop_is_named(kind: str) -> None:
    assert not TEXT or f"| `{kind}`" in TEXT


@pytest.mark.parametrize("word", [*SHAPE_KINDS, *LAWS])
def test_every_shape_and_law_is_named(word: str) -> None:
    assert not TEXT or f"| `{word}`" in TEXT

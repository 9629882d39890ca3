# ruff: noqa: E501 (a table reads better in long lines)
"""Numbers in files are decimal and finite, whatever the locale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchweight.errors import MechanismError
from touchweight.mechanism.number_text import is_number, parse_number, parse_numbers


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_reads_back(x: float) -> None:
    assert parse_number(repr(x)) == x
    assert parse_number(f"  {x:.17e}\n") == x
    assert is_number(repr(x))


@given(st.integers(-(10**300), 10**300))
def test_whole_numbers_read_back(n: int) -> None:
    assert parse_number(str(n)) == float(n)


@pytest.mark.parametrize(
    "text", ["", " ", "nan", "NaN", "-inf", "Infinity", ".inf", "1e400", "-1e999", "0x1p3", "1_0", "1,5", "1 2", "١", "½", "1e", "e5",
             ".", "-", "+-1", "1.2.3", "one", "True", "1f", "9" * 500, "１"]
)  # fmt: skip
def test_anything_else_is_one_sentence(text: str) -> None:
    with pytest.raises(MechanismError) as caught:
        parse_number(text)
    assert str(caught.value).startswith("expected a")
    assert str(caught.value).isprintable()


def test_lists_have_a_length() -> None:
    assert parse_numbers(" 1\t2\n3 ", 3) == [1, 2, 3]
    assert parse_numbers("1 2", (1, 3)) == [1, 2]
    assert parse_numbers("") == []
    with pytest.raises(MechanismError, match="3 numbers, found 2"):
        parse_numbers("1 2", 3)

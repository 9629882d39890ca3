"""Text written by precedence means what the expression means."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recipes import INPUTS, LEAVES, P, Q, expression, points, reference, worst

from touchweight.codegen.c import c_number
from touchweight.codegen.infix import LONGEST_CHAIN, Infix
from touchweight.codegen.python import SCALAR_NAMES, _call, py_number
from touchweight.symbolic import Expr, add, const, mul, sin

seeds = st.integers(0, 2**32).map(random.Random)
NAMES: dict[Expr, str] = {s: f"x{i}" for i, s in enumerate(LEAVES)}


def writer() -> Infix:
    made = Infix(py_number, _call)
    made.names.update(NAMES)
    return made


def value(text: str, at: dict[str, float]) -> float:
    return float(eval(text, {**SCALAR_NAMES, **at}))


@given(seeds)
@settings(max_examples=200, deadline=None)
def test_an_expression_written_out_in_full_has_its_value(draw):
    made = expression(draw, 4)
    p, inputs = points(1, draw.randrange(1000))
    flat = np.concatenate([*(inputs[k][0] for k in INPUTS), p])
    at = {NAMES[s]: float(x) for s, x in zip(LEAVES, flat, strict=True)}
    found = value(writer().text(made), at)
    assert worst(np.array([[found]]), reference([made], p, inputs)) < 1e-10


A, B, C, D = Q


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (A - (B - C), 2.0 - (3.0 - 5.0)),
        (A - (B + C), 2.0 - (3.0 + 5.0)),
        (-A - B, -2.0 - 3.0),
        (A / (B * C), 2.0 / 15.0),
        (A / B / C * D, 2.0 / 3.0 / 5.0 * 7.0),
        (A / (B / C), 2.0 / (3.0 / 5.0)),
        (-A / B, -2.0 / 3.0),
        (1.0 / A, 0.5),
        (-1.0 / A, -0.5),
        (-2.0 * A * B, -12.0),
        ((A + B) * (C - D), -10.0),
        (-(A + B) * C, -25.0),
        ((A + B) ** 2, 25.0),
        ((A + B) ** 3, 125.0),
        ((A * B) ** -2, 1.0 / 36.0),
        (A**7, 128.0),
        (A**-3, 0.125),
        ((A + B + D + 4.0) ** 0.5, 4.0),
        ((A + D) ** 1.5, 27.0),
        ((A + D) ** -0.5, 1.0 / 3.0),
        (-(A**2), -4.0),
        (2.0 * A - 2.0 * B + 2.0, 0.0),
        (0.5 * A + 0.5 * B - 0.5, 2.0),
        (-3.0 * A - 3.0 * B, -15.0),
        (const(-2.0) * sin(A * 0.0) + A, 2.0),
        (A - 1.5, 0.5),
        (-A - 1.5, -3.5),
    ],
)
def test_signs_and_brackets(made, expected):
    at = {NAMES[s]: x for s, x in zip(Q, (2.0, 3.0, 5.0, 7.0), strict=True)}
    text = writer().text(made)
    assert value(text, at) == pytest.approx(expected, rel=1e-15, abs=1e-15), text


def test_what_has_a_name_is_called_by_it():
    made = writer()
    product = A * B
    made.names[product] = "t0"
    assert made.text(product + C) == "t0 + x2" or made.text(product + C) == "x2 + t0"
    assert made.text(-product) == "-t0"
    assert made.text(3.0 * product) == "3.0*t0"
    assert made.text(-3.0 * product) == "(-3.0)*t0"
    assert value(made.text(C - 3.0 * product), {"t0": 6.0, "x2": 5.0}) == -13.0
    assert made.definition(product) in ("x0*x1", "x1*x0")


@pytest.mark.parametrize("size", [LONGEST_CHAIN, LONGEST_CHAIN + 1, LONGEST_CHAIN**2 + 3])
@pytest.mark.parametrize("join", [add, mul])
def test_long_chains_are_grouped_so_that_parsers_do_not_nest(size, join):
    from touchweight.symbolic import symbols

    many = symbols([f"y{i}" for i in range(size)], "coordinate")
    made = writer()
    made.names.update({s: s.name for s in many})
    text = made.text(join(*many))
    at = {s.name: 1.0 + 1.0 / (i + 7) for i, s in enumerate(many)}
    expected = math.fsum(at.values()) if join is add else math.prod(at.values())
    assert value(text, at) == pytest.approx(expected, rel=1e-12)
    deepest = max(part.count("*") + part.count("+") for part in text.replace(")", "(").split("("))
    assert deepest <= LONGEST_CHAIN


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_exact(x):
    assert float(c_number(x)) == x
    assert float(py_number(x)) == x
    assert any(ch in c_number(x) for ch in ".e"), "an integer in C would divide as one"


def test_parameters_and_inputs_are_all_there_is():
    assert set(LEAVES) == {*P, *(s for group in INPUTS.values() for s in group)}

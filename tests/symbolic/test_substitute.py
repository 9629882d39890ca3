"""Exchanging nodes: the value follows, what becomes trivial vanishes, what is untouched stays."""

import pytest
from formulas import NAMES, SYMBOLS, NoValueError, close, expression, formulas, points, value
from hypothesis import given, reject, settings

from touchweight.symbolic import (
    ONE,
    ZERO,
    both,
    const,
    cos,
    equal,
    evaluate,
    less,
    maximum,
    negation,
    select,
    share,
    sin,
    sqrt,
    substitute,
    substitute_all,
    symbols,
    total,
)

a, b, x, y, z = symbols("a b x y z")


@given(formulas(), points)
@settings(max_examples=200, deadline=None)
def test_numbers_for_symbols_leave_a_number(f, at) -> None:
    try:
        expected = value(f, at)
    except (NoValueError, OverflowError, ZeroDivisionError, ValueError):
        reject()
    found = substitute(expression(f), dict(zip(SYMBOLS, at.values(), strict=True)))
    assert close(float(found), expected)


@given(formulas(leaves=8), formulas(leaves=5), points)
@settings(max_examples=150, deadline=None)
def test_substitution_and_evaluation_commute(f, g, at) -> None:
    try:
        inner = value(g, at)
        expected = value(f, {**at, "q1": inner})
        made = substitute(expression(f), {SYMBOLS[NAMES.index("q1")]: expression(g)})
    except (NoValueError, OverflowError, ZeroDivisionError, ValueError):
        reject()
    assert close(evaluate(made, at), expected)


@given(formulas(leaves=8))
@settings(max_examples=100, deadline=None)
def test_nothing_for_nothing_changes_nothing(f) -> None:
    try:
        e = expression(f)
    except (ValueError, ZeroDivisionError):
        return
    assert substitute(e, {}) is e
    assert substitute(e, {z: x}) is e
    assert substitute(e, {s: s for s in SYMBOLS}) is e


def test_what_becomes_trivial_vanishes() -> None:
    assert substitute(a * x + b * y, {a: 0, b: 1}) is y
    assert substitute(sin(x) * a, {x: 0}) is ZERO
    assert substitute(share(x - y) * a, {x: y}) is ZERO
    assert substitute(share(x * y) * share(x + y), {y: 1}) is x * share(x + 1)
    assert substitute(sin(x) * cos(y) + cos(x) * sin(z), {z: y}) is sin(x + y)
    assert substitute(x**y, {y: 2}) is x * x
    assert substitute(sqrt(x), {x: a**3}) is sqrt(a**3)
    assert substitute(sqrt(x) * a, {x: const(4)}) is 2 * a
    assert substitute(abs(x), {x: -y}) is abs(y)
    assert substitute(maximum(x, y), {x: y}) is y


def test_conditions_are_decided() -> None:
    law = select(both(less(x, y), negation(equal(a, b))), x, y)
    assert substitute(law, {x: y}) is y
    assert substitute(law, {x: 1, y: 2}) is select(negation(equal(a, b)), 1, 2)
    assert substitute(law, {x: 1, y: 2, a: 3, b: 4}) is ONE
    assert substitute(law, {a: b}) is y


def test_composite_nodes_can_be_exchanged() -> None:
    s = share(a + b)
    assert substitute(s * x + s, {s: y}) is x * y + y
    assert substitute(sin(a * b) + 3 * a * b, {a * b: x}) is sin(x) + 3 * x
    assert substitute(2 * a * b, {a * b: x}) is 2 * x
    assert substitute(cos(x) * y, {cos(x): a}) is a * y


def test_all_at_once_not_one_after_the_other() -> None:
    assert substitute(x - y, {x: y, y: x}) is y - x
    assert substitute_all([x, x + y, 3], {x: 2 * x}) == [2 * x, 2 * x + y, const(3)]


def test_the_value_may_bring_the_replaced_symbol_back() -> None:
    e = total([x * x, share(x + 1)])
    assert substitute(e, {x: x}) is e
    assert evaluate(substitute(e, {x: x + 1}), {x: 2.0}) == pytest.approx(13.0)

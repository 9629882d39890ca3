"""Derivatives, forward and reverse, against complex steps, finite differences and SymPy."""

import math

import numpy as np
import pytest
from formulas import NAMES, SYMBOLS, NoValueError, build, expression, formulas, points, value
from hypothesis import given, reject, settings

from touchweight import symbolic as sy
from touchweight.symbolic import (
    ONE,
    ZERO,
    Expr,
    cos,
    count_operations,
    differentiate,
    directional_all,
    evaluate,
    evaluate_all,
    gradient,
    jacobian,
    select,
    share,
    sin,
    sqrt,
    symbol,
    symbols,
)

a, k, x, y, z = symbols("a k x y z")


def complex_step(e: Expr, by: str, at: dict[str, float]) -> float:
    """Exact to rounding: no difference is taken."""
    return float(np.imag(evaluate(e, {**at, by: complex(at[by], 1e-30)})) / 1e-30)


def central(e: Expr, by: str, at: dict[str, float], step: float = 1e-6) -> float:
    up, down = ({**at, by: at[by] + s} for s in (step, -step))
    return float(evaluate(e, up) - evaluate(e, down)) / (2 * step)


@given(formulas(smooth=True), points)
@settings(max_examples=250, deadline=None)
def test_forward_and_reverse_agree_with_complex_steps(f, at) -> None:
    try:
        value(f, at)
    except (NoValueError, OverflowError, ZeroDivisionError, ValueError):
        reject()
    e = expression(f)
    reverse = gradient(e, SYMBOLS)
    for s, by_reverse in zip(SYMBOLS, reverse, strict=True):
        expected = complex_step(e, s.name, at)
        if not abs(expected) < 1e8:
            continue
        for d in (differentiate(e, s), by_reverse):
            assert evaluate(d, at) == pytest.approx(expected, rel=1e-6, abs=1e-6 * (1 + abs(expected)))


@given(formulas(), points)
@settings(max_examples=150, deadline=None)
def test_forward_and_reverse_agree_with_each_other(f, at) -> None:
    try:
        value(f, at)
    except (NoValueError, OverflowError, ZeroDivisionError, ValueError):
        reject()
    e = expression(f)
    forward = np.array(evaluate_all([differentiate(e, s) for s in SYMBOLS], at), float)
    reverse = np.array(evaluate_all(gradient(e, SYMBOLS), at), float)
    known = np.isfinite(forward) & (np.abs(forward) < 1e8)
    np.testing.assert_allclose(reverse[known], forward[known], rtol=1e-6, atol=1e-6)


@given(formulas(smooth=True, leaves=8), points)
@settings(max_examples=100, deadline=None)
def test_sympy_finds_the_same(f, at) -> None:
    sympy = pytest.importorskip("sympy")
    try:
        value(f, at)
    except (NoValueError, OverflowError, ZeroDivisionError, ValueError):
        reject()
    leaves = {n: sympy.Symbol(n, real=True) for n in NAMES}
    theirs = build(f, leaves, sympy.Rational, sympy)
    ours = expression(f)
    for name, s in zip(NAMES, SYMBOLS, strict=True):
        slope = sympy.diff(theirs, leaves[name]).subs({leaves[n]: v for n, v in at.items()})
        expected = complex(sympy.N(slope, 30))
        if abs(expected.imag) > 1e-20 or not abs(expected) < 1e8:
            continue
        assert evaluate(differentiate(ours, s), at) == pytest.approx(expected.real, rel=1e-7, abs=1e-7)


RULES = {
    "sin": sin(x), "cos": cos(x), "tan": sy.tan(x), "asin": sy.asin(x / 3), "acos": sy.acos(x / 3),
    "atan": sy.atan(x), "atan2": sy.atan2(x, y) * sy.atan2(y * y, -x), "exp": sy.exp(x), "log": sy.log(x),
    "tanh": sy.tanh(x), "abs": abs(x - 1) * abs(x + 1), "min": sy.minimum(x * x, y) + sy.minimum(x, y * y),
    "max": sy.maximum(x * x, y) + sy.maximum(x, y * y), "select": select(x < y, x * y, y / x),
    "pow": x**y + (x * y) ** (x - y), "sign": sy.sign(x) * x, "floor": sy.floor(x) * y, "root": sqrt(x * y),
    "power": x**-2 * y**2.5,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(RULES))
def test_each_rule_against_finite_differences(name: str) -> None:
    e = RULES[name]
    for at in ({"x": 0.7, "y": 1.3}, {"x": 1.6, "y": 0.4}):
        backward = gradient(e, [x, y])
        for s, by_reverse in zip((x, y), backward, strict=True):
            expected = central(e, s.name, at)
            assert evaluate(differentiate(e, s), at) == pytest.approx(expected, abs=1e-7, rel=1e-7)
            assert evaluate(by_reverse, at) == pytest.approx(expected, abs=1e-7, rel=1e-7)


def test_the_exponent_of_zero_has_no_slope() -> None:
    d = differentiate(x**y, y)
    assert evaluate(d, {x: 0.0, y: 2.0}) == 0.0
    assert evaluate(d, {x: 2.0, y: 3.0}) == pytest.approx(8 * math.log(2))


# -- branches not taken -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "law",
    [
        select(x > 0, k * x**1.5, 0),
        select(x <= 0, 0, k * sqrt(x)),
        select(x > 0, sqrt(x) * select(y > 0, sy.log(y), 3 * x), y),
        select(x > 0, sqrt(x), 0) + select(x > 1, sqrt(x), y) * select(y > 0, sy.log(y), 0),
        sy.maximum(x, 0) ** 1.5 * y + sy.minimum(x, y),
    ],
)
def test_a_branch_not_taken_adds_nothing_not_even_a_nan(law: Expr) -> None:
    for u in (-1.0, 0.5, 2.0):
        for v in (-0.7, 0.6):
            at = {"x": u, "y": v, "k": 2.0}
            reverse = gradient(law, [x, y])
            for s, by_reverse in zip((x, y), reverse, strict=True):
                expected = central(law, s.name, at)
                assert evaluate(differentiate(law, s), at) == pytest.approx(expected, abs=1e-7)
                assert evaluate(by_reverse, at) == pytest.approx(expected, abs=1e-7)


# -- structure --------------------------------------------------------------------------------------------
def test_time_derivative_is_the_derivative_along_the_motion() -> None:
    q, v, acc = symbol("q", "coordinate"), symbol("v", "speed"), symbol("a", "acceleration")
    position = k * sin(q)
    (velocity,) = directional_all([position], {q: v})
    assert velocity is k * v * cos(q)
    (acceleration,) = directional_all([velocity], {q: v, v: acc})
    assert acceleration is k * acc * cos(q) - k * v**2 * sin(q)


def test_what_does_not_depend_has_no_derivative() -> None:
    assert differentiate(sin(y) * a, x) is ZERO
    assert differentiate(7, x) is ZERO
    assert differentiate(x, x) is ONE and gradient(x, [x, y]) == [ONE, ZERO]
    assert gradient(const := sy.as_expr(3), [x]) == [ZERO] and const is not ZERO
    assert differentiate(sy.floor(x) + sy.sign(x), x) is ZERO


def test_derivatives_by_an_intermediate_hold_it_for_independent() -> None:
    s = share(x * y + 1)
    e = s * s + x
    assert differentiate(e, s) is 2 * s
    by_s, by_x = gradient(e, [s, x])
    assert (by_s, by_x) == (2 * s, ONE)


def test_jacobian_has_the_same_value_both_ways() -> None:
    s = share(x * sin(y) + z)
    rows = [s * x, s / (1 + z * z), sy.exp(-s) * y]
    at = {"x": 0.3, "y": 0.8, "z": -0.4}
    tall = jacobian(rows, [x, y])
    wide = [jacobian([r], [x, y])[0] for r in rows]
    expected = [[complex_step(r, s.name, at) for s in (x, y)] for r in rows]
    for found in (tall, wide):
        np.testing.assert_allclose([evaluate_all(r, at) for r in found], expected, rtol=1e-12)


def test_second_derivatives_are_symmetric() -> None:
    e = sin(x * y) * sy.exp(x / z) + x**2 * y**3 * z
    variables = [x, y, z]
    at = {"x": 0.4, "y": 1.1, "z": 1.7}
    first = gradient(e, variables)
    hessian = np.array([evaluate_all(row, at) for row in jacobian(first, variables)])
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-12)


def test_a_gradient_costs_a_small_multiple_of_the_expression() -> None:
    q = [symbol(f"q{i}", "coordinate") for i in range(40)]
    e: Expr = ZERO
    for i, s in enumerate(q):
        e = share(e * cos(s) + sin(s) * q[i - 1])
    spent = count_operations([e]).total
    assert count_operations(gradient(e, q)).total < 5 * spent
    rates = {s: symbol("v" + s.name, "speed") for s in q}
    assert count_operations(directional_all([e], rates)).total < 5 * spent

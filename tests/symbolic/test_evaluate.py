"""Values: floats, arrays, complex numbers; NaN and infinity as in C; clear words when a value is missing."""

import math

import numpy as np
import pytest

from touchweight.symbolic import (
    const,
    cos,
    evaluate,
    evaluate_all,
    log,
    maximum,
    select,
    share,
    sin,
    sqrt,
    symbol,
    symbols,
)

x, y = symbols("x y")


def test_values_by_symbol_or_by_name() -> None:
    e = x * y + 1
    for values in ({x: 2.0, y: 3.0}, {"x": 2.0, "y": 3.0}, {x: 2, "y": 3}):
        assert evaluate(e, values) == 7.0
    assert evaluate(3) == 3.0 and evaluate(const(3)) == 3.0
    q, v = symbol("s", "coordinate"), symbol("s", "speed")
    assert evaluate(q - v, {q: 5.0, v: 2.0}) == 3.0


def test_a_missing_value_is_named() -> None:
    with pytest.raises(KeyError, match="expected a value for the symbol 'y'"):
        evaluate(x + y, {x: 1.0})
    assert evaluate(x, {x: 0.0}) == 0.0


def test_arrays_go_through_element_by_element() -> None:
    rng = np.random.default_rng(0)
    u, v = rng.uniform(-2, 2, (3, 4)), rng.uniform(0.1, 2, (3, 4))
    e = select(x < 0, sin(x) * sqrt(y), maximum(x, y) ** -2) + share(x * y) / 3
    expected = np.where(u < 0, np.sin(u) * np.sqrt(v), np.maximum(u, v) ** -2.0) + u * v / 3
    np.testing.assert_allclose(evaluate(e, {x: u, y: v}), expected, rtol=1e-14)
    for i, j in np.ndindex(u.shape):
        assert evaluate(e, {x: u[i, j], y: v[i, j]}) == pytest.approx(expected[i, j], rel=1e-14)


def test_whole_numbers_are_numbers_too() -> None:
    assert evaluate(x**-2 / y, {x: 2, y: 4}) == 1 / 16
    assert evaluate(x**-1, {x: np.array([1, 2, 4])}).tolist() == [1.0, 0.5, 0.25]
    assert evaluate(x**y, {x: 2, y: -2}) == 0.25
    assert evaluate(x, {x: True}) == 1.0


def test_complex_numbers_for_complex_steps() -> None:
    z = complex(0.4, 1e-20)
    e = x**2 * sqrt(x) + cos(x) / x
    found = evaluate(e, {x: z})
    slope = 2.5 * 0.4**1.5 - math.sin(0.4) / 0.4 - math.cos(0.4) / 0.16
    assert found.imag / 1e-20 == pytest.approx(slope, rel=1e-13)


@pytest.mark.filterwarnings("error")
def test_as_in_c_nothing_is_raised() -> None:
    assert math.isnan(evaluate(sqrt(x), {x: -1.0}))
    assert math.isnan(evaluate(x**1.5, {x: -1.0}))
    assert math.isnan(evaluate(x**y, {x: -1.0, y: 0.5}))
    assert math.isnan(evaluate(log(x), {x: -1.0}))
    assert evaluate(1 / x, {x: 0.0}) == math.inf
    assert evaluate(log(x), {x: 0.0}) == -math.inf
    assert evaluate(x**4 * x**300, {x: 1e10}) == math.inf
    assert evaluate(select(x > 0, sqrt(x), 0), {x: -1.0}) == 0.0


def test_what_is_common_is_computed_once() -> None:
    calls = []

    class Counting(float):
        def __mul__(self, other: float) -> float:
            calls.append(other)
            return float(self) * other

        __rmul__ = __mul__

    s = share(x * y)
    assert evaluate_all([s + 1, s + 2, sin(s)], {x: Counting(2.0), y: 3.0}) == [7.0, 8.0, math.sin(6.0)]
    assert len(calls) == 1

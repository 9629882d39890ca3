"""The laws of construction: what is equal is one node, and no rule is wrong where the formula has a value."""

import copy
import gc
import itertools
import math
import os
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from formulas import SYMBOLS, NoValueError, close, expression, formulas, points, value
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from touchweight.symbolic import (
    ONE,
    ZERO,
    Add,
    Const,
    Expr,
    Func,
    Mul,
    Shared,
    Symbol,
    add,
    as_expr,
    const,
    cos,
    evaluate,
    fresh_table,
    mul,
    power,
    share,
    sin,
    sqrt,
    symbol,
    symbols,
    text,
    total,
)
from touchweight.symbolic.expr import PRIORITY, SYMBOL_KINDS, make_product, make_sum, table_size

a, b, c, x, y = symbols("a b c x y")


# -- identities -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (a + b, b + a),
        ((a + b) + c, a + (b + c)),
        (a * b, b * a),
        ((a * b) * c, a * (b * c)),
        (a * (b + c), (c + b) * a),
        (x - x, ZERO),
        (x + 0, x),
        (0 - x, -x),
        (x * 0, ZERO),
        (x * 1, x),
        (x / 1, x),
        (x / x, ONE),
        (x * y / x, y),
        (-1 * (-x), x),
        ((-x).__neg__(), x),
        (x + x, 2 * x),
        (3 * x - x - 2 * x, ZERO),
        (2 * (a + b) - 2 * a - 2 * b, ZERO),
        ((a - b) * c + (b - a) * c, ZERO),
        ((a - b) * (b - a), -((a - b) ** 2)),
        ((a - b) ** 2, (b - a) ** 2),
        ((2 * a - 2 * b) * c, 2 * (c * (a - b))),
        ((2 * a - 2 * b) / (b - a), const(-2)),
        ((2 * a + 2) * c, 2 * c * (a + 1)),
        ((x * y) ** 3, x**3 * y**3),
        ((2 * x) ** -2, 0.25 / (x * x)),
        (x**2 * x**-2, ONE),
        (1 / (1 / x), x),
        (a / (b / c), a * c / b),
        (x**0, ONE),
        (x**1.0, x),
        (x**2.0, x * x),
        (x * 2 * y * 0.5, x * y),
        (sqrt(x) * sqrt(x), x),
        (sqrt(x) ** 2, x),
        (sqrt(x) ** 4, x**2),
        (x**1.5 / sqrt(x), x),
        (sqrt(x * y) * sqrt(x * y), x * y),
        (sqrt(2 * a - 2 * b) * sqrt(2 * a - 2 * b) * c, 2 * c * (a - b)),
        (sqrt(b - a) * sqrt(b - a) * c, -(c * (a - b))),
        ((x**1.5) ** 2, x**3),
        ((x**0.5) ** 0.5, x**0.25),
        (sqrt(const(9)), const(3)),
        (1**x, ONE),
        (add(a, b, -a), b),
        (total([a, 1, b, -1]), a + b),
        (total([]), ZERO),
        (mul(a, 2, b, 0.5), a * b),
        (mul(), ONE),
    ],
)
def test_two_ways_to_write_it_are_one_node(left: Expr, right: Expr) -> None:
    assert left is right


def test_all_orders_of_a_sum_and_of_a_product_are_one_node() -> None:
    kinds = [symbol("w", k) for k in SYMBOL_KINDS]  # one name, eleven symbols: only their kinds differ
    twins = [symbol("w01"), symbol("w1"), 1 / x, 1 / x**2, share(a - b), share(a - 2 * b), sin(x + y)]
    parts = [*kinds[5:8], *twins]
    for chosen in itertools.combinations(parts, 3):
        orders = list(itertools.permutations(chosen))
        assert len({add(*o) for o in orders}) == 1
        assert len({mul(*o) for o in orders}) == 1
        assert len({(p + q) + r for p, q, r in orders} | {p + (q + r) for p, q, r in orders}) == 1
        assert len({(p * q) * r for p, q, r in orders} | {p * (q * r) for p, q, r in orders}) == 1


def test_long_angles_with_a_common_beginning_keep_their_order() -> None:
    stem = [symbol("joint_with_a_rather_long_name_" * 4 + str(i), "coordinate") for i in range(12)]
    one, other = sin(total(stem)), sin(total(stem[:-1]))
    third = cos(total(stem) + symbol("z"))
    assert one + other is other + one
    assert (one * other) * third is one * (other * third)


@given(formulas(leaves=6), formulas(leaves=6))
@settings(max_examples=150, deadline=None)
def test_sum_and_product_commute_and_cancel(f, g) -> None:
    try:
        p, q = expression(f), expression(g)
        assert p + q is q + p
        assert p * q is q * p
        assert p - p is ZERO
        assert (-p).__neg__() is p
        assert p - q is p + (-q)
        assert p + p is 2 * p
    except (ValueError, ZeroDivisionError):
        pass  # no such number: sqrt(-1), 1 / 0


# -- what must not be simplified ----------------------------------------------------------------------------
def test_the_root_of_a_square_is_not_the_number() -> None:
    for e in (sqrt(x**2), (x**2) ** 0.5, sqrt(x * x), (x**4) ** 0.25, ((-x) ** 2) ** 0.5):
        assert evaluate(e, {x: -3.0}) == pytest.approx(3.0)
        assert evaluate(e, {x: 3.0}) == pytest.approx(3.0)
    assert evaluate(sqrt(x * y), {x: -2.0, y: -8.0}) == pytest.approx(4.0)
    assert evaluate(((x * y) ** 2) ** 0.5, {x: -2.0, y: 8.0}) == pytest.approx(16.0)
    assert evaluate((x**2) ** 1.5, {x: -2.0}) == pytest.approx(8.0)
    assert evaluate((x**-2) ** 0.5, {x: -2.0}) == pytest.approx(0.5)


def test_a_root_of_a_product_does_not_split_its_sign() -> None:
    assert evaluate(sqrt(-x), {x: -4.0}) == pytest.approx(2.0)
    assert evaluate((-2 * x) ** 0.5, {x: -2.0}) == pytest.approx(2.0)
    assert evaluate((-(x**0.5)) ** 2, {x: 4.0}) == pytest.approx(4.0)
    assert math.isnan(evaluate((-(x**0.5)) ** 0.5, {x: 4.0}))


def test_symbolic_exponents_are_left_alone() -> None:
    e = (x**y) ** (1 / y)
    assert e is not x
    assert evaluate((x**2) ** y, {x: -2.0, y: 0.5}) == pytest.approx(2.0)
    assert evaluate((x**y) ** 0.5, {x: -2.0, y: 2.0}) == pytest.approx(2.0)
    assert evaluate(x**y * x**y, {x: -2.0, y: 3.0}) == pytest.approx(64.0)
    assert evaluate(x**y / x**y, {x: 2.0, y: 3.0}) == 1.0
    assert isinstance(x**y, Func)
    assert x ** (y - y + 2) is x * x
    assert evaluate(const(0) ** y, {y: 2.0}) == 0.0


# -- against plain floats ---------------------------------------------------------------------------------
@given(formulas(), points)
@settings(max_examples=600, deadline=None)
def test_an_expression_computes_what_its_operators_compute(f, at) -> None:
    try:
        expected = value(f, at)
    except (NoValueError, OverflowError, ZeroDivisionError, ValueError):
        reject()
    found = evaluate(expression(f), at)
    assert close(found, expected), f"{f}: {text(expression(f))}"


# -- the priority rule ------------------------------------------------------------------------------------
def test_priority_rule_of_equation_14_orders_terms_and_factors() -> None:
    m, d, f, q = symbol("z", "mass"), symbol("y", "length"), symbol("x", "force"), symbol("w", "coordinate")
    p = symbol("v")
    items = [share(a + b), a * b, sin(q), cos(q), q, f, p, d, m]
    ordered = total(items)
    assert isinstance(ordered, Add)
    assert [n for n, _ in ordered.terms] == [m, d, p, f, q, cos(q), sin(q), a * b, share(a + b)]
    product = mul(a + b, *[i for i in items if i is not items[1]])
    assert isinstance(product, Mul)
    assert [n for n, _ in product.factors] == [m, d, p, f, q, cos(q), sin(q), a + b, share(a + b)]
    letters = [n.key[0] for n, _ in product.factors]
    assert letters == sorted(letters)
    assert list(PRIORITY.values()) == sorted(PRIORITY.values())


def test_numbers_in_names_count() -> None:
    names = ["q1", "q2", "q10", "q10a", "q11"]
    made = total(symbol(n, "coordinate") for n in reversed(names))
    assert isinstance(made, Add)
    assert [n.name for n, _ in made.terms if isinstance(n, Symbol)] == names


@given(st.lists(formulas(leaves=4), min_size=2, max_size=6))
@settings(max_examples=100, deadline=None)
def test_terms_and_factors_are_sorted_and_flat(fs) -> None:
    try:
        parts = [expression(f) for f in fs]
        made = [total(parts), mul(*parts)]
    except (ValueError, ZeroDivisionError):
        return
    for e in made:
        if isinstance(e, Add):
            keys = [n.key for n, _ in e.terms]
            assert keys == sorted(keys) and len(set(keys)) == len(keys)
            assert all(k != 0.0 for _, k in e.terms)
            assert not any(isinstance(n, (Add, Const)) for n, _ in e.terms)
            assert not any(isinstance(n, Mul) and n.coef != 1.0 for n, _ in e.terms)
        if isinstance(e, Mul):
            keys = [n.key for n, _ in e.factors]
            assert keys == sorted(keys) and len(set(keys)) == len(keys)
            assert e.coef != 0.0 and all(k != 0 for _, k in e.factors)
            assert not any(isinstance(n, Const) for n, _ in e.factors)
            assert not any(isinstance(n, Mul) and isinstance(k, int) for n, k in e.factors)
            assert e.unit is e if e.coef == 1.0 else e.unit * e.coef is e


# -- shared intermediates ---------------------------------------------------------------------------------
def test_a_shared_sum_is_kept_whole() -> None:
    s = share(a + b)
    assert isinstance(s, Shared) and s.inner is a + b
    assert (s + c).children == (c, s)
    assert s - s is ZERO
    assert share(s) is s
    assert share(-a - b) is -s
    assert share(3 * a * b) is 3 * share(a * b)
    for atom in (a, -a, 2 * a, const(3), sin(a)):
        assert share(atom) is atom


# -- numbers ----------------------------------------------------------------------------------------------
def test_numbers_of_all_kinds_and_nothing_else() -> None:
    for two in (2, 2.0, np.float64(2), np.float32(2), np.int64(2), Fraction(2), np.array(2.0)):
        assert as_expr(two) is const(2)
        assert x * two is 2 * x and two * x is 2 * x
        assert x + two is x + 2 and two - x is 2 - x
        assert x / two is 0.5 * x and two / x is 2 / x and x**two is x * x
    for wrong in ("2", None, [1], 1j, np.array([1.0, 2.0]), b"2"):
        with pytest.raises(TypeError, match="expected a number or an expression"):
            as_expr(wrong)
    for wrong in ("2", None, [1], 1j):
        for operate in (lambda w: x + w, lambda w: w - x, lambda w: x * w, lambda w: w / x, lambda w: x**w):
            with pytest.raises(TypeError):
                operate(wrong)
    with pytest.raises(ValueError, match="NaN"):
        const(float("nan"))
    with pytest.raises(ValueError, match="finite exponent"):
        power(x, math.inf)


def test_arrays_work_element_by_element() -> None:
    row = np.array([1.0, 2.0])
    for made, wanted in ((x * row, [x, 2 * x]), (row - x, [1 - x, 2 - x]), (x / row, [x, x / 2])):
        assert list(made) == wanted
    assert np.array([x, y]) @ np.array([y, x]) is 2 * x * y


def test_quotients_of_numbers_are_rounded_once() -> None:
    for p, q in ((5, 3), (7, 49), (1, 10), (2, 3)):
        assert as_expr(p) / q is const(p / q)
        assert (p * x) / q is (p / q) * x


def test_no_negative_zero_and_no_vanishing_coefficients() -> None:
    assert math.copysign(1.0, const(-0.0).value) == 1.0
    assert 1e-200 * (1e-200 * x) is ZERO
    assert 1e-200 * (1e-200 * x + y) is 1e-200 * y
    assert 1e-200 * (1e-200 * (x * y)) is ZERO


def test_exponents_that_become_whole_are_whole_numbers() -> None:
    with fresh_table():
        made = [x**1.5 * sqrt(x), (x**1.5) ** 2, (x + y) ** 0.5 * (x + y) ** 2.5, x**2.5 / sqrt(x)]
        exponents = [e for m in made if isinstance(m, Mul) for _, e in m.factors]
        assert exponents == [2, 3, 3, 2] and all(type(e) is int for e in exponents)


def test_wrong_numbers_say_so() -> None:
    with pytest.raises(ZeroDivisionError, match="non-zero divisor"):
        x / 0
    with pytest.raises(ZeroDivisionError, match="non-zero divisor"):
        y / (x - x)
    with pytest.raises(ValueError, match="non-negative base"):
        sqrt(const(-1))
    with pytest.raises(ValueError, match="fits a double"):
        const(1e200) ** 2
    with pytest.raises(ValueError, match="symbol kind"):
        symbol("x", "colour")
    with pytest.raises(ValueError, match="non-empty name"):
        symbol("")


def test_an_expression_is_no_truth_value_and_no_float() -> None:
    with pytest.raises(TypeError, match="select"):
        bool(x)
    with pytest.raises(TypeError, match="select"):
        assert 0 < x < 1
    with pytest.raises(TypeError, match="evaluate"):
        float(x)
    assert float(const(2.5)) == 2.5 and bool(ONE) and not ZERO


# -- interning --------------------------------------------------------------------------------------------
def test_the_same_thing_twice_is_one_object() -> None:
    assert symbol("a") is a and symbol("a") is not symbol("a", "mass")
    assert const(2.5) is const(2.5)
    for make in (lambda: a + 2 * b, lambda: a * b**2, lambda: sin(a + b), lambda: share(a * b), lambda: -a):
        assert make() is make()


def test_a_fresh_table_forgets() -> None:
    before = table_size()
    with fresh_table():
        assert table_size() == 0
        inner = share(a * b + c)
        assert share(a * b + c) is inner
        assert table_size() > 0
        with fresh_table():
            assert share(a * b + c) is not inner
        assert share(a * b + c) is inner
    assert table_size() == before
    with pytest.raises(RuntimeError), fresh_table():
        raise RuntimeError
    assert table_size() == before and gc.isenabled()


def test_nodes_of_two_tables_mix() -> None:
    here = share(a * b + c)
    with fresh_table():
        there = share(a * b + c)
        mixed = there * x + here
    assert here is not there
    for e, expected in (
        (mixed, 35.0),
        (there + here, 14.0),
        (there - here, 0.0),
        (here * there, 49.0),
        (share(there + 1) * here, 56.0),
        (there / here, 1.0),
    ):
        assert evaluate(e, {a: 2.0, b: 3.0, c: 1.0, x: 4.0}) == expected


def test_a_fresh_table_frees_its_nodes_without_the_collector() -> None:
    import weakref

    class Probe(float):
        """A number that can be watched."""

    gc.disable()
    try:
        with fresh_table():
            probe = Probe(0.123)
            watch = weakref.ref(probe)
            e = share(make_sum({a * b: probe, c: 1.0}, 0.0))
            e = e * e + make_product({a: 2, b: 1}, -1.0) * (e * x) + 2 * (e * y)
            del probe
        assert watch() is not None
        del e
        assert watch() is None
    finally:
        gc.enable()


def test_copies_and_pickles_are_the_node_itself() -> None:
    e = share(a * sin(b) - 2) ** 2 / sqrt(c) + x**y
    assert copy.copy(e) is e and copy.deepcopy({"k": [e]})["k"][0] is e
    assert pickle.loads(pickle.dumps(e)) is e
    for s in SYMBOLS:
        assert pickle.loads(pickle.dumps(s)) is s


# -- determinism ------------------------------------------------------------------------------------------
DERIVATION = """
import sys
from touchweight.symbolic import *
from touchweight.symbolic.walk import topological
if sys.argv[1] == "history":
    kinds = ("speed", "coordinate", "mass", "parameter")
    z = [symbol(n, k) for n in ("q3", "q2", "m2", "q1", "zz") for k in kinds]
    for p in z:
        for r in reversed(z):
            share(cos(r + p) * sin(p) - r * 3) * 2 + p * r / (1 + p)
q = [symbol(f"q{i}", "coordinate") for i in range(1, 4)]
v = [symbol(f"v{i}", "speed") for i in range(1, 4)]
m = [symbol(f"m{i}", "mass") for i in range(1, 4)]
l = [symbol(f"l{i}", "length") for i in range(1, 4)]
w, e, results = as_expr(0), as_expr(0), []
for i in range(3):
    s, c = sin(total(q[: i + 1])), cos(total(q[: i + 1]))
    w = share(w + v[i])
    e = share(e + m[i] * l[i] ** 2 * w**2 / 2)
    e = share(e + m[i] * l[i] * (s * sin(q[0]) + c * cos(q[0])) * w / (1 + w * w))
results = [e, *gradient(e, q), *directional_all([e], dict(zip(q, v)))]
results.append(select(minimum(e, w) < maximum(q[0], q[1]), 1 / w + 1 / w**2, abs(w)))
for r in results:
    print(text(r, limit=10**7))
    print(latex(r, limit=10**7))
    for n in sorted(topological([r]), key=lambda n: n.digest):
        print(n.digest, n.key, [text(c, limit=200) for c in n.children])
"""


def test_a_derivation_is_the_same_in_every_process() -> None:
    def run(seed: str, history: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-X", "utf8", "-c", DERIVATION, history]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    first = run("0", "none")
    assert len(first) > 10_000
    assert run("1", "none") == first
    assert run("2", "history") == first

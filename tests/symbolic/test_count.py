"""Counting operations: each case of the table in count.py, and no more than a person would need."""

import pytest
from formulas import expression, formulas
from hypothesis import given, settings
from hypothesis import strategies as st

from touchweight.symbolic import Operations, const, cos, count_operations, select, share, sin, sqrt, symbols
from touchweight.symbolic.count import node_operations

a, b, c, x, y, z = symbols("a b c x y z")


@pytest.mark.parametrize(
    ("exprs", "expected"),
    [
        ([x], Operations()),
        ([const(3)], Operations()),
        ([x + y], Operations(additions=1)),
        ([x - y], Operations(additions=1)),
        ([x + y + 1], Operations(additions=2)),
        ([2 * x + y], Operations(additions=1, multiplications=1)),
        ([2 * x + 3 * y], Operations(additions=1, multiplications=2)),
        ([2 * x - 2 * y], Operations(additions=1, multiplications=1)),  # 2*(x - y)
        ([2 * x + 2], Operations(additions=1, multiplications=1)),
        ([-x - y], Operations(additions=1, negations=1)),
        ([-x - 2 * y], Operations(additions=1, multiplications=1)),  # -2*y - x
        ([-x - 1], Operations(additions=1)),  # -1 - x
        ([-x], Operations(negations=1)),
        ([2 * x], Operations(multiplications=1)),
        ([x * y], Operations(multiplications=1)),
        ([-x * y], Operations(multiplications=1, negations=1)),
        ([2 * x * y], Operations(multiplications=2)),
        ([x * y, 2 * x * y], Operations(multiplications=2)),  # the product is there already
        ([x * y, -x * y], Operations(multiplications=1, negations=1)),
        ([x * y + 1, 2 * x * y], Operations(additions=1, multiplications=2)),
        ([sin(x * y), 3 * x * y], Operations(multiplications=2, functions=1)),
        ([2 * x * y + 1], Operations(additions=1, multiplications=2)),
        ([2 * x * y + 1, 3 * x * y + 1], Operations(additions=2, multiplications=3)),
        ([x / y], Operations(divisions=1)),
        ([1 / x], Operations(divisions=1)),
        ([-1 / x], Operations(divisions=1)),
        ([2 / x], Operations(divisions=1)),
        ([-x / y], Operations(divisions=1, negations=1)),
        ([a * b / (x * y)], Operations(multiplications=2, divisions=1)),
        ([x**2], Operations(multiplications=1)),
        ([x**3], Operations(multiplications=2)),
        ([x**4], Operations(multiplications=2)),
        ([x**7], Operations(multiplications=4)),
        ([x**-2], Operations(multiplications=1, divisions=1)),
        ([sqrt(x)], Operations(functions=1)),
        ([x**1.5], Operations(functions=1, multiplications=1)),
        ([x**2.5], Operations(functions=1, multiplications=2)),
        ([x**-0.5], Operations(functions=1, divisions=1)),
        ([x**2.2], Operations(functions=1)),
        ([x**y], Operations(functions=1)),
        ([sin(x) + cos(x)], Operations(additions=1, functions=2)),
        ([select(x < y, x, y)], Operations(functions=2)),
        ([share(x + y) * share(x + y)], Operations(additions=1, multiplications=1)),
        ([share(x * y) + share(x * y) * a], Operations(additions=1, multiplications=2)),
        ([x + y, x + y], Operations(additions=1)),
        ([1, 2.5], Operations()),
    ],
)
def test_each_case(exprs, expected: Operations) -> None:
    assert count_operations(exprs) == expected


@given(st.lists(formulas(leaves=6), min_size=1, max_size=3), formulas(leaves=6))
@settings(max_examples=100, deadline=None)
def test_together_is_never_more_than_apart_and_again_is_free(fs, g) -> None:
    try:
        several, one = [expression(f) for f in fs], expression(g)
    except (ValueError, ZeroDivisionError):
        return
    together = count_operations([*several, one]).total
    assert together <= count_operations(several).total + count_operations([one]).total
    assert together >= count_operations(several).total
    assert count_operations([*several, one, one]).total == together
    apart = count_operations(several).total
    signs = len(several)  # l - m is shared as -(m - l)
    assert apart <= count_operations([share(e) for e in several]).total <= apart + signs


def test_one_node_at_a_time() -> None:
    assert node_operations(2 * x * y) == Operations(multiplications=2)
    assert node_operations(2 * x * y, {x * y}) == Operations(multiplications=1)
    assert node_operations(x) == node_operations(share(x + y)) == Operations()


def test_operations_add_up_and_read_well() -> None:
    one = Operations(1, 2, 3, 4, 5)
    assert (one + one).total == 2 * one.total == 30
    assert str(one) == "15 operations (1 +-, 2 *, 3 /, 4 functions, 5 negations)"
    assert str(Operations(1, 2)) == "3 operations (1 +-, 2 *, 0 /, 0 functions)"

"""Condensing may only lower the count, and changes no value."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from recipes import P, Q, V, outputs, points, reference, worst

from touchweight.codegen.condense import condense
from touchweight.codegen.hoist import hoist
from touchweight.symbolic import Expr, count_operations, evaluate_all, sin

seeds = st.integers(0, 2**32).map(random.Random)


def flat(roots: list[Expr]) -> list[Expr]:
    """As condensing gets them: hoisted, without parameters."""
    return hoist(roots, ()).roots


def sums_of_products(draw: random.Random, count: int) -> list[Expr]:
    """What condensing is for: sums of products of few factors, which they share."""
    factors = [*Q, *V, *P, sin(Q[0])]

    def term() -> Expr:
        made = draw.choice(factors)
        for _ in range(draw.randrange(3)):
            made = made * draw.choice(factors)
        return draw.choice([1.0, 1.0, -1.0, 2.0]) * made

    return [sum((term() for _ in range(draw.randrange(1, 7))), start=term()) for _ in range(count)]


@given(seeds, st.booleans())
@settings(max_examples=200, deadline=None)
def test_the_value_stays(draw, plain):
    roots = flat(sums_of_products(draw, 8) if plain else outputs(draw, 6))
    p, inputs = points(1, draw.randrange(1000))
    assert worst(reference(condense(roots), p, inputs), reference(roots, p, inputs)) < 1e-10


@given(seeds, st.booleans())
@settings(max_examples=200, deadline=None)
def test_the_count_never_rises(draw, plain):
    roots = flat(sums_of_products(draw, 8) if plain else outputs(draw, 6))
    before, after = count_operations(roots), count_operations(condense(roots))
    assert after.total <= before.total, f"{before} became {after}"


def test_a_common_factor_is_pulled_out():
    a, x, y, z = Q
    made = condense(flat([a * x + a * y - V[0] * z]))
    assert count_operations(made).total == 4  # a (x + y) - b z


def test_common_pairs_of_factors_are_shared():
    a, b, x, y = Q
    roots = flat([a * b * x, a * b * y, a * b * V[0]])
    assert count_operations(roots).total == 6
    assert count_operations(condense(roots)).total == 4


def test_common_pairs_of_terms_are_shared_also_with_opposite_sign():
    a, b, x, y = Q
    roots = flat([a - b + x, b - a + y])
    assert count_operations(roots).total == 4
    assert count_operations(condense(roots)).total == 3


def test_products_that_others_read_stay_whole():
    a, x, y, _ = Q
    roots = flat([a * x + a * y, sin(a * x), sin(a * y)])
    made = condense(roots)
    assert count_operations(made).total <= count_operations(roots).total
    assert evaluate_all(made, {a: 2.0, x: 3.0, y: 5.0})[0] == 16.0


def test_a_product_of_which_another_is_a_multiple_stays_whole():
    """-x y z is made from x y z: to take that apart in the sum would cost it again."""
    x, y, z, w = Q
    product = x * y * z * sin(w)
    roots = flat([-product, -V[0] * product - product])
    assert count_operations(condense(roots)).total <= count_operations(roots).total


def test_one_over_costs_as_much_as_a_over():
    a, x, y, _ = Q
    roots = flat([a / (x * x + 0.5) + a / (y * y + 0.5)])
    assert count_operations(condense(roots)).total == count_operations(roots).total


def test_a_difference_is_shared_the_way_round_in_which_it_is_there():
    a, b, x, y = Q
    roots = flat([b - a, b - a - V[0] * x])
    assert count_operations(roots).total == 4
    assert count_operations(condense(roots)).total == 3
    roots = flat([b * V[0] - a - x, b * V[0] - a - y])
    assert count_operations(condense(roots)).total <= count_operations(roots).total - 1

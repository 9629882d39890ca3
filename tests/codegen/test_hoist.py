"""Hoisting moves what depends on parameters alone out of the way, and changes no value."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recipes import LEAVES, P, Q, condition, outputs, points, reference, worst

from touchweight.codegen.hoist import hoist
from touchweight.symbolic import (
    Expr,
    Shared,
    Symbol,
    count_operations,
    evaluate_all,
    free_symbols,
    is_condition,
    less,
    select,
    share,
    sin,
    symbol,
    topological,
)

seeds = st.integers(0, 2**32).map(random.Random)


def at(p: np.ndarray, inputs: dict[str, np.ndarray]) -> dict[Expr, float]:
    values = np.concatenate([*(inputs[k][0] for k in inputs), p])
    return dict(zip(LEAVES, values, strict=True))


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_slots_and_what_moves_together_have_the_same_value(draw):
    roots = outputs(draw, 6)
    made = hoist(roots, P)
    p, inputs = points(1, draw.randrange(1000))
    values = at(p, inputs)
    slots = dict(zip(made.slots, evaluate_all(made.slots.values(), values), strict=True))
    moving = {s: v for s, v in values.items() if s not in P}
    found = np.array([evaluate_all(made.roots, {**moving, **slots})])
    assert worst(found, reference(roots, p, inputs)) < 1e-10


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_slots_hold_parameters_only_and_nothing_else_does(draw):
    made = hoist(outputs(draw, 6), P)
    assert set(free_symbols(made.slots.values())) <= set(P)
    assert not set(free_symbols(made.roots)) & set(P)
    assert set(free_symbols(made.roots)) - set(LEAVES) <= set(made.slots)


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_the_count_never_rises(draw):
    roots = outputs(draw, 6)
    assert count_operations(hoist(roots, P).roots).total <= count_operations(roots).total


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_no_slot_is_a_truth_value_and_no_intermediate_is_shared_any_more(draw):
    roots = [*outputs(draw, 4), select(condition(draw), *draw.choices(LEAVES, k=2))]
    made = hoist(roots, P)
    assert not any(is_condition(e) for e in made.slots.values())
    assert not any(isinstance(n, Shared) for n in topological(made.roots))


def test_a_condition_on_parameters_compares_slots():
    m1, m2, *_ = P
    made = hoist([select(less(m1 * m1, m2), Q[0], Q[1])], P)
    assert set(made.slots.values()) == {m1 * m1, m2}


def test_all_parameters_of_a_product_become_one_factor():
    m, _, length, k, _ = P
    made = hoist([m * length * k * sin(Q[0])], P)
    assert count_operations(made.roots).total == 2  # a sine, a product
    assert list(made.slots.values()) == [m * length * k]


def test_numbers_go_into_the_slot():
    m, *_ = P
    made = hoist([2.0 * m * Q[0] + Q[1]], P)
    read = set(free_symbols(made.roots)) & set(made.slots)
    assert [made.slots[s] for s in read] == [2.0 * m]
    assert count_operations(made.roots).total == 2


def test_a_quantity_and_its_negative_share_a_slot():
    m1, m2, *_ = P
    made = hoist([(m1 - m2) * Q[0], (m2 - m1) * Q[1]], P)
    assert len(made.slots) == 1


def test_shared_intermediates_are_seen_through():
    m1, m2, *_ = P
    made = hoist([share(m1 + m2) * Q[0], (m1 + m2) * Q[1]], P)
    assert list(made.slots.values()) == [m1 + m2]


def test_numbers_stay_numbers():
    assert hoist([Q[0] + 1.0, symbol("m1", "mass") * 0.0], P).slots == {}


@pytest.mark.parametrize("kind", ["mass", "parameter"])
def test_a_parameter_may_be_called_like_a_slot(kind):
    a, b = symbol("#0", kind), symbol("#1", kind)
    made = hoist([b * Q[0] + a * Q[1], a * b * Q[2]], [a, b])
    assert set(made.slots.values()) == {a, b, a * b}
    values = dict(zip(made.slots, evaluate_all(made.slots.values(), {a: 3.0, b: 5.0}), strict=True))
    found = evaluate_all(made.roots, {**values, Q[0]: 1.0, Q[1]: 10.0, Q[2]: 100.0})
    assert found == [35.0, 1500.0]
    assert all(isinstance(s, Symbol) for s in made.slots)

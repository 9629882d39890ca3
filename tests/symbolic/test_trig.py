"""Condensation of sines and cosines: the paper's example, each identity, and that values never change."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchweight.symbolic import (
    ONE,
    ZERO,
    Add,
    Expr,
    cos,
    count_operations,
    evaluate,
    mul,
    share,
    sin,
    sqrt,
    symbol,
    symbols,
    text,
    total,
)

Q = [symbol(f"q{i}", "coordinate") for i in range(10)]
a, b = symbols("a b")
x, y, z = Q[1], Q[2], Q[3]


def S(*joints: int) -> Expr:
    return sin(total(Q[j] for j in joints))


def C(*joints: int) -> Expr:
    return cos(total(Q[j] for j in joints))


def paper_terms() -> list[Expr]:
    """The example after eq. 14 of Docquier et al. 2021, section 3.2."""
    return [
        C(2) * C(4) * C(5, 6) * C(5, 6) * S(8),
        C(2) * C(4) * S(5, 6) * S(5, 6) * S(8),
        C(2) * S(4) * S(5, 6) * C(8),
        S(2) * C(4) * S(5, 6) * C(8),
        -S(2) * S(4) * C(5, 6) * C(5, 6) * S(8),
        -S(2) * S(4) * S(5, 6) * S(5, 6) * S(8),
    ]


def test_the_example_of_the_paper() -> None:
    made = total(paper_terms())
    assert text(made, compact=True) == "C24*S8 + S24*S56*C8"
    assert made is C(2, 4) * S(8) + S(2, 4) * S(5, 6) * C(8)


def test_the_example_of_the_paper_in_any_order() -> None:
    terms = paper_terms()
    wanted = total(terms)
    for order in itertools.permutations(range(6)):
        assert total(terms[i] for i in order) is wanted
        if order[0] < 2:  # and one by one, though partial sums condense on their way
            made: Expr = ZERO
            for i in order:
                made = made + terms[i]
            assert made is wanted


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (sin(x) ** 2 + cos(x) ** 2, ONE),
        (a * sin(x) ** 2 + a * cos(x) ** 2, a),
        (3 * a * b * sin(x) ** 2 + 3 * a * b * cos(x) ** 2, 3 * a * b),
        (1 - sin(x) ** 2, cos(x) ** 2),
        (1 - cos(x) ** 2, sin(x) ** 2),
        (a - a * sin(x) ** 2, a * cos(x) ** 2),
        (cos(x) ** 2 - 1, -(sin(x) ** 2)),
        (sin(y) - sin(y) * sin(x) ** 2, sin(y) * cos(x) ** 2),
        (sin(x) - sin(x) ** 3, sin(x) * cos(x) ** 2),
        (sin(x) ** 4 + sin(x) ** 2 * cos(x) ** 2, sin(x) ** 2),
        (5 + a * sin(x) ** 2 + b + a * cos(x) ** 2, 5 + a + b),
        (1 - sin(x) ** 2 - cos(x) ** 2, ZERO),
        (a * sin(x) ** 2 + a * cos(x) ** 2 - a, ZERO),
        (total([b, a * sin(x) ** 2, a * cos(x) ** 2, -a]), b),
        (sin(x) ** 2.5 + sin(x) ** 0.5 * cos(x) ** 2, sqrt(sin(x))),
        (sin(x) * cos(y) + cos(x) * sin(y), sin(x + y)),
        (sin(x) * cos(y) - cos(x) * sin(y), sin(x - y)),
        (cos(x) * sin(y) - sin(x) * cos(y), sin(y - x)),
        (cos(x) * cos(y) - sin(x) * sin(y), cos(x + y)),
        (cos(x) * cos(y) + sin(x) * sin(y), cos(x - y)),
        (sin(x) * sin(y) - cos(x) * cos(y), -cos(x + y)),
        (a * sin(x) * cos(y) * cos(z) + a * cos(x) * sin(y) * cos(z), a * cos(z) * sin(x + y)),
        (sin(x) ** 2 * cos(y) + sin(x) * cos(x) * sin(y), sin(x) * sin(x + y)),
        (sin(x + y) * cos(y) - cos(x + y) * sin(y), sin(x)),
        (sin(x + a) * cos(x) - cos(x + a) * sin(x), sin(a)),
        (sin(2 * x) * cos(y) + cos(2 * x) * sin(y), sin(2 * x + y)),
    ],
)
def test_identities(made: Expr, wanted: Expr) -> None:
    assert made is wanted


@pytest.mark.parametrize(
    ("made", "numbers"),
    [
        (sin(x) ** 2 + cos(y) ** 2, lambda a, b, x, y: np.sin(x) ** 2 + np.cos(y) ** 2),
        (sin(x) ** 2 + 2 * cos(x) ** 2, lambda a, b, x, y: np.sin(x) ** 2 + 2 * np.cos(x) ** 2),
        (sin(x) ** 2 - cos(x) ** 2, lambda a, b, x, y: -np.cos(2 * x)),
        (2 - sin(x) ** 2, lambda a, b, x, y: 2 - np.sin(x) ** 2),
        (1 + sin(x) ** 2, lambda a, b, x, y: 1 + np.sin(x) ** 2),
        (
            a * sin(x) * cos(y) + b * cos(x) * sin(y),
            lambda a, b, x, y: a * np.sin(x) * np.cos(y) + b * np.cos(x) * np.sin(y),
        ),
        (
            sin(x) * cos(y) + 2 * cos(x) * sin(y),
            lambda a, b, x, y: np.sin(x) * np.cos(y) + 2 * np.cos(x) * np.sin(y),
        ),
        (sin(x) * cos(x) + cos(x) * sin(y), lambda a, b, x, y: np.cos(x) * (np.sin(x) + np.sin(y))),
        (sin(x) / cos(y) + cos(x) / sin(y), lambda a, b, x, y: np.sin(x) / np.cos(y) + np.cos(x) / np.sin(y)),
        (sin(x) ** -2 + cos(x) ** -2, lambda a, b, x, y: np.sin(x) ** -2 + np.cos(x) ** -2),
        (share(sin(x) * cos(y)) + share(cos(x) * sin(y)), lambda a, b, x, y: np.sin(x + y)),
    ],
)
def test_what_only_looks_alike_stays(made: Expr, numbers) -> None:
    assert isinstance(made, Add) and len(made.terms) + (made.const != 0) == 2
    rng = np.random.default_rng(1)
    at = {s.name: rng.uniform(0.1, 1.4, 5) for s in (a, b, x, y)}
    np.testing.assert_allclose(evaluate(made, at), numbers(*at.values()), rtol=1e-13)


ANGLES = [x, y, z, a, x + y, 2 * z, symbol("w", "speed")]


@pytest.mark.parametrize(("p", "q"), list(itertools.permutations(ANGLES, 2)))
def test_sums_of_any_two_angles(p: Expr, q: Expr) -> None:
    """Which of two terms comes first depends on the angles."""
    assert sin(p) * cos(q) + cos(p) * sin(q) is sin(p + q)
    assert sin(p) * cos(q) - cos(p) * sin(q) is sin(p - q)
    assert b * cos(p) * cos(q) - b * sin(p) * sin(q) is b * cos(p + q)
    assert b * cos(p) * cos(q) + b * sin(p) * sin(q) is b * cos(p - q)
    assert 2 * sin(p) * sin(q) - 2 * cos(p) * cos(q) is -2 * cos(p + q)


def test_when_two_identities_compete_the_order_does_not_decide() -> None:
    terms = [sin(x) ** 2 * cos(y) ** 2, cos(x) ** 2 * cos(y) ** 2, sin(x) ** 2 * sin(y) ** 2]
    assert len({total(order) for order in itertools.permutations(terms)}) == 1
    terms = [sin(x) * cos(y) * cos(z), cos(x) * sin(y) * cos(z), cos(x) * cos(y) * sin(z)]
    assert len({total(order) for order in itertools.permutations(terms)}) == 1


angles = st.sampled_from([x, y, x + y, x - y, z])
factors = st.one_of(st.builds(sin, angles), st.builds(cos, angles), st.just(a))
scales = st.sampled_from([1.0, -1.0, 1.0, 2.0])
products = st.builds(lambda k, fs: [mul(k, *fs)], scales, st.lists(factors, min_size=1, max_size=4))


def couple(k: float, sign: float, rest: list[Expr], p: Expr, q: Expr, kind: int) -> list[Expr]:
    """Two terms that an identity may apply to."""
    one, other = (
        (sin(p) * cos(q), cos(p) * sin(q)),
        (cos(p) * cos(q), sin(p) * sin(q)),
        (sin(p) ** 2, cos(p) ** 2),
    )[kind]
    return [mul(k, one, *rest), mul(sign * k, other, *rest)]


signs = st.sampled_from([1.0, -1.0])
couples = st.builds(couple, scales, signs, st.lists(factors, max_size=2), angles, angles, st.integers(0, 2))
some_terms = st.lists(st.one_of(products, couples), min_size=2, max_size=8)


@given(some_terms, st.sampled_from([0.0, 1.0, -1.0]), st.randoms())
@settings(max_examples=400, deadline=None)
def test_random_sums_keep_their_value_and_never_grow(terms, constant, random) -> None:
    parts = [p for several in terms for p in several]
    random.shuffle(parts)
    rng = np.random.default_rng(len(terms))
    at = {s: rng.uniform(-2, 2, 5) for s in (a, x, y, z)}
    expected = constant + sum(evaluate(p, at) for p in parts)
    at_once = total([constant, *parts])
    one_by_one: Expr = ZERO + constant
    for p in parts:
        one_by_one = one_by_one + p
    backwards = total([*reversed(parts), constant])
    assert backwards is at_once
    for made in (at_once, one_by_one):
        np.testing.assert_allclose(evaluate(made, at) + np.zeros(5), expected + np.zeros(5), atol=1e-13)
        spent = sum(count_operations([p]).additions + 1 for p in parts)
        assert count_operations([made]).additions <= spent + (constant != 0.0)


def test_rotations_about_parallel_axes_add_up() -> None:
    def rotate(angle: Expr, v: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
        return cos(angle) * v[0] - sin(angle) * v[1], sin(angle) * v[0] + cos(angle) * v[1]

    v = rotate(x, rotate(y, (cos(z), sin(z))))
    assert v == (cos(x + y + z), sin(x + y + z))
    assert v[0] ** 2 + v[1] ** 2 is ONE

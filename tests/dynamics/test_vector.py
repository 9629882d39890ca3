"""Vectors and matrices of expressions against NumPy, shortcuts and all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mechanisms import Array, quaternion_matrix

from touchweight.dynamics import vector
from touchweight.dynamics.vector import Matrix, Symmetric, Vector
from touchweight.symbolic import ONE, ZERO, Expr, cos, count_operations, evaluate_all, sin, symbol, symbols

DRAW = np.random.default_rng(7)
NAMES = [f"{kind}{i}" for kind in "abrs" for i in range(9)]
VALUES: dict[str, float] = {n: float(x) for n, x in zip(NAMES, DRAW.normal(size=len(NAMES)), strict=True)} | {"q": 0.7}


def named(kind: str) -> Vector:
    a, b, c = symbols(" ".join(f"{kind}{i}" for i in range(3)))
    return (a, b, c)


def square_named(kind: str) -> Matrix:
    rows = [symbols(" ".join(f"{kind}{3 * i + j}" for j in range(3))) for i in range(3)]
    a, b, c = ((r[0], r[1], r[2]) for r in rows)
    return (a, b, c)


def number(x: tuple[Expr, ...]) -> Array:
    return np.array(evaluate_all(x, VALUES), dtype=float)


def numbers(m: Matrix) -> Array:
    return np.array([number(row) for row in m])


A, B = named("a"), named("b")
M = square_named("r")
S: Symmetric = tuple(symbols("s0 s1 s2 s3 s4 s5"))  # type: ignore[assignment]


def test_products_of_vectors() -> None:
    a, b = number(A), number(B)
    assert number(vector.cross(A, B)) == pytest.approx(np.cross(a, b))
    assert number((vector.dot(A, B),)) == pytest.approx([a @ b])
    assert number(vector.plus(A, B, A)) == pytest.approx(2 * a + b)
    assert number(vector.minus(A, B)) == pytest.approx(a - b)
    assert number(vector.scale(3, vector.negative(A))) == pytest.approx(-3 * a)
    outer = np.outer(a, b)
    assert numbers(vector.symmetric_matrix(vector.outer(A, B))) == pytest.approx(outer + outer.T)
    assert numbers(vector.symmetric_matrix(vector.square(A))) == pytest.approx(np.outer(a, a))


def test_products_of_matrices() -> None:
    a, m = number(A), numbers(M)
    assert number(vector.transform(M, A)) == pytest.approx(m @ a)
    assert number(vector.transform_back(M, A)) == pytest.approx(m.T @ a)
    assert numbers(vector.transpose(M)) == pytest.approx(m.T)
    assert numbers(vector.product(M, vector.symmetric_matrix(S))) == pytest.approx(
        m @ numbers(vector.symmetric_matrix(S))
    )
    assert number(vector.column(M, 1)) == pytest.approx(m[:, 1])


@pytest.mark.parametrize("axis", range(3))
def test_rotation_about_an_axis(axis: int) -> None:
    q = symbol("q")
    R = numbers(vector.axis_rotation(axis, sin(q), cos(q)))
    half = 0.35
    assert R == pytest.approx(quaternion_matrix(np.array([np.cos(half), *(np.sin(half) * np.eye(3)[axis])])))


def test_rotation_of_a_quaternion() -> None:
    w = DRAW.normal(size=4)
    w /= np.linalg.norm(w)
    q = symbols("w x y z")
    R = vector.quaternion_rotation((q[0], q[1], q[2], q[3]))
    values = dict(zip("wxyz", map(float, w), strict=True))
    found = np.array([evaluate_all(row, values) for row in R], dtype=float)
    assert found == pytest.approx(quaternion_matrix(w))


def signed_swaps() -> list[Array]:
    """The 48 matrices that exchange axes and turn some of them round."""
    return [
        np.eye(3)[list(order)] * np.array(signs)
        for order in itertools.permutations(range(3))
        for signs in itertools.product((1.0, -1.0), repeat=3)
    ]


@pytest.mark.parametrize("axis", range(3))
def test_turning_a_matrix_in_a_plane_takes_the_short_way_to_the_same_place(axis: int) -> None:
    """R A Rᵀ for turns about an axis, before and after exchanges of axes, also improper ones."""
    q = symbol("q")
    turn = vector.axis_rotation(axis, sin(q), cos(q))
    full = vector.symmetric_matrix(S)
    for swap in signed_swaps():
        P: Matrix = tuple(tuple(ONE * float(x) for x in row) for row in swap)  # type: ignore[assignment]
        for R in (vector.product(turn, P), vector.product(P, turn)):
            r = numbers(R)
            assert vector._plane_rotation(R) is not None
            assert numbers(vector.turned(R, M)) == pytest.approx(r @ numbers(M) @ r.T, abs=1e-12)
            found = vector.symmetric_matrix(vector.congruence(R, S))
            assert numbers(found) == pytest.approx(r @ numbers(full) @ r.T, abs=1e-12)


def test_the_short_way_is_shorter() -> None:
    q = symbol("q")
    R = vector.axis_rotation(2, sin(q), cos(q))
    plain = vector.product(vector.product(R, vector.symmetric_matrix(S)), vector.transpose(R))
    short = count_operations(vector.congruence(R, S)).total
    assert short < 0.7 * count_operations(vector.symmetric_of(plain)).total


def test_any_other_rotation_takes_the_long_way() -> None:
    q, p = symbol("q"), symbol("a0")
    R = vector.product(vector.axis_rotation(0, sin(q), cos(q)), vector.axis_rotation(1, sin(p), cos(p)))
    assert vector._plane_rotation(R) is None
    r = numbers(R)
    assert numbers(vector.turned(R, M)) == pytest.approx(r @ numbers(M) @ r.T)
    full = numbers(vector.symmetric_matrix(S))
    assert numbers(vector.symmetric_matrix(vector.congruence(R, S))) == pytest.approx(r @ full @ r.T)


def test_zeros_cost_nothing() -> None:
    q = symbol("q")
    R = vector.axis_rotation(0, sin(q), cos(q))
    assert vector.congruence(R, vector.ZERO_SYMMETRIC) == vector.ZERO_SYMMETRIC
    assert vector.congruence(vector.IDENTITY, S) is S
    assert vector.transform(R, (A[0], ZERO, ZERO)) == (A[0], ZERO, ZERO)
    assert vector.cross(A, A) == vector.ZERO3

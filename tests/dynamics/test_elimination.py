"""Elimination in symbols against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from touchweight.dynamics.elimination import Elimination, complete_pivoting
from touchweight.symbolic import ZERO, Expr, Symbol, evaluate_all, symbol


def _system(seed: int, n: int, density: float) -> tuple[list[dict[int, Expr]], np.ndarray]:
    """A sparse matrix of symbols, and numbers in which it is regular."""
    draw = np.random.default_rng([seed, n])
    while True:
        mask = draw.random((n, n)) < density
        mask[np.arange(n), draw.permutation(n)] = True
        numbers = np.where(mask, draw.normal(size=(n, n)), 0.0)
        if np.linalg.cond(numbers) < 1e3:
            break
    matrix = [{j: symbol(f"a{i}_{j}") for j in range(n) if mask[i, j]} for i in range(n)]
    return matrix, numbers


def _values(matrix: list[dict[int, Expr]], numbers: np.ndarray) -> dict[Expr, float]:
    return {e: float(numbers[i, j]) for i, row in enumerate(matrix) for j, e in row.items()}


@pytest.mark.parametrize("density", [0.1, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7])
def test_solutions_agree_with_numpy(n, density):
    matrix, reference = _system(3, n, density)
    solver = Elimination(matrix, reference)
    right: list[Symbol] = [symbol(f"b{i}") for i in range(n)]
    x, turned = solver.solve(right), solver.solve_transposed(right)
    draw = np.random.default_rng(1)
    for _ in range(4):
        now = reference * (1.0 + 0.2 * draw.normal(size=(n, n)))
        b = draw.normal(size=n)
        found = evaluate_all(x, {**_values(matrix, now), **dict(zip(right, b.tolist(), strict=True))})
        assert np.array(found, dtype=float) == pytest.approx(np.linalg.solve(now, b), rel=1e-9, abs=1e-11)
        found = evaluate_all(turned, {**_values(matrix, now), **dict(zip(right, b.tolist(), strict=True))})
        assert np.array(found, dtype=float) == pytest.approx(np.linalg.solve(now.T, b), rel=1e-9, abs=1e-11)


def test_right_sides_with_zeros():
    """What does not depend on the right side stays structurally zero."""
    matrix, reference = [{0: symbol("a")}, {0: symbol("b"), 1: symbol("c")}], np.array([[1.0, 0.0], [1.0, 1.0]])
    x = Elimination(matrix, reference).solve([ZERO, symbol("r")])
    assert x[0] is ZERO
    assert x[1] is not ZERO


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_health_is_one_where_it_was_chosen_and_falls_to_zero_where_singular(n):
    matrix, reference = _system(0, n, 1.0)
    solver = Elimination(matrix, reference)

    def health(numbers: np.ndarray) -> float:
        return float(evaluate_all([solver.health], _values(matrix, numbers))[0])

    assert health(reference) == pytest.approx(1.0, rel=1e-12)
    singular = reference.copy()
    singular[-1] = singular[0] if n > 1 else 0.0
    between = [health((1 - s) * reference + s * singular) for s in (0.9, 0.99, 0.999, 1.0 - 1e-9)]
    assert all(x >= 0.0 for x in between)
    assert between[-1] < 1e-7


def test_complete_pivoting_takes_the_largest_left():
    draw = np.random.default_rng(5)
    a = draw.normal(size=(6, 6))
    rows, columns, pivots = complete_pivoting(a)
    assert sorted(rows) == sorted(columns) == list(range(6))
    assert abs(pivots[0]) == np.abs(a).max()
    assert np.abs(np.prod(pivots)) == pytest.approx(abs(np.linalg.det(a)), rel=1e-12)

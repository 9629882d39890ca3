"""The text of units for many copies: what is zero is not there."""

import numpy as np

from touchweight.codegen.ensemble_matrices import components, order


def eliminate(matrix: np.ndarray, sequence: list[int]) -> np.ndarray:
    """The pattern of a matrix after elimination in an order, by elimination."""
    a = matrix.copy()
    for n, p in enumerate(sequence):
        for k in sequence[n + 1 :]:
            for l in sequence[n + 1 :]:
                a[k, l] -= a[k, p] * a[p, l] / a[p, p]
    return a


def test_groups_are_those_that_entries_connect():
    assert components(6, [(0, 2), (2, 4), (3, 5), (1, 1)]) == [[0, 2, 4], [1], [3, 5]]


def test_an_arrow_is_eliminated_from_its_tips_without_filling_in():
    entries = {(k, k) for k in range(6)} | {(0, k) for k in range(6)} | {(k, 0) for k in range(6)}
    found, filled = order(range(6), entries)
    assert filled == entries
    assert found.index(0) >= 4


def test_what_elimination_fills_in_is_known_before():
    random = np.random.default_rng(5)
    for _ in range(20):
        matrix = np.eye(7) * 10 + (random.uniform(size=(7, 7)) < 0.25) * random.uniform(1, 2, (7, 7))
        entries = {(int(k), int(l)) for k, l in zip(*np.nonzero(matrix), strict=True)}
        found, filled = order(range(7), entries)
        later = eliminate(matrix, found)
        assert {(int(k), int(l)) for k, l in zip(*np.nonzero(np.abs(later) > 1e-12), strict=True)} <= filled


def test_driven_speeds_are_left_out():
    found, filled = order([0, 2], {(0, 0), (1, 1), (2, 2), (0, 1), (1, 0), (1, 2), (2, 1)})
    assert sorted(found) == [0, 2]
    assert filled == {(0, 0), (2, 2)}

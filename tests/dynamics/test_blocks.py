"""Blocks of sparse systems: complete, square, and each after those it needs."""

from __future__ import annotations

import numpy as np
import pytest

from touchweight.dynamics.blocks import blocks


def _pattern(seed: int, n: int, density: float) -> list[set[int]]:
    """A random pattern that has a column for every row."""
    draw = np.random.default_rng(seed)
    diagonal = draw.permutation(n)
    return [{int(diagonal[i]), *np.flatnonzero(draw.random(n) < density).tolist()} for i in range(n)]


@pytest.mark.parametrize("density", [0.0, 0.05, 0.15, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_every_row_and_column_is_solved_once_and_in_order(seed, density):
    n = 12
    pattern = _pattern(seed, n, density)
    found = blocks(pattern)
    assert sorted(r for rows, _ in found for r in rows) == list(range(n))
    assert sorted(c for _, columns in found for c in columns) == list(range(n))
    known: set[int] = set()
    for rows, columns in found:
        assert len(rows) == len(columns)
        known |= set(columns)
        assert all(pattern[r] <= known for r in rows), "needs only what came before"


@pytest.mark.parametrize("seed", range(6))
def test_blocks_are_the_smallest(seed):
    """No block splits further: within it, every row is reached from every other."""
    pattern = _pattern(seed, 10, 0.2)
    for rows, columns in blocks(pattern):
        inside = [{c for c in pattern[r] if c in columns} for r in rows]
        renumbered = [{columns.index(c) for c in row} for row in inside]
        assert len(blocks(renumbered)) == 1


def test_a_chain_is_taken_apart_completely():
    n = 600
    found = blocks([{i, max(0, i - 1)} for i in range(n)])
    assert [rows for rows, _ in found] == [[i] for i in range(n)]
    found = blocks([{i, min(n - 1, i + 1)} for i in range(n)])
    assert [rows for rows, _ in found] == [[i] for i in reversed(range(n))]


def test_nothing():
    assert blocks([]) == []


def test_a_pattern_without_a_solution_is_refused():
    with pytest.raises(ValueError, match="expected a column for every row, found none for row 1"):
        blocks([{0}, {0}])

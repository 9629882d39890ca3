"""Blocks: a sparse square system taken apart into the smallest pieces that must be solved together.

Rows are matched with columns, rows that need each other form a block (strongly connected components), and blocks come
in an order in which each needs only those before it.
"""

from __future__ import annotations

from collections.abc import Sequence, Set


def blocks(pattern: Sequence[Set[int]]) -> list[tuple[list[int], list[int]]]:
    """(rows, columns) of each block of a square pattern (the columns of every row), in the order of solution."""
    match = _matching(pattern)
    owner = {column: row for row, column in enumerate(match)}
    needs = [sorted({owner[c] for c in columns if owner[c] != row}) for row, columns in enumerate(pattern)]
    return [(rows, [match[r] for r in rows]) for rows in _components(needs)]


def _matching(pattern: Sequence[Set[int]]) -> list[int]:
    """A column for each row, by augmenting paths."""
    row_of: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for column in sorted(pattern[row]):
            if column in seen:
                continue
            seen.add(column)
            if column not in row_of or place(row_of[column], seen):
                row_of[column] = row
                return True
        return False

    for row in range(len(pattern)):
        if not place(row, set()):
            raise ValueError(f"expected a column for every row, found none for row {row}")
    match = [0] * len(pattern)
    for column, row in row_of.items():
        match[row] = column
    return match


def _components(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components, each after those it needs (Tarjan 1972)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    out: list[list[int]] = []

    def visit(row: int) -> None:
        index[row] = low[row] = len(index)
        stack.append(row)
        waiting.add(row)
        for other in needs[row]:
            if other not in index:
                visit(other)
                low[row] = min(low[row], low[other])
            elif other in waiting:
                low[row] = min(low[row], index[other])
        if low[row] == index[row]:
            block: list[int] = []
            while True:
                member = stack.pop()
                waiting.discard(member)
                block.append(member)
                if member == row:
                    break
            out.append(sorted(block))

    for row in range(len(needs)):
        if row not in index:
            visit(row)
    return out

"""Elimination of the dependent unknowns in symbols: blocks of up to three by their adjugate, larger ones by LU.

Small blocks need no pivots. For larger ones the order of pivots is that of the configuration the partition was
chosen in; how far each determinant or pivot has fallen since then is the *health* of the elimination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..symbolic import ONE, ZERO, Expr, absolute, minimum, share, total
from .blocks import blocks

Entry = Mapping[int, Expr]


class Elimination:
    """Solves ``matrix x = right`` for sparse symbolic matrices; rows are mappings from column to entry.

    Args:
        matrix: the rows; columns are numbered 0 to n - 1.
        reference: its numbers in the configuration the partition was chosen in, (n, n).
    """

    def __init__(self, matrix: Sequence[Entry], reference: npt.NDArray[np.float64]) -> None:
        self.size = len(matrix)
        self._blocks: list[_Block] = []
        for rows, columns in blocks([set(row) for row in matrix]):
            inside = set(columns)
            outside = [{c: e for c, e in matrix[r].items() if c not in inside} for r in rows]
            entries = [[matrix[r].get(c, ZERO) for c in columns] for r in rows]
            self._blocks.append(_Block(rows, columns, outside, entries, reference[np.ix_(rows, columns)]))

    @property
    def sizes(self) -> list[int]:
        """How many unknowns each block has."""
        return [len(b.rows) for b in self._blocks]

    @property
    def health(self) -> Expr:
        """Smallest determinant or pivot relative to the reference."""
        parts = [h for b in self._blocks for h in b.health]
        out: Expr = ONE
        for part in parts:
            out = minimum(out, part)
        return out

    def solve(self, right: Sequence[Expr]) -> list[Expr]:
        """x, with shared entries."""
        x: list[Expr] = [ZERO] * self.size
        for block in self._blocks:
            rest = [
                share(total([right[r], *(-(e * x[c]) for c, e in outside.items() if x[c] is not ZERO)]))
                for r, outside in zip(block.rows, block.outside, strict=True)
            ]
            if all(e is ZERO for e in rest):
                continue
            for c, value in zip(block.columns, block.solve(rest), strict=True):
                x[c] = value
        return x

    def solve_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        """y with matrixᵀ y = right, with shared entries."""
        y: list[Expr] = [ZERO] * self.size
        taken: dict[int, list[Expr]] = {}
        for block in reversed(self._blocks):
            rest = [share(total([right[c], *taken.get(c, ())])) for c in block.columns]
            if all(e is ZERO for e in rest):
                continue
            for r, outside, value in zip(block.rows, block.outside, block.solve_transposed(rest), strict=True):
                y[r] = value
                for c, e in outside.items():
                    taken.setdefault(c, []).append(-(e * value))
        return y


class _Block:
    """A few rows that must be solved together."""

    def __init__(
        self,
        rows: list[int],
        columns: list[int],
        outside: list[dict[int, Expr]],
        entries: list[list[Expr]],
        reference: npt.NDArray[np.float64],
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.outside = outside
        self.health: list[Expr] = []
        self._inverse: list[list[Expr]] | None = None
        if len(rows) <= 3:
            self._adjugate(entries, float(np.linalg.det(reference)))
        else:
            self._factor(entries, reference)

    def solve(self, right: Sequence[Expr]) -> list[Expr]:
        if self._inverse is not None:
            return [share(total([e * r for e, r in zip(row, right, strict=True)])) for row in self._inverse]
        return self._substitute(right)

    def solve_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        if self._inverse is not None:
            columns = zip(*self._inverse, strict=True)
            return [share(total([e * r for e, r in zip(column, right, strict=True)])) for column in columns]
        return self._substitute_transposed(right)

    # -- up to three -------------------------------------------------------------------------------------
    def _adjugate(self, a: list[list[Expr]], reference: float) -> None:
        n = len(a)
        if n == 1:
            cofactors: list[list[Expr]] = [[ONE]]
        elif n == 2:
            cofactors = [[a[1][1], -a[0][1]], [-a[1][0], a[0][0]]]
        else:
            cofactors = [[_minor(a, j, i) for j in range(3)] for i in range(3)]
        cofactors = [[share(e) for e in row] for row in cofactors]
        determinant = share(total([a[0][j] * cofactors[j][0] for j in range(n)]))
        inverse = share(ONE / determinant)
        self._inverse = [[share(e * inverse) for e in row] for row in cofactors]
        self.health.append(absolute(determinant) * (1.0 / max(abs(reference), 1e-300)))

    # -- more --------------------------------------------------------------------------------------------
    def _factor(self, entries: list[list[Expr]], reference: npt.NDArray[np.float64]) -> None:
        order_r, order_c, pivots = complete_pivoting(reference)
        n = len(entries)
        a = [[share(entries[r][c]) for c in order_c] for r in order_r]
        for k in range(n):
            inverse = share(ONE / a[k][k])
            self.health.append(absolute(a[k][k]) * (1.0 / max(abs(pivots[k]), 1e-300)))
            for i in range(k + 1, n):
                if a[i][k] is ZERO:
                    continue
                factor = share(a[i][k] * inverse)
                a[i][k] = factor
                for j in range(k + 1, n):
                    a[i][j] = share(a[i][j] - factor * a[k][j])
            a[k][k] = inverse
        self._lu = a
        self._order = order_r, order_c

    def _substitute(self, right: Sequence[Expr]) -> list[Expr]:
        a, (order_r, order_c) = self._lu, self._order
        n = len(a)
        y = [right[r] for r in order_r]
        for i in range(n):
            y[i] = share(total([y[i], *(-(a[i][k] * y[k]) for k in range(i) if y[k] is not ZERO)]))
        for i in reversed(range(n)):
            y[i] = share(a[i][i] * total([y[i], *(-(a[i][k] * y[k]) for k in range(i + 1, n))]))
        out: list[Expr] = [ZERO] * n
        for place, value in zip(order_c, y, strict=True):
            out[place] = value
        return out

    def _substitute_transposed(self, right: Sequence[Expr]) -> list[Expr]:
        a, (order_r, order_c) = self._lu, self._order
        n = len(a)
        y = [right[c] for c in order_c]
        for i in range(n):
            y[i] = share(a[i][i] * total([y[i], *(-(a[k][i] * y[k]) for k in range(i) if y[k] is not ZERO)]))
        for i in reversed(range(n)):
            y[i] = share(total([y[i], *(-(a[k][i] * y[k]) for k in range(i + 1, n))]))
        out: list[Expr] = [ZERO] * n
        for place, value in zip(order_r, y, strict=True):
            out[place] = value
        return out


def _minor(a: list[list[Expr]], i: int, j: int) -> Expr:
    """Signed minor of a 3 by 3 matrix without row i and column j."""
    (p, q), (r, s) = ([k for k in range(3) if k != x] for x in (i, j))
    value = a[p][r] * a[q][s] - a[p][s] * a[q][r]
    return value if (i + j) % 2 == 0 else -value


def complete_pivoting(
    matrix: npt.NDArray[np.float64],
) -> tuple[list[int], list[int], list[float]]:
    """Order of rows, order of columns and pivots of an elimination that always takes the largest entry left."""
    a = np.array(matrix, dtype=float)
    n = len(a)
    rows, columns, pivots = list(range(n)), list(range(n)), []
    for k in range(n):
        i, j = (k + int(x) for x in divmod(int(np.argmax(np.abs(a[k:, k:]))), n - k))
        a[[k, i]] = a[[i, k]]
        a[:, [k, j]] = a[:, [j, k]]
        rows[k], rows[i] = rows[i], rows[k]
        columns[k], columns[j] = columns[j], columns[k]
        pivots.append(float(a[k, k]))
        if a[k, k] != 0.0:
            a[k + 1 :, k:] -= np.outer(a[k + 1 :, k] / a[k, k], a[k, k:])
    return rows, columns, pivots

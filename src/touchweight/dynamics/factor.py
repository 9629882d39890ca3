"""Sparse LᵀDL factorisation of the mass matrix and solution, in symbols (Featherstone 2008, section 6.5).

Eliminating from the leaves inward creates no entry outside the pattern of the tree: two speeds are coupled only if
one lies on the path from the other to the ground.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic import ONE, ZERO, Expr, share, total
from .mass import MassMatrix
from .tree import Tree


def elimination_order(tree: Tree) -> list[int]:
    """Speeds in the order of the links, parents first."""
    order: list[int] = []
    for link in tree.links:
        order.extend(range(link.speed, link.speed + len(link.v)))
    return order


def solve(order: Sequence[int], mass: MassMatrix, right: Sequence[Expr]) -> list[Expr]:
    """x with M x = right; speeds are eliminated from the end of ``order`` to its start."""
    above = _couplings(order, mass)
    # M = Lᵀ D L, from the last speed to the first
    m: dict[tuple[int, int], Expr] = dict(mass.entries)

    def get(i: int, j: int) -> Expr:
        return m.get((i, j), m.get((j, i), ZERO))

    inverse: dict[int, Expr] = {}
    lower: dict[tuple[int, int], Expr] = {}
    position = {s: k for k, s in enumerate(order)}
    for k in reversed(order):
        inverse[k] = share(ONE / share(get(k, k)))
        row = above[k]
        for i in row:
            lower[(k, i)] = share(get(k, i) * inverse[k])
        for x, i in enumerate(row):
            for j in row[: x + 1]:
                hi, lo = (i, j) if position[i] >= position[j] else (j, i)
                value = share(get(hi, lo) - lower[(k, i)] * get(k, j))
                m.pop((lo, hi), None)
                m[(hi, lo)] = value
    # Lᵀ y = right, from the last speed inward; then D, then L x = y from the first outward
    y = [share(r) for r in right]
    terms: dict[int, list[Expr]] = {k: [y[k]] for k in order}
    for k in reversed(order):
        y[k] = share(total(terms[k]))
        for i in above[k]:
            terms[i].append(-(lower[(k, i)] * y[k]))
    x_out = list(y)
    for k in order:
        x_out[k] = share(total([inverse[k] * y[k], *(-(lower[(k, i)] * x_out[i]) for i in above[k])]))
    return x_out


def _couplings(order: Sequence[int], mass: MassMatrix) -> dict[int, list[int]]:
    """For each speed, the earlier speeds it is coupled with, fill-in included."""
    position = {s: k for k, s in enumerate(order)}
    above: dict[int, set[int]] = {k: set() for k in order}
    for (i, j), value in mass.entries.items():
        if i != j and value is not ZERO:
            late, early = (i, j) if position[i] > position[j] else (j, i)
            above[late].add(early)
    for k in reversed(order):
        row = sorted(above[k], key=lambda s: position[s])
        for x, i in enumerate(row):
            above[i].update(row[:x])
    return {k: sorted(row, key=lambda s: position[s]) for k, row in above.items()}

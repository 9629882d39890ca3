"""Slopes: how the equations of motion change when state, first-order states or parameters do.

Of the residual ρ = M a + c - Jᵀ λ (zero along the motion) with a and λ held. Derivatives by coordinates are taken along
the speeds: δq = N(q) δ, with one δ for each speed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..symbolic import ONE, ZERO, Expr, directional_all, substitute_all
from .kinematics import coordinate_rates
from .tree import Tree


def along_speeds(tree: Tree) -> list[dict[Expr, Expr]]:
    """For each speed, how the coordinates move when that speed alone is one."""
    rates = coordinate_rates(tree)
    directions: list[dict[Expr, Expr]] = []
    for k, speed in enumerate(tree.v):
        others: dict[Expr, Expr] = {s: ONE if s is speed else ZERO for s in tree.v}
        touched = [i for i, q in enumerate(tree.q) if _moves(tree, k, i)]
        values = substitute_all([rates[i] for i in touched], others)
        directions.append({tree.q[i]: x for i, x in zip(touched, values, strict=True) if x is not ZERO})
    return directions


def _moves(tree: Tree, speed: int, coordinate: int) -> bool:
    """Whether a speed can move a coordinate: they belong to the same primitive joint."""
    symbol = tree.q[coordinate]
    return any(symbol in link.q and link.speed <= speed < link.speed + len(link.v) for link in tree.links)


def by_directions(exprs: Sequence[Expr], directions: Sequence[Mapping[Expr, Expr]]) -> list[list[Expr]]:
    """Rows: expressions; columns: their derivative along each direction."""
    columns = [directional_all(exprs, d) for d in directions]
    return [[column[i] for column in columns] for i in range(len(exprs))]


def by_symbols(exprs: Sequence[Expr], symbols: Sequence[Expr]) -> list[list[Expr]]:
    """Rows: expressions; columns: their derivative by each symbol."""
    return by_directions(exprs, [{s: ONE} for s in symbols])

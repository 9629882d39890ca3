"""Truth values are written where they are read; those nested deeply are cut, to bound their text."""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic import ONE, ZERO, Expr, is_condition, less, select, topological
from ..symbolic.substitute import rebuild

#: conditions of conditions of ... at most this many times
DEEPEST = 6


def cut_conditions(roots: Sequence[Expr]) -> list[Expr]:
    """The same expressions; where conditions nest :data:`DEEPEST` deep, they pass through a number."""
    order = topological(roots)
    if not any(is_condition(n) for n in order):
        return list(roots)
    new: dict[Expr, Expr] = {}
    depth: dict[Expr, int] = {}
    for n in order:
        made = rebuild(n, new)
        if is_condition(made):
            depth[made] = 1 + max((depth.get(c, 0) for c in made.children), default=0)
            if depth[made] == DEEPEST:
                made = less(0.5, select(made, ONE, ZERO))
                depth[made] = 1
        if made is not n:
            new[n] = made
    return [new.get(r, r) for r in roots]

"""Regrouping of inertia parameters: what a joint cannot feel is handed to its parent.

Turning about its own axis does not change how a link's mass, the axial part of its first moment and the axial
part of its second moment act on the rest of the tree, so these three can be given to the parent (to the ground,
where they vanish). A slide leaves the orientation alone, so the whole second moment can go; a ball lets only the
mass go. What remains is the minimal set of parameters (Khalil & Kleinfinger 1987; the barycentric quantities of
the multibody literature). All of it depends on parameters alone and is worked out in ``prepare``: the equations of
motion stay the same while their evaluation gets shorter.
"""

from __future__ import annotations

from dataclasses import replace

from ..symbolic import ZERO, Expr, share
from .tree import Inertia, Tree
from .vector import Symmetric, Vector, is_zero, shared, shared_symmetric

_DIAGONAL = (0, 1, 2)


def regroup(tree: Tree) -> Tree:
    """The same tree with its inertia parameters regrouped towards the ground."""
    kept = [link.inertia for link in tree.links]
    for link in reversed(tree.links):
        own, given = split(kept[link.index], link.kind, link.axis)
        kept[link.index] = own
        if link.parent >= 0 and not given.is_zero:
            kept[link.parent] = _named(kept[link.parent] + given.moved(link.rotation, link.offset))
    return replace(tree, links=[replace(link, inertia=kept[link.index]) for link in tree.links])


def split(inertia: Inertia, kind: str, axis: int) -> tuple[Inertia, Inertia]:
    """(what the link keeps, what its parent takes over)."""
    m, s, k = inertia.mass, inertia.moment, inertia.second
    if kind == "R":
        return (
            Inertia(ZERO, _without(s, axis), _without_diagonal(k, axis)),
            Inertia(m, _only(s, axis), _only_diagonal(k, axis)),
        )
    if kind == "P":
        if is_zero(s):
            return Inertia(m), Inertia(ZERO, (ZERO, ZERO, ZERO), k)
        return Inertia(m, s), Inertia(ZERO, (ZERO, ZERO, ZERO), k)
    return Inertia(ZERO, s, k), Inertia(m)


def _named(inertia: Inertia) -> Inertia:
    return Inertia(share(inertia.mass), shared(inertia.moment), shared_symmetric(inertia.second))


def _only(v: Vector, axis: int) -> Vector:
    a, b, c = (x if i == axis else ZERO for i, x in enumerate(v))
    return (a, b, c)


def _without(v: Vector, axis: int) -> Vector:
    a, b, c = (ZERO if i == axis else x for i, x in enumerate(v))
    return (a, b, c)


def _only_diagonal(k: Symmetric, axis: int) -> Symmetric:
    a, b, c, d, e, f = (x if i == axis else ZERO for i, x in enumerate(k))
    return (a, b, c, d, e, f)


def _without_diagonal(k: Symmetric, axis: int) -> Symmetric:
    entries: list[Expr] = [ZERO if i == axis else x for i, x in enumerate(k)]
    return (entries[0], entries[1], entries[2], entries[3], entries[4], entries[5])

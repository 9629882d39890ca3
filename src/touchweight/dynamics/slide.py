"""Sliding link origins along their own hinges, so that fewer offsets between joints remain.

The origin of a hinge's frame may sit anywhere on its axis. Choosing the place that cancels a component of the offset
to a child, or of the joint's own offset, removes terms from every recursion that follows.
"""

from __future__ import annotations

from dataclasses import replace

from ..symbolic import ONE, ZERO, Const, Expr
from .tree import Inertia, Link, Placement, Tree
from .vector import IDENTITY, Vector, minus, plus, scale, transform


def slide_origins(tree: Tree) -> Tree:
    """The same tree with hinge origins slid to where the fewest offset components remain."""
    links = list(tree.links)
    shifts: dict[int, Vector] = {}
    children = tree.children()
    for index in range(len(links)):
        link = links[index]
        if link.kind != "R":
            continue
        step = _best_step(link, [links[c] for c in children[index]])
        if step is ZERO:
            continue
        move = _along(link.axis, step)
        shifts[index] = move
        links[index] = replace(
            link,
            offset=plus(link.offset, transform(link.rotation, move)),
            inertia=_seen_from(link.inertia, move),
        )
        for c in children[index]:
            links[c] = replace(links[c], offset=minus(links[c].offset, move))
    bodies = {
        name: Placement(p.link, p.rotation, minus(p.origin, shifts[p.link])) if p.link in shifts else p
        for name, p in tree.bodies.items()
    }
    return replace(tree, links=links, bodies=bodies)


def _best_step(link: Link, children: list[Link]) -> Expr:
    """How far to slide: the candidate that leaves the fewest components, staying put on a tie."""
    direction = transform(link.rotation, _along(link.axis, ONE))
    candidates: list[Expr] = [ZERO]
    lone = [i for i in range(3) if direction[i] is not ZERO]
    if len(lone) == 1 and isinstance(direction[lone[0]], Const):
        candidates.append(-link.offset[lone[0]] / direction[lone[0]])
    candidates += [c.offset[link.axis] for c in children]

    def left(step: Expr) -> int:
        move = _along(link.axis, step)
        own = plus(link.offset, scale(step, direction)) if link.parent >= 0 else (ZERO, ZERO, ZERO)
        rest = [minus(c.offset, move) for c in children]
        return sum(x is not ZERO for v in (own, *rest) for x in v)

    return min(candidates, key=left)


def _along(axis: int, step: Expr) -> Vector:
    a, b, c = (step if i == axis else ZERO for i in range(3))
    return (a, b, c)


def _seen_from(inertia: Inertia, move: Vector) -> Inertia:
    """Matter seen from an origin that has moved by ``move``."""
    return inertia.moved(IDENTITY, (-move[0], -move[1], -move[2]))

"""Working frames: the axes in which each link's equations are written.

A link may have axes of its own, or be *carried*: written in its parent's axes. Carried links exchange vectors with
their parent for nothing; instead their constant vectors are turned into the shared axes. Along parallel hinges that
is the better bargain, and the angles add before their sine is taken (S12, C123).
"""

from __future__ import annotations

from dataclasses import dataclass

from .tree import Link, Tree
from .vector import (
    IDENTITY,
    Matrix,
    Vector,
    column,
    is_identity,
    plus,
    product,
    scale,
    shared,
    shared_matrix,
    transform,
)


@dataclass
class Posture:
    """How a link sits relative to its parent, each in its working axes.

    Attributes:
        turn: X, the link's working axes as columns in the parent's; identity when carried.
        body: B, the link frame as columns in its working axes; identity when it has its own.
        axis: the joint's axis in the working axes.
        offset: origin of the link seen from the parent link's origin, in the parent's working axes [m].
        slide: direction of a sliding joint, in the parent's working axes.
    """

    turn: Matrix
    body: Matrix
    axis: Vector
    offset: Vector
    slide: Vector


def postures(tree: Tree, carried: frozenset[int]) -> list[Posture]:
    """The posture of every link; ``carried`` holds the indices of links written in their parent's axes."""
    out: list[Posture] = []
    for link in tree.links:
        parent_body = out[link.parent].body if link.parent >= 0 else IDENTITY
        before = product(parent_body, link.rotation)
        after = product(before, link.joint_rotation())
        slide = shared(_axis_in(before, link))
        offset = transform(parent_body, link.offset)
        if link.kind == "P":
            offset = plus(offset, scale(link.angle, slide))
        offset = shared(offset)
        if link.index in carried or (link.kind == "P" and is_identity(after)):
            out.append(Posture(IDENTITY, shared_matrix(after), slide, offset, slide))
        else:
            out.append(Posture(shared_matrix(after), IDENTITY, link.unit(), offset, slide))
    return out


def _axis_in(frame: Matrix, link: Link) -> Vector:
    d = column(frame, link.axis)
    return d if link.direction > 0 else (-d[0], -d[1], -d[2])


def parallel_links(tree: Tree) -> frozenset[int]:
    """Links worth carrying: hinges parallel to their parent's hinge."""
    carried = set()
    for link in tree.links:
        if link.kind != "R" or link.parent < 0:
            continue
        parent = tree.links[link.parent]
        if parent.kind != "R":
            continue
        axis = _axis_in(link.rotation, link)
        unit = parent.unit()
        if axis == unit or axis == tuple(-u for u in unit):
            carried.add(link.index)
    return frozenset(carried)

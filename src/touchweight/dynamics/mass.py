"""Mass matrix by composite bodies: everything a joint carries, moved as one rigid piece.

Inward from the leaves, the mass, first and second moment of each subtree are gathered at its root joint; the force
and moment that accelerate it along that joint by one unit, handed down the tree, give a column of M.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..symbolic import ZERO, Expr, share, total
from .frames import Posture
from .tree import Inertia, Link, Tree
from .vector import (
    IDENTITY,
    Symmetric,
    Vector,
    column,
    congruence,
    cross,
    dot,
    minus,
    plus,
    scale,
    shared,
    shared_symmetric,
    symmetric_matrix,
    transform,
    transform_back,
)

#: sparse symmetric matrix: (row, column) with row >= column in speed order of the links
Entries = dict[tuple[int, int], Expr]


@dataclass
class MassMatrix:
    """The structurally non-zero entries of M, keyed by (i, j) of speeds, both triangles alike."""

    size: int
    entries: Entries

    def get(self, i: int, j: int) -> Expr:
        """M[i, j]."""
        return self.entries.get((i, j), self.entries.get((j, i), ZERO))

    def rows(self) -> list[list[Expr]]:
        """The full matrix."""
        return [[self.get(i, j) for j in range(self.size)] for i in range(self.size)]


def mass_matrix(tree: Tree, where: Sequence[Posture], by_trace: bool = False) -> MassMatrix:
    """M(q), with armature on the diagonal.

    ``by_trace`` reads the inertia about a hinge as tr(K) minus the part along it, instead of adding the two parts
    across it. A trace doesn't change when its body turns, so along parallel hinges nothing needs turning at all;
    elsewhere carrying it costs a little more.
    """
    composite = composites(tree, where)
    traces: Sequence[Expr | None] = composite_traces(tree, where, composite) if by_trace else [None] * len(tree.links)
    entries: Entries = {}
    for link in reversed(tree.links):
        pose = where[link.index]
        units = _unit_wrenches(link, pose, composite[link.index], traces[link.index])
        for k, (force, moment) in enumerate(units):
            column_index = link.speed + k
            _own_entries(entries, link, pose, force, moment, column_index, k)
            _hand_down(entries, tree, where, link, force, moment, column_index)
    return MassMatrix(len(tree.speeds), entries)


def composites(tree: Tree, where: Sequence[Posture]) -> list[Inertia]:
    """Mass properties of each link's subtree about its origin, in its working axes."""
    out: list[Inertia] = []
    for link, pose in zip(tree.links, where, strict=True):
        matter = link.inertia
        out.append(
            Inertia(
                matter.mass,
                shared(transform(pose.body, matter.moment)),
                shared_symmetric(congruence(pose.body, matter.second)),
            )
        )
    for link in reversed(tree.links):
        if link.parent < 0:
            continue
        pose, piece = where[link.index], out[link.index]
        moved = _moved(piece, pose)
        whole = out[link.parent] + moved
        out[link.parent] = Inertia(share(whole.mass), shared(whole.moment), shared_symmetric(whole.second))
    return out


def composite_traces(tree: Tree, where: Sequence[Posture], composite: Sequence[Inertia]) -> list[Expr]:
    """tr(K) of each link's subtree about its origin."""
    out = [total(link.inertia.second[:3]) for link in tree.links]
    for link in reversed(tree.links):
        if link.parent >= 0:
            pose, piece = where[link.index], composite[link.index]
            s = shared(transform(pose.turn, piece.moment))
            shift = 2 * dot(pose.offset, s) + piece.mass * dot(pose.offset, pose.offset)
            out[link.parent] = share(out[link.parent] + out[link.index] + shift)
    return out


def _moved(piece: Inertia, pose: Posture) -> Inertia:
    turned = Inertia(
        piece.mass,
        shared(transform(pose.turn, piece.moment)),
        shared_symmetric(congruence(pose.turn, piece.second)),
    )
    return turned.moved(IDENTITY, pose.offset)


def _unit_wrenches(link: Link, pose: Posture, body: Inertia, trace: Expr | None) -> list[tuple[Vector, Vector]]:
    """(force, moment about the link's origin) for unit acceleration along each speed of the link."""
    if link.kind == "P":
        return [(shared(scale(body.mass, pose.axis)), shared(cross(body.moment, pose.axis)))]
    axes = [pose.axis] if link.kind == "R" else [column(pose.body, k) for k in range(3)]
    return [(shared(cross(axis, body.moment)), shared(turning_inertia(body.second, axis, trace))) for axis in axes]


def turning_inertia(k: Symmetric, axis: Vector, trace: Expr | None = None) -> Vector:
    """I axis, with I = tr(K) 1 - K, written so that zero entries of the axis cost nothing."""
    if trace is not None:
        return minus(scale(trace, axis), transform(symmetric_matrix(k), axis))
    xx, yy, zz, xy, xz, yz = k
    ax, ay, az = axis
    across = transform(symmetric_matrix((ZERO, ZERO, ZERO, xy, xz, yz)), axis)
    along: Vector = (share(yy + zz) * ax, share(xx + zz) * ay, share(xx + yy) * az)
    return minus(along, across)


def _own_entries(entries: Entries, link: Link, pose: Posture, force: Vector, moment: Vector, at: int, k: int) -> None:
    if link.kind == "S":
        along = transform_back(pose.body, moment)
        for j in range(k + 1):
            value = along[j] + (link.armature if j == k else ZERO)
            entries[(at, link.speed + j)] = value
    else:
        effort = moment if link.kind == "R" else force
        entries[(at, at)] = share(dot(pose.axis, effort) + link.armature)


def _hand_down(
    entries: Entries,
    tree: Tree,
    where: Sequence[Posture],
    link: Link,
    force: Vector,
    moment: Vector,
    at: int,
) -> None:
    """Carry a unit wrench to every ancestor and read its part along their speeds."""
    while link.parent >= 0:
        pose = where[link.index]
        up = shared(transform(pose.turn, force))
        moment = shared(plus(transform(pose.turn, moment), cross(pose.offset, up)))
        force = up
        link = tree.links[link.parent]
        pose = where[link.index]
        if link.kind == "S":
            along = transform_back(pose.body, moment)
            for j in range(3):
                entries[(at, link.speed + j)] = share(along[j])
        else:
            entries[(at, link.speed)] = share(dot(pose.axis, moment if link.kind == "R" else force))

"""Kinematics: where links are and how they move, seen from the ground or from another link.

Positions and orientations are given in the axes of the reference; velocities and accelerations of a link in its own
working axes, where they are shortest.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic import ZERO, Expr
from .frames import Posture
from .inverse import Motion, link_motion
from .tree import Placement, Tree
from .vector import (
    IDENTITY,
    ZERO3,
    Matrix,
    Vector,
    cross,
    is_identity,
    plus,
    product,
    scale,
    shared,
    shared_matrix,
    transform,
    transform_back,
)


class Kinematics:
    """Poses and velocities relative to ``reference`` (a link, or -1 for the ground), worked out when asked for."""

    def __init__(self, tree: Tree, where: Sequence[Posture], reference: int = -1) -> None:
        self.tree = tree
        self.where = where
        self.reference = reference
        self._pose: dict[int, tuple[Matrix, Vector]] = {reference: (IDENTITY, ZERO3)}
        self._twist: dict[int, tuple[Vector, Vector]] = {reference: (ZERO3, ZERO3)}
        self._motion: dict[int, Motion] = {reference: Motion(ZERO3, ZERO3, ZERO3, (ZERO3, ZERO3, ZERO3))}

    def _path(self, link: int, known: dict[int, object]) -> list[int]:
        """The links from ``link`` down to one that is known, outermost last."""
        path = []
        while link not in known:
            path.append(link)
            link = self.tree.links[link].parent
        return path[::-1]

    def pose(self, link: int) -> tuple[Matrix, Vector]:
        """Orientation of the link's working axes and position of its origin [m], in the reference's axes."""
        for i in self._path(link, self._pose):  # type: ignore[arg-type]
            base, origin = self._pose[self.tree.links[i].parent]
            at = self.where[i]
            turn = base if is_identity(at.turn) else shared_matrix(product(base, at.turn))
            self._pose[i] = (turn, shared(plus(origin, transform(base, at.offset))))
        return self._pose[link]

    def twist(self, link: int) -> tuple[Vector, Vector]:
        """Angular velocity [rad/s] and velocity of the origin [m/s] relative to the reference, in working axes."""
        for i in self._path(link, self._twist):  # type: ignore[arg-type]
            joint = self.tree.links[i]
            w0, v0 = self._twist[joint.parent]
            at = self.where[i]
            w = transform_back(at.turn, w0)
            v = transform_back(at.turn, shared(plus(v0, cross(w0, at.offset))))
            if joint.kind == "P":
                v = plus(v, scale(joint.v[0], at.axis))
            elif joint.kind == "R":
                w = plus(w, scale(joint.v[0], at.axis))
            else:
                w = plus(w, transform(at.body, (joint.v[0], joint.v[1], joint.v[2])))
            self._twist[i] = (shared(w), shared(v))
        return self._twist[link]

    def motion(self, link: int, a: Sequence[Expr]) -> Motion:
        """Angular and linear acceleration (without gravity) when the speeds change at rates ``a``."""
        for i in self._path(link, self._motion):  # type: ignore[arg-type]
            joint = self.tree.links[i]
            self._motion[i] = link_motion(joint, self.where[i], self._motion[joint.parent], a)
        return self._motion[link]

    # -- of frames -----------------------------------------------------------------------------------------
    def _body(self, link: int) -> Matrix:
        return self.where[link].body if link >= 0 else IDENTITY

    def arm(self, place: Placement) -> Vector:
        """Where a frame's origin is on its link, in working axes [m]."""
        return shared(transform(self._body(place.link), place.origin))

    def axes(self, place: Placement) -> Matrix:
        """Orientation of a frame in its link's working axes."""
        return shared_matrix(product(self._body(place.link), place.rotation))

    def position(self, place: Placement) -> Vector:
        """Position of a frame's origin in the reference's axes [m]."""
        turn, origin = self.pose(place.link)
        return plus(origin, transform(turn, self.arm(place)))

    def orientation(self, place: Placement) -> Matrix:
        """Orientation of a frame in the reference's axes."""
        turn, _ = self.pose(place.link)
        return product(turn, self.axes(place))

    def velocity(self, place: Placement) -> Vector:
        """Velocity of a frame's origin relative to the reference, in working axes [m/s]."""
        w, v = self.twist(place.link)
        return shared(plus(v, cross(w, self.arm(place))))

    def acceleration(self, place: Placement, a: Sequence[Expr]) -> Vector:
        """Acceleration of a frame's origin, in working axes [m/s²]."""
        move = self.motion(place.link, a)
        return shared(plus(move.acceleration, transform(move.spread, self.arm(place))))

    def to_reference(self, link: int, x: Vector) -> Vector:
        """A vector from a link's working axes to the reference's."""
        return transform(self.pose(link)[0], x)

    def to_link(self, link: int, x: Vector) -> Vector:
        """A vector from the reference's axes to a link's working axes."""
        return transform_back(self.pose(link)[0], x)


def common_ancestor(tree: Tree, a: int, b: int) -> int:
    """The outermost link that both hang on, -1 for the ground."""
    line = {-1}
    while a >= 0:
        line.add(a)
        a = tree.links[a].parent
    while b not in line:
        b = tree.links[b].parent
    return b


def coordinate_rates(tree: Tree) -> list[Expr]:
    """dq/dt from the speeds: equal to them, except for quaternions."""
    index = {s: i for i, s in enumerate(tree.q)}
    rates: list[Expr] = [ZERO] * len(tree.q)
    for link in tree.links:
        if link.kind != "S":
            rates[index[link.q[0]]] = link.v[0]
            continue
        w, x, y, z = link.q
        a, b, c = link.v
        half = (
            -(x * a + y * b + z * c),
            w * a + y * c - z * b,
            w * b + z * a - x * c,
            w * c + x * b - y * a,
        )
        for s, rate in zip(link.q, half, strict=True):
            rates[index[s]] = 0.5 * rate
    return rates

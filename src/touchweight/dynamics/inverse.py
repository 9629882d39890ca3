"""Inverse dynamics: the recursive Newton-Euler scheme in relative coordinates (eq. 2).

Forward, from the ground: angular velocity w, angular acceleration dw, and the matrix U = [dw] + [w][w], which gives
the acceleration of any point of a link from that of its origin, a + U r (gravity enters as an acceleration of the
ground). Backward, from the leaves: force and moment. With the second moment K of a link, ∫ r x (U r) dm needs the
entries of U only, so the gyroscopic terms come for free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..symbolic import ZERO, Expr, share, total
from .frames import Posture
from .tree import Tree
from .vector import (
    ZERO3,
    Matrix,
    Symmetric,
    Vector,
    congruence,
    cross,
    dot,
    is_zero,
    minus,
    negative,
    plus,
    scale,
    shared,
    transform,
    transform_back,
)


@dataclass
class Wrench:
    """Force f [N] and moment n about a link's origin [N m], in its working axes."""

    force: Vector = ZERO3
    moment: Vector = ZERO3


def inverse_dynamics(
    tree: Tree,
    where: Sequence[Posture],
    a: Sequence[Expr],
    external: dict[int, Wrench] | None = None,
) -> list[Expr]:
    """Generalised forces that produce the accelerations ``a`` (symbols, or zeros for the bias).

    ``external`` holds the wrench that acts on each link, in its working axes.
    """
    accelerations = forward_pass(tree, where, a)
    return backward_pass(tree, where, a, accelerations, external or {})


@dataclass
class Motion:
    """A link's angular velocity, U and the acceleration of its origin, in its working axes."""

    omega: Vector
    spread: Matrix
    acceleration: Vector


def forward_pass(tree: Tree, where: Sequence[Posture], a: Sequence[Expr]) -> list[Motion]:
    """Velocities and accelerations, outward from the ground."""
    ground = (ZERO3, ZERO3, negative(tree.gravity), (ZERO3, ZERO3, ZERO3))
    state: list[tuple[Vector, Vector, Vector, Matrix]] = []
    for link, pose in zip(tree.links, where, strict=True):
        w0, dw0, a0, u0 = state[link.parent] if link.parent >= 0 else ground
        accel = transform_back(pose.turn, shared(plus(a0, transform(u0, pose.offset))))
        w = shared(transform_back(pose.turn, w0))
        dw = shared(transform_back(pose.turn, dw0))
        rates = list(link.v)
        gains = [a[link.speed + k] for k in range(len(rates))]
        if link.kind == "P":
            slide = scale(rates[0], pose.axis)
            accel = plus(accel, scale(gains[0], pose.axis), scale(2, cross(w, slide)))
            state.append((w, dw, shared(accel), u0 if link.parent >= 0 and pose_same(pose) else spread(w, dw)))
            continue
        if link.kind == "R":
            spin, gain = scale(rates[0], pose.axis), scale(gains[0], pose.axis)
        else:
            spin = transform(pose.body, (rates[0], rates[1], rates[2]))
            gain = transform(pose.body, (gains[0], gains[1], gains[2]))
        dw = shared(plus(dw, gain, cross(w, spin)))
        w = shared(plus(w, spin))
        state.append((w, dw, shared(accel), spread(w, dw)))
    return [Motion(w, u, acc) for w, _, acc, u in state]


def pose_same(pose: Posture) -> bool:
    """Whether a link shares its parent's working axes."""
    from .vector import is_identity

    return is_identity(pose.turn)


def spread(w: Vector, dw: Vector) -> Matrix:
    """U = [dw] + [w][w]: acceleration of a point at r relative to the origin is U r."""
    xx, yy, zz = share(w[0] * w[0]), share(w[1] * w[1]), share(w[2] * w[2])
    xy, xz, yz = share(w[0] * w[1]), share(w[0] * w[2]), share(w[1] * w[2])
    return (
        shared((-yy - zz, xy - dw[2], xz + dw[1])),
        shared((xy + dw[2], -xx - zz, yz - dw[0])),
        shared((xz - dw[1], yz + dw[0], -xx - yy)),
    )


def inertial_moment(u: Matrix, k: Symmetric, w: Vector) -> Vector:
    """∫ r x (U r) dm for the second moment K."""
    xx, yy, zz, xy, xz, yz = k
    x2, y2, z2 = share(w[0] * w[0]), share(w[1] * w[1]), share(w[2] * w[2])
    return (
        total((xy * u[2][0], -xz * u[1][0], yz * share(z2 - y2), yy * u[2][1], -zz * u[1][2])),
        total((yz * u[0][1], -xy * u[2][1], xz * share(x2 - z2), zz * u[0][2], -xx * u[2][0])),
        total((xz * u[1][2], -yz * u[0][2], xy * share(y2 - x2), xx * u[1][0], -yy * u[0][1])),
    )


def backward_pass(
    tree: Tree,
    where: Sequence[Posture],
    a: Sequence[Expr],
    motion: Sequence[Motion],
    external: dict[int, Wrench],
) -> list[Expr]:
    """Forces and moments, inward from the leaves, and their part along each joint."""
    forces: list[list[Vector]] = [[] for _ in tree.links]
    moments: list[list[Vector]] = [[] for _ in tree.links]
    tau: list[Expr] = [ZERO] * len(tree.speeds)
    for link in reversed(tree.links):
        pose, move, matter = where[link.index], motion[link.index], link.inertia
        f, n = forces[link.index], moments[link.index]
        s = shared(transform(pose.body, matter.moment))
        if not is_zero(s):
            f.append(transform(move.spread, s))
            n.append(cross(s, move.acceleration))
        if matter.mass is not ZERO:
            f.append(scale(matter.mass, move.acceleration))
        if not is_zero(matter.second):
            second = tuple(share(x) for x in congruence(pose.body, matter.second))
            n.append(inertial_moment(move.spread, second, move.omega))  # type: ignore[arg-type]
        if link.index in external:
            f.append(negative(external[link.index].force))
            n.append(negative(external[link.index].moment))
        force, moment = shared(plus(*f)) if f else ZERO3, shared(plus(*n)) if n else ZERO3
        _project(link, pose, force, moment, a, tau)
        if link.parent >= 0:
            up = shared(transform(pose.turn, force))
            forces[link.parent].append(up)
            moments[link.parent].append(shared(transform(pose.turn, moment)))
            moments[link.parent].append(cross(pose.offset, up))
    return tau


def _project(link, pose, force, moment, a, tau):  # type: ignore[no-untyped-def]
    if link.kind == "S":
        along = transform_back(pose.body, moment)
        for k in range(3):
            tau[link.speed + k] = along[k] + link.armature * a[link.speed + k]
    else:
        effort = moment if link.kind == "R" else force
        tau[link.speed] = dot(pose.axis, effort) + link.armature * a[link.speed]


__all__ = ["Motion", "Wrench", "backward_pass", "forward_pass", "inverse_dynamics", "minus"]

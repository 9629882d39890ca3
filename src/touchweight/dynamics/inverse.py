"""Inverse dynamics: the recursive Newton-Euler scheme in relative coordinates (eq. 2).

Forward, from the ground: angular velocity w, angular acceleration dw, and the matrix ``U = [dw] + [w][w]``, which gives
the acceleration of any point of a link from that of its origin, a + U r (gravity enters as an acceleration of the
ground). Backward, from the leaves: force and moment. With the second moment K of a link, ∫ r x (U r) dm needs the
entries of U only, so the gyroscopic terms come for free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..symbolic import ZERO, Expr, share, total
from .frames import Posture
from .tree import Link, Tree
from .vector import (
    ZERO3,
    Matrix,
    Symmetric,
    Vector,
    congruence,
    cross,
    dot,
    is_identity,
    is_zero,
    minus,
    negative,
    plus,
    scale,
    shared,
    shared_symmetric,
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
    external: Mapping[int, Wrench] | None = None,
) -> list[Expr]:
    """Generalised forces that produce the accelerations ``a`` (symbols, or zeros for the bias).

    ``external`` holds the wrench that acts on each link, in its working axes.
    """
    wrenches = forward_pass(tree, where, a)
    for index, pushed in (external or {}).items():
        own = wrenches[index]
        wrenches[index] = Wrench(minus(own.force, pushed.force), minus(own.moment, pushed.moment))
    return backward_pass(tree, where, a, wrenches)


@dataclass
class Motion:
    """A link's angular velocity and acceleration, U, and the acceleration of its origin, in its working axes."""

    omega: Vector
    gain: Vector
    acceleration: Vector
    spread: Matrix


def forward_pass(tree: Tree, where: Sequence[Posture], a: Sequence[Expr]) -> list[Wrench]:
    """Velocities and accelerations, outward from the ground; returns what each link's own inertia takes.

    The wrench is formed as soon as the motion is known: it is shorter than the motion, so less has to be kept for the
    way back.
    """
    ground = Motion(ZERO3, ZERO3, negative(tree.gravity), (ZERO3, ZERO3, ZERO3))
    motions: list[Motion] = []
    wrenches: list[Wrench] = []
    for link, pose in zip(tree.links, where, strict=True):
        base = motions[link.parent] if link.parent >= 0 else ground
        motions.append(link_motion(link, pose, base, a))
        wrenches.append(inertial_wrench(link, pose, motions[-1]))
    return wrenches


def link_motion(link: Link, pose: Posture, base: Motion, a: Sequence[Expr]) -> Motion:
    """The motion of a link from that of its parent."""
    accel = transform_back(pose.turn, shared(plus(base.acceleration, transform(base.spread, pose.offset))))
    w = shared(transform_back(pose.turn, base.omega))
    dw = shared(transform_back(pose.turn, base.gain))
    gains = [a[link.speed + k] for k in range(len(link.v))]
    if link.kind == "P":
        slide = scale(link.v[0], pose.axis)
        accel = plus(accel, scale(gains[0], pose.axis), scale(2, cross(w, slide)))
        same = base.spread if is_identity(pose.turn) else spread(w, dw)
        return Motion(w, dw, shared(accel), same)
    if link.kind == "R":
        spin, gain = scale(link.v[0], pose.axis), scale(gains[0], pose.axis)
    else:
        spin = transform(pose.body, (link.v[0], link.v[1], link.v[2]))
        gain = transform(pose.body, (gains[0], gains[1], gains[2]))
    dw = shared(plus(dw, gain, cross(w, spin)))
    w = shared(plus(w, spin))
    return Motion(w, dw, shared(accel), spread(w, dw))


def inertial_wrench(link: Link, pose: Posture, move: Motion) -> Wrench:
    """Force and moment that a link's own inertia takes."""
    matter = link.inertia
    s = shared(transform(pose.body, matter.moment))
    force = plus(transform(move.spread, s), scale(matter.mass, move.acceleration))
    moment = cross(s, move.acceleration)
    if not is_zero(matter.second):
        second = shared_symmetric(congruence(pose.body, matter.second))
        moment = plus(moment, inertial_moment(move.spread, second, move.omega))
    return Wrench(shared(force), shared(moment))


def spread(w: Vector, dw: Vector) -> Matrix:
    """``U = [dw] + [w][w]``: acceleration of a point at r relative to the origin is U r."""
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


def backward_pass(tree: Tree, where: Sequence[Posture], a: Sequence[Expr], wrenches: Sequence[Wrench]) -> list[Expr]:
    """Forces and moments, inward from the leaves, and their part along each joint."""
    forces: list[list[Vector]] = [[w.force] for w in wrenches]
    moments: list[list[Vector]] = [[w.moment] for w in wrenches]
    tau: list[Expr] = [ZERO] * len(tree.speeds)
    for link in reversed(tree.links):
        pose = where[link.index]
        force, moment = shared(plus(*forces[link.index])), shared(plus(*moments[link.index]))
        _project(link, pose, Wrench(force, moment), a, tau)
        if link.parent >= 0:
            up = shared(transform(pose.turn, force))
            forces[link.parent].append(up)
            moments[link.parent].append(shared(transform(pose.turn, moment)))
            moments[link.parent].append(cross(pose.offset, up))
    return tau


def _project(link: Link, pose: Posture, wrench: Wrench, a: Sequence[Expr], tau: list[Expr]) -> None:
    """The part of a wrench along each speed of the link, with the drive's own inertia."""
    if link.kind == "S":
        along = transform_back(pose.body, wrench.moment)
        for k in range(3):
            tau[link.speed + k] = along[k] + link.armature * a[link.speed + k]
    else:
        effort = wrench.moment if link.kind == "R" else wrench.force
        tau[link.speed] = dot(pose.axis, effort) + link.armature * a[link.speed]

"""Motions that move no mass: where a mass matrix is singular whatever the position.

The kinetic energy is ½ |A v|², with three rows of A for the velocity of each centre of mass (times √m),
three for each angular velocity (times √I) and one for each armature. A is built at two random positions;
a motion that is in the null space of both has no inertia.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..symbolic import Expr, evaluate_all
from .joint import JOINT_KINDS, Joint
from .mechanism import Mechanism

Array = NDArray[np.float64]

#: above this many speeds, motions of several together are not looked for
SPEED_LIMIT = 500
#: a speed whose inertia is this fraction of what its load could have has none
NOTHING = 1e-14
#: a combination of speeds whose energy is this fraction (squared) of theirs has none
FLAT = 1e-10


@dataclass
class _Column:
    """One speed: its axis and a point on it in the world, at one position."""

    speed: int
    turns: bool
    axis: Array
    point: Array


def idle_motions(mechanism: Mechanism, values: Mapping[Any, float]) -> list[list[str]]:
    """Groups of speeds that can move together without moving mass. The mechanism must be a sound tree."""
    speeds = mechanism.speeds
    if not speeds:
        return []
    first, second = (_energy_root(mechanism, values, np.random.default_rng(seed)) for seed in (1, 2))
    alone = first.idle & second.idle
    out = [[speeds[i]] for i in sorted(alone)]
    rest = [i for i in range(len(speeds)) if i not in alone]
    if rest and len(speeds) <= SPEED_LIMIT:
        both = sorted(_null_speeds(first.a[:, rest]) & _null_speeds(second.a[:, rest]))
        if both:
            out.append([speeds[rest[i]] for i in both])
    return out


def lowest_energy(mechanism: Mechanism, values: Mapping[Any, float]) -> float:
    """The least kinetic energy of a motion, as a fraction of what its speeds would have one by one.

    It can be negative only where an inertia has a negative moment. Taken at one random position.
    """
    if not mechanism.speeds:
        return 1.0
    root = _energy_root(mechanism, values, np.random.default_rng(1))
    mass = root.a.T @ root.a - root.b.T @ root.b
    size = np.sqrt(np.maximum(np.abs(np.diag(mass)), 1e-300))
    return float(np.linalg.eigvalsh(mass / np.outer(size, size))[0])


def _null_speeds(a: Array) -> set[int]:
    """The columns that take part in the null space of ``a``."""
    if a.shape[0] < a.shape[1]:  # fewer rows than speeds
        return set(range(a.shape[1]))
    size = np.linalg.norm(a, axis=0)
    size[size == 0.0] = 1.0
    _, sigma, vt = np.linalg.svd(np.linalg.qr(a / size, mode="r"))
    found: set[int] = set()
    for s, row in zip(sigma, vt, strict=True):
        if s < FLAT:
            found |= {int(i) for i in np.flatnonzero(np.abs(row) > 1e-3)}
    return found


@dataclass
class _Root:
    """The matrix A, its counterpart B of negative moments, and the columns of A that are nothing."""

    a: Array
    b: Array
    idle: set[int]


def _energy_root(mechanism: Mechanism, values: Mapping[Any, float], random: np.random.Generator) -> _Root:
    """The kinetic energy at a random position: ½ |A v|² - ½ |B v|²."""
    index = {name: i for i, name in enumerate(mechanism.speeds)}
    place: dict[str, tuple[Array, Array, list[_Column]]] = {"ground": (np.eye(3), np.zeros(3), [])}
    rows: list[Array] = []
    negative: list[Array] = []
    scale = np.zeros(len(index))
    for joint in _outward(mechanism):
        place[joint.child.name] = _carry(joint, place[joint.parent.name], index, values, random)
        armature = max(_number([joint.armature], values)[0], 0.0)
        for name in joint.speeds if armature else ():
            row = np.zeros(len(index))
            row[index[name]] = np.sqrt(armature)
            scale[index[name]] += armature
            rows.append(row)
    for body in mechanism.bodies.values():
        turned, at, columns = place[body.name]
        mass, x, y, z, xx, yy, zz, xy, xz, yz = _number([body.mass, *body.com, *body.inertia], values)
        moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        root = np.sqrt(np.abs(moments))[:, None] * (turned @ axes).T
        centre = at + turned @ np.array([x, y, z])
        block = np.zeros((6, len(index)))
        for c in columns:
            arm = centre - c.point
            if c.turns:
                block[:3, c.speed] = np.sqrt(mass) * _cross(c.axis, arm)
                block[3:, c.speed] = root @ c.axis
                scale[c.speed] += mass * (arm @ arm) + np.abs(moments).sum()
            else:
                block[:3, c.speed] = np.sqrt(mass) * c.axis
                scale[c.speed] += mass
        rows.extend(block[:3])
        for moment, row in zip(moments, block[3:], strict=True):
            (negative if moment < 0.0 else rows).append(row)
    a, b = (np.array(r).reshape(-1, len(index)) for r in (rows, negative))
    energy = (a * a).sum(axis=0)
    return _Root(a, b, {int(i) for i in np.flatnonzero(energy <= NOTHING * scale)})


def _cross(a: Array, b: Array) -> Array:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _outward(mechanism: Mechanism) -> list[Joint]:
    by_parent: dict[str, list[Joint]] = {}
    for joint in mechanism.joints.values():
        by_parent.setdefault(joint.parent.name, []).append(joint)
    order: list[Joint] = []
    stack = list(by_parent.get("ground", []))
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(by_parent.get(joint.child.name, []))
    return order


def _carry(
    joint: Joint,
    parent: tuple[Array, Array, list[_Column]],
    index: Mapping[str, int],
    values: Mapping[Any, float],
    random: np.random.Generator,
) -> tuple[Array, Array, list[_Column]]:
    """Pose of a joint's child and the speeds that move it."""
    turned, at, columns = parent
    entries = _number([*joint.origin, *(x for row in joint.rotation for x in row)], values)
    at = at + turned @ np.array(entries[:3])
    turned = turned @ np.array(entries[3:]).reshape(3, 3)
    columns = list(columns)
    speeds = [index[s] for s in joint.speeds]
    for primitive, axis in zip(JOINT_KINDS[joint.kind].primitives, _axes(joint), strict=True):
        if primitive == "S":
            turned = turned @ _turn(random.normal(size=3), random.uniform(0.5, 2.5))
            columns += [_Column(speeds.pop(0), True, turned[:, k], at) for k in range(3)]
            continue
        along = turned @ axis
        columns.append(_Column(speeds.pop(0), primitive == "R", along, at))
        if primitive == "R":
            turned = turned @ _turn(axis, random.uniform(0.5, 2.5))
        else:
            at = at + along * random.uniform(0.1, 1.0)
    return turned, at, columns


def _axes(joint: Joint) -> list[Array]:
    """The axis of each primitive of a joint, in the joint frame."""
    axis = np.array(joint.axis)
    if joint.kind == "universal":
        return [axis, np.array(joint.axis2)]
    if joint.kind == "planar":
        x = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        x /= np.linalg.norm(x)
        return [x, np.cross(axis, x), axis]
    if joint.kind == "free":
        return [*np.eye(3), axis]
    return [axis] * len(JOINT_KINDS[joint.kind].primitives)


def _turn(axis: Array, angle: float) -> Array:
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
    return turned


def _number(exprs: Sequence[Expr], values: Mapping[Any, float]) -> list[float]:
    return [float(x) for x in evaluate_all(exprs, values)]

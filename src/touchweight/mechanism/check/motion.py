"""Motions that move no mass: where a mass matrix is singular whatever the position.

The kinetic energy is ½ |A v|², with three rows of A for the velocity of each centre of mass (times √m),
three for each angular velocity (times √I) and one for each armature. A is built at two random positions;
a motion that is in the null space of both has no inertia.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...symbolic import Expr, evaluate_all
from ..joint import JOINT_KINDS, Joint
from ..mechanism import Mechanism
from ..values import shown
from .problem import Problem

Array = NDArray[np.float64]

#: above this many speeds, motions of several together are not looked for
SPEED_LIMIT = 500
#: a speed whose inertia is this fraction of what its load could have has none
NOTHING = 1e-14
#: a combination of speeds whose energy is this fraction (squared) of theirs has none
FLAT = 1e-10
#: least energy of a motion, as a fraction, that needs no closer look
MARGIN = 1e-11


@dataclass
class _Speeds:
    """Every speed in the world at one position: its axis, a point on it, and whether it turns or slides."""

    axis: Array
    point: Array
    turns: NDArray[np.bool_]


#: axes and origin of a body, and the indices of the speeds that move it
_Place = tuple[Array, Array, NDArray[np.intp]]


def motion_problems(mechanism: Mechanism, values: Mapping[Any, float]) -> Iterator[Problem]:
    """Motions without kinetic energy, or with less: the mass matrix is not positive definite.

    The mechanism must be a sound tree, and ``values`` must give all its parameters.
    """
    if not mechanism.speeds:
        return
    first = _energy_root(mechanism, values, np.random.default_rng(1))
    if first.is_definite:
        return
    second = _energy_root(mechanism, values, np.random.default_rng(2))
    idle = _idle_motions(mechanism.speeds, first, second)
    for speeds in idle:
        if any(s in mechanism.drives for s in speeds):
            continue  # what is driven needs no mass
        some = ", ".join(shown(s) for s in speeds[:6]) + (", ..." if len(speeds) > 6 else "")
        if len(speeds) == 1:
            what = f"expected every speed to move some mass, found none moved by {some}"
        else:
            what = f"expected every motion to move some mass, found one of {some} together that moves none"
        advice = "give what it carries mass or inertia, add armature, or fix the joint"
        yield Problem("mass matrix", what, advice)
    if not idle and len(first.b) and np.linalg.eigvalsh(first.mass)[0] < 0.0:
        yield Problem(
            "mass matrix",
            "expected positive kinetic energy in every motion, found negative in one",
            "correct the inertias that have negative moments",
        )


def _idle_motions(speeds: Sequence[str], first: _Root, second: _Root) -> list[list[str]]:
    """Groups of speeds that can move together without moving mass."""
    alone = first.idle & second.idle
    out = [[speeds[i]] for i in sorted(alone)]
    rest = [i for i in range(len(speeds)) if i not in alone]
    if rest and len(speeds) <= SPEED_LIMIT:
        both = sorted(_null_speeds(first.a[:, rest]) & _null_speeds(second.a[:, rest]))
        if both:
            out.append([speeds[rest[i]] for i in both])
    return out


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

    @property
    def mass(self) -> Array:
        """The mass matrix with ones on its diagonal (where it has something there)."""
        full = self.a.T @ self.a - self.b.T @ self.b
        size = np.sqrt(np.maximum(np.abs(np.diag(full)), 1e-300))
        scaled: Array = full / np.outer(size, size)
        return scaled

    @property
    def is_definite(self) -> bool:
        """Whether every motion clearly has kinetic energy."""
        if self.idle:
            return False
        try:
            np.linalg.cholesky(self.mass - MARGIN * np.eye(self.a.shape[1]))
        except np.linalg.LinAlgError:
            return False
        return True


def _energy_root(mechanism: Mechanism, values: Mapping[Any, float], random: np.random.Generator) -> _Root:
    """The kinetic energy at a random position: ½ |A v|² - ½ |B v|²."""
    index = {name: i for i, name in enumerate(mechanism.speeds)}
    n = len(index)
    speeds = _Speeds(np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n, dtype=bool))
    places: dict[str, _Place] = {"ground": (np.eye(3), np.zeros(3), np.zeros(0, dtype=np.intp))}
    rows: list[Array] = []
    negative: list[Array] = []
    scale = np.zeros(n)
    for joint in _outward(mechanism):
        mine = [index[s] for s in joint.speeds]
        places[joint.child.name] = _carry(joint, places[joint.parent.name], mine, speeds, values, random)
        armature = max(_number([joint.armature], values)[0], 0.0)
        scale[mine] += armature
        rows.extend(np.sqrt(armature) * np.eye(n)[mine] if armature else ())
    for body in mechanism.bodies.values():
        turned, at, path = places[body.name]
        mass, x, y, z, xx, yy, zz, xy, xz, yz = _number([body.mass, *body.com, *body.inertia], values)
        moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        root = np.sqrt(np.abs(moments))[:, None] * (turned @ axes).T
        arm = at + turned @ np.array([x, y, z]) - speeds.point[path]
        axis, turns = speeds.axis[path], speeds.turns[path]
        block = np.zeros((6, n))
        block[:3, path] = np.sqrt(mass) * np.where(turns[:, None], np.cross(axis, arm), axis).T
        block[3:, path] = root @ (axis * turns[:, None]).T
        scale[path] += np.where(turns, mass * (arm * arm).sum(axis=1) + np.abs(moments).sum(), mass)
        rows.extend(block[:3])
        for moment, row in zip(moments, block[3:], strict=True):
            (negative if moment < 0.0 else rows).append(row)
    a, b = (np.array(r).reshape(-1, n) for r in (rows, negative))
    energy = (a * a).sum(axis=0)
    return _Root(a, b, {int(i) for i in np.flatnonzero(energy <= NOTHING * scale)})


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
    parent: _Place,
    mine: list[int],
    speeds: _Speeds,
    values: Mapping[Any, float],
    random: np.random.Generator,
) -> _Place:
    """Place a joint's child, and note the joint's speeds (with indices ``mine``)."""
    turned, at, path = parent
    entries = _number([*joint.origin, *(x for row in joint.rotation for x in row)], values)
    at = at + turned @ np.array(entries[:3])
    turned = turned @ np.array(entries[3:]).reshape(3, 3)
    left = list(mine)
    for primitive, axis in zip(JOINT_KINDS[joint.kind].primitives, _axes(joint), strict=True):
        if primitive == "S":
            turned = turned @ _turn(random.normal(size=3), random.uniform(0.5, 2.5))
            now, along = [left.pop(0) for _ in range(3)], turned.T
        else:
            now, along = [left.pop(0)], (turned @ axis)[None, :]
        speeds.axis[now], speeds.point[now], speeds.turns[now] = along, at, primitive != "P"
        if primitive == "R":
            turned = turned @ _turn(axis, random.uniform(0.5, 2.5))
        elif primitive == "P":
            at = at + along[0] * random.uniform(0.1, 1.0)
    return turned, at, np.concatenate([path, np.array(mine, dtype=np.intp)])


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

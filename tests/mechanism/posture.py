"""Where the bodies of a mechanism are for given coordinates, in plain NumPy: to compare with other codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from touchweight.mechanism import JOINT_KINDS, Body, Frame, Joint, Mechanism
from touchweight.symbolic import evaluate_all


def values(m: Mechanism, exprs: Sequence[Any]) -> np.ndarray:
    return np.array([float(x) for x in evaluate_all(exprs, {p.symbol: p.value for p in m.parameters.values()})])


def turn(axis: Sequence[float], angle: float) -> np.ndarray:
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def quaternion(q: Sequence[float]) -> np.ndarray:
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    angle = 2 * np.arctan2(np.linalg.norm([x, y, z]), w)
    return np.eye(3) if angle == 0 else turn([x, y, z], angle)


def posture(m: Mechanism, q: Sequence[float]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """(axes as columns, origin) of every body in the world."""
    at = dict(zip(m.coordinates, q, strict=True))
    pose = {"ground": (np.eye(3), np.zeros(3))}
    waiting = list(m.joints.values())
    while waiting:
        joint = next(j for j in waiting if j.parent.name in pose)
        waiting.remove(joint)
        pose[joint.child.name] = _across(m, joint, *pose[joint.parent.name], at)
    return pose


def _across(m: Mechanism, joint: Joint, r: np.ndarray, p: np.ndarray, at: dict[str, float]) -> Any:
    p = p + r @ values(m, joint.origin)
    r = r @ values(m, [x for row in joint.rotation for x in row]).reshape(3, 3)
    q = [at[c] for c in joint.coordinates]
    axes: list[Any] = [joint.axis, joint.axis2] if joint.kind == "universal" else [joint.axis] * 3
    if joint.kind == "free":
        axes = [*np.eye(3), None]
    for primitive, axis in zip(JOINT_KINDS[joint.kind].primitives, axes, strict=False):
        if primitive == "S":
            r = r @ quaternion(q[:4])
            q = q[4:]
        elif primitive == "R":
            r = r @ turn(axis, q.pop(0) - joint.reference)
        else:
            p = p + r @ np.asarray(axis) * (q.pop(0) - joint.reference)
    return r, p


def frame_posture(m: Mechanism, frame: Frame, pose: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    r, p = pose[frame.body.name]
    turned = values(m, [x for row in frame.rotation for x in row]).reshape(3, 3)
    return r @ turned, p + r @ values(m, frame.origin)


def tensor(m: Mechanism, body: Body) -> np.ndarray:
    """Inertia about the centre of mass, in the body's axes."""
    xx, yy, zz, xy, xz, yz = values(m, body.inertia)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def gathered(m: Mechanism, q: Sequence[float]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it of all bodies together, in world axes."""
    pose = posture(m, q)
    parts = []
    for body in m.bodies.values():
        r, p = pose[body.name]
        (mass,) = values(m, [body.mass])
        parts.append((mass, p + r @ values(m, body.com), r @ tensor(m, body) @ r.T))
    total = sum(x for x, _, _ in parts)
    centre = sum((x * c for x, c, _ in parts), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for x, c, i in parts:
        d = c - centre
        inertia += i + x * (d @ d * np.eye(3) - np.outer(d, d))
    return total, centre, inertia

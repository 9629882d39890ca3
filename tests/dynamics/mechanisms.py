"""Mechanisms to test laws on: random trees with every kind of joint, their states, where NumPy puts them.

A random tree is decided by its seed. Its bodies are clouds of point masses, so that energy and momentum can
be summed over points without any inertia tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from touchweight.mechanism import JOINT_KINDS, Body, Joint, Mechanism
from touchweight.symbolic import evaluate_all

Array = NDArray[np.float64]

#: every kind of joint that moves
MOVING = ("revolute", "prismatic", "universal", "cylindrical", "planar", "spherical", "free")
#: those whose speeds are the rates of their coordinates
PLAIN = ("revolute", "prismatic", "universal", "cylindrical", "planar")

#: what most tests run on: seeds of trees with every kind of joint
SEEDS = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Cloud:
    """Point masses fixed to a body: positions in its frame (n, 3) [m], masses (n,) [kg]."""

    points: Array
    masses: Array

    @property
    def com(self) -> Array:
        out: Array = self.masses @ self.points / self.masses.sum()
        return out

    @property
    def inertia(self) -> Array:
        """(3, 3) about the centre of mass."""
        r = self.points - self.com
        squares = np.einsum("n,ni,nj->ij", self.masses, r, r)
        out: Array = np.trace(squares) * np.eye(3) - squares
        return out


@dataclass
class RandomTree:
    """A mechanism and the point masses its bodies are made of."""

    mechanism: Mechanism
    clouds: dict[str, Cloud] = field(default_factory=dict)


@dataclass(frozen=True)
class States:
    """States of a mechanism, (count, n) each: coordinates, speeds, accelerations, generalised forces."""

    q: Array
    v: Array
    a: Array
    tau: Array


def random_cloud(draw: np.random.Generator, size: float = 0.3) -> Cloud:
    return Cloud(draw.uniform(-size, size, (5, 3)), draw.uniform(0.1, 0.6, 5))


def cloud_body(mechanism: Mechanism, name: str, cloud: Cloud) -> Body:
    """A body with the mass, centre and inertia of a cloud."""
    inertia = [list(map(float, row)) for row in cloud.inertia]
    return mechanism.body(name, float(cloud.masses.sum()), [float(x) for x in cloud.com], inertia)


def random_tree(
    seed: int,
    kinds: Sequence[str] = MOVING,
    *,
    bodies: int = 6,
    root: str | None = None,
    gravity: Sequence[float] = (0.4, -1.3, -9.7),
    armature: bool = True,
) -> RandomTree:
    """A tree of moving bodies with oblique axes, turned joint frames, welds, massless bodies, references.

    ``root`` is the kind of the only joint on the ground; without it, any body may stand on the ground.
    """
    draw = np.random.default_rng([seed, bodies])
    made = RandomTree(Mechanism(f"tree {seed}", gravity))
    m = made.mechanism
    places: list[Body] = [m.ground]
    order = [str(k) for _ in range(bodies) for k in draw.permutation(kinds)][:bodies]
    if root is not None:
        order[0] = root
    for i, kind in enumerate(order):
        parent = (
            places[-1] if draw.random() < 0.6 else places[int(draw.integers(root is not None and i > 0, len(places)))]
        )
        if draw.random() < 0.3 and kind in PLAIN and (root is None or i > 0):
            parent = _massless(m, draw, parent, f"m{i}")  # a hinge that carries nothing but the next joint
        cloud = random_cloud(draw)
        body = cloud_body(m, f"b{i}", cloud)
        made.clouds[body.name] = cloud
        options = _placed(draw)
        if kind in PLAIN:
            options |= {"axis": _axis(draw)}
            if kind == "universal":
                options |= {"axis2": _axis(draw, across=options["axis"])}
            if draw.random() < 0.3:
                options["reference"] = float(draw.uniform(-1, 1))
        if armature and draw.random() < 0.4:
            options["armature"] = float(draw.uniform(0.01, 0.1))
        m.joint(f"j{i}", kind, parent, body, **options)
        places.append(body)
        if draw.random() < 0.4:  # what is welded on, and what the next joint may start from
            bracket = random_cloud(draw, 0.1)
            welded = cloud_body(m, f"w{i}", bracket)
            made.clouds[welded.name] = bracket
            m.fixed(f"weld{i}", body, welded, **_placed(draw))
            places.append(welded)
    return made


def parallel_tree(seed: int, bodies: int = 8) -> Mechanism:
    """A tree whose hinges are parallel, some of them the other way round, with a slide or a cross hinge in between."""
    draw = np.random.default_rng(seed)
    m = Mechanism(f"parallel tree {seed}", (0.4, -1.3, -9.7))
    places = [m.ground]
    for i in range(bodies):
        parent = places[-1] if draw.random() < 0.7 else places[int(draw.integers(len(places)))]
        body = cloud_body(m, f"b{i}", random_cloud(draw))
        kind, axis = ("prismatic", "x") if draw.random() < 0.15 else ("revolute", str(draw.choice(["y", "y", "-y"])))
        if draw.random() < 0.1:
            axis = "z"
        m.joint(f"j{i}", kind, parent, body, axis=axis, origin=_placed(draw)["origin"])
        places.append(body)
    return m


def _massless(m: Mechanism, draw: np.random.Generator, parent: Body, name: str) -> Body:
    middle = m.body(name)
    # generic axes: what follows has another one, so every speed moves mass
    axis = [float(x) for x in draw.normal(size=3)]
    m.joint(f"{name}.hinge", "revolute", parent, middle, axis=axis, **_placed(draw))
    return middle


def _placed(draw: np.random.Generator) -> dict[str, Any]:
    """Where a joint sits: at an origin with some zeros, turned by nothing, by quarters or by anything."""
    origin = draw.uniform(-0.5, 0.5, 3) * (draw.random(3) < 0.6)
    out: dict[str, Any] = {"origin": [float(x) for x in origin]}
    pick = draw.random()
    if pick < 0.25:
        out["rotation"] = [float(x) for x in draw.integers(-1, 3, 3) * np.pi / 2]
    elif pick < 0.5:
        out["rotation"] = [float(x) for x in draw.uniform(-3, 3, 3)]
    elif pick < 0.65:
        out["rotation"] = [float(x) for x in draw.normal(size=4)]
    return out


def _axis(draw: np.random.Generator, across: Any = None) -> str | list[float]:
    """An axis by name or oblique; with ``across``, oblique and not along it."""
    if across is None and draw.random() < 0.6:
        return str(draw.choice(["x", "y", "z", "-x", "-y", "-z"]))
    return [float(x) for x in draw.normal(size=3)]


def random_states(mechanism: Mechanism, count: int = 12, seed: int = 0) -> States:
    """Angles over the whole circle, slides within 0.4 m, any orientation; the rest is normal."""
    draw = np.random.default_rng(seed)
    columns: list[Array] = [np.empty((count, 0))]
    for joint in mechanism.joints.values():
        for primitive in JOINT_KINDS[joint.kind].primitives:
            if primitive == "S":
                turn = draw.normal(size=(count, 4))
                columns.append(turn / np.linalg.norm(turn, axis=1, keepdims=True))
            else:
                reach = 0.4 if primitive == "P" else np.pi
                columns.append(draw.uniform(-reach, reach, (count, 1)))
    v, a, tau = draw.normal(size=(3, count, len(mechanism.speeds)))
    return States(np.hstack(columns), v, a, tau)


# -- where things are, by NumPy -----------------------------------------------------------------------------
Pose = tuple[Array, Array]


def forward_kinematics(mechanism: Mechanism, q: Array) -> dict[str, Pose]:
    """Orientation and position of every body at coordinates ``q`` (nq,), from the description alone."""
    values = {p.symbol: p.value for p in mechanism.parameters.values()}
    at = dict(zip(mechanism.coordinates, q, strict=True))
    poses: dict[str, Pose] = {"ground": (np.eye(3), np.zeros(3))}
    waiting = list(mechanism.joints.values())
    while waiting:
        joint = next(j for j in waiting if j.parent.name in poses)
        waiting.remove(joint)
        R, p = poses[joint.parent.name]
        numbers = np.array([float(x) for x in evaluate_all([*joint.origin, *sum(joint.rotation, ())], values)])
        turn, move = _joint_motion(joint, np.array([at[c] for c in joint.coordinates]))
        R0 = R @ numbers[3:].reshape(3, 3)
        poses[joint.child.name] = (R0 @ turn, p + R @ numbers[:3] + R0 @ move)
    return poses


def _joint_motion(joint: Joint, q: Array) -> Pose:
    """Orientation and position of a joint's child in the joint frame."""
    axis = np.array(joint.axis)
    x = q - joint.reference if joint.kind in PLAIN else q
    still, nowhere = np.eye(3), np.zeros(3)
    match joint.kind:
        case "fixed":
            return still, nowhere
        case "revolute":
            return turn_about(axis, x[0]), nowhere
        case "prismatic":
            return still, x[0] * axis
        case "universal":
            return turn_about(axis, x[0]) @ turn_about(np.array(joint.axis2), x[1]), nowhere
        case "cylindrical":
            return turn_about(axis, x[1]), x[0] * axis
        case "planar":
            along, across = plane_of(axis)
            return turn_about(axis, x[2]), x[0] * along + x[1] * across
        case "spherical":
            return quaternion_matrix(x), nowhere
    return quaternion_matrix(x[3:]), x[:3]


def turn_about(axis: Array, angle: float) -> Array:
    out: Array = Rotation.from_rotvec(axis / np.linalg.norm(axis) * angle).as_matrix()
    return out


def quaternion_matrix(wxyz: Array) -> Array:
    out: Array = Rotation.from_quat(np.roll(wxyz, -1)).as_matrix()
    return out


def plane_of(normal: Array) -> tuple[Array, Array]:
    """x and y of a planar joint: the axis after the one nearest to the normal, made square; and across."""
    along = np.roll(np.eye(3), 1, axis=1)[int(np.argmax(np.abs(normal)))]
    along = along - (along @ normal) * normal
    along /= np.linalg.norm(along)
    return along, np.cross(normal, along)


def coordinate_rates(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """dq/dt (count, nq) from q and v: equal to v, and half the quaternion product with (0, ω) for balls."""
    out, i, k = np.empty_like(q), 0, 0
    for joint in mechanism.joints.values():
        for primitive in JOINT_KINDS[joint.kind].primitives:
            if primitive == "S":
                w, x, y, z = q[:, i : i + 4].T
                a, b, c = v[:, k : k + 3].T
                rates = (
                    -x * a - y * b - z * c,
                    w * a + y * c - z * b,
                    w * b + z * a - x * c,
                    w * c + x * b - y * a,
                )
                out[:, i : i + 4] = 0.5 * np.stack(rates, axis=1)
                i, k = i + 4, k + 3
            else:
                out[:, i] = v[:, k]
                i, k = i + 1, k + 1
    return out


def moved(mechanism: Mechanism, q: Array, v: Array, h: float) -> Array:
    """Coordinates after a time ``h`` at constant speeds, quaternions kept on the sphere: (count, nq)."""
    out, i, k = q.copy(), 0, 0
    for joint in mechanism.joints.values():
        for primitive in JOINT_KINDS[joint.kind].primitives:
            if primitive == "S":
                old = Rotation.from_quat(np.roll(q[:, i : i + 4], -1, axis=1))
                new = old * Rotation.from_rotvec(h * v[:, k : k + 3])
                out[:, i : i + 4] = np.roll(new.as_quat(), 1, axis=1)
                i, k = i + 4, k + 3
            else:
                out[:, i] += h * v[:, k]
                i, k = i + 1, k + 1
    return out

"""Mechanisms to generate code for: between them they have every kind of joint, force and signal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from touchweight import symbolic as sy
from touchweight.mechanism import JOINT_KINDS, Mechanism

Array = NDArray[np.float64]


def arm() -> Mechanism:
    """Three hinges with skew axes, actuators with gear, lag and limit, a spring to the ground."""
    m = Mechanism("arm")
    parent = m.ground
    for i, axis in enumerate(("z", "y", "x")):
        link = m.body(
            f"link{i}",
            mass=1.5 - 0.3 * i,
            com=(0.1, 0.02 * i, -0.2),
            inertia=(0.02, 0.03, 0.01, 0.001, -0.002, 0.0005),
        )
        m.revolute(f"joint{i}", parent, link, axis=axis, origin=(0.05, 0.0, 0.3), damping=0.1, armature=0.01 * i)
        parent = link
    m.actuator("motor", "joint1", gear=3.0, lag=0.02, limit=5.0)
    tip = m.frame("tip", parent, origin=(0.0, 0.0, -0.4))
    m.spring("rope", tip, m.ground, stiffness=50.0, length=0.2, damping=0.5)
    m.sensor("tip speed", "velocity", tip)
    m.sensor("tip acceleration", "acceleration", tip, axes="frame")
    return m


def felt_and_friction() -> Mechanism:
    """A key on a felt: laws with every function there is, and one that goes by the clock."""
    m = Mechanism("felt")
    key = m.body("key", mass=0.1, com=(0.1, 0.0, 0.01), inertia=(1e-4, 2e-4, 2e-4))
    hammer = m.body("hammer", mass=0.01, com=(0.05, 0.0, 0.0), inertia=(1e-5, 2e-5, 2e-5))
    m.revolute("pivot", m.ground, key, axis="y", friction=0.01, stiffness=2.0, rest=0.1)
    m.revolute("flange", key, hammer, axis="y", origin=(0.2, 0.0, 0.02))

    def felt(q, v, *, k, r, b):
        d = sy.maximum(q - 0.05, 0.0)
        return -sy.select(q > 0.05, k * d**r + b * d**2 * v, 0.0)

    def odd(q, v, *, a, c):
        angle = sy.atan2(sy.sin(q) + a, sy.cos(q) + 2.0)
        drag = sy.sign(v - 0.3) * sy.absolute(v) ** 1.5 * c + sy.minimum(v, a) * sy.exp(-(v**2))
        return -angle * 0.1 - drag - 0.01 * sy.tanh(v / a) + sy.log(1.0 + v**2) * sy.sqrt(q**2 + c)

    m.joint_law("stop", "pivot", felt, k=300.0, r=2.3, b=5.0)
    m.joint_law("odd", "flange", odd, a=0.4, c=0.02)
    m.joint_law("shake", "flange", 0.01 * sy.sin(20.0 * m.time))
    return m


def buoy() -> Mechanism:
    """A free body on a spring, with a ball, a cylinder and a plane joint on it, and a state of its own."""
    m = Mechanism("buoy")
    hull = m.body("hull", mass=5.0, com=(0.1, -0.05, 0.02), inertia=(0.3, 0.4, 0.5, 0.01, -0.02, 0.03))
    mast = m.body("mast", mass=1.0, com=(0.0, 0.01, 0.4), inertia=(0.05, 0.06, 0.01))
    ring = m.body("ring", mass=0.5, com=(0.02, 0.0, 0.01), inertia=(0.01, 0.01, 0.02))
    plate = m.body("plate", mass=0.4, com=(0.01, 0.03, 0.0), inertia=(0.01, 0.02, 0.01))
    m.free("float", hull)
    m.spherical("step", hull, mast, origin=(0.0, 0.1, 0.2), damping=0.2)
    m.cylindrical("collar", mast, ring, axis=(0.0, 0.6, 0.8), origin=(0.0, 0.0, 0.3))
    m.planar("deck", hull, plate, axis="y", origin=(0.3, 0.0, 0.1))
    wave = m.input("wave", "N", value=1.0)
    lift = m.state("lift", lambda x: (wave - x) / 0.5, initial=0.2)
    m.force("push", hull, force=(lift, 0.0, 2.0 * lift), torque=(0.0, 0.1, lift))
    m.spring("mooring", hull, m.ground, stiffness=20.0, length=0.3, damping=2.0)
    m.sensor("heading", "orientation", hull)
    return m


MACHINES: dict[str, Callable[[], Mechanism]] = {"arm": arm, "felt": felt_and_friction, "buoy": buoy}


def states(m: Mechanism, count: int, seed: int = 2) -> dict[str, Array]:
    """Random values of every argument: unit quaternions, the rest of order one."""
    draw = np.random.default_rng(seed)
    columns: list[Array] = []
    for joint in m.joints.values():
        for primitive in JOINT_KINDS[joint.kind].primitives:
            if primitive == "S":
                quaternion = draw.normal(size=(count, 4))
                columns.append(quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True))
            else:
                columns.append(draw.uniform(-0.8, 0.8, (count, 1)))
    sizes = {
        "v": len(m.speeds),
        "a": len(m.speeds),
        "tau": len(m.speeds),
        "x": len(m.states),
        "u": len(m.inputs),
    }
    made = {k: draw.normal(size=(count, n)) for k, n in sizes.items()}
    return {"q": np.concatenate(columns, axis=1), **made, "t": draw.uniform(0.0, 1.0, (count, 1))}

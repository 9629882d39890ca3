"""Small mechanisms whose motion is known."""

from __future__ import annotations

import math

from touchweight.mechanism import Mechanism
from touchweight.symbolic import sin

#: moment of inertia of the pendulum about its hinge [kg m²], and its gravity torque at a right angle [N m]
INERTIA = 0.07 + 1.2 * 0.4**2
TORQUE = 1.2 * 9.81 * 0.4


def pendulum(damping: float = 0.0) -> Mechanism:
    m = Mechanism("pendulum")
    arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
    m.revolute("hip", m.ground, arm, axis="y", damping=damping)
    return m


def oscillator() -> Mechanism:
    """A mass on a spring, driven: x = cos(w t) is exact. A force input, and a state that follows it."""
    m = Mechanism("oscillator")
    block = m.body("block", mass=2.0, inertia=(1.0, 1.0, 1.0))
    m.prismatic("slide", m.ground, block, axis="x", stiffness=8.0)
    push = m.input("push", "N")
    m.joint_law("drive", "slide", push)
    m.state("follower", lambda x: (push - x) / 0.25, initial=0.5, unit="N")
    m.sensor("eye", "position", block)
    m.sensor("gauge", "acceleration", block)
    return m


def swept() -> Mechanism:
    """A mass pushed by sin(3 t), told by the clock."""
    m = Mechanism("swept")
    block = m.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.prismatic("slide", m.ground, block, axis="x")
    m.joint_law("drive", "slide", sin(3.0 * m.time))
    return m


def top() -> Mechanism:
    """A ball joint: four coordinates, three speeds."""
    m = Mechanism("top")
    body = m.body("disc", mass=0.5, com=(0.0, 0.0, 0.1), inertia=(2e-3, 2e-3, 3e-3))
    m.spherical("tip", m.ground, body)
    return m


def weld() -> Mechanism:
    """Nothing moves."""
    m = Mechanism("weld")
    base = m.body("base", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.fixed("foot", m.ground, base)
    m.frame("corner", base, origin=(0.1, 0.2, 0.3))
    m.sensor("eye", "position", "corner")
    return m


def tilted(angle: float) -> list[float]:
    """A quaternion of a turn about x."""
    return [math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0]

"""A top on its point: it precesses and nods instead of falling."""

from __future__ import annotations

import math

from ...mechanism import Mechanism


def build(mass: float = 0.2, height: float = 0.06, tilt: float = 0.5) -> Mechanism:
    """A disc of ``mass`` [kg], its centre ``height`` [m] above the point, leaning by ``tilt`` [rad] at first.

    It stands on a ball: four coordinates (a quaternion) and three speeds (angular velocity along its own
    axes, of which z is the top's).
    """
    m = Mechanism("spinning top")
    radius = 0.05
    along, across = mass * radius**2 / 2, mass * radius**2 / 4
    top = m.body("top", mass=mass, com=(0, 0, height), inertia=(across, across, along))
    m.spherical("point", m.ground, top, initial=[math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0])
    m.sensor("tip", "position", m.frame("tip", top, origin=(0, 0, 2 * height)))
    return m

"""Two rods, one hung from the other: the smallest mechanism whose motion nobody can foresee."""

from __future__ import annotations

from ...mechanism import Mechanism


def build(length: float = 0.5, mass: float = 1.0) -> Mechanism:
    """Two uniform rods of ``length`` [m] and ``mass`` [kg] each, hanging down at rest."""
    m = Mechanism("double pendulum")
    across = mass * length**2 / 12.0
    middle, inertia = (0, 0, -length / 2), (across, across, 0)
    upper = m.body("upper", mass, middle, inertia)
    lower = m.body("lower", mass, middle, inertia)
    m.revolute("shoulder", m.ground, upper, axis="y", initial=[2.2])
    m.revolute("elbow", upper, lower, axis="y", origin=(0, 0, -length), initial=[0.6])
    m.sensor("middle", "position", lower)
    m.sensor("tip", "position", m.frame("tip", lower, origin=(0, 0, -length)))
    return m

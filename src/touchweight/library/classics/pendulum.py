"""A rod that swings about a hinge."""

from __future__ import annotations

from ...mechanism import Mechanism


def build(length: float = 0.5, mass: float = 1.0) -> Mechanism:
    """A uniform rod of ``length`` [m] and ``mass`` [kg], hanging down at rest."""
    m = Mechanism("pendulum")
    across = mass * length**2 / 12.0
    rod = m.body("rod", mass=mass, com=(0, 0, -length / 2), inertia=(across, across, 0))
    m.revolute("hip", m.ground, rod, axis="y", initial=[1.0])
    m.sensor("tip", "position", m.frame("tip", rod, origin=(0, 0, -length)))
    return m

"""A chain of rods, each hung from the one before."""

from __future__ import annotations

import math

from ...mechanism import Mechanism


def build(rods: int = 12, length: float = 1.2, mass: float = 1.2) -> Mechanism:
    """A chain of ``length`` [m] and ``mass`` [kg] in equal ``rods``, hanging down at rest.

    The angle of each hinge is between its two rods, so a straight chain has all angles zero but the first.
    """
    m = Mechanism(f"chain of {rods}")
    piece, weight = length / rods, mass / rods
    across = weight * piece**2 / 12.0
    above = m.ground
    for i in range(1, rods + 1):
        rod = m.body(f"rod{i}", mass=weight, com=(0, 0, -piece / 2), inertia=(across, across, 0))
        place = (0, 0, 0 if i == 1 else -piece)
        m.revolute(f"hinge{i}", above, rod, axis="y", origin=place, initial=[math.pi / 2 if i == 1 else 0.0])
        above = rod
    m.sensor("tip", "position", m.frame("tip", above, origin=(0, 0, -piece)))
    return m

"""A slider-crank: a turning crank pushes a slider to and fro through a rod, as in every engine.

The data are those of the stiff-beam problem of Simeon (Modelling a flexible slider crank mechanism by a mixed system
of DAEs and PDEs, Mathematical Modelling of Systems 2, 1996), here with a rigid rod.
"""

from __future__ import annotations

from ...mechanism import Mechanism
from ...symbolic import Scalar


def build(
    speed: Scalar | None = 150.0,
    start: float = 0.0,
    crank: float = 0.15,
    rod: float = 0.30,
    masses: tuple[float, float, float] = (0.36, 0.151104, 0.075552),
    inertias: tuple[float, float] = (0.002727, 0.0045339259),
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Mechanism:
    """The crank turns about z, the slider moves along x, the rod leans by ``rod`` against the x axis.

    Args:
        speed: of the driven crank [rad/s]; None leaves the crank free.
        start: angle of the crank at first [rad].
        crank: length of the crank [m].
        rod: length of the rod [m].
        masses: of crank, rod and slider [kg]; crank and rod have theirs at half their length.
        inertias: of the crank about its bearing and of the rod about the crank pin, about z [kg m²], as the source
            gives them.
        gravity: [m/s²].
    """
    m = Mechanism("slider-crank", gravity=gravity)
    # moved to the centres of mass
    of_crank = inertias[0] - masses[0] * (crank / 2) ** 2
    of_rod = inertias[1] - masses[1] * (rod / 2) ** 2
    arm = m.body("crank", mass=masses[0], com=(crank / 2, 0, 0), inertia=(0, of_crank, of_crank))
    piston = m.body("slider", mass=masses[2])
    link = m.body("rod", mass=masses[1], com=(-rod / 2, 0, 0), inertia=(0, of_rod, of_rod))
    m.revolute("crank", m.ground, arm, axis="z", initial=[start])
    m.prismatic("slider", m.ground, piston, axis="x", initial=[crank + rod])
    m.revolute("rod", piston, link, axis="z")
    m.cut_pin(
        "pin", m.frame("crank pin", arm, origin=(crank, 0, 0)), m.frame("rod end", link, origin=(-rod, 0, 0)), axis="z"
    )
    if speed is not None:
        rate = m.parameter("speed", speed, "rad/s") if isinstance(speed, int | float) else speed
        m.drive("crank", m.parameter("start", start, "rad") + rate * m.time)
    m.sensor("slider position", "position", piston)
    m.sensor("pin position", "position", "crank pin")
    return m

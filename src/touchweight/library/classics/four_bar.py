"""Four-bar linkages: one window, or many side by side, and all of them flat at once.

The mechanism with many windows is a standard case (problem A02 of the IFToMM library of computational benchmark
problems; González, Dopico, Cuadrado, Kövecses). Where all its rods lie along one line it has as many ways to go on as
it has windows, and none of them can be told from the closure equations alone.
"""

from __future__ import annotations

from ...errors import MechanismError
from ...mechanism import Mechanism
from ...symbolic import Scalar


def build(
    windows: int = 1,
    length: Scalar = 1.0,
    mass: Scalar = 1.0,
    start: float = 0.5,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> Mechanism:
    """``windows`` rhombi in a row: rods hinged to the ground a ``length`` apart, couplers from tip to tip.

    Args:
        windows: how many; there are one more rods than windows, called ``rod0``, ``rod1``, ...
        length: of every rod and coupler [m].
        mass: of every rod and coupler, uniform [kg].
        start: angle of the rods from upright, about y (to the right) [rad].
        gravity: [m/s²].
    """
    if windows < 1:
        raise MechanismError(f"expected at least one window in a linkage, found {windows}; give one or more")
    m = Mechanism("four-bar linkage" if windows == 1 else f"linkage of {windows} windows", gravity=gravity)
    l = m.parameter("length", length, "m", kind="length") if isinstance(length, int | float) else length
    w = m.parameter("mass", mass, "kg", kind="mass", minimum=0.0) if isinstance(mass, int | float) else mass
    across = w * l * l / 12.0
    tips = []
    for i in range(windows + 1):
        rod = m.body(f"rod{i}", mass=w, com=(0, 0, 0.5 * l), inertia=(across, across, 0))
        m.revolute(f"rod{i}", m.ground, rod, axis="y", origin=(i * l, 0, 0), initial=[start])
        tips.append(m.frame(f"tip{i}", rod, origin=(0, 0, l)))
    for i in range(windows):
        coupler = m.body(f"coupler{i}", mass=w, com=(0.5 * l, 0, 0), inertia=(0, across, across))
        m.revolute(f"coupler{i}", f"rod{i}", coupler, axis="y", origin=(0, 0, l), initial=[-start])
        m.cut_pin(f"pin{i + 1}", m.frame(f"end{i}", coupler, origin=(l, 0, 0)), tips[i + 1], axis="y")
    m.sensor("tip", "position", tips[0])
    return m

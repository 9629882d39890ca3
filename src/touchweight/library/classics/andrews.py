"""Andrews' squeezing mechanism: seven bodies in a plane, three loops, one freedom, milliseconds of violent motion.

Data of G. Andrews and M. Ormrod (Advent: a simulation program for constrained planar kinematic and dynamic systems,
ASME 86-DET-97, 1986) as in E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, section VII.7, and
in the Test Set for IVP Solvers (andrews). The angles have the names of these sources.
"""

from __future__ import annotations

from ...mechanism import Mechanism
from ...symbolic import Scalar

#: places on the ground [m]: the crank turns about the origin
A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)

#: mass [kg] and inertia about the centre of mass, about z [kg m²], of the bodies 1 to 7; they are flat
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)

#: closed angles to start from [rad]
START = {
    "beta": -0.0617138900142764496,
    "theta": 0.0,
    "gamma": 0.455279819163070380,
    "phi": 0.222668390165885885,
    "delta": 0.487364979543842550,
    "Omega": -0.222668390165885885,
    "epsilon": 1.23054744454982119,
}


def build(torque: Scalar = 0.033, start: dict[str, float] | None = None) -> Mechanism:
    """The squeezer in the plane of x and y, without gravity.

    Args:
        torque: on the crank [N m]: a number, or an expression.
        start: angles to start from [rad]; those of the sources by default.
    """
    m = Mechanism("Andrews' squeezer", gravity=(0, 0, 0))
    initial = START if start is None else start
    m.joint_law("motor", "beta", m.parameter("torque", torque, "N m") if isinstance(torque, int | float) else torque)

    # name, body it hangs on, place there [m], centre of mass [m]; every angle turns about z
    bodies = (
        ("beta", "ground", (0, 0, 0), (0.00092, 0, 0)),
        ("theta", "beta", (0.007, 0, 0), (-0.0115, 0, 0)),
        ("gamma", "ground", B, (0.01043, -0.01874, 0)),
        ("delta", "ground", A, (0.02308, 0.00916, 0)),
        ("phi", "delta", (0.04, 0, 0), (0, -(0.02 - 0.01421), 0)),
        ("epsilon", "ground", A, (0.01228, -0.00449, 0)),
        ("Omega", "epsilon", (0, -0.04, 0), (0.02 - 0.01421, 0, 0)),
    )
    numbers = {"beta": 0, "theta": 1, "gamma": 2, "phi": 3, "delta": 4, "Omega": 5, "epsilon": 6}
    for name, before, place, com in bodies:
        i = numbers[name]
        body = m.body(name, mass=MASS[i], com=com, inertia=(INERTIA[i] / 2, INERTIA[i] / 2, INERTIA[i]))
        m.revolute(name, before, body, axis="z", origin=place, initial=[initial[name]])

    # the bodies 2, 3, 4 and 6 meet in one point
    meeting = m.frame("E2", "theta", origin=(-0.028, 0, 0))
    m.cut_pin("E3", m.frame("E3", "gamma", origin=(0, -0.035, 0)), meeting, axis="z")
    m.cut_pin("E4", m.frame("E4", "phi", origin=(0, -0.02, 0)), meeting, axis="z")
    m.cut_pin("E6", m.frame("E6", "Omega", origin=(0.02, 0, 0)), meeting, axis="z")

    hook = m.frame("D", "gamma", origin=(0.02, -0.018, 0))
    m.spring("spring", m.frame("C", m.ground, origin=C), hook, stiffness=4530.0, length=0.07785)
    m.sensor("F", "position", m.frame("F", "beta", origin=(0.007, 0, 0)))
    m.sensor("E", "position", meeting)
    return m

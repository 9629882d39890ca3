"""A quarter of a car: the front left corner of a sedan, on a double wishbone suspension."""

from __future__ import annotations

import math

from ...mechanism import Body, Mechanism
from ...symbolic import maximum

Point = tuple[float, float, float]

# Hard points in the frame of the suspension as the source gives them: x forward, y to the left, z up [m].
UPPER_FRONT, UPPER_REAR, UPPER_BALL = (-0.100, 0.470, 0.105), (-0.250, 0.510, 0.110), (-0.040, 0.695, 0.105)
LOWER_FRONT, LOWER_REAR, LOWER_BALL = (0.200, 0.420, -0.270), (-0.200, 0.470, -0.265), (0.000, 0.770, -0.320)
TIE_ROD_INNER, TIE_ROD_OUTER = (-0.200, 0.420, -0.120), (-0.150, 0.770, -0.120)
SHOCK_TOP, SHOCK_BOTTOM = (-0.040, 0.520, 0.230), (0.000, 0.620, -0.270)
WHEEL_CENTRE = (0.0, 0.7979, -0.1199)

# mass [kg], centre of mass [m] and moments of inertia about it [kg m²] along the axes above
UPPER_ARM = (1.032, (-0.1083, 0.5972, 0.1063), (0.00591, 0.00190, 0.00769))
LOWER_ARM = (1.611, (0.0048, 0.6112, -0.2932), (0.0151, 0.0207, 0.0355))
UPRIGHT = (1.397, (-0.0224, 0.7470, -0.1118), (0.0138, 0.0146, 0.00283))
SPINDLE = (1.103, WHEEL_CENTRE, (0.000478, 0.000496, 0.000478))
WHEEL = (13.2, WHEEL_CENTRE, (0.24, 0.42, 0.24))

CAR = 1550.0  # kg, of which this corner carries a quarter

SPRING, SPRING_LENGTH, DAMPER = 5e5, 0.51, 1e4  # N/m, m, N s/m
TYRE_STIFFNESS, TYRE_RADIUS = 280835.0, 0.344  # N/m, m


def build(fixed_chassis: bool = False, tyre: bool = True, damping: float = DAMPER) -> Mechanism:
    """A quarter of the car's body on one wheel; all coordinates are zero in the position of design.

    The body of the car slides up and down (``heave`` [m]). Each arm turns about the line from its front to its rear
    point on the chassis (``upper arm``, ``lower arm`` [rad]). The upright, with the wheel welded to it, hangs on the
    lower arm's ball (``lower ball``); the upper ball is cut; the tie rod (``tie rod``, [N], positive when pressed)
    keeps it from steering: 6 speeds, 4 equations, 2 degrees of freedom. The input ``road`` [m] is the height of the
    road under the wheel. The tyre is a vertical spring that can only push; in the position of design it just touches
    a road of height zero. Sensors: ``wheel`` and ``chassis`` [m], and ``attitude``, the rotation of the upright.

    Hard points, masses, inertias, spring, damper and tyre (radius and vertical stiffness) are those of Project Chrono,
    sedan vehicle model (BSD-3-Clause, https://projectchrono.org); the car weighs 1550 kg.

    Args:
        fixed_chassis: hold the car's body in the position of design, as on a test rig (one degree of freedom).
        tyre: let the wheel stand on the road; without it the wheel hangs in the air.
        damping: of the shock absorber [N s/m].
    """
    m = Mechanism("double wishbone")
    chassis = m.body("chassis", mass=CAR / 4.0)
    place = (0.0, 0.0, TYRE_RADIUS - WHEEL_CENTRE[2])
    if fixed_chassis:
        m.fixed("heave", m.ground, chassis, origin=place)
    else:
        m.prismatic("heave", m.ground, chassis, axis="z", origin=place)
    upper = _body(m, "upper arm", UPPER_ARM, UPPER_FRONT)
    lower = _body(m, "lower arm", LOWER_ARM, LOWER_FRONT)
    upright = _body(m, "upright", UPRIGHT, LOWER_BALL)
    spindle = _body(m, "spindle", SPINDLE, WHEEL_CENTRE)
    wheel = _body(m, "wheel", WHEEL, WHEEL_CENTRE)
    m.revolute("upper arm", chassis, upper, axis=_from(UPPER_FRONT, UPPER_REAR), origin=UPPER_FRONT)
    m.revolute("lower arm", chassis, lower, axis=_from(LOWER_FRONT, LOWER_REAR), origin=LOWER_FRONT)
    m.spherical("lower ball", lower, upright, origin=_from(LOWER_FRONT, LOWER_BALL))
    m.fixed("bearing", upright, spindle, origin=_from(LOWER_BALL, WHEEL_CENTRE))
    m.fixed("hub", spindle, wheel)
    m.cut_ball(
        "upper ball",
        m.frame("upper arm's ball", upper, origin=_from(UPPER_FRONT, UPPER_BALL)),
        m.frame("upright's ball", upright, origin=_from(LOWER_BALL, UPPER_BALL)),
    )
    m.rod(
        "tie rod",
        m.frame("rack", chassis, origin=TIE_ROD_INNER),
        m.frame("steering arm", upright, origin=_from(LOWER_BALL, TIE_ROD_OUTER)),
        math.dist(TIE_ROD_INNER, TIE_ROD_OUTER),
    )
    top = m.frame("shock's top", chassis, origin=SHOCK_TOP)
    bottom = m.frame("shock's bottom", lower, origin=_from(LOWER_FRONT, SHOCK_BOTTOM))
    m.spring("shock", top, bottom, SPRING, SPRING_LENGTH, damping)
    centre = m.sensor("wheel", "position", wheel)
    m.sensor("chassis", "position", chassis)
    m.sensor("attitude", "orientation", upright)
    if tyre:
        road = m.input("road", "m", description="height of the road under the wheel")
        stiffness = m.parameter("tyre.stiffness", TYRE_STIFFNESS, "N/m", minimum=0.0)
        radius = m.parameter("tyre.radius", TYRE_RADIUS, "m", minimum=0.0, kind="length")
        height = centre.symbols[2]
        m.force("tyre", wheel, force=(0, 0, stiffness * maximum(radius - (height - road), 0.0)))
    return m


def _from(a: Point, b: Point) -> Point:
    """The way from one point to another."""
    return (b[0] - a[0], b[1] - a[1], b[2] - a[2])


def _body(m: Mechanism, name: str, what: tuple[float, Point, Point], place: Point) -> Body:
    """A body with its frame at a place, from its mass, centre of mass and inertia."""
    mass, centre, inertia = what
    return m.body(name, mass, _from(place, centre), inertia)

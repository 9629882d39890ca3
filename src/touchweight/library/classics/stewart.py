"""A Stewart platform: a plate on six legs, each of which can be made longer and shorter."""

from __future__ import annotations

import math

from ...mechanism import Mechanism

Point = tuple[float, float, float]

LEGS = 6
GRAVITY = 9.81  # m/s²


def build(
    base_radius: float = 0.50,
    platform_radius: float = 0.30,
    height: float = 0.60,
    gap: float = 0.30,
    platform_mass: float = 20.0,
    cylinder_mass: float = 2.0,
    rod_mass: float = 1.0,
    stiffness: float = 2e4,
    damping: float = 400.0,
) -> Mechanism:
    """A plate on six legs, in the symmetric raised pose, where all coordinates are zero and all loops are closed.

    Every leg is a cylinder on a universal joint (``hip1`` ...), a rod that slides in it (``leg1`` ..., [m], how much
    longer the leg is than in the raised pose) and a ball at the plate. Leg 1 carries the plate through its ball, a
    joint (``ball1``); the other five balls are cut (``ball2`` ...): 21 speeds, 15 equations, 6 degrees of freedom.
    The inputs ``force1`` ... ``force6`` [N] push the legs out; left alone they hold the plate where it is. The sensors
    ``place`` [m] and ``attitude`` (rotation matrix) are the pose of the plate; ``tilt`` is its angular velocity
    [rad/s].

    After D. Stewart, "A platform with six degrees of freedom", Proc. Inst. Mech. Engrs 180 (1965), in the form with
    six legs of V. E. Gough. Dimensions and masses are plausible for a motion platform that stands on a table; they
    are chosen, not measured.

    Args:
        base_radius: of the circle of the hips [m].
        platform_radius: of the circle of the balls [m].
        height: of the plate over the base in the raised pose [m].
        gap: angle between the two hips (and the two balls) that stand close together [rad].
        platform_mass: of a uniform round plate [kg].
        cylinder_mass: of each cylinder, a uniform rod half as long as the raised leg [kg].
        rod_mass: of each rod, likewise [kg].
        stiffness: of a spring in each leg, as of a servo that holds its length [N/m]; with 0 the legs are free.
        damping: viscous friction of each leg [N s/m].
    """
    m = Mechanism("Stewart platform", gravity=(0, 0, -GRAVITY))
    hips = _circle(base_radius, gap, 0.0)
    ring = _circle(platform_radius, gap, -math.pi / 3.0)
    balls = [*ring[1:], ring[0]]  # two hips that stand close together send their legs to different pairs of balls
    flat = platform_mass * platform_radius**2 / 4.0
    first = balls[0]
    # the plate's frame sits at the ball that carries it
    centre = (-first[0], -first[1], 0.0)
    plate = m.body("plate", platform_mass, centre, (flat, flat, 2.0 * flat))
    for i, (hip, ball) in enumerate(zip(hips, balls, strict=True), 1):
        turned, length = _towards(hip, (ball[0], ball[1], height))
        half = length / 2.0
        across, slim = half**2 / 12.0, 0.02**2 / 2.0
        cylinder = m.body(
            f"cylinder{i}",
            cylinder_mass,
            (0, 0, half / 2),
            (cylinder_mass * across, cylinder_mass * across, cylinder_mass * slim),
        )
        rod = m.body(f"rod{i}", rod_mass, (0, 0, -half / 2), (rod_mass * across, rod_mass * across, rod_mass * slim))
        m.universal(f"hip{i}", m.ground, cylinder, axis="x", axis2="y", origin=hip, rotation=turned)
        m.prismatic(f"leg{i}", cylinder, rod, axis="z", origin=(0, 0, length), stiffness=stiffness, damping=damping)
        m.actuator(f"force{i}", f"leg{i}")
        m.inputs[f"force{i}"].value = _holding_force(height, length, platform_mass, cylinder_mass, rod_mass)
        if i == 1:
            m.spherical("ball1", rod, plate, rotation=list(zip(*turned, strict=True)))
        else:
            corner = m.frame(f"corner{i}", plate, origin=(ball[0] - first[0], ball[1] - first[1], 0.0))
            m.cut_ball(f"ball{i}", rod, corner)
    middle = m.frame("middle", plate, origin=centre)
    m.sensor("place", "position", middle)
    m.sensor("attitude", "orientation", middle)
    m.sensor("tilt", "angular_velocity", middle)
    return m


def _circle(radius: float, gap: float, turn: float) -> list[Point]:
    """Six points on a circle, in three pairs ``gap`` [rad] apart, anticlockwise."""
    angles = [turn + k * 2.0 * math.pi / 3.0 + side * gap / 2.0 for k in range(3) for side in (-1.0, 1.0)]
    return [(radius * math.cos(a), radius * math.sin(a), 0.0) for a in angles]


def _towards(start: Point, end: Point) -> tuple[list[list[float]], float]:
    """A rotation whose z points from ``start`` to ``end`` and whose x is level; and their distance [m]."""
    d = [b - a for a, b in zip(start, end, strict=True)]
    length, level = math.hypot(*d), math.hypot(d[0], d[1])
    u, v, w = (c / length for c in d)
    x = (-d[1] / level, d[0] / level, 0.0)
    y = (-w * x[1], w * x[0], u * x[1] - v * x[0])
    return [[x[0], y[0], u], [x[1], y[1], v], [x[2], y[2], w]], length


def _holding_force(height: float, length: float, platform_mass: float, cylinder_mass: float, rod_mass: float) -> float:
    """What each leg has to push [N] so that the plate stands, by virtual work: the plate rises, the legs turn."""
    turning = (1.0 - (height / length) ** 2) / 4.0
    lifted = platform_mass / LEGS + cylinder_mass * turning + rod_mass * (1.0 - turning)
    return lifted * GRAVITY * length / height

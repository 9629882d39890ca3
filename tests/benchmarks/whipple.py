"""The bicycle of F. J. W. Whipple, with the data of the benchmark.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer of a
bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007) 1955-1982, Table 1. There z points down; here it points up
and y to the left, so the products of inertia change their sign.
"""

import math

import touchweight as tw
from touchweight.symbolic import sqrt

WHEELBASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10
REAR, FRONT = 0.3, 0.35  # radii of the wheels [m]


def build():
    """Rear frame with rider, fork, two thin wheels that touch the ground and roll without slipping."""
    m = tw.Mechanism("bicycle", gravity=(0, 0, -9.81))
    # the rear frame turns about the centre of the rear wheel: yaw, lean, pitch
    before = m.ground
    steps = (("x", "prismatic", "x"), ("y", "prismatic", "y"), ("z", "prismatic", "z"), ("yaw", "revolute", "z"))
    for name, kind, axis in (*steps, ("lean", "revolute", "x")):
        carrier = m.body(f"{name} carrier")
        m.joint(name, kind, before, carrier, axis=axis, initial=[REAR if name == "z" else 0.0])
        before = carrier
    frame = m.body("frame", mass=85.0, com=(0.3, 0, 0.9 - REAR), inertia=(9.2, 11.0, 2.8, 0, -2.4, 0))
    m.revolute("pitch", before, frame, axis="y")
    # the steering axis meets the ground a trail ahead of the front contact; the fork's frame sits on it
    head = (WHEELBASE + TRAIL - FRONT * math.tan(TILT), FRONT)
    fork = m.body(
        "fork", mass=4.0, com=(0.9 - head[0], 0, 0.7 - head[1]), inertia=(0.05892, 0.06, 0.00708, 0, 0.00756, 0)
    )
    m.revolute("steer", frame, fork, axis=(-math.sin(TILT), 0, math.cos(TILT)), origin=(head[0], 0, head[1] - REAR))
    rear = m.body("rear wheel", mass=2.0, inertia=(0.0603, 0.12, 0.0603))
    front = m.body("front wheel", mass=3.0, inertia=(0.1405, 0.28, 0.1405))
    m.revolute("rear", frame, rear, axis="y")
    m.revolute("front", fork, front, axis="y", origin=(WHEELBASE - head[0], 0, FRONT - head[1]))
    rolls(m, "rear", frame, rear, REAR)
    rolls(m, "front", fork, front, FRONT)
    return m


def rolls(m, name, carrier, wheel, radius):
    """A thin wheel on the ground: its lowest point touches, and does not slip."""
    at = m.sensor(f"{name} centre", "position", wheel).symbols
    velocity = m.sensor(f"{name} velocity", "velocity", wheel).symbols
    turning = m.sensor(f"{name} turning", "angular_velocity", wheel).symbols
    axes = m.sensor(f"{name} axes", "orientation", carrier).symbols
    axle = (axes[1], axes[4], axes[7])
    upright = sqrt(1.0 - axle[2] * axle[2])
    # from the centre to the lowest point
    arm = [-radius * ((k == 2) - axle[2] * axle[k]) / upright for k in range(3)]
    m.constraint(f"{name} contact", at[2] - radius * upright)
    m.speed_constraint(f"{name} along", velocity[0] + turning[1] * arm[2] - turning[2] * arm[1])
    m.speed_constraint(f"{name} across", velocity[1] + turning[2] * arm[0] - turning[0] * arm[2])

"""A ball that bounces on a floor, ever lower, and comes to rest: infinitely many bounces in a finite time."""

from __future__ import annotations

from ...mechanism import Mechanism


def build(mass: float = 0.1, radius: float = 0.05, restitution: float = 0.8, height: float = 1.0) -> Mechanism:
    """A ball over a floor.

    Its one coordinate ``height`` [m] is that of its lowest point. Let go from a height h at rest, it first hits the
    floor at t0 = sqrt(2 h / g). Every bounce multiplies its speed by the restitution e, so that it rests at
    t0 (1 + e) / (1 - e), in the mode ``bounce.rest``, where ``force.bounce.contact`` is its weight [N].

    The textbook example of a Zeno system; Gillespie and Cutkosky, "Interactive dynamics with haptic display" (1996),
    let people feel "virtual bouncing rubber balls".

    Args:
        mass: of the ball [kg].
        radius: of the ball [m].
        restitution: e, speed after a bounce over speed before; live as ``bounce.restitution``. With 0 it drops dead.
        height: where it starts [m].
    """
    m = Mechanism("bouncing ball")
    about = 0.4 * mass * radius**2
    ball = m.body("ball", mass=mass, com=(0, 0, radius), inertia=(about, about, about))
    m.prismatic("height", m.ground, ball, axis="z", initial=[height])
    m.mode("flight")
    m.transition("bounce", "flight", "flight", m.q("height"), restitution=restitution, rest=True)
    m.sensor("middle", "position", m.frame("middle", ball, origin=(0, 0, radius)))
    return m

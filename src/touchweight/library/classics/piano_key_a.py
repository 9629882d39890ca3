"""A piano key that throws a hammer: rigid key, rigid hammer (Gillespie and Cutkosky's model A)."""

from __future__ import annotations

from ...mechanism import Mechanism
from ...symbolic import Expr, cos, sin

# table 2 of the paper: m, kg
L1, L2, L3, L4, M1, M2 = 4.0, 10.0, 1.0, 0.5, 6.5, 0.01

#: angle of the hammer at which it strikes the string [rad]; the paper leaves it open
STRING = 0.5

#: a motion of the hand as the paper tells it: (start [s], duration [s], how far [rad]) of each move
MOVES = (
    (0.30, 0.15, 0.396),  # throws the hammer
    (0.60, 0.40, -0.246),  # goes to meet it
    (1.06, 0.15, 0.360),  # throws it against the string
    (1.22, 0.20, -0.110),
    (1.50, 0.20, -0.200),  # gives way under it
)


def build() -> Mechanism:
    """A key in somebody's hand and a hammer that rests on it or flies.

    B. Gillespie and M. Cutkosky, "Interactive dynamics with haptic display", ASME Int. Mech. Eng. Congress, Symposium
    on Haptic Interfaces (1996), model A. The key K turns about P1, the hammer H about P2; ``key`` and ``hammer`` [rad]
    are their angles over the horizontal. The hand moves the key: feed the drive ``key`` with its motion;
    ``force.key`` [N m] is what the hand has to do, F_KU.

    Mode ``coupled``: a slider S turns on the key and slides along the hammer (constraint ``slider``), nothing is left
    free to move. ``force.slider`` [N] is F_KH, positive when key and hammer press on each other; where it falls to
    zero the hammer takes off (``throw``). Mode ``flight``: the hammer swings freely. Where the key's point S meets the
    hammer's line it is caught (``catch``, without a bounce: from then on it moves with the key); where it reaches the
    string its speed is reversed (``string``).

    Figure 4 of the paper, which would say what L1 to L4 and M1, M2 are, is not in its text. Index 1 belongs to the
    hammer there (its angle is q1), index 2 to the key, so M1 is the hammer and M2 the key: a heavy hammer on a light
    key, whose weight the hand feels. The lengths are read as below, with which the springs of model B sag and swing
    as the paper tells. Units are those of its table 2, of a machine of many metres.

    Live parameters: ``L1`` from P1 to S on the key, ``L2`` from P1 to P2 along the floor, ``L3`` from P1 up to the
    height of P2, ``L4`` from P2 to the hammer's mass centre H* [m]; ``M1`` of the hammer, all of it in H*, ``M2`` of
    the key, a uniform rod from P1 to S [kg]; ``string.angle`` [rad]; ``string.restitution``.
    """
    m = Mechanism("piano key A")
    gap = key_and_hammer(m)
    m.drive("key")
    m.constraint("slider", gap)
    m.mode("coupled", active=("slider",))
    m.mode("flight")
    m.transition("throw", "coupled", "flight", m.reaction("slider"))
    m.transition("catch", "flight", "coupled", gap)
    add_string(m)
    return m


def key_and_hammer(m: Mechanism, key: float = 0.0, hammer: float = -0.165148677415) -> Expr:
    """Add key and hammer, at these angles [rad]; returns how far the hammer's line is above the key's point S [m]."""
    l1 = m.parameter("L1", L1, "m", minimum=0.0, kind="length", description="from P1 to S on the key")
    l2 = m.parameter("L2", L2, "m", minimum=0.0, kind="length", description="from P1 to P2, level")
    l3 = m.parameter("L3", L3, "m", kind="length", description="from P1 up to the height of P2")
    l4 = m.parameter("L4", L4, "m", minimum=0.0, kind="length", description="from P2 to the hammer's mass centre")
    m1 = m.parameter("M1", M1, "kg", minimum=0.0, kind="mass", description="mass of the hammer")
    m2 = m.parameter("M2", M2, "kg", minimum=0.0, kind="mass", description="mass of the key")
    across = m2 * l1 * l1 * (1.0 / 12.0)
    lever = m.body("key", m2, (0.5 * l1, 0.0, 0.0), (0.0, across, across))
    club = m.body("hammer", m1, (-l4, 0.0, 0.0))
    m.revolute("key", m.ground, lever, axis="-y", initial=[key])
    m.revolute("hammer", m.ground, club, axis="y", origin=(l2, 0.0, l3), initial=[hammer])
    m.sensor("S", "position", m.frame("S", lever, origin=(l1, 0.0, 0.0)))
    m.sensor("head", "position", m.frame("head", club, origin=(-l2, 0.0, 0.0)))
    s, h = m.q("key"), m.q("hammer")
    return cos(h) * (l3 - l1 * sin(s)) + sin(h) * (l2 - l1 * cos(s))


def add_string(m: Mechanism) -> None:
    """The string, which throws the flying hammer back."""
    angle = m.parameter("string.angle", STRING, "rad", description="of the hammer when it strikes the string")
    m.transition("string", "flight", "flight", angle - m.q("hammer"), restitution=1.0)


def hand(t: float) -> tuple[float, float, float]:
    """Where the hand is [rad], how fast and with what acceleration, at a time [s]: smooth moves, see :data:`MOVES`."""
    s = v = a = 0.0
    for start, duration, far in MOVES:
        x = min(max((t - start) / duration, 0.0), 1.0)
        s += far * x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
        v += far / duration * 30.0 * x * x * (1.0 - x) ** 2
        a += far / duration**2 * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
    return s, v, a

"""A piano key that throws a hammer, with a spring wherever a force is wanted (Gillespie and Cutkosky's model B)."""

from __future__ import annotations

from ...mechanism import Mechanism
from ...symbolic import cos, differentiate
from .piano_key_a import add_string, key_and_hammer
from .piano_key_a import hand as hand

K1, K2 = 620.0, 15.0  # N m/rad and N/m, table 2 of the paper

#: moment of inertia of the manipulandum [kg m²]: none to speak of, for it is real and no part of what it displays
NONE = 1e-6


def build() -> Mechanism:
    """A key on a spring in somebody's hand, and a hammer that rests on a spring on the key or flies.

    B. Gillespie and M. Cutkosky, "Interactive dynamics with haptic display" (1996), model B; key, hammer, string and
    lengths are those of :mod:`.piano_key_a`, and so is :func:`hand`. The hand moves the manipulandum M: feed the drive
    ``manipulandum`` with its motion s [rad]. A torsional spring k1 takes it to the key; ``force.manipulandum`` [N m] is
    what the hand has to do, F_KU = k1 (s - key), for M has no inertia to speak of.

    Mode ``coupled``: a spring k2, always square to the key, holds the slider S that slides along the hammer. Its
    compression q4 is the distance from the key's point to the hammer's line, square to the key; F_KH = k2 q4 is
    positive when it is pressed, and where it falls to zero the hammer takes off (``throw``). Mode ``flight``: the
    hammer swings freely until it meets the key's point again (``catch``) or the string (``string``). Both guards start
    from zero where their mode is entered, as the paper says of its indicator functions.

    Table 1 of the paper calls the coordinate of the flying hammer q1 in model A, q2 in model B, and that of the key q1;
    equation 15 has s - q2 for the spring k1, so that q2 is the key's. We take it to be as in equation 15 and in model A
    throughout: q1 is ``hammer``, q2 is ``key``. Table 2 gives k1 in N/m; a torsional spring has N m/rad.

    Live parameters: those of model A, ``k1`` [N m/rad] and ``k2`` [N/m]. The start is at rest under the hammer's
    weight with the hand at zero.
    """
    m = Mechanism("piano key B")
    m.revolute("manipulandum", m.ground, m.body("manipulandum", inertia=(NONE, NONE, NONE)), axis="-y")
    gap = key_and_hammer(m, key=-0.030829300637, hammer=-0.235970624903)
    m.drive("manipulandum")
    s, key, hammer = m.q("manipulandum"), m.q("key"), m.q("hammer")
    k1 = m.parameter("k1", K1, "N m/rad", minimum=0.0, description="spring between manipulandum and key")
    k2 = m.parameter("k2", K2, "N/m", minimum=0.0, description="spring between key and slider")
    q4 = -gap / cos(key + hammer)
    stored = 0.5 * k2 * q4 * q4
    m.joint_law("k1.manipulandum", "manipulandum", -k1 * (s - key))
    m.joint_law("k1.key", "key", k1 * (s - key)).potential = 0.5 * k1 * (s - key) ** 2
    m.joint_law("k2.hammer", "hammer", -differentiate(stored, hammer))
    m.joint_law("k2.key", "key", -differentiate(stored, key)).potential = stored
    m.mode("coupled", active=("k2.hammer", "k2.key"))
    m.mode("flight")
    m.transition("throw", "coupled", "flight", k2 * q4)
    m.transition("catch", "flight", "coupled", gap)
    add_string(m)
    return m

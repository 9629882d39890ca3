"""A piano key that throws a hammer, with a spring wherever a force is wanted (Gillespie and Cutkosky's model B)."""

from __future__ import annotations

from ...mechanism import Mechanism
from ...symbolic import cos, differentiate
from .piano_key_a import add_string, key_and_hammer

K1, K2 = 620.0, 15.0  # N m/rad and N/m, table 2 of the paper

#: moment of inertia of the manipulandum [kg m²]: none to speak of, the real one is in the machine, not in the model
NONE = 1e-6


def build() -> Mechanism:
    """x"""
    m = Mechanism("piano key B")
    grip = m.body("manipulandum", inertia=(NONE, NONE, NONE))
    m.revolute("manipulandum", m.ground, grip, axis="-y")
    m.drive("manipulandum")
    gap = key_and_hammer(m)
    m.mode("coupled", active=("k2.key", "k2.hammer"))
    m.mode("flight")
    k1 = m.parameter("k1", K1, "N m/rad", minimum=0.0, description="torsional spring from the manipulandum to the key")
    k2 = m.parameter("k2", K2, "N/m", minimum=0.0, description="spring from the key to the slider")
    q4 = -gap / cos(m.q("key") + m.q("hammer"))
    for name, owners, energy in (
        ("k1", ("manipulandum", "key"), 0.5 * k1 * (m.q("manipulandum") - m.q("key")) ** 2),
        ("k2", ("hammer", "key"), 0.5 * k2 * q4 * q4),
    ):
        for owner in owners:
            m.joint_law(f"{name}.{owner}", owner, -differentiate(energy, m.q(owner)))
        m.forces[f"{name}.key"].potential = energy
    m.transition("throw", "coupled", "flight", k2 * q4)
    m.transition("catch", "flight", "coupled", gap)
    add_string(m)
    return m

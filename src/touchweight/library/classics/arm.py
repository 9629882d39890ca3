"""A robot arm of six joints with a servo on each."""

from __future__ import annotations

from ...mechanism import Limits, Mechanism
from ...symbolic import Expr

# name of the joint, axis, where it sits on the link before [m], its range and largest torque
JOINTS = (
    ("base", "z", (0, 0, 0.15), Limits(-2.9, 2.9, effort=150.0)),
    ("shoulder", "y", (0, 0, 0.10), Limits(-1.9, 1.9, effort=150.0)),
    ("elbow", "y", (0, 0, 0.42), Limits(-2.5, 2.5, effort=100.0)),
    ("roll", "z", (0, 0, 0.12), Limits(-2.9, 2.9, effort=30.0)),
    ("wrist", "y", (0, 0, 0.26), Limits(-2.0, 2.0, effort=30.0)),
    ("flange", "z", (0, 0, 0.09), Limits(-6.2, 6.2, effort=15.0)),
)

# name of the link that each joint carries, its mass [kg], centre of mass [m] and inertia [kg m²]; then
# inertia of its drive as seen at the joint [kg m²] and stiffness of its servo [N m/rad]
LINKS = (
    ("turret", 4.0, (0, 0.01, 0.05), (0.020, 0.019, 0.012), 0.4, 4000.0),
    ("upper arm", 7.5, (0, 0.06, 0.19), (0.170, 0.165, 0.020), 0.4, 4000.0),
    ("forearm", 3.2, (0, -0.02, 0.05), (0.015, 0.014, 0.006), 0.3, 2500.0),
    ("sleeve", 2.2, (0, 0, 0.14), (0.018, 0.018, 0.003), 0.08, 400.0),
    ("hand", 1.3, (0, 0.01, 0.04), (0.003, 0.003, 0.001), 0.08, 300.0),
    ("tool", 0.6, (0, 0, 0.05), (0.001, 0.001, 0.0004), 0.03, 50.0),
)


def servo(q: Expr, v: Expr, *, target: Expr, stiffness: Expr, damping: Expr) -> Expr:
    """Torque [N m] that pulls the angle ``q`` [rad] towards ``target``."""
    return stiffness * (target - q) - damping * v


def build(servos: bool = True) -> Mechanism:
    """The arm, upright at rest; without ``servos`` it is a chain of links that falls."""
    m = Mechanism("robot arm")
    before = m.ground
    for (joint, axis, place, limits), (name, mass, com, inertia, drive, k) in zip(JOINTS, LINKS, strict=True):
        link = m.body(name, mass=mass, com=com, inertia=inertia)
        m.revolute(joint, before, link, axis=axis, origin=place, limits=limits, damping=0.5, armature=drive)
        if servos:
            target = m.input(f"{joint}.target", "rad")
            m.joint_law(f"{joint}.servo", joint, servo, target=target, stiffness=k, damping=0.05 * k)
        before = link
    m.sensor("tip", "position", m.frame("tip", before, origin=(0, 0, 0.12)))
    return m

"""Mechanisms with loops, constraints, drives and modes, for the tests of descriptions."""

from __future__ import annotations

from touchweight.mechanism import Frame, Mechanism
from touchweight.symbolic import const, cos, select, sin


def four_bar() -> Mechanism:
    """Crank, coupler and rocker in the plane y = 0; the loop is cut at the knuckle."""
    m = Mechanism("four-bar")
    for name, parent, origin in (
        ("crank", "ground", (0, 0, 0)),
        ("coupler", "crank", (0, 0, 0.1)),
        ("rocker", "ground", (0.3, 0, 0)),
    ):
        m.body(name, mass=0.5, com=(0, 0, 0.1), inertia=(0.002, 0.002, 0.001))
        m.revolute(name, parent, name, axis="y", origin=origin)
    m.frame("coupler tip", "coupler", (0, 0, 0.3))
    m.frame("rocker tip", "rocker", (0, 0, 0.2))
    m.cut_pin("knuckle", "coupler tip", "rocker tip", axis="y")
    return m


def driven() -> Mechanism:
    """A drive with its motion in the file, one from outside, one from inputs of its own."""
    m = four_bar()
    speed = m.parameter("speed", 2.0, "rad/s")
    m.drive("crank", 0.3 * sin(speed * m.time))
    m.input("push", "N")
    m.drive("rocker")
    m.inputs["rocker.position"].value = 0.25  # no longer what drive() makes
    m.drive("coupler")
    return m


def cuts() -> Mechanism:
    """Every kind of cut, on frames with a name and without."""
    m = four_bar()
    loose = Frame("here", m.bodies["rocker"], (m.parameter("reach", 0.2), const(0.1), m.ground.com[0]))
    m.cut_body("weld", "coupler", loose)
    m.cut_hinge("hinge", "coupler tip", m.ground, axis=(1, 2, 3))
    m.cut_ball("ball", m.bodies["crank"], "rocker tip")
    m.rod("rod", "crank", "rocker", 0.3)
    m.rod("live rod", "ground", "coupler tip", 2 * m.parameters["reach"].symbol)
    m.loop("odd", "ball", "crank", "rocker", axis="-x", length=0.7)
    m.parameters["rod.length"].maximum = 0.5
    return m


def equations() -> Mechanism:
    """Couplings and equations, in an order of their own among the cuts."""
    m = four_bar()
    m.body("carriage", mass=1.0)
    m.prismatic("slide", m.ground, "carriage", axis="x")
    place = m.sensor("place", "position", "coupler tip")
    rate = m.sensor("rate", "velocity", "coupler tip")
    k = m.parameter("k", 0.5)
    m.gear("plain gear", "crank", "rocker", -2.0)
    m.gear("offset gear", "rocker", "coupler", 3.0, offset=0.1)
    m.cut_ball("late", "coupler tip", "rocker")
    m.gear("live gear", "crank", "coupler", k, offset=0.2)
    m.gear("odd gear", "crank", "coupler", 1.5, offset=k * 2)
    m.gear("no gear", "crank", "coupler", 0.0)
    m.rack("rack", "crank", "slide", 0.02)
    m.screw("screw", "crank", "slide", 0.005)
    m.parameters["screw.pitch"].description = "per turn"
    m.constraint("follow", m.q("slide") - k * sin(m.q("crank")) - m.time * 0.1)
    m.constraint("height", place.symbols[2] - 0.3)
    m.constraint("by hand", m.q("slide") - 3 * m.q("crank") - 0.5)
    m.speed_constraint("roll", m.v("slide") - k * cos(m.q("crank")) * m.v("crank"))
    m.speed_constraint("skate", rate.symbols[0] * sin(m.q("crank")) - rate.symbols[2])
    return m


def switching() -> Mechanism:
    """Modes and transitions with guards on positions, speeds, states, inputs and forces."""
    m = driven()
    finger = m.input("finger", "N")
    lag = m.state("lag", lambda x: (finger - x) / 0.01)
    m.joint_law("felt", "rocker", -50 * m.q("rocker"))
    e = m.parameter("bounce", 0.4)
    m.mode("free")
    m.mode("held", active=["knuckle", "felt"], locked=["rocker"])
    m.mode("driven", active=["crank", "coupler", "rocker"])
    m.transition("catch", "free", "held", 0.3 - m.q("rocker"), restitution=0.5, rest="driven")
    m.transition("dead", "free", "driven", m.q("rocker") + 1, restitution=0)
    m.transition("live", "free", "driven", m.q("rocker") + 2, restitution=e / 2, reset={"v.rocker": 0, "lag": lag * e})
    m.transition("slip", "held", "free", 5 - m.reaction("knuckle.1") ** 2 - m.reaction("crank"))
    m.transition("again", "driven", "driven", select(lag < 1, 1 - m.time, m.v("crank") * finger))
    m.transition("jump", "driven", "free", 1.0 - lag, reset={"q.rocker": m.q("rocker") - 1, "v.crank": -m.v("crank")})
    return m


def bouncing() -> Mechanism:
    """A ball that bounces until it rests."""
    m = Mechanism("ball")
    m.prismatic("height", m.ground, m.body("ball", mass=0.1), axis="z")
    m.mode("flying")
    m.transition("floor", "flying", "flying", m.q("height"), restitution=0.8, rest=True)
    return m

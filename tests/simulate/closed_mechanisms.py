"""Closed, driven and switching mechanisms to test laws on."""

from __future__ import annotations

from touchweight.mechanism import Body, Mechanism
from touchweight.symbolic import cos, sin


def rod_body(m: Mechanism, name: str, length: float, mass: float = 1.0) -> Body:
    """A slender rod along x."""
    j = mass * length**2 / 12
    return m.body(name, mass=mass, com=(length / 2, 0, 0), inertia=(1e-3 * j, j, j))


def four_bar(
    cut: str = "pin",
    lengths: tuple[float, float, float, float] = (0.4, 0.9, 0.7, 0.8),
    damping: float = 0.0,
    initial: tuple[float, float, float] = (-1.0, 0.8, -1.6),
) -> Mechanism:
    """Crank, coupler and rocker in the plane y = 0; the loop is cut at the knuckle."""
    a, b, c, base = lengths
    m = Mechanism(f"four-bar cut by {cut}")
    crank, coupler, rocker = rod_body(m, "crank", a), rod_body(m, "coupler", b), rod_body(m, "rocker", c)
    m.revolute("crank", m.ground, crank, axis="y", initial=[initial[0]])
    m.revolute("coupler", crank, coupler, axis="y", origin=(a, 0, 0), initial=[initial[1]], damping=damping)
    m.revolute("rocker", m.ground, rocker, axis="y", origin=(base, 0, 0), initial=[initial[2]])
    tip = m.frame("coupler tip", coupler, (b, 0, 0))
    top = m.frame("rocker tip", rocker, (c, 0, 0))
    if cut == "rod":
        # the coupler as a rod without mass: its own body hangs along
        m.rod("knuckle", m.frame("crank tip", crank, (a, 0, 0)), top, b)
        m.rod("tie", tip, top, 0.3)
    elif cut == "body":
        # the rocker cut in two halves
        other = m.body("half", mass=0.2, com=(0, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
        m.revolute("half", coupler, other, axis="y", origin=(b, 0, 0))
        m.cut_body("knuckle", m.frame("half side", other), top)
    else:
        m.loop("knuckle", cut, tip, top, axis="y")
    return m


def slider_crank(crank: float = 0.3, rod: float = 0.8, live: bool = False) -> Mechanism:
    m = Mechanism("slider-crank")
    first, second = rod_body(m, "crank", crank), rod_body(m, "rod", rod)
    block = m.body("block", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    m.revolute("crank", m.ground, first, axis="y", initial=[-0.6])
    m.revolute("rod", first, second, axis="y", origin=(crank, 0, 0), initial=[0.9])
    m.prismatic("slide", m.ground, block, axis="x", initial=[crank + rod - 0.1])
    m.cut_pin("pin", m.frame("rod tip", second, (rod, 0, 0)), block, axis="y")
    if live:
        m.drive("slide")
    return m


def spatial() -> Mechanism:
    """Two cranks about different axes, joined by a rod on balls (RSSR), whose spin stays free."""
    m = Mechanism("spatial linkage")
    first, second = rod_body(m, "first", 0.3), rod_body(m, "second", 0.5)
    link = m.body("link", mass=0.8, com=(0.45, 0.01, 0.02), inertia=(0.01, 0.05, 0.06))
    m.revolute("first", m.ground, first, axis="y", initial=[0.4])
    m.spherical("ball", first, link, origin=(0.3, 0, 0))
    m.revolute("second", m.ground, second, axis="x", origin=(0.9, 0.1, 0.0), rotation=(0, 0, 1.2), initial=[0.7])
    m.cut_ball("socket", m.frame("link tip", link, (0.9, 0, 0)), m.frame("second tip", second, (0.3, 0.4, 0.0)))
    return m


def rolling_disc() -> Mechanism:
    """A thin disc of radius 0.3 m that rolls upright or leaning on the plane, in a free joint: three rows on speeds."""
    m = Mechanism("rolling disc")
    disc = m.body("disc", mass=2.0, inertia=(0.045, 0.09, 0.045))
    m.free("f", disc, initial=[0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
    turn = m.sensor("turn", "orientation", disc)
    move = m.sensor("move", "velocity", disc)
    spin = m.sensor("spin", "angular_velocity", disc)
    # the lowest point lies from the centre along -z, made square to the axle n = turn's y column
    n = [turn.symbols[1], turn.symbols[4], turn.symbols[7]]
    down = [n[2] * n[0], n[2] * n[1], n[2] * n[2] - 1.0]
    size = (1.0 - n[2] * n[2]) ** 0.5
    r = [0.3 * d / size for d in down]
    w, v = spin.symbols, move.symbols
    m.constraint("height", m.q(m.joints["f"].coordinates[2]) + r[2])
    m.speed_constraint("slip.x", v[0] + w[1] * r[2] - w[2] * r[1])
    m.speed_constraint("slip.y", v[1] + w[2] * r[0] - w[0] * r[2])
    return m


def skate() -> Mechanism:
    """A sled on a knife edge that turns all the way round: no speed can always be the dependent one."""
    m = Mechanism("skate", gravity=(0, 0, 0))
    sled = m.body("sled", mass=1.5, inertia=(0.1, 0.1, 0.2))
    m.planar("ice", m.ground, sled, axis="z")
    x, y, _turn = (m.v(c) for c in m.joints["ice"].coordinates)
    angle = m.q(m.joints["ice"].coordinates[2])
    m.speed_constraint("edge", cos(angle) * y - sin(angle) * x)
    return m


def lagging() -> Mechanism:
    """A four-bar with what depends on dependent coordinates: damping, a spring, a state that pulls, an input, time."""
    m = four_bar(damping=0.3)
    push = m.input("push", "N m")
    lag = m.state("lag", lambda x: (push + 2.0 * m.v("rocker") - x + sin(m.q("coupler"))) / 0.05, initial=0.2)
    m.joint_law("motor", "rocker", lag - 3.0 * m.q("rocker") - 0.4 * m.v("rocker"))
    m.joint_law("clock", "coupler", 0.5 * sin(4.0 * m.time))
    return m


def sliding_wall() -> Mechanism:
    """A four-bar whose rocker tip is dragged by a constraint with time, through a sensor."""
    m = four_bar()
    eye = m.sensor("eye", "position", "rocker tip")
    wall = m.body("wall", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.prismatic("wall", m.ground, wall, axis="z", initial=[0.7])
    m.constraint("touch", eye.symbols[2] - m.q("wall") - 0.05 * sin(3.0 * m.time))
    return m


def driven() -> Mechanism:
    m = four_bar()
    m.drive("crank", -1.0 + 2.0 * m.time + 0.3 * m.time**2)
    return m


def redundant() -> Mechanism:
    """The planar four-bar held by a hinge in space: three of five rows say nothing new."""
    return four_bar("hinge")

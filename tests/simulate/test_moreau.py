"""The non-smooth method on one body in the plane, against closed forms and published numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from touching import G, Watched, flat, watch

import touchweight as tw
from touchweight.mechanism import Mechanism


def ball(restitution: float, drop: float = 1.0) -> Mechanism:
    m = Mechanism("ball")
    body = flat(m, "b", 1.0, 0.1, (0.0, 0.1 + drop))
    m.circle("disc", body, (0, 0, 0), 0.1)
    m.line("floor", m.ground, (0, 0, 0))
    m.contact("hit", "disc", "floor", tw.rigid(restitution))
    return m


# -- impacts ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_bouncing_ball(e: float) -> None:
    """Bounces at t0 (1 + 2 e + 2 e² ...) with t0 = sqrt(2 h/g), to first order in the step."""
    first = math.sqrt(2.0 / G)
    errors = []
    for dt in (1e-3, 1e-4):
        run = watch(ball(e), 1.6, dt)
        v = run.v["b.z"]
        bounces = np.flatnonzero(np.diff(v) > 0.5)
        times = run.t[bounces[:2]] + 0.5 * dt
        assert v[bounces + 1] == pytest.approx(-e * v[bounces], rel=1e-9, abs=1.01 * G * dt)
        assert times[0] == pytest.approx(first, abs=2 * dt)
        errors.append(abs(times[1] - first * (1 + 2 * e)))
        assert errors[-1] < 6 * dt
        assert run.q["b.z"].min() > 0.1 - 5.0 * dt


def test_a_ball_comes_to_rest_and_presses_with_its_weight() -> None:
    run = watch(ball(0.5), 2.5, 1e-3)
    rest = math.sqrt(2.0 / G) * 3.0  # all bounces of e = 1/2 end then
    late = run.t > rest + 0.01
    assert np.abs(run.v["b.z"][late]).max() < 1e-9
    assert run.force["hit"][late] == pytest.approx(G, rel=1e-6)
    assert abs(run.q["b.z"][-1] - 0.1) < 1e-4


def test_a_ball_that_loses_all_sinks_in_by_no_more_than_a_step() -> None:
    run = watch(ball(0.0), 1.0, 1e-3)
    assert run.q["b.z"].min() > 0.1 - math.sqrt(2 * G) * 1e-3
    assert np.ptp(run.q["b.z"][run.t > 0.5]) < 1e-9


@pytest.mark.parametrize("e", [0.0, 0.8, 1.0])
def test_a_cradle_takes_all_its_impacts_at_once(e: float) -> None:
    """Five balls, four of which touch. Newton's law holds for all pairs at once, as if the four were one body.

    A real cradle passes the impact on from ball to ball, so that the last one leaves alone.
    """
    m = Mechanism("cradle", gravity=(0, 0, 0))
    for i in range(5):
        m.prismatic(f"x{i}", m.ground, m.body(f"b{i}", mass=1.0), axis="x", origin=(0.2 * i, 0, 0))
        m.circle(f"c{i}", f"b{i}", (0, 0, 0), 0.1)
    for i in range(4):
        m.contact(f"hit{i}", f"c{i + 1}", f"c{i}", tw.rigid(e))
    run = watch(m, 0.2, 1e-3, {"x0": -0.1}, {"x0": 1.0})
    speeds = np.array([run.v[f"x{i}"][-1] for i in range(5)])
    assert speeds.sum() == pytest.approx(1.0, abs=1e-9)
    assert (speeds**2).sum() <= 1.0 + 1e-9
    assert speeds == pytest.approx([(1 - 4 * e) / 5, *[(1 + e) / 5] * 4], abs=1e-9)


def test_momentum_of_a_free_pair_is_conserved_in_a_collision() -> None:
    m = Mechanism("pair", gravity=(0, 0, 0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.circle(name, flat(m, name, 1.0 if name == "a" else 2.5, 0.02, (x, 0.07 * x)), (0, 0.0, 0), 0.2)
    m.contact("hit", "a", "b", tw.rigid(0.3), 0.4)
    run = watch(m, 1.0, 1e-3, v={"a.x": 2.0, "a.turn": 30.0, "b.z": -0.2})
    px = run.v["a.x"] + 2.5 * run.v["b.x"]
    pz = run.v["a.z"] + 2.5 * run.v["b.z"]
    spin = 0.02 * (run.v["a.turn"] + run.v["b.turn"])
    spin += run.q["a.z"] * run.v["a.x"] - run.q["a.x"] * run.v["a.z"]
    spin += 2.5 * (run.q["b.z"] * run.v["b.x"] - run.q["b.x"] * run.v["b.z"])
    assert run.force["hit"].max() > 0.0
    assert np.abs(run.force["hit.friction"]).max() > 0.0
    assert px == pytest.approx(2.0, abs=1e-12)
    assert pz == pytest.approx(-0.5, abs=1e-12)
    assert np.ptp(spin) < 5e-3  # the point of contact moves within a step


# -- friction --------------------------------------------------------------------------------------------
def incline(degrees: float, friction: float, duration: float, dt: float, speed: float = 0.0) -> Watched:
    """A block on a slope, seen along it."""
    angle = math.radians(degrees)
    m = Mechanism("incline", gravity=(-G * math.sin(angle), 0, -G * math.cos(angle)))
    x, block = m.body("slide"), m.body("block", mass=2.0)
    m.prismatic("x", m.ground, x, axis="x")
    m.prismatic("z", x, block, axis="z", initial=[0.1])
    m.circle("disc", block, (0, 0, 0), 0.1)
    m.line("floor", m.ground, (0, 0, 0))
    m.contact("hit", "disc", "floor", tw.rigid(), friction)
    return watch(m, duration, dt, v={"x": speed})


def test_a_block_slides_down() -> None:
    run = incline(20.0, 0.3, 1.0, 1e-3)
    assert run.v["x"] == pytest.approx(-0.5897022231 * run.t, abs=1e-9)
    assert run.force["hit"] == pytest.approx(2 * G * math.cos(math.radians(20)), rel=1e-9)
    assert run.force["hit.friction"] == pytest.approx(0.3 * run.force["hit"], rel=1e-9)


@pytest.mark.parametrize("part", [0.5, 0.999])
def test_a_block_below_the_friction_angle_stays_where_it_is(part: float) -> None:
    run = incline(20.0 * part, math.tan(math.radians(20.0)), 10.0, 1e-2)
    assert np.abs(run.q["x"]).max() < 1e-15
    assert run.force["hit.friction"] == pytest.approx(2 * G * math.sin(math.radians(20 * part)), rel=1e-6)


def test_a_block_above_the_friction_angle_slides() -> None:
    assert incline(20.0 * 1.001, math.tan(math.radians(20.0)), 1.0, 1e-2).q["x"][-1] < -1e-3


@pytest.mark.parametrize(("friction", "stop", "stays"), [(0.3, 0.3267582500, False), (0.5, 0.2511171603, True)])
def test_a_block_pushed_up_stops(friction: float, stop: float, stays: bool) -> None:
    for dt in (1e-3, 1e-4):
        run = incline(20.0, friction, 0.6, dt, 2.0)
        turned = int(np.argmax(run.v["x"] < 1e-9))
        assert 0.0 <= run.t[turned] - stop <= dt
        assert run.q["x"][turned] == pytest.approx(stop, abs=2 * dt)  # from 2 m/s: x = v t/2 = t
        assert (abs(run.v["x"][-1]) < 1e-12) == stays


@pytest.mark.parametrize(
    ("shape", "ratio", "when", "speed"),
    [
        ("sphere", 0.4, 0.7281199942, 3.5714286),
        ("disc", 0.5, 0.8494733265, 3.3333333),
        ("hoop", 1.0, 1.2742099898, 2.5),
    ],
)
def test_slipping_turns_into_rolling(shape: str, ratio: float, when: float, speed: float) -> None:
    m = Mechanism(shape)
    m.circle("rim", flat(m, "b", 1.0, ratio * 0.01, (0.0, 0.1)), (0, 0, 0), 0.1)
    m.line("floor", m.ground, (0, 0, 0))
    m.contact("hit", "rim", "floor", tw.rigid(), 0.2)
    run = watch(m, 1.5, 1e-3, v={"b.x": 5.0})
    slip = run.v["b.x"] - 0.1 * run.v["b.turn"]
    rolling = int(np.argmax(np.abs(slip) < 1e-6))
    assert 0.0 <= run.t[rolling] - when <= 1e-3
    assert run.v["b.x"][-1] == pytest.approx(speed, abs=1e-7)
    assert np.abs(slip[rolling:]).max() < 1e-8


def tilted(width: float, height: float, turn: float, friction: float) -> Mechanism:
    """A block of half sizes, on its right corner at the origin, turned by an angle."""
    m = Mechanism("block")
    c, s = math.cos(turn), math.sin(turn)
    at = (-c * width + s * height, s * width + c * height)
    inertia = (width**2 + height**2) / 3.0
    body = flat(m, "b", 1.0, inertia, at)
    m.joints["b.turn"].initial = (turn,)
    m.line("floor", m.ground, (0, 0, 0))
    for i, x in enumerate((-width, width)):
        m.circle(f"corner{i}", body, (x, 0, -height), 0.0)
        m.contact(f"hit{i}", f"corner{i}", "floor", tw.rigid(), friction)
    return m


def test_a_rocking_block_loses_what_housner_says() -> None:
    """Housner (1963): r = (1 - 3/2 sin² alpha), here .9117647059 in rate; first impact at .49380322 s."""
    alpha = math.atan2(0.25, 1.0)
    ratios = []
    for dt in (4e-4, 1e-4):
        run = watch(tilted(0.25, 1.0, alpha / 2, 0.9), 0.6, dt)
        rate = run.v["b.turn"]
        hit = int(np.argmax(run.force["hit0"] > 0.0))
        assert run.t[hit] == pytest.approx(0.49380322, abs=3 * dt)
        assert rate[hit - 1] == pytest.approx(-0.5650448211, abs=5 * dt)
        ratios.append(rate[hit + 2] / rate[hit - 1])
        assert ratios[-1] == pytest.approx(0.9117647059, abs=15 * dt)
    assert abs(ratios[1] - 0.9117647059) < abs(ratios[0] - 0.9117647059)


@pytest.mark.parametrize("friction", [1.0, 1.4, 2.0])
@pytest.mark.parametrize("angle", [45.0, 63.43, 80.0])
def test_a_rod_that_wedges_itself_in(friction: float, angle: float) -> None:
    """Painlevé (1895): above 4/3 at atan 2 a sliding rod has no finite force. An impact stops its tip instead."""
    m = Mechanism("rod")
    a = math.radians(angle)
    body = flat(m, "b", 1.0, 1 / 12, (0.5 * math.cos(a), 0.5 * math.sin(a)))
    m.joints["b.turn"].initial = (-a,)
    m.circle("tip", body, (-0.5, 0, 0), 0.0)
    m.line("floor", m.ground, (0, 0, 0))
    m.contact("hit", "tip", "floor", tw.rigid(), friction)
    run = watch(m, 0.3, 1e-3, v={"b.x": -3.0})
    energy = run.energy
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-3
    assert energy[-1] < 4.5 + 0.5 * G * math.sin(a)
    assert run.force["hit"].min() >= 0.0
    assert np.all(np.abs(run.force["hit.friction"]) <= friction * run.force["hit"] + 1e-6)


def test_a_driven_floor_carries_what_lies_on_it() -> None:
    """Below µ g the block goes with the plank, above it lags behind."""
    for size, sticks in ((2.5, True), (3.5, False)):
        m = Mechanism("plank")
        m.prismatic("plank", m.ground, m.body("plank", mass=1.0), axis="x")
        x, block = m.body("slide"), m.body("block", mass=1.0)
        m.prismatic("x", m.ground, x, axis="x")
        m.prismatic("z", x, block, axis="z", initial=[0.1])
        m.circle("disc", block, (0, 0, 0), 0.1)
        m.line("top", "plank", (0, 0, 0))
        m.contact("hit", "disc", "top", tw.rigid(), 0.3)
        m.drive("plank", 0.5 * size * m.time**2)
        run = watch(m, 1.0, 1e-3)
        assert (abs(run.v["x"][-1] - size) < 1e-6) == sticks
        assert run.v["x"][-1] == pytest.approx(min(size, 0.3 * G), rel=1e-3)
        pushed = 1.0 * size + min(size, 0.3 * G)
        assert run.force["plank"][-1] == pytest.approx(pushed, rel=1e-3)


def test_the_balance_of_energy_closes():
    """What a felt floor, a dry joint and a drive do is what the energy changes by."""
    m = tw.Mechanism("balance")
    ball = m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic("z", m.ground, ball, axis="z", initial=[1.0])
    arm = m.body("arm", mass=0.5, com=(0.2, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    m.revolute("arm", ball, arm, axis="y", friction=0.05)
    lift = m.body("lift", mass=2.0)
    m.prismatic("lift", m.ground, lift, axis="z", origin=(5.0, 0.0, 0.0))
    m.drive("lift", 0.3 * tw.sin(3.0 * m.time))
    m.plane("floor", m.ground)
    m.sphere("skin", ball, (0, 0, 0), 0.1)
    m.contact("hit", "skin", "floor", tw.felt(1e6, 1.5, 1e6))
    run = m.compile().simulate(2.0, dt=1e-4)
    energy = run["energy.total"]
    assert run["work.contacts"][-1] < -5.0
    assert np.max(np.abs(run["work.drives"])) > 1.0
    gap = energy - energy[0] - run["work.contacts"] - run["work.drives"]
    # the drive starts with a jerk: its first step sets the lift's speed
    assert np.max(np.abs(gap - gap[1])) < 2e-4

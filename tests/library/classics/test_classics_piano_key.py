"""Gillespie and Cutkosky's key and hammer: what their paper tells of figure 6, and what they say of models A and B."""

import math

import numpy as np
import pytest
from scipy.optimize import fsolve
from scipy.special import beta, betainc

from touchweight.library.classics import piano_key_a, piano_key_b
from touchweight.library.classics.piano_key_a import L1, L2, L3, L4, M1, M2, hand
from touchweight.simulate.simulation import SimulationError

STEP = 0.002  # s, the paper's
RESOLUTION = math.radians(45.0) / (3.0 * 50.0)  # of an encoder of 50 lines to the inch, 3 inches to 45 degrees
G = 9.81


@pytest.fixture(scope="module")
def thrown():
    """Figure 6: model B, thrown and caught twice."""
    return piano_key_b.build().compile().simulate(2.6, drives={"manipulandum": hand}, dt=STEP)


def coupled(module):
    """A model whose hammer never leaves the key."""
    mechanism = module.build()
    mechanism.modes.clear()
    mechanism.transitions.clear()
    return mechanism.compile()


def slow(t):
    """A press so gentle that the hammer stays on the key and so smooth that no spring rings."""
    x, far = min(max(t, 0.0), 1.0), 0.3
    c = far / beta(6, 6)
    return far * betainc(6, 6, x), c * x**5 * (1 - x) ** 5, c * 5 * x**4 * (1 - x) ** 4 * (1 - 2 * x)


def encoder(motion):
    """A motion as an encoder tells it: position in steps, first and second backward differences."""

    def seen(t):
        now, before, earlier = (RESOLUTION * round(motion(t - k * STEP)[0] / RESOLUTION) for k in range(3))
        return now, (now - before) / STEP, (now - 2.0 * before + earlier) / STEP**2

    return seen


def spread(x):
    return float(np.sqrt(np.mean(np.square(x))))


# -- the hand ---------------------------------------------------------------------------------------------
def test_the_hand_is_smooth_and_stays_within_its_45_degrees():
    t = np.linspace(0.0, 2.5, 25001)
    s, v, a = np.array([hand(x) for x in t]).T
    assert np.all(s[t <= 0.3] == 0.0) and np.ptp(s) < math.radians(45.0)
    np.testing.assert_allclose(np.gradient(s, t)[1:-1], v[1:-1], atol=1e-4)
    np.testing.assert_allclose(np.gradient(v, t)[1:-1], a[1:-1], atol=0.2)


# -- figure 6 ---------------------------------------------------------------------------------------------
def test_it_happens_when_the_paper_says(thrown):
    """Held still for 0.3 s, thrown, caught at 0.9 s, thrown harder, string, landed at 1.5 s, bounced several times."""
    assert np.ptp(thrown["hammer"][thrown.t <= 0.3]) < 1e-9
    names = [e.name for e in thrown.events]
    assert names == ["throw", "catch", "throw", "string", *["catch", "throw"] * 2, "catch"]
    times = [e.t for e in thrown.events]
    assert 0.3 < times[0] < times[1] == pytest.approx(0.9, abs=0.005)
    assert times[4] == pytest.approx(1.5, abs=0.005)
    release = [thrown["v.hammer"][np.searchsorted(thrown.t, t)] for t in (times[0], times[2])]
    assert release[1] > release[0] > 0.0


def test_the_hammers_weight_is_felt_only_while_it_rests_on_the_key(thrown):
    on_key = thrown["mode"] == 0.0
    felt = thrown["force.manipulandum"]
    assert felt[on_key].mean() > 10.0 * abs(felt[~on_key].mean())
    still = felt[thrown.t < 0.3]
    # the hammer's weight through two levers, and the key's own: at the angles it rests at
    key, hammer = thrown["key"][0], thrown["hammer"][0]
    weight = M1 * G * L4 * math.cos(hammer)
    s = np.array([L1 * math.cos(key) - L2, L1 * math.sin(key) - L3])
    q4 = (math.sin(hammer) * s[0] + math.cos(hammer) * s[1]) / math.cos(key + hammer)
    s = s - q4 * np.array([-math.sin(key), math.cos(key)])
    normal = weight / np.linalg.norm(s)
    assert normal * math.cos(key + hammer) == pytest.approx(15.0 * q4, rel=1e-9)
    arm = L1 * math.cos(key + hammer) + q4 * math.sin(key + hammer)
    expected = normal * arm + M2 * G * 0.5 * L1 * math.cos(key)
    np.testing.assert_allclose(still, expected, rtol=1e-9)


def test_the_force_is_that_of_the_spring_in_equation_15(thrown):
    spring = 620.0 * (thrown["manipulandum"] - thrown["key"])
    np.testing.assert_allclose(thrown["force.manipulandum"], spring, atol=1e-3)


def test_the_string_reverses_the_hammer(thrown):
    """Perfectly elastic: the flight after the string is the flight before it, backwards, had gravity turned too."""
    strike = next(e.t for e in thrown.events if e.name == "string")
    i = int(np.searchsorted(thrown.t, strike))
    before, after = (
        thrown["v.hammer"][k] + (strike - thrown.t[k]) * -G / L4 * math.cos(thrown["hammer"][k]) for k in (i - 1, i)
    )
    assert after == pytest.approx(-before, rel=1e-4)
    assert thrown["hammer"].max() <= piano_key_a.STRING + 1e-12


def test_energy_of_model_b_stays_while_the_hand_is_still():
    model = piano_key_b.build().compile()
    run = model.simulate(1.0, q={"hammer": 0.1, "key": 0.0}, mode="flight", dt=2e-4)
    assert len(run.events) > 3
    assert np.ptp(run["energy.total"]) < 1e-7 * np.max(run["energy.kinetic"])


# -- model A ----------------------------------------------------------------------------------------------
def test_model_a_throws_and_catches_and_keeps_its_constraint():
    model = piano_key_a.build().compile()
    run = model.simulate(2.6, drives={"key": hand}, dt=STEP)
    assert [e.name for e in run.events] == ["throw", "catch"] * 2
    assert run["loops.residual"].max() < 1e-10
    finer = model.simulate(2.6, drives={"key": hand}, dt=STEP / 4)
    np.testing.assert_allclose([e.t for e in run.events], [e.t for e in finer.events], atol=1e-5)


@pytest.mark.parametrize("dt", [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4])
def test_the_hammer_leaves_a_hand_from_outside_cleanly(dt):
    """Where they part, nothing but the third derivative separates them: a driven key must move as its rates say."""
    run = piano_key_a.build().compile().simulate(1.3, drives={"key": hand}, dt=dt)
    assert [e.name for e in run.events] == ["throw", "catch", "throw"]


def test_in_model_a_the_forces_are_those_of_the_levers():
    """Against the closed form: hammer angle from geometry, forces from moments about P2 and P1."""
    run = coupled(piano_key_a).simulate(1.0, drives={"key": slow}, dt=STEP)
    s, v, a = np.array([slow(t) for t in run.t]).T
    x, z = L1 * np.cos(s) - L2, L1 * np.sin(s) - L3
    np.testing.assert_allclose(run["hammer"], np.arctan2(z, -x), atol=1e-12)
    # hammer = atan2(z, -x): its rates by the chain rule
    r2 = x * x + z * z
    xd, zd = -L1 * np.sin(s) * v, L1 * np.cos(s) * v
    xdd, zdd = -L1 * (np.cos(s) * v**2 + np.sin(s) * a), L1 * (-np.sin(s) * v**2 + np.cos(s) * a)
    turn = (z * xd - x * zd) / r2
    turned = (z * xdd - x * zdd) / r2 - turn * 2.0 * (x * xd + z * zd) / r2
    push = (M1 * L4**2 * turned + M1 * G * L4 * np.cos(run["hammer"])) / np.sqrt(r2)
    np.testing.assert_allclose(run["force.slider"], push, rtol=1e-8)
    felt = M2 * L1**2 / 3.0 * a + M2 * G * 0.5 * L1 * np.cos(s) + push * L1 * np.cos(s + run["hammer"])
    np.testing.assert_allclose(run["force.key"], felt, rtol=1e-8)


# -- A and B ----------------------------------------------------------------------------------------------
def test_model_b_becomes_model_a_as_its_springs_stiffen():
    """The force differs by what the springs give way, as 1/k."""
    rigid = coupled(piano_key_a).simulate(1.2, drives={"key": slow}, dt=1e-4, every=10)["force.key"]
    model = coupled(piano_key_b)
    worst = []
    for factor in (10.0, 30.0, 100.0):
        parameters = {"k1": 620.0 * factor, "k2": 15.0 * factor}
        start = _resting(model, parameters, factor)
        state = model.state(q={"manipulandum": 0.0, **start}, parameters=parameters)
        run = model.simulate(1.2, state=state, drives={"manipulandum": slow}, dt=1e-4, every=10)
        worst.append(np.abs(run["force.manipulandum"] - rigid).max())
    assert worst[0] < 0.02 * rigid.max()
    assert worst[0] / worst[1] == pytest.approx(3.0, rel=0.15)
    assert worst[1] / worst[2] == pytest.approx(10.0 / 3.0, rel=0.15)


def _resting(model, parameters, factor):
    """Angles at which the springs carry the weight."""

    def torque(q):
        return model.bias(np.array([0.0, *q]), np.zeros(3), parameters=parameters)[1:]

    key, hammer = fsolve(torque, [-0.03 / factor, -0.165 - 0.07 / factor], xtol=1e-13)
    return {"key": float(key), "hammer": float(hammer)}


def test_an_encoder_drowns_the_force_of_model_a_but_not_that_of_model_b():
    noise = {}
    for module, drive in ((piano_key_a, "key"), (piano_key_b, "manipulandum")):
        model = coupled(module)
        clean, rough = (
            model.simulate(1.2, drives={drive: motion}, dt=STEP, sampling="steps")[f"force.{drive}"]
            for motion in (slow, encoder(slow))
        )
        noise[drive] = spread(rough - clean)
        felt = spread(clean)
    assert noise["key"] > 10.0 * felt  # A: many times what is to be felt
    assert noise["manipulandum"] < 0.2 * felt  # B: a roughness on top of it
    assert noise["key"] / noise["manipulandum"] > 100.0


def test_behind_an_encoder_model_b_throws_and_model_a_fails_at_once():
    """The paper: "use of model A does not produce a successful simulation ... the system quickly goes unstable"."""
    b = piano_key_b.build().compile().simulate(
        1.6, drives={"manipulandum": encoder(hand)}, dt=STEP, sampling="steps"
    )  # fmt: skip
    assert [e.name for e in b.events] == ["throw", "catch", "throw", "string", "catch"]
    assert b.events[1].t == pytest.approx(0.9, abs=0.01)
    model = piano_key_a.build().compile()
    try:
        a = model.simulate(1.6, drives={"key": encoder(hand)}, dt=STEP, sampling="steps")
    except SimulationError as failed:
        a = failed.recording
    assert len(a.events) > 100
    # one line of the encoder is an acceleration of RESOLUTION / STEP², which takes this much on top of the weight
    ratio = L1 * math.cos(a["hammer"][0]) / math.hypot(L2 - L1, L3)
    kick = (M2 * L1**2 / 3.0 + M1 * (L4 * ratio) ** 2) * RESOLUTION / STEP**2
    assert kick > 40.0 * a["force.key"][0]
    first = np.flatnonzero(a["key.acceleration"])[0]
    assert a["force.key"][first] == pytest.approx(kick + a["force.key"][0], rel=0.02)


def test_every_number_of_table_2_is_live():
    for module in (piano_key_a, piano_key_b):
        mechanism = module.build()
        names = {"L1", "L2", "L3", "L4", "M1", "M2"} | ({"k1", "k2"} if module is piano_key_b else set())
        assert names <= set(mechanism.parameters)
        assert mechanism.check() == []
    model = coupled(piano_key_a)
    heavy = model.simulate(0.1, state=model.state(parameters={"M1": 13.0}), drives={"key": 0.0})
    light = model.simulate(0.1, drives={"key": 0.0})
    assert heavy["force.slider"][0] == pytest.approx(2.0 * light["force.slider"][0], rel=1e-9)

"""Linearisation: exact derivatives against central differences of the constrained equations."""

import math

import analysed
import numpy as np
import pytest

import touchweight as tw
from touchweight.simulate.analyses.begin import begin
from touchweight.simulate.analyses.linearise import linearise
from touchweight.simulate.assembly import assemble

#: mechanism, where
CASES = {
    "double pendulum": (
        analysed.double_pendulum,
        {"q": {"shoulder": 0.4, "elbow": -0.9}, "v": {"shoulder": 1.5, "elbow": -2.0}, "inputs": {"motor": 0.3}},
    ),
    "driven pendulum": (
        analysed.driven_pendulum,
        {
            "q": {"hip": 0.7},
            "v": {"hip": 1.1},
            "inputs": {"rail": 0.2, "rail.velocity": 0.5, "rail.acceleration": -1.0},
        },
    ),
    "four-bar with spring": (analysed.rhombus, {"q": {"crank": 0.8}, "v": {"crank": 1.3}, "inputs": {"torque": 2.0}}),
    "slider-crank": (analysed.slider_crank, {"q": {"crank": 0.9}, "v": {"crank": 4.0}}),
    "driven slider-crank": (
        lambda: analysed.slider_crank(drive=True),
        {"inputs": {"crank": 0.4, "crank.velocity": 5.0, "crank.acceleration": -3.0}},
    ),
    "whirled": (analysed.whirled, {"t": 0.3, "q": {"elbow": 0.7}, "v": {"elbow": -1.0}}),
    "ball and rod": (analysed.ball_and_rod, {"v": {"ball.wz": 3.0, "ball.wx": 1.0}}),
    "first-order states": (
        analysed.motor_and_lag,
        {"q": {"crank": 1.0}, "v": {"crank": -0.7}, "x": {"filter": 0.2}, "inputs": {"motor": 0.5}},
    ),
    "sledge": (
        analysed.rolling_disc,
        {"q": [0.3, -0.1, 0.6], "v": [1.0 * math.cos(0.6), 1.0 * math.sin(0.6), 0.8]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_the_constrained_equations(case):
    make, where = CASES[case]
    model = make().compile()
    state = begin(model, **where)
    linear = linearise(model, state)
    found = (linear.A, linear.B, linear.C, linear.D)
    wanted = analysed.differences(model, state, linear, 1e-3)
    if case == "ball and rod":
        # displacements along turning axes: their own rate is checked below
        n = sum(not s.startswith("v.") for s in linear.states)
        found = (linear.A[n:], *found[1:])
        wanted = (wanted[0][n:], *wanted[1:])
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=2e-8 * max(1.0, np.abs(theirs).max(initial=0)))


def test_axes_of_a_ball_turn_with_it():
    """dq/dt = N(q) v, so δ(dq/dt) = N(dq/dt) δ + N(q) dδ/dt for a displacement δq = N(q) δ."""
    model = analysed.top().compile()
    state = begin(model, q=[math.cos(0.3), math.sin(0.3) * 0.6, 0.0, math.sin(0.3) * 0.8], v=[1.0, -2.0, 30.0])
    linear = linearise(model, state)
    loops, p = model.loops(), state.parameters
    dq = loops.turn(state.q, state.v, p)
    for k, delta in enumerate(np.eye(3)):
        h = 1e-4
        plus, minus = (state.q + s * loops.turn(state.q, delta, p) for s in (h, -h))
        change = (loops.turn(plus, state.v, p) - loops.turn(minus, state.v, p)) / (2 * h)
        rate = linear.A[:3, k]
        np.testing.assert_allclose(change, loops.turn(dq, delta, p) + loops.turn(state.q, rate, p), atol=1e-9)


def test_the_precession_of_a_fast_top_is_in_its_eigenvalues():
    """A sleeping top: nutation and precession, both roots of I λ² - i C ω λ - m g l = 0 in the fixed frame."""
    model = analysed.top().compile()
    spin = 120.0
    linear = linearise(model, v=[0.0, 0.0, spin])
    (mass, height), (across, along) = (0.5, 0.1), (2e-3 + 0.5 * 0.1**2, 3e-3)
    slow, fast = np.sort(np.roots([across, -along * spin, mass * 9.81 * height]).real)
    found = np.sort(np.unique(np.abs(linear.eigenvalues.imag).round(6)))
    # seen from the turning body, each frequency is less by the spin
    np.testing.assert_allclose(found, np.sort([0.0, spin - slow, abs(spin - fast)]), atol=1e-5)


def test_what_is_locked_or_held_does_not_move():
    m = analysed.double_pendulum()
    m.mode("free")
    m.mode("locked", locked=["shoulder"])
    m.transition("lock", "free", "locked", 10.0 - m.q("shoulder"))
    model = m.compile()
    where = {"q": {"shoulder": 0.4, "elbow": 0.3}, "v": {"elbow": 1.0}}
    free, locked = (linearise(model, mode=mode, **where) for mode in ("free", "locked"))
    held = linearise(model, mode="free", hold=["shoulder"], **where)
    assert free.states == ("shoulder", "elbow", "v.shoulder", "v.elbow")
    assert locked.states == held.states == ("elbow", "v.elbow")
    np.testing.assert_allclose(held.A, locked.A, atol=1e-12)
    # a lock is not the free motion with a row left out
    assert abs(free.A[3, 1] - locked.A[1, 0]) > 0.1


def test_the_step_response_settles_where_the_equations_say():
    m = tw.Mechanism("block")
    m.prismatic("slide", m.ground, m.body("block", mass=2.0), axis="x", stiffness=8.0, damping=1.0)
    m.joint_law("drive", "slide", m.input("push", "N"))
    linear = linearise(m.compile())
    assert linear.states == ("slide", "v.slide") and linear.units["v.slide"] == "m/s"
    t = np.linspace(0.0, 5.0, 501)
    decay, w = 1.0 / 4.0, math.sqrt(4.0 - 1.0 / 16.0)
    wanted = (1.0 - np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))) / 8.0
    np.testing.assert_allclose(linear.step_response("push", "slide", t), wanted, atol=1e-12)
    f = np.array([0.01, 0.3, 2.0])
    s = 2j * math.pi * f
    np.testing.assert_allclose(linear.frequency_response("push", "slide", f), 1 / (2 * s**2 + s + 8), rtol=1e-12)
    np.testing.assert_allclose(linear.frequency_response("push", "v.slide", f), s / (2 * s**2 + s + 8), rtol=1e-12)


def test_a_bode_plot_is_a_picture(tmp_path):
    model = analysed.rhombus().compile()
    linearise(model).bode("torque", "tip.z", save=tmp_path / "bode.png")
    assert (tmp_path / "bode.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes_are_one_sentence():
    model = analysed.rhombus().compile()
    state = model.state(q={"crank": 0.5})
    with pytest.raises(tw.ShapeError, match="assemble it first"):
        linearise(model, state)
    linear = linearise(model, assemble(model, state=state, hold=["crank"]))
    with pytest.raises(tw.ShapeError, match="expected an input among torque, found 'nothing'"):
        linear.bode("nothing", "tip.z")
    with pytest.raises(tw.ShapeError, match="expected names of coordinates or speeds to hold, found 'hop'"):
        linearise(model, hold=["hop"])
    with pytest.raises(tw.MechanismError, match="expected a mode among"):
        linearise(model, mode="flying")
    other = analysed.slider_crank().compile()
    with pytest.raises(tw.ShapeError, match="one of another"):
        linearise(model, other.state())

"""Runs with modes: when transitions happen, what impacts do, how accumulating ones end."""

from __future__ import annotations

import functools

import closed_mechanisms
import numpy as np
import pytest

from touchweight.codegen.compiler import find_compiler
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.recording import Recording
from touchweight.simulate.simulation import SimulationError
from touchweight.symbolic import sin

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler found")

METHODS = ("rk4", "rosenbrock", "euler")


def block(m: Mechanism, name: str, mass: float, axis: str, at: float = 0.0) -> None:
    m.prismatic(name, m.ground, m.body(name, mass=mass, inertia=(1.0, 1.0, 1.0)), axis=axis, initial=[at])


@functools.cache
def ball(restitution: float, rest: bool = True, height: float = 1.0) -> Model:
    m = Mechanism("ball", gravity=(0.0, 0.0, -10.0))
    block(m, "z", 2.0, "z", height)
    m.mode("flight")
    m.transition("bounce", "flight", "flight", m.q("z"), restitution=restitution, rest=rest or None)
    return m.compile()


def times(run: Recording, name: str) -> np.ndarray:
    return np.array([e.t for e in run.events if e.name == name])


# -- accumulation ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("e", [0.5, 0.9, 0.99])
def test_a_ball_bounces_to_rest(e):
    first = np.sqrt(0.2)
    last = first * (1.0 + 2.0 * e / (1.0 - e))
    run = ball(e).simulate(last + 0.2, dt=0.01)
    found = times(run, "bounce")
    k = np.arange(len(found))
    expected = first + 2.0 * first * e * (1.0 - e**k) / (1.0 - e)
    few = expected < last - 1e-6
    assert found[few] == pytest.approx(expected[few], abs=1e-9)
    rested = run.events[-1]
    assert (rested.name, rested.target) == ("bounce (to rest)", "bounce.rest")
    assert rested.t == pytest.approx(last, abs=1e-6)
    assert run["z"][-1] == pytest.approx(0.0, abs=1e-15) and run["v.z"][-1] == 0.0
    assert run["force.bounce.contact"][-1] == pytest.approx(20.0, rel=1e-12), "its weight"
    assert run["mode"][-1] == 1.0


def test_an_impact_without_rebound_rests_at_once():
    run = ball(0.0).simulate(1.0, dt=0.01)
    assert [e.name for e in run.events] == ["bounce", "bounce (to rest)"]
    assert times(run, "bounce") == pytest.approx([np.sqrt(0.2)], abs=1e-14)
    assert run["energy.total"][-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("every", [1, 7])
def test_more_events_than_are_kept_at_a_time(every):
    """Elastic bounces, 8.9 ms apart, over a hundred seconds."""
    run = ball(1.0, rest=False, height=1e-4).simulate(100.0, dt=0.05, every=every)
    apart = 2.0 * np.sqrt(2e-5)
    found = times(run, "bounce")
    assert len(found) == 11180
    assert np.diff(found) == pytest.approx(apart, abs=1e-11)
    assert run.t == pytest.approx(0.05 * every * np.arange(2000 // every + 1), abs=1e-9)
    assert np.ptp(run["energy.total"]) < 1e-12 * run["energy.total"][0]
    since = np.mod(run.t + 0.5 * apart, apart)
    low = run.t < 50.0  # the phase is known to 1e-11 of a bounce
    assert run["z"][low] == pytest.approx(5.0 * since[low] * (apart - since[low]), abs=1e-10)


def test_few_events_allowed_in_a_step():
    with pytest.raises(SimulationError, match="expected transitions that come to an end, found 'bounce' taken over"):
        ball(1.0, rest=False, height=1e-4).simulate(1.0, dt=0.05, most_events=3)
    assert ball(1.0, rest=False, height=1e-4).simulate(1.0, dt=0.005, most_events=3).t[-1] == 1.0


@pytest.mark.parametrize(
    "options", [{"most_events": 0}, {"most_events": 2.5}, {"event_tolerance": -1.0}, {"rest_time": np.nan}]
)
def test_options_that_make_no_sense(options):
    with pytest.raises(ValueError, match=f"^expected {next(iter(options))} .*found"):
        ball(0.5).simulate(1.0, **options)


# -- when ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dt", [0.01, 0.1, 0.3, 2.0, 5.0])
def test_two_balls_and_every_bounce_in_its_place(dt):
    """Several guards fall within a step, and the one found first is not always the first."""
    m = Mechanism("two balls", gravity=(0.0, 0.0, -10.0))
    block(m, "a", 1.0, "z", 1.0)
    block(m, "b", 1.0, "z", 0.37)
    m.mode("flight")
    m.transition("a hits", "flight", "flight", m.q("a"), restitution=1.0)
    m.transition("b hits", "flight", "flight", m.q("b"), restitution=1.0)
    run = m.compile().simulate(20.0, dt=dt)
    for name, height in (("a hits", 1.0), ("b hits", 0.37)):
        fall = np.sqrt(0.2 * height)
        assert times(run, name) == pytest.approx(np.arange(fall, 20.0, 2.0 * fall), abs=1e-11)


def passing() -> Mechanism:
    m = Mechanism("passing", gravity=(0.0, 0.0, 0.0))
    block(m, "x", 1.0, "x")
    m.mode("before")
    m.mode("after")
    m.transition("pass", "before", "after", 1.0 - m.q("x"))
    m.transition("turn", "after", "after", 2.0 - m.q("x"), reset={"v.x": -m.v("x")})
    return m


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("start", [0.0, 0.25, 0.999, 1.0 - 1e-9])
def test_at_step_boundaries_and_in_the_first_step(method, start):
    run = passing().compile().simulate(4.0, q={"x": start}, v={"x": 1.0}, dt=0.25, method=method)
    assert [e.name for e in run.events] == ["pass", "turn"]
    assert [e.t for e in run.events] == pytest.approx([1.0 - start, 2.0 - start], abs=1e-11)
    assert run["x"] == pytest.approx(np.minimum(start + run.t, 4.0 - start - run.t), abs=1e-11)


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rosenbrock", 2), ("euler", 1)])
def test_the_time_of_an_event_is_as_exact_as_the_method(method, order):
    """A pendulum through its lowest point, slowed down there, and back."""
    m = Mechanism("pendulum")
    arm = m.body("arm", mass=1.0, com=(0.0, 0.0, -1.0), inertia=(0.1, 0.1, 0.1))
    m.revolute("arm", m.ground, arm, axis="y", initial=[1.0])
    m.mode("right")
    m.mode("left")
    m.transition("out", "right", "left", m.q("arm"), reset={"v.arm": 0.9 * m.v("arm")})
    m.transition("back", "left", "right", -m.q("arm"))
    model = m.compile()
    exact = model.simulate(3.0, dt=1e-3).events[1].t
    errors = [abs(model.simulate(3.0, dt=dt, method=method).events[1].t - exact) for dt in (0.08, 0.04)]
    assert np.log2(errors[0] / errors[1]) > order - 0.3


def drifting() -> Mechanism:
    m = Mechanism("drifting", gravity=(0.0, 0.0, 0.0))
    block(m, "x", 1.0, "x")
    m.mode("first")
    m.mode("second")
    m.transition("go", "first", "second", m.q("x"))
    return m


@pytest.mark.parametrize(
    ("start", "speed", "expected"),
    [(0.0, 0.0, []), (0.0, 1.0, []), (0.0, -1.0, [0.0]), (-1.0, 0.0, [0.0]), (1e-3, 0.0, []), (0.5, -1.0, [0.5])],
)
def test_guards_that_start_at_zero_or_below(start, speed, expected):
    run = drifting().compile().simulate(1.0, q={"x": start}, v={"x": speed}, dt=0.01)
    assert [e.t for e in run.events] == pytest.approx(expected, abs=1e-11)


def test_a_guard_that_is_always_true_ends_the_run():
    m = drifting()
    m.transition("loop", "second", "second", -1.0 - m.q("x") ** 2)
    with pytest.raises(SimulationError, match=r"found 'loop' taken over and over at t = 0.5 s of model"):
        m.compile().simulate(1.0, q={"x": 0.5}, v={"x": -1.0}, dt=0.01)


def test_modes_that_send_each_other_back_are_told_and_bounded():
    """A relay: each mode pushes into the other. It comes to rest but for one step's worth of motion."""
    m = Mechanism("relay", gravity=(0.0, 0.0, 0.0))
    block(m, "x", 1.0, "x")
    m.joint_law("down", "x", -1.0)
    m.joint_law("up", "x", 1.0)
    m.mode("falling", active=("down",))
    m.mode("rising", active=("up",))
    m.transition("turn", "falling", "rising", m.v("x"))
    m.transition("return", "rising", "falling", -m.v("x"))
    run = m.compile().simulate(1.0, v={"x": 0.1}, dt=0.01)
    before = run.t < 0.1
    assert run["v.x"][before] == pytest.approx(0.1 - run.t[before], abs=1e-12)
    assert np.max(np.abs(run["v.x"][~before])) < 0.01 + 1e-12
    assert run.events[0].t == pytest.approx(0.1, abs=1e-11)
    assert any(e.name.endswith("(chattering)") for e in run.events)
    assert len(run.events) < 6 * 91


def test_a_guard_on_a_force():
    """A block on a table that shakes: it lifts off where the table falls faster than it."""
    m = Mechanism("shaker", gravity=(0.0, 0.0, -10.0))
    block(m, "table", 5.0, "z")
    block(m, "block", 1.0, "z")
    m.drive("table", 0.1 * sin(20.0 * m.time))
    m.constraint("contact", m.q("block") - m.q("table"))
    m.mode("on", active=("contact",))
    m.mode("off")
    m.transition("lift", "on", "off", m.reaction("contact"))
    m.transition("land", "off", "on", m.q("block") - m.q("table"))
    run = m.compile().simulate(0.5, dt=1e-3)
    lift = np.arcsin(0.25) / 20.0
    assert run.events[0].t == pytest.approx(lift, abs=1e-10)
    z, v = 0.1 * 0.25, 2.0 * np.cos(20.0 * lift)
    air = run["mode"] == 1.0
    air &= run.t < run.events[1].t
    flown = run.t[air] - lift
    assert run["block"][air] == pytest.approx(z + v * flown - 5.0 * flown**2, abs=1e-9)
    held = run.t < lift
    assert run["force.contact"][held] == pytest.approx(10.0 - 40.0 * np.sin(20.0 * run.t[held]), abs=1e-9)


# -- what ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS)
def test_carts_collide(method):
    m = Mechanism("carts", gravity=(0.0, 0.0, 0.0))
    block(m, "a", 2.0, "x", 0.0)
    block(m, "b", 3.0, "x", 1.0)
    m.mode("free")
    m.transition("hit", "free", "free", m.q("b") - m.q("a"), restitution=0.6)
    run = m.compile().simulate(2.0, v={"a": 1.0, "b": -0.5}, dt=0.013, method=method)
    assert times(run, "hit") == pytest.approx([1.0 / 1.5], abs=1e-11)
    a, b = run["v.a"][-1], run["v.b"][-1]
    assert 2.0 * a + 3.0 * b == pytest.approx(2.0 * 1.0 - 3.0 * 0.5, rel=1e-13)
    assert b - a == pytest.approx(0.6 * 1.5, rel=1e-13)


def test_an_impact_goes_through_the_whole_linkage():
    """A four-bar against a stop: the impulse through M and J, as NumPy has it; the energy it costs."""
    m = closed_mechanisms.four_bar()
    m.mode("free")
    m.transition("stop", "free", "free", m.q("crank") + 1.2, restitution=0.4)
    model = m.compile()
    run = model.simulate(0.2, q={"crank": -1.0}, v={"crank": -4.0}, dt=1e-3)
    hit = run.events[0].t
    i = int(np.searchsorted(run.t, hit))
    state = model.state(*(np.array([run[p + c][i - 1] for c in model.coordinates]) for p in ("", "v.")))
    state.t = run.t[i - 1]
    left = (hit - state.t) * (1.0 - 1e-9)
    model.simulate(left, state=state, dt=left / 4)
    before = state.v.copy()
    mass = model.mass_matrix(state.q)
    loops = model.loops()
    rows = np.vstack([loops.closure(state.q, hit, state.parameters).jacobian, [1.0, 0.0, 0.0]])
    give = rows @ np.linalg.solve(mass, rows.T)
    wanted = np.array([0.0, 0.0, -0.4 * before[0]])
    after = before + np.linalg.solve(mass, rows.T @ np.linalg.solve(give, wanted - rows @ before))
    lost = 0.5 * before @ mass @ before - 0.5 * after @ mass @ after
    assert run["energy.total"][i - 1] - run["energy.total"][i] == pytest.approx(lost, rel=1e-6)
    along = 1.0 / np.linalg.inv(give)[2, 2]
    assert lost == pytest.approx(0.5 * (1 - 0.4**2) * before[0] ** 2 / along, rel=1e-9), "as one mass along the stop"


def test_an_impact_that_a_drive_holds_back_changes_nothing():
    """What is driven goes on: there is nothing the impulse could move, and all else keeps its speed."""
    m = Mechanism("driven into a wall", gravity=(0.0, 0.0, 0.0))
    block(m, "ram", 1.0, "x")
    block(m, "other", 1.0, "y")
    m.drive("ram", 1.0 * m.time)
    m.mode("free")
    m.mode("through")
    m.transition("wall", "free", "through", 0.5 - m.q("ram"), restitution=0.5)
    run = m.compile().simulate(1.0, v={"other": 0.7}, dt=0.01)
    assert times(run, "wall") == pytest.approx([0.5], abs=1e-12)
    assert run["ram"] == pytest.approx(run.t, abs=1e-14)
    assert run["v.other"] == pytest.approx(0.7, abs=1e-15)


def test_a_stop_that_the_loops_hold_back():
    """A guard along which the constraints leave no freedom takes no impulse, and spoils nothing else."""
    m = Mechanism("geared", gravity=(0.0, 0.0, 0.0))
    for name, mass in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        block(m, name, mass, "x")
    m.gear("tie", "a", "b", 1.0, offset=0.5)
    m.mode("free")
    m.mode("later")
    m.transition("never", "free", "later", m.q("b") - m.q("a") - 0.5 + 0.3 - m.time, restitution=0.5)
    run = m.compile().simulate(1.0, v={"a": 1.0, "c": -0.3}, dt=0.01)
    assert times(run, "never") == pytest.approx([0.3], abs=1e-11)
    assert run["v.a"] == pytest.approx(run["v.a"][0], abs=1e-12)
    assert run["v.c"] == pytest.approx(-0.3, abs=1e-12)


def test_resets_of_coordinates_speeds_and_states():
    m = Mechanism("reset", gravity=(0.0, 0.0, 0.0))
    block(m, "x", 1.0, "x")
    lag = m.state("lag", lambda x: 0.0 * x, initial=2.0)
    m.mode("here")
    m.mode("there")
    m.transition(
        "jump", "here", "there", 0.5 - m.q("x"), reset={"q.x": -3.0 * m.q("x"), "v.x": m.v("x") + lag, "lag": 7.0 * lag}
    )
    run = m.compile().simulate(1.0, v={"x": 1.0}, dt=0.01)
    after = run.t > 0.5 + 1e-9
    assert run["x"][after] == pytest.approx(-1.5 + 3.0 * (run.t[after] - 0.5), abs=1e-11)
    assert (run["lag"][after] == 14.0).all()


@pytest.mark.parametrize("method", METHODS)
def test_locked_joints_stand_still_and_then_move(method):
    m = closed_mechanisms.four_bar()
    m.mode("held", locked=("crank",))
    m.mode("free")
    m.transition("let go", "held", "free", 0.2 - m.time)
    run = m.compile().simulate(0.4, q={"crank": -1.0}, method=method)
    held = run.t < 0.2
    for name in ("crank", "coupler", "rocker"):
        assert run[name][held] == pytest.approx(run[name][0], abs=1e-13), "the only freedom is locked"
    free = closed_mechanisms.four_bar().compile().simulate(0.2, q={"crank": -1.0}, method=method)
    assert run["crank"][-1] == pytest.approx(free["crank"][-1], abs=1e-9)


def test_locking_a_moving_joint_takes_its_momentum():
    m = closed_mechanisms.four_bar()
    m.mode("free")
    m.mode("held", locked=("rocker",))
    m.transition("catch", "free", "held", 0.1 - m.time)
    run = m.compile().simulate(0.2, q={"crank": -1.0}, v={"crank": 3.0})
    after = run.t > 0.1 + 1e-9
    assert run["v.crank"][after] == pytest.approx(0.0, abs=1e-12)
    assert run["loops.residual"].max() < 1e-12


def test_a_live_drive_that_acts_in_one_mode():
    m = closed_mechanisms.four_bar()
    m.drive("crank")
    m.mode("driven", active=("crank",))
    m.mode("free")
    m.transition("release", "driven", "free", 0.2 - m.time)
    run = m.compile().simulate(0.4, drives={"crank": lambda t: -1.0 + 2.0 * t})
    held = run["mode"] == 0.0
    assert run["crank"][held] == pytest.approx(-1.0 + 2.0 * run.t[held], abs=1e-12)
    free = ~held
    assert np.ptp(run["energy.total"][free]) < 1e-7
    assert (run["force.crank"][free] == 0.0).all() and np.abs(run["force.crank"][held]).min() > 0.0


def test_a_run_goes_on_from_a_state_with_its_mode():
    model = passing().compile()
    state = model.state(v={"x": 1.0})
    first = model.simulate(1.5, state=state, dt=0.01)
    assert (state.mode, state.t) == ("after", 1.5)
    second = model.simulate(1.5, state=state, dt=0.01)
    whole = model.simulate(3.0, v={"x": 1.0}, dt=0.01)
    assert [e.name for e in first.events + second.events] == [e.name for e in whole.events]
    assert second["x"][-1] == pytest.approx(whole["x"][-1], abs=1e-11)


def test_numbers_that_end_inside_a_run():
    m = drifting()
    push = m.input("push", "N")
    m.joint_law("push", "x", 1.0 / (push - 1.0) + 0.0 * m.q("x"))
    with pytest.raises(
        SimulationError, match=r"expected finite numbers throughout, found NaN or infinity at t = 0.5 s"
    ):
        m.compile().simulate(1.0, q={"x": 1.0}, inputs={"push": lambda t: 0.0 if t < 0.5 else 1.0}, dt=0.01)

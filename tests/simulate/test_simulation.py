"""Runs: orders of accuracy, inputs, what stops them, what they leave behind."""

import math

import numpy as np
import pytest
from apparatus import INERTIA, TORQUE, oscillator, pendulum, swept, tilted, top
from scipy.integrate import solve_ivp

import touchweight as tw
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model, SimulationError, simulation

W = 2.0  # of the oscillator [rad/s]: sqrt(8 / 2)


@pytest.fixture(scope="module")
def spring() -> Model:
    return oscillator().compile()


@pytest.fixture(scope="module")
def model() -> Model:
    return pendulum().compile()


@pytest.fixture(scope="module")
def ball() -> Model:
    return top().compile()


# -- accuracy ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1)])
def test_halving_the_step_divides_the_error_by_two_to_the_order(spring, method, order):
    errors = []
    for dt in (0.05, 0.025, 0.0125):
        run = spring.simulate(1.0, q=[1.0], dt=dt, method=method)
        assert run.t[-1] == pytest.approx(1.0)
        errors.append(abs(run["slide"][-1] - math.cos(W)) + abs(run["v.slide"][-1] + W * math.sin(W)))
    found = np.log2(np.array(errors[:-1]) / errors[1:])
    assert found == pytest.approx([order, order], abs=0.15)


def test_a_pendulum_as_an_adaptive_integrator_sees_it(model):
    exact = solve_ivp(
        lambda t, y: [y[1], -TORQUE / INERTIA * math.sin(y[0])],
        (0.0, 3.0),
        [2.0, 0.0],
        rtol=1e-11,
        atol=1e-12,
        dense_output=True,
    )
    run = model.simulate(3.0, q={"hip": 2.0})
    assert run["hip"] == pytest.approx(exact.sol(run.t)[0], abs=1e-8)
    assert run["v.hip"] == pytest.approx(exact.sol(run.t)[1], abs=1e-7)


def test_energy_is_kept(model, ball):
    run = model.simulate(5.0, q=[2.0])
    assert np.ptp(run["energy.total"]) < 1e-9 * np.ptp(run["energy.kinetic"])
    assert run["energy.total"] == pytest.approx(run["energy.kinetic"] + run["energy.potential"])
    spinning = ball.simulate(2.0, q=tilted(0.3), v=[0.0, 0.0, 60.0])
    assert np.ptp(spinning["energy.total"]) < 1e-7 * spinning["energy.kinetic"][0]


def test_what_a_damper_takes_is_gone():
    run = pendulum(damping=0.2).compile().simulate(5.0, q=[1.0])
    power = 0.2 * run["v.hip"] ** 2
    lost = np.sum(np.diff(run.t) * (power[1:] + power[:-1])) / 2.0
    assert run["energy.total"][0] - run["energy.total"][-1] == pytest.approx(lost, rel=1e-4)
    assert (np.diff(run["energy.total"]) < 1e-12).all()


def test_first_order_states(spring):
    run = spring.simulate(1.0, inputs={"push": 3.0})
    assert run["follower"] == pytest.approx(3.0 + (0.5 - 3.0) * np.exp(-run.t / 0.25), abs=1e-9)


def test_the_clock_runs_in_the_equations():
    model = swept().compile()
    run = model.simulate(2.0)
    assert run["v.slide"] == pytest.approx((1.0 - np.cos(3.0 * run.t)) / 3.0, abs=1e-10)
    late = model.state(t=5.0)
    run = model.simulate(1.0, state=late)
    assert run.t[0] == 5.0 and late.t == pytest.approx(6.0)
    assert run["v.slide"] == pytest.approx((np.cos(15.0) - np.cos(3.0 * run.t)) / 3.0, abs=1e-10)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_quaternions_keep_their_length(ball, method):
    run = ball.simulate(1.0, q=tilted(0.5), v=[3.0, -2.0, 40.0], method=method)
    size = sum(run[f"tip.q{c}"] ** 2 for c in "wxyz")
    assert size == pytest.approx(1.0, abs=1e-14)


# -- inputs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sampling", "per_step"), [("stages", 2), ("steps", 1)])
def test_functions_of_time_are_sampled_at_the_start_of_every_step_and_in_between(spring, sampling, per_step):
    asked: list[float] = []

    def push(t: float) -> float:
        asked.append(t)
        return 3.0 * t

    run = spring.simulate(0.01, inputs={"push": push}, dt=1e-3, sampling=sampling)
    assert asked == pytest.approx([1e-3 / per_step * i for i in range(10 * per_step + per_step - 1)])
    assert run["push"][:-1] == pytest.approx(3.0 * run.t[:-1])


def test_steps_of_an_input(spring):
    """A constant force moves the rest position; held over a step, it makes the motion exact there too."""
    run = spring.simulate(2.0, inputs={"push": lambda t: 0.0 if t < 1.0 - 1e-9 else 8.0}, sampling="steps")
    after = run.t >= 1.0
    assert run["slide"][~after] == pytest.approx(0.0, abs=1e-15)
    assert run["slide"][after] == pytest.approx(1.0 - np.cos(W * (run.t[after] - 1.0)), abs=1e-9)


def test_an_input_of_the_state_stays(spring):
    state = spring.state(u=[8.0])
    run = spring.simulate(1.0, state=state)
    assert run["slide"] == pytest.approx(1.0 - np.cos(W * run.t), abs=1e-9)
    assert run["push"] == pytest.approx(8.0)


@pytest.mark.parametrize("steps", [19_999, 20_000, 20_001, 40_007])
def test_long_runs_go_on_where_they_paused(spring, steps):
    """Python looks up every so many steps; nobody may notice."""
    run = spring.simulate(steps * 1e-4, q=[1.0], dt=1e-4, every=7, inputs={"push": lambda t: t})
    assert len(run.t) == steps // 7 + 1
    assert run["push"] == pytest.approx(run.t, abs=1e-9)
    exact = np.cos(W * run.t) + (run.t - np.sin(W * run.t) / W) / 8.0
    assert run["slide"] == pytest.approx(exact, abs=1e-11)


# -- what is recorded, what is left ------------------------------------------------------------------------


def test_every_so_many_steps(model):
    full = model.simulate(0.1, q=[1.0])
    some = model.simulate(0.1, q=[1.0], every=7)
    assert some.t == pytest.approx(full.t[::7])
    assert (some["hip"] == full["hip"][::7]).all()
    assert len(model.simulate(0.1, q=[1.0], every=1000).t) == 1


def test_the_final_state_is_left_in_the_state(model):
    state = model.state([1.0])
    run = model.simulate(0.5, state=state)
    assert (state.t, state.q[0], state.v[0]) == (pytest.approx(0.5), run["hip"][-1], run["v.hip"][-1])
    on = model.simulate(0.5, state=state)
    whole = model.simulate(1.0, q=[1.0])
    assert on["hip"][-1] == pytest.approx(whole["hip"][-1], rel=1e-12)
    assert on.t[0] == pytest.approx(0.5)


def test_live_parameters_act(model):
    state = model.state([0.1], parameters={"arm.mass": 0.0})
    run = model.simulate(0.5, state=state)
    assert run["hip"] == pytest.approx(0.1), "without mass nothing pulls"
    assert (model.simulate(0.5, q=[0.1])["hip"][1:] < 0.1).all()


def test_no_time_at_all(model):
    run = model.simulate(0.0, q=[0.3])
    assert run.t.tolist() == [0.0] and run["hip"].tolist() == [0.3]


@pytest.mark.parametrize(
    ("duration", "dt", "steps"), [(1.0, 0.1, 10), (0.3, 0.1, 3), (1.0, 0.3, 4), (0.05, 0.1, 1), (1, 1, 1)]
)
def test_a_run_covers_its_duration(model, duration, dt, steps):
    assert len(model.simulate(duration, dt=dt).t) == steps + 1


def test_sensors_and_units(spring):
    run = spring.simulate(0.1, q=[1.0])
    assert run["eye.x"] == pytest.approx(run["slide"])
    assert run["gauge.x"] == pytest.approx(-(W**2) * run["slide"])
    assert (run.units["slide"], run.units["v.slide"], run.units["push"]) == ("m", "m/s", "N")
    assert (run.units["gauge.x"], run.units["energy.total"], run.units["follower"]) == ("m/s²", "J", "N")


def test_no_channel_hides_another():
    m = Mechanism("names")
    body = m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.prismatic("a", m.ground, body, axis="x")
    other = m.body("b", mass=1.0, inertia=(1, 1, 1))
    m.prismatic("v.a", body, other, axis="y")
    m.joint_law("push", "a", m.input("a", "N", value=3.0))
    third = m.body("c", mass=1.0, inertia=(1, 1, 1))
    m.prismatic("energy.total", other, third, axis="z")
    run = m.compile().simulate(0.01, q={"a": 1.0, "v.a": 2.0})
    assert (run["a"][0], run["v.a"][0], run["input.a"][0]) == (1.0, 2.0, 3.0)
    assert run["v.v.a"][0] == 0.0 and run["energy.total"][0] == 0.0
    assert run["energy.energy.total"] == pytest.approx(run["energy.kinetic"] + run["energy.potential"])


# -- what stops a run --------------------------------------------------------------------------------------


def exploding() -> Mechanism:
    m = Mechanism("exploding")
    body = m.body("block", mass=1.0, inertia=(1, 1, 1))
    m.prismatic("slide", m.ground, body, axis="x")
    m.joint_law("runaway", "slide", lambda q, v: 1e3 * q * q * q)
    return m


@pytest.mark.parametrize("compiled", [True, False])
def test_a_run_that_leaves_the_numbers_says_when_and_keeps_what_was(monkeypatch, compiled):
    if not compiled:
        monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    model = exploding().compile()
    state = model.state([1.0])
    with pytest.raises(
        SimulationError,
        match=r"expected finite .*, found NaN or infinity at t = 0\.\d+ s of model 'exploding'; take a",
    ) as error:
        model.simulate(10.0, state=state)
    assert "\n" not in str(error.value)
    run = error.value.recording
    assert 2 < len(run.t) < 1000 and run["slide"][0] == 1.0
    assert np.isfinite(run["slide"][:-1]).all() and (np.diff(run["slide"][:-2]) > 0).all()
    assert state.t == pytest.approx(run.t[-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dt": 0.0}, "expected a positive step dt .*, found 0.0"),
        ({"dt": -0.1}, "expected a positive step dt"),
        ({"dt": math.nan}, "found nan"),
        ({"dt": math.inf}, "found inf"),
        ({"dt": "fast"}, "expected a positive step dt .*, found 'fast'"),
        ({"duration": -1.0}, "expected a duration of zero or more seconds, found -1.0"),
        ({"duration": math.nan}, "expected a duration"),
        ({"duration": math.inf}, "expected a duration"),
        ({"duration": None}, "expected a duration"),
        ({"every": 0}, "expected every as a whole number of steps, at least 1, found 0"),
        ({"every": 1.5}, "expected every"),
        ({"method": "leapfrog"}, "expected a method among euler, rk4, rosenbrock, .*, found 'leapfrog'"),
        ({"method": ["rk4"]}, "expected a method"),
        ({"duration": 1e9, "dt": 1e-9}, r"expected fewer than 2\*\*53 steps"),
        (
            {"duration": 1e6, "dt": 1e-9},
            "expected a recording that fits into memory, found 1000000000000001 samples",
        ),
        ({"q": [0.1, 0.2]}, "expected q of shape"),
        ({"inputs": {"pull": 1.0}}, "expected inputs among push, found 'pull'; declare it"),
        ({"inputs": {"push": math.nan}}, "expected finite inputs, found NaN or infinity for 'push'"),
        (
            {"inputs": {"push": "hard"}},
            r"expected a number, a function of time, samples \(times, values\) or a recording for 'push', found 'hard'",
        ),
        ({"inputs": {"push": lambda t: "hard"}}, "expected a number, a function of time, .* for 'push'"),
        ({"inputs": {"push": lambda t: math.inf}}, "expected finite inputs"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(spring, options, message):
    with pytest.raises(tw.ShapeError, match=message) as error:
        spring.simulate(**{"duration": 1.0, **options})
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


def test_either_a_state_or_its_parts(spring):
    with pytest.raises(tw.ShapeError, match="expected either a state or q, v, x"):
        spring.simulate(1.0, state=spring.state(), q=[1.0])


@pytest.mark.parametrize("wrong", [np.zeros(0), np.zeros(3), [np.nan], "q"])
def test_an_edited_state_is_checked(spring, wrong):
    """The native core trusts the sizes it is given."""
    state = spring.state()
    state.q = wrong
    with pytest.raises(tw.ShapeError, match=r"for q|q of shape"):
        spring.simulate(0.01, state=state)


def test_lists_in_a_state_will_do(spring):
    state = spring.state()
    state.q = [1.0]
    assert spring.simulate(0.01, state=state)["slide"][0] == 1.0


def test_the_state_of_another_model_is_refused(spring, model):
    with pytest.raises(tw.ShapeError, match="expected a state of model 'oscillator', found one of another"):
        spring.simulate(0.01, state=model.state())


# -- without a compiler ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize("make", [oscillator, top, swept])
def test_generated_python_follows_the_same_path(monkeypatch, make, method):
    start = {"q": tilted(0.4), "v": [1.0, 2.0, 20.0]} if make is top else {"q": [1.0]}
    inputs = {"push": lambda t: math.sin(5 * t)} if make is oscillator else None
    fast = make().compile().simulate(0.3, **start, inputs=inputs, method=method, every=3)
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    slow = make().compile().simulate(0.3, **start, inputs=inputs, method=method, every=3)
    assert list(slow) == list(fast)
    assert (slow.t == fast.t).all()
    for channel in fast:
        assert slow[channel] == pytest.approx(fast[channel], rel=1e-9, abs=1e-9), channel


def test_a_bar_is_shown_on_request(spring, capsys, monkeypatch):
    monkeypatch.setattr(simulation, "SPAN", 50)
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    run = spring.simulate(0.2, progress=True)
    assert len(run.t) == 201
    assert "simulating oscillator" in capsys.readouterr().err
    spring.simulate(0.2, progress=False)
    assert capsys.readouterr().err == ""

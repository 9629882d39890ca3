"""Inputs and drives of a run: numbers, functions, samples, recordings; mistakes in one sentence."""

from __future__ import annotations

import functools
import math

import closed_mechanisms
import numpy as np
import pytest

from touchweight.errors import ShapeError
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.input_table import InputTable, input_table


@functools.cache
def hand() -> Model:
    """A driven slide and a free force."""
    m = Mechanism("hand", gravity=(0.0, 0.0, 0.0))
    for name in ("hand", "block"):
        m.prismatic(name, m.ground, m.body(name, mass=2.0, inertia=(1.0, 1.0, 1.0)), axis="x")
    m.drive("hand")
    m.joint_law("push", "block", m.input("push", "N"))
    return m.compile()


def table(inputs=None, drives=None, dt=0.1, steps=10, sampling="stages", t=0.0) -> InputTable:
    return input_table(hand(), hand().state(t=t), inputs, drives, dt, steps, sampling)


PUSH = 3


def test_numbers_need_one_row():
    assert hand().inputs == ("hand.position", "hand.velocity", "hand.acceleration", "push")
    found = table({"push": 3.0})
    assert found.per_step == 0 and found.rows.tolist() == [[0.0, 0.0, 0.0, 3.0]]
    assert found.at_steps(4).shape == (5, 4)


@pytest.mark.parametrize(("sampling", "rows"), [("stages", 21), ("steps", 10)])
def test_functions_are_asked_once_for_each_moment(sampling, rows):
    found = table({"push": lambda t: t**2}, sampling=sampling, t=5.0)
    times = 5.0 + np.arange(rows) * (0.05 if sampling == "stages" else 0.1)
    assert found.rows[:, PUSH] == pytest.approx(times**2)
    kept = np.minimum(times[:: found.per_step], times[-1])
    assert found.at_steps(10)[: len(kept), PUSH] == pytest.approx(kept**2)


def test_samples_are_joined_by_lines_and_held_beyond_their_ends():
    found = table({"push": ([0.2, 0.4, 0.6], [1.0, 3.0, 2.0])})
    assert found.rows[:, PUSH] == pytest.approx(np.interp(0.05 * np.arange(21), [0.2, 0.4, 0.6], [1.0, 3.0, 2.0]))


def test_a_drive_from_a_function_has_the_rates_of_its_curve():
    found = table(drives={"hand": lambda t: math.sin(2.0 * t)}, dt=0.02, steps=100)
    t = 0.01 * np.arange(201)
    assert found.rows[:, 0] == pytest.approx(np.sin(2.0 * t), abs=1e-14)
    assert found.rows[:, 1] == pytest.approx(2.0 * np.cos(2.0 * t), abs=1e-8)
    assert found.rows[:, 2] == pytest.approx(-4.0 * np.sin(2.0 * t), abs=1e-5)


def test_a_drive_may_tell_its_rates_itself():
    found = table(drives={"hand": lambda t: (t**2, 2.0 * t, 2.0)})
    t = 0.05 * np.arange(21)
    assert found.rows[:, :3] == pytest.approx(np.stack([t**2, 2.0 * t, 2.0 + 0.0 * t], axis=1))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 50])
def test_a_drive_through_samples(count):
    t = np.linspace(0.0, 1.0, count)
    found = table(drives={"hand": (t, 0.3 * t - 1.0)})
    assert found.rows[:, 0] == pytest.approx(0.3 * 0.05 * np.arange(21) - 1.0, abs=1e-12)
    assert found.rows[:, 1] == pytest.approx(0.3, abs=1e-10)
    assert found.rows[:, 2] == pytest.approx(0.0, abs=1e-8)


def test_a_drive_stands_still_beyond_its_samples():
    t = np.linspace(0.2, 0.6, 9)
    found = table(drives={"hand": (t, 2.0 * t)})
    times = 0.05 * np.arange(21)
    outside = (times < 0.2 - 1e-9) | (times > 0.6 + 1e-9)
    assert (found.rows[outside, 1:3] == 0.0).all()
    assert found.rows[~outside, 1] == pytest.approx(2.0)
    assert found.rows[:, 0] == pytest.approx(2.0 * np.clip(times, 0.2, 0.6))


def test_a_recording_drives_what_it_recorded():
    first = hand().simulate(1.0, drives={"hand": lambda t: math.sin(2.0 * t)}, inputs={"push": lambda t: t}, dt=0.01)
    again = hand().simulate(1.0, drives={"hand": first}, inputs={"push": first}, dt=0.01)
    assert again["hand"] == pytest.approx(first["hand"], abs=1e-12)
    assert again["force.hand"][3:-3] == pytest.approx(first["force.hand"][3:-3], abs=1e-3)
    assert again["block"] == pytest.approx(first["block"], abs=1e-12)


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_the_last_inputs_stay_in_the_state(method):
    """So a run that goes on without new ones holds them."""
    state = hand().state()
    moving = {"hand": lambda t: (t**2, 2.0 * t, 2.0)}
    hand().simulate(0.5, state=state, drives=moving, inputs={"push": lambda t: 3.0 * t}, dt=0.01, method=method)
    assert state.u == pytest.approx([0.25, 1.0, 2.0, 1.5], abs=1e-12)
    assert (state.q[0], state.v[0]) == pytest.approx((0.25, 1.0), abs=1e-12)


def test_a_number_holds_a_drive_still():
    run = hand().simulate(0.1, drives={"hand": 0.4})
    assert (run["hand"] == 0.4).all() and (run["v.hand"] == 0.0).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"inputs": {"pull": 1.0}}, "expected inputs among hand.position, .*, found 'pull'; declare it"),
        ({"drives": {"block": 1.0}}, "expected drives without a motion of their own among hand, found 'block'"),
        ({"inputs": {"push": math.nan}}, "expected finite inputs, found NaN or infinity for 'push'"),
        ({"inputs": {"push": lambda t: math.inf}}, "expected finite inputs, found NaN or infinity for 'push'"),
        ({"drives": {"hand": lambda t: math.nan}}, "expected finite inputs, found NaN or infinity for 'hand'"),
        ({"drives": {"hand": ([0.0, 1.0], [0.0, math.nan])}}, "expected finite inputs, found NaN"),
        ({"drives": {"hand": lambda t: (math.inf, 0.0, 0.0)}}, "expected finite inputs, .* for 'hand.position'"),
        ({"drives": {"hand": lambda t: (1.0, 2.0)}}, r"\(position, velocity, acceleration\), .*, found 2 values"),
        ({"drives": {"hand": lambda t: (1.0, 0.0, 0.0) if t < 0.5 else 1.0}}, "expected position, or always"),
        ({"drives": {"hand": "fast"}}, "expected a number, a function of time, .* for 'hand', found 'fast'"),
        ({"drives": {"hand": (1, 2, 3)}}, r"expected samples \(times, values\), two rows of numbers, for 'hand'"),
        ({"inputs": {"push": ([1.0, 0.0], [0.0, 0.0])}}, "of equal length with rising times for 'push'"),
        ({"inputs": {"push": ([0.0, 1.0], [0.0])}}, r"found shapes \(2,\) and \(1,\)"),
        ({"inputs": {"push": ([0.0], [0.0])}}, "expected samples"),
        ({"inputs": {"push": np.array([1.0, 2.0])}}, "expected a number, a function of time"),
        ({"sampling": "sometimes"}, "expected sampling among stages, steps, found 'sometimes'"),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(ShapeError, match=message):
        table(**given)


def test_errors_of_the_user_s_own_function_are_theirs():
    with pytest.raises(ValueError, match="math domain error"):
        table({"push": lambda t: math.sqrt(-1.0)})


def test_no_steps():
    assert table({"push": lambda t: 2.0}, steps=0).rows[:, PUSH].tolist() == [2.0]
    assert table({"push": lambda t: 2.0}, steps=0, sampling="steps").rows[:, PUSH].tolist() == [2.0]
    run = closed_mechanisms.driven().compile().simulate(0.0)
    assert len(run.t) == 1

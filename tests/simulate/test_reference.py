"""SciPy's adaptive methods on the same functions: a witness of the fixed steps, and how they end."""

from __future__ import annotations

import functools

import closed_mechanisms
import numpy as np
import pytest

from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.reference import ADAPTIVE
from touchweight.simulate.simulation import SimulationError


@functools.cache
def made(name: str) -> Model:
    model: Model = getattr(closed_mechanisms, name)().compile()
    return model


@pytest.mark.parametrize("method", ADAPTIVE)
def test_every_method_agrees_with_small_steps(method):
    options = {"v": {"crank": 2.0}, "inputs": {"push": lambda t: np.sin(5.0 * t)}}
    fixed = made("lagging").simulate(0.2, dt=2.5e-4, every=40, **options)
    found = made("lagging").simulate(0.2, dt=1e-2, method=method, rtol=1e-8, atol=1e-10, **options)
    assert found.t == pytest.approx(fixed.t)
    for name in ("crank", "coupler", "rocker", "lag"):
        assert found[name] == pytest.approx(fixed[name], abs=2e-5)
    assert found["loops.residual"].max() < 1e-11
    assert found["force.knuckle.1"] == pytest.approx(fixed["force.knuckle.1"], rel=1e-3, abs=1e-2)


@pytest.mark.parametrize("name", ["spatial", "rolling_disc", "skate", "sliding_wall", "driven"])
def test_loops_quaternions_drives_and_time(name):
    start = {"spatial": {"first": 1.0}, "rolling_disc": {"f.wy": 3.0}, "skate": {"ice.x": 1.0, "ice.turn": 2.0}}
    fixed = made(name).simulate(0.1, v=start.get(name, {}), dt=5e-4, every=20)
    found = made(name).simulate(0.1, v=start.get(name, {}), dt=1e-2, method="DOP853", rtol=1e-11, atol=1e-12)
    for c in made(name).coordinates:
        assert found[c] == pytest.approx(fixed[c], abs=1e-8)


def test_every_so_many_samples():
    full = made("four_bar").simulate(0.5, dt=1e-2, method="DOP853")
    some = made("four_bar").simulate(0.5, dt=1e-2, method="DOP853", every=7)
    assert (some["crank"] == full["crank"][::7]).all()


def test_inputs_held_over_a_step():
    m = Mechanism("pushed")
    m.prismatic("x", m.ground, m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0)), axis="x")
    m.joint_law("push", "x", m.input("push", "N"))
    run = m.compile().simulate(1.0, dt=0.25, inputs={"push": lambda t: 4.0 * t}, sampling="steps", method="RK45")
    v = np.concatenate([[0.0], np.cumsum([0.0, 1.0, 2.0, 3.0]) * 0.25])
    assert run["v.x"] == pytest.approx(v, abs=1e-8)


def test_a_tree_without_compiler(monkeypatch):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    m = Mechanism("top")
    m.spherical("tip", m.ground, m.body("disc", mass=0.5, com=(0, 0, 0.1), inertia=(2e-3, 2e-3, 3e-3)))
    run = m.compile().simulate(0.05, v=[0.3, 0.1, 20.0], dt=1e-2, method="DOP853")
    assert np.ptp(run["energy.total"]) < 1e-8
    four_bar = closed_mechanisms.four_bar().compile().simulate(0.02, v={"crank": 2.0}, dt=1e-2, method="DOP853")
    assert np.ptp(four_bar["energy.total"]) < 1e-7


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_singular_start_at_rest_does_not_hang(method):
    model = closed_mechanisms.four_bar("pin", (0.4, 0.9, 0.4, 0.9), initial=(0.0, 0.0, 0.0)).compile()
    with pytest.raises(
        SimulationError, match=f"expected {method} to reach the end, found: loops that cannot be closed"
    ):
        model.simulate(0.1, q=[0.0, 0.0, 0.0], method=method)


def test_modes_are_not_for_adaptive_methods():
    m = closed_mechanisms.four_bar()
    m.mode("only")
    with pytest.raises(ValueError, match=r"expected one of euler, rk4, .* for a model with modes, found DOP853"):
        m.compile().simulate(0.1, method="DOP853")

"""The engines agree: the native core and generated Python, on trees, loops, drives, modes."""

from __future__ import annotations

import functools
from collections.abc import Callable

import closed_mechanisms
import numpy as np
import pytest

from touchweight.codegen.callable import NativeFunction
from touchweight.codegen.compiler import find_compiler
from touchweight.errors import TouchweightError
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.recording import Recording
from touchweight.simulate.simulation import SimulationError

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler found")


@functools.cache
def native(build: Callable[[], Mechanism]) -> Model:
    """With machine code."""
    model = build().compile()
    assert isinstance(model.function("turn"), NativeFunction)
    return model


@functools.cache
def python(build: Callable[[], Mechanism]) -> Model:
    """Without; it stays so for all that is derived later."""
    return build().compile()


def both(monkeypatch, build, duration, **options) -> tuple[Recording, Recording]:
    """The same run with machine code and without."""
    first = native(build).simulate(duration, **options)
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    return first, python(build).simulate(duration, **options)


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("four_bar", {"v": {"crank": 2.0}}),
        ("lagging", {"v": {"crank": 2.0}, "inputs": {"push": lambda t: np.sin(5.0 * t)}}),
        ("spatial", {"v": {"first": 1.0}}),
        ("rolling_disc", {"v": {"f.wy": 3.0, "f.wz": 0.5}}),
        ("skate", {"v": {"ice.x": 1.0, "ice.turn": 2.0}}),
        ("driven", {}),
        ("sliding_wall", {}),
    ],
)
def test_python_agrees_with_machine_code(monkeypatch, name, options, method):
    """Their projections differ (a partition here, least squares there), but not by more than the method's error."""
    fast, slow = both(monkeypatch, getattr(closed_mechanisms, name), 0.01, dt=5e-4, method=method, **options)
    tolerance = 1e-10 if method == "rk4" else 1e-3
    for channel in fast:
        if channel in ("loops.residual",):
            assert slow[channel].max() < 1e-10
            continue
        size = max(1.0, np.abs(fast[channel]).max())
        assert np.abs(slow[channel] - fast[channel]).max() < tolerance * size, channel


@needs_compiler
def test_euler_on_a_tree_is_the_same_to_rounding(monkeypatch):
    def top() -> Mechanism:
        m = Mechanism("top")
        m.spherical("tip", m.ground, m.body("disc", mass=0.5, com=(0, 0, 0.1), inertia=(2e-3, 2e-3, 3e-3)))
        return m

    fast, slow = both(monkeypatch, top, 0.05, v=[0.3, 0.1, 20.0], method="euler", dt=1e-3)
    for channel in fast:
        assert slow[channel] == pytest.approx(fast[channel], rel=1e-11, abs=1e-12)


def test_python_says_when_loops_open(monkeypatch):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    m = closed_mechanisms.slider_crank()
    m.drive("slide", 1.05 + 2.0 * m.time)  # 1.1 m is as far as it goes
    with pytest.raises(SimulationError, match=r"expected loops that stay closed, found them open at t = 0\.0\d+ s"):
        m.compile().simulate(0.1, dt=5e-3)


def test_what_needs_a_compiler_says_so(monkeypatch):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    with pytest.raises(TouchweightError, match="expected a C compiler for the method rosenbrock, found none"):
        closed_mechanisms.four_bar().compile().simulate(0.1, method="rosenbrock")


@needs_compiler
def test_modes_in_python(monkeypatch):
    def ball() -> Mechanism:
        m = Mechanism("ball", gravity=(0.0, 0.0, -10.0))
        m.prismatic("z", m.ground, m.body("b", mass=2.0, inertia=(1.0, 1.0, 1.0)), axis="z", initial=[0.05])
        m.mode("flight")
        m.transition("bounce", "flight", "flight", m.q("z"), restitution=0.5, rest=True)
        return m

    fast, slow = both(monkeypatch, ball, 0.4, dt=0.01)
    assert abs(len(fast.events) - len(slow.events)) <= 2, "where bounces become too small to see"
    for a, b in zip(fast.events[:15], slow.events[:15], strict=True):
        assert (a.name, a.source, a.target) == (b.name, b.source, b.target)
        assert a.t == pytest.approx(b.t, abs=1e-9)
    assert slow["z"] == pytest.approx(fast["z"], abs=1e-10)
    assert slow.events[-1].target == "bounce.rest"

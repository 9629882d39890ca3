"""Assembly: closed states from rough guesses, with what is held kept."""

from __future__ import annotations

import functools

import closed_mechanisms
import numpy as np
import pytest

from touchweight.errors import ShapeError
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.assembly import assemble
from touchweight.simulate.choice import AssemblyError


@functools.cache
def made(name: str) -> Model:
    model: Model = getattr(closed_mechanisms, name)().compile()
    return model


def gap(model: Model, state) -> tuple[float, float]:
    at = model.loops(state.mode).closure(state.q, state.t, state.parameters)
    return np.abs(at.h).max(initial=0.0), np.abs(at.jacobian @ state.v + at.rate).max(initial=0.0)


@pytest.mark.parametrize(
    "name", ["four_bar", "slider_crank", "spatial", "rolling_disc", "skate", "sliding_wall", "driven"]
)
@pytest.mark.parametrize("seed", range(3))
def test_positions_and_speeds_are_closed_from_a_rough_guess(name, seed):
    model = made(name)
    draw = np.random.default_rng(seed)
    state = model.state()
    state.q[:] = model.loops().moved(state.q, 0.3 * draw.normal(size=model.nv), state.parameters)
    state.v[:] = draw.normal(size=model.nv)
    position, speed = gap(model, assemble(model, state=state))
    assert position < 1e-10 and speed < 1e-9
    for b in model.dimensions.balls:
        assert np.linalg.norm(state.q[b : b + 4]) == pytest.approx(1.0, abs=1e-14)


def test_a_four_bar_by_its_triangles():
    """With the crank held, the others follow from the law of cosines."""
    a, b, c, base = 0.4, 0.9, 0.7, 0.8
    state = assemble(made("four_bar"), q={"crank": -0.7, "coupler": 0.6, "rocker": -1.5}, hold=["crank"])
    crank, coupler, rocker = state.q
    assert crank == -0.7
    tip = np.array([a * np.cos(crank), -a * np.sin(crank)])
    reach = np.linalg.norm(tip - [base, 0.0])
    elbow = np.arccos((b**2 + c**2 - reach**2) / (2 * b * c))
    assert abs(np.cos(crank + coupler - rocker)) == pytest.approx(abs(np.cos(elbow)), abs=1e-10)


def test_speeds_are_held_or_changed_as_little_as_possible():
    model = made("four_bar")
    q = assemble(model).q
    held = assemble(model, q=q, v={"crank": 2.0}, hold=["crank"])
    assert held.v[0] == 2.0
    assert gap(model, held)[1] < 1e-9
    free = assemble(model, q=q, v={"crank": 2.0})
    mass = model.mass_matrix(free.q)
    change = free.v - np.array([2.0, 0.0, 0.0])
    along = held.v  # the only way to move
    assert abs(change @ mass @ along) < 1e-9 * np.linalg.norm(change), "across it, as kinetic energy measures"


def test_holding_an_orientation():
    model = made("spatial")
    names = list(model.coordinates)
    state = assemble(model, hold=["first"])
    assert state.q[names.index("first")] == model.dimensions.q_default[names.index("first")]
    at = [names.index(f"ball.q{k}") for k in "wxyz"]
    turned = assemble(model, q=state.q, v={"ball.wx": 1.0, "first": 1.0}, hold=["ball.qw"])
    assert turned.q[at] == pytest.approx(state.q[at], abs=1e-15)
    with pytest.raises(AssemblyError, match="'socket' open by"):
        assemble(model, hold=["ball.qw"])  # its speeds stand still, so all of it stays, and two cranks are not enough


def test_what_cannot_be_is_said_in_one_sentence():
    model = made("four_bar")
    with pytest.raises(AssemblyError, match=r"expected loops that close, found 'knuckle' open by 0\.\d+ \[m or rad\]"):
        assemble(model, q={"crank": 0.0, "rocker": 0.5}, hold=["crank", "rocker"])
    with pytest.raises(AssemblyError, match=r"expected speeds that keep the loops closed, found 'knuckle' opening at"):
        assemble(model, q=assemble(model).q, v={"crank": 1.0, "rocker": -50.0}, hold=["crank", "coupler", "rocker"])
    with pytest.raises(ShapeError, match="expected names of coordinates or speeds to hold, found 'wheel'"):
        assemble(model, hold=["wheel"])
    with pytest.raises(ShapeError, match="expected either a state or q, v"):
        assemble(model, q=[0.0, 0.0, 0.0], state=model.state())


def test_the_ends_of_a_rod_may_start_in_one_place():
    """There the direction of the rod is not known."""
    m = Mechanism("pendulum on a rod")
    ball = m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.free("ball", ball)
    m.rod("rod", m.ground, ball, 0.7)
    state = assemble(m.compile())
    assert np.linalg.norm(state.q[:3]) == pytest.approx(0.7, abs=1e-10)


def test_in_a_mode():
    m = closed_mechanisms.four_bar()
    m.mode("open", active=())
    m.mode("closed", active=("knuckle",))
    m.transition("close", "open", "closed", 1.0 - m.time)
    model = m.compile()
    loose = assemble(model, q=[0.0, 0.0, 0.0])
    assert loose.q.tolist() == [0.0, 0.0, 0.0]
    closed = assemble(model, q=[-1.0, 0.8, -1.6], mode="closed")
    assert gap(model, closed)[0] < 1e-10

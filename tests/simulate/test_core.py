"""The native core: order of its methods, residuals, stiff elements, work space, statistics."""

from __future__ import annotations

import functools
import itertools
import warnings

import closed_mechanisms
import numpy as np
import pytest

from touchweight.codegen.compiler import find_compiler
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.assembly import assemble
from touchweight.simulate.core import BAD_CALL, DONE, Core
from touchweight.symbolic import sin

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler found")

EULER, RK4, ROSENBROCK = 0, 1, 2
METHODS = {"euler": EULER, "rk4": RK4, "rosenbrock": ROSENBROCK}

#: what moves how: speeds to start with
STARTS = {
    "four_bar": {"crank": 2.0},
    "lagging": {"crank": 2.0},
    "spatial": {"first": 1.0},
    "rolling_disc": {"f.wy": 3.0, "f.wz": 0.5, "f.wx": 0.3},
    "skate": {"ice.x": 1.0, "ice.turn": 2.0},
    "sliding_wall": {},
}
ALL = (*STARTS, "slider_crank", "driven", "redundant")


@functools.cache
def made(name: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model: Model = getattr(closed_mechanisms, name)().compile()
    return model


def end(name: str, dt: float, method: str, duration: float) -> np.ndarray:
    model = made(name)
    inputs = {"push": lambda t: 3.0 * np.sin(5.0 * t)} if name == "lagging" else {}
    run = model.simulate(duration, v=STARTS[name], dt=dt, method=method, inputs=inputs)
    return np.array([run[c][-1] for c in (*model.coordinates, *model.states)])


@pytest.mark.parametrize("name", list(STARTS))
@pytest.mark.parametrize(
    ("method", "order", "dt"), [("rk4", 4, 2.5e-3), ("rosenbrock", 2, 1.25e-3), ("euler", 1, 6e-4)]
)
def test_the_order_of_a_method_is_kept_by_loops_drives_states_and_quaternions(name, method, order, dt):
    duration = 0.15
    grid = [dt * 2 ** (1 - k) for k in range(2)]
    grid = [duration / round(duration / h) for h in grid]
    exact = end(name, duration / 2400, "rk4", duration)
    errors = [np.abs(end(name, h, method, duration) - exact).max() for h in grid]
    if errors[1] < 1e-13:
        return  # nothing left to see
    found = np.log(errors[0] / errors[1]) / np.log(grid[0] / grid[1])
    assert found > order - 0.35, f"errors {errors}"


def test_rk4_stays_of_fourth_order_down_to_rounding():
    """Every halving of the step divides the error by sixteen, with quaternions in the loop."""
    ends = [end("spatial", h, "rk4", 0.2) for h in (2e-3, 1e-3, 5e-4, 2.5e-4)]
    gaps = [np.abs(a - b).max() for a, b in itertools.pairwise(ends)]
    assert gaps[0] / gaps[1] == pytest.approx(16.0, rel=0.15)
    assert gaps[1] / gaps[2] == pytest.approx(16.0, rel=0.3)


@pytest.mark.parametrize("name", ["four_bar", "spatial", "skate", "redundant"])
@pytest.mark.parametrize("method", ["rk4", "rosenbrock"])
def test_energy_is_kept_ever_better_and_loops_stay_closed(name, method):
    start = STARTS.get(name, {"crank": 2.0})
    drifts = []
    for dt in (4e-3, 2e-3):
        run = made(name).simulate(0.2, v=start, dt=dt, method=method)
        drifts.append(np.abs(run["energy.total"] - run["energy.total"][0]).max())
        assert run["loops.residual"].max() < 1e-12
    assert drifts[1] < 1e-11 or drifts[0] / drifts[1] > (12.0 if method == "rk4" else 3.0)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("method", list(METHODS.values()))
def test_positions_and_speeds_are_closed_at_every_step(name, method):
    model = made(name)
    loops = model.loops()
    state = assemble(model, v=np.random.default_rng(0).normal(size=model.nv))
    core = Core(model, state.parameters, implicit=method == ROSENBROCK)
    y, n = np.concatenate([state.q, state.v, state.x]), 30
    rows, residual = np.empty((n, len(y))), np.empty(n)
    u = state.u if len(state.u) else np.zeros(1)
    taken, ended = core.integrate(method, 0.0, 2e-3, n, y, u, 0, 1, rows, residual)
    assert (taken, ended) == (n, DONE)
    assert residual.max() < 1e-12
    for i, row in enumerate(rows):
        q, v = row[: model.nq], row[model.nq : model.nq + model.nv]
        at = loops.closure(q, 2e-3 * (i + 1), state.parameters)
        assert np.abs(at.h).max(initial=0.0) < 1e-12
        assert np.abs(at.jacobian @ v + at.rate).max(initial=0.0) < 1e-12 * (1.0 + np.abs(v).max())
        for b in model.dimensions.balls:
            assert np.linalg.norm(q[b : b + 4]) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("method", list(METHODS.values()))
def test_nothing_is_read_before_it_is_written(name, method):
    """A work space full of NaN gives the very same numbers."""
    model = made(name)
    state = assemble(model, v=np.random.default_rng(1).normal(size=model.nv))
    u = state.u if len(state.u) else np.zeros(1)
    runs = []
    for fill in (0.0, np.nan):
        for generated in (True, False):
            core = Core(model, state.parameters, implicit=True, generated=generated)
            for i in range(len(core.work)):
                core.work[i] = fill
            y, n = np.concatenate([state.q, state.v, state.x]), 5
            rows, residual = np.empty((n, len(y))), np.empty(n)
            core.integrate(method, 0.0, 2e-3, n, y, u, 0, 1, rows, residual)
            runs.append((rows, *core.evaluate(0.01, y, u, forces=True)[1:]))
    for clean, dirty in zip(runs[:2], runs[2:], strict=True):
        for a, b in zip(clean, dirty, strict=True):
            assert np.array_equal(a, b) and np.isfinite(a).all()


@pytest.mark.parametrize("stiffness", [1e8, 1e12])
@pytest.mark.parametrize("damping", [0.0, 1e4])
def test_a_step_may_be_far_longer_than_a_stiff_spring_swings(stiffness, damping):
    """A pendulum on a stiff support: k dt² / m is 1e4 and more; the pendulum doesn't care."""
    m = Mechanism("support")
    sled = m.body("sled", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.prismatic("z", m.ground, sled, axis="z", stiffness=stiffness, damping=damping)
    arm = m.body("arm", mass=1.0, com=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.revolute("arm", sled, arm, axis="y")
    run = m.compile().simulate(2.0, q={"arm": 1.0}, dt=1e-2, method="rosenbrock")
    rigid = Mechanism("rigid")
    arm = rigid.body("arm", mass=1.0, com=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.1))
    rigid.revolute("arm", rigid.ground, arm, axis="y")
    expected = rigid.compile().simulate(2.0, q={"arm": 1.0}, dt=1e-2)
    assert run["arm"] == pytest.approx(expected["arm"], abs=2e-3)
    assert np.abs(run["z"]).max() < 100.0 / stiffness


def test_stiff_damping_on_a_dependent_joint_and_a_stiff_state():
    stiff = closed_mechanisms.four_bar(damping=1e6).compile()
    run = stiff.simulate(0.5, q={"crank": -1.0}, v={"crank": 1.0}, dt=1e-2, method="rosenbrock")
    assert np.abs(np.diff(run["crank"][2:])).max() < 1e-6, "it creeps"
    m = closed_mechanisms.four_bar()
    lag = m.state("lag", lambda x: (1e3 * m.q("rocker") - x) / 1e-5, initial=-1000.0)
    m.joint_law("pull", "rocker", -lag - 50.0 * m.v("rocker"))
    direct = closed_mechanisms.four_bar()
    direct.joint_law("pull", "rocker", -1e3 * direct.q("rocker") - 50.0 * direct.v("rocker"))
    options = {"q": {"crank": -1.0}, "dt": 2e-3}
    slow = m.compile().simulate(0.4, method="rosenbrock", **options)
    expected = direct.compile().simulate(0.4, **options)
    assert slow["rocker"] == pytest.approx(expected["rocker"], abs=3e-3), "a state that follows at once"


def test_inputs_of_time_keep_the_fourth_order():
    m = Mechanism("pushed")
    block = m.body("block", mass=2.0, inertia=(1.0, 1.0, 1.0))
    m.prismatic("slide", m.ground, block, axis="x")
    m.joint_law("push", "slide", m.input("push", "N"))
    model = m.compile()
    errors = []
    for dt in (0.1, 0.05, 0.025):
        run = model.simulate(2.0, inputs={"push": lambda t: 2.0 * np.cos(3.0 * t)}, dt=dt)
        errors.append(np.abs(run["slide"] - (1.0 - np.cos(3.0 * run.t)) / 9.0).max())
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(16.0, rel=0.1)
    told = Mechanism("told by the clock")
    block = told.body("block", mass=2.0, inertia=(1.0, 1.0, 1.0))
    told.prismatic("slide", told.ground, block, axis="x")
    told.joint_law("push", "slide", 2.0 * sin(3.0 * told.time))
    run = told.compile().simulate(2.0, dt=0.01)
    assert run["slide"][-1] == pytest.approx((2.0 - np.sin(6.0) / 3.0) / 3.0, abs=1e-8)


def test_independent_speeds_of_the_user_s_choice_are_left_where_they_are_not():
    """The rocker stands still at its dead points, while the crank turns on: no speed of the crank follows from it."""
    options = {"q": {"crank": -1.0}, "v": {"crank": 9.0}, "dt": 2.5e-4}
    model = closed_mechanisms.four_bar().compile(independent=["rocker"])
    chosen = model.loops().chosen.partition.dependent
    assert [model.speeds[k] for k in range(3) if k not in chosen] == ["rocker"]
    run, plain = model.simulate(1.0, **options), made("four_bar").simulate(1.0, **options)
    assert np.ptp(run["energy.total"]) < 1e-4
    assert run["crank"] == pytest.approx(plain["crank"], abs=1e-4)


def test_statistics():
    model = made("four_bar")
    state = assemble(model, v={"crank": 2.0})
    core = Core(model, state.parameters)
    y = np.concatenate([state.q, state.v, state.x])
    core.integrate(RK4, 0.0, 1e-3, 100, y, np.zeros(1), 0, 100, np.empty((1, len(y))), np.empty(1))
    seen = core.statistics
    assert seen.evaluations >= 400
    assert 0 < seen.newton < 2000 and 0 < seen.most_newton <= 12
    assert seen.singular == 0
    assert seen.residual < 1e-13


def test_a_tree_takes_no_forces_from_outside_in_its_rates():
    m = Mechanism("tree")
    m.prismatic("x", m.ground, m.body("b", mass=2.0, inertia=(1.0, 1.0, 1.0)), axis="x")
    model = m.compile()
    y, tau = np.zeros(2), np.array([4.0])
    assert Core(model, model.parameters).evaluate(0.0, y, np.zeros(1), tau=tau)[0] == BAD_CALL
    ended, dy, _ = Core(model, model.parameters, hybrid=True).evaluate(0.0, y, np.zeros(1), tau=tau)
    assert (ended, dy.tolist()) == (DONE, [0.0, 2.0])

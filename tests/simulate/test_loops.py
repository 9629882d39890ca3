"""Closed mechanisms three ways: the generated partition, the generic native path, and least squares in NumPy."""

from __future__ import annotations

import functools
import warnings

import closed_mechanisms
import numpy as np
import pytest

from touchweight.codegen.compiler import find_compiler
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.assembly import assemble
from touchweight.simulate.choice import AssemblyError
from touchweight.simulate.core import DONE, Core
from touchweight.simulate.simulation import SimulationError
from touchweight.simulate.state import State

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler found")

NAMES = (
    "four_bar", "slider_crank", "spatial", "rolling_disc", "skate", "lagging", "sliding_wall", "driven", "redundant",
)  # fmt: skip


@functools.cache
def made(name: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # redundant rows are on purpose here
        model: Model = getattr(closed_mechanisms, name)().compile()
    return model


def closed_states(model: Model, count: int = 6, spread: float = 0.3) -> list[State]:
    """Closed states here and there, with random speeds, states and inputs."""
    draw = np.random.default_rng(3)
    loops = model.loops()
    out = []
    for k in range(count):
        state = model.state(t=0.2 * k)
        state.v[:] = draw.normal(size=model.nv)
        state.x[:] = draw.normal(size=len(state.x))
        state.u[:] = draw.normal(size=len(state.u))
        state.q[:] = loops.moved(loops.chosen.q, spread * draw.normal(size=model.nv), state.parameters)
        out.append(assemble(model, state=state))
    return out


@needs_compiler
@pytest.mark.parametrize("name", NAMES)
def test_three_ways_to_the_same_accelerations(name):
    model = made(name)
    loops = model.loops()
    for state in closed_states(model):
        y = np.concatenate([state.q, state.v, state.x])
        expected, closed = loops.rates(state.t, y, state.u, state.parameters)
        size = np.abs(expected).max()
        assert closed == pytest.approx(y, abs=1e-12), "a closed state stays as it is"
        for generated in (True, False):
            core, z = Core(model, state.parameters, generated=generated), y.copy()
            ended, found, _ = core.evaluate(state.t, z, state.u)
            assert ended == DONE
            assert np.abs(found - expected).max() < 1e-11 * size
            assert z == pytest.approx(y, abs=1e-12)


@needs_compiler
@pytest.mark.parametrize("name", NAMES)
def test_forces_balance_the_equations_of_motion(name):
    """M a + c = Jᵀ λ + Q on every speed, with the native multipliers and with those of least squares."""
    model = made(name)
    loops = model.loops()
    used = loops.chosen.partition.rows
    held = loops.driven_speeds + loops.locked_speeds
    cores = [Core(model, model.parameters, generated=on, feel=on) for on in (False, True)]
    for state in closed_states(model):
        y = np.concatenate([state.q, state.v, state.x])
        (ended, dy, native), (_, _, generated) = (c.evaluate(state.t, y.copy(), state.u, forces=True) for c in cores)
        assert generated == pytest.approx(native, rel=1e-9, abs=1e-9 * np.abs(native).max(initial=1.0))
        a, force, drives = loops.accelerations(state.q, state.v, state.x, state.u, state.t, state.parameters)
        assert ended == DONE
        assert dy[model.nq : model.nq + model.nv] == pytest.approx(a, rel=1e-9, abs=1e-9)
        needed = model.inverse(state.q, state.v, a, x=state.x, u=state.u, t=state.t)
        jacobian = loops.closure(state.q, state.t, state.parameters).jacobian
        assert jacobian @ a + loops.drift(state.q, state.v, state.t, state.parameters) == pytest.approx(0.0, abs=1e-9)
        for pull, taken in (
            (jacobian.T @ force, drives),
            (jacobian[used].T @ native[: len(used)], native[len(used) :]),
        ):
            pull[held] += taken
            assert pull == pytest.approx(needed, abs=1e-9 * np.abs(needed).max())


@needs_compiler
@pytest.mark.parametrize("name", ["four_bar", "lagging", "spatial"])
def test_forces_from_outside_are_added(name):
    model = made(name)
    core = Core(model, model.parameters)
    tau = np.random.default_rng(0).normal(size=model.nv)
    for state in closed_states(model, 3):
        y = np.concatenate([state.q, state.v, state.x])
        _, dy, _ = core.evaluate(state.t, y.copy(), state.u, tau=tau)
        expected = model.loops().accelerations(state.q, state.v, state.x, state.u, state.t, state.parameters, tau=tau)[
            0
        ]
        assert dy[model.nq : model.nq + model.nv] == pytest.approx(expected, rel=1e-10, abs=1e-9)


# -- redundancy ------------------------------------------------------------------------------------------------
@needs_compiler
@pytest.mark.parametrize(
    ("cut", "redundant"),
    [
        ("ball", ("knuckle.y",)),
        ("hinge", ("knuckle.y", "knuckle.t1", "knuckle.t2")),
        ("body", ("knuckle.y", "knuckle.tx", "knuckle.tz")),
    ],
)
@pytest.mark.filterwarnings("ignore:loops. expected at most")
def test_cuts_in_space_of_a_plane_linkage_name_what_is_redundant_and_move_the_same(cut, redundant):
    options = {"q": {"crank": -1.0}, "v": {"crank": 3.0}}
    plane = made("four_bar").simulate(1.0, **options)
    model = closed_mechanisms.four_bar(cut).compile()
    space = model.simulate(1.0, **options)
    assert model.loops().chosen.redundant == redundant
    assert space["loops.residual"].max() < 1e-13
    if cut != "body":  # that one carries half a knuckle more
        assert space["crank"] == pytest.approx(plane["crank"], abs=1e-11)


def test_loops_that_cannot_close_are_named_with_their_gap():
    m = Mechanism("rods")
    ball = m.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.free("ball", ball)
    m.rod("short", m.ground, ball, 1.0)
    m.rod("far", m.frame("there", m.ground, (5.0, 0.0, 0.0)), ball, 1.0)
    with pytest.raises(AssemblyError, match=r"expected loops that close, found '\w+' open by .*'\w+' open by [^.]"):
        m.compile().simulate(0.1)


def test_gears_in_conflict_are_named():
    m = Mechanism("gears")
    for name in "abc":
        m.revolute(name, m.ground, m.body(name, mass=1.0, inertia=(1.0, 1.0, 1.0)))
    m.gear("first", "a", "b", 2.0)
    m.gear("second", "b", "c", 2.0)
    m.gear("third", "a", "c", 4.0, offset=0.1)
    with pytest.raises(AssemblyError, match=r"expected loops that close, found 'first' open by 0\.0333"):
        m.compile().simulate(0.1)


# -- drives ----------------------------------------------------------------------------------------------------
@functools.cache
def overdriven() -> Model:
    m = closed_mechanisms.driven()
    m.drive("rocker")
    with pytest.warns(UserWarning, match="expected at most 3 equations and drives"):
        return m.compile()


@needs_compiler
def test_a_drive_too_many_that_agrees_does_no_harm():
    one = made("driven").simulate(0.4)
    two = overdriven().simulate(0.4, drives={"rocker": (one.t, one["rocker"])})
    assert len(overdriven().loops().chosen.redundant) == 1
    assert two["coupler"] == pytest.approx(one["coupler"], abs=1e-9)


@needs_compiler
def test_a_drive_too_many_that_contradicts_ends_the_run():
    one = made("driven").simulate(0.4)
    bent = one["rocker"] + 0.1 * np.maximum(0.0, one.t - 0.2) ** 3
    with pytest.raises(
        SimulationError, match=r"expected loops that stay closed, found them open at t = 0\.2\d* s"
    ) as e:
        overdriven().simulate(0.4, drives={"rocker": (one.t, bent)})
    assert e.value.recording is not None
    assert e.value.recording.t[-1] == pytest.approx(0.22, abs=0.02)


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "euler", "rosenbrock", "DOP853", "Radau", "LSODA", "BDF"])
def test_a_drive_beyond_reach_ends_the_run_in_one_sentence(method):
    m = closed_mechanisms.slider_crank()
    m.drive("slide", 1.06 + 0.5 * m.time)  # 1.1 m is as far as it goes
    with pytest.raises(SimulationError, match=r"^expected [^.]+, found[^;]*at t = 0\.\d+ s of model [^;]*;[^;]*$"):
        m.compile().simulate(0.12, method=method, dt=5e-3)


@needs_compiler
def test_live_drives_start_where_the_run_puts_them():
    """Nothing about a drive from outside is known beforehand, not even whether the loops close at zero."""
    model = closed_mechanisms.slider_crank(live=True).compile()
    run = model.simulate(0.5, drives={"slide": lambda t: 0.9 + 0.1 * np.sin(3.0 * t)})
    assert run["slide"] == pytest.approx(0.9 + 0.1 * np.sin(3.0 * run.t), abs=1e-12)
    assert run["loops.residual"].max() < 1e-12


# -- singular positions ----------------------------------------------------------------------------------------
@needs_compiler
@pytest.mark.parametrize("start", [-1.19, -1.0, -0.83])
@pytest.mark.parametrize("dt", [0.01, 0.003])
def test_a_parallelogram_stays_one_through_flat(start, dt):
    lengths = (0.4, 0.9, 0.4, 0.9)
    model = closed_mechanisms.four_bar("pin", lengths, initial=(-1.0, 1.0, -1.0)).compile()
    run = model.simulate(1.5, q={"crank": start}, v={"crank": 8.0}, dt=dt)
    assert run["crank"][-1] - run["crank"][0] > 4 * np.pi, "through flat several times"
    assert run["rocker"] == pytest.approx(run["crank"], abs=1e-9)
    assert run["loops.residual"].max() < 1e-12
    assert np.ptp(run["energy.total"]) < (1e-5 if dt == 0.01 else 1e-7)


@needs_compiler
def test_starting_flat():
    model = closed_mechanisms.four_bar("pin", (0.4, 0.9, 0.4, 0.9), initial=(0.0, 0.0, 0.0)).compile()
    run = model.simulate(0.5, q=[0.0, 0.0, 0.0], v=[5.0, -5.0, 5.0])
    assert run["rocker"] == pytest.approx(run["crank"], abs=1e-9)
    assert np.ptp(run["energy.total"]) < 1e-7
    with pytest.raises(SimulationError, match=r"expected a position that says how .*, found a singular one at rest"):
        model.simulate(0.5, q=[0.0, 0.0, 0.0])


@needs_compiler
@pytest.mark.parametrize("drive", [True, False])
def test_a_crank_as_long_as_its_rod_goes_through_the_middle(drive):
    """At a right angle the slide stands over the hinge, and J has lost a rank; the motion is slide = 2 r cos(crank)."""
    m = closed_mechanisms.slider_crank(0.4, 0.4)
    if drive:
        m.drive("crank", -0.6 - 3.0 * m.time)
    options = {} if drive else {"q": {"crank": -0.6}, "v": {"crank": -5.0}}
    run = m.compile().simulate(1.0, **options)
    assert run["crank"][-1] < -3.0
    assert run["slide"] == pytest.approx(0.8 * np.cos(run["crank"]), abs=1e-10)
    if not drive:
        assert np.ptp(run["energy.total"]) < 1e-6


@needs_compiler
def test_a_skate_turns_all_the_way_round():
    """On a knife edge without forces it runs in a circle: no speed may stay the dependent one."""
    run = made("skate").simulate(7.0, v={"ice.x": 1.0, "ice.turn": 2.0}, dt=1e-2)
    assert run["ice.x"] == pytest.approx(0.5 * np.sin(2.0 * run.t), abs=1e-6)
    assert run["ice.y"] == pytest.approx(0.5 * (1.0 - np.cos(2.0 * run.t)), abs=1e-6)
    core = Core(made("skate"), made("skate").parameters)
    y = np.array([0.0, 0.0, 0.5 * np.pi - 1e-9, 0.0, 1.0, 2.0])
    ended, dy, _ = core.evaluate(0.0, y, np.zeros(1))
    assert ended == DONE and core.statistics.generic, "the generated partition knows that it is ill"
    assert dy[3:] == pytest.approx([-2.0, 0.0, 0.0], abs=1e-8)


@needs_compiler
def test_a_partition_is_judged_away_from_where_it_starts():
    near, far = (
        closed_mechanisms.four_bar("pin", (0.4, 0.9, 0.4, 0.9), initial=(a, -a, a)).compile().loops().chosen
        for a in (-0.02, -1.0)
    )
    assert near.pivot > 0.3 * far.pivot

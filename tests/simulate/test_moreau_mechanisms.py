"""The non-smooth method on mechanisms: joints with dry friction, felts, loops and drives with contacts, energy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from touching import flat, watch

import touchweight as tw
from touchweight.mechanism import ContactLaw, Mechanism


# -- smooth motion ---------------------------------------------------------------------------------------
def linkage(closed: bool) -> Mechanism:
    """Crank, coupler, rocker: an open chain, or a four-bar."""
    m = Mechanism("linkage")
    for name, parent, origin, length, start in (
        ("crank", "ground", (0, 0, 0), 0.1, 0.3),
        ("coupler", "crank", (0, 0, 0.1), 0.3, 1.0),
        ("rocker", "ground", (0.3, 0, 0), 0.2, 0.2),
    ):
        m.body(name, mass=0.5, com=(0, 0, length / 2), inertia=(0.002, 0.002, 0.001))
        m.revolute(name, parent, name, axis="y", origin=origin, initial=[start])
    if closed:
        m.cut_pin("pin", m.frame("a", "coupler", (0, 0, 0.3)), m.frame("b", "rocker", (0, 0, 0.2)), axis="y")
    return m


@pytest.mark.parametrize("closed", [False, True])
def test_without_contacts_it_is_the_same_motion_to_second_order(closed: bool) -> None:
    model = linkage(closed).compile()
    q, v = {"crank": 0.3}, {"crank": 3.0}
    exact = model.simulate(0.5, q=q, v=v, dt=1e-4, method="rk4")
    errors = []
    for dt in (1e-3, 5e-4):
        run = model.simulate(0.5, q=q, v=v, dt=dt, method="moreau")
        errors.append(abs(run["crank"][-1] - exact["crank"][-1]))
    assert errors[0] < 5e-3
    assert errors[1] < 0.3 * errors[0]


def test_energy_of_a_closed_loop_that_meets_a_felt_comes_back() -> None:
    """The rocker of a four-bar bounces off a felt without loss; where nothing is pressed, nothing is missing."""
    m = linkage(True)
    m.circle("tip", "rocker", (0, 0, 0.2), 0.01)
    m.line("wall", m.ground, (0.34, 0, 0), normal="-x")
    m.contact("hit", "tip", "wall", tw.felt(1e6, 2.0))
    run = m.compile().simulate(1.0, q={"crank": 0.3}, v={"crank": 3.0}, dt=2.5e-4)
    energy, free = run["energy.total"], run["force.hit"] == 0.0
    assert run["force.hit"].max() > 1.0
    assert energy[free & np.roll(free, 1)] == pytest.approx(energy[0], abs=1e-5)
    assert run["loops.residual"].max() < 1e-12


def test_many_joints_about_to_stick_take_few_looks() -> None:
    """Here Newton's method alone goes round in circles."""
    m = Mechanism("heap of friction")
    parent, origin = "ground", (0.0, 0.0, 0.5)
    m.line("floor", m.ground, (0, 0, 0))
    for i in range(6):
        m.body(f"l{i}", mass=0.1, com=(0.05, 0, 0), inertia=(1e-4,) * 3)
        m.revolute(f"l{i}", parent, f"l{i}", axis="y", origin=origin, friction=0.02 + 0.004 * i)
        m.circle(f"end{i}", f"l{i}", (0.1, 0, 0), 0.01)
        m.contact(f"hit{i}", f"end{i}", "floor", tw.felt(1e7, 2.0, 1e7), 0.4)
        parent, origin = f"l{i}", (0.1, 0.0, 0.0)
    run = watch(m, 2.0, 1e-3)
    assert run.looks <= 40
    assert max(abs(v[-1]) for v in run.v.values()) < 1e-6


def test_stiff_springs_between_frames_are_taken_implicitly() -> None:
    """A spring a hundred times too stiff for the step, and a damper likewise."""
    m = Mechanism("stiff")
    m.prismatic("z", m.ground, m.body("ball", mass=0.1), axis="z", initial=[1.0])
    m.spring("spring", m.ground, "ball", stiffness=1e7, length=1.0, damping=100.0)
    run = m.compile().simulate(0.2, dt=1e-3, method="moreau", theta=0.6)
    assert np.abs(run["z"] - 1.0).max() < 1e-4
    assert run["z"][-1] - 1.0 == pytest.approx(-0.981 / 1e7, rel=1e-3)


# -- dry friction in joints ------------------------------------------------------------------------------
def test_a_wheel_stops_when_its_friction_has_taken_its_momentum() -> None:
    m = Mechanism("wheel", gravity=(0, 0, 0))
    m.revolute("axle", m.ground, m.body("wheel", inertia=(0.1, 0.1, 0.1)), axis="y", friction=0.2)
    run = watch(m, 6.0, 1e-3, v={"axle": 10.0})
    stopped = int(np.argmax(np.abs(run.v["axle"]) < 1e-9))
    assert 0.0 <= run.t[stopped] - 5.0 <= 1.01e-3
    assert run.q["axle"][-1] == pytest.approx(25.0, abs=1e-4)
    assert np.ptp(run.q["axle"][stopped:]) == 0.0


@pytest.mark.parametrize(("friction", "holds"), [(9.82, True), (9.80, False)])
def test_a_loaded_joint_sticks_or_not(friction: float, holds: bool) -> None:
    """An arm that weighs 9.81 N m on its hinge."""
    m = Mechanism("arm")
    m.revolute(
        "hinge", m.ground, m.body("arm", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)), axis="y", friction=friction
    )
    run = watch(m, 10.0 if holds else 1.0, 1e-2)
    if holds:
        assert np.abs(run.q["hinge"]).max() == 0.0
        assert run.force["hinge.dry_friction"] == pytest.approx(-9.81, rel=1e-6)
    else:
        assert run.q["hinge"][-1] > 1e-3
        assert run.force["hinge.dry_friction"] == pytest.approx(-9.80)


# -- felts -----------------------------------------------------------------------------------------------
def dropped(law: ContactLaw, friction: float, height: float) -> Mechanism:
    m = Mechanism("dropped")
    m.circle("disc", flat(m, "b", 0.1, 1e-4, (0.0, height)), (0, 0, 0), 0.03)
    m.line("floor", m.ground, (0, 0, 0))
    m.contact("hit", "disc", "floor", law, friction)
    return m


@pytest.mark.parametrize("law", [tw.felt(1e7, 2.2, 1e6), tw.linear(1e4, 2.0), tw.hertz(1e6, 0.3)], ids=lambda x: x.name)
def test_felts_do_what_the_smooth_methods_find_with_tiny_steps(law: ContactLaw) -> None:
    model = dropped(law, 0.0, 0.06).compile()
    exact = model.simulate(0.3, dt=1e-5, method="rk4", every=100)
    for dt in (1e-3, 1.25e-4):
        run = model.simulate(0.3, dt=dt)
        error = np.abs(run["b.z"][:: round(1e-3 / dt)] - exact["b.z"]).max()
        assert error < (3e-3 if dt == 1e-3 else 1.5e-4)
        assert run["force.hit"].min() >= 0.0
    assert run["force.hit"].max() == pytest.approx(_peak(model, law), rel=2e-2)


def _peak(model: tw.Model, law: ContactLaw) -> float:
    """The largest force, from a run with tiny steps."""
    exact = model.simulate(0.15, dt=2e-6, method="rk4", every=5)
    depth = np.maximum(0.03 - exact["b.z"], 0.0)
    given = {k: float(v) for k, v in law.parameters.items()}  # type: ignore[arg-type]
    assert law.force is not None
    force = law.force(depth, -exact["v.b.z"], **given)
    return float(np.max(np.where(depth > 0.0, force, 0.0)))  # type: ignore[call-overload]


def test_friction_on_felt_is_that_of_the_smoothed_law_in_the_limit() -> None:
    model = dropped(tw.felt(1e7, 2.2, 1e6), 0.3, 0.03).compile()
    smooth = model.simulate(0.3, v={"b.x": 0.3}, dt=1e-5, method="rk4", every=100)
    run = model.simulate(0.3, v={"b.x": 0.3}, dt=1e-4, every=10)
    assert np.abs(run["b.x"] - smooth["b.x"]).max() < 1e-4
    # it ends rolling, with the angular momentum about the point of contact that it had
    ratio = 0.1 * 0.03**2 / 1e-4
    assert run["v.b.x"][-1] == pytest.approx(0.3 * ratio / (1 + ratio), rel=0.05)


def test_a_felt_never_pulls() -> None:
    """A strong damper would hold back what leaves."""
    model = dropped(tw.linear(1e4, 300.0), 0.0, 0.06).compile()
    run = model.simulate(0.3, dt=1e-4)
    assert run["force.hit"].min() >= 0.0
    m = dropped(tw.felt(1e8, 1.0, 1e9), 0.2, 0.06)
    assert m.compile().simulate(0.3, dt=5e-4)["force.hit"].min() >= 0.0


def test_a_weight_on_felt_sinks_in_to_its_rest() -> None:
    run = dropped(tw.felt(1e7, 2.0, 1e8), 0.3, 0.0302).compile().simulate(2.0, dt=1e-3)
    assert 0.03 - run["b.z"][-1] == pytest.approx(math.sqrt(0.981 / 1e7), rel=1e-3)
    assert run["force.hit"][-1] == pytest.approx(0.981, rel=1e-3)


# -- together --------------------------------------------------------------------------------------------
def slider_crank(driven: bool) -> Mechanism:
    """A slider-crank whose slider has clearance in its guide (Flores et al. 2008; Acary and Brogliato 2008)."""
    m = Mechanism("slider-crank")
    l1, l2, a, b, c = 0.153, 0.306, 0.05, 0.025, 0.001
    m.body("crank", mass=0.038, com=(l1 / 2, 0, 0), inertia=(7.4e-5,) * 3)
    m.body("rod", mass=0.038, com=(l2 / 2, 0, 0), inertia=(5.9e-4,) * 3)
    m.body("slider", mass=0.076, inertia=(2.7e-6,) * 3)
    m.revolute("crank", "ground", "crank", axis="-y")
    m.revolute("rod", "crank", "rod", axis="-y", origin=(l1, 0, 0))
    m.revolute("slider", "rod", "slider", axis="-y", origin=(l2, 0, 0))
    m.line("top", m.ground, (0, 0, b + c), normal="-z")
    m.line("bottom", m.ground, (0, 0, -b - c))
    for i, (x, z) in enumerate(((-a, b), (a, b), (-a, -b), (a, -b))):
        m.circle(f"corner{i}", "slider", (x, 0, z), 0.0)
        m.contact(f"hit{i}", f"corner{i}", "top" if z > 0 else "bottom", tw.rigid(0.4), 0.01)
    if driven:
        m.drive("crank", 150 * m.time)
    return m


def test_a_slider_crank_with_clearance() -> None:
    """It starts at 150 and -75 rad/s (and -.01 of the slider) in the world; nothing drives it, so it only loses."""
    run = watch(slider_crank(False), 0.2, 5e-5, v={"crank": 150.0, "rod": -225.0, "slider": 74.99})
    energy = run.energy
    assert energy[0] == pytest.approx(7.4955, rel=1e-3)
    assert np.diff(energy).max() < 3e-6 * energy[0]
    assert 0.5 * energy[0] < energy[-1] < energy[0]
    z = 0.153 * np.sin(run.q["crank"]) + 0.306 * np.sin(run.q["crank"] + run.q["rod"])
    assert np.abs(z).max() < 0.001 + 1e-3
    assert run.q["crank"][-1] > 4 * math.pi


def test_a_driven_slider_crank_keeps_its_speed() -> None:
    run = watch(slider_crank(True), 0.1, 1e-4, v={"rod": -225.0, "slider": 74.99})
    assert run.v["crank"] == pytest.approx(150.0, abs=1e-9)
    assert run.q["crank"] == pytest.approx(150 * run.t, abs=1e-9)
    assert max(run.force[f"hit{i}"].max() for i in range(4)) > 1.0
    # over whole turns, the drive puts in what impacts and friction take, and no less
    power = run.force["crank"] * 150.0
    energy = run.energy
    assert np.sum(power) * 1e-4 > energy[-1] - energy[0] - 0.02 * energy[0]


def test_a_loop_with_contacts_friction_and_a_drive() -> None:
    m = linkage(True)
    m.dry_friction.clear()
    for name in ("coupler", "rocker"):
        m.dry_friction[name] = m.parameter(f"{name}.dry", 0.02)
    m.prismatic("z", m.ground, m.body("ball", mass=0.2), axis="z", origin=(0.3, 0, 0), initial=[0.35])
    m.circle("ball", "ball", (0, 0, 0), 0.03)
    m.segment("top", "rocker", (0, 0, 0), (0, 0, 0.2), 0.02)
    m.contact("carry", "ball", "top", tw.felt(1e6, 1.5, 1e4), 0.2)
    m.drive("crank", 0.3 + 4 * m.time)
    run = m.compile().simulate(1.0, dt=5e-4)
    assert run["crank"] == pytest.approx(0.3 + 4 * np.linspace(0, 1, 2001), abs=1e-9)
    assert run["loops.residual"].max() < 1e-10
    assert run["force.carry"].max() > 0.0
    # what carries the ball is its weight and its acceleration
    felt = run["force.carry"]
    assert np.sum(felt * 5e-4) > 0.0
    assert np.isfinite(run["force.crank"]).all()


# -- energy ----------------------------------------------------------------------------------------------
LINKS = 3


def chain(law: ContactLaw) -> Mechanism:
    """Hinged links over a slope and a post, each with a round end."""
    m = Mechanism("chain")
    m.line("floor", m.ground, (0, 0, 0), normal=(0.2, 0, 1))
    m.circle("post", m.ground, (0.6, 0, 0.2), 0.15)
    parent, origin = "ground", (0.0, 0.0, 0.7)
    for i in range(LINKS):
        m.body(f"l{i}", mass=0.5, com=(0.15, 0, 0), inertia=(5e-3,) * 3)
        m.revolute(f"l{i}", parent, f"l{i}", axis="y", origin=origin, friction=0.02)
        m.circle(f"end{i}", f"l{i}", (0.3, 0, 0), 0.03)
        m.contact(f"floor{i}", f"end{i}", "floor", law, 0.3)
        m.contact(f"post{i}", f"end{i}", "post", law, 0.3)
        parent, origin = f"l{i}", (0.3, 0.0, 0.0)
    return m


@pytest.fixture(scope="module")
def rigid_chain() -> tw.Model:
    return chain(tw.rigid()).compile()


@given(
    st.lists(st.floats(0.05, 2.0), min_size=LINKS, max_size=LINKS),
    st.lists(st.floats(-3.0, 3.0), min_size=LINKS, max_size=LINKS),
    st.floats(0.0, 1.0),
)
@settings(max_examples=15, deadline=None, derandomize=True, phases=[Phase.generate])
def test_contacts_never_make_energy(
    rigid_chain: tw.Model, masses: list[float], speeds: list[float], friction: float
) -> None:
    """Kinetic and potential energy only fall, but for the error of the method."""
    values = {f"l{i}.mass": x for i, x in enumerate(masses)}
    values |= {f"{kind}{i}.friction": friction for kind in ("floor", "post") for i in range(LINKS)}
    v = {f"l{i}": x for i, x in enumerate(speeds)}
    run = watch(rigid_chain.mechanism, 1.0, 1e-3, v=v, model=rigid_chain, parameters=values)
    energy = run.energy
    risen = (energy - np.minimum.accumulate(energy)).max()
    assert risen < 1e-3 * max(1.0, float(np.ptp(energy)))


def test_felts_never_make_energy() -> None:
    """What a felt stores is not counted; where nothing is pressed, it is nothing."""
    run = watch(chain(tw.felt(1e6, 2.0, 1e6)), 1.5, 5e-4)
    energy = run.energy
    pressed = sum(f for n, f in run.force.items() if "." not in n)
    assert np.max(pressed) > 1.0
    free = energy[np.asarray(pressed) == 0.0]
    assert (free - np.minimum.accumulate(free)).max() < 2e-3 * float(np.ptp(energy))


def test_theta_must_be_sensible() -> None:
    model = dropped(tw.felt(1e6, 2.0), 0.0, 0.06).compile()
    for theta in (0.4, 1.1):
        with pytest.raises(tw.ShapeError, match=r"theta from 0\.5 to 1"):
            model.simulate(0.1, theta=theta)

"""Equilibria: published numbers, statics done by hand, virtual work."""

import math

import analysed
import numpy as np
import pytest

import touchweight as tw
from touchweight.library.classics import stewart
from touchweight.simulate.analyses import AnalysisError, equilibrium
from touchweight.simulate.assembly import assemble


@pytest.fixture(scope="module")
def rhombus():
    return analysed.rhombus().compile()


def accelerations(model, state):
    loops = model.loops(state.mode)
    return loops.accelerations(state.q, 0 * state.v, state.x, state.u, state.t, state.parameters)[0]


def test_the_rhombus_rests_where_it_should_and_swings_as_it_should(rhombus):
    found = equilibrium(rhombus, {"crank": -0.5})
    phi = math.pi / 2 - found.state.q[0]
    assert phi == pytest.approx(2.2343310190, abs=5e-11)
    assert found.eigenvalues[0] == pytest.approx(-0.24238581 - 2.13395503j, abs=5e-9)
    assert found.eigenvalues[1] == pytest.approx(-0.24238581 + 2.13395503j, abs=5e-9)
    assert found.stability == "stable" and found.method == "newton" and found.residual < 1e-10
    assert np.abs(accelerations(rhombus, found.state)).max() < 1e-10


def test_newton_goes_to_the_nearest_and_relaxation_to_a_stable_one(rhombus):
    upright = equilibrium(rhombus, {"crank": 0.1})
    assert upright.state.q[0] == pytest.approx(0.0, abs=1e-12) and upright.stability == "unstable"
    rest = equilibrium(rhombus, {"crank": -0.1}, method="relaxation")
    assert rest.stability == "stable" and math.pi / 2 - rest.state.q[0] == pytest.approx(2.2343310190, abs=5e-11)
    assert rest.method == "relaxation"


def test_a_held_crank_says_what_holds_it(rhombus):
    """By virtual work: the torque is the slope of the potential energy along the closed motion."""
    found = equilibrium(rhombus, hold=["crank"], q={"crank": 0.5})
    h, energy = 1e-4, []
    for angle in (0.5 + h, 0.5 - h):
        state = assemble(rhombus, q={"crank": angle}, hold=["crank"])
        energy.append(rhombus.energy(state.q, state.v).potential)
    assert found.forces["crank"] == pytest.approx((energy[0] - energy[1]) / (2 * h), rel=1e-7)
    assert found.units["crank"] == "N m" and found.state.q[0] == 0.5


def test_a_torque_moves_the_equilibrium_as_the_stiffness_says(rhombus):
    rest, pushed = (equilibrium(rhombus, {"crank": -0.6}, inputs={"torque": u}) for u in (0.0, 1e-4))
    linear = rhombus.linearise(rest.state)
    wanted = -1e-4 * linear.B[1, 0] / linear.A[1, 0]
    assert pushed.state.q[0] - rest.state.q[0] == pytest.approx(wanted, rel=1e-3)


def test_states_rest_too():
    model = analysed.motor_and_lag().compile()
    found = equilibrium(model, {"crank": -0.6}, inputs={"motor": 0.2})
    state = found.state
    assert dict(zip(model.states, state.x, strict=True))["motor.current"] == pytest.approx(0.2, abs=1e-12)
    lags = model.loops()._evaluate("lags", state.parameters, state.q, state.v, state.x, state.u, np.zeros(1))[0]
    assert np.abs(lags).max() < 1e-10 and np.abs(accelerations(model, state)).max() < 1e-10
    # the motor's torque is what the spring and the weights ask for there
    without = equilibrium(model, dict(zip(model.coordinates, state.q, strict=True)), hold=["rocker"])
    assert without.forces["rocker"] == pytest.approx(3.0 * 0.2, rel=1e-9)


def test_a_ball_on_a_rod_rests():
    model = analysed.ball_and_rod().compile()
    found = equilibrium(model)
    assert np.abs(accelerations(model, found.state)).max() < 1e-10 and found.stability == "stable"


def test_a_drive_stands_still():
    """A pendulum on a moving cart hangs straight, whatever the cart does."""
    model = analysed.driven_pendulum().compile()
    found = equilibrium(model, {"hip": 0.4}, inputs={"rail": 0.3, "rail.velocity": 2.0, "rail.acceleration": 5.0})
    assert found.state.q == pytest.approx([0.3, 0.0], abs=1e-12)
    assert found.forces["rail"] == pytest.approx(0.0, abs=1e-12)


# -- the Stewart platform ------------------------------------------------------------------------------------
LENGTHS = (0.05, -0.03, 0.08, 0.02, -0.04, 0.06)


def held_platform(model):
    start = {f"leg{i + 1}": x for i, x in enumerate(LENGTHS)}
    still = {f"force{i + 1}": 0.0 for i in range(6)}
    return start, still, [f"leg{i + 1}" for i in range(6)]


def light_platform(stiffness):
    mechanism = stewart.build(cylinder_mass=1e-9, rod_mass=1e-9, stiffness=stiffness)
    for i in range(1, 7):
        mechanism.sensor(f"foot{i}", "position", f"cylinder{i}")
        mechanism.sensor(f"head{i}", "position", f"rod{i}")
    return mechanism.compile()


def needed_forces(model, state):
    """Independent statics: six forces along the legs and their moments against the weight of the plate."""
    s = model.sensors(state.q)
    columns = []
    for i in range(1, 7):
        along = (s[f"head{i}"] - s[f"foot{i}"]) / np.linalg.norm(s[f"head{i}"] - s[f"foot{i}"])
        columns.append([*along, *np.cross(s[f"head{i}"], along)])
    weight = np.array([0.0, 0.0, 20.0 * 9.81])
    return np.linalg.solve(np.array(columns).T, [*weight, *np.cross(s["place"], weight)])


def test_forces_in_held_legs_balance_the_weight_of_the_plate():
    model = light_platform(0.0)
    start, still, legs = held_platform(model)
    found = equilibrium(model, start, inputs=still, hold=legs)
    wanted = needed_forces(model, found.state)
    assert [found.forces[n] for n in legs] == pytest.approx(wanted, rel=1e-6)
    assert np.std(wanted) > 5.0  # a crooked pose: the legs don't share the weight evenly


def test_a_loaded_platform_sinks_until_its_springs_carry_the_load():
    model = light_platform(2e4)
    push = np.array([60.0, -40.0, 0.0, 150.0, 20.0, 0.0])
    found = equilibrium(model, inputs={f"force{i + 1}": x for i, x in enumerate(push)})
    length = np.array([found.state.q[model.coordinates.index(f"leg{i}")] for i in range(1, 7)])
    assert push - 2e4 * length == pytest.approx(needed_forces(model, found.state), rel=1e-6)
    assert np.abs(length).max() > 1e-3 and found.stability == "stable"


def test_forces_in_heavy_legs_are_the_slopes_of_the_potential_energy():
    model = stewart.build().compile()
    start, still, legs = held_platform(model)
    found = equilibrium(model, start, inputs=still, hold=legs)
    assert found.residual < 1e-10
    for leg in ("leg1", "leg4"):
        h, energy = 1e-4, []
        for side in (h, -h):
            state = model.state(dict(zip(model.coordinates, found.state.q, strict=True)))
            state.q[model.coordinates.index(leg)] += side
            assemble(model, state=state, hold=legs)
            energy.append(model.energy(state.q, state.v).potential)
        assert found.forces[leg] == pytest.approx((energy[0] - energy[1]) / (2 * h), rel=1e-6)


# -- no equilibrium ------------------------------------------------------------------------------------------
def test_what_falls_for_ever_has_none():
    m = tw.Mechanism("stone")
    m.prismatic("height", m.ground, m.body("stone", mass=2.0), axis="z")
    with pytest.raises(AnalysisError, match=r"found 19\.6 N or N m left at 'height' at best") as caught:
        equilibrium(m.compile())
    assert "\n" not in str(caught.value)


def test_a_state_that_never_rests_is_named():
    m = analysed.double_pendulum()
    m.state("clock", lambda x: 1.0 + 0.0 * x)
    with pytest.raises(AnalysisError, match="state 'clock' still changing by 1 a second"):
        equilibrium(m.compile())


def test_mistakes_are_one_sentence(rhombus):
    with pytest.raises(tw.ShapeError, match="expected a method among newton, relaxation, found 'magic'"):
        equilibrium(rhombus, method="magic")
    with pytest.raises(tw.ShapeError, match="expected inputs among torque, found 'wind'"):
        equilibrium(rhombus, inputs={"wind": 1.0})
    with pytest.raises(tw.ShapeError, match="expected a finite number for input 'torque', found 'much'"):
        equilibrium(rhombus, inputs={"torque": "much"})
    with pytest.raises(tw.ShapeError, match="to hold, found 'hop'"):
        equilibrium(rhombus, hold=["hop"])
    with pytest.raises(AnalysisError, match="no more held coordinates than degrees of freedom, 1, found 2"):
        equilibrium(rhombus, {"crank": 0.5}, hold=["crank", "rocker"])
    with pytest.raises(tw.ShapeError, match="either a state or q"):
        equilibrium(rhombus, {"crank": 0.1}, state=rhombus.state())


def test_each_mode_has_its_own():
    """A pendulum with a spring in one mode, without in the other."""
    m = analysed.double_pendulum()
    m.joint_law("bungee", "shoulder", lambda q, v, *, k, r: -k * (q - r), k=40.0, r=0.5)
    m.mode("free")
    m.mode("tied", active=["bungee"])
    m.transition("tie", "free", "tied", 10.0 - m.q("shoulder"))
    model = m.compile()
    free = equilibrium(model, mode="free")
    tied = equilibrium(model, mode="tied")
    # the lower arm's mass is not on its axis: free, it hangs nearly straight
    assert abs(free.state.q[0]) < 0.05 and tied.state.q[0] > 0.3
    assert free.state.mode == "free" and tied.state.mode == "tied"

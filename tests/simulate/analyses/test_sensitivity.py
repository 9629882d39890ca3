"""Sensitivities: closed forms, and exact derivatives against differences."""

import math

import analysed
import numpy as np
import pytest

import touchweight as tw
from touchweight.simulate.analyses import equilibrium, sensitivity
from touchweight.simulate.analyses.balance import Balance

MASS, ARM, INERTIA, G = 1.2, 0.4, 0.07, 9.81

#: parameters of the rhombus: masses, springs, and lengths that its loop depends on
SOME = [
    "crank.mass",
    "diagonal.stiffness",
    "diagonal.length",
    "rocker.origin.x",
    "top.origin.z",
    "crank.com.z",
    "gravity.z",
]


def pendulum():
    m = tw.Mechanism("pendulum")
    arm = m.body("arm", mass=MASS, com=(0, 0, -ARM), inertia=(INERTIA, INERTIA, 0.001))
    m.revolute("hip", m.ground, arm, axis="y")
    return m.compile()


@pytest.fixture(scope="module")
def rhombus():
    return analysed.rhombus().compile()


def test_the_acceleration_of_a_pendulum():
    found = sensitivity(pendulum(), "acceleration:hip", ["arm.mass", "arm.com.z", "gravity.z"], q={"hip": 0.7})
    whole = INERTIA + MASS * ARM**2
    torque = -MASS * G * ARM * math.sin(0.7)
    assert found.values == pytest.approx([torque / whole])
    assert found["hip", "arm.mass"] == pytest.approx((torque / MASS - torque / whole * ARM**2) / whole)
    assert found["hip", "arm.com.z"] == pytest.approx(-(torque / ARM - torque / whole * 2 * MASS * ARM) / whole)
    assert found["hip", "gravity.z"] == pytest.approx(torque / whole / -G)
    assert found.relative[0, 2] == pytest.approx(1.0)
    assert not found.error.any()


def test_accelerations_and_forces_of_a_loop_are_exact(rhombus):
    where = {"q": {"crank": 0.7}, "v": {"crank": 1.3}}
    found = sensitivity(rhombus, "acceleration", SOME, **where)

    def again(model, state):
        at = Balance(model, state)
        return [*at.a, *at.force]

    wanted = sensitivity(rhombus, again, SOME, **where)
    np.testing.assert_allclose(found.values, wanted.values, atol=1e-12)
    np.testing.assert_allclose(found.matrix, wanted.matrix, atol=1e-8)


def test_a_drive_with_parameters_in_its_motion():
    m = analysed.double_pendulum()
    rate = m.parameter("rate", 3.0, "rad/s")
    m.drive("shoulder", tw.sin(rate * m.time))
    model = m.compile()
    where = {"q": {"elbow": 0.4}, "v": {"elbow": 1.0}, "t": 0.3}
    names = ["rate", "upper.mass", "lower.com.z"]
    found = sensitivity(model, "acceleration", names, **where)

    def again(model, state):
        at = Balance(model, state)
        return [*at.a, *at.hold_force]

    wanted = sensitivity(model, again, names, **where)
    np.testing.assert_allclose(found.matrix, wanted.matrix, atol=1e-7)


def test_a_block_on_a_spring_sinks():
    m = tw.Mechanism("block")
    m.prismatic("height", m.ground, m.body("block", mass=2.0), axis="z", stiffness=50.0)
    found = sensitivity(m.compile(), "equilibrium:height", ["block.mass", "height.stiffness"])
    assert found.values == pytest.approx([-2.0 * G / 50.0])
    assert found.matrix[0] == pytest.approx([-G / 50.0, 2.0 * G / 50.0**2])
    assert found.relative[0] == pytest.approx([1.0, -1.0])


def test_an_equilibrium_with_a_loop_is_exact(rhombus):
    found = sensitivity(rhombus, "equilibrium", SOME, q={"crank": -0.6})

    def again(model, state):
        rest = equilibrium(model, state=state)
        return [*rest.state.q, *rest.forces.values()]

    start = equilibrium(rhombus, {"crank": -0.6}).state
    wanted = sensitivity(rhombus, again, SOME, state=start, step=2e-4)
    np.testing.assert_allclose(found.values, wanted.values, atol=1e-12)
    np.testing.assert_allclose(found.matrix, wanted.matrix, atol=1e-7 * np.abs(wanted.matrix).max())


def test_held_coordinates_and_states_move_too():
    model = analysed.motor_and_lag().compile()
    names = ["diagonal.stiffness", "motor.gear", "top.origin.z"]
    where = {"q": {"crank": -0.6}, "inputs": {"motor": 0.2}}
    for hold in ((), ("coupler",)):
        found = sensitivity(model, "equilibrium", names, hold=hold, **where)
        start = equilibrium(model, hold=hold, **where).state

        def again(model, state, hold=hold, start=start):
            # what is held stays where it was
            state.q[1] = start.q[1]
            loops = model.loops()
            state.q[:], _ = loops.close_positions(state.q, 0.0, state.parameters, [1])
            rest = equilibrium(model, state=state, hold=hold)
            return [*rest.state.q, *rest.state.x, *rest.forces.values()]

        wanted = sensitivity(model, again, names, state=start, step=2e-4)
        np.testing.assert_allclose(found.matrix, wanted.matrix, atol=1e-6 * max(1.0, np.abs(wanted.matrix).max()))


def test_the_frequency_of_a_pendulum():
    found = sensitivity(pendulum(), "frequency:1", ["arm.mass", "arm.com.z", "arm.inertia.yy", "gravity.z"])
    whole = INERTIA + MASS * ARM**2
    wanted = [0.5 * INERTIA / whole, 0.5 * (1.0 - 2.0 * MASS * ARM**2 / whole), -0.5 * INERTIA / whole, 0.5]
    assert found.values == pytest.approx([math.sqrt(MASS * G * ARM / whole) / (2 * math.pi)])
    assert found.relative[0] == pytest.approx(wanted, abs=1e-9)


def test_frequencies_move_with_the_equilibrium(rhombus):
    """The eigenvalues of the rhombus: a softer spring sags more, which is part of the change."""
    found = sensitivity(rhombus, "eigenvalue", ["diagonal.stiffness", "diagonal.damping"], q={"crank": -0.6})
    assert found.of == ("1.real", "1.imag")
    h = 1e-3
    values = [
        rhombus.vibrations(q={"crank": -0.6}, parameters={"diagonal.stiffness": k})[0].eigenvalue
        for k in (25 + h, 25 - h)
    ]
    slope = (values[0] - values[1]) / (2 * h)
    assert found.matrix[:, 0] == pytest.approx([slope.real, slope.imag], rel=1e-6)
    assert found.matrix[0, 1] == pytest.approx(found.values[0], rel=1e-9)  # the decay rate is in proportion to c


def test_the_end_of_a_run():
    """x(t) = cos(ω t) x₀: dx/dk is known."""
    m = tw.Mechanism("oscillator")
    m.prismatic("x", m.ground, m.body("block", mass=2.0), axis="x", stiffness=8.0)
    model = m.compile()
    w, t = 2.0, 1.3
    slope = -math.sin(w * t) * t / (2 * 2.0 * w)
    found = sensitivity(model, "end:x", "x.stiffness", q={"x": 1.0}, duration=t)
    assert found.values == pytest.approx([math.cos(w * t)]) and found.matrix[0, 0] == pytest.approx(slope, rel=1e-8)
    assert abs(found.matrix[0, 0] - slope) <= found.error[0, 0] + 1e-10
    low = sensitivity(model, "lowest:x", "x.stiffness", q={"x": 1.0}, duration=2.0)
    assert low.values == pytest.approx([-1.0], abs=1e-5)


def test_a_bound_is_not_crossed():
    m = tw.Mechanism("oscillator")
    c = m.parameter("drag", 0.0, "N s/m", minimum=0.0)
    m.prismatic("x", m.ground, m.body("block", mass=2.0), axis="x", stiffness=8.0)
    m.joint_law("drag law", "x", -c * m.v("x"))
    found = sensitivity(m.compile(), "eigenvalue:1.real", "drag")
    assert found.matrix[0, 0] == pytest.approx(-1 / (2 * 2.0), rel=1e-9)
    assert np.isnan(found.relative[0, 0])


def test_mistakes_are_one_sentence(rhombus):
    with pytest.raises(tw.ShapeError, match=r"expected a sensitivity of acceleration, equilibrium, .* found 'colour'"):
        sensitivity(rhombus, "colour")
    with pytest.raises(tw.TouchweightError, match=r"expected a parameter of the mechanism, found 'crank\.mas'"):
        sensitivity(rhombus, "acceleration", "crank.mas")
    with pytest.raises(tw.ShapeError, match=r"expected acceleration of crank, .* found 'hop'"):
        sensitivity(rhombus, "acceleration:hop", "crank.mass")
    with pytest.raises(tw.ShapeError, match="expected a channel and a duration"):
        sensitivity(rhombus, "end:tip.z", "crank.mass")
    with pytest.raises(tw.TouchweightError, match="channel"):
        sensitivity(rhombus, "end:nothing", "crank.mass", duration=0.01)
    with pytest.raises(tw.ShapeError, match="expected a step between"):
        sensitivity(rhombus, "frequency", "crank.mass", step=2.0)


def test_equal_frequencies_part_as_the_parameter_wants():
    """Two equal pendulums side by side: the mass on one spring concerns one of two equal frequencies."""
    m = tw.Mechanism("twins", gravity=(0, 0, 0))
    for name in "ab":
        m.prismatic(name, m.ground, m.body(f"block {name}", mass=2.0), axis="x", stiffness=8.0)
    model = m.compile()
    found = sensitivity(model, "frequency", ["a.stiffness", "b.stiffness"])
    slope = 1.0 / (2.0 * math.pi) * 0.5 / math.sqrt(8.0 * 2.0)
    for column in found.matrix.T:
        assert sorted(column) == pytest.approx([0.0, slope], abs=1e-10)


@pytest.mark.filterwarnings("ignore:.*expected a plain name")
def test_names_may_hold_anything():
    m = tw.Mechanism("odd")
    m.prismatic("new\nline, or two", m.ground, m.body("a,b", mass=2.0), axis="z", stiffness=50.0)
    found = sensitivity(m.compile(), "equilibrium")
    assert found["new\nline, or two", "a,b.mass"] == pytest.approx(-G / 50.0)

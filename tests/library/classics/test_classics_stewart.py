"""The platform: its freedom, its pose, its balance and its energy."""

import numpy as np
import pytest

from touchweight.library.classics import stewart

FREE = {f"force{i}": 0.0 for i in range(1, 7)}


@pytest.fixture(scope="module")
def model():
    """With legs that only their inputs push."""
    return stewart.build(stiffness=0.0, damping=0.0).compile()


def test_21_speeds_15_equations_6_degrees_of_freedom(model):
    loops = model.loops()
    assert model.nv == 21 and len(model.mechanism.joints) + len(model.mechanism.loops) == 18
    assert len(loops.rows) == 15 and loops.chosen.redundant == ()
    assert model.nv - len(loops.chosen.partition.dependent) == 6


def test_the_raised_pose_is_closed_and_symmetric(model):
    q = model.dimensions.q_default
    assert np.abs(model.loops().closure(q, 0.0, model.parameters).h).max() < 1e-14
    pose = model.sensors(q)
    np.testing.assert_allclose(pose["place"], [0, 0, 0.6], atol=1e-14)
    np.testing.assert_allclose(pose["attitude"], np.eye(3), atol=1e-14)


def test_left_alone_its_forces_hold_it(model):
    run = model.simulate(0.5, dt=2e-3)
    assert np.abs(run["place.z"] - 0.6).max() < 1e-9
    assert np.abs(run["v.leg3"]).max() < 1e-9
    assert run["loops.residual"].max() < 1e-10


def test_energy_and_loops_stay_when_it_drops(model):
    start = {"ball1.wz": 0.4, "leg1": 0.1, "leg2": -0.05, "leg3": 0.08, "leg5": 0.1}
    run = model.simulate(0.2, v=start, inputs=FREE, dt=5e-4)
    assert run["place.z"][-1] < 0.45
    assert run["loops.residual"].max() < 1e-10
    assert np.ptp(run["energy.total"]) < 1e-7 * run["energy.kinetic"].max()


def test_legs_are_as_long_as_the_pose_says(model):
    """The distance of hip and ball, from the sensors' pose, against each slide."""
    run = model.simulate(0.15, inputs={**FREE, "force2": 30.0, "force5": -20.0}, dt=1e-3)
    m = model.mechanism
    value = {n: p.value for n, p in m.parameters.items()}

    def place(stem):
        return np.array([value.get(f"{stem}.{k}", 0.0) for k in "xyz"])

    turn = np.array([[run[f"attitude.{r}{c}"][-1] for c in "xyz"] for r in "xyz"])
    middle = np.array([run[f"place.{k}"][-1] for k in "xyz"])
    for i in range(2, 7):
        ball = middle + turn @ (place(f"corner{i}.origin") - place("middle.origin"))
        raised = value[f"leg{i}.origin.z"]
        assert np.linalg.norm(ball - place(f"hip{i}.origin")) == pytest.approx(raised + run[f"leg{i}"][-1], abs=1e-11)


def test_one_force_more_lifts_the_plate_as_virtual_work_says(model):
    """At rest, the six reduced equations: power of the extra forces is that of inertia, for any motion allowed."""
    run = model.simulate(2e-4, inputs={f"force{i}": model.mechanism.inputs["force1"].value + 12.0 for i in range(1, 7)},
                         dt=1e-4)  # fmt: skip
    lift = run["v.leg1"][-1]
    # all legs grow alike: kinetic energy after a moment equals the work of the extra forces, 6 * 12 N * growth
    assert run["energy.kinetic"][-1] == pytest.approx(6 * 12.0 * run["leg1"][-1], rel=1e-6)
    assert all(run[f"v.leg{i}"][-1] == pytest.approx(lift, rel=1e-9) for i in range(2, 7))


def test_its_springs_bring_it_back():
    model = stewart.build().compile()
    run = model.simulate(3.0, inputs={"force1": lambda t: 350.0 if t < 0.5 else 49.789855}, dt=2e-3)
    assert np.abs(run["leg1"]).max() > 5e-3
    assert np.abs(run["place.z"][-1] - 0.6) < 1e-5 and abs(run["attitude.xz"][-1]) < 1e-5
    assert run["loops.residual"].max() < 1e-10

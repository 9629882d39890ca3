"""What a run records: forces of loops and drives, accelerations of sensors, energies mode by mode."""

from __future__ import annotations

import closed_mechanisms
import numpy as np
import pytest

from touchweight.codegen.compiler import find_compiler
from touchweight.mechanism import Mechanism
from touchweight.simulate.record import Channels
from touchweight.simulate.simulation import SimulationError

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler found")


def test_channels_that_would_share_a_name():
    out = Channels()
    for what in ("q", "v", "state"):
        out.put("x", np.zeros(1), "m", what)
    assert list(out.values) == ["x", "v.x", "state.x"]


def test_the_force_of_a_drive_is_its_power_over_its_speed():
    """All work comes through the drive: the rate of the energy is Q_d times the speed of the crank."""
    run = closed_mechanisms.driven().compile().simulate(0.3, dt=1e-4)
    power = run["force.crank"] * run["v.crank"]
    gained = np.gradient(run["energy.total"], run.t, edge_order=2)
    assert gained[5:-5] == pytest.approx(power[5:-5], rel=1e-5, abs=1e-4)
    assert run.units["force.crank"] == "N m or N"


def test_the_force_of_a_rod_carries_the_weight():
    m = Mechanism("hanging")
    ball = m.body("ball", mass=3.0, inertia=(0.1, 0.1, 0.1))
    m.free("ball", ball, initial=[0.0, 0.0, -0.7, 1.0, 0.0, 0.0, 0.0])
    m.rod("rod", m.ground, ball, 0.7)
    run = m.compile().simulate(0.05)
    assert run["force.rod"] == pytest.approx(-3.0 * 9.81, rel=1e-9), "drawn, so negative"
    assert run.units["force.rod"] == "N"


def test_redundant_rows_take_nothing():
    with pytest.warns(UserWarning, match="expected at most 3 equations"):
        model = closed_mechanisms.four_bar("hinge").compile()
    run = model.simulate(0.05, v={"crank": 2.0})
    pin = closed_mechanisms.four_bar().compile().simulate(0.05, v={"crank": 2.0})
    assert (run["force.knuckle.y"] == 0.0).all() and (run["force.knuckle.t1"] == 0.0).all()
    size = np.hypot(run["force.knuckle.x"], run["force.knuckle.z"])
    assert size == pytest.approx(np.hypot(pin["force.knuckle.1"], pin["force.knuckle.2"]), rel=1e-8)


def test_accelerometers_of_closed_mechanisms_feel_the_loops():
    m = closed_mechanisms.four_bar()
    m.sensor("eye", "position", "rocker tip")
    m.sensor("gauge", "acceleration", "rocker tip")
    run = m.compile().simulate(0.2, v={"crank": 2.0}, dt=1e-4)
    for axis in "xz":
        second = np.gradient(np.gradient(run[f"eye.{axis}"], run.t), run.t)
        assert run[f"gauge.{axis}"][10:-10] == pytest.approx(second[10:-10], rel=1e-3, abs=2e-2)


@needs_compiler
def test_a_spring_that_acts_in_one_mode_counts_there():
    m = Mechanism("spring", gravity=(0.0, 0.0, 0.0))
    m.prismatic("x", m.ground, m.body("b", mass=2.0, inertia=(1.0, 1.0, 1.0)), axis="x", initial=[0.1])
    m.constraint("stop", m.q("x") - 0.1)
    m.mode("held", active=("stop",))
    m.mode("free")
    m.transition("go", "held", "free", 0.05 - m.time)
    m.joint_law("push", "x", 1.0 + 0.0 * m.q("x"))
    run = m.compile().simulate(0.1)
    held = run["mode"] == 0.0
    assert run["force.stop"][held] == pytest.approx(-1.0)
    assert (run["force.stop"][~held] == 0.0).all()
    assert run["x"][~held] == pytest.approx(0.1 + 0.25 * (run.t[~held] - 0.05) ** 2, abs=1e-12)


@needs_compiler
def test_a_failed_run_shows_what_there_was_and_no_invented_forces():
    model = closed_mechanisms.four_bar("pin", (0.4, 0.9, 0.4, 0.9), initial=(0.0, 0.0, 0.0)).compile()
    with pytest.raises(SimulationError) as e:
        model.simulate(0.1, q=[0.0, 0.0, 0.0])
    kept = e.value.recording
    assert kept is not None
    assert len(kept.t) == 1 and kept["crank"].tolist() == [0.0]
    assert np.isnan(kept["force.knuckle.1"]).all()

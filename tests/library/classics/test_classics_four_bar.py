"""Four-bar linkages: as many windows as asked for, all of them rhombi, and a fall as of one pendulum."""

import math

import numpy as np
import pytest

import touchweight as tw
from touchweight.library.classics import four_bar


@pytest.mark.parametrize("windows", [1, 3])
def test_windows_rods_and_equations(windows):
    mechanism = four_bar.build(windows)
    assert mechanism.check() == []
    assert len(mechanism.bodies) == 2 * windows + 1
    model = mechanism.compile()
    assert len(model.loops().rows) == 2 * windows and model.loops().chosen.redundant == ()
    # closed as described
    h = model.loops().closure(model.state().q, 0.0, model.parameters).h
    assert np.max(np.abs(h)) < 1e-15


def test_no_window_is_no_linkage():
    with pytest.raises(tw.MechanismError, match="at least one window"):
        four_bar.build(0)


def test_length_and_mass_are_live():
    """The time scales with √length, and mass leaves the motion alone."""
    model = four_bar.build(start=0.7).compile()
    short = model.simulate(1.0, dt=1e-3)
    state = model.state(parameters={"length": 4.0, "mass": 3.0})
    long = model.simulate(2.0, state=state, dt=2e-3)
    np.testing.assert_allclose(long["rod1"], short["rod0"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(long["energy.total"][0], 12.0 * short["energy.total"][0])


def test_it_falls_as_one_pendulum():
    """Energy gives the speed of the rods at the bottom: (I/2) ω² = W (1 + cos start)."""
    windows, start = 2, 0.5
    model = four_bar.build(windows, start=start).compile()
    run = model.simulate(3.0, dt=1e-3)
    inertia, weight = (windows + 1) / 3 + windows, ((windows + 1) / 2 + windows) * 9.81
    bottom = int(np.argmin(np.abs(run["rod0"] - math.pi)))
    angle = run["rod0"][bottom]
    expected = math.sqrt(2 * weight / inertia * (math.cos(start) - math.cos(angle)))
    assert run["v.rod0"][bottom] == pytest.approx(expected, rel=1e-8)
    # the coupler stays level
    np.testing.assert_allclose(run["coupler0"], -run["rod0"], rtol=0, atol=1e-9)

"""The driven slider-crank of B. Simeon (1996) with a rigid rod: positions and driving torque in closed form.

The problem `crank` of the Test Set for IVP Solvers has the same data with an elastic rod; its published state is apart
from the rigid one by the rod's deformation only.
"""

import numpy as np
import pytest

from touchweight.library.classics import slider_crank

OMEGA, L1, L2 = 150.0, 0.15, 0.30
M1, M2, M3, J2 = 0.36, 0.151104, 0.075552, 0.0045339259


def closed_form(t):
    """Rod angle, slider, and torque on the crank, from the geometry and d(kinetic energy)/dt = torque × speed."""
    phi = OMEGA * t
    s, c = L1 / L2 * np.sin(phi), L1 / L2 * np.cos(phi)
    root = np.sqrt(1 - s * s)
    # the rod's angle and the slider, with first and second derivatives by phi
    rod, rod1 = -np.arcsin(s), -c / root
    rod2 = s / root - c * c * s / root**3
    x = L1 * np.cos(phi) + L2 * root
    x1 = -L1 * np.sin(phi) + L2 * np.sin(-rod) * rod1
    x2 = -L1 * np.cos(phi) - L2 * (np.cos(rod) * rod1**2 + np.sin(rod) * rod2)
    # middle of the rod
    mx1, mx2 = -L1 * np.sin(phi) - L2 / 2 * np.sin(rod) * rod1, 0.5 * (x2 - L1 * np.cos(phi))
    my1, my2 = L1 / 2 * np.cos(phi), -L1 / 2 * np.sin(phi)
    about_middle = J2 - M2 * (L2 / 2) ** 2
    torque = OMEGA**2 * (M2 * (mx1 * mx2 + my1 * my2) + about_middle * rod1 * rod2 + M3 * x1 * x2)
    return rod, x, OMEGA * rod1, OMEGA * x1, torque


@pytest.fixture(scope="module")
def run():
    return slider_crank.build().compile().simulate(0.1, dt=1e-4)


def test_positions_speeds_and_torque_are_those_of_the_closed_form(run):
    rod, x, rod_speed, slider_speed, torque = closed_form(run.t)
    np.testing.assert_allclose(run["crank"], OMEGA * run.t, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run["rod"], rod, rtol=0, atol=1e-14)  # found 1.8e-15
    np.testing.assert_allclose(run["slider"], x, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run["v.rod"], rod_speed, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run["v.slider"], slider_speed, rtol=0, atol=1e-12)  # found 1.2e-13 of 25
    assert np.max(np.abs(torque)) > 30.0
    np.testing.assert_allclose(run["force.crank"], torque, rtol=0, atol=1e-11)  # found 1.9e-13 of 70 N m


def test_the_elastic_rod_stays_near(run):
    """Published state of the elastic problem at 0.1 s: apart by its deformation (1.9e-4 across, 8e-6 along)."""
    assert run["rod"][-1] == pytest.approx(-0.3311734988256260, abs=3e-5)
    assert run["slider"][-1] == pytest.approx(0.1697373328427860, abs=1e-5)
    assert run["v.rod"][-1] == pytest.approx(60.25346755138369, rel=1e-4)
    assert run["v.slider"][-1] == pytest.approx(-8.753116326670527, rel=1e-3)


def test_a_free_crank_keeps_its_energy_through_dead_centres():
    model = slider_crank.build(speed=None).compile()
    run = model.simulate(0.2, v={"crank": 150.0}, dt=2e-5, every=50)
    drift = np.ptp(run["energy.total"]) / run["energy.kinetic"][0]
    assert run["crank"][-1] > 4 * np.pi and drift < 1e-10  # found 6.5e-12

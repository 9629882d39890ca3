"""Linkages of N windows (A02 of the IFToMM library of computational benchmark problems), through the flat position.

Where all rods lie in one line the closure equations lose rank, and the rods may part. The motion of a mechanism that
arrives there is still the smooth one: all rods stay parallel, and one equation in one angle is exact. Numbers below:
that equation in high precision; for N = 2 they are within 1.3e-8 of EXUDYN's fourBarMechanismIftomm.py, extrapolated.
"""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from touchweight.library.classics import four_bar

G = 9.81

#: windows: (period of a rotation [s], tip of the first rod at 1 s, at 10 s [m], its velocity at 10 s [m/s])
PUBLISHED = {
    1: (1.9237118173, (-0.2607126752, -0.9654164392), (0.4783850578, 0.8781501788), (1.7272640755, -0.9409521793)),
    2: (1.9425149226, (-0.1950203019, -0.9807992057), (0.3284581115, 0.9445185382), (1.4230514702, -0.4948688455)),
    10: (1.9615284308, (-0.1293060151, -0.9916047370), (0.2043535610, 0.9788971458), (1.1866800237, -0.2477301008)),
}


def coefficients(windows):
    """Inertia [kg m²] and weight [N m] of the mechanism as a pendulum of one angle from upright."""
    return (windows + 1) / 3 + windows, ((windows + 1) / 2 + windows) * G


def speed_at(windows, angle):
    """Of the rods [rad/s], when they pass the upright position with one radian per second."""
    inertia, weight = coefficients(windows)
    return np.sqrt(1 + 2 * weight / inertia * (1 - np.cos(angle)))


def exact(windows, angle, duration):
    """The angle after a while."""
    inertia, weight = coefficients(windows)
    found = solve_ivp(
        lambda t, y: [y[1], weight / inertia * math.sin(y[0])],
        (0, duration),
        [angle, speed_at(windows, angle)],
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
    )
    return found.y[0, -1]


def started(windows, angle):
    """All rods at an angle, all at the speed that goes with it: couplers stay level."""
    w = float(speed_at(windows, angle))
    rods, couplers = [f"rod{i}" for i in range(windows + 1)], [f"coupler{i}" for i in range(windows)]
    q = {**dict.fromkeys(rods, angle), **dict.fromkeys(couplers, -angle)}
    v = {**dict.fromkeys(rods, w), **dict.fromkeys(couplers, -w)}
    return q, v


@pytest.fixture(scope="module")
def models():
    made = {}

    def model(windows):
        if windows not in made:
            made[windows] = four_bar.build(windows, start=0.0).compile()
        return made[windows]

    return model


# found: 1.2e-11, 5.3e-10 and 8.9e-9 rad after 10 s. What remains beyond the steps' error (6e-12 at 1 ms) is the
# interpolation across the flat position.
@pytest.mark.parametrize(("windows", "atol"), [(1, 1e-10), (2, 2e-9), (10, 3e-8)])
def test_ten_seconds_from_upright(models, windows, atol):
    period, at_1, at_10, velocity = PUBLISHED[windows]
    run = models(windows).simulate(10.0, v={"rod0": 1.0}, dt=1e-3, every=10)
    places = np.column_stack([run["tip.x"], run["tip.z"]])
    np.testing.assert_allclose(places[100], at_1, rtol=0, atol=atol)
    np.testing.assert_allclose(places[-1], at_10, rtol=0, atol=atol)
    w = run["v.rod0"][-1]
    np.testing.assert_allclose([w * places[-1, 1], -w * places[-1, 0]], velocity, rtol=0, atol=3 * atol)
    assert np.max(run["loops.residual"]) < 1e-13
    # every rod keeps with the first
    for i in range(1, windows + 1):
        np.testing.assert_allclose(run[f"rod{i}"], run["rod0"], rtol=0, atol=1e-10)
    # the problem allows 0.1 J
    assert np.ptp(run["energy.total"]) < 1e-6
    # a rotation takes its period
    back = models(windows).simulate(period, v={"rod0": 1.0}, dt=period / 4000, every=4000)
    assert back["rod0"][-1] == pytest.approx(2 * math.pi, abs=atol)


def phases(models, windows, duration, dt, atol):
    """Starts all around the circle, the flat positions among them: worst residual of any step."""
    worst = 0.0
    for angle in np.append(np.linspace(0, 2 * np.pi, 99, endpoint=False), np.pi / 2):
        q, v = started(windows, float(angle))
        run = models(windows).simulate(duration, q=q, v=v, dt=dt, every=round(duration / dt / 4))
        worst = max(worst, float(np.max(run["loops.residual"])))
        there = exact(windows, float(angle), duration)
        for i in range(windows + 1):
            assert run[f"rod{i}"][-1] == pytest.approx(there, abs=atol), (angle, i)
    return worst


@pytest.mark.parametrize("windows", [1, 2])
def test_a_hundred_phases_one_of_them_flat(models, windows):
    assert phases(models, windows, 2.0, 1e-3, 1e-8) < 1e-13


@pytest.mark.slow
def test_a_hundred_phases_of_ten_windows(models):
    assert phases(models, 10, 2.0, 1e-3, 1e-8) < 1e-12


@pytest.mark.parametrize("windows", [1, 2, 10])
def test_a_step_that_lands_flat(models, windows):
    """Steps that end in the flat position to the last digit, again and again."""
    period = PUBLISHED[windows][0]
    inertia, weight = coefficients(windows)
    # how long from upright to flat, by quadrature
    x, w = np.polynomial.legendre.leggauss(60)
    angle = math.pi / 4 * (1 + x)
    quarter = float(np.sum(math.pi / 4 * w / np.sqrt(1 + 2 * weight / inertia * (1 - np.cos(angle)))))
    run = models(windows).simulate(period, v={"rod0": 1.0}, dt=quarter / 4000, every=4000)
    assert run["rod0"][1] == pytest.approx(math.pi / 2, abs=1e-12)
    assert np.max(run["loops.residual"]) < 1e-13
    for i in range(1, windows + 1):
        np.testing.assert_allclose(run[f"rod{i}"], run["rod0"], rtol=0, atol=1e-10)


@pytest.mark.slow
def test_forty_windows(models):
    """The size of the original problem: 81 bodies, 80 equations."""
    run = models(40).simulate(10.0, v={"rod0": 1.0}, dt=1e-3, every=10)
    assert run["rod0"][-1] == pytest.approx(exact(40, 0.0, 10.0), abs=2e-7)
    assert np.max(run["loops.residual"]) < 1e-10
    for i in range(1, 41):
        np.testing.assert_allclose(run[f"rod{i}"], run["rod0"], rtol=0, atol=1e-8)

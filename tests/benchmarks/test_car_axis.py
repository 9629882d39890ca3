"""The car axis: two wheels' masses on springs, a road that moves one of them, constraints that depend on time.

F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, problem caraxis; S. Schneider, Intégration de
systèmes d'équations différentielles raides et différentielles-algébriques, 1994.
"""

import numpy as np
import pytest

import touchweight as tw
from touchweight.symbolic import sin, sqrt

L, L0, EPS, M, R, W = 1.0, 0.5, 1e-2, 10.0, 0.1, 10.0
MASS = M * EPS**2 / 2

POSITIONS = (0.04934557842755629, 0.4969894602303324, 1.041742524885400, 0.3739110272652214)
VELOCITIES = (-0.07705836840321485, 0.007446866596327776, 0.01755681574942899, 0.7703410437794031)
MULTIPLIERS = (-0.004736886750784630, -0.001104680411345730)
COORDINATES = ("left.x", "left.y", "right.x", "right.y")


def car_axis():
    m = tw.Mechanism("car axis", gravity=(0, -1.0, 0))
    for side, x in (("left", 0.0), ("right", L)):
        m.body(f"{side} slide")
        m.body(side, mass=MASS)
        m.prismatic(f"{side}.x", m.ground, f"{side} slide", axis="x", initial=[x])
        m.prismatic(f"{side}.y", f"{side} slide", side, axis="y", initial=[L0])
    # the road below the right wheel rises and falls, and the axis' foot keeps its length
    height = R * sin(W * m.time)
    along = sqrt(L**2 - height * height)
    m.body("road slide")
    m.body("road", mass=1.0)  # any: its motion is prescribed
    m.prismatic("road.x", m.ground, "road slide", axis="x")
    m.prismatic("road.y", "road slide", "road", axis="y")
    m.drive("road.x", along)
    m.drive("road.y", height)
    m.spring("left spring", m.ground, "left", stiffness=1.0, length=L0)
    m.spring("right spring", "road", "right", stiffness=1.0, length=L0)
    xl, yl, xr, yr = (m.q(c) for c in COORDINATES)
    m.constraint("upright", xl * along + yl * height)
    m.constraint("length", (xl - xr) ** 2 + (yl - yr) ** 2 - L**2)
    return m


@pytest.fixture(scope="module")
def model():
    return car_axis().compile()


def start():
    q = dict(zip(COORDINATES, (0.0, L0, L, L0), strict=True))
    return q, {"left.x": -0.5, "left.y": 0.0, "right.x": -0.5, "right.y": 0.0}


def test_state_and_multipliers_after_three_seconds(model):
    q, v = start()
    run = model.simulate(3.0, q=q, v=v, dt=0.01, method="DOP853", rtol=1e-13, atol=1e-13)
    places, speeds = [run[c][-1] for c in COORDINATES], [run[f"v.{c}"][-1] for c in COORDINATES]
    np.testing.assert_allclose(places, POSITIONS, rtol=0, atol=1e-12)  # found 3.3e-13
    np.testing.assert_allclose(speeds, VELOCITIES, rtol=0, atol=1.5e-11)  # found 8.7e-12
    found = [run["force.upright"][-1], run["force.length"][-1]]
    np.testing.assert_allclose(found, MULTIPLIERS, rtol=0, atol=2e-10)  # found 1.6e-10, which is theirs:
    np.testing.assert_allclose(found, by_hand(3.0, np.array(places), np.array(speeds)), rtol=0, atol=1e-15)
    assert np.max(run["loops.residual"]) < 1e-14


def by_hand(t, q, v):
    """Multipliers of k q'' = f + Gᵀ λ with the two equations differentiated twice."""
    (xl, yl, xr, yr), (vxl, vyl, vxr, vyr) = q, v
    yb, ybd, ybdd = R * np.sin(W * t), R * W * np.cos(W * t), -R * W**2 * np.sin(W * t)
    xb = np.sqrt(L**2 - yb**2)
    xbd = -yb * ybd / xb
    xbdd = -(ybd**2 + yb * ybdd + xbd**2) / xb
    ll, lr = np.hypot(xl, yl), np.hypot(xr - xb, yr - yb)
    f = np.array([(L0 - ll) * xl / ll, (L0 - ll) * yl / ll, (L0 - lr) * (xr - xb) / lr, (L0 - lr) * (yr - yb) / lr])
    f[1::2] -= MASS * 1.0
    g = np.array([[xb, yb, 0, 0], [2 * (xl - xr), 2 * (yl - yr), -2 * (xl - xr), -2 * (yl - yr)]])
    d = np.array([
        2 * (vxl * xbd + vyl * ybd) + xl * xbdd + yl * ybdd,
        2 * ((vxl - vxr) ** 2 + (vyl - vyr) ** 2),
    ])  # fmt: skip
    return np.linalg.solve(g @ g.T / MASS, -d - g @ f / MASS)


def test_the_order_of_fixed_steps_survives_constraints_that_move(model):
    q, v = start()
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        run = model.simulate(3.0, q=q, v=v, dt=dt, every=round(0.1 / dt))
        errors.append(max(abs(run[c][-1] - x) for c, x in zip(COORDINATES, POSITIONS, strict=True)))
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(slopes > 3.7), (errors, slopes)

"""The light cart-pole: a cart of a millionth of the pole's mass, so that the swing turns within a millisecond.

N. Parsons, A light cart-pole benchmark (proposed to the IFToMM library of computational benchmark problems, 2026;
light-cartpole-benchmark, MIT): the root mean square error of cart and angle over 1001 samples of 10 s must be below
1e-6.
"""

import math

import numpy as np
import pytest

import touchweight as tw

CART, BOB, LENGTH, G = 1e-6, 1.0, 1.0, 9.81

#: time [s]: cart [m], angle from downward [rad]
PUBLISHED = {
    0.5: (1.604228354236889, -0.6487991074309897),
    1.0: (1.998934624975155, -1.524675515758723),
    10.0: (1.999763282461620, -1.549129441897076),
}
PUBLISHED_SPEEDS = (-0.01412845780423829, 0.6521277749558196)
QUARTER = 0.451524535681659


def cart_pole():
    m = tw.Mechanism("light cart-pole", gravity=(0, 0, -G))
    cart = m.body("cart", mass=CART)
    pole = m.body("pole", mass=BOB, com=(0, 0, -LENGTH))
    m.prismatic("cart", m.ground, cart, axis="x")
    m.revolute("pole", cart, pole, axis="-y", initial=[math.pi / 2])
    return m


@pytest.fixture(scope="module")
def model():
    return cart_pole().compile()


def exact(times):
    """Cart and angle by quadrature.

    With cos θ = sin² ψ energy and momentum give dt/dψ as below, which is smooth, and ψ only grows.
    """
    share = CART / (CART + BOB)

    def slowness(psi):
        s2 = np.sin(psi) ** 2
        return np.sqrt(2 * LENGTH / G) * np.sqrt(np.cos(psi) ** 2 + share * s2 * s2 / (1 + s2))

    # Gauss-Legendre on pieces that shrink towards the crossing at ψ = π/2
    near = math.pi / 2 - np.concatenate([np.geomspace(math.pi / 2, 1e-6, 120), [0.0]])
    edges = np.concatenate([near, math.pi - near[-2::-1]])
    x, w = np.polynomial.legendre.leggauss(24)

    def pieces(a, b):
        return 0.5 * (b - a) * (slowness(0.5 * (a + b) + 0.5 * (b - a) * x[:, None]) * w[:, None]).sum(axis=0)

    at = np.concatenate([[0.0], np.cumsum(pieces(edges[:-1], edges[1:]))])
    half = at[-1]
    swings, rest = np.divmod(times, half)
    i = np.clip(np.searchsorted(at, rest, side="right") - 1, 0, len(edges) - 2)
    low, high = edges[i], edges[i + 1]
    for _ in range(80):  # bisection: the slope nearly vanishes at the crossing
        middle = 0.5 * (low + high)
        late = at[i] + pieces(edges[i], middle) > rest
        low, high = np.where(late, low, middle), np.where(late, middle, high)
    psi = 0.5 * (low + high) + math.pi * swings
    sine = np.cos(psi) * np.sqrt(1 + np.sin(psi) ** 2)
    theta = np.arctan2(sine, np.sin(psi) ** 2)
    return BOB * LENGTH / (CART + BOB) * (1 - sine), theta, half / 2


def test_the_quadrature_is_the_published_solution():
    cart, theta, quarter = exact(np.array(list(PUBLISHED)))
    np.testing.assert_allclose(np.column_stack([cart, theta]), list(PUBLISHED.values()), rtol=0, atol=1e-11)
    assert quarter == pytest.approx(QUARTER, abs=1e-15)


@pytest.mark.parametrize(("method", "tolerance"), [("DOP853", 1e-13), ("Radau", 1e-10)])
def test_ten_seconds(model, method, tolerance):
    end = 10.0 if method == "DOP853" else 1.0
    run = model.simulate(end, q={"pole": math.pi / 2}, dt=0.01, method=method, rtol=tolerance, atol=tolerance)
    cart, theta, _ = exact(run.t)
    assert len(run.t) == round(100 * end) + 1
    error = math.sqrt(np.mean((run["cart"] - cart) ** 2 + (run["pole"] - theta) ** 2))
    assert error < 5e-8  # 1e-6 is asked for; found 5.9e-9
    for t, (x, angle) in PUBLISHED.items():
        if t <= end:
            at = round(100 * t)
            assert run["cart"][at] == pytest.approx(x, abs=5e-9)
            assert run["pole"][at] == pytest.approx(angle, abs=5e-9)  # found 1.0e-9
    if end == 10.0:
        assert run["v.cart"][-1] == pytest.approx(PUBLISHED_SPEEDS[0], abs=5e-9)  # found 9.1e-10
        assert run["v.pole"][-1] == pytest.approx(PUBLISHED_SPEEDS[1], abs=5e-8)  # found 1.1e-8
        assert np.ptp(run["energy.total"]) < 5e-8  # found 3.9e-9 J


def test_the_angular_speed_at_the_crossing(model):
    """All of the fall's energy turns the pole about the bob: ω = √(2 g l (M + m) / (M l²))."""
    run = model.simulate(QUARTER, q={"pole": math.pi / 2}, dt=QUARTER, method="DOP853", rtol=1e-13, atol=1e-13)
    assert run["v.pole"][-1] == pytest.approx(-math.sqrt(2 * G * (CART + BOB) / CART), rel=1e-8)


def test_a_step_too_long_shows_in_the_energy(model):
    """Fixed steps of a millisecond jump over the crossing: a run must not look right."""
    try:
        run = model.simulate(1.0, q={"pole": math.pi / 2}, dt=1e-3)
    except tw.TouchweightError:
        return
    assert not np.ptp(run["energy.total"]) < 1e-2

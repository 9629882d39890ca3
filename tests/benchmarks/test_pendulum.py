"""The simple pendulum (A01 of the IFToMM library of computational benchmark problems): exact by elliptic functions."""

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import touchweight as tw

G = 9.81
PERIOD = 2.367841947576237
#: time [s]: place [m]
PLACES = {
    1.0: (0.986291751131875, -0.165010853125541),
    5.0: (-0.942305435043757, -0.334754338414002),
    9.99: (-0.316436469913032, -0.948613704575777),
    10.0: (-0.275087462576122, -0.961419205099124),
}


def as_tree():
    m = tw.Mechanism("pendulum", gravity=(0, 0, -G))
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.revolute("swing", m.ground, bob, axis="y", initial=[math.pi / 2])
    m.sensor("bob", "position", m.frame("middle", bob, origin=(0, 0, -1.0)))
    return m


def on_a_rod():
    m = tw.Mechanism("pendulum on a rod", gravity=(0, 0, -G))
    m.body("slide")
    bob = m.body("bob", mass=1.0)
    m.prismatic("x", m.ground, "slide", axis="x", initial=[-1.0])
    m.prismatic("z", "slide", bob, axis="z")
    m.rod("rod", m.ground, bob, length=1.0)
    m.sensor("bob", "position", bob)
    return m


def exact(t):
    k = math.sin(math.pi / 4)
    sn = ellipj(ellipk(k * k) - math.sqrt(G) * t, k * k)[0]
    angle = 2 * np.arcsin(k * sn)
    return np.column_stack([-np.sin(angle), -np.cos(angle)])


def test_the_closed_form_is_the_published_one():
    assert 4 * ellipk(0.5) / math.sqrt(G) == pytest.approx(PERIOD, abs=1e-14)
    np.testing.assert_allclose(exact(np.array(list(PLACES))), list(PLACES.values()), rtol=0, atol=1e-13)


def started(build):
    model = build().compile()
    return model, {j.coordinates[0]: j.initial[0] for j in model.mechanism.joints.values() if j.initial}


# found 5.1e-13 and 2.2e-10
@pytest.mark.parametrize(("build", "atol"), [(as_tree, 5e-12), (on_a_rod, 1e-9)])
def test_ten_seconds(build, atol):
    model, start = started(build)
    run = model.simulate(10.0, q=start, dt=0.01, method="DOP853", rtol=1e-13, atol=1e-13)
    places = np.column_stack([run["bob.x"], run["bob.z"]])
    np.testing.assert_allclose(places, exact(run.t), rtol=0, atol=atol)
    for t, place in PLACES.items():
        np.testing.assert_allclose(places[round(100 * t)], place, rtol=0, atol=atol)
    assert np.max(np.abs(run["energy.total"])) < 3 * atol


# the problem allows 5e-5 J; found 4e-12 J and 1.1e-5 J, 1.5e-11 m and 6e-6 m with steps of a millisecond
@pytest.mark.parametrize(("build", "atol"), [(as_tree, 1e-10), (on_a_rod, 2e-5)])
def test_fixed_steps(build, atol):
    model, start = started(build)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = model.simulate(10.0, q=start, dt=dt)
        errors.append(np.max(np.abs(np.column_stack([run["bob.x"], run["bob.z"]]) - exact(run.t))))
        if build is on_a_rod:
            assert np.max(run["loops.residual"]) < 1e-14
    assert errors[-1] < atol and np.max(np.abs(run["energy.total"])) < min(atol, 5e-5)
    assert np.all(np.array(errors[:-1]) / errors[1:] > 11), errors  # nearly 2⁴


def test_the_rod_pulls_as_hard_as_theory_says():
    model, start = started(on_a_rod)
    run = model.simulate(2.0, q=start, dt=0.01, method="DOP853", rtol=1e-12, atol=1e-12)
    # tension m (g cos + v²/l) = 3 m g cos, and our force is positive when the rod is pressed
    np.testing.assert_allclose(run["force.rod"], 3 * G * run["bob.z"], rtol=0, atol=1e-8)

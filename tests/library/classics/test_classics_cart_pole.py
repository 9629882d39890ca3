"""The cart and its pole obey momentum and energy between the walls, and Newton's law of impact at them."""

import numpy as np
import pytest

from touchweight.library.classics import cart_pole

START = {"cart": 2.0, "pole": -1.0}


def energy(model, q, v):
    return model.energy(np.asarray(q), np.asarray(v)).total


def test_energy_stays_between_the_walls_and_falls_at_them():
    run = cart_pole.build().compile().simulate(6.0, v=START, dt=1e-3)
    hits = [e.t for e in run.events]
    assert len(hits) > 3
    total = run["energy.total"]
    for low, high in zip([0.0, *hits], [*hits, 6.0], strict=True):
        part = total[(run.t > low) & (run.t <= high)]
        assert np.ptp(part) < 1e-9 * total[0]
    steps = [total[np.searchsorted(run.t, t) - 1] - total[np.searchsorted(run.t, t) + 1] for t in hits]
    assert min(steps) > 0.01


def test_a_wall_takes_what_its_impulse_through_the_mass_matrix_takes():
    """p = (1 + e) v / (n M⁻¹ n): speed along the wall -e v, energy lost (1 - e²) v² / (2 n M⁻¹ n)."""
    e = 0.6
    model = cart_pole.build(restitution=e).compile()
    dt = 1e-4
    run = model.simulate(0.6, v=START, dt=dt)
    (hit,) = [event for event in run.events if event.name == "right"]
    i = int(np.searchsorted(run.t, hit.t))
    # to the moment itself, from both sides, with steps that end there
    before = model.simulate(
        hit.t - run.t[i - 1], q=_at(run, i - 1), v=_at(run, i - 1, "v."), dt=(hit.t - run.t[i - 1]) * (1 - 1e-9)
    )
    q = np.array([before["cart"][1], before["pole"][1]])
    v = np.array([before["v.cart"][1], before["v.pole"][1]])
    inverse = np.linalg.inv(model.mass_matrix(q))
    jump = -(1.0 + e) * v[0] / inverse[0, 0] * inverse[:, 0]
    lost = (1.0 - e**2) * v[0] ** 2 / (2.0 * inverse[0, 0])
    assert energy(model, q, v) - energy(model, q, v + jump) == pytest.approx(lost, rel=1e-12)
    assert run["energy.total"][i - 1] - run["energy.total"][i] == pytest.approx(lost, rel=1e-7)
    rest = run.t[i] - hit.t
    a = model.forward(q, v + jump)
    np.testing.assert_allclose([run["v.cart"][i], run["v.pole"][i]], v + jump + rest * a, atol=1e-6)


def _at(run, i, stem=""):
    return {name: float(run[stem + name][i]) for name in ("cart", "pole")}


def test_an_elastic_wall_returns_the_speed_and_keeps_the_energy_and_the_poles_momentum():
    model = cart_pole.build(restitution=1.0).compile()
    run = model.simulate(3.0, v=START, dt=1e-3)
    assert len(run.events) > 2
    np.testing.assert_allclose(run["energy.total"], run["energy.total"][0], rtol=1e-9)


def test_the_impulse_of_a_wall_leaves_the_momentum_about_the_hinge():
    """The wall acts on the cart along x: the generalised momentum of the pole's angle does not change."""
    model = cart_pole.build(restitution=0.3).compile()
    run = model.simulate(0.6, v=START, dt=1e-5)
    i = int(np.searchsorted(run.t, run.events[0].t))
    momenta = [
        model.mass_matrix(np.array(list(_at(run, k).values()))) @ list(_at(run, k, "v.").values()) for k in (i - 1, i)
    ]
    assert momenta[0][1] == pytest.approx(momenta[1][1], abs=2e-5)
    assert abs(momenta[0][0] - momenta[1][0]) > 1.0


def test_momentum_along_the_rail_stays_without_walls():
    model = cart_pole.build(reach=10.0).compile()
    run = model.simulate(3.0, v=START, dt=1e-3)
    assert not run.events
    q = np.column_stack([run["cart"], run["pole"]])
    v = np.column_stack([run["v.cart"], run["v.pole"]])
    along = model.momentum(q, v).linear[:, 0]
    assert np.ptp(along) < 1e-9 * abs(along[0])


def test_pushed_against_a_wall_it_comes_to_rest_and_leaves_when_pulled():
    model = cart_pole.build().compile()
    run = model.simulate(9.0, inputs={"motor": lambda t: 6.0 if t < 6.0 else -6.0}, dt=1e-3)
    names = [e.name for e in run.events]
    assert "right (to rest)" in names and "right.release" in names
    held = (run["mode"] == list(model.modes).index("right.rest")) & (run.t < 5.9)
    assert np.abs(run["cart"][held] - 1.0).max() < 1e-10
    assert run["force.right.contact"][held].min() > 0.0
    assert run["cart"][-1] < 0.99
    assert np.abs(run["cart"]).max() < 1.0 + 1e-9

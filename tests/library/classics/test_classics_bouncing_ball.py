"""The ball keeps to what a textbook says of every bounce, and rests when they have added up."""

import math

import numpy as np
import pytest

from touchweight.library.classics import bouncing_ball

G = 9.81


@pytest.mark.parametrize("e", [0.3, 0.8, 0.95])
def test_bounces_come_when_geometry_says_and_end_in_rest(e):
    h = 0.7
    run = bouncing_ball.build(restitution=e, height=h).compile().simulate(16.0, dt=5e-3)
    first = math.sqrt(2.0 * h / G)
    k = np.arange(10)
    expected = first * (1.0 + 2.0 * e * (1.0 - e**k) / (1.0 - e))
    np.testing.assert_allclose([event.t for event in run.events[:10]], expected, rtol=1e-10)
    last = run.events[-1]
    assert last.target == "bounce.rest"
    assert last.t == pytest.approx(first * (1.0 + e) / (1.0 - e), abs=1e-7)
    after = run.t > last.t
    assert np.abs(run["height"][after]).max() < 1e-12 and np.abs(run["v.height"][after]).max() < 1e-12
    np.testing.assert_allclose(run["force.bounce.contact"][after], 0.1 * G, rtol=1e-12)


def test_an_elastic_ball_keeps_its_energy_for_ever():
    run = bouncing_ball.build(restitution=1.0).compile().simulate(20.0, dt=5e-3)
    assert len(run.events) == 22
    np.testing.assert_allclose(run["energy.total"], run["energy.total"][0], rtol=1e-10)
    assert run["height"].min() > -1e-12


def test_a_dead_ball_stays_where_it_drops():
    run = bouncing_ball.build(restitution=0.0).compile().simulate(1.0)
    assert run["mode"][-1] == 1.0
    assert abs(run["height"][-1]) < 1e-12


def test_a_ball_laid_on_the_floor_stays_there():
    run = bouncing_ball.build().compile().simulate(0.5, q={"height": 0.0})
    assert np.abs(run["height"]).max() < 1e-12
    assert np.abs(run["v.height"]).max() < 1e-9


def test_restitution_is_live():
    model = bouncing_ball.build(restitution=0.8).compile()
    state = model.state(parameters={"bounce.restitution": 0.5})
    run = model.simulate(2.0, state=state)
    first = math.sqrt(2.0 / G)
    assert run.events[1].t == pytest.approx(2.0 * first, rel=1e-12)

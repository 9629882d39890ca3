"""The motion that the equations give: energy stays, as far as the step of the integrator allows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mechanisms import cloud_body, random_cloud

import touchweight as tw


def flying_chain() -> tw.Mechanism:
    """Four links that fly, joined by a hinge, a ball and a universal joint."""
    m = tw.Mechanism()
    draw = np.random.default_rng(1)
    bodies = [cloud_body(m, f"b{i}", random_cloud(draw)) for i in range(4)]
    m.free("root", bodies[0])
    m.revolute("hinge", bodies[0], bodies[1], axis=(1.0, 2.0, 2.0), origin=(0.3, 0.0, 0.0))
    m.spherical("ball", bodies[1], bodies[2], origin=(0.0, 0.3, 0.0))
    m.universal("cross", bodies[2], bodies[3], origin=(0.0, 0.0, 0.3))
    return m


def test_the_energy_of_a_flying_chain_drifts_with_the_fourth_power_of_the_step() -> None:
    model = flying_chain().compile()
    v = np.random.default_rng(2).normal(size=model.nv)
    drifts, ends = [], []
    for steps in (200, 400, 800):
        run = model.simulate(1.0, v=v, dt=1.0 / steps, progress=False)
        drifts.append(np.abs(run["energy.total"] - run["energy.total"][0]).max())
        ends.append(np.array([run[n][-1] for n in model.coordinates]))
    assert drifts[-1] < 1e-6
    for coarse, fine in itertools.pairwise(drifts):
        assert 14.0 < coarse / fine < 18.0
    # and so does the place where it ends
    assert 14.0 < np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2]) < 18.0


@pytest.mark.parametrize("gravity", [0.0, -9.81])
def test_a_flying_chain_keeps_its_momentum(gravity: float) -> None:
    """But for the linear momentum that its weight brings, and the turn of it."""
    model = flying_chain().compile()
    state = model.state(v=np.random.default_rng(3).normal(size=model.nv), parameters={"gravity.z": gravity})
    before = model.momentum(state.q, state.v)
    mass = sum(p.value for n, p in model.mechanism.parameters.items() if n.endswith(".mass"))
    model.simulate(1.0, dt=1e-3, state=state, progress=False)
    after = model.momentum(state.q, state.v)
    weight = np.array([0.0, 0.0, gravity * mass])
    assert after.linear == pytest.approx(before.linear + weight, abs=1e-7)
    if gravity == 0.0:
        assert after.angular == pytest.approx(before.angular, abs=1e-8)
    else:
        assert after.angular[2] == pytest.approx(before.angular[2], abs=1e-8)

"""Andrews' squeezer: closed as described, driven by any law; its motion is compared in tests/benchmarks."""

import numpy as np
import pytest

from touchweight.library.classics import andrews
from touchweight.symbolic import symbol


def test_the_start_is_closed_and_nothing_is_redundant():
    model = andrews.build().compile()
    h = model.loops().closure(model.state().q, 0.0, model.parameters).h
    assert np.max(np.abs(h)) < 1e-16
    assert len(model.loops().rows) == 6 and model.loops().chosen.redundant == ()


def test_energy_is_what_the_motor_gave():
    model = andrews.build().compile()
    state = model.state(parameters={"torque": 0.05})
    run = model.simulate(0.02, state=state, dt=5e-6, every=40)
    given = 0.05 * (run["beta"] - run["beta"][0])
    np.testing.assert_allclose(run["energy.total"] - run["energy.total"][0], given, rtol=0, atol=1e-9)
    assert given[-1] > 0.1


def test_a_torque_that_depends_on_time():
    mechanism = andrews.build(torque=0.033 * symbol("t", "time"))
    assert mechanism.check() == [] and "torque" not in mechanism.parameters
    run = mechanism.compile().simulate(1e-4, dt=1e-6)
    # to begin with β = a t³/6 with the published acceleration a; later the spring's load pushes, too
    assert run["beta"][-1] - run["beta"][0] == pytest.approx(14222.4439199541 * 1e-12 / 6, rel=2e-4)

"""MuJoCo is given the same robot, and its steps are what Pinocchio's dynamics integrate to."""

import numpy as np
import pytest

from touchweight.bench.joint_table import load_model
from touchweight.bench.pinocchio_rival import reference
from touchweight.bench.rivals import MissingRival
from touchweight.bench.robots import urdf_path
from touchweight.bench.states import States, random_states, relative_error

pytest.importorskip("mujoco", reason="MuJoCo is not installed")
pytest.importorskip("pinocchio", reason="Pinocchio is not installed")

from touchweight.bench import mujoco_rival


@pytest.mark.parametrize("algorithm", mujoco_rival.INTEGRATORS)
@pytest.mark.parametrize("robot", ["panda", "ur5", "talos"])
def test_mass_matrix_and_step_agree_with_pinocchio(robot: str, algorithm: str) -> None:
    try:
        urdf = urdf_path(robot)
    except MissingRival as reason:
        pytest.skip(str(reason))
    pinocchio = load_model(urdf)
    model = mujoco_rival.mujoco_model(urdf, mujoco_rival.INTEGRATORS[algorithm])
    order = np.array(mujoco_rival.joint_order(model, pinocchio))
    states = random_states([False] * model.nv, count=5)
    permuted = States(states.q[:, order], states.v[:, order], states.u[:, order])

    M = reference(pinocchio, "crba", states)[:, order][:, :, order]
    assert relative_error(mujoco_rival.mass_matrices(model, permuted.q), M) < 1e-9

    _, found = mujoco_rival.time_in_rollout(model, permuted, repeat=1)
    expected = mujoco_rival.expected_step(pinocchio, algorithm, states)
    assert relative_error(found, expected[:, np.hstack([order, model.nv + order])]) < 1e-9

"""Jacobians: how speeds move points, and how forces at points act on speeds."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import PythonModel, relative
from mechanisms import SEEDS, forward_kinematics, moved, random_states, random_tree

from touchweight.mechanism import Mechanism


def with_tip(seed: int) -> Mechanism:
    """A random tree with a turned frame away from the origin of its last body, its velocities measured."""
    m = random_tree(seed).mechanism
    m.frame("tip", list(m.bodies)[-1], (0.3, -0.2, 0.1), (0.3, 0.5, 0.7))
    m.sensor("velocity", "velocity", "tip")
    m.sensor("spin", "angular_velocity", "tip")
    return m


@pytest.mark.parametrize("seed", SEEDS)
def test_it_gives_the_velocity_of_the_point(seed: int) -> None:
    m = with_tip(seed)
    model = PythonModel(m)
    s = random_states(m, seed=seed)
    rates = np.einsum("nij,nj->ni", model.jacobian("tip", s.q), s.v)
    found = model.sensors(s.q, s.v)
    assert relative(rates[:, :3], found["velocity"]) < 1e-12
    assert relative(rates[:, 3:], found["spin"]) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_the_difference_of_positions(seed: int) -> None:
    """Moving along one speed at a time, quaternions on their sphere; positions by NumPy."""
    m = with_tip(seed)
    body, arm = m.frames["tip"].body.name, np.array([0.3, -0.2, 0.1])
    s = random_states(m, count=2, seed=seed)
    J = PythonModel(m).jacobian("tip", s.q)
    h = 1e-6
    for k in range(len(m.speeds)):
        unit = np.tile(np.eye(len(m.speeds))[k], (2, 1))
        ends = [[forward_kinematics(m, q)[body] for q in moved(m, s.q, unit, sign * h)] for sign in (1, -1)]
        for n in range(2):
            (R1, p1), (R0, p0) = ends[0][n], ends[1][n]
            assert np.abs((p1 + R1 @ arm - p0 - R0 @ arm) / (2 * h) - J[n, :3, k]).max() < 1e-8
            W = (R1 - R0) / (2 * h) @ ((R1 + R0) / 2).T  # [ω], up to h²
            assert np.abs(np.array([W[2, 1], W[0, 2], W[1, 0]]) - J[n, 3:, k]).max() < 1e-8


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("axes", ["world", "frame"])
def test_its_transpose_brings_a_force_to_the_speeds(seed: int, axes: str) -> None:
    """What a force and torque on a frame add to the dynamics is Jᵀ (f, n)."""
    m = with_tip(seed)
    s = random_states(m, seed=seed)
    free = PythonModel(m).bias(s.q, s.v)
    wrench = np.array([1.0, -2.0, 0.5, 0.3, 0.1, -0.7])
    m.force("push", "tip", wrench[:3].tolist(), wrench[3:].tolist(), axes=axes)
    m.sensor("axes", "orientation", "tip")
    model = PythonModel(m)
    world = np.tile(wrench, (len(s.q), 1))
    if axes == "frame":
        R = model.sensors(s.q, s.v)["axes"]
        world = np.hstack([R @ wrench[:3], R @ wrench[3:]])
    expected = np.einsum("nij,ni->nj", model.jacobian("tip", s.q), world)
    assert relative(free - model.bias(s.q, s.v), expected) < 1e-11


def test_a_frame_on_the_ground_does_not_move() -> None:
    m = random_tree(0).mechanism
    m.frame("bench", m.ground, (1.0, 2.0, 3.0))
    assert not PythonModel(m).jacobian("bench", random_states(m).q).any()


def test_only_the_speeds_between_it_and_the_ground_move_a_frame() -> None:
    m = random_tree(3, bodies=8).mechanism
    s = random_states(m)
    model = PythonModel(m)
    for name, body in list(m.bodies.items())[::4]:
        J = model.jacobian(name, s.q)
        carriers: set[str] = set()
        at = body
        while at is not m.ground:
            joint = next(j for j in m.joints.values() if j.child is at)
            carriers |= set(joint.speeds)
            at = joint.parent
        moving = {speed for k, speed in enumerate(model.speeds) if J[:, :, k].any()}
        assert moving <= carriers
        assert {speed for speed in carriers if speed.endswith((".wx", ".vx"))} <= moving

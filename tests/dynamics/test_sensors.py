"""Sensors: what they read is the motion, and readings agree with each other."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, PythonModel, relative
from mechanisms import SEEDS, forward_kinematics, moved, random_states, random_tree

from touchweight.dynamics.sensors import reading
from touchweight.mechanism import Mechanism
from touchweight.mechanism.signal import SENSOR_KINDS


def instrumented(seed: int) -> Mechanism:
    """A random tree with every sensor, in both axes, on a turned frame of its last body."""
    m = random_tree(seed).mechanism
    m.frame("tip", list(m.bodies)[-1], (0.3, -0.2, 0.1), (0.3, 0.5, 0.7))
    for kind in SENSOR_KINDS:
        for axes in ("world", "frame"):
            m.sensor(f"{kind}.{axes}", kind, "tip", axes)
    return m


def readings(seed: int) -> tuple[Mechanism, PythonModel, dict[str, Array]]:
    m = instrumented(seed)
    model = PythonModel(m)
    s = random_states(m, seed=seed)
    return m, model, model.sensors(s.q, s.v, s.a)


@pytest.mark.parametrize("seed", SEEDS)
def test_position_and_orientation_are_the_frames(seed: int) -> None:
    m, _, found = readings(seed)
    arm = np.array([0.3, -0.2, 0.1])
    tilt = np.array([[float(x.value) for x in row] for row in m.frames["tip"].rotation])  # type: ignore[attr-defined]
    for n, q in enumerate(random_states(m, seed=seed).q):
        R, p = forward_kinematics(m, q)[m.frames["tip"].body.name]
        assert found["position.world"][n] == pytest.approx(p + R @ arm, abs=1e-13)
        assert found["orientation.world"][n] == pytest.approx(R @ tilt, abs=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_readings_in_the_frames_axes_are_those_in_the_worlds_turned(seed: int) -> None:
    _, _, found = readings(seed)
    R = found["orientation.world"]
    for kind in SENSOR_KINDS:
        if kind != "orientation":
            turned = np.einsum("nij,nj->ni", R, found[f"{kind}.frame"])
            assert relative(turned, found[f"{kind}.world"]) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_each_reading_is_the_rate_of_the_one_before(seed: int) -> None:
    """Exactly, by differentiation: velocity of position, acceleration of velocity; ω turns the axes."""
    m = instrumented(seed)
    s = random_states(m, seed=seed)
    bench = Bench(m).at(s.q, s.v, s.a)

    def of(kind: str) -> list[object]:
        return list(reading(bench.tree, bench.world, m.sensors[f"{kind}.world"], bench.tree.a))

    pairs = (
        ("position", "velocity"),
        ("velocity", "acceleration"),
        ("angular_velocity", "angular_acceleration"),
    )
    for lower, upper in pairs:
        assert relative(bench.numbers(of(upper)), bench.rates(of(lower))) < 1e-12  # type: ignore[arg-type]
    R = bench.numbers(of("orientation")).reshape(-1, 3, 3)  # type: ignore[arg-type]
    dR = bench.rates(of("orientation")).reshape(-1, 3, 3)  # type: ignore[arg-type]
    w = bench.numbers(of("angular_velocity"))  # type: ignore[arg-type]
    assert relative(np.cross(w[:, None, :], R.transpose(0, 2, 1)).transpose(0, 2, 1), dR) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_acceleration_is_the_difference_of_velocities(seed: int) -> None:
    """Through the generated functions, a short time before and after."""
    m, model, found = readings(seed)
    s = random_states(m, seed=seed)
    h = 1e-4
    ends = []
    for sign in (1.0, -1.0):
        half = s.v + 0.5 * sign * h * s.a
        ends.append(model.sensors(moved(m, s.q, half, sign * h), s.v + sign * h * s.a, s.a))
    for rate, kind in (("acceleration", "velocity"), ("angular_acceleration", "angular_velocity")):
        difference = (ends[0][f"{kind}.world"] - ends[1][f"{kind}.world"]) / (2 * h)
        assert relative(difference, found[f"{rate}.world"]) < 1e-5


def test_accelerations_default_to_those_of_free_motion() -> None:
    m = instrumented(2)
    model = PythonModel(m)
    s = random_states(m)
    free = model.sensors(s.q, s.v, model.forward(s.q, s.v))
    assert all(np.array_equal(a, b) for a, b in zip(model.sensors(s.q, s.v).values(), free.values(), strict=True))


def test_what_falls_accelerates_with_gravity() -> None:
    m = Mechanism()
    stone = m.body("stone", 1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1))
    m.free("flight", stone)
    m.frame("centre", stone, (0.1, 0.2, 0.3))
    m.sensor("fall", "acceleration", "centre")
    s = random_states(m)
    assert relative(PythonModel(m).sensors(s.q, s.v)["fall"], np.tile([0.0, 0.0, -9.81], (12, 1))) < 1e-13


def test_the_ground_reads_its_place_and_no_motion() -> None:
    m = random_tree(0).mechanism
    m.frame("post", m.ground, (1.0, 2.0, 3.0), (0.0, 0.0, np.pi / 2))
    for kind in SENSOR_KINDS:
        m.sensor(kind, kind, "post", "frame")
    s = random_states(m)
    found = PythonModel(m).sensors(s.q, s.v, s.a)
    assert found["position"] == pytest.approx(np.tile([2.0, -1.0, 3.0], (12, 1)))
    assert found["orientation"] == pytest.approx(
        np.tile([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], (12, 1, 1))
    )
    for kind in ("velocity", "acceleration", "angular_velocity", "angular_acceleration"):
        assert not found[kind].any()

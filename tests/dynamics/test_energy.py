"""Energy and momentum against sums over point masses."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, PythonModel, relative
from mechanisms import SEEDS, RandomTree, forward_kinematics, moved, random_states, random_tree

from touchweight.dynamics.energy import kinetic_energy, momentum, potential_energy
from touchweight.mechanism import Mechanism


def points(made: RandomTree, q: Array) -> tuple[Array, Array]:
    """Positions (n, 3) and masses (n,) of every point of every body, in the world."""
    poses = forward_kinematics(made.mechanism, q)
    places, masses = [], []
    for name, cloud in made.clouds.items():
        R, p = poses[name]
        places.append(cloud.points @ R.T + p)
        masses.append(cloud.masses)
    return np.vstack(places), np.hstack(masses)


def point_motion(made: RandomTree, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and masses; velocities by differences of fourth order."""
    h = 1e-3
    at = [points(made, moved(made.mechanism, q[None], v[None], k * h)[0])[0] for k in (-2, -1, 1, 2)]
    where, masses = points(made, q)
    return where, (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h), masses


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_sums_over_points(seed: int) -> None:
    made = random_tree(seed, armature=False)
    m = made.mechanism
    model = PythonModel(m)
    s = random_states(m, count=4, seed=seed)
    energy, moving = model.energy(s.q, s.v), model.momentum(s.q, s.v)
    for n in range(4):
        r, dr, mass = point_motion(made, s.q[n], s.v[n])
        assert energy.kinetic[n] == pytest.approx(0.5 * np.sum(mass * np.sum(dr * dr, axis=1)), rel=1e-8)
        assert energy.potential[n] == pytest.approx(-np.sum(mass * (r @ (0.4, -1.3, -9.7))), rel=1e-12)
        assert relative(moving.linear[n], mass @ dr) < 1e-8
        assert relative(moving.angular[n], mass @ np.cross(r, dr)) < 1e-8
    assert energy.total == pytest.approx(energy.kinetic + energy.potential)


@pytest.mark.parametrize("seed", SEEDS)
def test_they_do_not_depend_on_the_axes_they_are_written_in(seed: int) -> None:
    m = random_tree(seed).mechanism
    s = random_states(m, seed=seed)
    found = []
    for carried in ((), range(0, 40, 2), range(40)):
        bench = Bench(m, carried).at(s.q, s.v)
        tree, world = bench.tree, bench.world
        energies = [kinetic_energy(tree, world), potential_energy(m, tree, world, bench.where)]
        linear, angular = momentum(tree, world)
        found.append(bench.numbers([*energies, *linear, *angular]))
    assert relative(found[1], found[0]) < 1e-13
    assert relative(found[2], found[0]) < 1e-13


def test_drives_store_energy_and_no_momentum() -> None:
    m = random_tree(0).mechanism
    names = [n for n in m.parameters if n.endswith(".armature")]
    model = PythonModel(m)
    s = random_states(m)
    off = dict.fromkeys(names, 0.0)
    extra = np.zeros(len(s.v))
    for joint in m.joints.values():
        armature = m.parameters.get(f"{joint.name}.armature")
        for speed in joint.speeds if armature is not None else ():
            extra += 0.5 * armature.value * s.v[:, m.speeds.index(speed)] ** 2  # type: ignore[union-attr]
    assert extra.min() > 0.0
    assert relative(model.energy(s.q, s.v).kinetic - model.energy(s.q, s.v, parameters=off).kinetic, extra) < 1e-12
    assert np.array_equal(model.momentum(s.q, s.v).linear, model.momentum(s.q, s.v, parameters=off).linear)


def test_springs_store_what_it_took_to_stretch_them() -> None:
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    slider = m.body("slider", 1.0)
    m.prismatic("x", m.ground, slider, axis="x", stiffness=50.0, rest=0.1)
    m.frame("eye", m.ground, (0.0, 0.4, 0.0))
    m.spring("band", "eye", slider, stiffness=200.0, length=0.3)
    q = np.array([[-0.2], [0.0], [0.5]])
    stretch = np.hypot(q[:, 0], 0.4) - 0.3
    expected = 0.5 * 50.0 * (q[:, 0] - 0.1) ** 2 + 0.5 * 200.0 * stretch**2
    assert PythonModel(m).energy(q, 0 * q).potential == pytest.approx(expected, rel=1e-14)


def test_a_mechanism_without_motion_has_no_energy_of_motion() -> None:
    m = Mechanism()
    m.fixed("bolts", m.ground, m.body("block", 3.0))
    energy, moving = PythonModel(m).energy([], []), PythonModel(m).momentum([], [])
    assert float(energy.kinetic) == 0.0
    assert moving.linear.tolist() == [0.0, 0.0, 0.0]

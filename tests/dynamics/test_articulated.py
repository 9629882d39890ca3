"""Articulated bodies: the accelerations of the factorised mass matrix, at a cost linear in the joints."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Bench, relative
from mechanisms import MOVING, SEEDS, random_states, random_tree

from touchweight.dynamics.articulated import articulated_body, motion_axes
from touchweight.dynamics.inverse import Wrench, inverse_dynamics
from touchweight.dynamics.kinematics import Kinematics
from touchweight.dynamics.mass import mass_matrix
from touchweight.dynamics.regroup import regroup
from touchweight.dynamics.slide import slide_origins
from touchweight.dynamics.tree import build_tree
from touchweight.mechanism import Mechanism
from touchweight.symbolic import Expr, count_operations, symbol


def compare(m: Mechanism, seed: int, external: bool = False, short: bool = False) -> float:
    """The largest difference from M⁻¹ (tau - c), by LAPACK."""
    states = random_states(m, seed=seed)
    tree = regroup(slide_origins(build_tree(m))) if short else build_tree(m)
    bench = Bench(m, tree=tree).at(states.q, states.v, 0 * states.a)
    n = len(tree.speeds)
    tau = [symbol(f"tau{i}") for i in range(n)]
    wrenches, more = pushes(bench) if external else ({}, {})
    more |= dict(zip(tau, states.tau.T, strict=True))
    found = bench.numbers(articulated_body(tree, bench.where, tau, wrenches), more)
    c = bench.numbers(inverse_dynamics(tree, bench.where, tree.a, wrenches), more)
    M = bench.numbers([x for row in mass_matrix(tree, bench.where).rows() for x in row]).reshape(-1, n, n)
    return relative(found, np.linalg.solve(M, (states.tau - c)[..., None])[..., 0])


def pushes(bench: Bench) -> tuple[dict[int, Wrench], dict[Expr, float]]:
    """A random wrench on every other link."""
    draw = np.random.default_rng(8)
    wrenches: dict[int, Wrench] = {}
    values: dict[Expr, float] = {}
    for i in range(0, len(bench.tree.links), 2):
        s = [symbol(f"push{i}.{k}") for k in range(6)]
        wrenches[i] = Wrench((s[0], s[1], s[2]), (s[3], s[4], s[5]))
        values |= dict(zip(s, map(float, draw.normal(size=6)), strict=True))
    return wrenches, values


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_are_those_of_the_mass_matrix(seed: int) -> None:
    assert compare(random_tree(seed).mechanism, seed) < 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_also_with_wrenches_from_outside(seed: int) -> None:
    assert compare(random_tree(seed).mechanism, seed, external=True) < 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_also_with_regrouped_parameters(seed: int) -> None:
    """A regrouped link may have no mass of its own, or a negative one: the pivots stay what they were."""
    assert compare(random_tree(seed).mechanism, seed, external=True, short=True) < 1e-10


@pytest.mark.parametrize("kind", MOVING)
def test_each_kind_of_joint(kind: str) -> None:
    for seed in range(3):
        assert compare(random_tree(seed, (kind,), bodies=3).mechanism, seed) < 1e-10


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_the_cost_grows_with_the_number_of_joints(kind: str) -> None:
    """Each further joint of a chain costs the same."""

    def operations(n: int) -> int:
        m = Mechanism()
        parent = m.ground
        for i in range(n):
            body = m.body(f"b{i}", 1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.2))
            m.joint(f"j{i}", kind, parent, body, axis="xyz"[i % 3], origin=(0.0, 0.1, 0.3))
            parent = body
        bench = Bench(m)
        return count_operations(
            articulated_body(bench.tree, bench.where, [symbol(f"t{i}") for i in range(3 * n)])
        ).total

    counts = [operations(n) for n in (6, 9, 12, 15)]
    assert np.diff(counts) == pytest.approx(np.diff(counts)[0], rel=0.01)


def test_a_joint_moves_along_its_own_axes() -> None:
    """Motion axes times speeds are the twist relative to the parent."""
    m = random_tree(1).mechanism
    states = random_states(m)
    some = range(0, 40, 2)
    bench = Bench(m, some).at(states.q, states.v)
    for link, pose in zip(bench.tree.links, bench.where, strict=True):
        axes = [bench.numbers(axis) for axis in motion_axes(link, pose)]
        speeds = bench.numbers(list(link.v))
        twist = sum(a * speeds[:, [k]] for k, a in enumerate(axes))
        w, v = Kinematics(bench.tree, bench.where, link.parent).twist(link.index)
        assert np.abs(bench.numbers([*w, *v]) - twist).max() < 1e-13

"""The mass matrix: symmetric, positive, the kinetic energy's, and empty where branches don't meet."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, PythonModel, relative
from mechanisms import SEEDS, parallel_tree, random_states, random_tree

from touchweight.dynamics.energy import kinetic_energy
from touchweight.dynamics.frames import parallel_links
from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.dynamics.mass import composite_traces, composites, mass_matrix, turning_inertia
from touchweight.dynamics.regroup import regroup
from touchweight.dynamics.slide import slide_origins
from touchweight.dynamics.tree import Tree, build_tree
from touchweight.symbolic import ONE, ZERO, evaluate_all, gradient, jacobian, symbols


def at_random(seed: int) -> Bench:
    m = random_tree(seed).mechanism
    states = random_states(m, seed=seed)
    return Bench(m).at(states.q, states.v, states.a)


def mass_of(bench: Bench, by_trace: bool = False) -> Array:
    n = len(bench.tree.speeds)
    rows = mass_matrix(bench.tree, bench.where, by_trace).rows()
    return bench.numbers([x for row in rows for x in row]).reshape(-1, n, n)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_symmetric_and_positive(seed: int) -> None:
    m = random_tree(seed).mechanism
    M = PythonModel(m).mass_matrix(random_states(m, seed=seed).q)
    assert np.array_equal(M, M.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(M).min() > 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_the_kinetic_energys(seed: int) -> None:
    """T = ½ vᵀ M v for all v, so M = ∂²T/∂v²."""
    bench = at_random(seed)
    tree = bench.tree
    T = kinetic_energy(tree, bench.world)
    hessian = jacobian(gradient(T, tree.v), tree.v)
    n = len(tree.speeds)
    expected = bench.numbers([x for row in hessian for x in row]).reshape(-1, n, n)
    assert relative(mass_of(bench), expected) < 1e-12
    v = bench.numbers(list(tree.v))
    half = 0.5 * np.einsum("ni,nij,nj->n", v, mass_of(bench), v)
    assert relative(bench.numbers([T])[:, 0], half) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_its_columns_are_the_forces_of_unit_accelerations(seed: int) -> None:
    bench = at_random(seed)
    tree = bench.tree
    n = len(tree.speeds)
    M = mass_of(bench)
    still = bench.numbers(inverse_dynamics(tree, bench.where, [ZERO] * n))
    for k in range(n):
        unit = [ONE if i == k else ZERO for i in range(n)]
        column = bench.numbers(inverse_dynamics(tree, bench.where, unit)) - still
        assert np.abs(column - M[:, :, k]).max() < 1e-12 * np.abs(M).max() + 1e-14 * np.abs(still).max() * 10


@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_by_traces_is_the_same(seed: int) -> None:
    """Also with regrouped parameters and carried axes, where it is used."""
    for m in (random_tree(seed).mechanism, parallel_tree(seed)):
        states = random_states(m, seed=seed)
        for tree in (build_tree(m), regroup(slide_origins(build_tree(m)))):
            for carried in (frozenset[int](), parallel_links(tree), range(0, 40, 2)):
                bench = Bench(m, carried, tree).at(states.q)
                found, expected = (mass_of(bench, by_trace) for by_trace in (True, False))
                assert relative(found, expected) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_a_trace_is_carried_without_turning_anything(seed: int) -> None:
    bench = at_random(seed)
    pieces = composites(bench.tree, bench.where)
    found = bench.numbers(composite_traces(bench.tree, bench.where, pieces))
    expected = bench.numbers([x for piece in pieces for x in piece.second[:3]])
    assert relative(found, expected.reshape(len(found), -1, 3).sum(axis=2)) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_only_a_speed_and_those_that_carry_it_are_coupled(seed: int) -> None:
    tree = at_random(seed).tree
    entries = mass_matrix(tree, Bench(random_tree(seed).mechanism).where).entries
    link_of = {link.speed + k: link.index for link in tree.links for k in range(len(link.v))}
    for i, j in entries:
        a, b = link_of[i], link_of[j]
        assert a in line(tree, b) or b in line(tree, a)


def line(tree: Tree, i: int) -> list[int]:
    return [] if i < 0 else [i, *line(tree, tree.links[i].parent)]


def test_either_triangle_is_read() -> None:
    bench = at_random(0)
    mass = mass_matrix(bench.tree, bench.where)
    for i in range(mass.size):
        for j in range(mass.size):
            assert mass.get(i, j) is mass.get(j, i)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_subtree_weighs_what_its_links_weigh(seed: int) -> None:
    bench = at_random(seed)
    tree = bench.tree
    whole = bench.numbers([c.mass for c in composites(tree, bench.where)])
    own = bench.numbers([link.inertia.mass for link in tree.links])
    expected = np.zeros_like(own)
    for link in tree.links:
        for above in line(tree, link.index):
            expected[:, above] += own[:, link.index]
    assert relative(whole, expected) < 1e-14


def test_the_inertia_tensor_of_a_second_moment() -> None:
    """(tr(K) 1 - K) a."""
    names = symbols("xx yy zz xy xz yz x y z")
    numbers = np.random.default_rng(1).normal(size=9)
    values = dict(zip(names, map(float, numbers), strict=True))
    xx, yy, zz, xy, xz, yz = numbers[:6]
    K = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    k, a = names[:6], names[6:]
    second, axis = (k[0], k[1], k[2], k[3], k[4], k[5]), (a[0], a[1], a[2])
    for trace in (None, k[0] + k[1] + k[2]):
        found = evaluate_all(turning_inertia(second, axis, trace), values)
        assert found == pytest.approx((np.trace(K) * np.eye(3) - K) @ numbers[6:])


def test_armature_is_on_the_diagonal_alone() -> None:
    """It takes part in no coupling, and in no gyroscopic force."""
    m = random_tree(0).mechanism
    names = [n for n in m.parameters if n.endswith(".armature")]
    assert len(names) > 1
    model = PythonModel(m)
    s = random_states(m)
    without = dict.fromkeys(names, 0.0)
    added = model.mass_matrix(s.q) - model.mass_matrix(s.q, parameters=without)
    expected = np.zeros(model.nv)
    for joint in m.joints.values():
        for speed in joint.speeds:
            value = m.parameters.get(f"{joint.name}.armature")
            expected[model.speeds.index(speed)] = 0.0 if value is None else value.value
    assert np.abs(added - np.diag(expected)).max() < 1e-12
    assert np.array_equal(model.bias(s.q, s.v), model.bias(s.q, s.v, parameters=without))

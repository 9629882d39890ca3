"""Working axes: own or carried, the equations say the same."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Bench, PythonModel, relative
from mechanisms import SEEDS, parallel_tree, random_states, random_tree

from touchweight.dynamics.articulated import articulated_body
from touchweight.dynamics.frames import parallel_links, postures
from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.dynamics.mass import mass_matrix
from touchweight.dynamics.tree import build_tree
from touchweight.dynamics.vector import IDENTITY
from touchweight.mechanism import Mechanism
from touchweight.symbolic import Func, sin, topological


@pytest.mark.parametrize("seed", SEEDS)
def test_any_links_may_be_carried(seed: int) -> None:
    """Whatever set of links is written in their parents' axes: the same forces, inertia and accelerations."""
    m = random_tree(seed).mechanism
    tree = build_tree(m)
    states = random_states(m, seed=seed)
    draw = np.random.default_rng(seed)
    everything = range(len(tree.links))
    results = []
    for carried in ((), everything, [i for i in everything if draw.random() < 0.5]):
        bench = Bench(m, carried, tree).at(states.q, states.v, states.a)
        tau = dict(zip(tree.a, states.tau.T, strict=True))  # the accelerations' symbols lend themselves
        results.append(
            [
                bench.numbers(inverse_dynamics(tree, bench.where, tree.a)),
                bench.numbers([x for row in mass_matrix(tree, bench.where).rows() for x in row]),
                bench.numbers(articulated_body(tree, bench.where, tree.a), tau),
            ]
        )
    for other in results[1:]:
        for found, expected in zip(other, results[0], strict=True):
            assert relative(found, expected) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_carrying_parallel_hinges_changes_nothing(seed: int) -> None:
    """Where it is worth it: the generated functions, whatever form they took, obey the tree as described."""
    m = parallel_tree(seed)
    s = random_states(m, seed=seed)
    bench = Bench(m).at(s.q, s.v, s.a)
    assert parallel_links(bench.tree)
    model = PythonModel(m)
    tau = bench.numbers(inverse_dynamics(bench.tree, bench.where, bench.tree.a))
    assert relative(model.inverse(s.q, s.v, s.a), tau) < 1e-12
    assert relative(model.forward(s.q, s.v, tau), s.a) < 1e-10
    mass = [x for row in mass_matrix(bench.tree, bench.where).rows() for x in row]
    assert relative(model.mass_matrix(s.q).reshape(len(s.q), -1), bench.numbers(mass)) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_working_axes_are_rotations(seed: int) -> None:
    m = random_tree(seed).mechanism
    tree = build_tree(m)
    states = random_states(m, seed=seed)
    some = [i for i in range(len(tree.links)) if (i * 7 + seed) % 3]
    bench = Bench(m, some, tree).at(states.q)
    for link, pose in zip(tree.links, bench.where, strict=True):
        for matrix in (pose.turn, pose.body):
            R = bench.numbers([x for row in matrix for x in row]).reshape(-1, 3, 3)
            assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-13
            assert np.linalg.det(R) == pytest.approx(1.0)
        # one of the two is trivial: the axes are its own, or its parent's
        assert pose.turn == IDENTITY or pose.body == IDENTITY
        if link.index in some:
            assert pose.turn == IDENTITY


def arm(*axes: str | tuple[float, float, float]) -> Mechanism:
    m = Mechanism()
    parent = m.ground
    for i, axis in enumerate(axes):
        body = m.body(f"b{i}", 1.0, (0.1, 0.0, 0.2), (0.1, 0.2, 0.2))
        m.revolute(f"j{i}", parent, body, axis=axis, origin=(0.3, 0.1, 0.0))
        parent = body
    return m


def test_parallel_hinges_are_found() -> None:
    assert parallel_links(build_tree(arm("z", "y", "y", "-y", "x"))) == {2, 3}
    assert parallel_links(build_tree(arm((1.0, 2.0, 2.0), (1.0, 2.0, 2.0), (2.0, 2.0, 1.0)))) == {1}


def test_a_slide_in_between_is_no_parallel_hinge() -> None:
    m = Mechanism()
    a, b, c = (m.body(n, 1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1)) for n in "abc")
    m.revolute("j0", m.ground, a)
    m.prismatic("j1", a, b, axis="x")
    m.revolute("j2", b, c)
    assert parallel_links(build_tree(m)) == frozenset()


def test_angles_of_parallel_hinges_add_before_their_sine_is_taken() -> None:
    tree = build_tree(arm("y", "y", "y"))
    where = postures(tree, parallel_links(tree))
    tau = inverse_dynamics(tree, where, tree.a)
    sines = {n for n in topological(tau) if isinstance(n, Func) and n.name == "sin"}
    q = tree.q  # the second and third are written in the axes of the first
    assert sines == {sin(q[0]), sin(q[1]), sin(q[1] + q[2])}

"""The factorised mass matrix: it solves, and stays as empty as the tree allows."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Bench, relative
from mechanisms import SEEDS, random_states, random_tree

from touchweight.dynamics.factor import _couplings, elimination_order, solve
from touchweight.dynamics.mass import MassMatrix, mass_matrix
from touchweight.dynamics.tree import Tree, build_tree
from touchweight.mechanism import Mechanism
from touchweight.symbolic import count_operations, free_symbols, symbol


@pytest.mark.parametrize("seed", SEEDS)
def test_it_solves(seed: int) -> None:
    """M x = r for any r, against LAPACK."""
    m = random_tree(seed).mechanism
    states = random_states(m, seed=seed)
    bench = Bench(m).at(states.q)
    tree = bench.tree
    n = len(tree.speeds)
    mass = mass_matrix(tree, bench.where)
    right = [symbol(f"r{i}") for i in range(n)]
    M = bench.numbers([x for row in mass.rows() for x in row]).reshape(-1, n, n)
    found = bench.numbers(solve(elimination_order(tree), mass, right), dict(zip(right, states.tau.T, strict=True)))
    assert relative(found, np.linalg.solve(M, states.tau[..., None])[..., 0]) < 1e-10
    assert relative(np.einsum("nij,nj->ni", M, found), states.tau) < 1e-11


def ancestors(tree: Tree, link: int) -> list[int]:
    parent = tree.links[link].parent
    return [] if parent < 0 else [parent, *ancestors(tree, parent)]


@pytest.mark.parametrize("seed", SEEDS)
def test_elimination_fills_nothing_in(seed: int) -> None:
    """After elimination a speed is coupled only with those on its way to the ground."""
    bench = Bench(random_tree(seed, bodies=9).mechanism)
    tree = bench.tree
    order = elimination_order(tree)
    assert sorted(order) == list(range(len(tree.speeds)))
    link_of = {link.speed + k: link.index for link in tree.links for k in range(len(link.v))}
    above = _couplings(order, mass_matrix(tree, bench.where))
    for speed, row in above.items():
        allowed = {*ancestors(tree, link_of[speed]), link_of[speed]}
        assert {link_of[s] for s in row} <= allowed
        assert all(order.index(s) < order.index(speed) for s in row)


def two_arms(n: int) -> Mechanism:
    m = Mechanism()
    for side in ("left", "right"):
        parent = m.ground
        for i in range(n):
            body = m.body(f"{side} {i}", 1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.2))
            m.revolute(f"{side} joint {i}", parent, body, axis="xyz"[i % 3], origin=(0.0, 0.1, 0.3))
            parent = body
    return m


def test_branches_on_the_ground_do_not_know_each_other() -> None:
    m = two_arms(3)
    bench = Bench(m)
    right = [symbol(f"tau.{s}") for s in bench.tree.speeds]
    x = solve(elimination_order(bench.tree), mass_matrix(bench.tree, bench.where), right)
    for name, e in zip(bench.tree.speeds, x, strict=True):
        side = name.split()[0]
        assert {s.name.split(".")[1].split()[0] for s in free_symbols([e]) if s.name.startswith(("q.", "tau."))} == {
            side
        }


def test_a_second_arm_costs_as_much_as_the_first() -> None:
    """Linear in the number of branches: a full factorisation would take eight times as long, not twice."""

    def operations(m: Mechanism) -> int:
        tree = build_tree(m)
        size = len(tree.speeds)
        pattern = mass_matrix(tree, Bench(m, tree=tree).where).entries
        entries = {(i, j): symbol(f"m.{min(i, j)}.{max(i, j)}") for i, j in pattern}
        return count_operations(
            solve(elimination_order(tree), MassMatrix(size, dict(entries)), [symbol(f"r{i}") for i in range(size)])
        ).total

    one = Mechanism()
    parent = one.ground
    for i in range(4):
        body = one.body(f"b{i}", 1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.2))
        one.revolute(f"j{i}", parent, body, axis="xyz"[i % 3], origin=(0.0, 0.1, 0.3))
        parent = body
    assert operations(two_arms(4)) == 2 * operations(one)

"""Derivatives along the speeds against differences, with every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Bench
from mechanisms import SEEDS, moved, random_states, random_tree

from touchweight.dynamics.slopes import along_speeds, by_directions, by_symbols

STEP = 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_along_a_speed_is_a_small_motion_with_it(seed):
    """Positions of bodies, differentiated along each speed."""
    m = random_tree(seed, bodies=4).mechanism
    bench = Bench(m)
    links = bench.tree.links
    exprs = [e for link in range(len(links)) for e in bench.world.pose(link)[1]]
    slopes = by_directions(exprs, along_speeds(bench.tree))
    q = random_states(m, 1, seed).q
    n = len(m.speeds)
    found = bench.at(q, np.zeros((1, n))).numbers([e for row in slopes for e in row])[0].reshape(len(exprs), n)
    for k in range(n):
        unit = np.eye(n)[k][None]
        ends = [bench.at(moved(m, q, unit, s * STEP), np.zeros((1, n))).numbers(exprs)[0] for s in (1.0, -1.0)]
        assert found[:, k] == pytest.approx((ends[0] - ends[1]) / (2 * STEP), abs=1e-8)


def test_each_speed_moves_the_coordinates_of_its_own_joint():
    m = random_tree(1).mechanism
    bench = Bench(m)
    directions = along_speeds(bench.tree)
    for link in bench.tree.links:
        for k in range(len(link.v)):
            assert set(directions[link.speed + k]) <= set(link.q)
            assert directions[link.speed + k]


def test_by_symbols():
    m = random_tree(0, bodies=3).mechanism
    bench = Bench(m)
    v = bench.tree.v
    rows = by_symbols([v[0] * v[1] + 3.0 * v[1], v[0] + 0.0 * v[1]], v[:2])
    numbers = bench.at(np.zeros((1, len(bench.tree.q))), np.array([[2.0, 5.0, *[0.0] * (len(v) - 2)]])).numbers(
        [e for row in rows for e in row]
    )
    assert numbers[0] == pytest.approx([5.0, 5.0, 1.0, 0.0])

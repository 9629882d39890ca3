"""Where links are and how they move: against NumPy, and against the time derivatives of the positions."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, relative
from mechanisms import SEEDS, coordinate_rates, forward_kinematics, moved, random_states, random_tree

from touchweight.dynamics import kinematics
from touchweight.dynamics.kinematics import Kinematics, common_ancestor
from touchweight.dynamics.tree import Placement, build_tree
from touchweight.mechanism import Frame
from touchweight.symbolic import Expr


def benches(seed: int) -> tuple[Bench, Bench]:
    """A random tree at random states, with every link in its own axes and with some carried."""
    m = random_tree(seed).mechanism
    states = random_states(m, seed=seed)
    own = Bench(m)
    some = [i for i in range(len(own.tree.links)) if np.random.default_rng([seed, i]).random() < 0.5]
    carried = Bench(m, carried=some)
    return own.at(states.q, states.v, states.a), carried.at(states.q, states.v, states.a)


def flat(rows: tuple[tuple[Expr, ...], ...]) -> list[Expr]:
    return [x for row in rows for x in row]


def tip(bench: Bench) -> Placement:
    """A turned frame away from the origin of the last body."""
    body = list(bench.mechanism.bodies.values())[-1]
    frame = bench.mechanism.frame(f"tip {len(bench.mechanism.frames)}", body, (0.3, -0.2, 0.1), (0.3, 0.5, 0.7))
    bench.values.update({p.symbol: p.value for p in bench.mechanism.parameters.values()})
    return bench.tree.place(frame)


@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_are_where_the_description_puts_them(seed: int) -> None:
    for bench in benches(seed):
        m = bench.mechanism
        q = np.stack([np.asarray(bench.values[s]) for s in bench.tree.q], axis=1)
        expected = [forward_kinematics(m, row) for row in q]
        for body in m.bodies.values():
            place = bench.tree.place(Frame(body.name, body))
            position = bench.numbers(bench.world.position(place))
            orientation = bench.numbers(flat(bench.world.orientation(place)))
            assert np.abs(position - [e[body.name][1] for e in expected]).max() < 1e-13
            assert np.abs(orientation - [e[body.name][0].ravel() for e in expected]).max() < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_velocity_is_the_rate_of_position(seed: int) -> None:
    for bench in benches(seed):
        place, world = tip(bench), bench.world
        velocity = world.to_reference(place.link, world.velocity(place))
        assert relative(bench.numbers(velocity), bench.rates(world.position(place))) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_angular_velocity_turns_the_axes(seed: int) -> None:
    """dR/dt = [ω] R."""
    for bench in benches(seed):
        place, world = tip(bench), bench.world
        R = bench.numbers(flat(world.orientation(place))).reshape(-1, 3, 3)
        dR = bench.rates(flat(world.orientation(place))).reshape(-1, 3, 3)
        w = bench.numbers(world.to_reference(place.link, world.twist(place.link)[0]))
        assert relative(np.cross(w[:, None, :], R.transpose(0, 2, 1)).transpose(0, 2, 1), dR) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_acceleration_is_the_rate_of_velocity(seed: int) -> None:
    for bench in benches(seed):
        place, world = tip(bench), bench.world
        velocity = world.to_reference(place.link, world.velocity(place))
        acceleration = world.to_reference(place.link, world.acceleration(place, bench.tree.a))
        assert relative(bench.numbers(acceleration), bench.rates(velocity)) < 1e-12
        omega = world.to_reference(place.link, world.twist(place.link)[0])
        gain = world.to_reference(place.link, world.motion(place.link, bench.tree.a).gain)
        assert relative(bench.numbers(gain), bench.rates(omega)) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_a_link_seen_from_another_is_the_quotient_of_their_poses(seed: int) -> None:
    for bench in benches(seed):
        tree, world = bench.tree, bench.world
        for outer in tree.links:
            line = [outer.parent]
            while line[-1] >= 0:
                line.append(tree.links[line[-1]].parent)
            for inner in line:
                R, p = poses(bench, world, outer.index)
                R0, p0 = poses(bench, world, inner)
                found_R, found_p = poses(bench, Kinematics(tree, bench.where, inner), outer.index)
                assert np.abs(found_R - R0.transpose(0, 2, 1) @ R).max() < 1e-13
                assert np.abs(found_p - np.einsum("nji,nj->ni", R0, p - p0)).max() < 1e-13


def poses(bench: Bench, view: Kinematics, link: int) -> tuple[Array, Array]:
    turn, origin = view.pose(link)
    return bench.numbers(flat(turn)).reshape(-1, 3, 3), bench.numbers(origin)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_common_ancestor_is_the_outermost_shared_one(seed: int) -> None:
    tree = build_tree(random_tree(seed, bodies=8).mechanism)

    def line(i: int) -> list[int]:
        return [i] if i < 0 else [i, *line(tree.links[i].parent)]

    for a in range(-1, len(tree.links)):
        for b in range(-1, len(tree.links)):
            shared = set(line(a)) & set(line(b))
            assert common_ancestor(tree, a, b) == max(shared)
            assert common_ancestor(tree, a, b) == common_ancestor(tree, b, a)


@pytest.mark.parametrize("seed", SEEDS)
def test_coordinates_change_as_the_speeds_say(seed: int) -> None:
    bench, _ = benches(seed)
    m, tree = bench.mechanism, bench.tree
    states = random_states(m, seed=seed)
    rates = bench.numbers(kinematics.coordinate_rates(tree))
    assert np.abs(rates - coordinate_rates(m, states.q, states.v)).max() < 1e-14
    h = 1e-5
    difference = (moved(m, states.q, states.v, h) - moved(m, states.q, states.v, -h)) / (2 * h)
    assert np.abs(rates - difference).max() < 1e-8
    for link in tree.links:
        if link.kind == "S":  # the length of a quaternion stays
            start = tree.q.index(link.q[0])
            assert np.abs(np.sum(rates[:, start : start + 4] * states.q[:, start : start + 4], axis=1)).max() < 1e-14

"""Origins slid along hinges: fewer offsets, the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, relative
from mechanisms import SEEDS, cloud_body, random_cloud, random_states, random_tree

from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.dynamics.jacobian import frame_jacobian
from touchweight.dynamics.mass import mass_matrix
from touchweight.dynamics.slide import slide_origins
from touchweight.dynamics.tree import Tree, build_tree
from touchweight.mechanism import Body, Frame, Mechanism
from touchweight.symbolic import ZERO


def offsets(tree: Tree) -> int:
    """Components of offsets that the recursions see: those of links on the ground vanish."""
    return sum(x is not ZERO for link in tree.links if link.parent >= 0 for x in link.offset)


@pytest.mark.parametrize("seed", SEEDS)
def test_sliding_changes_no_force_and_no_inertia(seed: int) -> None:
    m = random_tree(seed, bodies=8).mechanism
    states = random_states(m, seed=seed)
    found = []
    for tree in (build_tree(m), slide_origins(build_tree(m))):
        bench = Bench(m, tree=tree).at(states.q, states.v, states.a)
        mass = [x for row in mass_matrix(tree, bench.where).rows() for x in row]
        found.append((bench.numbers(inverse_dynamics(tree, bench.where, tree.a)), bench.numbers(mass)))
    for slid, plain in zip(found[1], found[0], strict=True):
        assert relative(slid, plain) < 1e-12


@pytest.mark.parametrize("axis", ["x", "y", "z", "-x"])
def test_a_hinge_about_any_axis_slides_with_its_matter(axis: str) -> None:
    """The middle of three hinges, described off the place where its parent's origin is."""
    m = Mechanism()
    draw = np.random.default_rng(4)
    parent = m.ground
    shift = [0.3 * (c in axis) for c in "xyz"]
    for i, (about, origin) in enumerate((("z", (0.0, 0.0, 0.0)), (axis, shift), ("y", (0.1, 0.2, 0.3)))):
        body = cloud_body(m, f"b{i}", random_cloud(draw))
        m.revolute(f"j{i}", parent, body, axis=about, origin=origin)
        parent = body
    plain, slid = build_tree(m), slide_origins(build_tree(m))
    assert offsets(slid) < offsets(plain)
    assert slid.links[1].offset != plain.links[1].offset
    states = random_states(m)
    taus = []
    for tree in (plain, slid):
        bench = Bench(m, tree=tree).at(states.q, states.v, states.a)
        taus.append(bench.numbers(inverse_dynamics(tree, bench.where, tree.a)))
    assert relative(taus[1], taus[0]) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_stay_where_they_are(seed: int) -> None:
    m = random_tree(seed, bodies=8).mechanism
    states = random_states(m, seed=seed)
    plain, slid = (Bench(m, tree=tree).at(states.q, states.v) for tree in (build_tree(m), slide_origins(build_tree(m))))
    for body in m.bodies.values():
        for found, expected in zip(placed(slid, body), placed(plain, body), strict=True):
            assert relative(found, expected) < 1e-12


def placed(bench: Bench, body: Body) -> tuple[Array, Array, Array]:
    """Position, orientation and Jacobian of a body."""
    place = bench.tree.place(Frame(body.name, body))
    turned = [x for row in bench.world.orientation(place) for x in row]
    moving = [x for row in frame_jacobian(bench.tree, bench.world, place) for x in row]
    return bench.numbers(bench.world.position(place)), bench.numbers(turned), bench.numbers(moving)


@pytest.mark.parametrize("seed", range(12))
def test_sliding_never_adds_an_offset(seed: int) -> None:
    tree = build_tree(random_tree(seed, ("revolute", "revolute", "prismatic", "spherical"), bodies=8).mechanism)
    assert offsets(slide_origins(tree)) <= offsets(tree)


def test_a_chain_with_offsets_along_its_axes_loses_them() -> None:
    """A wrist: three hinges whose axes meet, described with their origins apart along the axes."""
    m = Mechanism()
    parent = m.ground
    for i, axis in enumerate(("z", "y", "x")):
        body = m.body(f"b{i}", 1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
        m.revolute(f"j{i}", parent, body, axis=axis, origin=((0.0, 0.0, 0.5), (0.0, 0.0, 0.3), (0.2, 0.0, 0.0))[i])
        parent = body
    tree = build_tree(m)
    assert (offsets(tree), offsets(slide_origins(tree))) == (2, 0)


def test_only_hinges_are_slid() -> None:
    """The origin of a slide or a ball stays: it carries no axis to move along."""
    m = Mechanism()
    parent = m.ground
    for i, kind in enumerate(("prismatic", "spherical", "prismatic")):
        body = m.body(f"b{i}", 1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
        m.joint(f"j{i}", kind, parent, body, origin=(0.1, 0.2, 0.3))
        parent = body
    tree = build_tree(m)
    assert [link.offset for link in slide_origins(tree).links] == [link.offset for link in tree.links]

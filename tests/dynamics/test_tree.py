"""From mechanisms to links: nothing is lost when bodies are merged, joints split and axes aligned."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, relative
from mechanisms import (
    SEEDS,
    Cloud,
    cloud_body,
    forward_kinematics,
    plane_of,
    random_cloud,
    random_states,
    random_tree,
    turn_about,
)

from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.dynamics.tree import Inertia, body_inertia, build_tree, joints_outward
from touchweight.dynamics.vector import IDENTITY, Matrix, Vector
from touchweight.errors import MechanismError
from touchweight.mechanism import JOINT_KINDS, Frame, Mechanism
from touchweight.symbolic import ZERO, const, evaluate_all


def moments(cloud: Cloud) -> Array:
    """m, Σ m r, Σ m r rᵀ as (xx, yy, zz, xy, xz, yz)."""
    second = np.einsum("n,ni,nj->ij", cloud.masses, cloud.points, cloud.points)
    return np.array(
        [
            cloud.masses.sum(),
            *(cloud.masses @ cloud.points),
            *np.diag(second),
            second[0, 1],
            second[0, 2],
            second[1, 2],
        ]
    )


def numbers(inertia: Inertia, mechanism: Mechanism) -> Array:
    values = {p.symbol: p.value for p in mechanism.parameters.values()}
    return np.array(evaluate_all([inertia.mass, *inertia.moment, *inertia.second], values), dtype=float)


def vector(x: Array) -> Vector:
    a, b, c = (const(float(v)) for v in x)
    return (a, b, c)


def matrix(m: Array) -> Matrix:
    a, b, c = (vector(row) for row in m)
    return (a, b, c)


@pytest.mark.parametrize("seed", range(4))
def test_a_body_has_the_moments_of_its_points(seed: int) -> None:
    cloud = random_cloud(np.random.default_rng(seed))
    m = Mechanism()
    assert relative(numbers(body_inertia(cloud_body(m, "b", cloud)), m), moments(cloud)) < 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_matter_seen_from_another_frame(seed: int) -> None:
    draw = np.random.default_rng(seed)
    cloud, R, r = random_cloud(draw), turn_about(draw.normal(size=3), 2.0), draw.normal(size=3)
    m = Mechanism()
    moved = body_inertia(cloud_body(m, "b", cloud)).moved(matrix(R), vector(r))
    assert relative(numbers(moved, m), moments(Cloud(cloud.points @ R.T + r, cloud.masses))) < 1e-14


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_holds_all_matter_that_moves(seed: int) -> None:
    made = random_tree(seed)
    tree = build_tree(made.mechanism)
    found = sum(numbers(link.inertia, made.mechanism)[0] for link in tree.links)
    assert found == pytest.approx(sum(c.masses.sum() for c in made.clouds.values()), rel=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_parents_come_first_and_every_speed_has_one_link(seed: int) -> None:
    m = random_tree(seed).mechanism
    tree = build_tree(m)
    assert [link.index for link in tree.links] == list(range(len(tree.links)))
    assert all(link.parent < link.index for link in tree.links)
    owned = [link.speed + k for link in tree.links for k in range(len(link.v))]
    assert sorted(owned) == list(range(len(tree.speeds)))
    for link in tree.links:
        assert [f"v.{tree.speeds[link.speed + k]}" for k in range(len(link.v))] == [s.name for s in link.v]
    # each moving joint is a chain of its primitives
    for joint in m.joints.values():
        kinds = "".join(link.kind for link in tree.links if link.name == joint.name)
        assert kinds == JOINT_KINDS[joint.kind].primitives


def test_children_are_those_whose_parent_it_is() -> None:
    tree = build_tree(random_tree(2).mechanism)
    lists = tree.children()
    assert sorted(c for some in lists for c in some) == list(range(len(tree.links)))
    for link in tree.links:
        assert link.index in lists[link.parent]  # -1, the ground, is the last list


def test_the_order_in_which_joints_are_declared_does_not_matter() -> None:
    """A child's joint may be declared before its parent's: the same forces under the same names."""
    draw = np.random.default_rng(3)
    clouds = [random_cloud(draw) for _ in range(4)]
    mechanisms = []
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        m = Mechanism()
        bodies = [m.ground, *(cloud_body(m, f"b{i}", c) for i, c in enumerate(clouds))]
        for i in order:
            m.joint(
                f"j{i}",
                ("revolute", "prismatic")[i % 2],
                bodies[i],
                bodies[i + 1],
                axis="xyzx"[i],
                origin=(0.1, 0.2, i),
            )
        mechanisms.append(m)
    states = random_states(mechanisms[0], seed=1)
    taus = []
    for m in mechanisms:
        columns = [mechanisms[0].speeds.index(s) for s in m.speeds]
        bench = Bench(m).at(states.q[:, columns], states.v[:, columns], states.a[:, columns])
        tau = bench.numbers(inverse_dynamics(bench.tree, bench.where, bench.tree.a))
        taus.append(tau[:, np.argsort(columns)])
    assert [j.name for j in joints_outward(mechanisms[1])] == ["j0", "j1", "j2", "j3"]
    assert relative(taus[1], taus[0]) < 1e-13


def test_welded_bodies_move_as_one() -> None:
    """Two bodies and a weld, or one body of all their points: the same forces, also for what hangs on it."""
    draw = np.random.default_rng(5)
    a, b, c = (random_cloud(draw) for _ in range(3))
    R, r = turn_about(draw.normal(size=3), 1.0), draw.normal(size=3)

    def made(welded: bool) -> Mechanism:
        m = Mechanism()
        if welded:
            first, second = cloud_body(m, "a", a), cloud_body(m, "b", b)
            m.fixed("weld", first, second, origin=[float(x) for x in r], rotation=R.tolist())
        else:
            both = Cloud(np.vstack([a.points, b.points @ R.T + r]), np.hstack([a.masses, b.masses]))
            first = second = cloud_body(m, "a", both)
        m.universal("j0", m.ground, first, axis=(1.0, 1.0, 0.0), axis2="z")
        # the same place: in the weld's frame, or in the first body's
        place = (
            {"origin": (0.1, 0.0, 0.2)}
            if welded
            else {"origin": (R @ (0.1, 0.0, 0.2) + r).tolist(), "rotation": R.tolist()}
        )
        m.spherical("j1", second, cloud_body(m, "c", c), **place)
        return m

    taus = []
    for m in (made(True), made(False)):
        states = random_states(m, seed=2)
        bench = Bench(m).at(states.q, states.v, states.a)
        taus.append(bench.numbers(inverse_dynamics(bench.tree, bench.where, bench.tree.a)))
    assert len(build_tree(made(True)).links) == 3
    assert relative(taus[0], taus[1]) < 1e-13


def test_what_is_welded_to_the_ground_is_ground() -> None:
    m = Mechanism()
    base = m.body("base", 5.0, inertia=(1.0, 1.0, 1.0))
    m.fixed("bolts", m.ground, base, origin=(0.0, 0.0, 1.0), rotation=(0.0, 0.0, 0.5))
    arm = m.body("arm", 1.0)
    m.revolute("hip", base, arm, origin=(0.3, 0.0, 0.0))
    tree = build_tree(m)
    assert [link.parent for link in tree.links] == [-1]
    bench = Bench(m).at(np.zeros((1, 1)))
    where = bench.numbers(bench.world.position(tree.place(Frame("arm", arm))))
    assert where[0] == pytest.approx([0.3 * np.cos(0.5), 0.3 * np.sin(0.5), 1.0], abs=1e-15)


@pytest.mark.parametrize("axis", [(0.0, -1.0, -4.37114e-08), (1.0, 1e-9, 0.0), (3e-8, 0.0, 1.0)])
def test_an_axis_that_is_nearly_a_coordinate_axis_keeps_its_tilt(axis: tuple[float, float, float]) -> None:
    m = Mechanism()
    arm = m.body("arm", 1.0)
    joint = m.revolute("hip", m.ground, arm, axis=axis)
    tip = m.frame("tip", arm, (1000.0, 2000.0, 3000.0))  # a long arm shows a small tilt
    bench = Bench(m).at(np.array([[1.2]]))
    found = bench.numbers(bench.world.position(bench.tree.place(tip)))[0]
    exact = turn_about(np.array(joint.axis), 1.2) @ (1000.0, 2000.0, 3000.0)
    aligned = turn_about(np.round(joint.axis), 1.2) @ (1000.0, 2000.0, 3000.0)
    assert np.abs(exact - aligned).max() > 5e-7
    assert np.abs(found - exact).max() < 1e-11


@pytest.mark.parametrize("axis", [(0.6, 0.0, 0.8), (1.0, 2.0, 3.0), (-1.0, 0.2, 0.1)])
def test_oblique_axes_that_are_parallel_leave_no_rotation_between_them(
    axis: tuple[float, float, float],
) -> None:
    m = Mechanism()
    a, b = m.body("a", 1.0, inertia=(1.0, 1.0, 1.0)), m.body("b", 1.0, inertia=(1.0, 1.0, 1.0))
    m.cylindrical("c", m.ground, a, axis=axis)
    m.revolute("h", a, b, axis=axis, origin=(0.1, 0.2, 0.3))
    _, turn, hinge = build_tree(m).links
    assert turn.rotation == IDENTITY
    assert hinge.rotation == IDENTITY


@pytest.mark.parametrize("seed", range(8))
def test_the_slides_of_a_planar_joint_are_square_to_its_normal(seed: int) -> None:
    draw = np.random.default_rng(seed)
    axis = draw.normal(size=3) if seed > 2 else np.eye(3)[seed]
    m = Mechanism()
    joint = m.planar("p", m.ground, m.body("b", 1.0, inertia=(1.0, 1.0, 1.0)), axis=axis.tolist())
    bench = Bench(m).at(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    x, y = bench.numbers(bench.world.position(bench.tree.bodies["b"]))
    frame = np.array([x, y, joint.axis])
    assert np.abs(frame @ frame.T - np.eye(3)).max() < 1e-14
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert np.abs(np.array(plane_of(np.array(joint.axis))) - (x, y)).max() < 1e-14
    if seed == 2:
        assert frame.tolist() == np.eye(3).tolist()


def test_at_its_reference_a_joint_is_as_described() -> None:
    m = Mechanism()
    kinds = ("revolute", "prismatic", "universal", "cylindrical", "planar")
    parent = m.ground
    for kind in kinds:
        child = m.body(kind, 1.0, inertia=(1.0, 1.0, 1.0))
        m.joint(
            f"{kind} joint",
            kind,
            parent,
            child,
            reference=0.7,
            origin=(1.0, 2.0, 3.0),
            rotation=(0.0, 0.0, np.pi / 2),
        )
        parent = child
    tree = build_tree(m)
    bench = Bench(m).at(np.full((1, len(tree.q)), 0.7))
    found = bench.numbers([x for row in bench.world.orientation(tree.bodies["planar"]) for x in row])[0].reshape(3, 3)
    assert np.abs(found - turn_about(np.array([0.0, 0.0, 1.0]), 5 * np.pi / 2)).max() < 1e-14
    expected = forward_kinematics(m, np.full(len(tree.q), 0.7))["planar"][1]
    assert bench.numbers(bench.world.position(tree.bodies["planar"]))[0] == pytest.approx(expected, abs=1e-14)
    assert expected == pytest.approx([1.0, 2.0, 15.0])  # four quarter turns close a square, three metres up each


def test_armature_is_on_every_speed_of_its_joint_and_on_no_other() -> None:
    m = Mechanism()
    a, b = (m.body(n, 1.0, inertia=(1.0, 1.0, 1.0)) for n in "ab")
    m.free("f", a, armature=0.25)
    m.revolute("r", a, b)
    links = build_tree(m).links
    assert [link.armature is ZERO for link in links] == [False] * 4 + [True]


def test_a_loop_is_refused() -> None:
    m = Mechanism()
    a, b = m.body("a", 1.0), m.body("b", 1.0)
    m.revolute("j0", m.ground, a)
    m.revolute("j1", a, b)
    m.revolute("j2", m.ground, b)
    with pytest.raises(MechanismError, match=r"loop at body 'b'.*cut one joint"):
        build_tree(m)


def test_a_body_that_hangs_on_nothing_is_refused() -> None:
    m = Mechanism()
    for name in "abc":
        m.body(name, 1.0)
    m.revolute("j", "b", "c")
    with pytest.raises(MechanismError, match=r"'a' loose and 2 more; add a joint"):
        build_tree(m)

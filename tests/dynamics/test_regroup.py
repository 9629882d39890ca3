"""Regrouped inertia: shorter equations, the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, PythonModel, relative
from mechanisms import SEEDS, cloud_body, random_cloud, random_states, random_tree

from touchweight.codegen.function import Function
from touchweight.codegen.program import make_program
from touchweight.dynamics.frames import postures
from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.dynamics.mass import mass_matrix
from touchweight.dynamics.regroup import regroup, split
from touchweight.dynamics.tree import Inertia, Tree, build_tree
from touchweight.mechanism import Mechanism
from touchweight.symbolic import ZERO, evaluate_all, symbols


def parameters(inertia: Inertia) -> int:
    """How many of the ten are there."""
    return sum(x is not ZERO for x in (inertia.mass, *inertia.moment, *inertia.second))


def tau_and_mass(mechanism: Mechanism, tree: Tree) -> tuple[Array, Array]:
    states = random_states(mechanism, seed=11)
    bench = Bench(mechanism, tree=tree).at(states.q, states.v, states.a)
    mass = [x for row in mass_matrix(tree, bench.where).rows() for x in row]
    return bench.numbers(inverse_dynamics(tree, bench.where, tree.a)), bench.numbers(mass)


@pytest.mark.parametrize("seed", SEEDS)
def test_regrouping_changes_no_force_and_no_inertia(seed: int) -> None:
    m = random_tree(seed).mechanism
    plain = build_tree(m)
    for found, expected in zip(tau_and_mass(m, regroup(plain)), tau_and_mass(m, plain), strict=True):
        assert relative(found, expected) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_regrouping_twice_is_regrouping_once(seed: int) -> None:
    m = random_tree(seed).mechanism
    once = regroup(build_tree(m))
    twice = regroup(once)
    values = {p.symbol: p.value for p in m.parameters.values()}
    for a, b in zip(once.links, twice.links, strict=True):
        for x, y in ((a.inertia, b.inertia),):
            assert [e is ZERO for e in (x.mass, *x.moment, *x.second)] == [
                e is ZERO for e in (y.mass, *y.moment, *y.second)
            ]
            numbers = evaluate_all([x.mass, *x.moment, *x.second, y.mass, *y.moment, *y.second], values)
            assert np.allclose(numbers[:10], numbers[10:], rtol=1e-13)


@pytest.mark.parametrize("kind", ["R", "P", "S"])
@pytest.mark.parametrize("axis", range(3))
def test_what_a_link_keeps_and_gives_is_what_it_had(kind: str, axis: int) -> None:
    m, *rest = symbols("m sx sy sz xx yy zz xy xz yz")
    whole = Inertia(m, tuple(rest[:3]), tuple(rest[3:]))  # type: ignore[arg-type]
    kept, given = split(whole, kind, axis)
    assert kept + given == whole
    assert parameters(kept) + parameters(given) == 10
    # a hinge feels seven parameters, a slide the mass and first moment, a ball all but the mass
    assert parameters(kept) == {"R": 7, "P": 4, "S": 9}[kind]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_link_keeps_more_than_it_feels(seed: int) -> None:
    most = {"R": 7, "P": 4, "S": 9}
    for link in regroup(build_tree(random_tree(seed).mechanism)).links:
        assert parameters(link.inertia) <= most[link.kind]
        if link.kind == "R":
            axial = (link.inertia.mass, link.inertia.moment[link.axis], link.inertia.second[link.axis])
            assert axial == (ZERO, ZERO, ZERO)


def test_a_hinge_on_the_ground_feels_only_its_axial_inertia_and_two_moments() -> None:
    """The rest can take any value: no force changes."""
    m = Mechanism(gravity=(1.0, 2.0, 3.0))
    m.revolute("hip", m.ground, cloud_body(m, "arm", random_cloud(np.random.default_rng(0))), axis="z")
    model = PythonModel(m)
    s = random_states(m)
    before = model.inverse(s.q, s.v, s.a)
    # mass and centre change such that the first moment across the axis and the inertia about it stay
    mass, x, y = (m.parameters[f"arm.{n}"].value for n in ("mass", "com.x", "com.y"))
    izz = m.parameters["arm.inertia.zz"].value
    changed = {
        "arm.mass": 2 * mass,
        "arm.com.x": x / 2,
        "arm.com.y": y / 2,
        "arm.inertia.zz": izz + mass * (x * x + y * y) / 2,
        "arm.com.z": 1.7,
        "arm.inertia.xx": 9.0,
        "arm.inertia.xy": 0.1,
        "arm.inertia.xz": -0.3,
    }
    assert relative(model.inverse(s.q, s.v, s.a, parameters=changed), before) < 1e-13
    # while any of the three that count does change them
    assert relative(model.inverse(s.q, s.v, s.a, parameters={"arm.com.x": x / 2}), before) > 1e-3


@pytest.mark.parametrize("axes", ["zyyxyx", "zxz", "zyzyzyz"])
def test_regrouping_shortens_the_recursion_of_an_arm(axes: str) -> None:
    m = Mechanism()
    parent = m.ground
    for i, axis in enumerate(axes):
        body = cloud_body(m, f"b{i}", random_cloud(np.random.default_rng(i)))
        m.revolute(f"j{i}", parent, body, axis=axis, origin=(0.0, 0.0, 0.3))
        parent = body

    def operations(tree: Tree) -> int:
        tau = inverse_dynamics(tree, postures(tree, frozenset()), tree.a)
        inputs = {"q": tree.q, "v": tree.v, "a": tree.a}
        table = [p.symbol for p in m.parameters.values()]
        return make_program(Function("inverse", inputs, {"tau": tau}, table)).operations.total

    assert operations(regroup(build_tree(m))) < 0.9 * operations(build_tree(m))


def test_what_nothing_holds_stays_nothing() -> None:
    m = Mechanism()
    middle, end = m.body("middle"), m.body("end", 1.0, (0.0, 0.0, 0.3))
    m.revolute("a", m.ground, middle, axis="x")
    m.prismatic("b", middle, end, axis="x")
    first, second = regroup(build_tree(m)).links
    assert second.inertia.second == (ZERO,) * 6  # a slide gives its second moment to its parent
    assert parameters(first.inertia) == 1
    assert first.inertia.second[2] is not ZERO

"""Inverse dynamics against Lagrange's equations, Newton's and Euler's laws, and the balance of power."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, PythonModel, relative
from mechanisms import MOVING, PLAIN, SEEDS, random_states, random_tree

from touchweight.dynamics.energy import kinetic_energy, momentum, potential_energy
from touchweight.dynamics.inverse import Wrench, inverse_dynamics
from touchweight.dynamics.kinematics import coordinate_rates
from touchweight.dynamics.vector import IDENTITY, Vector, cross
from touchweight.symbolic import ZERO, Expr, gradient, jacobian, symbol, total


def at_random(seed: int, **options: object) -> Bench:
    m = random_tree(seed, **options).mechanism  # type: ignore[arg-type]
    states = random_states(m, seed=seed)
    return Bench(m).at(states.q, states.v, states.a)


def tau_of(bench: Bench) -> Array:
    return bench.numbers(inverse_dynamics(bench.tree, bench.where, bench.tree.a))


def lagrange(bench: Bench) -> Array:
    """d/dt ∂T/∂v - ∂T/∂π + ∂V/∂π, where π are the quasi-coordinates of the speeds, ∂/∂π = Σ ∂q̇/∂v ∂/∂q.

    For the angular velocity ω of a ball the basis turns with the body, which adds ω × ∂T/∂ω (Hamel).
    """
    tree = bench.tree
    T = kinetic_energy(tree, bench.world)
    V = potential_energy(bench.mechanism, tree, bench.world, bench.where)
    p = gradient(T, tree.v)
    slope = gradient(T - V, tree.q)
    basis = jacobian(coordinate_rates(tree), tree.v)
    force: list[Expr] = [-total(g * row[k] for g, row in zip(slope, basis, strict=True)) for k in range(len(tree.v))]
    for link in tree.links:
        if link.kind == "S":
            i = link.speed
            spin: Vector = (link.v[0], link.v[1], link.v[2])
            extra = cross(spin, (p[i], p[i + 1], p[i + 2]))
            for k in range(3):
                force[i + k] = force[i + k] + extra[k]
    return bench.rates(p) + bench.numbers(force)


@pytest.mark.parametrize("seed", SEEDS)
def test_lagranges_equations_hold(seed: int) -> None:
    bench = at_random(seed)
    assert relative(tau_of(bench), lagrange(bench)) < 1e-11


@pytest.mark.parametrize("kind", MOVING)
def test_lagranges_equations_hold_for_each_kind_of_joint(kind: str) -> None:
    for seed in range(3):
        bench = at_random(seed, kinds=(kind,), bodies=2)
        assert relative(tau_of(bench), lagrange(bench)) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_power_of_the_forces_is_the_rate_of_energy(seed: int) -> None:
    bench = at_random(seed, kinds=MOVING, bodies=7)
    T = kinetic_energy(bench.tree, bench.world)
    V = potential_energy(bench.mechanism, bench.tree, bench.world, bench.where)
    power = np.sum(tau_of(bench) * bench.numbers(list(bench.tree.v)), axis=1)
    assert relative(power, bench.rates([T + V])[:, 0]) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_newton_and_euler_for_all_that_flies(seed: int) -> None:
    """Momentum changes by the weight and by what acts on the free root: nothing inside can push the whole."""
    bench = at_random(seed, root="free", armature=False)
    tree = bench.tree
    p, L = momentum(tree, bench.world)
    tau = tau_of(bench)
    weights = [link.inertia.mass for link in tree.links]
    mass = bench.numbers([total(weights)])
    gravity = bench.numbers(list(tree.gravity))
    assert tree.speeds[:6] == [f"j0.{s}" for s in ("vx", "vy", "vz", "wx", "wy", "wz")]
    # the root's speeds are in the axes of the joint frame, its moment in the body's own
    joint = next(iter(bench.mechanism.joints.values()))
    frame = bench.numbers([x for row in joint.rotation for x in row]).reshape(-1, 3, 3)
    force = np.einsum("nij,nj->ni", frame, tau[:, :3])
    assert relative(bench.rates(list(p)), force + mass * gravity) < 1e-12
    body = tree.bodies[joint.child.name]
    R = bench.numbers([x for row in bench.world.orientation(body) for x in row]).reshape(-1, 3, 3)
    at = bench.numbers(bench.world.position(body))
    moment = np.einsum("nij,nj->ni", R, tau[:, 3:6]) + np.cross(at, force)
    parts: list[Expr] = [ZERO] * 3
    for link in tree.links:
        turn, origin = bench.world.pose(link.index)
        centre = [link.inertia.mass * o + total(r * s for r, s in zip(row, link.inertia.moment, strict=True))
                  for o, row in zip(origin, turn, strict=True)]  # fmt: skip
        parts = [a + b for a, b in zip(parts, centre, strict=True)]
    assert relative(bench.rates(list(L)), moment + np.cross(bench.numbers(parts), gravity)) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_are_the_mass_matrix_times_acceleration_plus_the_bias(seed: int) -> None:
    m = random_tree(seed).mechanism
    model = PythonModel(m)
    s = random_states(m, seed=seed)
    M, c = model.mass_matrix(s.q), model.bias(s.q, s.v)
    assert relative(model.inverse(s.q, s.v, s.a), np.einsum("nij,nj->ni", M, s.a) + c) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_the_generated_function_is_the_recursion_on_the_tree_as_described(seed: int) -> None:
    """Slid origins, regrouped parameters, carried axes, hoisted and condensed code: the same numbers."""
    bench = at_random(seed)
    s = random_states(bench.mechanism, seed=seed)
    assert relative(PythonModel(bench.mechanism).inverse(s.q, s.v, s.a), tau_of(bench)) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_gyroscopic_forces_grow_with_the_square_of_the_speeds(seed: int) -> None:
    """c(q, s v) - c(q, 0) = s² (c(q, v) - c(q, 0)), also backwards in time."""
    m = random_tree(seed).mechanism
    model = PythonModel(m)
    s = random_states(m, seed=seed)
    still = model.bias(s.q, 0 * s.v)
    once = model.bias(s.q, s.v) - still
    for factor in (-1.0, 3.0):
        assert relative(model.bias(s.q, factor * s.v) - still, factor**2 * once) < 1e-11


def test_nothing_moves_nothing_pulls() -> None:
    m = random_tree(1, gravity=(0.0, 0.0, 0.0)).mechanism
    s = random_states(m)
    assert not PythonModel(m).inverse(s.q, 0 * s.v, 0 * s.a).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_weight_is_an_acceleration_of_the_ground(seed: int) -> None:
    """On a vertical slide: forces under gravity are those without it while the slide accelerates upwards."""
    models = []
    for g in (-9.81, 0.0):
        m = random_tree(seed, PLAIN, root="prismatic", gravity=(0.0, 0.0, g), armature=False).mechanism
        m.joints["j0"].axis, m.joints["j0"].rotation = (0.0, 0.0, 1.0), IDENTITY
        models.append(PythonModel(m))
    heavy, light = models
    s = random_states(heavy.mechanism, seed=seed)
    assert heavy.speeds[0] == "j0"
    lifted = s.a + np.eye(heavy.nv)[0] * 9.81
    assert relative(heavy.inverse(s.q, s.v, s.a), light.inverse(s.q, s.v, lifted)) < 1e-12


def test_a_wrench_on_a_link_is_taken_off_what_its_inertia_needs() -> None:
    """The forces fall by the power of the wrench: Σ tau v = -(f · velocity + n · angular velocity)."""
    bench = at_random(2)
    tree = bench.tree
    f: Vector = (symbol("fx"), symbol("fy"), symbol("fz"))
    n: Vector = (symbol("nx"), symbol("ny"), symbol("nz"))
    draw = np.random.default_rng(0)
    pushed = {s: float(x) for s, x in zip((*f, *n), draw.normal(size=6), strict=True)}
    for link in tree.links:
        with_push = inverse_dynamics(tree, bench.where, tree.a, {link.index: Wrench(f, n)})
        less = tau_of(bench) - bench.numbers(with_push, pushed)
        w, v = bench.world.twist(link.index)
        power = [total(a * b for a, b in zip((*f, *n), (*v, *w), strict=True))]
        found = np.sum(less * bench.numbers(list(tree.v)), axis=1)
        assert relative(found, bench.numbers(power, pushed)[:, 0]) < 1e-11

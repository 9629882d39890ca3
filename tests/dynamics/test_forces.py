"""Forces: action and reaction, energy kept and taken, laws that use sensors, states and time."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench, PythonModel, relative
from mechanisms import SEEDS, cloud_body, random_cloud, random_states, random_tree

from touchweight.dynamics.energy import kinetic_energy, momentum, potential_energy
from touchweight.dynamics.forces import Line, gather_forces, line_between
from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.mechanism import Frame, Mechanism, PairForce
from touchweight.symbolic import cos, maximum, sin, sqrt


def sprung(seed: int, root: str | None = None, damping: float = 0.0, gravity: float = -9.81) -> Mechanism:
    """A random tree with springs between its bodies, and one on a hinge called coil."""
    m = random_tree(seed, root=root, gravity=(0.0, 0.0, gravity), armature=root is None).mechanism
    bodies = list(m.bodies.values())
    end = cloud_body(m, "end", random_cloud(np.random.default_rng(seed)))
    m.revolute("coil", bodies[-1], end, axis="x", stiffness=20.0, rest=0.3, damping=damping)
    for i, (a, b) in enumerate([(0, -1), (1, -2), (0, 2)]):
        m.frame(f"eye {i}", bodies[a], (0.1, 0.2, -0.1))
        m.spring(f"spring {i}", f"eye {i}", bodies[b], 80.0, 0.2, damping)
    return m


def lines(bench: Bench) -> list[Line]:
    pairs = [f for f in bench.mechanism.forces.values() if isinstance(f, PairForce)]
    assert len(pairs) == 3
    return [line_between(bench.tree, bench.where, f, {-1: bench.world}) for f in pairs]


def energy_rates(bench: Bench) -> tuple[Array, Array]:
    """(power of what has to act beyond the mechanism's own forces, rate of its energy), accelerating."""
    m, tree = bench.mechanism, bench.tree
    forces = gather_forces(m, tree, bench.where)
    tau = inverse_dynamics(tree, bench.where, tree.a, forces.wrenches)
    needed = bench.numbers([t - g for t, g in zip(tau, forces.generalised, strict=True)])
    T = kinetic_energy(tree, bench.world)
    V = potential_energy(m, tree, bench.world, bench.where)
    return np.sum(needed * bench.numbers(list(tree.v)), axis=1), bench.rates([T + V])[:, 0]


@pytest.mark.parametrize("seed", SEEDS)
def test_springs_keep_the_energy_they_get(seed: int) -> None:
    m = sprung(seed)
    s = random_states(m, seed=seed)
    power, rate = energy_rates(Bench(m).at(s.q, s.v, s.a))
    assert relative(power, rate) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_dampers_take_their_force_times_their_rate(seed: int) -> None:
    """The power that is lost is Σ c ḋ²."""
    m = sprung(seed, damping=3.0)
    s = random_states(m, seed=seed)
    bench = Bench(m).at(s.q, s.v, s.a)
    power, rate = energy_rates(bench)
    stretching = [line.rate for line in lines(bench)]
    taken = np.sum(3.0 * bench.numbers([*stretching, m.v("coil")]) ** 2, axis=1)
    assert taken.min() > 0.0
    assert relative(power - rate, taken) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rate_of_a_line_is_the_rate_of_its_length(seed: int) -> None:
    m = sprung(seed)
    s = random_states(m, seed=seed)
    bench = Bench(m).at(s.q, s.v, s.a)
    for line in lines(bench):
        assert relative(bench.numbers([line.rate]), bench.rates([line.length])) < 1e-11
        a, b = (bench.numbers(bench.world.position(p)) for p in (line.a, line.b))
        assert relative(bench.numbers([line.length])[:, 0], np.linalg.norm(b - a, axis=1)) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_inside_change_no_momentum(seed: int) -> None:
    """Action is reaction: a sprung and damped tree that flies keeps its linear and angular momentum."""
    m = sprung(seed, root="free", damping=3.0, gravity=0.0)
    inner = next(j for j in m.joints.values() if j.name != "j0" and j.kind in ("revolute", "prismatic", "universal"))
    m.joint_law("motor", inner.speeds[0], 0.7)
    s = random_states(m, seed=seed)
    model = PythonModel(m)
    a = model.forward(s.q, s.v)
    bench = Bench(m).at(s.q, s.v, a)
    p, L = momentum(bench.tree, bench.world)
    scale = np.abs(bench.numbers([*p, *L])).max()
    assert np.abs(bench.rates([*p, *L])).max() < 1e-10 * scale * np.abs(a).max()
    # the forces are no trifle: without them the accelerations are others
    off = {f"spring {i}.{k}": 0.0 for i in range(3) for k in ("stiffness", "damping")}
    assert relative(model.forward(s.q, s.v, parameters=off), a) > 1e-2


def test_a_spring_between_points_of_one_body_does_nothing() -> None:
    m = random_tree(2).mechanism
    s = random_states(m)
    before = PythonModel(m).forward(s.q, s.v)
    body = next(iter(m.bodies))
    m.frame("one", body, (0.5, 0.0, 0.0))
    m.frame("other", body, (0.0, 0.5, 0.0))
    m.spring("band", "one", "other", 1e3, 0.1)
    assert relative(PythonModel(m).forward(s.q, s.v), before) < 1e-9


def test_frames_that_meet_pull_in_no_direction() -> None:
    """At zero distance the pull has no direction: the forces stay finite, and are none."""
    m = Mechanism()
    a = m.body("a", 1.0, inertia=(1.0, 1.0, 1.0))
    m.free("flight", a)
    m.spring("band", m.ground, a, 100.0, 0.5, damping=2.0)
    q, v = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    assert PythonModel(m).forward(q, v) == pytest.approx([0.0, 0.0, -9.81, 0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pair_force_is_two_forces_on_frames(seed: int) -> None:
    """The pull along the line, written out in the world by sensors, acts as the pair law does."""
    pair, pushed = random_tree(seed).mechanism, random_tree(seed).mechanism
    for m in (pair, pushed):
        m.frame("a", next(iter(m.bodies)), (0.1, 0.2, 0.3))
        m.frame("b", list(m.bodies)[-1], (-0.2, 0.1, 0.0))
    pair.law("band", "a", "b", lambda d, d_dot, *, k: k * d**2 + 0.3 * d_dot, k=7.0)
    places = [pushed.sensor(f"at {n}", "position", n).symbols for n in "ab"]
    moves = [pushed.sensor(f"move {n}", "velocity", n).symbols for n in "ab"]
    span = [y - x for x, y in zip(*places, strict=True)]
    d = sqrt(sum(x * x for x in span))
    d_dot = sum(x * (b - a) for x, a, b in zip(span, *moves, strict=True)) / d
    pull = [(7.0 * d**2 + 0.3 * d_dot) * x / d for x in span]
    pushed.force("on a", "a", pull)
    pushed.force("on b", "b", [-x for x in pull])
    s = random_states(pair, seed=seed)
    assert relative(PythonModel(pushed).bias(s.q, s.v), PythonModel(pair).bias(s.q, s.v)) < 1e-11


def test_a_controller_that_reads_a_sensor_acts_as_one_that_knows_the_geometry() -> None:
    """A proportional law on the height of a pendulum's tip."""

    def pendulum() -> Mechanism:
        m = Mechanism()
        arm = m.body("arm", 1.0, (0.0, 0.0, -0.3), (0.05, 0.05, 0.01))
        m.revolute("hip", m.ground, arm, axis="y")
        m.frame("tip", arm, (0.0, 0.0, -0.6))
        return m

    sensed, known = pendulum(), pendulum()
    x, _, z = sensed.sensor("tip place", "position", "tip").symbols
    sensed.joint_law("servo", "hip", 5.0 * (-0.4 - z) + 2.0 * x)
    q = known.q("hip")
    known.joint_law("servo", "hip", 5.0 * (-0.4 + 0.6 * cos(q)) - 2.0 * 0.6 * sin(q))
    s = random_states(sensed)
    assert relative(PythonModel(sensed).forward(s.q, s.v), PythonModel(known).forward(s.q, s.v)) < 1e-13


def test_a_force_may_follow_time_inputs_and_parameters() -> None:
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    m.prismatic("x", m.ground, m.body("slider", 2.0), axis="x")
    amplitude = m.parameter("amplitude", 3.0, "N")
    u = m.input("push", "N")
    m.joint_law("shaker", "x", amplitude * sin(2.0 * m.time) + u)
    model = PythonModel(m)
    t, push = np.linspace(0.0, 3.0, 7), np.linspace(-1.0, 1.0, 7)
    found = model.forward(np.zeros((7, 1)), np.zeros((7, 1)), t=t, u=push[:, None])
    assert found[:, 0] == pytest.approx((3.0 * np.sin(2.0 * t) + push) / 2.0)
    louder = model.forward(np.zeros((7, 1)), np.zeros((7, 1)), t=t, u=push[:, None], parameters={"amplitude": 6.0})
    assert louder[:, 0] == pytest.approx((6.0 * np.sin(2.0 * t) + push) / 2.0)


def rates(model: PythonModel, q: Array, v: Array, x: Array, u: Array) -> list[Array]:
    f = model.function("rates")
    return f.evaluate(f.prepare(model.parameters.vector), [q, v, x, u, np.zeros(1)])


def test_first_order_states_follow_their_law() -> None:
    """A state driven by motion, inputs and sensors: its rate is its expression."""
    m = Mechanism()
    arm = m.body("arm", 1.0, (0.3, 0.0, 0.0), (0.0, 0.1, 0.1))
    m.revolute("hip", m.ground, arm, axis="y")
    m.frame("tip", arm, (0.6, 0.0, 0.0))
    speed = m.sensor("tip speed", "velocity", "tip").symbols
    u = m.input("command")
    m.state("heat", lambda x: u * u - 0.5 * x + speed[2], initial=20.0)
    m.state("memory", m.v("hip") - m.q("hip"))
    m.joint_law("drag", "hip", -0.01 * m.states["heat"].symbol)
    model = PythonModel(m)
    q, v, x, command = np.array([0.4]), np.array([1.5]), np.array([21.0, 0.3]), np.array([2.0])
    _, dv, dx = rates(model, q, v, x, command)
    assert dx == pytest.approx([4.0 - 10.5 - 0.6 * np.cos(0.4) * 1.5, 1.5 - 0.4])
    # weight about +y: z falls as the angle grows
    inertia = 0.1 + 0.09
    assert dv == pytest.approx([(0.3 * 9.81 * np.cos(0.4) - 0.21) / inertia])
    assert model.state().x.tolist() == [20.0, 0.0]


def test_an_actuator_lags_behind_its_command_and_stops_at_its_limit() -> None:
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    m.revolute("axle", m.ground, m.body("wheel", 1.0, inertia=(0.25, 0.25, 0.5)))
    m.actuator("motor", "axle", gear=10.0, lag=0.05, limit=6.0)
    model = PythonModel(m)
    assert model.states == ("motor.current",)
    for current, torque in ((0.2, 2.0), (0.6, 6.0), (0.9, 6.0), (-0.7, -6.0)):
        _, dv, dx = rates(model, np.zeros(1), np.zeros(1), np.array([current]), np.array([0.5]))
        assert dv == pytest.approx([torque / 0.5])
        assert dx == pytest.approx([(0.5 - current) / 0.05])
    run = model.simulate(0.2, dt=1e-3, inputs={"motor": 0.5}, progress=False)
    assert run["motor.current"] == pytest.approx(0.5 * (1 - np.exp(-run.t / 0.05)), abs=1e-7)


def test_dry_friction_opposes_motion_and_fades_at_rest() -> None:
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    m.prismatic("x", m.ground, m.body("slider", 2.0), friction=3.0, damping=0.5)
    v = np.array([[-1.0], [0.0], [0.002], [1.0]])
    expected = -(3.0 * np.tanh(v / 1e-2) + 0.5 * v) / 2.0
    assert PythonModel(m).forward(0 * v, v) == pytest.approx(expected)


def test_a_one_sided_law_acts_on_one_side() -> None:
    """A stop: a law with a branch, traced once."""
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    m.prismatic("x", m.ground, m.body("slider", 1.0), axis="x")
    m.joint_law("stop", "x", lambda q, v, *, k: -k * maximum(q - 0.1, 0.0), k=1000.0)
    q = np.array([[0.0], [0.1], [0.2]])
    assert PythonModel(m).forward(q, 0 * q)[:, 0] == pytest.approx([0.0, 0.0, -100.0])


def test_forces_on_the_ground_are_taken_by_it() -> None:
    m = random_tree(0).mechanism
    s = random_states(m)
    before = PythonModel(m).forward(s.q, s.v)
    m.force("push", m.ground, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert np.array_equal(PythonModel(m).forward(s.q, s.v), before)


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_on_different_frames_of_a_body_add(seed: int) -> None:
    """A couple: two opposite forces apart are a torque."""
    m = random_tree(seed).mechanism
    s = random_states(m, seed=seed)
    free = PythonModel(m).bias(s.q, s.v)
    body = list(m.bodies)[-1]
    m.frame("left", body, (0.0, -0.5, 0.0))
    m.frame("right", body, (0.0, 0.5, 0.0))
    m.force("up", "right", (0.0, 0.0, 2.0), axes="frame")
    m.force("down", "left", (0.0, 0.0, -2.0), axes="frame")
    couple = PythonModel(m).bias(s.q, s.v)
    del m.forces["up"], m.forces["down"]
    m.force("twist", body, torque=(2.0, 0.0, 0.0), axes="frame")
    twisted = PythonModel(m).bias(s.q, s.v)
    assert relative(couple - free, twisted - free) < 1e-11


def test_a_planet_comes_back_after_its_year() -> None:
    """Attraction as the inverse square of the distance: Kepler's ellipse, T = 2π √(a³/μ)."""
    mu, a, e = 2.0, 1.0, 0.3
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    planet = cloud_body(m, "planet", random_cloud(np.random.default_rng(0), 0.01))
    m.free("orbit", planet)
    centre = m.frame("centre", planet, [planet.com[k] for k in range(3)])
    mass = planet.mass
    m.law("attraction", Frame("sun", m.ground), centre, lambda d, d_dot, *, mu: mu * mass / (d * d), mu=mu)
    model = PythonModel(m)
    com = np.array([m.parameters[f"planet.com.{x}"].value for x in "xyz"])
    near, fast = a * (1 - e), np.sqrt(mu / a * (1 + e) / (1 - e))
    q = np.array([near, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]) - np.r_[com, np.zeros(4)]
    v = np.array([0.0, fast * np.cos(0.5), fast * np.sin(0.5), 0.0, 0.0, 0.0])
    year = 2 * np.pi * np.sqrt(a**3 / mu)
    steps = 600
    state = model.state(q, v)
    run = model.simulate(year, dt=year / steps, state=state, progress=False)
    assert state.q == pytest.approx(q, abs=2e-7)
    assert state.v == pytest.approx(v, abs=2e-7)
    half = np.array([run[n][steps // 2] for n in ("orbit.x", "orbit.y", "orbit.z")]) + com
    assert half == pytest.approx([-a * (1 + e), 0.0, 0.0], abs=1e-6)

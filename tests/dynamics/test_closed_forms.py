"""Equations of motion that textbooks give: pendulums, turntables, tops."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import PythonModel, relative
from mechanisms import quaternion_matrix, random_states
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from touchweight.mechanism import Mechanism

G = 9.81


def test_pendulum() -> None:
    """tau = (I + m l²) a + m g l sin q."""
    m = Mechanism()
    arm = m.body("arm", 1.2, (0.0, 0.0, -0.4), (0.07, 0.07, 1e-3))
    m.revolute("hip", m.ground, arm, axis="y")
    s = random_states(m, 20)
    expected = (0.07 + 1.2 * 0.16) * s.a + 1.2 * G * 0.4 * np.sin(s.q)
    assert relative(PythonModel(m).inverse(s.q, s.v, s.a), expected) < 1e-14


def test_the_period_of_a_pendulum_that_swings_wide() -> None:
    """T = 4 √(l/g) K(sin(θ/2))."""
    m = Mechanism()
    bob = m.body("bob", 1.0, (0.0, 0.0, -0.8))
    m.revolute("pivot", m.ground, bob, axis="x")
    angle = 2.0
    period = 4 * np.sqrt(0.8 / G) * ellipk(np.sin(angle / 2) ** 2)
    model = PythonModel(m)
    state = model.state([angle])
    model.simulate(period, dt=period / 2000, state=state, progress=False)
    assert state.q[0] == pytest.approx(angle, abs=1e-8)
    assert state.v[0] == pytest.approx(0.0, abs=1e-8)


def test_double_pendulum() -> None:
    """The two accelerations as usually printed, in angles from the vertical."""
    m1, m2, l1, l2 = 1.3, 0.7, 0.9, 0.6
    m = Mechanism()
    upper, lower = m.body("upper", m1, (0.0, 0.0, -l1)), m.body("lower", m2, (0.0, 0.0, -l2))
    m.revolute("shoulder", m.ground, upper, axis="-y")
    m.revolute("elbow", upper, lower, axis="-y", origin=(0.0, 0.0, -l1))
    s = random_states(m, 50)
    a, b = s.q[:, 0], s.q[:, 0] + s.q[:, 1]
    da, db = s.v[:, 0], s.v[:, 0] + s.v[:, 1]
    below = 2 * m1 + m2 - m2 * np.cos(2 * a - 2 * b)
    first = (
        -G * (2 * m1 + m2) * np.sin(a)
        - m2 * G * np.sin(a - 2 * b)
        - 2 * np.sin(a - b) * m2 * (db**2 * l2 + da**2 * l1 * np.cos(a - b))
    ) / (l1 * below)
    second = (
        2 * np.sin(a - b) * (da**2 * l1 * (m1 + m2) + G * (m1 + m2) * np.cos(a) + db**2 * l2 * m2 * np.cos(a - b))
    ) / (l2 * below)
    found = PythonModel(m).forward(s.q, s.v)
    assert relative(found, np.stack([first, second - first], axis=1)) < 1e-12


def test_cart_and_pole() -> None:
    """(M + m) ẍ + m l (θ̈ cos θ - θ̇² sin θ) = F,  m l² θ̈ + m l ẍ cos θ - m g l sin θ = 0, θ from the top."""
    M, mass, l = 2.0, 0.3, 0.5
    m = Mechanism()
    cart, pole = m.body("cart", M), m.body("pole", mass, (0.0, 0.0, l))
    m.prismatic("x", m.ground, cart, axis="x")
    m.revolute("theta", cart, pole, axis="y")
    s = random_states(m, 20)
    theta, spin = s.q[:, 1], s.v[:, 1]
    ax, at = s.a.T
    cart_force = (M + mass) * ax + mass * l * (at * np.cos(theta) - spin**2 * np.sin(theta))
    pole_torque = mass * l * l * at + mass * l * ax * np.cos(theta) - mass * G * l * np.sin(theta)
    found = PythonModel(m).inverse(s.q, s.v, s.a)
    assert relative(found, np.stack([cart_force, pole_torque], axis=1)) < 1e-13


def test_a_bead_on_a_turning_rod_feels_centrifugal_and_coriolis_forces() -> None:
    """Along the rod m (r̈ - r ω²), about the axle (I + m r²) ω̇ + 2 m r ṙ ω."""
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    rod, bead = m.body("rod", 1.0, inertia=(0.1, 0.1, 0.2)), m.body("bead", 0.4)
    m.revolute("axle", m.ground, rod, axis="z")
    m.prismatic("r", rod, bead, axis="x")
    s = random_states(m, 20)
    r, omega, dr = s.q[:, 1], s.v[:, 0], s.v[:, 1]
    expected = [(0.2 + 0.4 * r * r) * s.a[:, 0] + 2 * 0.4 * r * dr * omega, 0.4 * (s.a[:, 1] - r * omega**2)]
    assert relative(PythonModel(m).inverse(s.q, s.v, s.a), np.stack(expected, axis=1)) < 1e-14


def test_a_puck_on_a_turntable() -> None:
    """In the turning frame: f = m (a + 2 Ω × v + Ω × (Ω × r) + Ω̇ × r)."""
    m = Mechanism()
    table, puck = m.body("table", 1.0, inertia=(1.0, 1.0, 1.0)), m.body("puck", 0.5, inertia=(0.1, 0.1, 0.1))
    m.revolute("axle", m.ground, table, axis="z")
    m.planar("slide", table, puck, axis="z")
    s = random_states(m, 20)
    up = np.array([0.0, 0.0, 1.0])
    r, v, a = (np.c_[x, np.zeros(20)] for x in (s.q[:, 1:3], s.v[:, 1:3], s.a[:, 1:3]))
    omega, gain = s.v[:, :1] * up, s.a[:, :1] * up
    expected = 0.5 * (a + 2 * np.cross(omega, v) + np.cross(omega, np.cross(omega, r)) + np.cross(gain, r))
    assert relative(PythonModel(m).inverse(s.q, s.v, s.a)[:, 1:3], expected[:, :2]) < 1e-13


def test_foucaults_pendulum_keeps_its_plane_while_the_ground_turns() -> None:
    """On a turntable kept turning by its inertia; let go at rest as seen from outside, it swings along x."""
    m = Mechanism()
    table = m.body("table", 1.0, inertia=(1e9, 1e9, 1e9))
    bob = m.body("bob", 1.0, (0.0, 0.0, -10.0), (1e-4, 1e-4, 1e-4))
    m.revolute("earth", m.ground, table, axis="z")
    m.universal("wire", table, bob, axis="x", axis2="y")
    swing, omega, time = 0.02, 0.05, 20.0
    model = PythonModel(m)
    state = model.state([0.0, 0.0, swing], [omega, omega * swing, 0.0])
    model.simulate(time, dt=0.01, state=state, progress=False)
    _, a, b = state.q
    seen = np.array([np.sin(b), -np.cos(b) * np.sin(a)])  # from the table
    c, s = np.cos(omega * time), np.sin(omega * time)
    outside = np.array([[c, -s], [s, c]]) @ seen
    assert outside == pytest.approx([swing * np.cos(np.sqrt(G / 10.0) * time), 0.0], abs=2e-3 * swing)
    assert abs(seen[1]) > 0.4 * swing


# -- tops ---------------------------------------------------------------------------------------------------
A, C = 0.04, 0.05


def top(length: float, gravity: float = -G) -> Mechanism:
    """A symmetric top of one kilogram on a ball, axis z, centre at ``length``; A and C are about the ball."""
    m = Mechanism(gravity=(0.0, 0.0, gravity))
    across = A - length**2
    m.spherical("tip", m.ground, m.body("top", 1.0, (0.0, 0.0, length), (across, across, C)))
    return m


@pytest.mark.parametrize("tilt", [0.4, 1.2, 2.0])
@pytest.mark.parametrize("branch", [0, 1])
def test_a_top_precesses_steadily(tilt: float, branch: int) -> None:
    """At Ω with A Ω² cos θ - C ω₃ Ω + m g l = 0 (slow or fast), the axis goes round at constant tilt."""
    length, spin = 0.1, 60.0
    roots = np.sort(np.roots([A * np.cos(tilt), -C * spin, G * length]).real)
    roots = roots[np.argsort(np.abs(roots))]
    precession = roots[branch]
    q = np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0])  # leaning towards -y
    R = quaternion_matrix(q)
    up = R.T @ [0.0, 0.0, 1.0]
    own = spin - precession * np.cos(tilt)  # spin relative to the precessing axes
    omega = precession * up + [0.0, 0.0, own]
    gain = R.T @ np.cross([0.0, 0.0, precession], R @ [0.0, 0.0, own])
    model = PythonModel(top(length))
    assert np.abs(model.forward(q, omega) - gain).max() < 1e-10 * max(1.0, np.abs(gain).max())
    # and for any other rate it nods
    wrong = omega + 0.1 * precession * (up - [0.0, 0.0, up[2]])
    assert np.abs((model.forward(q, wrong) - gain)[0]) > 1e-3


def test_a_top_keeps_its_tilt_round_a_full_turn() -> None:
    tilt, length, spin = 0.5, 0.1, 60.0
    slow = np.min(np.abs(np.roots([A * np.cos(tilt), -C * spin, G * length])))
    q = np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0])
    omega = slow * (quaternion_matrix(q).T @ [0.0, 0.0, 1.0]) + [0.0, 0.0, spin - slow * np.cos(tilt)]
    model = PythonModel(top(length))
    quarter = 2 * np.pi / slow / 4
    state = model.state(q, omega)
    model.simulate(quarter, dt=quarter / 4000, state=state, progress=False)
    axis = quaternion_matrix(state.q)[:, 2]
    assert axis == pytest.approx([np.sin(tilt), 0.0, np.cos(tilt)], abs=1e-5)  # from -y round to +x


def test_a_free_symmetric_body_wobbles_at_eulers_rate() -> None:
    """ω₁ + i ω₂ goes round at (C - A)/A ω₃, as seen from the body."""
    model = PythonModel(top(0.0, gravity=0.0))
    omega = np.array([0.5, 0.0, 3.0])
    state = model.state(v=omega)
    time = 2.0
    model.simulate(time, dt=1e-3, state=state, progress=False)
    phase = (C - A) / A * 3.0 * time
    assert state.v == pytest.approx([0.5 * np.cos(phase), 0.5 * np.sin(phase), 3.0], abs=1e-9)


def euler_top() -> Mechanism:
    m = Mechanism(gravity=(0.0, 0.0, 0.0))
    m.free("flight", m.body("racket", 1.0, (0.1, -0.2, 0.3), (0.2, 0.3, 0.4, 0.02, -0.03, 0.01)))
    return m


def test_a_free_body_keeps_its_momentum_and_energy() -> None:
    """Also a tumbling one, spun about its middle axis."""
    m = euler_top()
    model = PythonModel(m)
    state = model.state(v=[0.1, 0.2, 0.3, 0.01, 4.0, 0.02])
    before = model.momentum(state.q, state.v), model.energy(state.q, state.v).total
    run = model.simulate(8.0, dt=2e-3, every=40, state=state, progress=False)
    q = np.stack([run[n] for n in model.coordinates], axis=1)
    v = np.stack([run[f"v.{n}"] for n in model.speeds], axis=1)
    after = model.momentum(q, v)
    assert np.abs(after.linear - before[0].linear).max() < 1e-8
    assert np.abs(after.angular - before[0].angular).max() < 1e-8
    assert np.abs(run["energy.total"] - before[1]).max() < 1e-8
    assert v[:, 4].min() < -3.0 < 3.0 < v[:, 4].max()  # it did tumble


def test_a_free_body_follows_eulers_equations() -> None:
    """I ω̇ + ω × I ω = 0 about the centre of mass, which flies straight."""
    model = PythonModel(euler_top())
    inertia = np.array([[0.2, 0.02, -0.03], [0.02, 0.3, 0.01], [-0.03, 0.01, 0.4]])
    start = np.array([1.0, 2.0, -0.5])
    exact = solve_ivp(
        lambda t, w: np.linalg.solve(inertia, -np.cross(w, inertia @ w)),
        (0.0, 2.0),
        start,
        rtol=1e-12,
        atol=1e-12,
    ).y[:, -1]
    com = np.array([0.1, -0.2, 0.3])
    state = model.state(v=[*np.cross(com, start), *start])  # the centre of mass at rest
    model.simulate(2.0, dt=1e-3, state=state, progress=False)
    assert state.v[3:] == pytest.approx(exact, abs=1e-9)
    assert state.q[:3] + quaternion_matrix(state.q[3:]) @ com == pytest.approx(com, abs=1e-10)

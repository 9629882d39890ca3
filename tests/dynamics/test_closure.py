"""Rows of closure against NumPy: residuals from poses, J and drift from differences, with every kind of joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluation import Array, Bench
from mechanisms import SEEDS, forward_kinematics, moved, parallel_tree, random_states, random_tree
from scipy.spatial.transform import Rotation

from touchweight.dynamics.closure import Row, closure_rows, ordered_loops
from touchweight.errors import MechanismError
from touchweight.mechanism import LOOP_KINDS, Frame, Mechanism
from touchweight.symbolic import cos, evaluate_all, sin

STEP = 1e-5
KINDS = ("body", "hinge", "ball", "rod")


class Rows:
    """The rows of a mechanism in numbers, at one state and time."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.bench = Bench(mechanism)
        self.rows: list[Row] = closure_rows(mechanism, self.bench.tree, self.bench.where)

    def _numbers(self, exprs: Any, q: Array, v: Array, t: float) -> Array:
        wanted = list(exprs)
        return self.bench.at(q[None], v[None]).numbers(wanted, {self.mechanism.time: t})[0] if wanted else np.zeros(0)

    def h(self, q: Array, t: float = 0.0) -> Array:
        still = np.zeros(len(self.mechanism.speeds))
        return self._numbers([r.residual for r in self.rows if r.residual is not None], q, still, t)

    def jacobian(self, q: Array, t: float = 0.0) -> Array:
        n = len(self.mechanism.speeds)
        out = np.zeros((len(self.rows), n))
        for i, row in enumerate(self.rows):
            for k, x in zip(row.jacobian, self._numbers(row.jacobian.values(), q, np.zeros(n), t), strict=True):
                out[i, k] = x
        return out

    def rate(self, q: Array, v: Array, t: float = 0.0) -> Array:
        """J v + r."""
        return self.jacobian(q, t) @ v + self._numbers([r.rate for r in self.rows], q, v, t)

    def drift(self, q: Array, v: Array, t: float = 0.0) -> Array:
        return self._numbers([r.drift for r in self.rows], q, v, t)

    # -- by differences ----------------------------------------------------------------------------------
    def step(self, q: Array, v: Array, h: float) -> Array:
        return moved(self.mechanism, q[None], v[None], h)[0]

    def measured_jacobian(self, q: Array, t: float = 0.0) -> Array:
        columns = []
        for k in range(len(self.mechanism.speeds)):
            unit = np.eye(len(self.mechanism.speeds))[k]
            ends = [self.h(self.step(q, unit, s * STEP), t) for s in (1.0, -1.0)]
            columns.append((ends[0] - ends[1]) / (2 * STEP))
        return np.array(columns).T

    def measured_drift(self, q: Array, v: Array, a: Array, t: float = 0.0) -> Array:
        """d/dt (J v + r) - J a."""
        ends = [self.rate(self.step(q, v, s * STEP), v + s * STEP * a, t + s * STEP) for s in (1.0, -1.0)]
        return (ends[0] - ends[1]) / (2 * STEP) - self.jacobian(q, t) @ a


def _state(mechanism: Mechanism, seed: int) -> tuple[Array, Array, Array]:
    s = random_states(mechanism, 1, seed)
    return s.q[0], s.v[0], s.a[0]


def closed_tree(seed: int, kind: str, mechanism: Mechanism | None = None) -> tuple[Mechanism, Array, Array, Array]:
    """A random tree with a cut that is closed at the state given with it."""
    m = random_tree(seed).mechanism if mechanism is None else mechanism
    q, v, a = _state(m, seed)
    draw = np.random.default_rng(seed)
    names = list(m.bodies)
    first, second = (str(n) for n in draw.choice(names, 2, replace=False))
    poses = forward_kinematics(m, q)
    (ra, pa), (rb, pb) = poses[first], poses[second]
    here, turn = draw.uniform(-0.4, 0.4, 3), Rotation.random(random_state=seed).as_matrix()
    at, axes = pa + ra @ here, ra @ turn
    axis = draw.normal(size=3)
    axis /= np.linalg.norm(axis)
    spin = Rotation.from_rotvec(axis * 0.7).as_matrix() if kind == "hinge" else np.eye(3)
    gap = draw.normal(size=3) if kind == "rod" else np.zeros(3)
    a_frame = _frame(m, "side a", first, here, turn)
    b_frame = _frame(m, "side b", second, rb.T @ (at + gap - pb), rb.T @ axes @ spin)
    m.loop("cut", kind, a_frame, b_frame, axis=[float(x) for x in axis], length=float(np.linalg.norm(gap)))
    return m, q, v, a


def _frame(m: Mechanism, name: str, body: str, origin: Array, turn: Array) -> Frame:
    w = np.roll(Rotation.from_matrix(turn).as_quat(), 1)
    return m.frame(name, m.bodies[body], [float(x) for x in origin], [float(x) for x in w])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_j_is_the_derivative_of_h_where_the_loop_is_closed(kind, seed):
    m, q, _v, _a = closed_tree(seed, kind)
    rows = Rows(m)
    assert len(rows.rows) == len(LOOP_KINDS[kind].rows)
    assert np.abs(rows.h(q)).max() < 1e-12, "NumPy's poses close the cut"
    assert rows.jacobian(q) == pytest.approx(rows.measured_jacobian(q), abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_drift_is_what_no_acceleration_makes(kind, seed):
    m, q, v, a = closed_tree(seed, kind)
    rows = Rows(m)
    far = rows.step(q, np.ones_like(v), 0.2)  # also where the loop is open
    for place in (q, far):
        assert rows.drift(place, v) == pytest.approx(rows.measured_drift(place, v, a), abs=2e-8, rel=2e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_multipliers_are_forces_and_torques_on_b(seed):
    """Jᵀ of a weld is the power of a force and a torque on frame b, and of their opposite on a, in world axes."""
    m, q, v, _ = closed_tree(seed, "body")
    m.loops["cut"].a = Frame("foot", m.ground, m.loops["cut"].a.origin, m.loops["cut"].a.rotation)
    rows = Rows(m)
    b = m.loops["cut"].b
    origin = np.array([float(x) for x in evaluate_all(b.origin, rows.bench.values)])

    def pose(h: float) -> tuple[Array, Array]:
        r, p = forward_kinematics(m, rows.step(q, v, h))[b.body.name]
        return r, p + r @ origin

    (r1, p1), (r0, p0) = pose(STEP), pose(-STEP)
    w = Rotation.from_matrix(r1 @ r0.T).as_rotvec() / (2 * STEP)
    assert rows.jacobian(q) @ v == pytest.approx(np.concatenate([(p1 - p0) / (2 * STEP), w]), abs=1e-7)


@pytest.mark.parametrize("seed", [1, 6, 8, 9, 14])
def test_a_pin_is_a_ball_seen_along_its_axis(seed):
    tree = parallel_tree(seed)
    assert not any(j.axis == (0.0, 0.0, 1.0) for j in tree.joints.values()), "no hinge across"
    m, q, v, _a = closed_tree(seed, "ball", tree)
    both = parallel_tree(seed)
    closed_tree(seed, "ball", both)
    loop = both.loops["cut"]
    loop.kind, loop.axis = "pin", (0.0, 1.0, 0.0)
    loop.a = Frame("level", loop.a.body, loop.a.origin)
    ball, pin = Rows(m), Rows(both)
    assert len(pin.rows) == 2
    for of_ball, of_pin in (
        (ball.jacobian(q).T @ ball.jacobian(q), pin.jacobian(q).T @ pin.jacobian(q)),
        (ball.drift(q, v) @ ball.jacobian(q), pin.drift(q, v) @ pin.jacobian(q)),
    ):
        along = ball.jacobian(q)[1]
        extra = np.outer(along, along) if of_ball.ndim == 2 else ball.drift(q, v)[1] * along
        assert of_pin == pytest.approx(of_ball - extra, abs=1e-12), "the same, whatever axes span the plane"


def test_a_pin_that_its_hinges_tilt_is_refused():
    m = Mechanism("tilted")
    a, b = m.body("a", mass=1.0), m.body("b", mass=1.0)
    m.revolute("a", m.ground, a, axis="x")
    m.revolute("b", m.ground, b, axis="y")
    m.cut_pin("pin", a, b, axis="y")
    with pytest.raises(MechanismError, match="expected the axis of pin 'pin' to keep its direction"):
        Rows(m)


@pytest.mark.parametrize("seed", SEEDS)
def test_equations_of_coordinates_sensors_and_time(seed):
    m = random_tree(seed).mechanism
    bodies = [b for b in m.bodies.values() if b is not m.ground]
    eye = m.sensor("eye", "position", bodies[-1])
    tilt = m.sensor("tilt", "orientation", bodies[0])
    pace = m.sensor("pace", "velocity", bodies[-1])
    spin = m.sensor("spin", "angular_velocity", bodies[1])
    plain = [m.q(c) for c in m.coordinates]
    k = m.parameter("k", 0.7)
    m.constraint("mixed", sin(plain[0]) * plain[-1] - k * m.time * cos(m.time) + plain[1] ** 2)
    m.constraint("seen", eye.symbols[0] * eye.symbols[2] + tilt.symbols[1] - 0.2 * m.time**2)
    m.speed_constraint("roll", pace.symbols[0] * sin(plain[0]) - k * spin.symbols[2] + m.v(m.speeds[0]) - sin(m.time))
    q, v, a = _state(m, seed)
    rows, t = Rows(m), 0.8
    assert rows.jacobian(q, t)[:2] == pytest.approx(rows.measured_jacobian(q, t), abs=1e-7)
    early, late = rows.h(q, t - STEP), rows.h(q, t + STEP)
    still = np.zeros_like(v)
    assert rows.rate(q, still, t)[:2] == pytest.approx((late - early) / (2 * STEP), abs=1e-8)
    assert rows.drift(q, v, t) == pytest.approx(rows.measured_drift(q, v, a, t), abs=1e-6, rel=1e-7)


def test_an_equation_on_speeds_is_its_own_rate():
    """J v + r is what was written."""
    m = Mechanism("skate")
    sled = m.body("sled", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.planar("ice", m.ground, sled, axis="z")
    x, y, turn = m.joints["ice"].coordinates
    m.speed_constraint("edge", cos(m.q(turn)) * m.v(y) - sin(m.q(turn)) * m.v(x) - 0.3 * m.time)
    rows = Rows(m)
    q, v = np.array([0.1, 0.2, 0.7]), np.array([1.0, -2.0, 0.4])
    assert rows.rows[0].residual is None
    assert rows.rate(q, v, 2.0) == pytest.approx([np.cos(0.7) * -2.0 - np.sin(0.7) * 1.0 - 0.6], rel=1e-15)


def test_couplings():
    m = Mechanism("couplings")
    for name, kind in (("a", "revolute"), ("b", "revolute"), ("s", "prismatic")):
        m.joint(name, kind, m.ground, m.body(name, mass=1.0, inertia=(1.0, 1.0, 1.0)))
    m.gear("gear", "a", "b", -2.5, offset=0.3)
    m.rack("rack", "a", "s", 0.02)
    m.screw("screw", "b", "s", 0.005)
    rows = Rows(m)
    q = np.array([0.4, 1.1, 0.07])
    expected = [1.1 + 2.5 * 0.4 - 0.3, 0.07 - 0.02 * 0.4, 0.07 - 0.005 * 1.1 / (2 * np.pi)]
    assert rows.h(q) == pytest.approx(expected, rel=1e-14)
    assert rows.jacobian(q) == pytest.approx(np.array([[2.5, 1, 0], [-0.02, 0, 1], [0, -0.005 / (2 * np.pi), 1]]))
    assert (rows.drift(q, np.ones(3)) == 0.0).all()


def test_rows_on_speeds_come_last():
    m = Mechanism("order")
    m.revolute("a", m.ground, m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    m.revolute("b", m.ground, m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    m.speed_constraint("first", m.v("a") - m.v("b"))
    m.gear("second", "a", "b", 1.0)
    assert [i.name for i in ordered_loops(m)] == ["second", "first"]
    assert [r.name for r in Rows(m).rows] == ["second", "first"]

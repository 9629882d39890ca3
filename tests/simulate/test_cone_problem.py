"""Friction problems against closed forms, the laws themselves, a witness in NumPy, and invariances."""

import math
import re

import numpy as np
import pytest

from touchweight.bench.friction_problems import pile, random_problem, recorded, stack
from touchweight.codegen.compiler import find_compiler
from touchweight.errors import ShapeError
from touchweight.simulate import cone_problem, cone_python
from touchweight.simulate.cone_problem import residual, solve

ONE = np.array([[15.0, -1.0, -2.0], [-1.0, 14.0, 1.0], [-2.0, 1.0, 16.0]])


@pytest.fixture(params=[True, False], ids=["native", "numpy"])
def native(request):
    if request.param and find_compiler() is None:
        pytest.skip("no C compiler found: install gcc or clang, set $CC, or pip install ziglang")
    return request.param


def laws_hold(W, q, mu, r, d, tolerance=1e-8):
    """Signorini's and Coulomb's laws one by one, not by the residual of the solver."""
    mu = np.broadcast_to(mu, len(q) // d)
    u = W @ r + q
    big_u = max(np.abs(q).max(), np.abs(u).max())
    big_r = max(np.abs(r).max(), 1e-300)
    for k, (ri, ui) in enumerate(zip(r.reshape(-1, d), u.reshape(-1, d), strict=True)):
        slip, shear = np.linalg.norm(ui[1:]), np.linalg.norm(ri[1:])
        assert ri[0] >= 0.0 and shear <= mu[k] * ri[0] * (1 + 1e-12), "inside its cone"
        assert ui[0] >= -tolerance * big_u, "no approach"
        assert min(ri[0] / big_r, ui[0] / big_u) <= tolerance, "no impulse when it opens"
        if ri[0] > 1e-6 * big_r and slip > 1e-4 * big_u:
            assert shear == pytest.approx(mu[k] * ri[0], rel=1e-4), "slides only at the limit"
            if mu[k] > 0.0:
                against = np.dot(ri[1:], ui[1:]) / (shear * slip)
                assert against == pytest.approx(-1.0, abs=1e-6), "friction opposes the slip"


# -- one contact ---------------------------------------------------------------------------------------
def test_the_problem_of_one_contact_in_three_dimensions(native):
    """FrictionContact3D_1c of the tests of Siconos."""
    s = solve(ONE, [-1.0, 2.0, 3.0], 0.1, native=native)
    assert s.r == pytest.approx([0.06569568, -0.00367861, -0.00544307], abs=1e-8)
    assert s.u == pytest.approx([0.0, 1.87736064, 2.77784089], abs=1e-8)
    assert s.solved and s.residual <= 1e-10 and s.groups == 1


@pytest.mark.parametrize("d", [2, 3])
def test_what_opens_gets_no_impulse(native, d):
    s = solve(np.eye(d) + 0.1, [0.5, *[-3.0] * (d - 1)], 0.7, d, native=native)
    assert (s.r == 0.0).all() and s.u.tolist() == [0.5, *[-3.0] * (d - 1)]


@pytest.mark.parametrize("d", [2, 3])
def test_what_can_stick_sticks(native, d):
    W = ONE[:d, :d]
    q = -W @ np.array([1.0, 0.2, -0.1][:d])
    s = solve(W, q, 0.5, d, native=native)
    assert s.r == pytest.approx([1.0, 0.2, -0.1][:d], rel=1e-12)
    assert s.u == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_slide_in_the_plane_in_closed_form(native, side):
    W, q, mu = np.array([[2.0, 0.5], [0.5, 1.5]]), np.array([-1.0, 9.0 * side]), 0.3
    normal = 1.0 / (2.0 - side * mu * 0.5)
    s = solve(W, q, mu, 2, native=native)
    assert s.r == pytest.approx([normal, -side * mu * normal], rel=1e-13)
    assert s.u == pytest.approx([0.0, 9.0 * side + (0.5 - side * mu * 1.5) * normal], abs=1e-13)


def test_a_slide_of_a_ball_is_straight(native):
    """Equal resistance all round: friction points exactly against the slip."""
    s = solve(np.diag([2.0, 3.0, 3.0]), [-1.0, 3.0, -4.0], 0.2, native=native)
    assert s.r == pytest.approx([0.5, -0.1 * 0.6, 0.1 * 0.8], rel=1e-13)


def test_without_friction_it_is_a_scalar(native):
    s = solve(ONE, [-3.0, 1.0, 1.0], 0.0, native=native)
    assert s.r == pytest.approx([0.2, 0.0, 0.0], abs=1e-15)


def test_with_much_friction_it_sticks(native):
    s = solve(ONE, [-3.0, 1.0, 1.0], 1e6, native=native)
    assert s.r == pytest.approx(-np.linalg.solve(ONE, [-3.0, 1.0, 1.0]), rel=1e-10)


def test_a_thousand_single_contacts_obey_the_laws():
    rng = np.random.default_rng(3)
    for k in range(1000):
        d = 2 + k % 2
        B = rng.normal(size=(d, d)) * 10.0 ** rng.uniform(-2, 2, d)[:, None]
        W, q, mu = B @ B.T, rng.normal(size=d), 10.0 ** rng.uniform(-2, 1)
        q[0] = -abs(q[0])
        s = solve(W, q, mu, d)
        assert s.solved and s.sweeps == 1
        laws_hold(W, q, mu, s.r, d)


def test_the_search_and_the_polynomial_agree():
    """The native solver finds the slip by a search; the witness by the roots of a quartic."""
    if find_compiler() is None:
        pytest.skip("no C compiler found")
    rng = np.random.default_rng(4)
    for _ in range(200):
        B = rng.normal(size=(3, 3))
        W, q = B @ B.T + 0.2 * np.eye(3), rng.normal(size=3) * [1.0, 5.0, 5.0]
        q[0] = -abs(q[0])
        mine, other = (solve(W, q, 0.3, native=n).r for n in (True, False))
        assert mine == pytest.approx(other, rel=1e-9, abs=1e-11)


# -- many contacts ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("problem", recorded(), ids=lambda p: p.name)
def test_recorded_problems(native, problem):
    s = solve(problem.W, problem.q, problem.mu, problem.dimension, native=native)
    assert s.solved
    laws_hold(problem.W, problem.q, problem.mu, s.r, problem.dimension)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("kind", ["well", "badly", "redundant"])
@pytest.mark.parametrize("n", [2, 3, 5, 10, 30, 100])
def test_random_problems(kind, n, d):
    rng = np.random.default_rng(n)
    for _ in range(5 if n < 50 else 1):
        p = random_problem(kind, n, d, rng)
        s = solve(p.W, p.q, p.mu, d)
        assert s.residual <= 1e-8 and residual(p.W, p.q, p.mu, s.r, d) <= 1e-8
        laws_hold(p.W, p.q, p.mu, s.r, d)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("boxes", [1, 2, 4, 10])
def test_stacks_of_boxes(boxes, d):
    rng = np.random.default_rng(boxes)
    for _ in range(3):
        p = stack(boxes, d, rng)
        s = solve(p.W, p.q, p.mu, d)
        assert s.residual <= 1e-8
        laws_hold(p.W, p.q, p.mu, s.r, d)


@pytest.mark.parametrize("d", [2, 3])
def test_a_resting_stack_carries_its_weight(d):
    """Each layer of contacts passes on what lies above it: m g h."""
    p = stack(6, d, np.random.default_rng(0))
    corners = 2 if d == 2 else 4
    # the same boxes at rest: only gravity, along the normals, all alike
    mass = 1.0 / np.array([_translation(p.W, k * corners * d, d) for k in range(6)])
    fall = np.zeros(len(p.q))
    fall[: corners * d : d] = -9.81e-3  # relative speeds: only the lowest box approaches anything
    s = solve(p.W, fall, p.mu, d)
    assert s.solved and s.u == pytest.approx(0.0, abs=1e-11)
    layers = s.r.reshape(6, corners, d)[:, :, 0].sum(axis=1)
    above = np.cumsum(mass[::-1])[::-1] * 9.81e-3
    assert layers == pytest.approx(above, rel=1e-8)


def _translation(W, at, d):
    """1/m of the box over a layer: the mean answer of its corners to equal normal impulses, less the box below."""
    corners = 2 if d == 2 else 4
    rows = at + d * np.arange(corners)
    own = W[np.ix_(rows, rows)].mean()
    if at == 0:
        return own
    below = rows - d * corners
    return own + W[np.ix_(rows, below)].mean()


@pytest.mark.parametrize("d", [2, 3])
def test_the_witness_finds_the_same(d):
    if find_compiler() is None:
        pytest.skip("no C compiler found")
    rng = np.random.default_rng(11)
    for kind, n in (("well", 4), ("well", 8), ("badly", 3)):
        p = random_problem(kind, n, d, rng)
        mine, other = (solve(p.W, p.q, p.mu, d, tolerance=1e-12, native=k) for k in (True, False))
        assert mine.solved and other.solved
        assert mine.r == pytest.approx(other.r, rel=1e-7, abs=1e-8 * np.abs(mine.r).max())
        assert mine.groups == other.groups


def test_groups_are_solved_each_by_itself(native):
    rng = np.random.default_rng(2)
    parts = [random_problem("well", n, 3, rng) for n in (3, 1, 4)]
    order = rng.permutation(8)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    W = np.zeros((24, 24))
    at = 0
    for p in parts:
        W[at : at + len(p.q), at : at + len(p.q)] = p.W
        at += len(p.q)
    q, mu = np.concatenate([p.q for p in parts]), np.concatenate([p.mu for p in parts])
    q[::3] = -np.abs(q[::3])
    whole = solve(W[np.ix_(rows, rows)], q[rows], mu[order], native=native)
    assert whole.groups == 3 and whole.solved
    alone = np.concatenate(
        [solve(p.W, q[s : s + len(p.q)], p.mu, native=native).r for p, s in zip(parts, (0, 9, 12), strict=True)]
    )
    assert whole.r == pytest.approx(alone[rows], abs=1e-8)


def test_a_pile_falls_into_groups():
    p = pile(40, 3, np.random.default_rng(5))
    s = solve(p.W, p.q, p.mu)
    assert s.solved and s.groups >= 1
    laws_hold(p.W, p.q, p.mu, s.r, 3)


# -- bilateral blocks --------------------------------------------------------------------------------------
def test_a_bilateral_block_keeps_its_speed_at_zero(native):
    p = random_problem("well", 4, 3, np.random.default_rng(9))
    s = solve(p.W, p.q, p.mu, bilateral=[True, False, True, False], native=native)
    assert s.solved
    assert s.u.reshape(-1, 3)[[0, 2]] == pytest.approx(0.0, abs=1e-9)
    only = solve(p.W, p.q, p.mu, bilateral=[True] * 4, native=native)
    assert only.r == pytest.approx(-np.linalg.solve(p.W, p.q), rel=1e-8)


def test_bilateral_rows_may_be_padded_with_nothing(native):
    """One row in a block of three: the others neither move nor push."""
    W, q = np.zeros((6, 6)), np.array([0.7, 0.0, 0.0, -1.0, 0.2, 0.3])
    W[3:, 3:] = ONE
    W[0, 0], W[0, 3], W[3, 0] = 2.0, 0.5, 0.5
    s = solve(W, q, 0.4, bilateral=[True, False], native=native)
    assert s.solved and s.u[0] == pytest.approx(0.0, abs=1e-9) and s.r[1:3] == pytest.approx(0.0, abs=1e-15)


# -- invariances -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mass, speed", [(1e6, 1.0), (1e-6, 1.0), (1.0, 1e9), (1.0, 1e-9), (1e4, 1e-5)])
def test_units_do_not_matter(native, mass, speed):
    p = random_problem("well", 5, 3, np.random.default_rng(1))
    plain = solve(p.W, p.q, p.mu, native=native)
    scaled = solve(p.W / mass, p.q * speed, p.mu, native=native)
    assert scaled.solved
    assert scaled.r == pytest.approx(plain.r * mass * speed, rel=1e-7, abs=1e-8 * mass * speed)


def test_contacts_of_different_scale_do_not_matter():
    """r = D r', u = D^-1 u' for a factor at each contact: the cones stay the same."""
    rng = np.random.default_rng(1)
    p = random_problem("well", 6, 3, rng)
    D = np.repeat(10.0 ** rng.uniform(-4, 4, 6), 3)
    plain, scaled = solve(p.W, p.q, p.mu), solve(p.W / np.outer(D, D), p.q / D, p.mu)
    assert scaled.solved
    assert scaled.r / D == pytest.approx(plain.r, rel=1e-7, abs=1e-8)


def test_tangents_may_be_turned():
    rng = np.random.default_rng(1)
    p = random_problem("well", 6, 3, rng)
    Q = np.zeros((18, 18))
    for i, angle in enumerate(rng.uniform(0, 2 * math.pi, 6)):
        c, s = math.cos(angle), math.sin(angle)
        Q[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = [[1, 0, 0], [0, c, -s], [0, s, c]]
    plain, turned = solve(p.W, p.q, p.mu), solve(Q @ p.W @ Q.T, Q @ p.q, p.mu)
    assert turned.r == pytest.approx(Q @ plain.r, rel=1e-7, abs=1e-9)


def test_the_order_of_contacts_does_not_matter():
    rng = np.random.default_rng(6)
    p = random_problem("well", 8, 2, rng)
    order = rng.permutation(8)
    rows = (2 * order[:, None] + np.arange(2)).ravel()
    plain, mixed = solve(p.W, p.q, p.mu, 2), solve(p.W[np.ix_(rows, rows)], p.q[rows], p.mu[order], 2)
    assert mixed.r == pytest.approx(plain.r[rows], rel=1e-7, abs=1e-9)


def test_contacts_in_a_plane_are_a_special_case_of_three_dimensions():
    rng = np.random.default_rng(6)
    p = random_problem("well", 5, 2, rng)
    rows = (3 * np.arange(5)[:, None] + np.arange(2)).ravel()
    W, q = 1e-3 * np.eye(15), np.zeros(15)
    W[np.ix_(rows, rows)], q[rows] = p.W, p.q
    assert solve(W, q, p.mu).r[rows] == pytest.approx(solve(p.W, p.q, p.mu, 2).r, rel=1e-7, abs=1e-9)


# -- starting, stopping, relaxing ---------------------------------------------------------------------------
def test_a_warm_start_has_nothing_to_do(native):
    p = random_problem("badly", 8, 3, np.random.default_rng(3))
    cold = solve(p.W, p.q, p.mu, native=native)
    warm = solve(p.W, p.q, p.mu, start=cold.r, native=native)
    assert warm.solved and warm.sweeps <= 1 and warm.sweeps < cold.sweeps
    near = solve(p.W, p.q * (1 + 1e-6), p.mu, start=cold.r, newton=False, native=native, most_sweeps=30)
    assert near.residual < solve(p.W, p.q * (1 + 1e-6), p.mu, newton=False, native=native, most_sweeps=30).residual


def test_a_start_is_left_alone():
    p = random_problem("well", 3, 3, np.random.default_rng(3))
    start = np.ones(9)
    solve(p.W, p.q, p.mu, start=start)
    assert (start == 1.0).all()


@pytest.mark.parametrize("most", [1, 2, 5])
def test_an_early_stop_is_usable(native, most):
    p = random_problem("badly", 15, 3, np.random.default_rng(3))
    s = solve(p.W, p.q, p.mu, most_sweeps=most, newton=False, native=native)
    R = s.r.reshape(-1, 3)
    assert not s.solved and s.sweeps == most and len(s.history) == most
    assert (np.linalg.norm(R[:, 1:], axis=1) <= p.mu * R[:, 0] * (1 + 1e-12)).all(), "still inside the cones"
    assert s.u == pytest.approx(p.W @ s.r + p.q, abs=1e-11)
    assert s.residual == pytest.approx(residual(p.W, p.q, p.mu, s.r), rel=1e-6)
    assert s.residual <= s.history[0] * (1 + 1e-12)


def test_sweeps_alone_converge_and_newton_takes_fewer():
    p = random_problem("badly", 6, 3, np.random.default_rng(8))
    slow = solve(p.W, p.q, p.mu, newton=False, most_sweeps=100_000)
    quick = solve(p.W, p.q, p.mu)
    assert slow.solved and slow.newton_steps == 0
    assert quick.solved and quick.sweeps < slow.sweeps
    assert slow.history[-1] <= 1e-10 < slow.history[-2]
    assert quick.r == pytest.approx(slow.r, rel=1e-4, abs=1e-5 * np.abs(slow.r).max())


@pytest.mark.parametrize("relaxation", [0.7, 1.3])
def test_relaxed_sweeps_come_to_the_same(native, relaxation):
    p = random_problem("well", 4, 3, np.random.default_rng(8))
    s = solve(p.W, p.q, p.mu, relaxation=relaxation, newton=False, native=native)
    assert s.solved and s.r == pytest.approx(solve(p.W, p.q, p.mu).r, rel=1e-6, abs=1e-8)


def test_no_contacts(native):
    s = solve(np.zeros((0, 0)), [], [], native=native)
    assert s.solved and len(s.r) == 0 and s.residual == 0.0


# -- what is refused -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "wrong, told",
    [
        ({"dimension": 4}, "dimension of 2 or 3, found 4"),
        ({"q": [1.0, 2.0]}, "q of shape (n * 3,)"),
        ({"q": [[1.0, 2.0, 3.0]]}, "q of shape"),
        ({"W": np.eye(4)}, "W of shape (3, 3), found (4, 4)"),
        ({"W": [[1.0, 2.0], [3.0]]}, "real numbers for W"),
        ({"W": np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])}, "a symmetric W"),
        ({"W": -np.eye(3)}, "positive semidefinite W"),
        ({"W": np.eye(3) * math.nan}, "finite numbers for W, found nan"),
        ({"q": [math.inf, 0.0, 0.0]}, "finite numbers for q, found inf"),
        ({"q": ["a", "b", "c"]}, "real numbers for q"),
        ({"mu": [0.1, 0.2]}, "mu of shape (1,), found (2,)"),
        ({"mu": -0.1}, "from 0 on, found -0.1"),
        ({"mu": math.nan}, "finite numbers for mu"),
        ({"start": [0.0, 0.0]}, "start of shape (3,), found (2,)"),
        ({"start": [0.0, math.nan, 0.0]}, "finite numbers for start"),
        ({"tolerance": 0.0}, "tolerance between 0 and inf, found 0.0"),
        ({"tolerance": math.nan}, "tolerance"),
        ({"relaxation": 2.0}, "relaxation between 0 and 2, found 2.0"),
        ({"most_sweeps": -1}, "most_sweeps as a whole number"),
        ({"most_sweeps": 1.5}, "most_sweeps as a whole number"),
        ({"bilateral": [True, False]}, "bilateral as 1 truth values"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(wrong, told):
    with pytest.raises(ShapeError, match=re.escape(told)) as caught:
        solve(**{"W": ONE, "q": [-1.0, 2.0, 3.0], "mu": 0.1, **wrong})
    assert "\n" not in str(caught.value)


def test_the_projection_is_the_nearest_point():
    rng = np.random.default_rng(0)
    x, mu = rng.normal(size=(50, 3)), rng.uniform(0.1, 2.0, 50)
    nearest = cone_python.project(x, mu)
    for _ in range(200):
        other = rng.normal(size=(50, 3))
        other[:, 0] = np.linalg.norm(other[:, 1:], axis=1) / mu * rng.uniform(1, 2, 50)
        assert (np.linalg.norm(x - nearest, axis=1) <= np.linalg.norm(x - other, axis=1) + 1e-12).all()


def test_without_a_compiler_numpy_does_it(monkeypatch):
    monkeypatch.setattr(cone_problem, "find_compiler", lambda: None)
    cone_problem._core.cache_clear()
    try:
        assert solve(ONE, [-1.0, 2.0, 3.0], 0.1).solved
        with pytest.raises(ShapeError, match="C compiler"):
            solve(ONE, [-1.0, 2.0, 3.0], 0.1, native=True)
    finally:
        cone_problem._core.cache_clear()

"""cone.c through its own interface: what it writes, what it refuses, how it stops."""

import math

import numpy as np
import pytest

from touchweight.bench.friction_problems import stack
from touchweight.codegen.compiler import find_compiler
from touchweight.codegen.library import contract, load_native

DONE, NOT_FINITE, BAD_CALL, STOPPED = 0, 1, 2, 6
GUARD = 1234.5
FFI = contract()


@pytest.fixture(scope="module")
def core():
    found = find_compiler()
    if found is None:
        pytest.skip("no C compiler found: install gcc or clang, set $CC, or pip install ziglang")
    return load_native(found)


def call(core, W, q, mu, d, *, r=None, tolerance=1e-10, most=200, newton=1, relaxation=1.0, bilateral=None):
    """The call with numbers behind every buffer that must not be touched."""
    n, m = len(mu), len(q)
    work = np.full(core.tw_cone_size(n, d) + 4, GUARD)
    at = np.concatenate([np.zeros(m) if r is None else np.asarray(r, float), np.full(4, GUARD)])
    u, history = np.full(m + 4, GUARD), np.full(max(0, most) + 4, GUARD)
    given = [np.ascontiguousarray(a, dtype=float) for a in (W, q, mu)]
    copies = [a.copy() for a in given]
    fixed = FFI.new("int32_t[]", bilateral) if bilateral else FFI.NULL
    pointers = [FFI.from_buffer("double[]", a) for a in given]
    problem = FFI.new("tw_cone_problem *", [n, d, *pointers, fixed])
    past = FFI.from_buffer("double[]", history)
    options = FFI.new("tw_cone_options *", [tolerance, most, newton, relaxation, past])
    report = FFI.new("tw_cone_report *")
    r_at, u_at, space = (FFI.from_buffer("double[]", a) for a in (at, u, work))
    ended = core.tw_cone_solve(problem, options, r_at, u_at, report, space)
    for name, a in (("work", work), ("r", at), ("u", u), ("history", history)):
        assert (a[-4:] == GUARD).all(), f"beyond {name}"
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(given, copies, strict=True)), (
        "the problem was changed"
    )
    return ended, at[:-4], u[:-4], report, history[:-4]


def problem(n, d, seed, rank=None):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(n * d, rank or n * d))
    return H @ H.T / n + (0.0 if rank else 0.3) * np.eye(n * d), H @ rng.normal(size=H.shape[1]), rng.uniform(0, 1, n)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 13, 30])
def test_it_stays_within_its_buffers(core, n, d):
    W, q, mu = problem(n, d, n)
    for newton in (0, 1):
        ended, r, u, report, _ = call(core, W, q, mu, d, newton=newton, most=2000)
        assert ended == DONE and report.residual <= 1e-10
        assert u == pytest.approx(W @ r + q, abs=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_redundant_contacts_stay_within_too(core, d):
    W, q, mu = problem(12, d, 4, rank=9)
    ended, r, u, _, _ = call(core, W, q, mu, d)
    assert ended == DONE and u == pytest.approx(W @ r + q, abs=1e-11)


def test_a_tall_stack_stays_within_and_leaves_the_problem_alone(core):
    """Newton's method fails at first here, and softens its own copy of W on the way."""
    rng = np.random.default_rng(5)
    used = 0
    for _ in range(4):
        p = stack(12, 3, rng)
        ended, r, u, report, _ = call(core, p.W, p.q, p.mu, 3, most=2000)
        assert ended == DONE and u == pytest.approx(p.W @ r + p.q, abs=1e-11)
        used = max(used, report.newton_steps)
    assert used > 24, "one of them took more than a single try"


def test_a_stop_is_told_and_leaves_the_best(core):
    W, q, mu = problem(20, 3, 7)
    ended, r, u, report, history = call(core, W, q, mu, 3, most=2, newton=0)
    assert ended == STOPPED and report.sweeps == 2
    assert report.residual == pytest.approx(history.min())
    assert u == pytest.approx(W @ r + q, abs=1e-12)
    R = r.reshape(-1, 3)
    assert (np.linalg.norm(R[:, 1:], axis=1) <= mu * R[:, 0] * (1 + 1e-14)).all()


def test_no_sweeps_measures_the_start(core):
    W, q, mu = problem(4, 3, 8)
    _, solved, _, _, _ = call(core, W, q, mu, 3)
    ended, r, _, report, _ = call(core, W, q, mu, 3, r=solved, most=0)
    assert ended == DONE and report.sweeps == 0 and r == pytest.approx(solved, rel=1e-14)
    ended, _, _, report, _ = call(core, W, q, mu, 3, most=0)
    assert ended == STOPPED and report.residual > 1e-3


@pytest.mark.parametrize(
    "wrong",
    [{"d": 1}, {"d": 4}, {"most": -1}, {"tolerance": -1.0}, {"tolerance": math.nan}, {"relaxation": 0.0},
     {"relaxation": 2.0}, {"relaxation": math.nan}],
)  # fmt: skip
def test_calls_that_make_no_sense_do_nothing(core, wrong):
    W, q, mu = problem(2, 3, 1)
    start = np.arange(6.0)
    options = {"d": 3, **wrong}
    ended, r, u, _, _ = call(core, W, q, mu, options.pop("d"), r=start, **options)
    assert ended == BAD_CALL and (r == start).all() and (u == GUARD).all()


@pytest.mark.parametrize("where", range(4))
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(core, where, bad):
    W, q, mu = problem(3, 3, 1)
    q[0] = -abs(q[0])
    r = np.zeros(9)
    (W, q, mu, r)[where].flat[1] = bad
    assert call(core, W, q, mu, 3, r=r)[0] == NOT_FINITE


def test_an_immovable_contact_ends(core):
    """Nothing can stop the approach of a contact between fixed bodies; the call must return all the same."""
    W, q, mu = np.zeros((6, 6)), np.tile([-1.0, 0.3, 0.0], 2), np.full(2, 0.5)
    W[3:, 3:] = np.eye(3)
    ended, r, _, report, _ = call(core, W, q, mu, 3, most=50)
    assert ended == STOPPED and report.residual > 0.1 and np.isfinite(r).all()
    assert r[3:] == pytest.approx([1.0, -0.3, 0.0], abs=1e-14)


def test_overflow_ends(core):
    W, q, mu = problem(3, 3, 1)
    ended, *_ = call(core, W * 1e-300, q * 1e300, mu, 3)
    assert ended in (NOT_FINITE, STOPPED, DONE)

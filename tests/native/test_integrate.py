"""integrate.c through its own interface: what it writes, where it stops, what it refuses."""

import math
import subprocess
from typing import NamedTuple

import numpy as np
import pytest

from touchweight.codegen.callable import NativeFunction
from touchweight.codegen.compiler import NATIVE, Compiler, find_compiler
from touchweight.codegen.function import Function
from touchweight.codegen.library import contract, load_native
from touchweight.codegen.program import make_program
from touchweight.symbolic import Expr, Symbol, symbol

DONE, NOT_FINITE, BAD_CALL = 0, 1, 2
EULER, RK4 = 0, 1
GUARD = 1234.5
FFI = contract()


@pytest.fixture(scope="module")
def cc() -> Compiler:
    found = find_compiler()
    if found is None:
        pytest.skip("no C compiler found: install gcc or clang, set $CC, or pip install ziglang")
    return found


@pytest.fixture(scope="module")
def core(cc):
    return load_native(cc)


Q, V, X, U, T, K = (
    symbol("q", "coordinate"),
    symbol("v", "speed"),
    symbol("x", "state"),
    symbol("u", "input"),
    symbol("t", "time"),
    symbol("k"),
)


class Pair(NamedTuple):
    """The functions of a tree: rates of everything, and those of the coordinates alone."""

    rates: NativeFunction
    turn: NativeFunction


def pair(cc: Compiler, inputs: dict[str, list[Symbol]], dq: list[Expr], dv: list[Expr], dx: list[Expr]) -> Pair:
    rates = Function("rates", inputs, {"dq": dq, "dv": dv, "dx": dx}, [K])
    turn = Function("turn", {k: inputs[k] for k in ("q", "v")}, {"dq": dq}, [K])
    return Pair(*(NativeFunction(make_program(f), cc) for f in (rates, turn)))


@pytest.fixture(scope="module")
def rates(cc) -> Pair:
    """dq = v, dv = u - k q, dx = t."""
    return pair(cc, {"q": [Q], "v": [V], "x": [X], "u": [U], "t": [T]}, [V], [U - K * Q], [T])


class Run:
    """A system, its state and its buffers, with numbers behind each that must not be touched."""

    def __init__(self, core, pair: Pair, k: float = 4.0, balls=(), sizes=(1, 1, 1, 1)) -> None:
        self.core = core
        self.held = pair
        self.tables = [f.prepare(np.array([k])) for f in pair]
        self.starts = FFI.new("int32_t[]", list(balls) or [0])
        nq, nv, nx, nu = sizes
        self.system = FFI.new(
            "tw_system *",
            {
                **{
                    name: {"unit": f.unit.table, "c": FFI.from_buffer("double[]", c)}
                    for name, f, c in zip(("rates", "turn"), pair, self.tables, strict=True)
                },
                "nq": nq,
                "nv": nv,
                "nx": nx,
                "nu": nu,
                "balls": len(balls),
                "ball_start": self.starts,
            },
        )
        self.memory = FFI.new("tw_memory *")
        self.size = nq + nv + nx

    def __call__(self, y, u, *, method=RK4, t=0.0, h=0.1, n=10, every=1, u_step=0):
        work = np.full(self.core.tw_work_size(self.system) + 4, GUARD)
        state = np.concatenate([np.asarray(y, float), np.full(4, GUARD)])
        rows = np.full((max(0, n) // max(1, every) + 1, self.size), GUARD)
        given = np.asarray(u, float)
        taken = FFI.new("int64_t *", -1)
        pointer = [FFI.from_buffer("double[]", a) for a in (state, given, rows, work)]
        ended = self.core.tw_integrate(
            self.system, self.memory, method, t, h, n, pointer[0], pointer[1], u_step, every, pointer[2], FFI.NULL,
            pointer[3], taken,
        )  # fmt: skip
        assert (work[-4:] == GUARD).all(), "beyond the work space"
        assert (state[-4:] == GUARD).all(), "beyond the state"
        assert (rows[-1] == GUARD).all(), "beyond the record"
        return ended, taken[0], state[:-4], rows[:-1]


@pytest.fixture
def run(core, rates) -> Run:
    return Run(core, rates)


def test_a_step_of_rk4_is_the_textbook_s(run):
    _, _, y, _ = run([1.0, 0.0, 0.0], [0.0], h=0.5, n=1)
    f = np.array([[0.0, 1.0], [-4.0, 0.0]])
    step = sum(np.linalg.matrix_power(0.5 * f, k) / math.factorial(k) for k in range(5))
    assert y[:2] == pytest.approx(step @ [1.0, 0.0], rel=1e-15)
    assert y[2] == pytest.approx(0.5**2 / 2, rel=1e-15), "time runs inside of a step"


def test_a_step_of_euler_takes_speeds_first(run):
    _, _, y, _ = run([1.0, 0.5, 0.0], [0.3], h=0.1, n=1, method=EULER, t=2.0)
    v = 0.5 + 0.1 * (0.3 - 4.0 * 1.0)
    assert y == pytest.approx([1.0 + 0.1 * v, v, 0.1 * 2.0], rel=1e-15)


@pytest.mark.parametrize("every", [1, 2, 3, 7, 10, 11])
def test_every_so_many_steps_are_recorded(run, every):
    _, _, _, full = run([1.0, 0.0, 0.0], [0.0])
    ended, taken, y, rows = run([1.0, 0.0, 0.0], [0.0], every=every)
    assert (ended, taken) == (DONE, 10)
    assert len(rows) == 10 // every
    assert (rows == full[every - 1 :: every][: len(rows)]).all()
    assert (y == full[-1]).all()


def test_inputs_may_change_with_every_step(run):
    changing = np.arange(10.0)
    _, _, stepped, _ = run([0.0, 0.0, 0.0], changing, u_step=1)
    y = np.zeros(3)
    for i in range(10):
        _, _, y, _ = run(y, [changing[i]], n=1, t=0.1 * i)
    assert stepped == pytest.approx(y, rel=1e-14)


def test_inputs_may_change_within_a_step(run):
    """Simpson's rule over start, middle and end: a cubic in time is exact."""
    moments = 0.05 * np.arange(21)
    _, _, y, _ = Run(run.core, run.held, k=0.0)([0.0, 0.0, 0.0], 4.0 * moments**3, u_step=2, n=10)
    assert y[1] == pytest.approx(1.0, rel=1e-13)


def test_a_run_in_two_parts_is_the_run(run):
    _, _, whole, _ = run([1.0, 0.0, 0.0], [0.5], n=10)
    _, _, half, _ = run([1.0, 0.0, 0.0], [0.5], n=4)
    _, _, rest, _ = run(half, [0.5], n=6, t=0.4)
    assert rest == pytest.approx(whole, rel=1e-14)


def test_no_steps(run):
    ended, taken, y, _ = run([1.0, 2.0, 3.0], [0.0], n=0)
    assert (ended, taken, y.tolist()) == (DONE, 0, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("method", [EULER, RK4])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e308])
def test_it_stops_where_numbers_end(run, method, bad):
    u = np.zeros(10)
    u[6] = bad
    ended, taken, y, rows = run([1.0, 1.0, 0.0], u, u_step=1, method=method, h=10.0 if bad == 1e308 else 0.1)
    assert (ended, taken) == (NOT_FINITE, 7)
    assert np.isfinite(rows[:6]).all() and not np.isfinite(rows[6]).all()
    assert (rows[7:] == GUARD).all()
    assert not np.isfinite(y).all()


@pytest.mark.parametrize(
    "wrong", [{"h": 0.0}, {"h": -0.1}, {"h": math.nan}, {"every": 0}, {"every": -1}, {"u_step": 3}]
)
def test_calls_that_make_no_sense_do_nothing(run, wrong):
    ended, taken, y, rows = run([1.0, 2.0, 3.0], [0.0], **wrong)
    assert (ended, taken, y.tolist()) == (BAD_CALL, 0, [1.0, 2.0, 3.0])
    assert (rows == GUARD).all()


def test_a_unit_of_another_kind_is_refused(core, rates):
    lanes = rates.rates.lane_unit(False)
    run = Run(core, rates)
    run.system.rates.unit = lanes.table
    assert run([1.0, 2.0, 3.0], [0.0])[0] == BAD_CALL
    other = FFI.new("tw_unit *", rates.rates.unit.table[0])
    other.abi += 1
    run.system.rates.unit = other
    assert run([1.0, 2.0, 3.0], [0.0])[0] == BAD_CALL
    run.system.rates.unit = FFI.NULL
    assert run([1.0, 2.0, 3.0], [0.0])[0] == BAD_CALL


@pytest.mark.parametrize("method", [EULER, RK4])
def test_quaternions_are_brought_back_to_unit_length(core, cc, method):
    """Five coordinates: a number, then a quaternion that grows."""
    q = [symbol(f"q{i}", "coordinate") for i in range(5)]
    inputs = {"q": q, "v": [V], "x": [], "u": [], "t": [T]}
    growing = pair(cc, inputs, [V, *(2.0 * x for x in q[1:])], [-q[0]], [])
    run = Run(core, growing, balls=[1], sizes=(5, 1, 0, 0))
    start = [0.5, 0.5, 0.5, -0.5, 0.5, 0.0]
    _, _, y, rows = run(start, [0.0], method=method)
    assert np.linalg.norm(rows[:, 1:5], axis=1) == pytest.approx(1.0, abs=1e-15)
    assert y[1:5] == pytest.approx(start[1:5])
    assert y[0] != 0.5


def test_a_quaternion_of_no_length_ends_the_run(core, cc):
    q = [symbol(f"q{i}", "coordinate") for i in range(4)]
    inputs = {"q": q, "v": [V], "x": [], "u": [], "t": [T]}
    run = Run(core, pair(cc, inputs, [0.0 * x for x in q], [V], []), balls=[0], sizes=(4, 1, 0, 0))
    assert run([0.0, 0.0, 0.0, 0.0, 0.0], [0.0])[:2] == (NOT_FINITE, 1)


@pytest.mark.parametrize("source", sorted(p.name for p in NATIVE.glob("*.c")))
def test_the_source_compiles_without_a_warning_and_without_a_system(cc, tmp_path, source):
    for extra in (["-std=c99", "-pedantic"], ["-ffreestanding"], ["-O2", "-fno-builtin"]):
        flags = ["-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", *extra, f"-I{NATIVE}"]
        done = subprocess.run(
            [*cc.command, *flags, "-c", str(NATIVE / source), "-o", str(tmp_path / "x.o")],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0 and "warning" not in done.stderr, done.stderr

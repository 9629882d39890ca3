"""A batch is a loop of single evaluations, however it lies in memory, whoever runs it."""

import gc
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from emitted import Array, Lanes, compiler, joined
from recipes import INPUTS, P, Q, function, outputs, points, reference, worst

from touchweight import symbolic as sy
from touchweight.codegen.callable import Compiled, NativeFunction, PythonFunction, batch_threads
from touchweight.codegen.function import Function
from touchweight.codegen.program import Program, make_program

ROUNDING = 1e-12
MADE = outputs(random.Random(21), 8, 3)


@pytest.fixture(scope="module")
def program() -> Program:
    return make_program(function(MADE))


@pytest.fixture(scope="module", params=["lanes 8", "lanes 4", "lanes 2", "lanes 1", "python"])
def f(request, program) -> Compiled:
    kind = request.param
    return PythonFunction(program) if kind == "python" else Lanes(program, int(kind[-1]))


def one_by_one(f: Compiled, table: Array, arrays: list[Array], count: int) -> Array:
    rows = [[np.ascontiguousarray(a[i if len(a) > 1 else 0]) for a in arrays] for i in range(count)]
    return np.array([joined(f.evaluate(table, row)) for row in rows])


def agree(f: Compiled, arrays: list[Array], count: int, threads: int = 1) -> None:
    p, _ = points(1)
    table = f.prepare(p)
    found = joined(f.batch(table, None, arrays, count, threads))
    assert worst(found, one_by_one(f, table, arrays, count)) < ROUNDING


def arrays_of(count: int) -> list[Array]:
    return [points(count, 5)[1][k] for k in INPUTS]


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 17, 1000])
def test_any_number_of_items(f, count):
    agree(f, arrays_of(count), count)


def test_no_items(f):
    p, _ = points(1)
    empty = [np.zeros((0, len(s))) for s in INPUTS.values()]
    assert [o.shape for o in f.batch(f.prepare(p), None, empty, 0, 4)] == [(0, n) for n in f.program.sizes_out.values()]


def transposed(a: Array) -> Array:
    """Element by element: all items of the first, then of the second (a structure of arrays)."""
    return np.asfortranarray(a)


def reversed_view(a: Array) -> Array:
    return np.ascontiguousarray(a[::-1])[::-1]


def every_third_row(a: Array) -> Array:
    held = np.full((3 * len(a), a.shape[1]), np.nan)
    held[::3] = a
    return held[::3]


def every_second_column(a: Array) -> Array:
    held = np.full((len(a), 2 * a.shape[1]), np.nan)
    held[:, ::2] = a
    return held[:, ::2]


def columns_backwards(a: Array) -> Array:
    return np.ascontiguousarray(a[:, ::-1])[:, ::-1]


def part_of_a_table(a: Array) -> Array:
    held = np.full((len(a) + 2, a.shape[1] + 3), np.nan)
    held[1:-1, 2:-1] = a
    return held[1:-1, 2:-1]


def read_only(a: Array) -> Array:
    made = a.copy()
    made.flags.writeable = False
    return made


LAYOUTS = [
    transposed,
    reversed_view,
    every_third_row,
    every_second_column,
    columns_backwards,
    part_of_a_table,
    read_only,
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [3, 21])
def test_any_layout(f, layout, count):
    plain = arrays_of(count)
    seen = [layout(a) for a in plain]
    for a, b in zip(plain, seen, strict=True):
        assert (a == b).all()
    p, _ = points(1)
    table = f.prepare(p)
    assert worst(joined(f.batch(table, None, seen, count, 1)), one_by_one(f, table, plain, count)) < ROUNDING


def test_layouts_may_differ_from_array_to_array(f):
    q, v, t = arrays_of(19)
    agree(f, [transposed(q), reversed_view(v), t], 19)
    agree(f, [q, every_third_row(v), transposed(t)], 19)


def test_one_row_serves_all_items(f):
    q, v, t = arrays_of(21)
    agree(f, [q, v[:1], t[:1]], 21)
    agree(f, [q[:1], np.broadcast_to(v[0], v.shape), t], 21)
    agree(f, [q[:1], v[:1], t[:1]], 21)


def test_every_item_may_have_parameters_of_its_own(f, program):
    if isinstance(f, Lanes) and f.lanes == 1:
        f = NativeFunction(program, compiler())
    count = 21
    arrays = arrays_of(count)
    p = np.random.default_rng(9).uniform(0.3, 2.0, (count, len(P)))
    expected = np.array([one_by_one(f, f.prepare(p[i]), [a[i : i + 1] for a in arrays], 1)[0] for i in range(count)])
    for rows in (p, transposed(p), reversed_view(p), every_third_row(p)):
        assert worst(joined(f.batch(None, rows, arrays, count, 1)), expected) < ROUNDING
    assert (
        worst(joined(f.batch(None, p[:1], arrays, count, 1)), one_by_one(f, f.prepare(p[0]), arrays, count)) < ROUNDING
    )
    assert worst(expected, reference(MADE, p, dict(zip(INPUTS, arrays, strict=True)))) < 1e-10


@pytest.mark.parametrize("threads", [2, 3, 8, 1000])
@pytest.mark.parametrize("count", [1, 33, 500])
def test_any_number_of_threads(f, threads, count):
    q, v, t = arrays_of(count)
    agree(f, [q, reversed_view(v), t[:1]], count, threads)


def test_outputs_are_new_arrays(f):
    p, _ = points(1)
    table, row = f.prepare(p), [a[0] for a in arrays_of(1)]
    first = f.evaluate(table, row)
    kept = [a.copy() for a in first]
    second = f.evaluate(table, [a + 0.1 for a in row])
    assert all((a == b).all() for a, b in zip(first, kept, strict=True))
    assert not any(np.shares_memory(a, b) for a, b in zip(first, second, strict=True))


def test_inputs_are_left_alone(f):
    arrays = arrays_of(9)
    kept = [a.copy() for a in arrays]
    agree(f, arrays, 9)
    assert all((a == b).all() for a, b in zip(arrays, kept, strict=True))


def test_a_binding_reads_its_arrays_and_fills_its_arrays(f):
    p, _ = points(1)
    table = f.prepare(p)
    bound = f.bind(table.copy())
    for row in zip(*arrays_of(4), strict=True):
        for target, values in zip(bound.inputs, row, strict=True):
            target[:] = values
        bound.call()
        assert worst(joined(bound.outputs)[None, :], joined(f.evaluate(table, list(row)))[None, :]) < 1e-15
    bound.table[:] = f.prepare(2.0 * p)
    bound.call()
    expected = joined(f.evaluate(f.prepare(2.0 * p), [a.copy() for a in bound.inputs]))
    assert worst(joined(bound.outputs)[None, :], expected[None, :]) < 1e-15


def test_a_call_keeps_alive_what_it_reads():
    f = NativeFunction(make_program(Function("f", {"q": Q}, {"y": [2.0 * sy.sin(q) for q in Q]}, ())), compiler())
    bound = f.bind(f.prepare(np.zeros(0)))
    bound.inputs[0][:] = 0.3
    call, found = bound.call, bound.outputs[0]
    del f, bound
    gc.collect()
    others = [np.full(len(Q), 99.0) for _ in range(1000)]  # would lie where the inputs lay
    call()
    assert found == pytest.approx(2.0 * np.sin(0.3), rel=1e-15)
    assert len(others) == 1000


FENCED = """
import ctypes, mmap, sys
import numpy as np
sys.path.insert(0, {here!r})
from emitted import Lanes, joined
from recipes import INPUTS, P, function, outputs, points
from test_callable import MADE, every_third_row, transposed, reversed_view
from touchweight.codegen.program import make_program

libc = ctypes.CDLL(None, use_errno=True)
page = mmap.PAGESIZE
held = []


def fenced(a, after):
    \"\"\"A copy that ends where a page ends that no one may read (or starts where one starts).\"\"\"
    memory = mmap.mmap(-1, 3 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    offset = 2 * page - a.nbytes if after else page
    copy = np.frombuffer(memory, dtype=float, count=a.size, offset=offset)
    copy[:] = a.ravel(order="A")
    for fence in (start, start + 2 * page):
        assert libc.mprotect(ctypes.c_void_p(fence), ctypes.c_size_t(page), 0) == 0
    held.append((memory, copy))
    return copy.reshape(a.shape, order="F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C")


p, inputs = points(1)
for lanes in (1, 2, 4, 8):
    f = Lanes(make_program(function(MADE)), lanes)
    table = f.prepare(p)
    for count in (1, 2, 3, 7, 8, 9, 15, 17):
        _, inputs = points(count)
        plain = [inputs[k] for k in INPUTS]
        rows = np.tile(p, (count, 1))
        expected = joined(f.batch(table, None, plain, count, 1))
        for after in (True, False):
            for layout in (np.ascontiguousarray, np.asfortranarray):
                arrays = [fenced(layout(a), after) for a in plain]
                assert (joined(f.batch(table, None, arrays, count, 1)) == expected).all()
                assert (joined(f.batch(table, None, [a[::-1] for a in arrays], count, 1)) == expected[::-1]).all()
                if lanes > 1:
                    found = f.batch(None, fenced(layout(rows), after), arrays, count, 1)
                    assert np.allclose(joined(found), expected, rtol=1e-12, atol=1e-12)
print("nothing beyond was touched")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="fences memory with mprotect")
def test_nothing_beyond_an_array_is_read():
    """In a process of its own: to read on would be the end of it."""
    compiler()
    text = FENCED.format(here=str(Path(__file__).parent))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, env=environment)
    assert done.stdout.strip() == "nothing beyond was touched", f"ended with {done.returncode}: {done.stderr[-2000:]}"


def test_evaluations_in_many_threads_do_not_disturb_each_other(program):
    f = NativeFunction(program, compiler())
    p, _ = points(1)
    table = f.prepare(p)
    arrays = arrays_of(64)
    expected = one_by_one(f, table, arrays, 64)
    wrong: list[int] = []

    def work(start: int) -> None:
        for i in range(start, 64, 4):
            for _ in range(20):
                if not (joined(f.evaluate(table, [a[i] for a in arrays])) == expected[i]).all():
                    wrong.append(i)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert wrong == []


def test_only_batches_worth_it_use_several_cores(program):
    assert batch_threads(program, 1) == 1
    assert batch_threads(program, 10**9) >= 1

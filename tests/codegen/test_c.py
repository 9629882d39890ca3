"""Emitted C computes what the expressions say, alone and in lanes, and compiles without a warning."""

import random
import subprocess

import numpy as np
import pytest
from emitted import Lanes, compiler, joined
from recipes import INPUTS, P, Q, T, V, function, outputs, points, reference, worst

from touchweight import symbolic as sy
from touchweight.codegen.c import c_number, emit_unit
from touchweight.codegen.callable import NativeFunction, PythonFunction
from touchweight.codegen.compiler import FLAGS, include_flags
from touchweight.codegen.function import Function
from touchweight.codegen.program import Program, make_program

COUNT = 53  # odd: the last block of lanes is not full
TOLERANCE = 1e-11


@pytest.fixture(scope="module")
def made():
    """Many random outputs, and one of every function."""
    q, p = Q[0], P[0]
    inside = 0.9 * sy.tanh(q)
    every = [
        sy.sin(q),
        sy.cos(q * p),
        sy.tan(inside),
        sy.asin(inside),
        sy.acos(inside),
        sy.atan(q),
        sy.atan2(q, V[0]),
        sy.exp(q),
        sy.log(q * q + 0.1),
        sy.tanh(q * p),
        sy.absolute(q),
        sy.sign(q),
        sy.floor(3.0 * q),
        sy.sqrt(q * q),
        sy.minimum(q, p),
        sy.maximum(q, -p),
        (q * q + 0.1) ** p,
        p**q,
        q**7,
        (q * q + 0.1) ** 2.7,
        q**-3,
        sy.select(sy.less(q, V[0]), p, q),
        sy.select(sy.less_equal(p, P[1]), q, V[1]),
        sy.select(sy.equal(q, q * p), q, 1.0),
        sy.select(sy.both(sy.less(q, 0.5), sy.less(P[0], P[1])), p * p, p),
        sy.select(sy.negation(sy.less(q, 0)), q, 0.0),
        sy.select(sy.either(sy.less(q, -0.5), sy.less(P[1], P[0])), q, -q),
        sy.sin(T + p) * T,
        sy.const(1.5),
        p * P[1],
        sy.ZERO,
        sy.minimum(q, float("inf")),
        sy.maximum(q, float("-inf")),
        sy.select(sy.less(p, 1.0), P[1], P[2]),
    ]
    return [*every, *outputs(random.Random(5), 30)]


@pytest.fixture(scope="module")
def program(made) -> Program:
    return make_program(function(made))


def test_one_evaluation(made, program):
    p, inputs = points(COUNT)
    f = NativeFunction(program, compiler())
    table = f.prepare(p)
    rows = [joined(f.evaluate(table, [inputs[k][i] for k in INPUTS])) for i in range(COUNT)]
    assert worst(np.array(rows), reference(made, p, inputs)) < TOLERANCE


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_lanes(made, program, lanes):
    p, inputs = points(COUNT)
    f = Lanes(program, lanes)
    found = joined(f.batch(f.prepare(p), None, [inputs[k] for k in INPUTS], COUNT, 1))
    assert worst(found, reference(made, p, inputs)) < TOLERANCE


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_lanes_with_parameters_of_their_own(made, program, lanes):
    _, inputs = points(COUNT)
    p = np.random.default_rng(3).uniform(0.3, 2.0, (COUNT, len(P)))
    f = Lanes(program, lanes)
    found = joined(f.batch(None, p, [inputs[k] for k in INPUTS], COUNT, 1))
    assert worst(found, reference(made, p, inputs)) < TOLERANCE


def outside() -> list[sy.Expr]:
    """Where there is no value, or an infinite one."""
    q, v = Q[0], V[0]
    return [
        sy.log(q),
        sy.sqrt(q),
        q**2.5,
        1.0 / v,
        q / v,
        sy.asin(q),
        sy.acos(q),
        v**-0.5,
        sy.log(v),
        q**v,
        sy.minimum(sy.sqrt(q), 1.0),
        sy.maximum(1.0, sy.sqrt(q)),
        sy.minimum(1.0, sy.log(q)),
        sy.sign(sy.sqrt(q)),
        sy.select(sy.less(0.0, q), sy.sqrt(q), 3.0),
        sy.exp(1000.0 * P[0]),
        sy.exp(-1000.0 * q * q),
        sy.floor(1.0 / v),
        P[0] / (P[1] - P[1] * P[2]),
        sy.sqrt(P[3]) * q,
        sy.tanh(q / v),
        sy.atan2(v, v),
        sy.absolute(sy.log(q)),
    ]


@pytest.mark.filterwarnings("error")
def test_outside_of_domains_c_and_python_and_the_expressions_agree():
    roots = outside()
    program = make_program(Function("f", {"q": Q[:1], "v": V[:1]}, {"y": roots}, P))
    p = np.array([1.0, 2.0, 1.0, -4.0, 1.0])
    q, v = np.array([[-2.0], [-1.5], [2.5], [np.nan], [-0.0]]), np.array([[0.0], [0.0], [0.0], [0.0], [1.0]])
    values = {**dict(zip(P, p, strict=True)), Q[0]: q[:, 0], V[0]: v[:, 0]}
    expected = np.stack([np.broadcast_to(x, (5,)) for x in sy.evaluate_all(roots, values)], axis=1)
    assert np.isnan(expected).any() and np.isinf(expected).any()
    for f in (NativeFunction(program, compiler()), PythonFunction(program)):
        table = f.prepare(p)
        single = np.array([f.evaluate(table, [q[i], v[i]])[0] for i in range(5)])
        assert worst(single, expected) < 1e-14
        assert worst(f.batch(table, None, [q, v], 5, 1)[0], expected) < 1e-14


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), 1e308, 5e-324, 0.1, 3.0, -2.0, 1e22])
def test_numbers_survive_the_way_through_the_compiler(value):
    limit = sy.const(value)
    program = make_program(Function("f", {"q": Q[:1]}, {"y": [sy.select(sy.less(Q[0], 1.0), limit, 0.0)]}, ()))
    assert NativeFunction(program, compiler()).evaluate(np.zeros(1), [np.zeros(1)])[0][0] == value
    assert c_number(value) not in ("inf", "-inf")


def test_a_function_of_nothing():
    program = make_program(Function("f", {"q": ()}, {"y": (), "z": [sy.const(2.0)]}, ()))
    f = NativeFunction(program, compiler())
    table = f.prepare(np.zeros(0))
    y, z = f.evaluate(table, [np.zeros(0)])
    assert y.shape == (0,) and z.tolist() == [2.0]
    y, z = f.batch(table, None, [np.zeros((1, 0))], 9, 1)
    assert y.shape == (9, 0) and (z == 2.0).all()


@pytest.mark.parametrize(("lanes", "own"), [(1, 0), (8, 0), (4, 1)])
def test_no_warnings(program, tmp_path, lanes, own):
    """The build silences warnings for users' sake; here they count."""
    cc = compiler()
    flags = [f for f in FLAGS if f != "-w"]
    flags += ["-Wall", "-Wextra", "-Wno-psabi", "-O1", *cc.tune, *include_flags(), f"-DTW_LANES={lanes}"]
    flags.append(f"-DTW_SLOT_LANES={own}")
    for i, file in enumerate(emit_unit(program)):
        source = tmp_path / f"part{i}.c"
        source.write_text(file.text, encoding="utf-8")
        done = subprocess.run(
            [*cc.command, *flags, "-c", str(source), "-o", str(source.with_suffix(".o"))],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0 and "warning" not in done.stderr, done.stderr


def test_the_text_depends_on_nothing_but_the_function(made):
    """The cache would miss if it did."""
    texts = [[f.text for f in emit_unit(make_program(function(made)))] for _ in range(2)]
    assert texts[0] == texts[1]

"""Emitted Python: the same numbers with floats and with arrays, and never an exception for a number."""

import random
import re

import numpy as np
import pytest
from emitted import joined
from recipes import INPUTS, P, Q, V, function, outputs, points, reference, worst

from touchweight import symbolic as sy
from touchweight.codegen.callable import PythonFunction
from touchweight.codegen.function import Function
from touchweight.codegen.program import make_program
from touchweight.codegen.python import ARRAY_NAMES, SCALAR_NAMES, emit_evaluate, emit_prepare, load
from touchweight.symbolic.functions import NUMERIC


@pytest.mark.parametrize("seed", range(5))
def test_floats_and_arrays_give_the_value_of_the_expressions(seed):
    made = outputs(random.Random(seed), 25)
    f = PythonFunction(make_program(function(made)))
    p, inputs = points(20, seed)
    arrays = [inputs[k] for k in INPUTS]
    table = f.prepare(p)
    expected = reference(made, p, inputs)
    assert worst(joined(f.batch(table, None, arrays, 20, 1)), expected) < 1e-11
    singly = [joined(f.evaluate(table, [a[i] for a in arrays])) for i in range(20)]
    assert worst(np.array(singly), expected) < 1e-11


def test_every_function_has_a_name_for_floats_and_for_arrays():
    renamed = {"min": "minimum", "max": "maximum", "abs": "absolute"}
    wanted = {renamed.get(n, n) for n in NUMERIC} | {"sqrt", "inf"}
    assert wanted <= set(SCALAR_NAMES)
    assert wanted <= set(ARRAY_NAMES)


@pytest.mark.parametrize("x", [-1.5, -0.0, 0.0, 0.3, 2.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("y", [-1.5, 0.0, 2.0, np.nan])
@pytest.mark.parametrize("name", ["minimum", "maximum", "less", "less_equal", "equal"])
def test_floats_choose_as_arrays_do(name, x, y):
    one, all_at_once = SCALAR_NAMES[name](x, y), ARRAY_NAMES[name](np.array([x]), np.array([y]))[0]
    assert one == all_at_once or (np.isnan(one) and np.isnan(all_at_once))


@pytest.mark.parametrize("x", [-1.5, 0.0, 2.0, np.inf, np.nan])
def test_sign_of_a_float(x):
    one, many = SCALAR_NAMES["sign"](x), ARRAY_NAMES["sign"](np.array([x]))[0]
    assert one == many or (np.isnan(one) and np.isnan(many))


@pytest.mark.filterwarnings("error")
def test_a_parameter_outside_of_a_domain_gives_no_exception():
    program = make_program(Function("f", {"q": Q[:1]}, {"y": [Q[0] / P[0], Q[0] * sy.sqrt(P[1]), Q[0]]}, P))
    f = PythonFunction(program)
    table = f.prepare(np.array([0.0, -1.0, 1.0, 1.0, 1.0]))
    (y,) = f.evaluate(table, [np.array([2.0])])
    assert np.isinf(y[0]) and np.isnan(y[1]) and y[2] == 2.0
    (many,) = f.batch(table, None, [np.array([[2.0], [3.0]])], 2, 1)
    assert np.isinf(many[:, 0]).all() and np.isnan(many[:, 1]).all()


def test_sums_of_thousands_of_terms_are_no_trouble():
    many = sy.symbols([f"q{i}" for i in range(5000)], "coordinate")
    program = make_program(Function("f", {"q": many}, {"y": [sy.add(*many), sy.mul(*many)]}, ()))
    f = PythonFunction(program)
    (y,) = f.evaluate(f.prepare(np.zeros(0)), [np.full(5000, 1.0001)])
    assert y == pytest.approx([5000.5, 1.0001**5000], rel=1e-11)


def test_text_is_made_of_arrays_and_numbers_only():
    """Names of symbols, which may come from a file, are nowhere in it."""
    program = make_program(function([sy.sin(Q[0]) * P[0] + V[1], P[1] ** Q[2], sy.select(P[0] < Q[1], V[0], P[2])]))
    text = emit_prepare(program) + emit_evaluate(program)
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    allowed = {"def", "prepare", "evaluate", "p", "c", "e", "out_y", "out_z", *INPUTS, *SCALAR_NAMES}
    assert {w for w in words if not re.fullmatch(r"[tsc]n?\d+", w)} <= allowed


def test_load_takes_the_function_by_its_name():
    made = load("def evaluate(c, x, out):\n    out[0] = sin(x[0])\n", "evaluate", SCALAR_NAMES)
    out = [0.0]
    made([], [0.5], out)
    assert out == [np.sin(0.5)]

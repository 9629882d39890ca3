"""Emitted MATLAB, run by Octave: real numbers in, real numbers or NaN out; safe text."""

import re

import numpy as np
import pytest
from emitted import octave
from recipes import INPUTS, P, Q, V, function, worst

from touchweight import symbolic as sy
from touchweight.codegen.callable import PythonFunction
from touchweight.codegen.function import Function
from touchweight.codegen.matlab import emit_matlab
from touchweight.codegen.program import make_program


def test_outside_of_domains_it_says_nan_and_never_turns_complex(tmp_path):
    q, v = Q[0], V[0]
    roots = [
        sy.sqrt(q),
        sy.log(q),
        sy.asin(q),
        sy.acos(q),
        q**2.5,
        q**-3,
        q**v,
        q / v,
        sy.maximum(sy.sqrt(q), 1.0),
        sy.minimum(1.0, sy.log(q)),
        sy.select(sy.less(0.0, q), sy.sqrt(q), 3.0),
        sy.sqrt(P[0] - 9.0) + q,
        sy.sign(q),
        sy.floor(q),
        sy.absolute(q),
        q**6,
        sy.minimum(q, float("inf")),
        sy.select(sy.negation(q < v), q, v),
    ]
    program = make_program(Function("f", {"q": Q[:1], "v": V[:1]}, {"y": roots}, P))
    p = np.ones(len(P))
    inputs = [np.array([[-2.0], [-1.5], [2.5], [0.25]]), np.array([[0.0], [3.0], [2.0], [-2.0]])]
    f = PythonFunction(program)
    expected = f.batch(f.prepare(p), None, inputs, 4, 1)[0]
    assert np.isnan(expected).any()
    found = octave(tmp_path, {"f": program}, {"f": p}, {"f": inputs})["f"]
    assert worst(found, expected) < 1e-13


def test_empty_arrays(tmp_path):
    program = make_program(Function("f", {"q": Q[:1], "x": ()}, {"y": [2.0 * Q[0]], "dx": ()}, ()))
    found = octave(tmp_path, {"f": program}, {"f": np.zeros(0)}, {"f": [np.ones((2, 1)), np.zeros((2, 0))]})
    assert found["f"].tolist() == [[2.0], [2.0]]


def test_text_is_made_of_arrays_and_numbers_only():
    program = make_program(function([sy.sin(Q[0]) * P[0] + V[1], P[1] ** Q[2], sy.select(P[0] < Q[1], V[0], P[2])]))
    words = set(re.findall(r"[A-Za-z_]\w*", emit_matlab(program, "f")))
    names = {"f", "function", "zeros", "end", "if", "else", "sin", "isreal", "NaN", "condition", *"abrpce"}
    allowed = names | {"tw_select", "tw_min", "tw_max", "tw_real", "out_y", "out_z", *INPUTS}
    assert {w for w in words if not re.fullmatch(r"[tsc]n?\d+", w)} <= allowed


def test_notes_stay_in_their_comments():
    program = make_program(Function("f", {"q": Q[:1]}, {"y": [Q[0]]}, ()))
    text = emit_matlab(program, "f", notes=["q: angle [rad]", "evil\nsystem('x');\r\u2028%{"])
    lines = text.splitlines()
    assert lines[1] == "% q: angle [rad]"
    assert lines[2].startswith("% evil\\nsystem")
    assert not any(line.startswith(("system", "%{")) for line in lines)


@pytest.mark.parametrize("name", ["", "a b", "f(x)", "1f", "é", "f\nsystem('x')", "../f"])
def test_the_name_must_be_an_identifier(name):
    program = make_program(Function("f", {"q": Q[:1]}, {"y": [Q[0]]}, ()))
    with pytest.raises(ValueError, match="expected an identifier"):
        emit_matlab(program, name)

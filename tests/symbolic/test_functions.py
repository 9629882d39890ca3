"""Each function: its value on numbers, its rules, and that no rule holds where it should not."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchweight import symbolic as sy
from touchweight.symbolic import ONE, ZERO, const, cos, evaluate, select, share, sin, symbols
from touchweight.symbolic.functions import CONDITIONS, EVEN, NUMERIC, ODD, SYMMETRIC, function

x, y, z = symbols("x y z")

INSIDE = {  # a point of the domain of every function
    "asin": (0.3,), "acos": (-0.2,), "log": (1.7,), "pow": (1.3, 2.2), "select": (1.0, 2.0, 3.0),
    "negation": (0.0,),
}  # fmt: skip
TWO = SYMMETRIC | {"less", "less_equal", "atan2", "pow"}


def arguments(name: str) -> tuple[float, ...]:
    return INSIDE.get(name, (0.7, -1.2) if name in TWO else (0.7,))


@pytest.mark.parametrize("name", sorted(NUMERIC))
def test_constants_fold_to_what_evaluation_gives(name: str) -> None:
    values = arguments(name)
    if name in ("both", "either", "negation"):
        nodes = [sy.less(s, 0.5) for s in (x, y, z)[: len(values)]]
        values = (0.0, 1.0)[: len(values)]
    elif name == "select":
        nodes = [sy.less(0, x), y, z]
    else:
        nodes = list((x, y, z)[: len(values)])
    unfolded = evaluate(function(name, *nodes), dict(zip((x, y, z), values, strict=False)))
    truths = [float(evaluate(n, dict(zip((x, y, z), values, strict=False)))) for n in nodes]
    folded = function(name, *truths)
    assert isinstance(folded, sy.Const)
    assert folded.value == pytest.approx(float(unfolded), rel=1e-15)


@given(st.floats(-3, 3))
@settings(max_examples=50)
def test_odd_and_even(v: float) -> None:
    for name in ODD | EVEN:
        if name == "asin" and abs(v) > 1:
            continue
        at = {x: v, y: 0.0}
        for argument in (-x, y - x, -2 * x / 2, share(-x - y)):
            found = evaluate(function(name, argument), at)
            assert found == pytest.approx(NUMERIC[name](-v), abs=1e-15)
    for name in ODD:
        assert function(name, -x) is -function(name, x)
        assert function(name, y - x) is -function(name, x - y)
    for name in EVEN:
        assert function(name, -x) is function(name, x)
        assert function(name, y - x) is function(name, x - y)


def test_functions_without_a_parity_keep_their_sign() -> None:
    for name in ("exp", "acos", "floor"):
        assert function(name, -x) not in (function(name, x), -function(name, x))
        assert evaluate(function(name, -x), {x: 0.4}) == pytest.approx(float(NUMERIC[name](-0.4)))
    for quadrant in itertools.product((1.0, -1.0), repeat=2):
        p, q = 0.3 * quadrant[0], 0.8 * quadrant[1]
        assert evaluate(sy.atan2(-x, -y), {x: p, y: q}) == pytest.approx(math.atan2(-p, -q))
        assert evaluate(sy.atan2(2 * x, 2 * y), {x: p, y: q}) == pytest.approx(math.atan2(p, q))


@pytest.mark.parametrize("quarters", range(-9, 10))
def test_quarter_turns_leave_the_angle(quarters: int) -> None:
    shift = quarters * math.pi / 2
    for name in ("sin", "cos"):
        made = function(name, x + shift)
        assert made in (sin(x), -sin(x), cos(x), -cos(x))
        for v in (-2.0, 0.3, 1.1):
            assert evaluate(made, {x: v}) == pytest.approx(getattr(math, name)(v + shift), abs=1e-14)
    other = sin(x + shift + 1e-9)
    assert evaluate(other, {x: 0.3}) == pytest.approx(math.sin(0.3 + shift + 1e-9), abs=1e-15)


def test_an_angle_that_only_looks_like_a_quarter_turn_stays() -> None:
    for shift in (1.5707963, 3.14159265358, 1e18):
        assert evaluate(sin(x + shift), {x: 0.0}) == pytest.approx(math.sin(shift), abs=1e-12)
        assert sin(x + shift) not in (sin(x), -sin(x), cos(x), -cos(x))


def test_absolute_value_and_sign() -> None:
    assert abs(abs(x)) is abs(x)
    assert abs(x) is not x
    assert evaluate(sy.sign(x), {x: np.array([-2.0, 0.0, 3.0])}).tolist() == [-1.0, 0.0, 1.0]
    assert evaluate(abs(x - y), {x: 1.0, y: 3.0}) == 2.0


def test_symmetric_functions_do_not_mind_the_order() -> None:
    for name in SYMMETRIC - CONDITIONS:
        assert function(name, x, y) is function(name, y, x)
        assert function(name, x, 2) is function(name, 2, x)
        assert function(name, x, x) is x
    p, q = sy.less(x, y), sy.less(y, z)
    assert sy.both(p, q) is sy.both(q, p) and sy.either(p, q) is sy.either(q, p)
    assert sy.equal(x, y) is sy.equal(y, x)


# -- conditions ---------------------------------------------------------------------------------------------
def test_conditions_that_are_known() -> None:
    p = x < y
    assert sy.less(x, x) is ZERO and sy.less_equal(x, x) is ONE and sy.equal(x, x) is ONE
    assert sy.both(p, 1) is p and sy.both(p, 0) is ZERO and sy.both(True, p) is p
    assert sy.either(p, 1) is ONE and sy.either(p, 0) is p and sy.either(False, p) is p
    assert sy.both(p, p) is p and sy.either(p, p) is p
    assert sy.negation(sy.negation(p)) is p and sy.negation(1) is ZERO
    assert select(p, z, z) is z and select(1, x, y) is x and select(0, x, y) is y
    assert select(sy.negation(p), x, y) is select(p, y, x)


def test_comparison_operators_build_conditions() -> None:
    assert (x < y) is sy.less(x, y) and (x > y) is sy.less(y, x)
    assert (x <= 1) is sy.less_equal(x, 1) and (x >= 1) is sy.less_equal(1, x)
    assert (x > 0) is sy.less(0, x) and sy.is_condition(x > 0)
    assert not sy.is_condition(x) and not sy.is_condition(select(x > 0, 1, 2))


@given(st.tuples(*[st.sampled_from([-1.0, 0.0, 1.0])] * 3))
@settings(max_examples=27)
def test_logic_has_its_truth_table(v: tuple[float, float, float]) -> None:
    at = dict(zip((x, y, z), v, strict=True))
    p, q = x < y, y <= z
    a, b = v[0] < v[1], v[1] <= v[2]
    assert bool(evaluate(sy.both(p, q), at)) == (a and b)
    assert bool(evaluate(sy.either(p, q), at)) == (a or b)
    assert bool(evaluate(sy.negation(p), at)) == (not a)
    assert bool(evaluate(sy.equal(x, y), at)) == (v[0] == v[1])
    assert evaluate(select(sy.both(p, sy.negation(q)), x, z), at) == (v[0] if a and not b else v[2])


def test_a_number_is_no_condition() -> None:
    p = x < y
    for f, args in ((select, (x, 1, 2)), (sy.both, (x, p)), (sy.either, (p, y)), (sy.negation, (x,))):
        with pytest.raises(TypeError, match="expected a condition such as a < b"):
            f(*args)


# -- domains ------------------------------------------------------------------------------------------------
def test_numbers_outside_the_domain_say_so() -> None:
    for name, value in (("log", 0), ("asin", 1.5), ("acos", -2), ("exp", 1e4)):
        with pytest.raises(ValueError, match=f"domain of {name}"):
            function(name, value)
    with pytest.raises(ValueError, match="non-negative base"):
        function("pow", -2, 0.5)


def test_pow_with_a_number_is_a_power() -> None:
    assert function("pow", x, 2) is x * x
    assert function("pow", x, 0.5) is sy.sqrt(x)
    assert function("pow", 1, y) is ONE
    assert isinstance(function("pow", 2, y), sy.Func)
    assert function("pow", const(2), const(3)) is const(8)

"""Expressions in files: what is printed reads back as the same node; what is wrong is one sentence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchweight import symbolic as sy
from touchweight.errors import MechanismError, TouchweightError
from touchweight.mechanism.expression_text import parse_expression, write_expression
from touchweight.symbolic import Expr, evaluate, symbol, text

NAMES: dict[str, Expr] = {
    s.name: s
    for s in (
        symbol("k"), symbol("arm.mass", "mass"), symbol("q.hip", "coordinate"), symbol("q.hip.1", "coordinate"),
        symbol("v.left-hip", "speed"), symbol("and"), symbol("sin"), symbol("a`b\\c"), symbol("x\ny"), symbol("1"),
        symbol("d", "local"), symbol("t", "time"), symbol("λ"), symbol("*/"),
    )
}  # fmt: skip

numbers = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6),
    st.sampled_from([1e22, 1e-30, 0.1, 1 / 3, 1e15]),
)
leaves = st.one_of(st.sampled_from(list(NAMES.values())), numbers.map(sy.const))


def _attempt(function: Any, *args: Any) -> Expr:
    try:
        return sy.as_expr(function(*args))
    except (ValueError, ArithmeticError, TypeError):
        return sy.ONE  # outside the domain of the algebra: something else


def _expressions(children: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    one = [
        sy.sin,
        sy.cos,
        sy.tan,
        sy.atan,
        sy.exp,
        sy.tanh,
        sy.absolute,
        sy.sign,
        sy.floor,
        sy.sqrt,
        sy.log,
        sy.asin,
    ]
    two = [
        lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b,
        sy.atan2, sy.minimum, sy.maximum, lambda a, b: a if isinstance(b, sy.Const) else sy.power(a, b),
    ]  # fmt: skip
    compare = st.sampled_from([sy.less, sy.less_equal, sy.equal])
    condition = st.builds(_attempt, compare, children, children)
    joined = st.one_of(
        condition,
        st.builds(_attempt, st.sampled_from([sy.both, sy.either]), condition, condition),
        st.builds(_attempt, st.just(sy.negation), condition),
    )
    return st.one_of(
        st.builds(_attempt, st.sampled_from(one), children),
        st.builds(_attempt, st.sampled_from(two), children, children),
        st.builds(lambda a, e: _attempt(sy.power, a, e), children, st.sampled_from([2, 3, -1, -2, 0.5, -0.5, 1.5])),
        st.builds(_attempt, st.just(sy.select), joined, children, children),
    )


expressions = st.recursive(leaves, _expressions, max_leaves=25)


def _is_finite(e: Expr) -> bool:
    return "inf" not in text(e)


@given(expressions.filter(_is_finite))
@settings(max_examples=300, deadline=None)
def test_what_is_printed_reads_back_as_the_same_node(e: Expr) -> None:
    assert parse_expression(text(e), NAMES) is e


@given(expressions.filter(_is_finite))
@settings(max_examples=200, deadline=None)
def test_what_is_written_reads_back_as_the_same_node(e: Expr) -> None:
    assert parse_expression(write_expression(e, NAMES), NAMES) is e
    once = sy.share(e)
    assert parse_expression(write_expression(once * 2 + 1, NAMES), NAMES) is once * 2 + 1


def test_a_graph_whose_tree_is_huge_is_written_in_the_size_of_the_graph() -> None:
    e: Expr = NAMES["k"]
    for _ in range(60):
        e = sy.sin(e) * e + e  # the tree has 3^60 leaves
    written = write_expression(e, NAMES)
    assert len(written) < 20_000
    assert parse_expression(written, NAMES) is e


def test_a_deep_expression_is_written_flat() -> None:
    e: Expr = NAMES["k"]
    for _ in range(3000):
        e = sy.sin(e) + 1
    assert parse_expression(write_expression(e, NAMES), NAMES) is e


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 2*3", 7), ("2**3**2", 512), ("-2**2", -4), ("(-2)**2", 4), ("2**-1", 0.5), ("7/2/2", 1.75),
        ("1 - 2 - 3", -4), ("min(3, 2) + max(1, 5)", 7), ("select(1 < 2, 10, 20)", 10),
        ("select(not 1 < 2 or 3 <= 3 and 2 == 2, 1, 0)", 1), ("a = 3; b = a*a; a + b", 12), ("+5", 5),
        ("select(2 > 1, 1, 0) + select(1 >= 2, 1, 0)", 1), (".5e1 + 1.", 6), ("pow(2, 5)", 32), ("sqrt(9)", 3),
        ("abs(-3)*sign(-2)", -3), ("floor(2.7)", 2), ("atan2(0, 1)", 0), ("shared(4)", 4), ("-(-3)", 3),
        ("2 * -3", -6), ("1\n+\t1", 2),
    ],
)  # fmt: skip
def test_arithmetic_is_that_of_python(source: str, value: float) -> None:
    assert evaluate(parse_expression(source, {})) == pytest.approx(value)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "column 1"), ("1 +", "column 4"), ("(1", "')'"), ("1)", "operator or the end"), ("2k", "column 2"),
        ("kk", "did you mean k?"), ("zzz", "declare it first"), ("foo(1)", "function"), ("sine(1)", "did you mean sin"),
        ("sin()", "column 5"), ("sin(1, 2)", "1 arguments"), ("min(1)", "2 arguments"), ("1 < 2 < 3", "chain"),
        ("k < 1", "select"), ("(k < 1) + 1", "select"), ("k and k", "condition"), ("select(k, 1, 2)", "condition"),
        ("1/0", "divisor"), ("log(-1)", "domain"), ("10**400", "fits a double"), ("1e400", "fits a double"),
        ("1e308*10", "overflows"), ("k**1e300", "exponents"), ("k$", "'$'"), ("`k", "'`'"), ("nan", "known name"),
        ("k = 2; k", "taken"), ("a = 1", "';'"), ("a = 1;", "column 7"), ("__import__(os)", "function"),
        ("k.__class__", "known name"), ("()", "column 2"), ("1e", "column 2"), ("'a'", "column 1"), ("1,2", "','"),
        ("sqrt(-1)", "non-negative"), ("(0 - 8)**0.5", "non-negative"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence_with_its_place(source: str, says: str) -> None:
    with pytest.raises(MechanismError) as caught:
        parse_expression(source, NAMES)
    message = str(caught.value)
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "source",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "-" * 5000 + "1",
        "sin(" * 5000,
        "2**" * 5000 + "1",
        "not " * 5000,
        "1+(" * 500,
    ],
)
def test_nesting_has_a_limit(source: str) -> None:
    with pytest.raises(MechanismError, match="levels of nesting"):
        parse_expression(source, NAMES)


def test_length_has_a_limit() -> None:
    with pytest.raises(MechanismError, match="characters"):
        parse_expression("1+" * 1_000_000 + "1", NAMES)


@given(st.text("kd.`(),;=<>+-*/ 0123456789esinotradmx\\\"'\n", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_an_expression_or_our_error(source: str) -> None:
    try:
        parse_expression(source, NAMES)
    except TouchweightError as error:
        assert "\n" not in str(error)

"""Printing: text reads back as the node it shows, LaTeX is well formed, both read as a person would write."""

import ast
import math
import re

import pytest
from formulas import SYMBOLS, expression, formulas
from hypothesis import given, settings
from hypothesis import strategies as st

from touchweight import symbolic as sy
from touchweight.symbolic import (
    Expr,
    Func,
    Shared,
    both,
    const,
    cos,
    either,
    equal,
    exp,
    latex,
    maximum,
    minimum,
    mul,
    negation,
    select,
    share,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
    tanh,
    text,
    topological,
    total,
)
from touchweight.symbolic.printing import _GREEK, latex_name, number

a, b, c, k, g, x, y, z = symbols("a b c k g x y z")
m, l = symbol("m", "mass"), symbol("l", "length")
q, v = symbol("q", "coordinate"), symbol("v", "speed")
GREEK = {"\\" + letter for letter in _GREEK}
Q = [symbol(f"q{i}", "coordinate") for i in range(13)]

# -- reading back -----------------------------------------------------------------------------------------
SAME = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sqrt", "sign",
    "floor", "select",
)  # fmt: skip
CALLS = {"min": minimum, "max": maximum, "abs": sy.absolute, **{n: getattr(sy, n) for n in SAME}}
BINARY = {ast.Add: lambda p, r: p + r, ast.Sub: lambda p, r: p - r, ast.Pow: lambda p, r: p**r}
COMPARE = {ast.Lt: sy.less, ast.LtE: sy.less_equal, ast.Eq: equal}


def read(source: str, names: dict[str, Expr]) -> Expr:
    """Python's own grammar, with conditions for and, or, not and ==; a product is read as one."""

    def factors(t: ast.AST) -> list[Expr]:
        match t:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return [*factors(left), node(right)]
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return [*factors(left), node(right) ** -1]
        return [node(t)]

    def node(t: ast.AST) -> Expr:
        match t:
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return mul(*factors(t))
            case ast.Constant(value=value):
                return const(value)
            case ast.Name(id=name):
                return names[name]
            case ast.BinOp(left=left, op=op, right=right):
                return BINARY[type(op)](node(left), node(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -node(operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negation(node(operand))
            case ast.BoolOp(op=op, values=values):
                made = node(values[0])
                for other in values[1:]:
                    made = (both if isinstance(op, ast.And) else either)(made, node(other))
                return made
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return COMPARE[type(op)](node(left), node(right))
            case ast.Call(func=ast.Name(id=name), args=args):
                return CALLS[name](*map(node, args))
        raise AssertionError(ast.dump(t))

    return node(ast.parse(source, mode="eval").body)


def spelled_out(e: Expr) -> Expr:
    """Without shared intermediates, as text shows it."""
    while True:
        inner = [n for n in topological([e]) if isinstance(n, Shared)]
        if not inner:
            return e
        e = substitute(e, {inner[0]: inner[0].inner})


@given(formulas())
@settings(max_examples=400, deadline=None)
def test_text_reads_back_as_the_same_node(f) -> None:
    try:
        e = expression(f)
        plain = spelled_out(e)
    except (ValueError, ZeroDivisionError):
        return
    names = {s.name: s for s in SYMBOLS}
    assert read(text(plain, limit=10**6), names) is plain
    if plain is e:
        assert read(str(e), names) is e


conditions = st.recursive(
    st.sampled_from([x < y, y <= z, equal(x, z), z < 0]),
    lambda s: st.one_of(st.builds(both, s, s), st.builds(either, s, s), st.builds(negation, s)),
    max_leaves=8,
)


@given(conditions)
@settings(max_examples=100, deadline=None)
def test_conditions_read_back(p: Expr) -> None:
    if not isinstance(p, Func):
        return
    law = select(p, x, y)
    assert read(text(law), {"x": x, "y": y, "z": z}) is law


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value: float) -> None:
    assert float(number(value)) == value


@pytest.mark.parametrize(
    "e",
    [x**y**z, (x**y) ** z, x ** (-y), (-x) ** y, x ** (y * z), (x * y) ** z, const(-2) ** x, -(x**y),
     1 / x**y, (x + 1) ** -2.5, x / y / z, x / (y / (z + 1)), -x / (3 * y), x / 3 + y / 7, 2 * x / 3,
     1 / (3 * x), 1e-9 * x, 1e22 * x + 1e-30, sqrt(sqrt(x) + 1) ** 3, -(x - 1) * (y - 2),
     (1 - x) * (1 - y), 1 - (x - 1) * y, exp(-(x**2)) * (1 - cos(y)), 1 / (1 - x)],
    ids=str,
)  # fmt: skip
def test_awkward_ones_read_back(e: Expr) -> None:
    assert read(text(e), {"x": x, "y": y, "z": z}) is e


# -- reading well -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("e", "plain", "tex"),
    [
        (m * g * l * sin(q), "m*g*l*sin(q)", r"m\,g\,l\,\sin(q)"),
        (m * l**2 * v**2 / 2, "0.5*m*l**2*v**2", r"\frac{1}{2}\,m\,l^{2}\,v^{2}"),
        (m * g * l * (1 - cos(q)), "m*g*l*(1 - cos(q))", r"m\,g\,l\,\left(1 - \cos(q)\right)"),
        (1 - cos(q), "1 - cos(q)", r"1 - \cos(q)"),
        (x + 1, "x + 1", "x + 1"),
        (y - x, "y - x", "y - x"),
        (-x - y, "-x - y", "-x - y"),
        (x - 1, "x - 1", "x - 1"),
        (-x, "-x", "-x"),
        (-x * y, "-x*y", r"-x\,y"),
        (1 / x, "1/x", r"\frac{1}{x}"),
        (3 / x, "3/x", r"\frac{3}{x}"),
        (-x / (y * z), "-x/(y*z)", r"-\frac{x}{y\,z}"),
        (m * l**2 / 12, "m*l**2/12", r"0.08333333333333333\,m\,l^{2}"),
        (x / 3, "x/3", r"\frac{1}{3}\,x"),
        (x / (6 * y), "x/(6*y)", r"\frac{x}{6\,y}"),
        (sqrt(k / m), "sqrt(k/m)", r"\sqrt{\frac{k}{m}}"),
        (1 / sqrt(x), "1/sqrt(x)", r"\frac{1}{\sqrt{x}}"),
        (k * q**1.5, "k*q**1.5", r"k\,q^{3/2}"),
        (x**y, "x**y", "x^{y}"),
        ((x + y) ** 2 / z, "(x + y)**2/z", r"\frac{\left(x + y\right)^{2}}{z}"),
        (2 * x + 2 * y, "2*x + 2*y", r"2\,x + 2\,y"),
        (sin(q) ** 2, "sin(q)**2", r"\sin^{2}(q)"),
        (exp(x) ** 2, "exp(x)**2", r"\left(\exp(x)\right)^{2}"),
        (tanh(v / c), "tanh(v/c)", r"\tanh\left(\frac{v}{c}\right)"),
        (abs(x) ** 3, "abs(x)**3", r"\left|x\right|^{3}"),
        (sin(x + math.pi / 4), "sin(x + 0.7853981633974483)", r"\sin\left(x + \frac{\pi}{4}\right)"),
        (1e-6 * x, "1e-06*x", r"10^{-6}\,x"),
        (2.5e20 * x, "2.5e+20*x", r"2.5\cdot 10^{20}\,x"),
        (share(x + y) * share(a * b), "a*b*(x + y)", r"a\,b\,\left(x + y\right)"),
        (share(x / y) * share(a / b), "(a/b)*(x/y)", r"\left(\frac{a}{b}\right)\,\left(\frac{x}{y}\right)"),
        (minimum(x, y), "min(x, y)", r"\min\left(x, y\right)"),
        (
            select(x > 0, k * x, 0),
            "select(0 < x, k*x, 0)",
            r"\begin{cases} k\,x & 0 < x \\ 0 & \text{otherwise} \end{cases}",
        ),
        (
            select(both(x < y, negation(equal(x, 1))), 1, 2),
            "select(x < y and not (1 == x), 1, 2)",
            r"\begin{cases} 1 & x < y \wedge \neg\left(1 = x\right) \\ 2 & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_as_a_person_writes(e: Expr, plain: str, tex: str) -> None:
    assert text(e) == str(e) == plain
    assert latex(e) == tex
    assert e._repr_latex_() == rf"$\displaystyle {tex}$"


def test_numbers_alone() -> None:
    assert text(3) == "3" and text(const(0.5)) == "0.5" and text(-2) == "-2"
    assert text(math.inf) == "inf" and latex(-math.inf) == r"-\infty" and latex(math.pi) == r"\pi"


def test_terms_stand_in_the_order_of_the_priority_rule() -> None:
    e = total([share(x + y) * a, sin(q) * q, q * v, k * q, m * g, q, a, sin(q)])
    assert text(e) == "a + q + sin(q) + m*g + a*(x + y) + k*q + q*v + q*sin(q)"


def test_the_compact_notation_of_the_paper() -> None:
    assert text(sin(Q[2] + Q[4]) * cos(Q[5]), compact=True) == "S24*C5"
    assert text(sin(Q[1] + Q[12]), compact=True) == "S1p12"
    assert text(sin(Q[11] + Q[2]), compact=True) == "S2p11"
    assert text(cos(symbol("q_3", "coordinate")), compact=True) == "C3"
    for other in (sin(Q[1] - Q[2]), sin(2 * Q[1]), sin(Q[1] + 0.5), sin(x), sin(symbol("p1", "coordinate"))):
        assert text(other, compact=True) == text(other)


def test_names_that_are_no_identifiers_are_quoted() -> None:
    assert text(symbol("arm.mass", "mass") * 2) == "2*arm.mass"
    assert text(symbol("left-hip")) == "`left-hip`"
    assert text(symbol("a`b")) == "`a\\`b`"
    assert text(symbol("and")) == "`and`"


def test_nodes_shown_by_a_name() -> None:
    s = share(a + b)
    assert text(s * x + s**2 - 2 * (x * y), names={s: "s", x * y: "p"}) == "x*s + s**2 - 2*p"
    assert text(s, names={s.inner: "sum"}) == "sum"
    assert text(-3 * (x * y), names={x * y: "p"}) == "-3*x*y"


@pytest.mark.parametrize(
    ("name", "tex"),
    [
        ("q", "q"), ("q12", "q_{12}"), ("q_1", "q_{1}"), ("theta", r"\theta"), ("omega_1", r"\omega_{1}"),
        ("q.hip", r"q_{\mathrm{hip}}"), ("m_arm", r"m_{\mathrm{arm}}"), ("l1x", "l_{1x}"),
        ("kx", r"\mathrm{kx}"), ("arm.mass", r"\mathrm{arm.mass}"), ("d_dot", r"\dot{d}"),
        ("q1_ddot", r"\ddot{q_{1}}"), ("_dot", r"\mathrm{\_dot}"), ("q_", r"\mathrm{q\_}"),
        ("50%", r"\mathrm{50\%}"),
        (r"\input{x}", r"\mathrm{\backslash input\{x\}}"),
    ],
)  # fmt: skip
def test_names_in_latex(name: str, tex: str) -> None:
    assert latex_name(name) == tex


# -- well formed, and no longer than asked ----------------------------------------------------------------
def assert_balanced(tex: str) -> None:
    depth = 0
    for brace in re.findall(r"\\[{}]|[{}]", tex):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        assert depth >= 0, tex
    assert depth == 0, tex
    assert len(re.findall(r"\\left(?![a-z])", tex)) == len(re.findall(r"\\right(?![a-z])", tex)), tex
    assert tex.count(r"\begin{cases}") == tex.count(r"\end{cases}")


@given(formulas(), st.integers(0, 200))
@settings(max_examples=200, deadline=None)
def test_latex_is_balanced_at_any_length(f, limit: int) -> None:
    try:
        e = expression(f)
    except (ValueError, ZeroDivisionError):
        return
    assert_balanced(latex(e))
    cut = latex(e, limit=limit)
    assert_balanced(cut)
    if cut != latex(e, limit=10**6):
        assert r"\dots" in cut


@given(st.text(min_size=1))
def test_latex_of_any_name_is_balanced_and_inert(name: str) -> None:
    tex = latex(symbol(name))
    assert_balanced(tex)
    commands = set(re.findall(r"\\[A-Za-z]+", tex))
    assert commands <= {r"\mathrm", r"\backslash", r"\wedge", r"\sim", r"\dot", r"\ddot"} | GREEK


@given(formulas(), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_text_stops_at_its_limit(f, limit: int) -> None:
    try:
        e = expression(f)
    except (ValueError, ZeroDivisionError):
        return
    whole, cut = text(e, limit=10**6), text(e, limit=limit)
    assert len(cut) <= limit
    assert cut == whole if len(whole) <= limit else cut == whole[: limit - 1] + "…"


def test_a_graph_that_would_fill_the_disk_is_cut() -> None:
    e = x + y
    for _ in range(200):
        e = share(e * e + e)
    assert len(repr(e)) == 400
    assert len(str(e)) == 20_000
    assert_balanced(latex(e))
    assert len(latex(e)) < 10_000

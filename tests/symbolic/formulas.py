"""Random formulas with two lives: built as expressions, and computed with plain floats by the same operators.

The float life carries a bound of its own rounding error, so that a comparison knows how close is close
enough, and refuses values where the formula has none (or nearly none).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from touchweight import symbolic as sy
from touchweight.symbolic import Expr, Symbol, symbol

EPS = 2.3e-16
NAMES = ("m", "l", "F", "q1", "q2", "q3")
SYMBOLS: tuple[Symbol, ...] = (
    symbol("m", "mass"),
    symbol("l", "length"),
    symbol("F", "force"),
    *(symbol(n, "coordinate") for n in NAMES[3:]),
)


class NoValueError(Exception):
    """The formula has no value here, or one too close to where it has none."""


@dataclass(frozen=True)
class Float:
    """A float and a bound of its error."""

    value: float
    error: float


@dataclass(frozen=True)
class Formula:
    """An operator and what it works on: a name, a number, or formulas."""

    op: str
    args: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})"


def build(f: Formula, leaves: dict[str, Any], number: Callable[[float], Any], functions: Any) -> Any:
    """The formula on other leaves: expressions, SymPy symbols, ... with the functions of their package."""
    if f.op == "name":
        return leaves[f.args[0]]
    if f.op == "number":
        return number(f.args[0])
    a = [build(x, leaves, number, functions) if isinstance(x, Formula) else x for x in f.args]
    infix = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "/": lambda x, y: x / y,
        "**": lambda x, n: x**n,
        "neg": lambda x: -x,
    }
    if f.op in infix:
        return infix[f.op](*a)
    if f.op == "share":
        return sy.share(a[0]) if functions is sy else a[0]
    if f.op == "select":
        return sy.select(sy.less(a[0], a[1]), a[2], a[3])
    return getattr(functions, f.op)(*a)


def expression(f: Formula) -> Expr:
    """The formula as an expression."""
    made = build(f, dict(zip(NAMES, SYMBOLS, strict=True)), sy.const, sy)
    assert isinstance(made, Expr)
    return made


def value(f: Formula, at: Mapping[str, float | Float]) -> Float:
    """The formula in plain floats; raises where it has no value."""
    if f.op == "name":
        given = at[f.args[0]]
        return given if isinstance(given, Float) else Float(given, EPS * abs(given))
    if f.op == "number":
        return Float(f.args[0], EPS * abs(f.args[0]))
    a = [value(x, at) if isinstance(x, Formula) else x for x in f.args]
    result, slopes = _apply(f.op, a)
    error = EPS * abs(result) + sum(abs(s) * x.error for s, x in zip(slopes, a, strict=False))
    if not abs(result) < 1e12 or not error < 1e-6:
        raise NoValueError
    return Float(result, error)


def _clear(distance: float, *near: Float) -> None:
    """Whether a decision at this distance is safe from rounding."""
    if not distance > 1e-6 + 1e3 * sum(x.error for x in near):
        raise NoValueError


def _apply(op: str, a: list[Any]) -> tuple[float, list[float]]:
    x = a[0]
    if op in ("+", "-"):
        sign = 1.0 if op == "+" else -1.0
        return x.value + sign * a[1].value, [1.0, 1.0]
    if op == "*":
        return x.value * a[1].value, [a[1].value, x.value]
    if op == "/":
        y = a[1]
        _clear(abs(y.value), y)
        return x.value / y.value, [1.0 / y.value, x.value / y.value**2]
    if op == "**":
        n = a[1]
        if n < 0:
            _clear(abs(x.value), x)
        if n != int(n):
            _clear(x.value, x)
        return x.value**n, [n * x.value ** (n - 1) if x.value else 1.0]
    if op == "sqrt":
        _clear(x.value, x)
        return math.sqrt(x.value), [0.5 / math.sqrt(x.value)]
    if op in ("minimum", "maximum"):
        return (min if op == "minimum" else max)(x.value, a[1].value), [1.0, 1.0]
    if op == "select":
        _clear(abs(x.value - a[1].value), x, a[1])
        return (a[2] if x.value < a[1].value else a[3]).value, [0.0, 0.0, 1.0, 1.0]
    if op == "atan2":
        y, x = a
        _clear(math.hypot(x.value, y.value), x, y)
        if x.value < 0:
            _clear(abs(y.value), y)
        square = x.value**2 + y.value**2
        return math.atan2(y.value, x.value), [x.value / square, y.value / square]
    plain = {
        "neg": (lambda v: -v, lambda v: 1.0),
        "share": (lambda v: v, lambda v: 1.0),
        "sin": (math.sin, math.cos),
        "cos": (math.cos, math.sin),
        "tanh": (math.tanh, lambda v: 1.0),
        "atan": (math.atan, lambda v: 1.0),
        "absolute": (abs, lambda v: 1.0),
        "exp": (math.exp, math.exp),
    }
    if op == "exp" and x.value > 20:
        raise NoValueError
    function, slope = plain[op]
    return function(x.value), [slope(x.value)]


SMOOTH = ("neg", "sin", "cos", "tanh", "exp", "atan", "share")
ALL = (*SMOOTH, "absolute")

names = st.sampled_from(NAMES).map(lambda n: Formula("name", (n,)))
some_numbers = st.sampled_from([0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, 0.1, -1.5])
numbers = some_numbers.map(lambda v: Formula("number", (v,)))
some_exponents = st.sampled_from([2, 3, -1, -2, 0.5, 1.5, -0.5])


def formulas(smooth: bool = False, leaves: int = 14) -> st.SearchStrategy[Formula]:
    """Random formulas; smooth ones have derivatives (and complex values) everywhere."""
    two = st.sampled_from(["+", "+", "-", "-", "*", "*", "*", "/"])

    def more(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        cases = [
            st.builds(lambda o, a, b: Formula(o, (a, b)), two, inner, inner),
            st.builds(lambda o, a, b: Formula(o, (a, b)), two, inner, inner),
            st.builds(lambda o, a: Formula(o, (a,)), st.sampled_from(SMOOTH if smooth else ALL), inner),
            st.builds(lambda a, n: Formula("**", (a, n)), inner, some_exponents),
            st.builds(lambda a: Formula("sqrt", (a,)), inner),
        ]
        if not smooth:
            choice = st.sampled_from(["minimum", "maximum", "atan2"])
            cases += [
                st.builds(lambda o, a, b: Formula(o, (a, b)), choice, inner, inner),
                st.builds(lambda *a: Formula("select", a), inner, inner, inner, inner),
            ]
        return st.one_of(cases)

    def joined(first: Formula, rest: list[tuple[str, Formula]]) -> Formula:
        for op, other in rest:
            first = Formula(op, (first, other))
        return first

    single = st.recursive(st.one_of(names, names, numbers), more, max_leaves=leaves)
    return st.builds(joined, single, st.lists(st.tuples(two, single), max_size=leaves // 3))


#: values of all symbols, away from zero so that most formulas have a value
points = st.tuples(*[st.floats(0.2, 2.0) if n in "mlF" else st.floats(-2.0, 2.0) for n in NAMES]).map(
    lambda v: dict(zip(NAMES, v, strict=True))
)


def close(found: float, expected: Float, factor: float = 200.0) -> bool:
    """Whether a value agrees within the rounding errors of either way to compute it."""
    return abs(found - expected.value) <= factor * expected.error + 1e-300

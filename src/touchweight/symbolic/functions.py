"""Functions of expressions, each with the rules that hold for it.

Constants fold, odd and even functions move signs outside, angles shed multiples of pi/2. Conditions
(``less``, ``both``, ...) are functions too; they may only be read by :func:`select` and by each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .expr import (
    ONE,
    ZERO,
    Add,
    Const,
    Expr,
    Func,
    Key,
    Scalar,
    as_expr,
    const,
    intern_func,
    leading_sign,
    make_sum,
    power,
)

#: functions whose value is a truth value
CONDITIONS = frozenset({"less", "less_equal", "equal", "both", "either", "negation"})

_HALF_PI = math.pi / 2.0


def _sign_of(x: float) -> float:
    return float((x > 0) - (x < 0))


#: what each function does to plain numbers
NUMERIC: dict[str, Callable[..., Any]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": abs,
    "sign": _sign_of,
    "min": min,
    "max": max,
    "floor": math.floor,
    "pow": lambda x, y: x**y,
    "less": lambda x, y: float(x < y),
    "less_equal": lambda x, y: float(x <= y),
    "equal": lambda x, y: float(x == y),
    "both": lambda x, y: float(bool(x) and bool(y)),
    "either": lambda x, y: float(bool(x) or bool(y)),
    "negation": lambda x: float(not x),
    "select": lambda c, x, y: x if c else y,
}

#: f(-x) = -f(x)
ODD = frozenset({"sin", "tan", "asin", "atan", "tanh", "sign"})
#: f(-x) = f(x)
EVEN = frozenset({"cos", "abs"})
#: f(x, y) = f(y, x)
SYMMETRIC = frozenset({"min", "max", "equal", "both", "either"})
#: what f(x, x) is when it is not x
_TWICE = {"less": ZERO, "less_equal": ONE, "equal": ONE}


def function(name: str, *args: Scalar) -> Expr:
    """The application of ``name`` (a key of :data:`NUMERIC`) to ``args``, simplified."""
    nodes = tuple([as_expr(a) for a in args])
    values = [n.value for n in nodes if type(n) is Const]
    if len(values) == len(nodes):
        return const(_fold(name, values))
    if name == "pow":
        return power(*nodes)
    if name == "select" or name in CONDITIONS:
        return _logic(name, nodes)
    x = nodes[0]
    if name in ODD and leading_sign(x) < 0:
        return -function(name, -x)
    if name in EVEN and leading_sign(x) < 0:
        return function(name, -x)
    if name in ("sin", "cos"):
        return _sine_cosine(name, x)
    if name == "abs" and type(x) is Func and x.name == "abs":
        return x
    return _interned(name, nodes)


def _interned(name: str, nodes: tuple[Expr, ...]) -> Expr:
    if name in SYMMETRIC:
        if nodes[0] is nodes[1]:
            return nodes[0]
        nodes = tuple(sorted(nodes, key=_key))
    return intern_func(name, nodes)


def _key(node: Expr) -> Key:
    return node.key


def _fold(name: str, values: list[float]) -> float:
    try:
        result = NUMERIC[name](*values)
    except (ValueError, OverflowError, ZeroDivisionError):
        shown = ", ".join(f"{v:g}" for v in values)
        raise ValueError(f"expected numbers inside the domain of {name}, found {name}({shown})") from None
    if isinstance(result, complex):
        raise ValueError(f"expected a non-negative base, found {values[0]:g} ** {values[1]:g}")
    return float(result)


def _logic(name: str, nodes: tuple[Expr, ...]) -> Expr:
    """Conditions and ``select``: what is known before run time is decided here."""
    if name in ("both", "either"):
        for known, other in (nodes, nodes[::-1]):
            if type(known) is Const:
                neutral = bool(known.value) == (name == "both")
                return other if neutral else ZERO if name == "both" else ONE
    elif name == "negation":
        if type(nodes[0]) is Func and nodes[0].name == "negation":
            return nodes[0].args[0]
    elif name == "select":
        condition, then, otherwise = nodes
        if type(condition) is Const:
            return then if condition.value else otherwise
        if then is otherwise:
            return then
        if type(condition) is Func and condition.name == "negation":
            return function("select", condition.args[0], otherwise, then)
    elif nodes[0] is nodes[1]:
        return _TWICE[name]
    return _interned(name, nodes)


def _sine_cosine(name: str, angle: Expr) -> Expr:
    """sin or cos with multiples of pi/2 shifted out of the angle, so that sin(q + pi/2) is cos(q)."""
    if type(angle) is Add and angle.const:
        turns = angle.const / _HALF_PI
        whole = round(turns) if abs(turns) < 1e9 else 0
        if whole and abs(turns - whole) < 1e-15 * max(1.0, abs(turns)):
            base = make_sum(dict(angle.terms), 0.0)
            shift = whole % 4 if name == "sin" else (whole + 1) % 4  # cos(x) = sin(x + pi/2)
            turned = function("sin" if shift % 2 == 0 else "cos", base)
            return turned if shift < 2 else -turned
    return intern_func(name, (angle,))


def sin(x: Scalar) -> Expr:
    """Sine of an angle [rad]."""
    return function("sin", x)


def cos(x: Scalar) -> Expr:
    """Cosine of an angle [rad]."""
    return function("cos", x)


def tan(x: Scalar) -> Expr:
    """Tangent of an angle [rad]."""
    return function("tan", x)


def asin(x: Scalar) -> Expr:
    """Arc sine [rad] of a number in [-1, 1]."""
    return function("asin", x)


def acos(x: Scalar) -> Expr:
    """Arc cosine [rad] of a number in [-1, 1]."""
    return function("acos", x)


def atan(x: Scalar) -> Expr:
    """Arc tangent [rad]."""
    return function("atan", x)


def atan2(y: Scalar, x: Scalar) -> Expr:
    """Angle [rad] of the point (x, y)."""
    return function("atan2", y, x)


def exp(x: Scalar) -> Expr:
    """Exponential."""
    return function("exp", x)


def log(x: Scalar) -> Expr:
    """Natural logarithm of a positive number."""
    return function("log", x)


def tanh(x: Scalar) -> Expr:
    """Hyperbolic tangent."""
    return function("tanh", x)


def sqrt(x: Scalar) -> Expr:
    """Square root of a non-negative number."""
    return power(x, 0.5)


def absolute(x: Scalar) -> Expr:
    """Absolute value."""
    return function("abs", x)


def sign(x: Scalar) -> Expr:
    """-1, 0 or +1."""
    return function("sign", x)


def floor(x: Scalar) -> Expr:
    """Largest whole number not above x."""
    return function("floor", x)


def minimum(a: Scalar, b: Scalar) -> Expr:
    """The smaller of two."""
    return function("min", a, b)


def maximum(a: Scalar, b: Scalar) -> Expr:
    """The larger of two."""
    return function("max", a, b)


def less(a: Scalar, b: Scalar) -> Expr:
    """The condition a < b."""
    return function("less", a, b)


def less_equal(a: Scalar, b: Scalar) -> Expr:
    """The condition a <= b."""
    return function("less_equal", a, b)


def equal(a: Scalar, b: Scalar) -> Expr:
    """The condition a == b (``==`` itself compares nodes)."""
    return function("equal", a, b)


def is_condition(x: Expr) -> bool:
    """Whether a node is a truth value rather than a number."""
    return type(x) is Func and x.name in CONDITIONS


def _condition(x: Scalar) -> Expr:
    node = as_expr(x)
    if type(node) is not Const and not is_condition(node):
        raise TypeError(f"expected a condition such as a < b, found the number-valued expression {node!r}")
    return node


def both(a: Scalar, b: Scalar) -> Expr:
    """Logical and of two conditions."""
    return function("both", _condition(a), _condition(b))


def either(a: Scalar, b: Scalar) -> Expr:
    """Logical or of two conditions."""
    return function("either", _condition(a), _condition(b))


def negation(a: Scalar) -> Expr:
    """Logical not of a condition."""
    return function("negation", _condition(a))


def select(condition: Scalar, then: Scalar, otherwise: Scalar) -> Expr:
    """``then`` where the condition holds, else ``otherwise``: the piecewise law."""
    return function("select", _condition(condition), then, otherwise)

"""Numbers out of expressions: direct evaluation on floats or NumPy arrays (generated code is the fast way).

As in generated code, what has no value is NaN and what is divided by zero is infinite; nothing is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .expr import Add, Const, Expr, Func, Mul, Number, Scalar, Shared, Symbol, as_expr
from .walk import topological

ARRAY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "abs": np.abs,
    "sign": np.sign,
    "min": np.minimum,
    "max": np.maximum,
    "floor": np.floor,
    "pow": np.power,
    "less": np.less,
    "less_equal": np.less_equal,
    "equal": np.equal,
    "both": np.logical_and,
    "either": np.logical_or,
    "negation": np.logical_not,
    "select": np.where,
}


def evaluate(expr: Scalar, values: Mapping[Any, Any] | None = None) -> Any:
    """The value of ``expr``; ``values`` maps symbols, or their names, to numbers or equal-shaped arrays."""
    return evaluate_all([expr], values)[0]


def evaluate_all(exprs: Iterable[Scalar], values: Mapping[Any, Any] | None = None) -> list[Any]:
    """The values of several expressions, common sub-expressions evaluated once."""
    roots = [as_expr(e) for e in exprs]
    given = {} if values is None else values
    out: dict[Expr, Any] = {}
    with np.errstate(all="ignore"):
        for n in topological(roots):
            out[n] = _value(n, out, given)
    return [out[r] for r in roots]


def _value(n: Expr, out: Mapping[Expr, Any], given: Mapping[Any, Any]) -> Any:
    if type(n) is Add:
        acc: Any = n.const
        for c, k in n.terms:
            acc = acc + k * out[c]
        return acc
    if type(n) is Mul:
        acc = n.coef
        for c, e in n.factors:
            acc = acc * out[c] if e == 1 else acc * _power(out[c], e)
        return acc
    if type(n) is Shared:
        return out[n.inner]
    if type(n) is Func:
        value = ARRAY_FUNCTIONS[n.name](*[out[a] for a in n.args])
        return value[()] if n.name == "select" else value  # a number, not an array of none
    if type(n) is Symbol:
        return _given(n, given)
    assert type(n) is Const
    return n.value


def _given(s: Symbol, given: Mapping[Any, Any]) -> Any:
    found = given.get(s)
    if found is None:
        found = given.get(s.name)
    if found is None:
        raise KeyError(f"expected a value for the symbol {s.name!r}, found none; pass it in values")
    if isinstance(found, (float, complex)):
        return found
    array = np.asarray(found)
    return (array if array.dtype.kind in "fc" else array.astype(float))[()]


def _power(x: Any, e: Number) -> Any:
    """x ** e as C computes it: NaN where there is none, infinity at poles."""
    return np.sqrt(x) if e == 0.5 else np.power(x, float(e))

"""Numbers out of expressions: direct evaluation on floats or NumPy arrays (generated code is the fast way)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .expr import Add, Const, Expr, Func, Mul, Scalar, Shared, Symbol, as_expr
from .walk import topological

_ARRAY: dict[str, Callable[..., Any]] = {
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
    given = dict(values or {})
    out: dict[Expr, Any] = {}
    for n in topological(roots):
        out[n] = _value(n, out, given)
    return [out[r] for r in roots]


def _value(n: Expr, out: Mapping[Expr, Any], given: Mapping[Any, Any]) -> Any:
    if isinstance(n, Const):
        return n.value
    if isinstance(n, Symbol):
        found = given.get(n, given.get(n.name))
        if found is None:
            raise KeyError(f"expected a value for the symbol {n.name!r}, found none; pass it in values")
        return found
    if isinstance(n, Add):
        acc = n.const
        for c, k in n.terms:
            acc = acc + k * out[c]
        return acc
    if isinstance(n, Mul):
        acc = n.coef
        for c, e in n.factors:
            acc = acc * out[c] ** e if e != 1 else acc * out[c]
        return acc
    if isinstance(n, Func):
        with np.errstate(invalid="ignore"):
            return _ARRAY[n.name](*(out[a] for a in n.args))
    assert isinstance(n, Shared)
    return out[n.inner]

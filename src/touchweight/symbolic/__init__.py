"""The algebra: an interned expression graph that simplifies as it grows, differentiates, counts, prints."""

from .count import Operations, count_operations
from .differentiate import differentiate, directional_all, gradient, jacobian
from .evaluate import evaluate, evaluate_all
from .expr import (
    ONE,
    ZERO,
    Add,
    Const,
    Expr,
    Func,
    Mul,
    Scalar,
    Shared,
    Symbol,
    add,
    as_expr,
    const,
    fresh_table,
    mul,
    power,
    share,
    symbol,
    symbols,
    total,
)
from .functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    both,
    cos,
    either,
    equal,
    exp,
    floor,
    is_condition,
    less,
    less_equal,
    log,
    maximum,
    minimum,
    negation,
    select,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)
from .printing import latex, text
from .substitute import substitute, substitute_all
from .walk import free_symbols, topological

__all__ = [
    "ONE", "ZERO", "Add", "Const", "Expr", "Func", "Mul", "Operations", "Scalar", "Shared", "Symbol",
    "absolute", "acos", "add", "as_expr", "asin", "atan", "atan2", "both", "const", "cos",
    "count_operations", "differentiate", "directional_all", "either", "equal", "evaluate", "evaluate_all",
    "exp", "floor", "free_symbols", "fresh_table", "gradient", "is_condition", "jacobian", "latex", "less",
    "less_equal", "log", "maximum", "minimum", "mul", "negation", "power", "select", "share", "sign", "sin",
    "sqrt", "substitute", "substitute_all", "symbol", "symbols", "tan", "tanh", "text", "topological",
    "total",
]  # fmt: skip

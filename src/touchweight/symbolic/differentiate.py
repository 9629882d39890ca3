"""Derivatives on the graph: forward along a direction, reverse for whole gradients.

Both sweep the nodes once and share every intermediate, so that a derivative costs a small multiple of the
expression itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .expr import ONE, ZERO, Add, Expr, Func, Mul, Scalar, Shared, as_expr, const, mul, power, share, total
from .functions import cos, exp, log, negation, select, sign, sin
from .walk import topological


def _partials(node: Func) -> tuple[Expr, ...]:
    """The partial derivative of a function with respect to each of its arguments."""
    a = node.args
    rule = _RULES.get(node.name)
    return rule(node, a) if rule is not None else tuple(ZERO for _ in a)


def _pow_rule(node: Expr, a: Sequence[Expr]) -> tuple[Expr, ...]:
    x, y = a
    by_base = y * power(x, y - 1)
    # x**y at x = 0 has no slope in y: the limit for y > 0 is zero
    by_exponent = select(0 < x, node * log(select(0 < x, x, ONE)), ZERO)
    return by_base, by_exponent


_RULES: dict[str, Callable[[Expr, Sequence[Expr]], tuple[Expr, ...]]] = {
    "sin": lambda f, a: (cos(a[0]),),
    "cos": lambda f, a: (-sin(a[0]),),
    "tan": lambda f, a: (1 + f * f,),
    "asin": lambda f, a: (power(1 - a[0] * a[0], -0.5),),
    "acos": lambda f, a: (-power(1 - a[0] * a[0], -0.5),),
    "atan": lambda f, a: (1 / (1 + a[0] * a[0]),),
    "atan2": lambda f, a: (a[1] / (a[0] * a[0] + a[1] * a[1]), -a[0] / (a[0] * a[0] + a[1] * a[1])),
    "exp": lambda f, a: (exp(a[0]),),
    "log": lambda f, a: (1 / a[0],),
    "tanh": lambda f, a: (1 - f * f,),
    "abs": lambda f, a: (sign(a[0]),),
    "min": lambda f, a: (select(a[0] <= a[1], 1, 0), select(a[0] <= a[1], 0, 1)),
    "max": lambda f, a: (select(a[0] <= a[1], 0, 1), select(a[0] <= a[1], 1, 0)),
    "select": lambda f, a: (ZERO, select(a[0], 1, 0), select(negation(a[0]), 1, 0)),
    "pow": _pow_rule,
}


def _slopes(node: Expr) -> list[tuple[Expr, Expr]]:
    """(child, d node / d child) for every child that matters."""
    if isinstance(node, Add):
        return [(n, const(c)) for n, c in node.terms]
    if isinstance(node, Mul):
        slopes = []
        for n, e in node.factors:
            others = [power(m, k) for m, k in node.factors if m is not n]
            slopes.append((n, mul(node.coef * e, power(n, e - 1), *others)))
        return slopes
    if isinstance(node, Func):
        return list(zip(node.args, _partials(node), strict=True))
    if isinstance(node, Shared):
        return [(node.inner, ONE)]
    return []


def directional_all(exprs: Iterable[Scalar], direction: Mapping[Expr, Scalar]) -> list[Expr]:
    """Forward mode: the derivative of every expression when each symbol in ``direction`` moves at its rate.

    With ``{q: v, v: a}`` this is the time derivative.
    """
    roots = [as_expr(e) for e in exprs]
    rates = {k: as_expr(v) for k, v in direction.items()}
    dot: dict[Expr, Expr] = {}
    for n in topological(roots):
        if n in rates:
            dot[n] = rates[n]
            continue
        moving = [(c, s) for c, s in _slopes(n) if dot.get(c, ZERO) is not ZERO]
        if not moving:
            dot[n] = ZERO
        elif isinstance(n, Shared):
            dot[n] = share(dot[n.inner])
        else:
            dot[n] = total(s * dot[c] for c, s in moving)
    return [dot[r] for r in roots]


def differentiate(expr: Scalar, by: Expr) -> Expr:
    """d expr / d by, in forward mode."""
    return directional_all([expr], {by: ONE})[0]


def gradient(expr: Scalar, by: Sequence[Expr]) -> list[Expr]:
    """Reverse mode: the derivatives of one expression with respect to many nodes, in one sweep."""
    root = as_expr(expr)
    wanted = set(by)
    order = topological([root])
    reaches: set[Expr] = set()
    for n in order:
        if n in wanted or any(c in reaches for c in n.children):
            reaches.add(n)
    flow: dict[Expr, list[Expr]] = {root: [ONE]}
    result: dict[Expr, Expr] = {}
    for n in reversed(order):
        if n not in reaches or n not in flow:
            continue
        bar = share(total(flow.pop(n)))
        if n in wanted:
            result[n] = bar
            continue
        for c, s in _slopes(n):
            if c in reaches and s is not ZERO:
                flow.setdefault(c, []).append(s * bar)
    return [result.get(x, ZERO) for x in by]


def jacobian(exprs: Sequence[Scalar], by: Sequence[Expr]) -> list[list[Expr]]:
    """The matrix d exprs[i] / d by[j], forward or reverse by the shorter side."""
    if len(by) <= len(exprs):
        columns = [directional_all(exprs, {x: ONE}) for x in by]
        return [[column[i] for column in columns] for i in range(len(exprs))]
    return [gradient(e, by) for e in exprs]

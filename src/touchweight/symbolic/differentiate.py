"""Derivatives on the graph: forward along a direction, reverse for whole gradients.

Both sweep the nodes once and share every intermediate, so that a derivative costs a small multiple of the
expression itself. A branch that ``select``, ``min`` or ``max`` does not take adds nothing, not even where its
own slope has no value: that of ``select(0 < d, d**0.5, 0)`` is 0 for d < 0, not 0 times a root of d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from .expr import (
    ONE,
    ZERO,
    Add,
    Expr,
    Func,
    Mul,
    Number,
    Scalar,
    Shared,
    _gather,
    as_expr,
    make_product,
    mul,
    power,
    share,
    total,
)
from .functions import both, cos, either, exp, log, negation, select, sign, sin
from .walk import topological

Rule = Callable[..., Expr]
#: a rate of more terms or factors than this is shared rather than flattened into the next one
_LONG = 8


def _by_exponent(f: Expr, x: Expr, y: Expr) -> Expr:
    # x**y at x = 0 has no slope in y: the limit for y > 0 is zero
    return select(x > 0, f * log(select(x > 0, x, ONE)), ZERO)


#: the derivative of each function by each of its arguments; called with the node and its arguments
_RULES: dict[str, tuple[Rule, ...]] = {
    "sin": (lambda f, x: cos(x),),
    "cos": (lambda f, x: -sin(x),),
    "tan": (lambda f, x: 1 + f * f,),
    "asin": (lambda f, x: power(1 - x * x, -0.5),),
    "acos": (lambda f, x: -power(1 - x * x, -0.5),),
    "atan": (lambda f, x: 1 / (1 + x * x),),
    "atan2": (lambda f, y, x: x / (x * x + y * y), lambda f, y, x: -y / (x * x + y * y)),
    "exp": (lambda f, x: exp(x),),
    "log": (lambda f, x: 1 / x,),
    "tanh": (lambda f, x: 1 - f * f,),
    "abs": (lambda f, x: sign(x),),
    "pow": (lambda f, x, y: y * power(x, y - 1), _by_exponent),
}

#: the condition under which each argument of a choosing function is the value
_CHOICES: dict[str, Callable[[Sequence[Expr]], tuple[Expr, ...]]] = {
    "min": lambda a: (a[0] <= a[1], negation(a[0] <= a[1])),
    "max": lambda a: (negation(a[0] <= a[1]), a[0] <= a[1]),
    "select": lambda a: (ZERO, a[0], negation(a[0])),
}


def _slopes(node: Expr, rates: Mapping[Expr, Expr]) -> Iterator[tuple[Expr, Expr]]:
    """(child, its rate * d node / d child) for every child that has a rate; not for choosing functions."""
    rate = rates.get
    if type(node) is Add:
        for n, c in node.terms:
            r = rate(n)
            if r is not None:
                yield n, c * r
    elif type(node) is Mul:
        for n, e in node.factors:
            r = rate(n)
            if r is not None:
                acc: dict[Expr, Number] = dict(node.factors)
                if e == 1:
                    del acc[n]
                else:
                    acc[n] = e - 1
                coef = node.coef * e
                coef *= _gather(acc, r, 1)
                yield n, make_product(acc, coef)
    elif type(node) is Shared:
        r = rate(node.inner)
        if r is not None:
            yield node.inner, r
    elif type(node) is Func:
        for n, rule in zip(node.args, _RULES.get(node.name, ()), strict=False):
            r = rate(n)
            if r is not None:
                yield n, mul(rule(node, *node.args), r)


def directional_all(exprs: Iterable[Scalar], direction: Mapping[Expr, Scalar]) -> list[Expr]:
    """Forward mode: the derivative of every expression when each symbol in ``direction`` moves at its rate.

    With ``{q: v, v: a}`` this is the time derivative.
    """
    roots = [as_expr(e) for e in exprs]
    return _forward(roots, topological(roots), {k: as_expr(v) for k, v in direction.items()})


def _forward(roots: Sequence[Expr], order: Sequence[Expr], rates: Mapping[Expr, Expr]) -> list[Expr]:
    dot: dict[Expr, Expr] = {}  # what moves
    result: dict[Expr, Expr] = dict.fromkeys(roots, ZERO)
    for n in order:
        if n in rates:
            rate = rates[n]
        elif type(n) is Func and n.name in _CHOICES:
            rate = _chosen_rate(n, dot)
        else:
            parts = [s for _, s in _slopes(n, dot)]
            rate = parts[0] if len(parts) == 1 else total(parts)
            if type(n) is Shared:
                rate = share(rate)
        if rate is not ZERO:
            dot[n] = share(rate) if len(rate.children) > _LONG else rate
            if n in result:
                result[n] = rate
    return [result[r] for r in roots]


def _chosen_rate(n: Func, dot: Mapping[Expr, Expr]) -> Expr:
    """The rate of the branch that is taken."""
    a = n.args
    if n.name == "select":
        return select(a[0], dot.get(a[1], ZERO), dot.get(a[2], ZERO))
    low, high = (0, 1) if n.name == "min" else (1, 0)
    return select(a[0] <= a[1], dot.get(a[low], ZERO), dot.get(a[high], ZERO))


def differentiate(expr: Scalar, by: Expr) -> Expr:
    """d expr / d by, in forward mode."""
    return directional_all([expr], {by: ONE})[0]


#: a value that counts only where the condition before it holds
_Flow = tuple[Expr, Expr]


def gradient(expr: Scalar, by: Sequence[Expr]) -> list[Expr]:
    """Reverse mode: the derivatives of one expression with respect to many nodes, in one sweep."""
    root = as_expr(expr)
    wanted = set(by)
    order = topological([root])
    reaches: set[Expr] = set()
    for n in order:
        if n in wanted or not reaches.isdisjoint(n.children):
            reaches.add(n)
    flow: dict[Expr, list[_Flow]] = {root: [(ONE, ONE)]} if root in reaches else {}
    result: dict[Expr, Expr] = {}
    for n in reversed(order):
        if n not in flow:
            continue
        guard, bar = _merged(flow.pop(n))
        below = {c: bar for c in n.children if c in reaches}
        if n in wanted:
            result[n] = select(guard, bar, ZERO)
        elif type(n) is Func and n.name in _CHOICES:
            for c, condition in zip(n.args, _CHOICES[n.name](n.args), strict=True):
                if c in below and condition is not ZERO:
                    flow.setdefault(c, []).append((both(guard, condition), bar))
        else:
            for c, s in _slopes(n, below):
                if s is not ZERO:
                    flow.setdefault(c, []).append((guard, s))
    return [result.get(x, ZERO) for x in by]


def _merged(flows: list[_Flow]) -> _Flow:
    """The sum of several flows, under the condition that any of theirs holds."""
    guard = flows[0][0]
    if all(g is guard for g, _ in flows):
        return guard, share(total([v for _, v in flows]))
    for g, _ in flows[1:]:
        if g is ONE or g is negation(guard):
            guard = ONE
        elif g is not guard:
            guard = either(guard, g)
    return guard, share(total([select(g, v, ZERO) for g, v in flows]))


def jacobian(exprs: Sequence[Scalar], by: Sequence[Expr]) -> list[list[Expr]]:
    """The matrix d exprs[i] / d by[j], forward or reverse by the shorter side."""
    if len(by) > len(exprs):
        return [gradient(e, by) for e in exprs]
    roots = [as_expr(e) for e in exprs]
    order = topological(roots)
    columns = [_forward(roots, order, {x: ONE}) for x in by]
    return [[column[i] for column in columns] for i in range(len(roots))]

"""Replacing nodes by expressions, rebuilding (and so simplifying) what lies above them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .expr import (
    Add,
    Expr,
    Func,
    Mul,
    Number,
    Scalar,
    Shared,
    _collect,
    _gather,
    as_expr,
    make_product,
    make_sum,
    share,
)
from .functions import function
from .walk import topological


def rebuild(node: Expr, new: Mapping[Expr, Expr]) -> Expr:
    """The same operation as ``node``, on the children that ``new`` gives and on the others as they are."""
    if all(new.get(c, c) is c for c in node.children):
        return node
    if type(node) is Add:
        acc: dict[Expr, float] = {}
        constant = node.const
        for n, c in node.terms:
            constant += _collect(acc, new.get(n, n), c)
        return make_sum(acc, constant)
    if type(node) is Mul:
        factors: dict[Expr, Number] = {}
        coef = node.coef
        for n, e in node.factors:
            base = new.get(n, n)
            if isinstance(e, int):
                coef *= _gather(factors, base, e)
            else:
                coef *= _gather(factors, base**e, 1)
        return make_product(factors, coef)
    if type(node) is Shared:
        return share(new.get(node.inner, node.inner))
    if type(node) is Func:
        return function(node.name, *[new.get(a, a) for a in node.args])
    return node


def substitute_all(exprs: Iterable[Scalar], replacements: Mapping[Expr, Scalar]) -> list[Expr]:
    """Every expression with the nodes in ``replacements`` exchanged (in one sweep, not repeatedly)."""
    roots = [as_expr(e) for e in exprs]
    new = {k: as_expr(v) for k, v in replacements.items()}
    for n in topological(roots):
        if n in new:
            continue
        if type(n) is Mul and n.unit in new:  # x y is exchanged in 2 x y as well
            new[n] = n.coef * new[n.unit]
        elif not new.keys().isdisjoint(n.children):
            new[n] = rebuild(n, new)
    return [new.get(r, r) for r in roots]


def substitute(expr: Scalar, replacements: Mapping[Expr, Scalar]) -> Expr:
    """``expr`` with the nodes in ``replacements`` exchanged."""
    return substitute_all([expr], replacements)[0]

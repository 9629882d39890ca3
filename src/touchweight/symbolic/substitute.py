"""Replacing nodes by expressions, rebuilding (and so simplifying) what lies above them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .expr import Add, Expr, Func, Mul, Number, Scalar, Shared, _collect, _gather, as_expr, make_product, make_sum, share
from .functions import absolute, both, either, function, negation, select
from .walk import topological


def rebuild(node: Expr, new: Mapping[Expr, Expr]) -> Expr:
    """The same operation as ``node`` on the children that ``new`` gives."""
    if all(new[c] is c for c in node.children):
        return node
    if isinstance(node, Add):
        acc: dict[Expr, float] = {}
        constant = node.const
        for n, c in node.terms:
            constant += _collect(acc, new[n], c)
        return make_sum(acc, constant)
    if isinstance(node, Mul):
        factors: dict[Expr, Number] = {}
        coef = node.coef
        for n, e in node.factors:
            base = new[n]
            if isinstance(e, int):
                coef *= _gather(factors, base, e)
            else:
                coef *= _gather(factors, base**e, 1)
        return make_product(factors, coef)
    if isinstance(node, Shared):
        return share(new[node.inner])
    assert isinstance(node, Func)
    args = [new[a] for a in node.args]
    special = {"select": select, "both": both, "either": either, "negation": negation, "abs": absolute}
    if node.name in special:
        return special[node.name](*args)
    if node.name == "pow":
        return args[0] ** args[1]
    return function(node.name, *args)


def substitute_all(exprs: Iterable[Scalar], replacements: Mapping[Expr, Scalar]) -> list[Expr]:
    """Every expression with the nodes in ``replacements`` exchanged (in one sweep, not repeatedly)."""
    roots = [as_expr(e) for e in exprs]
    given = {k: as_expr(v) for k, v in replacements.items()}
    new: dict[Expr, Expr] = {}
    for n in topological(roots):
        found = given.get(n)
        new[n] = found if found is not None else rebuild(n, new)
    return [new[r] for r in roots]


def substitute(expr: Scalar, replacements: Mapping[Expr, Scalar]) -> Expr:
    """``expr`` with the nodes in ``replacements`` exchanged."""
    return substitute_all([expr], replacements)[0]

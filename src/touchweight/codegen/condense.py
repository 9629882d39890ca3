"""Condensing for emission: common factors are pulled out of sums, common parts are shared.

Works on hoisted expressions, where intermediates are whole. Two steps, neither of which raises the count:

1. ``a x + a y - b z`` becomes ``a (x + y) - b z`` where the products serve nobody else;
2. pairs of terms (or factors) that occur in several sums (or products) become a node of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic import Add, Expr, Func, Mul, topological
from ..symbolic.expr import Number
from ..symbolic.substitute import rebuild
from .hoist import make_flat_product, make_flat_sum

#: sums and products longer than this are left alone by the pair search (its work grows with the square)
LONGEST = 16

#: sweeps of the pair search; later ones find next to nothing
SWEEPS = 4


def condense(roots: Sequence[Expr]) -> list[Expr]:
    """The same expressions with fewer operations."""
    out = _factor_sums(list(roots))
    out = _share_pairs(out)
    return out


def _use_counts(roots: Sequence[Expr]) -> tuple[list[Expr], dict[Expr, int]]:
    order = topological(roots)
    uses: dict[Expr, int] = {}
    for n in order:
        for c in n.children:
            uses[c] = uses.get(c, 0) + 1
        if isinstance(n, Mul) and n.coef != 1.0:
            uses[n.unit] = uses.get(n.unit, 0) + 1  # a multiple of it is made from it
    for r in roots:
        uses[r] = uses.get(r, 0) + 1
    return order, uses


def _whole(n: Expr, new: dict[Expr, Expr]) -> Expr:
    """Rebuild a node on new children without flattening."""
    if all(new[c] is c for c in n.children):
        return n
    if isinstance(n, Add):
        acc: dict[Expr, float] = {}
        for t, c in n.terms:
            base = new[t]
            if isinstance(base, Mul) and base.coef != 1.0:
                c, base = c * base.coef, base.unit
            acc[base] = acc.get(base, 0.0) + c
        return make_flat_sum(acc, n.const)
    if isinstance(n, Mul):
        factors: dict[Expr, Number] = {}
        coef = n.coef
        for f, e in n.factors:
            base = new[f]
            if isinstance(base, Mul) and base.coef != 1.0 and isinstance(e, int):
                coef *= base.coef**e
                base = base.unit
            factors[base] = factors.get(base, 0) + e
        return make_flat_product(factors, coef)
    assert isinstance(n, Func)
    return rebuild(n, new)


def _factor_sums(roots: list[Expr]) -> list[Expr]:
    order, uses = _use_counts(roots)
    new: dict[Expr, Expr] = {}
    for n in order:
        built = _whole(n, new)
        if isinstance(built, Add):
            private = {new[t] for t, _ in n.terms if uses.get(t, 0) == 1} if isinstance(n, Add) else set()
            built = _factored(built, private)
        new[n] = built
    return [new[r] for r in roots]


def _factored(n: Add, private: set[Expr]) -> Expr:
    """Pull the most frequent factor out of the products that serve only this sum, again and again."""
    terms = list(n.terms)
    while True:
        where: dict[Expr, list[int]] = {}
        for i, (t, _) in enumerate(terms):
            # what has nothing else above the line, as a / x, stays as it is: 1 / x costs as much
            if isinstance(t, Mul) and t in private and sum(e > 0 for _, e in t.factors) > 1:
                for f, e in t.factors:
                    if e == 1:
                        where.setdefault(f, []).append(i)
        best = max(where.items(), key=lambda kv: (len(kv[1]), kv[0].key), default=None)
        if best is None or len(best[1]) < 2:
            break
        factor, chosen = best
        inner: dict[Expr, float] = {}
        for i in chosen:
            t, c = terms[i]
            assert isinstance(t, Mul)
            rest = make_flat_product({f: e for f, e in t.factors if f is not factor}, 1.0)
            inner[rest] = inner.get(rest, 0.0) + c
        group = make_flat_sum(inner, 0.0)
        if isinstance(group, Add):
            lead = -1.0 if group.terms[0][1] < 0 else 1.0
            if lead < 0:
                group = make_flat_sum({t: -c for t, c in group.terms}, -group.const)
            made = make_flat_product({factor: 1, group: 1}, 1.0)
            terms = [x for i, x in enumerate(terms) if i not in set(chosen)]
            terms.append((made, lead))
        else:
            break
    if len(terms) == len(n.terms):
        return n
    acc: dict[Expr, float] = {}
    for t, c in terms:
        acc[t] = acc.get(t, 0.0) + c
    return make_flat_sum(acc, n.const)


def _share_pairs(roots: list[Expr]) -> list[Expr]:
    """Give every pair of terms or factors that occurs repeatedly a node of its own, most frequent first."""
    for _sweep in range(SWEEPS):
        order, _ = _use_counts(roots)
        pairs: dict[tuple[object, ...], list[Expr]] = {}
        for n in order:
            if isinstance(n, Mul):
                simple = [f for f, e in n.factors if e == 1]
                if 2 < len(n.factors) <= LONGEST or (len(n.factors) == 2 == len(simple)):
                    for i, f in enumerate(simple):
                        for g in simple[i + 1 :]:
                            pairs.setdefault(("*", f, g), []).append(n)
            elif isinstance(n, Add) and len(n.terms) <= LONGEST:
                for i, (f, cf) in enumerate(n.terms):
                    for g, cg in n.terms[i + 1 :]:
                        if abs(cf) == abs(cg) == 1.0:
                            pairs.setdefault(("+", f, g, cf * cg), []).append(n)
        chosen: dict[Expr, tuple[object, ...]] = {}
        for pair, nodes in sorted(pairs.items(), key=lambda kv: -len(kv[1])):
            if len(nodes) < 2:
                break
            free = [n for n in nodes if n not in chosen]
            if len(free) < 2 or all(len(n.children) == 2 for n in free):
                continue
            for n in free:
                if len(n.children) > 2:
                    chosen[n] = pair
        if not chosen:
            return roots
        new: dict[Expr, Expr] = {}
        present = set(order)
        for n in order:
            built = _whole(n, new)
            pair = chosen.get(n)  # type: ignore[assignment]
            if pair is not None and type(built) is type(n) and built is n:
                built = _with_pair(n, pair, present)
            new[n] = built
        roots = [new[r] for r in roots]
    return roots


def _with_pair(n: Expr, pair: tuple[object, ...], present: set[Expr]) -> Expr:
    f, g = pair[1], pair[2]
    assert isinstance(f, Expr) and isinstance(g, Expr)
    if isinstance(n, Mul):
        inner = make_flat_product({f: 1, g: 1}, 1.0)
        factors: dict[Expr, Number] = {h: e for h, e in n.factors if h is not f and h is not g}
        factors[inner] = 1
        return make_flat_product(factors, n.coef)
    assert isinstance(n, Add)
    coefs = dict(n.terms)
    lead = coefs[f]
    group = make_flat_sum({f: 1.0, g: coefs[g] * lead}, 0.0)
    opposite = make_flat_sum({f: -1.0, g: -coefs[g] * lead}, 0.0)
    # the way round that is there already; else, of a difference, the one that is added here
    if group not in present and (opposite in present or lead < 0 < coefs[g]):
        lead, group = -lead, opposite
    present.add(group)
    acc = {h: c for h, c in n.terms if h is not f and h is not g}
    acc[group] = acc.get(group, 0.0) + lead
    return make_flat_sum(acc, n.const)

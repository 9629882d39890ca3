"""Hoisting: what depends on parameters alone is worked out once, in ``prepare``, and read from a table.

Every largest parameter-only part of the expressions becomes a *slot* of that table. Inside sums and products
the parameter-only terms and factors are gathered first, so that ``m * l * g * sin(q)`` costs one
multiplication.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ..symbolic import ONE, Add, Const, Expr, Func, Mul, Scalar, Shared, Symbol, is_condition, topological
from ..symbolic.expr import Number, make_product, make_sum, symbol
from ..symbolic.substitute import rebuild, substitute_all


@dataclass
class Hoisted:
    """Expressions over inputs and slots, and what each slot holds.

    Attributes:
        roots: the expressions, rewritten.
        slots: slot symbol -> the parameter-only expression it stands for, in order of first use.
    """

    roots: list[Expr]
    slots: dict[Symbol, Expr] = field(default_factory=dict)


def hoist(roots: Sequence[Expr], parameters: Iterable[Symbol]) -> Hoisted:
    """Split ``roots`` into what moves and what depends on ``parameters`` alone."""
    known = frozenset(parameters)
    return _Hoister(known).run(list(roots))


def hoist_again(roots: Sequence[Expr], slots: Mapping[Symbol, Expr]) -> Hoisted:
    """Once more after condensing, which brings slots together, as in (m1 + m2) x: these become one."""
    made = _Hoister(frozenset(slots), first=len(slots)).run(list(roots))
    added = substitute_all(made.slots.values(), cast("Mapping[Expr, Scalar]", slots))
    return Hoisted(made.roots, {**slots, **dict(zip(made.slots, added, strict=True))})


class _Hoister:
    def __init__(self, parameters: frozenset[Symbol], first: int | None = None) -> None:
        self.parameters = parameters
        #: where parameters are slots already, they stay, and new ones are numbered from here
        self.first = first
        self.still: dict[Expr, bool] = {}
        self.of_expr: dict[Expr, Symbol] = {}
        self.of_slot: dict[Expr, Expr] = {}

    def run(self, roots: list[Expr]) -> Hoisted:
        order = topological(roots)
        uses: dict[Expr, int] = {}
        still = self.still
        for n in order:
            quiet = type(n) is not Symbol or n in self.parameters
            for c in n.children:
                uses[c] = uses.get(c, 0) + 1
                quiet = quiet and still[c]
            still[n] = quiet
        new: dict[Expr, Expr] = {}
        for n in order:
            if self.still[n]:
                continue
            new[n] = self._rewrite(n, new, uses)
        out = []
        for r in roots:
            out.append(self.slot(r) if self.still[r] else new[r])
        return Hoisted(out, {s: e for e, s in self.of_expr.items()})

    def slot(self, e: Expr) -> Expr:
        """The table entry for a parameter-only expression; numbers stay numbers."""
        if isinstance(e, Const):
            return e
        if isinstance(e, Shared):
            e = e.inner
        if is_condition(e):
            # a truth value is not a number and cannot lie in the table; what it compares can
            return rebuild(e, {c: self.slot(c) for c in e.children})
        if self.first is not None and isinstance(e, Symbol):
            return e
        found = self.of_expr.get(e)
        if found is None:
            found = symbol(f"#{len(self.of_expr) + (self.first or 0)}", "mass")
            self.of_expr[e] = found
            self.of_slot[found] = e
        return found

    def _rewrite(self, n: Expr, new: dict[Expr, Expr], uses: dict[Expr, int]) -> Expr:
        if isinstance(n, Add):
            return self._sum(n, new, uses)
        if isinstance(n, Mul):
            return self._product(n.factors, n.coef, new, uses)
        if isinstance(n, Symbol):
            return n
        children = {c: (self.slot(c) if self.still[c] else new[c]) for c in n.children}
        if isinstance(n, Shared):
            return children[n.inner]
        assert isinstance(n, Func)
        return rebuild(n, children)

    def _sum(self, n: Add, new: dict[Expr, Expr], uses: dict[Expr, int]) -> Expr:
        fixed: dict[Expr, float] = {}
        moving: dict[Expr, float] = {}
        for t, c in n.terms:
            if self.still[t]:
                fixed[t] = c
                continue
            if abs(c) != 1.0 and isinstance(t, Mul) and uses.get(t, 0) == 1 and self._has_still_factor(t):
                # fold the number into the slot: 2 m x -> (2 m) x
                term, c = self._product(t.factors, c, new, uses), 1.0
            else:
                term = new[t]
            _accumulate(moving, term, c)
        constant = n.const
        if fixed:
            part = make_sum(dict(fixed), constant)
            constant = 0.0
            if isinstance(part, Const):
                constant = part.value
            else:
                s, sign = _signed(part)
                _accumulate(moving, self.slot(s), sign)
        return make_flat_sum(moving, constant)

    def _has_still_factor(self, t: Mul) -> bool:
        return any(self.still[f] for f, _ in t.factors)

    def _product(
        self,
        factors: tuple[tuple[Expr, Number], ...],
        coef: float,
        new: dict[Expr, Expr],
        uses: dict[Expr, int],
    ) -> Expr:
        fixed: dict[Expr, Number] = {}
        moving: dict[Expr, Number] = {}
        for f, e in factors:
            if self.still[f]:
                fixed[f] = fixed.get(f, 0) + e
            else:
                base = new[f]
                if isinstance(base, Mul) and e == 1 and uses.get(f, 0) == 1:
                    # an intermediate product that serves only here: its parameters join ours
                    coef *= base.coef
                    for g, k in base.factors:
                        held_by = self.of_slot.get(g)
                        table = moving if held_by is None else fixed
                        key = g if held_by is None else held_by
                        table[key] = table.get(key, 0) + k
                elif isinstance(base, Mul) and isinstance(e, int):
                    # keep an intermediate product whole: it may serve elsewhere
                    moving[base.unit] = moving.get(base.unit, 0) + e
                    coef *= base.coef**e
                else:
                    moving[base] = moving.get(base, 0) + e
        if coef == -1.0 and not fixed and len(factors) == len(moving) == 1 and uses.get(factors[0][0], 0) == 1:
            (only,) = moving
            if isinstance(only, Add) and moving[only] == 1:
                # the negative of a sum that serves only here: turn its signs
                return make_flat_sum({t: -c for t, c in only.terms}, -only.const)
        if fixed:
            sign = -1.0 if coef < 0 else 1.0
            held = make_product(dict(fixed), abs(coef))
            coef = sign
            if isinstance(held, Const):
                coef *= held.value
            else:
                held, s = _signed(held)
                coef *= s
                key = self.slot(held)
                moving[key] = moving.get(key, 0) + 1
        return make_flat_product(moving, coef)


def _signed(e: Expr) -> tuple[Expr, float]:
    """(e or -e, sign) such that a quantity and its negative share a slot."""
    if isinstance(e, Mul) and e.coef < 0:
        return -e, -1.0
    if isinstance(e, Add) and e.terms[0][1] < 0:
        return -e, -1.0
    return e, 1.0


def _accumulate(acc: dict[Expr, float], term: Expr, c: float) -> None:
    if isinstance(term, Mul) and term.coef != 1.0:
        c *= term.coef
        term = term.unit
    acc[term] = acc.get(term, 0.0) + c


def make_flat_sum(acc: dict[Expr, float], constant: float) -> Expr:
    """A sum whose terms are kept whole: no flattening, no trigonometry, just like terms and order."""
    from ..symbolic.expr import _intern_add, _scale, const

    for number in [n for n in acc if isinstance(n, Const)]:
        constant += number.value * acc.pop(number)
    terms = sorted(((n, c) for n, c in acc.items() if c != 0.0), key=lambda t: t[0].key)
    if not terms:
        return const(constant)
    if len(terms) == 1 and constant == 0.0:
        n, c = terms[0]
        if c == 1.0:
            return n
        return _scale_whole(n, c) if isinstance(n, Add) else _scale(n, c)
    return _intern_add(tuple(terms), constant)


def make_flat_product(acc: dict[Expr, Number], coef: float) -> Expr:
    """A product whose factors are kept whole."""
    from ..symbolic.expr import _intern_mul, _scale, const

    for number in [n for n in acc if isinstance(n, Const)]:
        coef *= number.value ** acc.pop(number)
    factors = sorted(((n, e) for n, e in acc.items() if e != 0), key=lambda t: t[0].key)
    if not factors:
        return const(coef)
    if len(factors) == 1 and factors[0][1] == 1:
        n = factors[0][0]
        if coef == 1.0:
            return n
        return _scale_whole(n, coef) if isinstance(n, Add) else _scale(n, coef)
    return _intern_mul(coef, tuple(factors))


def _scale_whole(n: Expr, c: float) -> Expr:
    """c n as a product node, the sum n left as it is."""
    from ..symbolic.expr import _intern_mul

    return _intern_mul(c, ((n, 1),))


__all__ = ["ONE", "Hoisted", "hoist", "hoist_again", "make_flat_product", "make_flat_sum"]

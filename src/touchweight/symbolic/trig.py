"""Trigonometric condensation of a sum, applied while the sum is being built.

Three identities, each of which makes the sum shorter, so that the process ends:

- ``k T sin²x + k T cos²x = k T`` and ``k T - k T sin²x = k T cos²x`` (and with sine and cosine exchanged)
- ``k T sin x cos y ± k T cos x sin y = k T sin(x ± y)``
- ``k T cos x cos y ∓ k T sin x sin y = k T cos(x ± y)``

with k a number and T any product. The angles of parallel axes thus add before their sine is taken.
"""

from __future__ import annotations

from typing import Any

from .expr import ONE, Add, Const, Expr, Func, Mul, Number, _collect, const, make_product, make_sum, power
from .functions import cos, sin

Factors = tuple[tuple[Expr, Number], ...]


def condense_terms(acc: dict[Expr, float], constant: float) -> float:
    """Condense ``constant + sum(coef * node)`` in place; returns the new constant."""
    while True:
        step = _pythagoras(acc, constant)
        if step is None:
            step = _addition(acc)
        if step is None:
            return constant
        used, replacement, coef = step
        for n in used:
            if n is ONE:
                constant = 0.0
            else:
                del acc[n]
        constant += _collect(acc, replacement, coef)
        for n in [n for n, c in acc.items() if c == 0.0]:
            del acc[n]


def _factors(n: Expr) -> Factors:
    if type(n) is Mul:
        return n.factors
    return ((n, 1),)


def _is_trig(n: Expr) -> bool:
    return type(n) is Func and n.name in ("sin", "cos")


def _rest(factors: Factors, drop: dict[Expr, int]) -> Factors:
    """The factors with some exponents lowered: the cofactor T, as a key."""
    left = []
    for n, e in factors:
        if n in drop:
            e = e - drop[n]
            if e == 0:
                continue
        left.append((n, e))
    return tuple(left)


Step = tuple[list[Expr], Expr, float]


def _pythagoras(acc: dict[Expr, float], constant: float) -> Step | None:
    """sin² + cos² = 1, and 1 - sin² = cos²."""
    squares: dict[Any, tuple[Expr, float]] = {}
    for n, c in acc.items():
        if type(n) is not Mul:
            continue
        for f, e in n.factors:
            if not (_is_trig(f) and isinstance(e, int) and e >= 2):
                continue
            rest = _rest(n.factors, {f: 2})
            angle, name = f.args[0], f.name  # type: ignore[attr-defined]
            partner = squares.get((rest, angle, "cos" if name == "sin" else "sin"))
            if partner is not None and partner[1] == c:
                return [n, partner[0]], _product(rest), c
            squares[(rest, angle, name)] = (n, c)
    for (rest, angle, name), (n, c) in squares.items():
        whole = _product(rest)
        if whole is ONE:
            match = constant == -c
        else:
            match = acc.get(whole) == -c
        if match:
            other = cos(angle) if name == "sin" else sin(angle)
            return [n, whole], whole * power(other, 2), -c
    return None


def _addition(acc: dict[Expr, float]) -> Step | None:
    """Sums of angles: S1 C2 + C1 S2 = S12, C1 C2 - S1 S2 = C12, and their differences."""
    pairs: dict[Any, tuple[Expr, float]] = {}
    for n, c in acc.items():
        if type(n) is not Mul:
            continue
        trigs = [f for f, e in n.factors if _is_trig(f) and e == 1]
        if len(trigs) < 2:
            continue
        for i, f in enumerate(trigs):
            for g in trigs[i + 1 :]:
                x, y = f.args[0], g.args[0]  # type: ignore[attr-defined]
                if x is y:
                    continue
                rest = _rest(n.factors, {f: 1, g: 1})
                if x.serial > y.serial:
                    f, g, x, y = g, f, y, x
                names = f.name[0] + g.name[0]  # type: ignore[attr-defined]
                partner_names = {"sc": "cs", "cs": "sc", "cc": "ss", "ss": "cc"}[names]
                partner = pairs.get((rest, x, y, partner_names))
                if partner is not None and abs(partner[1]) == abs(c):
                    whole = _product(rest)
                    if names in ("sc", "cs"):
                        k_sc, k_cs = (c, partner[1]) if names == "sc" else (partner[1], c)
                        # k (S C' ± C S') = k S(x ± y)
                        angle = _angle(x, y, 1.0 if k_cs == k_sc else -1.0)
                        return [n, partner[0]], whole * sin(angle), k_sc
                    k_cc, k_ss = (c, partner[1]) if names == "cc" else (partner[1], c)
                    angle = _angle(x, y, -1.0 if k_ss == k_cc else 1.0)
                    return [n, partner[0]], whole * cos(angle), k_cc
                pairs[(rest, x, y, names)] = (n, c)
    return None


def _angle(x: Expr, y: Expr, s: float) -> Expr:
    acc: dict[Expr, float] = {}
    constant = _collect(acc, x, 1.0) + _collect(acc, y, s)
    return make_sum(acc, constant)


def _product(factors: Factors) -> Expr:
    if not factors:
        return ONE
    return make_product(dict(factors), 1.0)


__all__ = ["Add", "Const", "condense_terms", "const"]

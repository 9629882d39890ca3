"""Trigonometric condensation of a sum, applied while the sum is being built.

Three identities, each of which makes the sum shorter, so that the process ends:

- ``k T sin²x + k T cos²x = k T`` and ``k T - k T sin²x = k T cos²x`` (and with sine and cosine exchanged)
- ``k T sin x cos y ± k T cos x sin y = k T sin(x ± y)``
- ``k T cos x cos y ∓ k T sin x sin y = k T cos(x ± y)``

with k a number and T any product. The angles of parallel axes thus add before their sine is taken.
"""

from __future__ import annotations

from typing import NamedTuple

from .expr import ONE, Expr, Factors, Func, Key, Mul, _collect, make_product
from .functions import cos, sin

_OTHER = {"sin": "cos", "cos": "sin"}


class _Step(NamedTuple):
    """One identity at work: ``used`` terms leave the sum, ``coef * replacement`` enters."""

    used: list[Expr]  # ONE stands for the constant
    replacement: Expr
    coef: float


def condense_terms(acc: dict[Expr, float], constant: float) -> float:
    """Condense ``constant + sum(coef * node)`` in place; returns the new constant."""
    while True:
        step = _pythagoras(acc, constant) or _addition(acc)
        if step is None:
            return constant
        for n in step.used:
            if n is ONE:
                constant = 0.0
            else:
                del acc[n]
        constant += _collect(acc, step.replacement, step.coef)
        for n in [n for n, c in acc.items() if c == 0.0]:
            del acc[n]


def _pythagoras(acc: dict[Expr, float], constant: float) -> _Step | None:
    """sin² + cos² = 1, and 1 - sin² = cos²."""
    squares: dict[tuple[Factors, Expr, str], Expr] = {}  # cofactor T, angle, function: the term
    for n, c in acc.items():
        for f, angle in _trig_factors(n, 2):
            rest = _without(n, {f: 2})
            partner = squares.get((rest, angle, _OTHER[f.name]))
            if partner is not None and acc[partner] == c:
                return _Step([n, partner], _product(rest), c)
            squares[(rest, angle, f.name)] = n
    if not squares:
        return None
    wholes: dict[Factors, tuple[Expr, float]] = {_factors(n): (n, c) for n, c in acc.items()}
    wholes[()] = (ONE, constant)
    for (rest, angle, name), n in squares.items():
        whole, c = wholes.get(rest, (ONE, 0.0))
        if c == -acc[n]:
            other = cos(angle) if name == "sin" else sin(angle)
            return _Step([n, whole], whole * other * other, c)
    return None


def _addition(acc: dict[Expr, float]) -> _Step | None:
    """Sums of angles: S1 C2 + C1 S2 = S12, C1 C2 - S1 S2 = C12, and their differences."""
    seen: dict[tuple[Factors, Expr, Expr, str, str], Expr] = {}  # cofactor T, angles, functions: the term
    for n, c in acc.items():
        trigs = _trig_factors(n, 1)
        for i, (f, x) in enumerate(trigs):
            for g, y in trigs[i + 1 :]:
                if x is y:
                    continue
                rest = _without(n, {f: 1, g: 1})
                partner = seen.get((rest, x, y, _OTHER[f.name], _OTHER[g.name]))
                if partner is None or abs(acc[partner]) != abs(c):
                    seen[(rest, x, y, f.name, g.name)] = n
                    continue
                same = acc[partner] == c
                if f.name != g.name:  # k (S C' ± C S') = k S(x ± y)
                    combined = sin(x + y if same else x - y)
                    coef = c if f.name == "sin" else acc[partner]
                else:  # k (C C' ∓ S S') = k C(x ± y)
                    combined = cos(x - y if same else x + y)
                    coef = c if f.name == "cos" else acc[partner]
                return _Step([n, partner], _product(rest) * combined, coef)
    return None


def _factors(n: Expr) -> Factors:
    return n.factors if type(n) is Mul else ((n, 1),)


def _trig_factors(n: Expr, least: int) -> list[tuple[Func, Expr]]:
    """The sines and cosines that ``n`` has to the given power at least, with and by their angles."""
    if type(n) is not Mul or n.trig < 2:
        return []
    found = [(f, f.args[0]) for f, e in n.factors if type(f) is Func and f.trig and e >= least]
    return sorted(found, key=_angle_key)


def _angle_key(factor: tuple[Func, Expr]) -> Key:
    return factor[1].key


def _without(n: Expr, drop: dict[Func, int]) -> Factors:
    """The factors with some exponents lowered: the cofactor T."""
    left: Factors = ()
    for f, e in _factors(n):
        if type(f) is Func and f in drop:
            e -= drop[f]
        if e:
            left += ((f, e),)
    return left


def _product(factors: Factors) -> Expr:
    return make_product(dict(factors), 1.0)

"""Writing nodes as infix text, shared by the emitters: they differ in names, functions and little else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..symbolic import Add, Const, Expr, Func, Mul, Shared
from ..symbolic.expr import Number
from .program import Block

T = TypeVar("T")

_SUM, _PRODUCT, _ATOM = 1, 2, 3

#: longer sums and products are written as groups of this many: a parser nests as deep as a chain is long
LONGEST_CHAIN = 64


class Infix:
    """Turns nodes into text of one language.

    Args:
        number: how a number is written.
        call: how a function is written, given its name and the texts of its arguments (atoms).
    """

    def __init__(
        self,
        number: Callable[[float], str],
        call: Callable[[str, list[str]], str],
    ) -> None:
        self.number = number
        self.call = call
        #: nodes that already have a name
        self.names: dict[Expr, str] = {}
        self.lift: Callable[[Expr, str], str] = lambda node, text: text

    def text(self, n: Expr) -> str:
        """A node as an expression, using names where they exist."""
        return self._render(n)[0]

    def definition(self, n: Expr) -> str:
        """A node spelled out even if it has a name: the right-hand side of its own assignment."""
        return self._spell(n)[0]

    def _render(self, n: Expr) -> tuple[str, int]:
        name = self.names.get(n)
        if name is not None:
            return name, _ATOM
        return self._spell(n)

    def _spell(self, n: Expr) -> tuple[str, int]:
        if isinstance(n, Const):
            s = self.number(n.value)
            return (f"({s})", _ATOM) if n.value < 0 else (s, _ATOM)
        if isinstance(n, Shared):
            return self._render(n.inner)
        if isinstance(n, Add):
            return self._sum(n), _SUM
        if isinstance(n, Mul):
            return self._product(n)
        assert isinstance(n, Func), f"no name for {n!r}"
        return self.call(n.name, [self.lift(a, self._render(a)[0]) for a in n.args]), _ATOM

    def _wrap(self, n: Expr, binding: int) -> str:
        s, b = self._render(n)
        return s if b >= binding else f"({s})"

    def _sum(self, n: Add) -> str:
        sizes = {abs(c) for _, c in n.terms}
        if len(sizes) == 1 and sizes != {1.0} and (not n.const or abs(n.const) in sizes):
            (size,) = sizes
            inner = self._terms([(t, c / size) for t, c in n.terms], n.const / size)
            return f"{self.number(size)}*({inner})"
        return self._terms(list(n.terms), n.const)

    def _terms(self, terms: list[tuple[Expr, float]], constant: float) -> str:
        pieces: list[tuple[bool, bool, str]] = []  # (negative, is a product, text)
        for t, c in terms:
            body = self._wrap(t, _PRODUCT)
            is_product = "*" in body and t not in self.names
            if abs(c) != 1.0:
                body = f"{self.number(abs(c))}*{body}"
                is_product = True
            pieces.append((c < 0, is_product, body))
        if constant:
            pieces.append((constant < 0, False, self.number(abs(constant))))
        # positive atoms first, then products: each product then joins by a fused multiply-add
        pieces.sort(key=lambda p: (p[0] and not p[1], p[1], p[0]))
        if pieces[0][0]:
            pieces.sort(key=lambda p: (p[0], p[1]))
        while len(pieces) > LONGEST_CHAIN:
            pieces = [(False, False, f"({_join(group)})") for group in _groups(pieces)]
        return _join(pieces)

    def _product(self, n: Mul) -> tuple[str, int]:
        unit = self.names.get(n.unit) if n.unit is not n else None
        if unit is not None:
            if n.coef == -1.0:
                return f"-{unit}", _SUM
            return (
                f"{self.number(n.coef) if n.coef > 0 else '(' + self.number(n.coef) + ')'}*{unit}",
                _PRODUCT,
            )
        above: list[str] = []
        below: list[str] = []
        for f, e in n.factors:
            (above if e > 0 else below).extend(self._factor(f, abs(e)))
        if abs(n.coef) != 1.0 or not above:
            above.insert(0, self.number(abs(n.coef)))
        body = _times(above)
        if below:
            body += "/" + (below[0] if len(below) == 1 else f"({_times(below)})")
        if n.coef < 0:
            return f"-({body})" if len(above) + len(below) > 1 else f"-{body}", _SUM
        return body, _PRODUCT

    def _factor(self, f: Expr, e: Number) -> list[str]:
        base = self._wrap(f, _ATOM)
        if isinstance(e, int) and e <= 4 and (e == 1 or f in self.names):
            return [base] * e
        if e == 0.5:
            return [self.call("sqrt", [self.lift(f, self._render(f)[0])])]
        if e == 1.5:
            root = self.call("sqrt", [self.lift(f, self._render(f)[0])])
            return [base, root]
        if isinstance(e, int) and e == 2:
            return [base, base]
        return [self.call("pow", [self.lift(f, self._render(f)[0]), self._lifted_number(float(e))])]

    def _lifted_number(self, value: float) -> str:
        from ..symbolic import const

        return self.lift(const(value), self.number(value))


def _join(pieces: list[tuple[bool, bool, str]]) -> str:
    """A sum of (negative, is a product, text)."""
    out = ""
    for negative, is_product, body in pieces:
        if not out:
            out = f"-({body})" if negative and is_product else ("-" if negative else "") + body
        else:
            out += (" - " if negative else " + ") + body
    return out


def _times(factors: list[str]) -> str:
    while len(factors) > LONGEST_CHAIN:
        factors = [f"({'*'.join(group)})" for group in _groups(factors)]
    return "*".join(factors)


def _groups(items: list[T]) -> list[list[T]]:
    return [items[i : i + LONGEST_CHAIN] for i in range(0, len(items), LONGEST_CHAIN)]


def statements(infix: Infix, block: Block, stores: Sequence[str], end: str = "") -> list[str]:
    """The assignments of a block in languages that write them alike, each closed by ``end``."""
    lines: list[str] = []
    for k, pair in enumerate(block.angles):
        angle = infix.text(pair.angle)
        for node, function, letter in ((pair.sine, "sin", "s"), (pair.cosine, "cos", "c")):
            if node is not None:
                lines.append(f"{letter}n{k} = {function}({angle}){end}")
                infix.names[node] = f"{letter}n{k}"
    for i, node in enumerate(block.steps):
        lines.append(f"t{i} = {infix.definition(node)}{end}")
        infix.names[node] = f"t{i}"
    lines += [f"{where} = {infix.text(node)}{end}" for where, node in zip(stores, block.results, strict=True)]
    return lines

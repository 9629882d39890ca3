"""Counting operations as they will be emitted: binary + - * /, and one for each function call.

A node that several others use counts once. A subtraction is an addition; a lone sign is absorbed where the node is
used in a sum and counts one elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .expr import Add, Expr, Func, Mul, Number, Scalar, as_expr
from .walk import topological


@dataclass(frozen=True)
class Operations:
    """How many operations a set of expressions takes."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0

    @property
    def total(self) -> int:
        """All operations together."""
        return self.additions + self.multiplications + self.divisions + self.functions

    def __add__(self, other: Operations) -> Operations:
        return Operations(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.divisions + other.divisions,
            self.functions + other.functions,
        )

    def __str__(self) -> str:
        return (
            f"{self.total} operations ({self.additions} +-, {self.multiplications} *, "
            f"{self.divisions} /, {self.functions} functions)"
        )


def count_operations(exprs: Iterable[Scalar]) -> Operations:
    """The operations that evaluating all of ``exprs`` together takes."""
    total = Operations()
    for n in topological(as_expr(e) for e in exprs):
        total += node_operations(n)
    return total


def node_operations(n: Expr) -> Operations:
    """The operations of one node, its children given."""
    if isinstance(n, Add):
        sizes = {abs(c) for _, c in n.terms}
        common = len(sizes) == 1 and (not n.const or abs(n.const) in sizes) and sizes != {1.0}
        scaled = 1 if common else sum(1 for _, c in n.terms if abs(c) != 1.0)
        return Operations(additions=len(n.terms) - (0 if n.const else 1), multiplications=scaled)
    if isinstance(n, Mul):
        if type(n.unit) is not Mul or n.unit is not n:
            # a scaled unit: the product itself is counted at the unit node when somebody else uses it
            return _product(n.coef, n.factors)
        return _product(1.0, n.factors)
    if isinstance(n, Func):
        return Operations(functions=1)
    return Operations()


def _product(coef: float, factors: tuple[tuple[Expr, Number], ...]) -> Operations:
    above = below = multiplications = functions = divisions = 0
    for _, e in factors:
        size = abs(e)
        if isinstance(e, int):
            multiplications += _chain(int(size))
        elif (2 * size) == int(2 * size):
            functions += 1  # square root
            multiplications += _chain(int(size)) + (1 if size > 1 else 0)
        else:
            functions += 1
        if e > 0:
            above += 1
        else:
            below += 1
    if coef != 1.0:
        if above and abs(coef) == 1.0:
            multiplications += 1  # a lone sign
        else:
            above += 1
    multiplications += max(0, above - 1) + max(0, below - 1)
    divisions += 1 if below else 0
    return Operations(multiplications=multiplications, divisions=divisions, functions=functions)


def _chain(n: int) -> int:
    """Multiplications of x**n by repeated squaring."""
    return 0 if n < 2 else n.bit_length() - 1 + bin(n).count("1") - 1

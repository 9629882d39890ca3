"""Counting operations as they are emitted, one statement for each node that the results need.

=====================  ===============================================================================
node                   operations
=====================  ===============================================================================
sum of n summands      n - 1 additions (a subtraction is one); a multiplication for each coefficient
                       other than ±1, or a single one when all have the same size: ``2*(a - b)``;
                       a negation when nothing in it is positive: ``-a - b``
product                factors above the line, less one, are multiplications, so are those below it;
                       a division when there are factors below
power                  ``x**n`` by repeated squaring, ``x**1.5`` as x times a square root (a function
                       call), other exponents a function call
coefficient            a multiplication (negation for -1), or the numerator ``2/x`` when nothing else is
scaled product         only its coefficient when the product itself is computed anyway
function, condition    one call each
symbol, number, share  nothing
=====================  ===============================================================================
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import astuple, dataclass

from .expr import Add, Expr, Factors, Func, Mul, Scalar, as_expr
from .walk import topological


@dataclass(frozen=True)
class Operations:
    """How many operations a set of expressions takes."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0
    negations: int = 0

    @property
    def total(self) -> int:
        """All operations together."""
        return self.additions + self.multiplications + self.divisions + self.functions + self.negations

    def __add__(self, other: Operations) -> Operations:
        return Operations(*[a + b for a, b in zip(astuple(self), astuple(other), strict=True)])

    def __str__(self) -> str:
        signs = f", {self.negations} negations" if self.negations else ""
        return (
            f"{self.total} operations ({self.additions} +-, {self.multiplications} *, "
            f"{self.divisions} /, {self.functions} functions{signs})"
        )


def count_operations(exprs: Iterable[Scalar]) -> Operations:
    """The operations that evaluating all of ``exprs`` takes; what several of them use counts once."""
    nodes = topological(as_expr(e) for e in exprs)
    present = set(nodes)
    additions = multiplications = divisions = functions = negations = 0
    for n in nodes:
        if type(n) is Add or type(n) is Mul or type(n) is Func:
            own = node_operations(n, present)
            additions += own.additions
            multiplications += own.multiplications
            divisions += own.divisions
            functions += own.functions
            negations += own.negations
    return Operations(additions, multiplications, divisions, functions, negations)


def node_operations(n: Expr, present: Container[Expr] = ()) -> Operations:
    """The operations of one node; its children, and all nodes in ``present``, have been computed already."""
    if type(n) is Add:
        return _sum(n)
    if type(n) is Mul:
        if n.coef != 1.0 and (type(n.unit) is not Mul or n.unit in present):
            return Operations(negations=1) if n.coef == -1.0 else Operations(multiplications=1)
        return _product(n.coef, n.factors)
    if type(n) is Func:
        return Operations(functions=1)
    return Operations()


def _sum(n: Add) -> Operations:
    numbers = [c for _, c in n.terms] + ([n.const] if n.const else [])
    sizes = {abs(c) for c in numbers}
    if len(sizes) == 1 and sizes != {1.0}:
        scaled = 1
    else:
        scaled = sum([abs(c) != 1.0 for _, c in n.terms])
    # a lone sign goes into a coefficient or a constant, if there is one
    lone = not scaled and not n.const and max(numbers) < 0.0
    return Operations(additions=len(numbers) - 1, multiplications=scaled, negations=int(lone))


def _product(coef: float, factors: Factors) -> Operations:
    above = below = multiplications = functions = negations = 0
    for _, e in factors:
        size = abs(e)
        whole = int(size)
        multiplications += _chain(whole)
        if size != whole:
            functions += 1
            if size - whole == 0.5:
                multiplications += 1 if whole else 0
            else:
                multiplications -= _chain(whole)
        if e > 0:
            above += 1
        else:
            below += 1
    if coef == -1.0 and above:
        negations = 1
    elif coef != 1.0:
        above += 1
    multiplications += max(0, above - 1) + max(0, below - 1)
    return Operations(0, multiplications, 1 if below else 0, functions, negations)


def _chain(n: int) -> int:
    """Multiplications of x**n by repeated squaring."""
    return 0 if n < 2 else n.bit_length() - 1 + bin(n).count("1") - 1

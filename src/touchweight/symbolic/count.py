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


#: the fields of :class:`Operations`, in order
_Counts = tuple[int, int, int, int, int]


def count_operations(exprs: Iterable[Scalar]) -> Operations:
    """The operations that evaluating all of ``exprs`` takes; what several of them use counts once."""
    nodes = topological(as_expr(e) for e in exprs)
    present = set(nodes)
    counts = [_counts(n, present) for n in nodes]
    return Operations(*[sum([c[i] for c in counts]) for i in range(5)])


def node_operations(n: Expr, present: Container[Expr] = ()) -> Operations:
    """The operations of one node; its children, and all nodes in ``present``, have been computed already."""
    return Operations(*_counts(n, present))


def _counts(n: Expr, present: Container[Expr]) -> _Counts:
    if type(n) is Add:
        return _sum(n)
    if type(n) is Mul:
        if n.coef != 1.0 and (type(n.unit) is not Mul or n.unit in present):
            return (0, 0, 0, 0, 1) if n.coef == -1.0 else (0, 1, 0, 0, 0)
        return _product(n.coef, n.factors)
    return (0, 0, 0, 1, 0) if type(n) is Func else (0, 0, 0, 0, 0)


def _sum(n: Add) -> _Counts:
    numbers = [c for _, c in n.terms]
    if n.const:
        numbers.append(n.const)
    scaled = sum([abs(c) != 1.0 for _, c in n.terms])
    if scaled and len({abs(c) for c in numbers}) == 1:
        scaled = 1
    # a lone sign goes into a coefficient or a constant, if there is one
    lone = not scaled and not n.const and max(numbers) < 0.0
    return len(numbers) - 1, scaled, 0, 0, int(lone)


def _product(coef: float, factors: Factors) -> _Counts:
    above = below = multiplications = functions = negations = 0
    for _, e in factors:
        if e > 0:
            above += 1
        else:
            below += 1
        if e != 1 and e != -1:
            whole = int(abs(e))
            if abs(e) == whole:
                multiplications += _chain(whole)
            else:
                functions += 1
                if abs(e) - whole == 0.5 and whole:
                    multiplications += _chain(whole) + 1
    if coef == -1.0 and above:
        negations = 1
    elif coef != 1.0:
        above += 1
    multiplications += max(0, above - 1) + max(0, below - 1)
    return 0, multiplications, 1 if below else 0, functions, negations


def _chain(n: int) -> int:
    """Multiplications of x**n by repeated squaring."""
    return 0 if n < 2 else n.bit_length() - 1 + bin(n).count("1") - 1

"""The expression graph: interned nodes that simplify as they are built.

Every expression is one of six kinds of node:

=========  =====================================================  =========================
node       meaning                                                stored as
=========  =====================================================  =========================
Const      a number                                               ``value``
Symbol     a name                                                 ``name``, ``kind``
Add        a constant plus a sum of coefficient x node            ``const``, ``terms``
Mul        a coefficient times a product of node ** exponent      ``coef``, ``factors``
Func       a function of nodes (sin, atan2, select, ...)          ``name``, ``args``
Shared     a named intermediate: sums stop flattening here        ``inner``
=========  =====================================================  =========================

Nodes are interned: building the same thing twice gives the same object, so equality is identity and common
sub-expressions cost nothing. Sums and products are flat, sorted by the multibody priority rule (Docquier et
al. 2021, eq. 14: masses, lengths, forces, coordinates, sines and cosines, products, sums), and like terms
meet in a dictionary; that is how zeros, ones and opposite terms vanish at construction.

Nothing is ever expanded. A recursion should :func:`share` each of its results: a shared node is an opaque
atom for the sums and products built on top of it, which keeps common partial sums common.

The rules hold for real numbers wherever the expression as written has a value: ``sqrt(x)**2`` becomes ``x``
but ``sqrt(x**2)`` stays, for it is ``-x`` where x is negative.
"""

from __future__ import annotations

import gc
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, ClassVar, Union, final

Number = int | float
Scalar = Union["Expr", int, float]
#: what sums and products are sorted by: a letter of :data:`PRIORITY`, then a name or a structural digest
Key = tuple[str, Any]
Terms = tuple[tuple["Expr", float], ...]
Factors = tuple[tuple["Expr", Number], ...]

#: multibody priority rule (eq. 14): the first letter of a node's sorting key
PRIORITY: Mapping[str, str] = {
    "mass": "a",
    "length": "b",
    "parameter": "c",
    "force": "d",
    "coordinate": "e",
    "trig": "f",
    "func": "g",
    "product": "h",
    "sum": "i",
    "shared": "j",
}

#: the kinds a symbol may have, with the priority class each belongs to
SYMBOL_KINDS: Mapping[str, str] = {
    "mass": "mass",
    "length": "length",
    "parameter": "parameter",
    "force": "force",
    "input": "force",
    "coordinate": "coordinate",
    "speed": "coordinate",
    "acceleration": "coordinate",
    "state": "coordinate",
    "time": "coordinate",
    "local": "coordinate",
}

_DIGITS = re.compile(r"\d+")
_PI = math.pi


class Expr:
    """A node of the expression graph. Build with operators and the functions of this package, never directly.

    A child's ``serial`` is always smaller than its parent's, so sorting by it is a topological order.
    ``digest`` is a hash of the structure, the same in every process.
    """

    __slots__ = ("digest", "key", "serial")
    digest: int
    key: Key
    serial: int

    #: whether products take this node as it is (neither a number, a sum nor a product)
    atom: ClassVar[bool] = True
    #: how a sum has to treat this node: 0 or 1 (has a sine or cosine) as it is; from 2 on it may condense,
    #: flatten or fold
    trig: int = 0

    # -- arithmetic -------------------------------------------------------------------------------------
    def __add__(self, other: Scalar) -> Expr:
        if isinstance(other, Expr):
            return _add2(self, other, 1.0)
        return _add2(self, const(other), 1.0) if _is_number(other) else NotImplemented

    def __radd__(self, other: Scalar) -> Expr:
        return _add2(const(float(other)), self, 1.0) if _is_number(other) else NotImplemented

    def __sub__(self, other: Scalar) -> Expr:
        if isinstance(other, Expr):
            return _add2(self, other, -1.0)
        return _add2(self, const(-float(other)), 1.0) if _is_number(other) else NotImplemented

    def __rsub__(self, other: Scalar) -> Expr:
        return _add2(const(float(other)), self, -1.0) if _is_number(other) else NotImplemented

    def __mul__(self, other: Scalar) -> Expr:
        if isinstance(other, Expr):
            return _mul2(self, other)
        return _scale(self, float(other)) if _is_number(other) else NotImplemented

    def __rmul__(self, other: Scalar) -> Expr:
        return _scale(self, float(other)) if _is_number(other) else NotImplemented

    def __truediv__(self, other: Scalar) -> Expr:
        return _divide(self, as_expr(other)) if _is_scalar(other) else NotImplemented

    def __rtruediv__(self, other: Scalar) -> Expr:
        return _divide(as_expr(other), self) if _is_scalar(other) else NotImplemented

    def __pow__(self, exponent: Scalar) -> Expr:
        return power(self, exponent) if _is_scalar(exponent) else NotImplemented

    def __rpow__(self, base: Scalar) -> Expr:
        return power(as_expr(base), self) if _is_scalar(base) else NotImplemented

    def __neg__(self) -> Expr:
        return _negate(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        from .functions import absolute

        return absolute(self)

    # -- comparison: builds a condition for `select`; equality of nodes is identity ----------------------
    def __lt__(self, other: Scalar) -> Expr:
        from .functions import less

        return less(self, other)

    def __le__(self, other: Scalar) -> Expr:
        from .functions import less_equal

        return less_equal(self, other)

    def __gt__(self, other: Scalar) -> Expr:
        from .functions import less

        return less(other, self)

    def __ge__(self, other: Scalar) -> Expr:
        from .functions import less_equal

        return less_equal(other, self)

    def __bool__(self) -> bool:
        raise TypeError(
            f"expected a plain True or False, found the expression {_brief(self)}, whose truth is only known "
            "at run time; use select(condition, then, otherwise), minimum or maximum instead of if, and, or"
        )

    def __float__(self) -> float:
        shown = _brief(self)
        raise TypeError(f"expected a number, found the expression {shown}; use evaluate(expr, values) first")

    # -- identity: a node is its own copy, and pickles to the node of the same structure ------------------
    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: Any) -> Expr:
        return self

    # -- reading ------------------------------------------------------------------------------------------
    @property
    def children(self) -> tuple[Expr, ...]:
        """The nodes this one is built from."""
        return ()

    def __repr__(self) -> str:
        return _brief(self, 400)

    def __str__(self) -> str:
        from .printing import text

        return text(self)

    def _repr_latex_(self) -> str:
        from .printing import latex

        return f"$\\displaystyle {latex(self)}$"


@final
class Const(Expr):
    """A number."""

    __slots__ = ("value",)
    value: float
    atom = False
    trig = 3

    def __float__(self) -> float:
        return self.value

    def __bool__(self) -> bool:
        return self.value != 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return const, (self.value,)


@final
class Symbol(Expr):
    """A name, with the kind that gives its place in the priority rule."""

    __slots__ = ("kind", "name")
    name: str
    kind: str

    def __reduce__(self) -> tuple[Any, ...]:
        return symbol, (self.name, self.kind)


@final
class Add(Expr):
    """``const + sum(coef * node)``; terms sorted by key, no coefficient zero, at least two summands."""

    __slots__ = ("const", "terms")
    const: float
    terms: Terms
    atom = False
    trig = 3

    @property
    def children(self) -> tuple[Expr, ...]:
        """The terms without their coefficients."""
        return tuple([n for n, _ in self.terms])

    def __reduce__(self) -> tuple[Any, ...]:
        return _intern_add, (self.terms, self.const)


@final
class Mul(Expr):
    """``coef * product(node ** exponent)``; factors sorted by key; ``unit`` is it with coefficient one."""

    __slots__ = ("_unit", "coef", "factors", "trig")
    coef: float
    factors: Factors
    trig: int
    _unit: Expr | None  # None for the node itself, so that no node is part of a cycle
    atom = False

    @property
    def unit(self) -> Expr:
        """The same without the coefficient: this node, another product, or an atom."""
        return self if self._unit is None else self._unit

    @property
    def children(self) -> tuple[Expr, ...]:
        """The factors without their exponents."""
        return tuple([n for n, _ in self.factors])

    def __reduce__(self) -> tuple[Any, ...]:
        return _intern_mul, (self.coef, self.factors)


@final
class Func(Expr):
    """A function of nodes: ``sin``, ``cos``, ``pow`` with a symbolic exponent, ``select``, ``less``, ..."""

    __slots__ = ("args", "name", "trig")
    name: str
    args: tuple[Expr, ...]
    trig: int

    @property
    def children(self) -> tuple[Expr, ...]:
        """The arguments."""
        return self.args

    def __reduce__(self) -> tuple[Any, ...]:
        return intern_func, (self.name, self.args)


@final
class Shared(Expr):
    """A named intermediate result: transparent in value, opaque to flattening."""

    __slots__ = ("inner",)
    inner: Expr

    @property
    def children(self) -> tuple[Expr, ...]:
        """The inner node."""
        return (self.inner,)

    def __reduce__(self) -> tuple[Any, ...]:
        return _shared, (self.inner,)


# --------------------------------------------------------------------------------------------------------
# interning
# --------------------------------------------------------------------------------------------------------
# What a composite node is found by in the table (no two kinds of node share a form):
#   Add       (constant, terms), or (node, coef, node, coef) for two terms without a constant
#   Mul       factors, or (node, node) for two plain factors; (unit, coef) when scaled
#   Func      (name, *args)
#   Shared    its inner node
_table: dict[Any, Any] = {}
_symbols: dict[tuple[str, str], Symbol] = {}
_consts: dict[float, Const] = {}
_next_serial = count(1).__next__


@contextmanager
def fresh_table() -> Iterator[None]:
    """Intern into a table of its own and forget it afterwards, so that large derivations don't pile up.

    Python's collector of cyclic garbage rests meanwhile: nodes form no cycles, and looking for some among
    many new nodes takes as long as making them.
    """
    global _table
    outer = _table
    collecting = gc.isenabled()
    _table = {}
    gc.disable()
    try:
        yield
    finally:
        _table = outer
        if collecting:
            gc.enable()


def table_size() -> int:
    """How many composite nodes the current table holds."""
    return len(_table)


def _digest(tag: int, numbers: Iterable[Number]) -> int:
    """A hash of the structure; unlike that of strings, the hash of numbers is the same in every process.

    Coefficients and exponents go in times pi: Python hashes -1 and -2 alike.
    """
    return hash((tag, *numbers))


def _text_digest(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest, "big")


def const(value: Number) -> Const:
    """The node of a number."""
    v = float(value)
    found = _consts.get(v)
    if found is not None:
        return found
    if v != v:
        raise ValueError("expected a number in an expression, found NaN")
    node = Const()
    node.value = v + 0.0  # no negative zero
    node.serial = _next_serial()
    node.digest = hash((7, v * _PI))
    node.key = ("", v)
    if len(_consts) < 200_000:
        _consts[v] = node
    return node


def symbol(name: str, kind: str = "parameter") -> Symbol:
    """The symbol called ``name``; ``kind`` is one of :data:`SYMBOL_KINDS` and fixes its priority."""
    found = _symbols.get((name, kind))
    if found is not None:
        return found
    if kind not in SYMBOL_KINDS:
        raise ValueError(f"expected a symbol kind among {', '.join(SYMBOL_KINDS)}, found {kind!r}")
    if not isinstance(name, str) or not name:
        raise ValueError(f"expected a non-empty name for a symbol, found {name!r}")
    node = Symbol()
    node.name = name
    node.kind = kind
    node.serial = _next_serial()
    node.digest = _text_digest(f"{kind}:{name}")
    natural = _DIGITS.sub(lambda d: d.group().zfill(6), name)  # q2 before q10
    node.key = (PRIORITY[SYMBOL_KINDS[kind]], f"{natural}\0{name}\0{kind}")
    _symbols[(name, kind)] = node
    return node


def symbols(names: str | Sequence[str], kind: str = "parameter") -> tuple[Symbol, ...]:
    """Several symbols at once: ``x, y = symbols("x y")``."""
    parts = names.replace(",", " ").split() if isinstance(names, str) else names
    return tuple(symbol(n, kind) for n in parts)


ZERO = const(0.0)
ONE = const(1.0)


def _is_number(value: object) -> bool:
    """Whether ``value`` is one real number: int, float, NumPy scalar, Fraction, ...; no text, no array."""
    if isinstance(value, (float, int)):
        return True
    return hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0 and not isinstance(value, Expr)


def _is_scalar(value: object) -> bool:
    return isinstance(value, Expr) or _is_number(value)


def as_expr(value: Scalar) -> Expr:
    """``value`` as an expression: numbers become constants, expressions stay."""
    if isinstance(value, Expr):
        return value
    if not _is_number(value):
        raise TypeError(f"expected a number or an expression, found {type(value).__name__}")
    return const(value)


# --------------------------------------------------------------------------------------------------------
# sums
# --------------------------------------------------------------------------------------------------------
def _add2(a: Expr, b: Expr, sign: float) -> Expr:
    """``a + sign * b`` for a sign of +1 or -1."""
    if a.trig > 1 or b.trig > 1:
        if b is ZERO:
            return a
        if a is ZERO:
            return b if sign > 0.0 else _negate(b)
        acc: dict[Expr, float] = {}
        constant = _collect(acc, a, 1.0)
        constant += _collect(acc, b, sign)
        return make_sum(acc, constant)
    # two terms that are neither sums nor numbers
    ca = 1.0
    if type(a) is Mul and a._unit is not None:
        ca = a.coef
        a = a._unit
    if type(b) is Mul and b._unit is not None:
        sign *= b.coef
        b = b._unit
    if a is b:
        return _scale(a, ca + sign)
    if a.key < b.key:
        return _intern_pair(a, ca, b, sign)
    return _intern_pair(b, sign, a, ca)


def _collect(acc: dict[Expr, float], x: Expr, scale: float) -> float:
    """Add ``scale * x`` to the terms in ``acc``; returns the constant part."""
    if type(x) is Add:
        for n, c in x.terms:
            acc[n] = acc.get(n, 0.0) + scale * c
        return scale * x.const
    if type(x) is Const:
        return scale * x.value
    if type(x) is Mul and x._unit is not None:
        scale *= x.coef
        x = x._unit
    acc[x] = acc.get(x, 0.0) + scale
    return 0.0


def add(*items: Scalar) -> Expr:
    """The sum of all items."""
    return total(items)


def total(items: Iterable[Scalar]) -> Expr:
    """The sum of an iterable, collected in one go."""
    acc: dict[Expr, float] = {}
    constant = 0.0
    for item in items:
        if item is not ZERO:
            constant += _collect(acc, item if isinstance(item, Expr) else as_expr(item), 1.0)
    return make_sum(acc, constant)


def _term_key(term: tuple[Expr, Any]) -> Key:
    return term[0].key


def make_sum(acc: dict[Expr, float], constant: float) -> Expr:
    """The canonical node of ``constant + sum(coef * node)``; ``acc`` is consumed."""
    if 0.0 in acc.values():
        acc = {n: c for n, c in acc.items() if c != 0.0}
    for n in acc:
        if n.trig > 1:
            from .trig import condense_terms

            acc = dict(sorted(acc.items(), key=_term_key))
            constant = condense_terms(acc, constant)
            break
    if not acc:
        return const(constant)
    terms = list(acc.items())
    if len(terms) == 1:
        if constant == 0.0:
            return _scale(*terms[0])
    else:
        terms.sort(key=_term_key)
    return _intern_add(tuple(terms), constant)


def _intern_add(terms: Terms, constant: float) -> Expr:
    if constant == 0.0 and len(terms) == 2:
        (a, ca), (b, cb) = terms
        return _intern_pair(a, ca, b, cb)
    where = (constant, terms)
    found: Expr | None = _table.get(where)
    if found is not None:
        return found
    node = Add()
    node.const = constant
    node.terms = terms
    node.serial = _next_serial()
    node.digest = digest = _digest(11, [constant * _PI, *[x for n, c in terms for x in (n.digest, c * _PI)]])
    node.key = ("i", digest)
    _table[where] = node
    return node


def _intern_pair(a: Expr, ca: float, b: Expr, cb: float) -> Expr:
    """``ca * a + cb * b``, a before b: most sums of a recursion are of this kind."""
    where = (a, ca, b, cb)
    found: Expr | None = _table.get(where)
    if found is not None:
        return found
    node = Add()
    node.const = 0.0
    node.terms = ((a, ca), (b, cb))
    node.serial = _next_serial()
    node.digest = digest = hash((11, 0.0, a.digest, ca * _PI, b.digest, cb * _PI))
    node.key = ("i", digest)
    _table[where] = node
    return node


def _negate(x: Expr) -> Expr:
    return _scale(x, -1.0)


def leading_sign(x: Expr) -> float:
    """-1 when the first coefficient of ``x`` is negative, else +1: it makes x and -x one node and a sign."""
    lead = 1.0
    if type(x) is Add:
        lead = x.terms[0][1]
    elif type(x) is Mul:
        lead = x.coef
    elif type(x) is Const:
        lead = x.value
    return -1.0 if lead < 0.0 else 1.0


# --------------------------------------------------------------------------------------------------------
# products
# --------------------------------------------------------------------------------------------------------
def _scale(x: Expr, c: float) -> Expr:
    """``c * x`` for a number c."""
    if c == 1.0:
        return x
    if c == 0.0:
        return ZERO
    if type(x) is Const:
        return const(c * x.value)
    if type(x) is Add:
        terms = tuple([(n, c * k) for n, k in x.terms])
        if 0.0 in [k for _, k in terms]:  # a coefficient too small for a double
            return make_sum(dict(terms), c * x.const)
        return _intern_add(terms, c * x.const)
    if type(x) is Mul and x._unit is not None:
        c *= x.coef
        x = x._unit
        if c == 1.0:
            return x
        if c == 0.0:
            return ZERO
    return _scaled(x, c)


def _scaled(unit: Expr, coef: float) -> Expr:
    """``coef * unit``: an atom or a product with coefficient one, times a number that is neither 0 nor 1."""
    where = (unit, coef)
    found: Expr | None = _table.get(where)
    if found is not None:
        return found
    node = Mul()
    node.coef = coef
    node._unit = unit
    node.factors = unit.factors if type(unit) is Mul else ((unit, 1),)
    node.trig = unit.trig
    node.serial = _next_serial()
    node.digest = digest = hash((12, unit.digest, coef * _PI))
    node.key = ("h", digest)
    _table[where] = node
    return node


def _mul2(a: Expr, b: Expr) -> Expr:
    coef = 1.0
    if type(a) is Mul and a._unit is not None:
        coef = a.coef
        a = a._unit
    if type(b) is Mul and b._unit is not None:
        coef *= b.coef
        b = b._unit
    if a.atom and b.atom:
        if a is b:
            unit = _intern_mul(1.0, ((a, 2),))
        elif a.key < b.key:
            unit = _intern_two(a, b)
        else:
            unit = _intern_two(b, a)
        return unit if coef == 1.0 else _scale(unit, coef)
    if type(a) is Const:
        return _scale(b, coef * a.value)
    if type(b) is Const:
        return _scale(a, coef * b.value)
    acc: dict[Expr, Number] = {}
    coef *= _gather(acc, a, 1)
    coef *= _gather(acc, b, 1)
    return make_product(acc, coef)


def _divide(a: Expr, b: Expr) -> Expr:
    if type(b) is Const and b.value:
        if type(a) is Const:
            return const(a.value / b.value)
        if type(a) is Mul:
            return _scale(a.unit, a.coef / b.value)
        return _scale(a, 1.0 / b.value)
    acc: dict[Expr, Number] = {}
    coef = _gather(acc, b, -1)
    coef *= _gather(acc, a, 1)
    return make_product(acc, coef)


def mul(*items: Scalar) -> Expr:
    """The product of all items."""
    acc: dict[Expr, Number] = {}
    coef = 1.0
    for item in items:
        coef *= _gather(acc, item if isinstance(item, Expr) else as_expr(item), 1)
    return make_product(acc, coef)


def _gather(acc: dict[Expr, Number], x: Expr, exponent: int) -> float:
    """Multiply the factors in ``acc`` by ``x ** exponent``; returns the numeric part."""
    if type(x) is Const:
        return _number_power(x.value, exponent)
    if type(x) is Mul:
        for n, e in x.factors:
            acc[n] = acc.get(n, 0) + e * exponent
        return _number_power(x.coef, exponent)
    coef = 1.0
    if type(x) is Add:
        content = _content(x)
        if content != 1.0:
            x = _without_content(x, content)
            coef = _number_power(content, exponent)
    acc[x] = acc.get(x, 0) + exponent
    return coef


def _content(x: Add) -> float:
    """The number that leaves a sum in a product: the size that all coefficients share, sign of the first.

    So 2 a - 2 b, b - a and a - b are one factor.
    """
    lead = x.terms[0][1]
    size = abs(lead)
    if size == 1.0 or ((not x.const or abs(x.const) == size) and {abs(c) for _, c in x.terms} == {size}):
        return lead
    return 1.0 if lead > 0.0 else -1.0


def _without_content(x: Add, content: float) -> Expr:
    if abs(content) == 1.0:
        return _scale(x, content)
    terms = tuple([(n, math.copysign(1.0, c * content)) for n, c in x.terms])
    return _intern_add(terms, math.copysign(1.0, x.const * content) if x.const else 0.0)


def _number_power(value: float, exponent: Number) -> float:
    if exponent == 1 or value == 1.0:
        return value
    if value == 0.0 and exponent < 0:
        raise ZeroDivisionError("expected a non-zero divisor in an expression, found 0")
    try:
        result = value**exponent
    except OverflowError:
        raise ValueError(f"expected a number that fits a double, found {value!r} ** {exponent!r}") from None
    if isinstance(result, complex):
        raise ValueError(f"expected a non-negative base, found {value!r} ** {exponent!r}")
    return float(result)


def make_product(acc: dict[Expr, Number], coef: float) -> Expr:
    """The canonical node of ``coef * product(node ** exponent)``; ``acc`` is consumed."""
    if coef == 0.0:
        return ZERO
    for n, e in acc.items():
        if e == 0 or (type(e) is float and e.is_integer()) or (type(n) is Mul and type(e) is int):
            return _make_merged_product(acc, coef)
    factors = list(acc.items())
    if len(factors) == 1:
        n, e = factors[0]
        if e == 1:
            return _scale(n, coef)
    elif not factors:
        return const(coef)
    else:
        factors.sort(key=_term_key)
    return _intern_mul(coef, tuple(factors))


def _make_merged_product(acc: dict[Expr, Number], coef: float) -> Expr:
    """As :func:`make_product` when exponents met: x / x vanishes, sqrt(x y) sqrt(x y) is a product again."""
    again: dict[Expr, Number] = {}
    for n, e in acc.items():
        if e == int(e):
            coef *= _gather(again, n, int(e)) if e else 1.0
        else:
            again[n] = again.get(n, 0) + e
    return make_product(again, coef)


def _intern_mul(coef: float, factors: Factors) -> Expr:
    if coef != 1.0:
        if len(factors) == 1 and factors[0][1] == 1:
            return _scaled(factors[0][0], coef)
        return _scaled(_intern_mul(1.0, factors), coef)
    if len(factors) == 2 and factors[0][1] == 1 and factors[1][1] == 1:
        return _intern_two(factors[0][0], factors[1][0])
    found: Expr | None = _table.get(factors)
    if found is not None:
        return found
    node = Mul()
    node.coef = 1.0
    node._unit = None
    node.factors = factors
    node.trig = sum([2 if e != 1 else 1 for n, e in factors if n.trig == 1])
    node.serial = _next_serial()
    node.digest = digest = _digest(13, [x for n, e in factors for x in (n.digest, e * _PI)])
    node.key = ("h", digest)
    _table[factors] = node
    return node


def _intern_two(a: Expr, b: Expr) -> Expr:
    """``a * b``, a before b: most products of a recursion are of this kind."""
    where = (a, b)
    found: Expr | None = _table.get(where)
    if found is not None:
        return found
    node = Mul()
    node.coef = 1.0
    node._unit = None
    node.factors = ((a, 1), (b, 1))
    node.trig = (a.trig == 1) + (b.trig == 1)
    node.serial = _next_serial()
    node.digest = digest = hash((13, a.digest, _PI, b.digest, _PI))
    node.key = ("h", digest)
    _table[where] = node
    return node


def power(base: Scalar, exponent: Scalar) -> Expr:
    """``base ** exponent``; a symbolic exponent becomes the function ``pow``."""
    b = as_expr(base)
    y = as_expr(exponent)
    if type(y) is not Const:
        return ONE if b is ONE else intern_func("pow", (b, y))
    e: Number = int(y.value) if y.value.is_integer() else y.value
    if math.isinf(e):
        raise ValueError("expected a finite exponent in an expression, found infinity")
    if e == 0:
        return ONE
    if e == 1:
        return b
    if type(b) is Const:
        return const(_number_power(b.value, e))
    acc: dict[Expr, Number] = {}
    if isinstance(e, int):
        coef = _gather(acc, b, e)
        return make_product(acc, coef)
    if type(b) is Mul and b.coef > 0 and len(b.factors) == 1 and isinstance(b.factors[0][1], float):
        n, inner = b.factors[0]  # (x ** 1.5) ** 0.5: x is non-negative already
        return make_product({n: inner * e}, _number_power(b.coef, e))
    return make_product({b: e}, 1.0)


# --------------------------------------------------------------------------------------------------------
# named intermediates, functions
# --------------------------------------------------------------------------------------------------------
def share(x: Expr) -> Expr:
    """``x`` as a named intermediate, kept whole by all that is built on it; atoms and signed atoms stay."""
    if type(x) is Add:
        if x.terms[0][1] < 0.0:
            return _scaled(_shared(_negate(x)), -1.0)
        return _shared(x)
    if type(x) is Mul:
        unit = x._unit
        if unit is None:
            return _shared(x)
        return _scaled(_shared(unit), x.coef) if type(unit) is Mul else x
    return x


def _shared(x: Expr) -> Expr:
    found: Expr | None = _table.get(x)
    if found is not None:
        return found
    node = Shared()
    node.inner = x
    node.serial = _next_serial()
    node.digest = digest = hash((17, x.digest))
    node.key = ("j", digest)
    _table[x] = node
    return node


def intern_func(name: str, args: tuple[Expr, ...]) -> Expr:
    """The node of a function application; simplification is the business of :mod:`.functions`."""
    where = (name, *args)
    found: Expr | None = _table.get(where)
    if found is not None:
        return found
    node = Func()
    node.name = name
    node.args = args
    node.serial = _next_serial()
    node.digest = digest = _digest(19, [_text_digest(name), *[a.digest for a in args]])
    if name in ("sin", "cos"):
        node.trig = 1
        node.key = ("f", f"{_angle_key(args[0])}.{name}{digest:x}")
    else:
        node.trig = 0
        node.key = ("g", f"{name}{digest:x}")
    _table[where] = node
    return node


def _angle_key(angle: Expr) -> str:
    """Sines and cosines sort by the names in their angle: S1, C1, S12, C2."""
    terms = angle.terms[:8] if type(angle) is Add else ((angle, 1.0),)
    return "+".join([f"{str(n.key[1])[:80]}*{c}" for n, c in terms])


def _brief(x: Expr, limit: int = 80) -> str:
    from .printing import text

    return text(x, limit=limit)

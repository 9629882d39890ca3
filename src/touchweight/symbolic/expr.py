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
al. 2021, eq. 14: masses, lengths, forces, coordinates, sines and cosines, products, sums), and like terms meet
in a dictionary; that is how zeros, ones and opposite terms vanish at construction.

Nothing is ever expanded. A recursion should :func:`share` each of its results: a shared node is an opaque atom
for the sums and products built on top of it, which keeps common partial sums common.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Union

Number = Union[int, float]
Scalar = Union["Expr", int, float]

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


class Expr:
    """A node of the expression graph. Build with operators and the functions of this package, never directly."""

    __slots__ = ("digest", "key", "serial")

    #: counts nodes; a child's serial is always smaller than its parent's, so sorting by it is a topological order
    _count: ClassVar[int] = 0

    digest: int
    key: str
    serial: int

    # -- arithmetic -------------------------------------------------------------------------------------
    def __add__(self, other: Scalar) -> Expr:
        return _add2(self, other if isinstance(other, Expr) else as_expr(other))

    def __radd__(self, other: Scalar) -> Expr:
        return _add2(as_expr(other), self)

    def __sub__(self, other: Scalar) -> Expr:
        return _add2(self, _negate(other if isinstance(other, Expr) else as_expr(other)))

    def __rsub__(self, other: Scalar) -> Expr:
        return _add2(as_expr(other), _negate(self))

    def __mul__(self, other: Scalar) -> Expr:
        return _mul2(self, other if isinstance(other, Expr) else as_expr(other))

    def __rmul__(self, other: Scalar) -> Expr:
        return _mul2(as_expr(other), self)

    def __truediv__(self, other: Scalar) -> Expr:
        return _mul2(self, power(as_expr(other), -1))

    def __rtruediv__(self, other: Scalar) -> Expr:
        return _mul2(as_expr(other), power(self, -1))

    def __pow__(self, exponent: Scalar) -> Expr:
        return power(self, exponent)

    def __rpow__(self, base: Scalar) -> Expr:
        return power(as_expr(base), self)

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
            f"expected a plain True or False, found the expression {_brief(self)}, whose truth is only known at run "
            "time; use select(condition, then, otherwise), minimum or maximum instead of if, and, or"
        )

    def __float__(self) -> float:
        raise TypeError(f"expected a number, found the expression {_brief(self)}; use evaluate(expr, values) first")

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


class Const(Expr):
    """A number."""

    __slots__ = ("value",)
    value: float

    def __float__(self) -> float:
        return self.value

    def __bool__(self) -> bool:
        return self.value != 0.0


class Symbol(Expr):
    """A name, with the kind that gives its place in the priority rule."""

    __slots__ = ("kind", "name")
    name: str
    kind: str


class Add(Expr):
    """``const + sum(coef * node)``; terms sorted by key, no coefficient zero, at least two summands."""

    __slots__ = ("const", "terms")
    const: float
    terms: tuple[tuple[Expr, float], ...]

    @property
    def children(self) -> tuple[Expr, ...]:
        return tuple(n for n, _ in self.terms)


class Mul(Expr):
    """``coef * product(node ** exponent)``; factors sorted by key. ``unit`` is the same with coefficient one."""

    __slots__ = ("coef", "factors", "unit")
    coef: float
    factors: tuple[tuple[Expr, Number], ...]
    unit: Expr

    @property
    def children(self) -> tuple[Expr, ...]:
        return tuple(n for n, _ in self.factors)


class Func(Expr):
    """A function of nodes: ``sin``, ``cos``, ``pow`` with a symbolic exponent, ``select``, ``less``, ..."""

    __slots__ = ("args", "name")
    name: str
    args: tuple[Expr, ...]

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.args


class Shared(Expr):
    """A named intermediate result: transparent in value, opaque to flattening."""

    __slots__ = ("inner",)
    inner: Expr

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.inner,)


# --------------------------------------------------------------------------------------------------------
# interning
# --------------------------------------------------------------------------------------------------------
_table: dict[Any, Expr] = {}
_symbols: dict[tuple[str, str], Symbol] = {}
_consts: dict[float, Const] = {}


@contextmanager
def fresh_table() -> Iterator[None]:
    """Intern into a table of its own and forget it afterwards, so that large derivations don't pile up."""
    global _table
    outer = _table
    _table = {}
    try:
        yield
    finally:
        _table = outer


def table_size() -> int:
    """How many composite nodes the current table holds."""
    return len(_table)


def _finish(node: Expr, key: str, digest: int) -> None:
    Expr._count += 1
    node.serial = Expr._count
    node.key = key
    node.digest = digest


def const(value: Number) -> Const:
    """The node of a number."""
    v = float(value)
    found = _consts.get(v)
    if found is not None:
        return found
    if v != v:
        raise ValueError("expected a finite number in an expression, found NaN")
    node = Const()
    node.value = v + 0.0  # no negative zero
    _finish(node, "", hash((7, v)))
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
    natural = _DIGITS.sub(lambda d: d.group().zfill(6), name)
    digest = int.from_bytes(hashlib.blake2b(f"{kind}:{name}".encode(), digest_size=7).digest(), "big")
    _finish(node, PRIORITY[SYMBOL_KINDS[kind]] + natural, digest)
    _symbols[(name, kind)] = node
    return node


ZERO = const(0.0)
ONE = const(1.0)
MINUS_ONE = const(-1.0)
TWO = const(2.0)


def as_expr(value: Scalar) -> Expr:
    """``value`` as an expression: numbers become constants, expressions stay."""
    if isinstance(value, Expr):
        return value
    try:
        return const(float(value))
    except TypeError:
        raise TypeError(f"expected a number or an expression, found {type(value).__name__}") from None


# --------------------------------------------------------------------------------------------------------
# sums
# --------------------------------------------------------------------------------------------------------
def _collect(acc: dict[Expr, float], x: Expr, scale: float) -> float:
    """Add ``scale * x`` to the terms in ``acc``; returns the constant part."""
    t = type(x)
    if t is Add:
        for n, c in x.terms:  # type: ignore[attr-defined]
            acc[n] = acc.get(n, 0.0) + scale * c
        return scale * x.const  # type: ignore[attr-defined,no-any-return]
    if t is Const:
        return scale * x.value  # type: ignore[attr-defined,no-any-return]
    if t is Mul and x.coef != 1.0:  # type: ignore[attr-defined]
        u: Expr = x.unit  # type: ignore[attr-defined]
        acc[u] = acc.get(u, 0.0) + scale * x.coef  # type: ignore[attr-defined]
        return 0.0
    acc[x] = acc.get(x, 0.0) + scale
    return 0.0


def _add2(a: Expr, b: Expr) -> Expr:
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    acc: dict[Expr, float] = {}
    constant = _collect(acc, a, 1.0) + _collect(acc, b, 1.0)
    return make_sum(acc, constant)


def add(*items: Scalar) -> Expr:
    """The sum of all items."""
    return total(items)


def total(items: Iterable[Scalar]) -> Expr:
    """The sum of an iterable, collected in one go."""
    acc: dict[Expr, float] = {}
    constant = 0.0
    for item in items:
        constant += _collect(acc, item if isinstance(item, Expr) else as_expr(item), 1.0)
    return make_sum(acc, constant)


def make_sum(acc: dict[Expr, float], constant: float) -> Expr:
    """The canonical node of ``constant + sum(coef * node)``; ``acc`` is consumed."""
    if len(acc) > 1:
        trig = 0
        for n in acc:
            if n.key[0] == "f" or (type(n) is Mul and _has_trig(n)):
                trig += 1
        if trig and (trig > 1 or constant or len(acc) > trig):
            from .trig import condense_terms

            constant = condense_terms(acc, constant)
    elif constant and acc:
        (n,) = acc
        if type(n) is Mul and _has_trig(n):
            from .trig import condense_terms

            constant = condense_terms(acc, constant)
    terms = [(n, c) for n, c in acc.items() if c != 0.0]
    if not terms:
        return const(constant)
    if len(terms) == 1 and constant == 0.0:
        n, c = terms[0]
        return n if c == 1.0 else _scale(n, c)
    if len(terms) > 1:
        terms.sort(key=_term_key)
    return _intern_add(tuple(terms), constant)


def _term_key(term: tuple[Expr, Any]) -> str:
    return term[0].key


def _intern_add(terms: tuple[tuple[Expr, float], ...], constant: float) -> Expr:
    where = (constant, terms)
    found = _table.get(where)
    if found is not None:
        return found
    node = Add()
    node.const = constant
    node.terms = terms
    digest = hash((11, constant, *[x for n, c in terms for x in (n.digest, c)]))
    _finish(node, f"i{digest & 0xFFFFFFFFFFFFFFFF:016x}", digest)
    _table[where] = node
    return node


def _negate(x: Expr) -> Expr:
    t = type(x)
    if t is Const:
        return const(-x.value)  # type: ignore[attr-defined]
    if t is Add:
        return _intern_add(tuple((n, -c) for n, c in x.terms), -x.const + 0.0)  # type: ignore[attr-defined]
    if t is Mul:
        return _scale(x.unit, -x.coef)  # type: ignore[attr-defined]
    return _scale(x, -1.0)


def leading_sign(x: Expr) -> float:
    """-1 when the first coefficient of ``x`` is negative, else +1: what makes x and -x one node and a sign."""
    t = type(x)
    if t is Add:
        return -1.0 if x.terms[0][1] < 0.0 else 1.0  # type: ignore[attr-defined]
    if t is Mul:
        return -1.0 if x.coef < 0.0 else 1.0  # type: ignore[attr-defined]
    if t is Const:
        return -1.0 if x.value < 0.0 else 1.0  # type: ignore[attr-defined]
    return 1.0


# --------------------------------------------------------------------------------------------------------
# products
# --------------------------------------------------------------------------------------------------------
def _has_trig(x: Expr) -> bool:
    for n, _ in x.factors:  # type: ignore[attr-defined]
        k = n.key[0]
        if k == "f":
            return True
        if k > "f":
            return False
    return False


def _intern_mul(coef: float, factors: tuple[tuple[Expr, Number], ...]) -> Expr:
    where = (factors, coef)
    found = _table.get(where)
    if found is not None:
        return found
    if coef == 1.0:
        node = Mul()
        node.unit = node
    else:
        unit = factors[0][0] if len(factors) == 1 and factors[0][1] == 1 else _intern_mul(1.0, factors)
        node = Mul()
        node.unit = unit
    node.coef = coef
    node.factors = factors
    digest = hash((13, coef, *[x for n, e in factors for x in (n.digest, e)]))
    _finish(node, f"h{digest & 0xFFFFFFFFFFFFFFFF:016x}", digest)
    _table[where] = node
    return node


def _scale(x: Expr, c: float) -> Expr:
    """``c * x`` for a number c."""
    if c == 1.0:
        return x
    if c == 0.0:
        return ZERO
    t = type(x)
    if t is Const:
        return const(c * x.value)  # type: ignore[attr-defined]
    if t is Add:
        return _intern_add(tuple((n, c * k) for n, k in x.terms), c * x.const)  # type: ignore[attr-defined]
    if t is Mul:
        k = c * x.coef  # type: ignore[attr-defined]
        unit: Expr = x.unit  # type: ignore[attr-defined]
        if k == 1.0:
            return unit
        return _intern_mul(k, x.factors)  # type: ignore[attr-defined]
    return _intern_mul(c, ((x, 1),))


def _mul2(a: Expr, b: Expr) -> Expr:
    ta = type(a)
    if ta is Const:
        return _scale(b, a.value)  # type: ignore[attr-defined]
    tb = type(b)
    if tb is Const:
        return _scale(a, b.value)  # type: ignore[attr-defined]
    acc: dict[Expr, Number] = {}
    coef = _gather(acc, a, 1) * _gather(acc, b, 1)
    return make_product(acc, coef)


def mul(*items: Scalar) -> Expr:
    """The product of all items."""
    acc: dict[Expr, Number] = {}
    coef = 1.0
    for item in items:
        coef *= _gather(acc, item if isinstance(item, Expr) else as_expr(item), 1)
    return make_product(acc, coef)


def _content(x: Add) -> float:
    """The signed number that all coefficients of a sum share in absolute value, sign of the first; else ±1."""
    lead = x.terms[0][1]
    size = abs(lead)
    if size != 1.0:
        if x.const and abs(x.const) != size:
            return 1.0 if lead > 0 else -1.0
        for _, c in x.terms:
            if abs(c) != size:
                return 1.0 if lead > 0 else -1.0
    return lead


def _gather(acc: dict[Expr, Number], x: Expr, exponent: Number) -> float:
    """Multiply the factors in ``acc`` by ``x ** exponent``; returns the numeric part."""
    t = type(x)
    if t is Const:
        return float(_number_power(x.value, exponent))  # type: ignore[attr-defined]
    if t is Mul and (exponent == 1 or isinstance(exponent, int)):
        for n, e in x.factors:  # type: ignore[attr-defined]
            acc[n] = acc.get(n, 0) + e * exponent
        return float(_number_power(x.coef, exponent))  # type: ignore[attr-defined]
    if t is Add and isinstance(exponent, int):
        c = _content(x)  # type: ignore[arg-type]
        if c != 1.0:
            x = _scale(x, 1.0 / c) if abs(c) == 1.0 else _intern_add(
                tuple((n, math.copysign(1.0, k * c)) for n, k in x.terms),  # type: ignore[attr-defined]
                math.copysign(1.0, x.const * c) if x.const else 0.0,  # type: ignore[attr-defined]
            )
            acc[x] = acc.get(x, 0) + exponent
            return float(_number_power(c, exponent))
    acc[x] = acc.get(x, 0) + exponent
    return 1.0


def _number_power(value: float, exponent: Number) -> float:
    if exponent == 1:
        return value
    if value == 0.0 and exponent < 0:
        raise ZeroDivisionError("expected a non-zero divisor in an expression, found 0")
    try:
        result = value**exponent
    except OverflowError:
        raise ValueError(f"expected a number that fits a double, found {value!r} ** {exponent!r}") from None
    if isinstance(result, complex):
        raise ValueError(f"expected a non-negative base, found {value!r} ** {exponent!r}")
    return result


def make_product(acc: dict[Expr, Number], coef: float) -> Expr:
    """The canonical node of ``coef * product(node ** exponent)``; ``acc`` is consumed."""
    if coef == 0.0:
        return ZERO
    nested = False
    for n, e in list(acc.items()):
        if e == 0:
            del acc[n]
        elif type(n) is Mul and isinstance(e, int):
            nested = True  # (x y)^(1/2 + 1/2): a product again
        elif isinstance(e, float) and e.is_integer():
            acc[n] = int(e)
            nested = nested or type(n) is Mul
    if nested:
        again: dict[Expr, Number] = {}
        for n, e in acc.items():
            coef *= _gather(again, n, e)
        return make_product(again, coef)
    if not acc:
        return const(coef)
    factors = list(acc.items())
    if len(factors) == 1:
        n, e = factors[0]
        if e == 1:
            return n if coef == 1.0 else _scale(n, coef)
    else:
        factors.sort(key=_term_key)
    return _intern_mul(coef, tuple(factors))


def power(base: Scalar, exponent: Scalar) -> Expr:
    """``base ** exponent``; a symbolic exponent becomes the function ``pow``."""
    b = as_expr(base)
    if isinstance(exponent, Expr):
        if type(exponent) is not Const:
            if b is ONE:
                return ONE
            from .functions import function

            return function("pow", b, exponent)
        exponent = exponent.value
    e: Number = float(exponent)
    if e.is_integer():
        e = int(e)
    if e == 0:
        return ONE
    if e == 1:
        return b
    if type(b) is Const:
        return const(_number_power(b.value, e))
    acc: dict[Expr, Number] = {}
    if isinstance(e, int):
        return make_product(acc, _gather(acc, b, e))
    if type(b) is Mul and b.coef > 0 and len(b.factors) == 1 and not isinstance(b.factors[0][1], int):
        n, inner = b.factors[0]  # (x ** 1.5) ** 0.5: x is non-negative already
        return make_product({n: inner * e}, b.coef**e)
    return make_product({b: e}, 1.0)


# --------------------------------------------------------------------------------------------------------
# named intermediates
# --------------------------------------------------------------------------------------------------------
def share(x: Expr) -> Expr:
    """``x`` as a named intermediate: whatever is built on it keeps it whole. Atoms and signed atoms stay as they are."""
    t = type(x)
    if t is Add:
        if x.terms[0][1] < 0.0:  # type: ignore[attr-defined]
            return _intern_mul(-1.0, ((_shared(_negate(x)), 1),))
        return _shared(x)
    if t is Mul:
        unit: Expr = x.unit  # type: ignore[attr-defined]
        if type(unit) is not Mul:
            return x
        return _scale(_shared(unit), x.coef)  # type: ignore[attr-defined]
    return x


def _shared(x: Expr) -> Expr:
    where = ("shared", x)
    found = _table.get(where)
    if found is not None:
        return found
    node = Shared()
    node.inner = x
    digest = hash((17, x.digest))
    _finish(node, f"j{digest & 0xFFFFFFFFFFFFFFFF:016x}", digest)
    _table[where] = node
    return node


def intern_func(name: str, args: tuple[Expr, ...], key: str | None = None) -> Expr:
    """The node of a function application; simplification is the business of :mod:`.functions`."""
    where = (name, *args)
    found = _table.get(where)
    if found is not None:
        return found
    node = Func()
    node.name = name
    node.args = args
    digest = hash((19, _name_digest(name), *[a.digest for a in args]))
    _finish(node, key or f"g{name}{digest & 0xFFFFFFFFFFFFFFFF:016x}", digest)
    _table[where] = node
    return node


_name_digests: dict[str, int] = {}


def _name_digest(name: str) -> int:
    found = _name_digests.get(name)
    if found is None:
        found = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest(), "big")
        _name_digests[name] = found
    return found


def _brief(x: Expr, limit: int = 80) -> str:
    from .printing import text

    return text(x, limit=limit)


def symbols(names: str | Sequence[str], kind: str = "parameter") -> tuple[Symbol, ...]:
    """Several symbols at once: ``x, y = symbols("x y")``."""
    parts = names.replace(",", " ").split() if isinstance(names, str) else names
    return tuple(symbol(n, kind) for n in parts)

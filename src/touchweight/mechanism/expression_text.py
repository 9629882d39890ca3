"""Expressions as people write them in files: read by a small grammar of our own, never by ``eval``.

    expression:  definitions, then a value          e = d - l0; k*e + c*d_dot
    operators:   or, and, not, < <= > >= ==, + -, * /, unary - +, ** (as in Python, strongest last)
    names:       identifiers with dots              arm.mass, q.hip, v.hip, t; `anything else` in back-quotes
    functions:   sin cos tan asin acos atan atan2 exp log tanh sqrt abs sign min max floor pow select shared

Whatever :func:`touchweight.symbolic.text` prints reads back as the same node.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from ..errors import MechanismError, printable
from ..symbolic import (
    Add,
    Const,
    Expr,
    Mul,
    Shared,
    absolute,
    acos,
    asin,
    atan,
    atan2,
    both,
    const,
    cos,
    either,
    equal,
    exp,
    floor,
    free_symbols,
    is_condition,
    less,
    less_equal,
    log,
    maximum,
    minimum,
    mul,
    negation,
    power,
    select,
    share,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    text,
    topological,
    total,
)
from .number_text import parse_number

#: longest text read [characters]
LENGTH_LIMIT = 1_000_000
#: deepest nesting of parentheses, functions, powers and signs
DEPTH_LIMIT = 100
#: largest exponent that is a number
EXPONENT_LIMIT = 1_000_000

#: what each function name makes, and how many arguments it takes (the fewest, the most)
FUNCTIONS: dict[str, tuple[Callable[..., Expr], int, int]] = {
    "sin": (sin, 1, 1),
    "cos": (cos, 1, 1),
    "tan": (tan, 1, 1),
    "asin": (asin, 1, 1),
    "acos": (acos, 1, 1),
    "atan": (atan, 1, 1),
    "atan2": (atan2, 2, 2),
    "exp": (exp, 1, 1),
    "log": (log, 1, 1),
    "tanh": (tanh, 1, 1),
    "sqrt": (sqrt, 1, 1),
    "abs": (absolute, 1, 1),
    "sign": (sign, 1, 1),
    "min": (minimum, 2, 2),
    "max": (maximum, 2, 2),
    "floor": (floor, 1, 1),
    "pow": (power, 2, 2),
    "select": (select, 3, 3),
    "shared": (share, 1, 1),
}

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    | (?P<name>[^\W\d]\w*(?:\.\w+)*)
    | `(?P<quoted>(?:[^`\\]|\\[`\\])+)`
    | (?P<sign>\*\*|<=|>=|==|[-+*/()<>,;=])
    )""",
    re.VERBOSE,
)
_KEYWORDS = frozenset({"and", "or", "not"})

# how tightly the operators bind
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER = range(1, 9)
_COMPARISONS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "<": less,
    "<=": less_equal,
    ">": lambda a, b: less(b, a),
    ">=": lambda a, b: less_equal(b, a),
    "==": equal,
}


@dataclass(frozen=True)
class _Token:
    kind: str  # number, name, sign, end
    text: str
    column: int

    @property
    def is_definition(self) -> bool:
        return self.kind == "sign" and self.text == "="


def parse_expression(source: str, names: Mapping[str, Expr]) -> Expr:
    """The expression that ``source`` writes; ``names`` gives the node of every name it may use."""
    if len(source) > LENGTH_LIMIT:
        raise MechanismError(f"expected an expression of at most {LENGTH_LIMIT} characters, found {len(source)}")
    value = _Parser(source, names).program()
    _refuse_overflow(value)
    return value


def _tokens(source: str) -> Iterator[_Token]:
    at = 0
    while True:
        found = _TOKEN.match(source, at)
        if found is None:
            rest = source[at:]
            bare = rest.lstrip()
            column = at + len(rest) - len(bare) + 1
            if bare:
                raise _error(f"a number, name or operator, found {printable(bare[0])!r}", column)
            yield _Token("end", "the end", column)
            return
        kind = str(found.lastgroup)
        start = found.start(kind) + 1
        if kind == "quoted":
            yield _Token("name", re.sub(r"\\(.)", r"\1", found.group(kind), flags=re.DOTALL), start)
        elif kind == "name" and found.group(kind) in _KEYWORDS:
            yield _Token("sign", found.group(kind), start)
        else:
            yield _Token(kind, found.group(kind), start)
        at = found.end()


def _error(message: str, column: int) -> MechanismError:
    return MechanismError(f"expected {message} (column {column} of the expression)")


class _Parser:
    """Precedence climbing: few Python frames per level, so that our depth limit is reached first."""

    def __init__(self, source: str, names: Mapping[str, Expr]) -> None:
        self.tokens = list(_tokens(source))
        self.at = 0
        self.depth = 0
        self.names = names
        self.local: dict[str, Expr] = {}

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def sees(self, *signs: str) -> bool:
        return self.next.kind == "sign" and self.next.text in signs

    def skip(self, sign: str) -> None:
        if not self.sees(sign):
            raise _error(f"{sign!r}, found {printable(self.next.text, 60)!r}", self.next.column)
        self.at += 1

    # -- definitions and value --------------------------------------------------------------------------
    def program(self) -> Expr:
        while self.next.kind == "name" and self.tokens[self.at + 1].is_definition:
            token = self.take()
            self.at += 1
            if token.text in self.names or token.text in self.local:
                raise _error(
                    f"a new name before '=', found {printable(token.text, 60)!r}, which is taken",
                    token.column,
                )
            self.local[token.text] = self.expression()
            self.skip(";")
        start = self.next.column
        value = self.number_of(self.expression(), start)
        if self.next.kind != "end":
            raise _error(f"an operator or the end, found {printable(self.next.text, 60)!r}", self.next.column)
        return value

    # -- operators --------------------------------------------------------------------------------------
    def expression(self, binding: int = 0) -> Expr:
        """What follows, as long as its operators bind more tightly than ``binding``."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise _error(f"at most {DEPTH_LIMIT} levels of nesting, found more; name parts with ';'", self.next.column)
        start = self.next.column
        value = self.prefix()
        while self.next.kind == "sign":
            token = self.next
            if token.text == "**" and binding < _POWER:
                self.at += 1
                exponent = self.number_of(self.expression(_SIGN - 1), token.column)
                value = self.make(token, power, self.number_of(value, start), exponent)
            elif token.text in ("*", "/") and binding < _PRODUCT:
                value = self.product(self.number_of(value, start))
            elif token.text in ("+", "-") and binding < _SUM:
                value = self.sum(self.number_of(value, start))
            elif token.text in _COMPARISONS and binding < _COMPARE:
                self.at += 1
                other = self.number_of(self.expression(_COMPARE), token.column)
                value = self.make(token, _COMPARISONS[token.text], self.number_of(value, start), other)
                if self.sees(*_COMPARISONS):
                    raise _error("one comparison, found a chain; join two with 'and'", self.next.column)
            elif token.text in ("and", "or") and binding < (_AND if token.text == "and" else _OR):
                self.at += 1
                level, function = (_AND, both) if token.text == "and" else (_OR, either)
                other = self.condition_of(self.expression(level), token.column)
                value = self.make(token, function, self.condition_of(value, start), other)
            else:
                break
        self.depth -= 1
        return value

    def prefix(self) -> Expr:
        """A number, name, call, parenthesis, or a sign and what it applies to."""
        token = self.take()
        if token.kind == "number":
            return self.make(token, lambda: const(parse_number(token.text)))
        if token.kind == "name":
            return self.call(token) if self.sees("(") and token.text in FUNCTIONS else self.named(token)
        if token.text == "(" and token.kind == "sign":
            inner = self.expression()
            self.skip(")")
            return inner
        if token.kind == "sign" and token.text in ("-", "+"):
            value = self.number_of(self.expression(_SIGN), token.column)
            return -value if token.text == "-" else value
        if token.kind == "sign" and token.text == "not":
            return self.make(token, negation, self.condition_of(self.expression(_NOT), token.column))
        raise _error(f"a number, a name or '(', found {printable(token.text, 60)!r}", token.column)

    def sum(self, first: Expr) -> Expr:
        terms, start = [first], self.next
        while self.sees("+", "-"):
            token = self.take()
            value = self.number_of(self.expression(_SUM), token.column)
            terms.append(value if token.text == "+" else -value)
        return self.make(start, total, terms)

    def product(self, first: Expr) -> Expr:
        factors, start = [first], self.next
        while self.sees("*", "/"):
            token = self.take()
            value = self.number_of(self.expression(_PRODUCT), token.column)
            factors.append(value if token.text == "*" else self.make(token, power, value, const(-1.0)))
        return self.make(start, mul, *factors)

    # -- names and calls --------------------------------------------------------------------------------
    def named(self, token: _Token) -> Expr:
        found = self.local.get(token.text)
        if found is None:
            found = self.names.get(token.text)
        if found is not None:
            return found
        if self.sees("("):
            close = difflib.get_close_matches(token.text, FUNCTIONS, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; the functions are {', '.join(FUNCTIONS)}"
            raise _error(f"a known function, found {printable(token.text, 60)!r}{hint}", token.column)
        close = difflib.get_close_matches(token.text[:200], [*self.local, *self.names], 1)
        hint = f"; did you mean {printable(close[0], 60)}?" if close else "; declare it first"
        raise _error(f"a known name, found {printable(token.text, 60)!r}{hint}", token.column)

    def call(self, token: _Token) -> Expr:
        function, fewest, most = FUNCTIONS[token.text]
        self.skip("(")
        args: list[Expr] = []
        while True:
            start = self.next.column
            value = self.expression()
            wants_condition = token.text == "select" and not args
            args.append(self.condition_of(value, start) if wants_condition else self.number_of(value, start))
            if not self.sees(","):
                break
            self.at += 1
        self.skip(")")
        if not fewest <= len(args) <= most:
            raise _error(f"{fewest} arguments for {token.text}, found {len(args)}", token.column)
        return self.make(token, function, *args)

    # -- building ---------------------------------------------------------------------------------------
    def make(self, token: _Token, function: Callable[..., Expr], *args: object) -> Expr:
        """Build a node; what the algebra objects to is told with its column."""
        try:
            return function(*args)
        except MechanismError as error:
            raise MechanismError(f"{error} (column {token.column} of the expression)") from None
        except (ArithmeticError, ValueError, TypeError) as error:
            raise MechanismError(f"{error} (column {token.column} of the expression)") from None

    def number_of(self, value: Expr, column: int) -> Expr:
        if is_condition(value):
            raise _error("a number, found a condition; use select(condition, then, otherwise)", column)
        return value

    def condition_of(self, value: Expr, column: int) -> Expr:
        if not is_condition(value) and not isinstance(value, Const):
            raise _error("a condition such as a < b, found a number", column)
        return value


def _refuse_overflow(value: Expr) -> None:
    """Numbers that overflowed while they were folded, and exponents that no one means."""
    for node in topological([value]):
        numbers: list[float] = []
        if isinstance(node, Const):
            numbers = [node.value]
        elif isinstance(node, Add):
            numbers = [node.const, *(c for _, c in node.terms)]
        elif isinstance(node, Mul):
            numbers = [node.coef]
            if any(abs(e) > EXPONENT_LIMIT for _, e in node.factors):
                raise MechanismError(f"expected exponents up to {EXPONENT_LIMIT} in an expression, found a larger one")
        if not all(math.isfinite(x) for x in numbers):
            raise MechanismError("expected finite numbers in an expression, found one that overflows a double")


# --------------------------------------------------------------------------------------------------------
# writing
# --------------------------------------------------------------------------------------------------------
_LONG = 400  # nodes of a tree that is written in one piece
_DEEP = 20  # levels of a tree that is written in one piece


def write_expression(expr: Expr, taken: Collection[str] = ()) -> str:
    """Text that :func:`parse_expression` reads back as the same node.

    A small expression is one piece. In a large one, what is used twice or lies deep gets a name, so that the
    text grows with the graph and not with the tree; ``taken`` are the names that those may not have.
    """
    named: dict[Expr, str] = {}
    used = {s.name for s in free_symbols([expr])} | set(taken)
    lines = []
    for k, node in enumerate(_worth_a_name(expr), 1):
        name = f"e{k}"
        while name in used or name in FUNCTIONS:
            name = "_" + name
        body = f"shared({_text(node.inner, named)})" if isinstance(node, Shared) else _text(node, named)
        lines.append(f"{name} = {body}; ")
        named[node] = name
    return "".join(lines) + _text(expr, named)


def _text(expr: Expr, named: Mapping[Expr, str]) -> str:
    return text(expr, limit=10 * LENGTH_LIMIT, names=named)


def _worth_a_name(expr: Expr) -> list[Expr]:
    """Nodes to define before the value, children first."""
    nodes = topological([expr])
    uses: dict[Expr, int] = {}
    size: dict[Expr, int] = {}
    for node in nodes:
        size[node] = min(1 + sum(size[c] for c in node.children), 10 * _LONG)
        for child in node.children:
            uses[child] = uses.get(child, 0) + 1
    is_long = size[expr] > _LONG
    found: list[Expr] = []
    depth: dict[Expr, int] = {}
    for node in nodes:
        depth[node] = 1 + max((depth[c] for c in node.children), default=-1)
        if node is expr and not isinstance(node, Shared):
            break
        repeated = is_long and uses.get(node, 0) > 1 and size[node] > 4
        if isinstance(node, Shared) or repeated or depth[node] >= _DEEP:
            found.append(node)
            depth[node] = 0
    return found

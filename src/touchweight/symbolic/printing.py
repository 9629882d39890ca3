r"""Expressions for people: plain text, the paper's compact notation (S24 for sin(q2 + q4)), and LaTeX.

Both writers keep their own stack, so that no graph is too deep, and stop at a limit, so that none is too
large. What is shown is sorted for reading: numbers, masses, other parameters, forces, coordinates, sines and
cosines, then the rest; positive terms before negative ones.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .expr import Add, Const, Expr, Factors, Func, Mul, Number, Scalar, Shared, Symbol, as_expr

# how tightly things bind
_OR, _AND, _NOT, _COMPARE, _SUM, _QUOTIENT, _PRODUCT, _POWER, _ATOM = range(1, 10)
_LOGIC = {
    "less": _COMPARE, "less_equal": _COMPARE, "equal": _COMPARE,
    "both": _AND, "either": _OR, "negation": _NOT,
}  # fmt: skip
_RESERVED = frozenset({"and", "or", "not", "nan", "inf", "infinity"})
_INFIX = {"less": "<", "less_equal": "<=", "equal": "==", "both": "and", "either": "or"}
_JOINT = re.compile(r"q[._]?(\d+)")
_PLAIN = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def text(expr: Scalar, *, compact: bool = False, limit: int = 20_000, names: Mapping[Expr, str] | None = None) -> str:
    """Plain text in the grammar of Python, where ``and``, ``or``, ``not`` and ``==`` stand for conditions.

    It reads back as the same node when a product such as ``2*(x + 3)/y`` is read as one.

    Args:
        expr: what to show.
        compact: write sin(q2 + q4) as S24.
        limit: stop, with dots, after so many characters.
        names: nodes to be shown by a name.
    """
    return _Text(names or {}, compact).write(as_expr(expr), limit)


def latex(expr: Scalar, *, limit: int = 4_000) -> str:
    """LaTeX source; long expressions stop with dots after about ``limit`` characters."""
    return _Latex({}).write(as_expr(expr), limit)


def number(value: float) -> str:
    """A number as a person writes it, exact when read back."""
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    return repr(float(value))


def quoted(name: str) -> str:
    """A name as text shows it: identifiers with dots as they are, anything else in back-quotes."""
    if _PLAIN.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + re.sub(r"([`\\])", r"\\\1", name) + "`"


# --------------------------------------------------------------------------------------------------------
# what text and LaTeX have in common
# --------------------------------------------------------------------------------------------------------
class _Part(NamedTuple):
    """A node still to be written, in brackets unless it binds at least as tightly as asked."""

    node: Expr
    binding: int = 0


class _Open(str):
    """Text that has to be closed by a :class:`_Close`."""

    __slots__ = ()


class _Close(str):
    """Text that has to follow, even when the limit is reached before: the bracket that was opened."""

    __slots__ = ()


_Pieces = list["str | _Part"]


class _Writer(ABC):
    dots: str
    brackets: tuple[str, str]

    def __init__(self, names: Mapping[Expr, str]) -> None:
        self.names = names

    def write(self, root: Expr, limit: int) -> str:
        """All of ``root``, or as much as fits."""
        out: list[str] = []
        left = limit
        stack: _Pieces = [_Part(root)]
        while stack:
            piece = stack.pop()
            if isinstance(piece, str):
                out.append(piece)
                left -= len(piece)
            else:
                stack.extend(reversed(self.bracketed(piece)))
            if left < 0:
                return self.cut("".join(out), limit, _still_open(stack))
        return "".join(out)

    @abstractmethod
    def cut(self, written: str, limit: int, closing: str) -> str:
        """What to show when the limit is reached; ``closing`` closes the brackets that are open."""

    def bracketed(self, part: _Part) -> _Pieces:
        node = self.seen(part.node)
        pieces = self.pieces(node)
        if self.binding(node) >= part.binding:
            return pieces
        return _enclosed(self.brackets[0], pieces, self.brackets[1])

    def seen(self, node: Expr) -> Expr:
        """The node that is shown: what is shared shows what it stands for, unless it has a name."""
        return node.inner if type(node) is Shared and node not in self.names else node

    def binding(self, node: Expr) -> int:
        if node in self.names:
            return _ATOM
        if type(node) is Const:
            return _ATOM if node.value >= 0.0 else _SUM
        if type(node) is Add:
            return _SUM
        if type(node) is Mul:
            return self.product_binding(node)
        if type(node) is Func:
            return _POWER if node.name == "pow" else _LOGIC.get(node.name, _ATOM)
        return _ATOM

    def product_binding(self, node: Mul) -> int:
        if self.turned(node.coef, node.factors)[0] < 0.0:
            return _SUM
        if any(e < 0 for _, e in node.factors):
            return _QUOTIENT
        if len(node.factors) > 1 or node.coef != 1.0:
            return _PRODUCT
        return _ATOM if node.factors[0][1] == 0.5 else _POWER

    def pieces(self, node: Expr) -> _Pieces:
        """A node, spelled out one level deep."""
        if node in self.names:
            return [self.name(self.names[node])]
        if type(node) is Const:
            return [self.number(node.value)]
        if type(node) is Symbol:
            return [self.name(node.name)]
        if type(node) is Add:
            return self.sum(node)
        if type(node) is Mul:
            return self.product(*self.turned(node.coef, node.factors))
        if type(node) is Func:
            return self.function(node)
        assert type(node) is Shared
        return [_Part(node.inner)]

    def sum(self, node: Add) -> _Pieces:
        in_order = sorted(node.terms, key=lambda t: reading_key(t[0]))
        summands = [self.term(n, c) for n, c in in_order]
        summands.sort(key=_is_negative)
        if node.const:
            # 1 - cos(q), but x + 1
            at = 0 if node.const > 0.0 > summands[0][0] else len(summands)
            summands.insert(at, (node.const, [self.number(abs(node.const))]))
        out: _Pieces = []
        for c, pieces in summands:
            out += [" - " if c < 0.0 else " + "] if out else ["-" if c < 0.0 else ""]
            out += pieces
        return out

    def term(self, n: Expr, c: float) -> tuple[float, _Pieces]:
        """The sign of ``c * n`` (as a number) and its text without the sign."""
        node = self.seen(n)
        if type(node) is Mul and node.coef == 1.0 and node not in self.names:
            c, factors = self.turned(c, node.factors)
            return c, self.product(abs(c), factors)
        return c, [_Part(n, _QUOTIENT)] if abs(c) == 1.0 else self.product(abs(c), ((n, 1),))

    def turned(self, coef: float, factors: Factors) -> tuple[float, Factors]:
        """``-m*(cos(q) - 1)`` as ``m*(1 - cos(q))``."""
        if coef < 0.0:
            for i, (n, e) in enumerate(factors):
                node = self.seen(n)
                if type(node) is Add and e == 1 and node.const < 0.0 and node not in self.names:
                    return -coef, (*factors[:i], (-node, 1), *factors[i + 1 :])
        return coef, factors

    @abstractmethod
    def name(self, name: str) -> str: ...

    @abstractmethod
    def number(self, value: float) -> str: ...

    @abstractmethod
    def product(self, coef: float, factors: Factors) -> _Pieces: ...

    @abstractmethod
    def function(self, node: Func) -> _Pieces: ...


def _enclosed(opening: str, pieces: _Pieces, closing: str) -> _Pieces:
    return [_Open(opening), *pieces, _Close(closing)]


def _still_open(stack: _Pieces) -> str:
    """What closes the brackets that are open when a stack is given up."""
    closing = ""
    pending = 0  # opened and closed in what is given up
    for piece in reversed(stack):
        if isinstance(piece, _Open):
            pending += 1
        elif isinstance(piece, _Close):
            closing += "" if pending else piece
            pending = max(0, pending - 1)
    return closing


def _is_negative(summand: tuple[float, _Pieces]) -> bool:
    return summand[0] < 0.0


def _joined(items: Iterable[_Pieces], separator: str) -> _Pieces:
    out: _Pieces = []
    for item in items:
        out += [separator, *item] if out else item
    return out


#: parameters of all kinds but masses are sorted by name alone: m*g*l, not m*l*g
_RANK = {"b": "c"}


def reading_key(node: Expr, depth: int = 3) -> str:
    """What terms and factors are sorted by for reading: like ``node.key``, but by names inside composites."""
    if type(node) is Shared:
        return reading_key(node.inner, depth)
    rank, rest = node.key
    if type(node) is Symbol or (type(node) is Func and node.trig):
        return _RANK.get(rank, rank) + str(rest)
    if depth and type(node) is Mul:
        return rank + "".join(sorted(f"{reading_key(n, depth - 1)}^{e}\1" for n, e in node.factors[:8]))
    if depth and type(node) is Add:
        return rank + "".join(sorted(f"{reading_key(n, depth - 1)}\1" for n, _ in node.terms[:8]))
    if depth and type(node) is Func:
        return rank + node.name + "".join(f"{reading_key(n, depth - 1)}\1" for n in node.args)
    return rank


def _in_reading_order(factors: Factors) -> tuple[list[tuple[Expr, Number]], list[tuple[Expr, Number]]]:
    """Factors above and below the line; exponents positive."""
    ordered = sorted(factors, key=lambda f: reading_key(f[0]))
    return [(n, e) for n, e in ordered if e > 0], [(n, -e) for n, e in ordered if e < 0]


# --------------------------------------------------------------------------------------------------------
# plain text
# --------------------------------------------------------------------------------------------------------
class _Text(_Writer):
    brackets = ("(", ")")

    def __init__(self, names: Mapping[Expr, str], compact: bool) -> None:
        super().__init__(names)
        self.compact = compact

    def cut(self, written: str, limit: int, closing: str) -> str:
        return written[: max(0, limit - 1)] + "…"

    def name(self, name: str) -> str:
        return quoted(name)

    def number(self, value: float) -> str:
        return number(value)

    def product(self, coef: float, factors: Factors) -> _Pieces:
        above, below = _in_reading_order(factors)
        binding = _POWER if len(below) == 1 else _PRODUCT
        top = [self.factor(n, e, _PRODUCT) for n, e in above]
        bottom = [self.factor(n, e, binding) for n, e in below]
        divisor = _divisor(abs(coef))
        if divisor and top:
            bottom.insert(0, [str(divisor)])
        elif abs(coef) != 1.0 or not top:
            top.insert(0, [number(abs(coef))])
        out: _Pieces = ["-" if coef < 0.0 else "", *_joined(top, "*")]
        if len(bottom) > 1:
            return [*out, *_enclosed("/(", _joined(bottom, "*"), ")")]
        return [*out, "/", *bottom[0]] if bottom else out

    def factor(self, n: Expr, e: Number, binding: int) -> _Pieces:
        if e == 1:
            return [_Part(n, binding)]
        if e == 0.5:
            return _enclosed("sqrt(", [_Part(n)], ")")
        return [_Part(n, _ATOM), "**" + number(e)]

    def function(self, node: Func) -> _Pieces:
        if self.compact and node.trig:
            short = compact_angle(node)
            if short:
                return [short]
        if node.name == "pow":
            return [_Part(node.args[0], _ATOM), "**", _Part(node.args[1], _ATOM)]
        if node.name == "negation":
            return _enclosed("not (", [_Part(node.args[0])], ")")
        if node.name in _INFIX:
            binding = _LOGIC[node.name]
            a, b = node.args
            return [_Part(a, binding), f" {_INFIX[node.name]} ", _Part(b, binding + 1)]
        return _enclosed(f"{node.name}(", _joined([[_Part(a)] for a in node.args], ", "), ")")


def _divisor(size: float) -> int:
    """The whole number up to 100 that ``size`` is the inverse of, when that is shorter to read; else zero."""
    n = round(1.0 / size) if 0.01 <= size < 0.5 else 0
    return n if n and 1.0 / n == size == float(n) ** -1 and len(number(size)) > 5 else 0


def compact_angle(node: Func) -> str | None:
    """``S24`` for sin(q2 + q4), ``S2p14`` for sin(q2 + q14); nothing when the angle is no sum of joints."""
    angle = node.args[0]
    terms = angle.terms if type(angle) is Add else ((angle, 1.0),)
    if type(angle) is Add and angle.const:
        return None
    joints = []
    for n, c in terms:
        found = _JOINT.fullmatch(n.name) if type(n) is Symbol else None
        if found is None or c != 1.0:
            return None
        joints.append(found.group(1))
    return node.name[0].upper() + ("" if all(len(j) == 1 for j in joints) else "p").join(joints)


# --------------------------------------------------------------------------------------------------------
# LaTeX
# --------------------------------------------------------------------------------------------------------
_LATEX_FUNC = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "exp": r"\exp", "log": r"\ln", "tanh": r"\tanh",
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "min": r"\min", "max": r"\max",
    "sign": r"\operatorname{sgn}",
}  # fmt: skip
_LATEX_INFIX = {"less": "<", "less_equal": r"\le", "equal": "=", "both": r"\wedge", "either": r"\vee"}
_SQUARED = frozenset({"sin", "cos", "tan", "tanh"})  # written sin²(x)


class _Latex(_Writer):
    brackets = (r"\left(", r"\right)")

    def cut(self, written: str, limit: int, closing: str) -> str:
        return written + r" \dots " + closing

    def name(self, name: str) -> str:
        return latex_name(name)

    def number(self, value: float) -> str:
        return _latex_number(value)

    def product(self, coef: float, factors: Factors) -> _Pieces:
        above, below = _in_reading_order(factors)
        p, q = _fraction(abs(coef))
        top = [self.factor(n, e) for n, e in above]
        bottom = [self.factor(n, e) for n, e in below]
        out: _Pieces = ["-" if coef < 0.0 else ""]
        if q != 1 and bottom:
            bottom.insert(0, [str(q)])
            q = 1
        if q != 1:
            out.append(rf"\frac{{{p}}}{{{q}}}" + (r"\," if top else ""))
        elif p != 1.0 or not top:
            top.insert(0, [_latex_number(p)])
        if not bottom:
            return out + _joined(top, r"\,")
        numerator = _enclosed(r"\frac{", _joined(top, r"\,"), "}{")
        return [*out, _Open(""), *numerator, *_joined(bottom, r"\,"), _Close("}")]

    def factor(self, n: Expr, e: Number) -> _Pieces:
        node = self.seen(n)
        if e == 1:
            return [_Part(n, _PRODUCT)]
        if e == 0.5:
            return _enclosed(r"\sqrt{", [_Part(n)], "}")
        exponent = f"^{{{_latex_number(e) if isinstance(e, int) else _slashed(e)}}}"
        if type(node) is Func and node.name in _SQUARED:
            return [_LATEX_FUNC[node.name] + exponent, *self.arguments(node)]
        if type(node) is Func and node.name != "abs":
            return [*_enclosed(r"\left(", [_Part(n)], r"\right)"), exponent]
        return [_Part(n, _ATOM), exponent]

    def arguments(self, node: Func) -> _Pieces:
        if len(node.args) == 1 and isinstance(node.args[0], (Symbol, Const)):
            return _enclosed("(", [_Part(node.args[0])], ")")
        return _enclosed(r"\left(", _joined([[_Part(a)] for a in node.args], ", "), r"\right)")

    def function(self, node: Func) -> _Pieces:
        a = node.args
        if node.name in _LATEX_INFIX:
            binding = _LOGIC[node.name]
            return [_Part(a[0], binding), f" {_LATEX_INFIX[node.name]} ", _Part(a[1], binding + 1)]
        if node.name == "negation":
            return _enclosed(r"\neg\left(", [_Part(a[0])], r"\right)")
        if node.name == "abs":
            return _enclosed(r"\left|", [_Part(a[0])], r"\right|")
        if node.name == "floor":
            return _enclosed(r"\left\lfloor ", [_Part(a[0])], r" \right\rfloor")
        if node.name == "pow":
            base: _Pieces = [_Part(a[0], _ATOM)]
            if type(self.seen(a[0])) is Func:
                base = _enclosed(r"\left(", [_Part(a[0])], r"\right)")
            return [*base, *_enclosed("^{", [_Part(a[1])], "}")]
        if node.name == "select":
            cases: _Pieces = [_Part(a[1]), " & ", _Part(a[0]), r" \\ ", _Part(a[2]), r" & \text{otherwise}"]
            return _enclosed(r"\begin{cases} ", cases, r" \end{cases}")
        head = _LATEX_FUNC.get(node.name, rf"\operatorname{{{node.name}}}")
        return [head, *self.arguments(node)]


def _fraction(value: float) -> tuple[float, int]:
    """``value`` as p / q when it is a half, third, quarter or sixth of a small number, else value / 1."""
    for q in (2, 3, 4, 6):
        p = round(value * q) if value < 10.0 else 0
        if p and p / q == value and p % q:
            return p, q
    return value, 1


def _slashed(value: float) -> str:
    p, q = _fraction(value)
    return _latex_number(value) if q == 1 else f"{p}/{q}"


def _latex_number(value: float) -> str:
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    p, q = _fraction(abs(value) / math.pi)
    if value and abs(value) < 32.0 and (q > 1 or p == int(p)):  # a multiple of pi
        sign, size = "-" if value < 0 else "", r"\pi" if p == 1 else rf"{int(p)}\pi"
        return sign + (size if q == 1 else rf"\frac{{{size}}}{{{q}}}")
    s = number(value)
    if "e" in s:
        mantissa, exponent = s.split("e")
        power = f"10^{{{int(exponent)}}}"
        return power if mantissa == "1" else rf"{mantissa}\cdot {power}"
    return s


_GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
    "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
})  # fmt: skip
_SPECIAL = {
    "\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", "{": r"\{", "}": r"\}",
    "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_",
}  # fmt: skip


def latex_name(name: str) -> str:
    r"""A symbol's name: q12 is q_{12}, omega.arm is \omega_{\mathrm{arm}}, d_dot is d with a dot."""
    for ending, accent in (("_ddot", r"\ddot"), ("_dot", r"\dot")):
        if name.endswith(ending) and name != ending:
            return f"{accent}{{{latex_name(name[: -len(ending)])}}}"
    found = re.fullmatch(r"([A-Za-z]+?)(?:[._](?=.)|(?=\d))(.*)", name, re.DOTALL)
    head, tail = (found.group(1), found.group(2)) if found else (name, "")
    if head not in _GREEK and not (len(head) == 1 and head.isalpha()):
        return rf"\mathrm{{{_escaped(name)}}}"
    head = "\\" + head if head in _GREEK else head
    if not tail:
        return head
    plain = re.fullmatch(r"\d+|\d*[A-Za-z]", tail)
    return f"{head}_{{{tail}}}" if plain else rf"{head}_{{\mathrm{{{_escaped(tail)}}}}}"


def _escaped(name: str) -> str:
    return "".join(_SPECIAL.get(c, c if c.isprintable() else " ") for c in name)

"""Expressions for people: plain text, the paper's compact notation (S24 for sin(q2 + q4)), and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .expr import Add, Const, Expr, Func, Mul, Number, Shared, Symbol

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_JOINT = re.compile(r"[a-zA-Z_]*?(\d+)$")
_PLAIN = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_INFIX = {"less": "<", "less_equal": "<=", "equal": "==", "both": "and", "either": "or"}


def number(value: float) -> str:
    """A number as a person writes it, exact when read back."""
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    return repr(value)


def quoted(name: str) -> str:
    """A name as text shows it: identifiers with dots as they are, anything else in back-quotes."""
    if _PLAIN.fullmatch(name) and name not in ("and", "or", "not"):
        return name
    return "`" + re.sub(r"([`\\])", r"\\\1", name) + "`"


def text(
    expr: Expr, *, compact: bool = False, limit: int = 20_000, names: Mapping[Expr, str] | None = None
) -> str:
    """Plain text that reads back as Python; ``compact`` writes sin(q2 + q4) as S24; stops at ``limit`` characters.

    ``names`` gives nodes a name to be shown by.
    """
    out = _Text(compact, limit, {} if names is None else names).render(expr)[0]
    return out if len(out) <= limit else out[: max(0, limit - 1)] + "…"


class _Text:
    def __init__(self, compact: bool, limit: int, names: Mapping[Expr, str]) -> None:
        self.compact = compact
        self.budget = limit
        self.names = names

    def render(self, e: Expr) -> tuple[str, int]:
        """The text of a node and how tightly it binds."""
        if self.budget <= 0:
            return "…", _ATOM
        if e in self.names:
            return self.spent(quoted(self.names[e]), _ATOM)
        if isinstance(e, Const):
            s = number(e.value)
            return self.spent(s, _ATOM if e.value >= 0 else _SUM)
        if isinstance(e, Symbol):
            return self.spent(quoted(e.name), _ATOM)
        if isinstance(e, Shared):
            return self.render(e.inner)
        if isinstance(e, Add):
            return self.sum(e), _SUM
        if isinstance(e, Mul):
            return self.product(e.coef, e.factors)
        assert isinstance(e, Func)
        return self.function(e)

    def spent(self, s: str, binding: int) -> tuple[str, int]:
        self.budget -= len(s)
        return s, binding

    def at_least(self, e: Expr, binding: int) -> str:
        s, b = self.render(e)
        return s if b >= binding else f"({s})"

    def sum(self, e: Add) -> str:
        pieces: list[tuple[str, str]] = []
        # positive terms first, so that a sum does not open with a minus sign when it need not
        for n, c in sorted(e.terms, key=lambda t: t[1] < 0):
            if self.budget <= 0:
                pieces.append(("+", "…"))
                break
            body = self.at_least(n, _PRODUCT) if abs(c) == 1 else f"{number(abs(c))}*{self.at_least(n, _PRODUCT)}"
            pieces.append(("-" if c < 0 else "+", body))
        if e.const:
            pieces.append(("-" if e.const < 0 else "+", number(abs(e.const))))
        first_sign, first = pieces[0]
        rest = "".join(f" {s} {b}" for s, b in pieces[1:])
        return ("-" if first_sign == "-" else "") + first + rest

    def product(self, coef: float, factors: tuple[tuple[Expr, Number], ...]) -> tuple[str, int]:
        above = [self.factor(n, e) for n, e in factors if e > 0]
        below = [self.factor(n, -e) for n, e in factors if e < 0]
        lead = "-" if coef < 0 else ""
        if abs(coef) != 1 or not above:
            above.insert(0, number(abs(coef)))
        body = "*".join(above)
        if below:
            body += "/" + (below[0] if len(below) == 1 else f"({'*'.join(below)})")
        single = len(above) == 1 and not below and not lead
        if single and len(factors) == 1 and factors[0][1] == 1:
            return body, _ATOM
        return lead + body, (_SUM if lead else _PRODUCT)

    def factor(self, n: Expr, e: Number) -> str:
        if e == 1:
            return self.at_least(n, _POWER)
        if e == 0.5:
            return f"sqrt({self.render(n)[0]})"
        shown = number(e)
        return f"{self.at_least(n, _ATOM)}**{shown}"

    def function(self, e: Func) -> tuple[str, int]:
        if self.compact and e.name in ("sin", "cos"):
            short = compact_angle(e)
            if short:
                return self.spent(short, _ATOM)
        if e.name in _INFIX:
            a, b = e.args
            return f"{self.at_least(a, _SUM)} {_INFIX[e.name]} {self.at_least(b, _SUM)}", 0
        if e.name == "negation":
            return f"not ({self.render(e.args[0])[0]})", 0
        inner = ", ".join(self.render(a)[0] for a in e.args)
        return self.spent(f"{e.name}({inner})", _ATOM)


def compact_angle(e: Func) -> str | None:
    """``S24`` for sin(q2 + q4) when every symbol ends in its joint number, else nothing."""
    angle = e.args[0]
    terms = angle.terms if isinstance(angle, Add) else ((angle, 1.0),)
    if isinstance(angle, Add) and angle.const:
        return None
    joints = []
    for n, c in terms:
        found = _JOINT.match(n.name) if isinstance(n, Symbol) else None
        if found is None or c != 1.0:
            return None
        joints.append(found.group(1))
    return e.name[0].upper() + "".join(joints)


_LATEX_FUNC = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "exp": r"\exp", "log": r"\ln", "tanh": r"\tanh",
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "min": r"\min", "max": r"\max",
}  # fmt: skip
_LATEX_INFIX = {"less": "<", "less_equal": r"\le", "equal": "=", "both": r"\wedge", "either": r"\vee"}


def latex(expr: Expr, *, limit: int = 4_000) -> str:
    """LaTeX source; long expressions stop with dots."""
    return _Latex(limit).render(expr)[0]


class _Latex:
    def __init__(self, limit: int) -> None:
        self.budget = limit

    def render(self, e: Expr) -> tuple[str, int]:
        self.budget -= 8
        if self.budget <= 0:
            return r"\dots", _ATOM
        if isinstance(e, Const):
            return _latex_number(e.value), (_ATOM if e.value >= 0 else _SUM)
        if isinstance(e, Symbol):
            return _latex_name(e.name), _ATOM
        if isinstance(e, Shared):
            return self.render(e.inner)
        if isinstance(e, Add):
            return self.sum(e), _SUM
        if isinstance(e, Mul):
            return self.product(e), (_PRODUCT if e.coef > 0 else _SUM)
        assert isinstance(e, Func)
        return self.function(e), _ATOM

    def wrap(self, e: Expr, binding: int) -> str:
        s, b = self.render(e)
        return s if b >= binding else rf"\left({s}\right)"

    def sum(self, e: Add) -> str:
        out = ""
        for n, c in sorted(e.terms, key=lambda t: t[1] < 0):
            size = "" if abs(c) == 1 else _latex_number(abs(c)) + r"\,"
            out += (" - " if c < 0 else " + " if out else "") + size + self.wrap(n, _PRODUCT)
        if e.const:
            out += (" - " if e.const < 0 else " + ") + _latex_number(abs(e.const))
        return out.strip()

    def product(self, e: Mul) -> str:
        above = [self.factor(n, k) for n, k in e.factors if k > 0]
        below = [self.factor(n, -k) for n, k in e.factors if k < 0]
        if abs(e.coef) != 1 or not above:
            above.insert(0, _latex_number(abs(e.coef)))
        body = r"\,".join(above)
        if below:
            body = rf"\frac{{{body}}}{{{' '.join(below)}}}"
        return ("-" if e.coef < 0 else "") + body

    def factor(self, n: Expr, e: Number) -> str:
        if e == 0.5:
            return rf"\sqrt{{{self.render(n)[0]}}}"
        if e == 1:
            return self.wrap(n, _POWER)
        if isinstance(n, Func) and n.name in ("sin", "cos", "tan"):
            return rf"{_LATEX_FUNC[n.name]}^{{{number(e)}}}\left({self.render(n.args[0])[0]}\right)"
        return f"{{{self.wrap(n, _ATOM)}}}^{{{number(e)}}}"

    def function(self, e: Func) -> str:
        args = [self.render(a)[0] for a in e.args]
        if e.name in _LATEX_INFIX:
            return f"{args[0]} {_LATEX_INFIX[e.name]} {args[1]}"
        shapes: dict[str, Callable[[], str]] = {
            "abs": lambda: rf"\left|{args[0]}\right|",
            "floor": lambda: rf"\lfloor {args[0]} \rfloor",
            "pow": lambda: f"{{{self.wrap(e.args[0], _ATOM)}}}^{{{args[1]}}}",
            "negation": lambda: rf"\neg\left({args[0]}\right)",
            "select": lambda: (
                rf"\begin{{cases}}{args[1]} & {args[0]}\\{args[2]} & \text{{otherwise}}\end{{cases}}"
            ),
        }
        if e.name in shapes:
            return shapes[e.name]()
        head = _LATEX_FUNC.get(e.name, rf"\operatorname{{{e.name}}}")
        return rf"{head}\left({', '.join(args)}\right)"


def _latex_number(value: float) -> str:
    s = number(value)
    if "e" in s:
        mantissa, exponent = s.split("e")
        return rf"{mantissa}\cdot 10^{{{int(exponent)}}}"
    return s


_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega".split()
)


def _latex_name(name: str) -> str:
    head, _, tail = name.partition(".")
    found = re.match(r"^([A-Za-z]+)_?(\d+)$", head)
    if found and not tail:
        base = found.group(1)
        base = "\\" + base if base in _GREEK else base
        return f"{base}_{{{found.group(2)}}}"
    if name in _GREEK:
        return "\\" + name
    if len(name) == 1:
        return name
    safe = re.sub(r"([#$%&_{}])", r"\\\1", name.replace("\\", "/").replace("^", ""))
    return rf"\mathrm{{{safe}}}"

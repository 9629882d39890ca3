"""The C text of a unit that carries several copies of one mechanism side by side, for ``native/moreau_lanes.h``.

Which entries of rows and matrices are zero is known here, so everything is written out: no loop runs over a zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..symbolic import Expr
from .c import c_function, emit_block
from .program import Program

#: an entry of a matrix: (row, column)
Entry = tuple[int, int]


@dataclass(frozen=True)
class Shape:
    """What a mechanism with contacts looks like, without its numbers.

    Attributes:
        nq: coordinates.
        nv: speeds.
        nx: first-order states.
        nu: inputs.
        parameters: length of the parameter vector.
        normal: for each contact the speeds that open it.
        slides: for each contact its sliding rows, each as the speeds that slide it.
        compliant: for each contact whether a law gives its force.
        dry: speeds with dry friction.
        mass: entries of the mass matrix, lower triangle.
        stiffness: entries of the slopes of the smooth forces by coordinates.
        damping: and by speeds.
        driven: (speed, coordinate) of every drive.
        balls: where the quaternions start.
    """

    nq: int
    nv: int
    nx: int
    nu: int
    parameters: int
    normal: list[list[int]]
    slides: list[list[list[int]]]
    compliant: list[bool]
    dry: list[int]
    mass: list[Entry]
    stiffness: list[Entry]
    damping: list[Entry]
    driven: list[Entry] = field(default_factory=list)
    balls: Sequence[int] = ()


@dataclass
class Parts:
    """The programs of a unit: at the middle of a step, one law for each compliant contact, and the small ones."""

    middle: Program
    laws: dict[int, Program]
    turn: Program
    drives: Program | None = None
    lags: Program | None = None

    def all(self) -> list[Program]:
        """Every one, in the order of their slots."""
        return [self.middle, *self.laws.values(), self.turn, *(p for p in (self.drives, self.lags) if p is not None)]


class _Layout:
    """Numbers of rows and places of entries."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        tangents = [row for rows in shape.slides for row in rows]
        #: speeds of every row with entries: normal, then sliding
        self.rows: list[list[int]] = [*shape.normal, *tangents]
        self.first_dry = len(self.rows)
        self.place: dict[Entry, int] = {}
        for j, row in enumerate(self.rows):
            for k in row:
                self.place[j, k] = len(self.place)
        #: (contact, first sliding row, last + 1)
        self.spans: list[tuple[int, int, int]] = []
        at = len(shape.normal)
        for i, rows in enumerate(shape.slides):
            if rows:
                self.spans.append((i, at, at + len(rows)))
            at += len(rows)
        self.fixed = [k for k, _ in shape.driven]
        mirrored = {(b, a) for a, b in shape.mass}
        self.base = sorted({*shape.mass, *mirrored, *shape.stiffness, *shape.damping, *((k, k) for k in range(shape.nv))})

    def g(self, j: int, k: int) -> str:
        return f"p->g[{self.place[j, k]}]"

    def b(self, k: int, l: int) -> str:
        return f"p->base[{self.base.index((k, l))}]"


def _sum(terms: Sequence[str]) -> str:
    return " + ".join(terms) or "tw_set1(0.0)"


def _make_base(at: _Layout) -> list[str]:
    s = at.shape
    lines = []
    for n, (k, l) in enumerate(at.base):
        held = (k, l) if (k, l) in s.mass else (l, k)
        terms = [f"p->mass[{s.mass.index(held)}]"] if held in s.mass else []
        if (k, l) in s.damping:
            terms.append(f"(h * theta) * p->d[{s.damping.index((k, l))}]")
        if (k, l) in s.stiffness:
            terms.append(f"(h * theta * theta * h) * p->k[{s.stiffness.index((k, l))}]")
        lines.append(f"p->base[{n}] = {_sum(terms)};")
    return lines


def _inertia(at: _Layout) -> list[str]:
    lines = [f"const tw_real x{k} = p->w[{k}] - p->v[{k}];" for k in range(at.shape.nv)]
    for k in range(at.shape.nv):
        terms = [f"{at.b(k, l)} * x{l}" for l in range(at.shape.nv) if (k, l) in at.base]
        lines.append(f"p->moved[{k}] = {_sum(terms)};")
    return lines


def _along(at: _Layout) -> list[str]:
    lines = []
    for j, row in enumerate(at.rows):
        lines.append(f"to[{j}] = {_sum([f'{at.g(j, k)} * x[{k}]' for k in row])};")
    return lines + [f"to[{at.first_dry + i}] = x[{k}];" for i, k in enumerate(at.shape.dry)]


def _push_back(at: _Layout) -> list[str]:
    lines = []
    for k in range(at.shape.nv):
        terms = [f"{at.g(j, k)} * impulse[{j}]" for j, row in enumerate(at.rows) if k in row]
        terms += [f"impulse[{at.first_dry + i}]" for i, n in enumerate(at.shape.dry) if n == k]
        if terms:
            lines.append(f"right[{k}] = right[{k}] - " + " - ".join(terms) + ";")
    return lines


def _components(size: int, entries: Iterable[Entry]) -> list[list[int]]:
    """Groups of indices that entries connect."""
    root = list(range(size))
    for k, l in entries:
        a, b = root[k], root[l]
        if a != b:
            root = [a if r == b else r for r in root]
    return [[k for k in range(size) if root[k] == r] for r in sorted(set(root))]


def _soften(at: _Layout) -> list[str]:
    """The inverse of the base by Gauss and Jordan, group by group; then g A⁻¹ gᵀ of every row."""
    lines = [f"tw_real a{k}_{l} = {at.b(k, l)};" for k, l in at.base]
    known = set(at.base)
    for group in _components(at.shape.nv, at.base):
        for k in group:
            for l in group:
                if (k, l) not in known:
                    lines.append(f"tw_real a{k}_{l} = tw_set1(0.0);")
                    known.add((k, l))
        for p in group:
            lines.append(f"a{p}_{p} = 1.0 / a{p}_{p};")
            lines += [f"a{p}_{l} = a{p}_{l} * a{p}_{p};" for l in group if l != p]
            for k in group:
                if k != p:
                    lines += [f"a{k}_{l} = a{k}_{l} - a{k}_{p} * a{p}_{l};" for l in group if l != p]
                    lines.append(f"a{k}_{p} = -a{k}_{p} * a{p}_{p};")
    for j, row in enumerate(at.rows):
        parts = []
        for k in row:
            inner = [f"a{k}_{l} * {at.g(j, l)}" for l in row if (k, l) in known]
            parts.append(f"{at.g(j, k)} * ({_sum(inner)})")
        lines.append(f"p->soft[{j}] = {_sum(parts)};")
    lines += [f"p->soft[{at.first_dry + i}] = a{k}_{k};" for i, k in enumerate(at.shape.dry)]
    return lines


def _order(free: Sequence[int], entries: set[Entry]) -> tuple[list[int], set[Entry]]:
    """An order of elimination that fills little in, and the entries with those filled in."""
    filled = {(k, l) for k, l in entries if k in free and l in free}
    left = list(free)
    order = []
    while left:
        near = {k: {l for l in left if l != k and ((k, l) in filled or (l, k) in filled)} for k in left}
        p = min(left, key=lambda k: (len(near[k]), k))
        rows = [k for k in near[p] if (k, p) in filled]
        columns = [l for l in near[p] if (p, l) in filled]
        filled |= {(k, l) for k in rows for l in columns}
        left.remove(p)
        order.append(p)
    return order, filled


def _solve(at: _Layout) -> list[str]:
    """The matrix of a Newton step and its solution, driven speeds left out."""
    s = at.shape
    free = [k for k in range(s.nv) if k not in at.fixed]
    plus: dict[Entry, list[str]] = {}
    minus: dict[Entry, list[str]] = {}
    lines = []
    for j, row in enumerate(at.rows):
        for k in row:
            lines.append(f"const tw_real s{j}_{k} = weight[{j}] * {at.g(j, k)};")
            for l in row:
                if l <= k:
                    plus.setdefault((k, l), []).append(f"s{j}_{k} * {at.g(j, l)}")
    for n, k in enumerate(s.dry):
        plus.setdefault((k, k), []).append(f"weight[{at.first_dry + n}]")
    for i, first, last in at.spans:
        for j in range(first, last):
            for k in at.rows[j]:
                lines.append(f"const tw_real f{j}_{k} = follow[{j}] * {at.g(j, k)};")
                for l in s.normal[i]:
                    minus.setdefault((k, l), []).append(f"f{j}_{k} * {at.g(i, l)}")
    for i, first, last in at.spans:
        if last - first == 2:
            reach = sorted({*at.rows[first], *at.rows[first + 1]})
            for k in reach:
                ends = [f"p->slope[{first}] * {at.g(first + 1, k)}"] if k in at.rows[first + 1] else []
                ends += [f"-p->slope[{first + 1}] * {at.g(first, k)}"] if k in at.rows[first] else []
                lines.append(f"const tw_real c{i}_{k} = {_sum(ends)}, d{i}_{k} = side[{i}] * c{i}_{k};")
                for l in reach:
                    if l <= k:
                        plus.setdefault((k, l), []).append(f"d{i}_{k} * c{i}_{l}")
    mirrored = {(l, k) for k, l in plus}
    order, filled = _order(free, {*at.base, *plus, *mirrored, *minus})
    for (k, l), terms in plus.items():
        if k in free and l in free:
            lines.append(f"const tw_real m{k}_{l} = {_sum(terms)};")
    for k, l in sorted(filled):
        terms = [at.b(k, l)] if (k, l) in at.base else []
        if (k, l) in plus or (l, k) in plus:
            terms.append(f"m{max(k, l)}_{min(k, l)}")
        text = _sum(terms + minus.get((k, l), []))
        lines.append(f"tw_real a{k}_{l} = {text};")
    lines += [f"tw_real r{k} = x[{k}];" for k in free]
    for n, p in enumerate(order):
        later = order[n + 1 :]
        lines.append(f"const tw_real i{p} = 1.0 / a{p}_{p};")
        for k in later:
            if (k, p) not in filled:
                continue
            lines.append(f"const tw_real e{k}_{p} = a{k}_{p} * i{p};")
            lines += [f"a{k}_{l} = a{k}_{l} - e{k}_{p} * a{p}_{l};" for l in later if (p, l) in filled]
            lines.append(f"r{k} = r{k} - e{k}_{p} * r{p};")
    for n, p in reversed([*enumerate(order)]):
        terms = [f" - a{p}_{l} * r{l}" for l in order[n + 1 :] if (p, l) in filled]
        lines.append(f"r{p} = (r{p}{''.join(terms)}) * i{p};")
    lines += [f"x[{k}] = r{k};" for k in free]
    lines += [f"x[{k}] = tw_set1(0.0);" for k in at.fixed]
    return lines


def _normalise(at: _Layout) -> list[str]:
    lines = ["(void)q;"]
    for b in at.shape.balls:
        squares = _sum([f"q[{b + i}] * q[{b + i}]" for i in range(4)])
        lines.append(f"{{ const tw_real size = tw_sqrt({squares});")
        lines += [f"q[{b + i}] = q[{b + i}] / size;" for i in range(4)]
        lines.append("}")
    return lines


class _Text:
    """Gathers the functions of a unit; every program's slots follow those of the one before."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.slots = 0
        self.prepare: list[str] = []

    def program(self, name: str, arguments: str, program: Program, places: Mapping[str, str],
                stores: Sequence[str]) -> None:  # fmt: skip
        """A program as a function: ``places`` says where its input arrays are, ``stores`` where its outputs go."""
        sources: dict[Expr, str] = {}
        for array, symbols in program.function.inputs.items():
            for i, s in enumerate(symbols):
                sources[s] = places[array].replace("#", str(i))
        slots: dict[Expr, str] = {s: f"c[{self.slots + i}]" for i, s in enumerate(program.slots)}
        body = emit_block(program.body, sources, slots, stores)
        head = f"static void {name}(const tw_real *TW_RESTRICT c, {arguments})"
        self.lines.append(c_function(head, ["(void)c;", *body]))
        given: dict[Expr, str] = {s: f"p[{i}]" for i, s in enumerate(program.function.parameters)}
        table = emit_block(program.prepare, given, {}, [f"c[{self.slots + i}]" for i in range(len(program.slots))])
        self.lines.append(
            c_function(f"static void prepare_{name}(const tw_real *TW_RESTRICT p, tw_real *TW_RESTRICT c)",
                       ["(void)p; (void)c;", *table])
        )  # fmt: skip
        self.prepare.append(f"prepare_{name}(p, c);")
        self.slots += len(program.slots)

    def function(self, head: str, lines: Sequence[str]) -> None:
        self.lines.append(c_function(f"static {head}", lines))


def _law(text: _Text, i: int, program: Program) -> None:
    outputs = "tw_real *force, tw_real *by_depth, tw_real *by_rate"
    text.program(
        f"law_{i}", f"tw_real depth, tw_real rate, {outputs}", program, {"depth": "depth", "rate": "rate"},
        ["*force", "*by_depth", "*by_rate"],
    )  # fmt: skip
    # what is compressed is positive: a power of it needs no care about signs, zero and infinity
    law = text.lines[-2]
    found = re.search(r"const tw_real (\w+) = depth;", law)
    if found:
        text.lines[-2] = law.replace(f"tw_pow({found[1]},", f"tw_power({found[1]},")


def emit_ensemble(shape: Shape, parts: Parts) -> str:
    """The C text of the unit, to be built with ``native/`` on the include path and TW_LANES of 2, 4 or 8."""
    at = _Layout(shape)
    text = _Text()
    signals = {"q": "q[#]", "v": "v[#]", "x": "x[#]", "u": "u[#]", "t": "t"}
    state = "const tw_real *q, const tw_real *v, const tw_real *x, const tw_real *u, tw_real t"
    stores = [
        f"p->{array}[{i}]"
        for array, count in (
            ("gap", len(shape.normal)), ("g", len(at.place)), ("mass", len(shape.mass)), ("push", shape.nv),
            ("k", len(shape.stiffness)), ("d", len(shape.damping)), ("restitution", len(shape.normal)),
            ("friction", len(shape.normal)), ("dry", len(shape.dry)),
        )
        for i in range(count)
    ]  # fmt: skip
    text.program("middle", f"{state}, work *TW_RESTRICT p", parts.middle, signals, stores)
    for i, law in parts.laws.items():
        _law(text, i, law)
    text.program("turn", "const tw_real *q, const tw_real *v, tw_real *dq", parts.turn, signals,
                 [f"dq[{i}]" for i in range(shape.nq)])  # fmt: skip
    driven = len(shape.driven)
    ignored = "tw_real unused;"
    if parts.drives is not None:
        places = [f"{a}[{i}]" for a in ("to_q", "to_v") for i in range(driven)] + ["unused"] * driven
        text.program("drives", "const tw_real *u, tw_real t, tw_real *to_q, tw_real *to_v", parts.drives, signals, places)
        text.lines[-2] = text.lines[-2].replace("(void)c;", f"(void)c; {ignored}")
    else:
        text.function("void drives(const tw_real *c, const tw_real *u, tw_real t, tw_real *q, tw_real *v)", [])
    if parts.lags is not None:
        text.program("lags", f"{state}, tw_real *dx", parts.lags, signals, [f"dx[{i}]" for i in range(shape.nx)])
    else:
        text.function(f"void lags(const tw_real *c, {state}, tw_real *dx)", [])
    text.function("void prepare_all(const tw_real *p, tw_real *c)", text.prepare)
    text.function("void normalise(tw_real *q)", _normalise(at))
    text.function("void make_base(work *p, double h, double theta)", _make_base(at))
    text.function("void soften(work *p)", _soften(at))
    text.function("void inertia(work *p)", _inertia(at))
    text.function("void along(const work *p, const tw_real *TW_RESTRICT x, tw_real *TW_RESTRICT to)", _along(at))
    text.function("void push_back(const work *p, const tw_real *TW_RESTRICT impulse, tw_real *TW_RESTRICT right)",
                  _push_back(at))  # fmt: skip
    text.function("void solve(const work *p, const tw_real *weight, const tw_real *follow, const tw_real *side, tw_real *x)", _solve(at))
    return "\n".join([*_sizes(at, text.slots), *text.lines, '#include "moreau_lanes_end.h"', ""])


def _sizes(at: _Layout, slots: int) -> list[str]:
    s = at.shape
    sizes = {
        "NQ": s.nq, "NV": s.nv, "NX": s.nx, "NU": s.nu, "CONTACTS": len(s.normal),
        "TANGENTS": at.first_dry - len(s.normal), "DRY": len(s.dry), "DRIVEN": len(s.driven),
        "PARAMETERS": s.parameters, "SLOTS": slots, "ENTRIES": len(at.place), "MASS": len(s.mass),
        "BASE": len(at.base), "STIFF": len(s.stiffness), "DAMP": len(s.damping),
    }  # fmt: skip
    diagonal = [s.mass.index((k, k)) for k in range(s.nv)]
    fixed = [int(k in at.fixed) for k in range(s.nv)]
    calls = {
        "LAWS": [f"X({i})" for i, c in enumerate(s.compliant) if c],
        "RIGID": [f"X({i})" for i, c in enumerate(s.compliant) if not c],
        "SLIDES": [f"X({i}, {first}, {last})" for i, first, last in at.spans],
    }
    return [
        "/* generated by touchweight; do not edit */",
        *(f"#define {name} {value}" for name, value in sizes.items()),
        *(f"#define {name}(X) {' '.join(made)}" for name, made in calls.items()),
        '#include "moreau_lanes.h"',
        _table("diagonal", diagonal),
        _table("fixed", fixed),
        _table("compliant", [int(c) for c in s.compliant]),
        _table("driven_speed", [k for k, _ in s.driven]),
        _table("driven_coordinate", [q for _, q in s.driven]),
        "",
    ]


def _table(name: str, values: Sequence[int]) -> str:
    return f"static const int {name}[] = {{{', '.join(map(str, values)) or '0'}}};"

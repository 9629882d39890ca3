"""The C text of a unit that carries several copies of one mechanism side by side, for ``native/moreau_lanes.h``.

Its sizes, the functions of the mechanism with one table of slots, and what :mod:`.ensemble_matrices` writes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..symbolic import Expr
from . import ensemble_matrices as matrices
from .c import c_function, emit_block
from .ensemble_matrices import Entry, Layout, Shape
from .program import Program


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
    at = Layout(shape)
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
        text.program(
            "drives", "const tw_real *u, tw_real t, tw_real *to_q, tw_real *to_v", parts.drives, signals, places
        )
        text.lines[-2] = text.lines[-2].replace("(void)c;", f"(void)c; {ignored}")
    else:
        text.function("void drives(const tw_real *c, const tw_real *u, tw_real t, tw_real *q, tw_real *v)", [])
    if parts.lags is not None:
        text.program("lags", f"{state}, tw_real *dx", parts.lags, signals, [f"dx[{i}]" for i in range(shape.nx)])
    else:
        text.function(f"void lags(const tw_real *c, {state}, tw_real *dx)", [])
    text.function("void prepare_all(const tw_real *p, tw_real *c)", text.prepare)
    text.function("void normalise(tw_real *q)", matrices.normalise(at))
    text.function("void make_base(work *p, double h, double theta)", matrices.make_base(at))
    text.function("void soften(work *p)", matrices.soften(at))
    text.function("void inertia(work *p)", matrices.inertia(at))
    text.function(
        "void along(const work *p, const tw_real *TW_RESTRICT x, tw_real *TW_RESTRICT to)", matrices.along(at)
    )
    text.function("void push_back(const work *p, const tw_real *TW_RESTRICT impulse, tw_real *TW_RESTRICT right)",
                  matrices.push_back(at))  # fmt: skip
    text.function(
        "void solve(const work *p, const tw_real *weight, const tw_real *follow, const tw_real *side, tw_real *x)",
        matrices.solve(at),
    )
    return "\n".join([*_sizes(at, text.slots), *text.lines, '#include "moreau_lanes_end.h"', ""])


def _sizes(at: Layout, slots: int) -> list[str]:
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
        _table("dry_speed", s.dry),
        _table("driven_speed", [k for k, _ in s.driven]),
        _table("driven_coordinate", [q for _, q in s.driven]),
        "",
    ]


def _table(name: str, values: Sequence[int]) -> str:
    return f"static const int {name}[] = {{{', '.join(map(str, values)) or '0'}}};"


__all__ = ["Entry", "Parts", "Shape", "emit_ensemble"]

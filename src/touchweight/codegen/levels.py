"""The equations of one evaluation grouped into vectorial levels.

Operations that do not depend on one another stand on one level, and those of one kind on one level form a vector step:
a loop over a table of operand places. A few dozen such steps then replace thousands of scalar statements (Docquier et
al. 2021, sections 4 and 6). The straight-line form is what models run; this one exists to measure what the grouping
brings within a single evaluation (`touchweight bench dynamics`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..symbolic import Add, Const, Expr, Func, Mul, Shared, Symbol, topological
from .c import CFile, c_function, emit_unit
from .program import Program

_OPERATORS = {"+": "+", "-": "-", "*": "*", "/": "/"}


@dataclass
class _Table:
    """Binary operations by level and kind; operands are numbered values."""

    level: list[int] = field(default_factory=list)
    place: dict[tuple[str, int, int], int] = field(default_factory=dict)
    kind: list[tuple[str, int, int] | None] = field(default_factory=list)

    def leaf(self) -> int:
        self.level.append(0)
        self.kind.append(None)
        return len(self.level) - 1

    def operation(self, op: str, a: int, b: int) -> int:
        key = (op, min(a, b), max(a, b)) if op in "+*" else (op, a, b)
        found = self.place.get(key)
        if found is None:
            self.level.append(1 + max(self.level[a], self.level[b]))
            self.kind.append((op, a, b))
            found = self.place[key] = len(self.level) - 1
        return found

    def balanced(self, op: str, items: list[int]) -> int:
        """Combine items pairwise, lowest levels first: the fewest levels."""
        items = sorted(items, key=lambda i: self.level[i])
        while len(items) > 1:
            items = sorted([self.operation(op, items[0], items[1]), *items[2:]], key=lambda i: self.level[i])
        return items[0]


@dataclass(frozen=True)
class Levelled:
    """A body as vector steps: (operator, first result, operands a, operands b) each."""

    steps: list[tuple[str, int, list[int], list[int]]]
    values: int
    leaves: list[Expr]
    constants: dict[int, float]
    results: list[int]

    @property
    def levels(self) -> int:
        """How many vector steps one evaluation takes."""
        return len(self.steps)


def level_body(program: Program) -> Levelled:
    """Group the operations of a program's body into vector steps."""
    table = _Table()
    of: dict[Expr, int] = {}
    leaves: list[Expr] = []
    constants: dict[float, int] = {}

    def constant(value: float) -> int:
        if value not in constants:
            constants[value] = table.leaf()
        return constants[value]

    for n in topological(program.body.results):
        if isinstance(n, Const):
            of[n] = constant(n.value)
        elif isinstance(n, Symbol | Func):
            # inputs, slots, sines and cosines: given before the first level
            of[n] = table.leaf()
            leaves.append(n)
        elif isinstance(n, Shared):
            of[n] = of[n.inner]
        elif isinstance(n, Add):
            up = [of[t] if c == 1 else table.operation("*", constant(abs(c)), of[t]) if abs(c) != 1 else of[t]
                  for t, c in n.terms if c > 0]  # fmt: skip
            down = [of[t] if c == -1 else table.operation("*", constant(abs(c)), of[t]) for t, c in n.terms if c < 0]
            if n.const:
                up.append(constant(n.const))
            first = table.balanced("+", up) if up else constant(0.0)
            of[n] = table.operation("-", first, table.balanced("+", down)) if down else first
        else:
            assert isinstance(n, Mul)
            above = [of[f] for f, e in n.factors for _ in range(int(max(e, 0)))]
            below = [of[f] for f, e in n.factors for _ in range(int(max(-e, 0)))]
            if n.coef != 1.0 or not above:
                above.append(constant(n.coef))
            top = table.balanced("*", above)
            of[n] = table.operation("/", top, table.balanced("*", below)) if below else top
    return _ordered(table, of, leaves, constants, program)


def _ordered(
    table: _Table, of: dict[Expr, int], leaves: list[Expr], constants: dict[float, int], program: Program
) -> Levelled:
    """Number the values so that every vector step writes consecutive places."""
    groups: dict[tuple[int, str], list[int]] = {}
    for i, kind in enumerate(table.kind):
        if kind is not None:
            groups.setdefault((table.level[i], kind[0]), []).append(i)
    new: dict[int, int] = {}
    for n in leaves:
        new[of[n]] = len(new)
    for place in constants.values():
        new[place] = len(new)
    steps = []
    for key in sorted(groups):
        # members sorted by where their first operand lies: loads run forward
        members = sorted(groups[key], key=lambda i: new[table.kind[i][1]])  # type: ignore[index]
        start = len(new)
        for i in members:
            new[i] = len(new)
        operands = [table.kind[i] for i in members]
        steps.append((key[1], start, [new[k[1]] for k in operands if k], [new[k[2]] for k in operands if k]))
    return Levelled(
        steps,
        len(new),
        leaves,
        {new[place]: value for value, place in constants.items()},
        [new[of[r]] for r in program.body.results],
    )


def emit_levels(program: Program) -> list[CFile]:
    """The unit of a program with its body as vector steps."""
    body = level_body(program)
    main, *others = emit_unit(program)
    head, _, _ = main.text.partition("static void evaluate(")
    places: dict[Expr, str] = {
        s: f"in[{k}][{i}]" for k, symbols in enumerate(program.function.inputs.values()) for i, s in enumerate(symbols)
    }
    slots: dict[Expr, str] = {s: f"c[{i}]" for i, s in enumerate(program.slots)}
    trig: dict[Expr, str] = {}
    lines = ["(void)c; (void)in; (void)out;", f"double w[{body.values}] TW_ALIGN;"]
    n = len(program.body.angles)
    if n:
        lines.append(f"double ang[{n}], sn[{n}], cs[{n}];")
        for k, pair in enumerate(program.body.angles):
            lines.append(f"ang[{k}] = {places[pair.angle]};")
            for node, array in ((pair.sine, "sn"), (pair.cosine, "cs")):
                if node is not None:
                    trig[node] = f"{array}[{k}]"
        lines.append(f"tw_sincos_all(ang, sn, cs, {n});")
    for k, leaf in enumerate(body.leaves):
        lines.append(f"w[{k}] = {trig.get(leaf) or places.get(leaf) or slots[leaf]};")
    lines += [f"w[{place}] = {value!r};" for place, value in body.constants.items()]
    for op, start, a, b in body.steps:
        tables = ", ".join(map(str, a)), ", ".join(map(str, b))
        lines.append(
            f"{{ static const int32_t a[] = {{{tables[0]}}}, b[] = {{{tables[1]}}}; "
            f"for (int k = 0; k < {len(a)}; ++k) w[{start} + k] = w[a[k]] {_OPERATORS[op]} w[b[k]]; }}"
        )
    stores = [f"out[{k}][{i}]" for k, size in enumerate(program.sizes_out.values()) for i in range(size)]
    lines += [f"{where} = w[{place}];" for where, place in zip(stores, body.results, strict=True)]
    arguments = "const tw_slot *TW_RESTRICT c, const tw_real *const *in, tw_real *const *out"
    evaluate = c_function(f"static void evaluate({arguments})", lines)
    return [CFile("\n".join([head, evaluate, '#include "tw_unit_end.h"', ""])), *(f for f in others if f.rare)]

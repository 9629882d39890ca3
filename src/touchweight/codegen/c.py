"""The C emitter: one text that serves scalars and SIMD lanes alike (``tw_real`` is a double or a vector of doubles)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..symbolic import Const, Expr
from .infix import Infix
from .program import Block, Program
from .split import Piece, cut

#: how the header names functions whose name differs
_FUNCTIONS = {
    "less": "tw_lt", "less_equal": "tw_le", "equal": "tw_eq", "both": "tw_and", "either": "tw_or", "negation": "tw_not",
}  # fmt: skip

#: blocks with more operations than this are cut into pieces of about this many
PIECE = 2000

#: very long blocks are cut shorter: compile time falls by half, and they run from memory anyway
LONG, SHORT_PIECE = 8000, 500

#: operations that share a translation unit
FILE = 4000


def c_number(value: float) -> str:
    """A double, exactly."""
    if math.isinf(value):
        return "__builtin_inf()" if value > 0 else "-__builtin_inf()"
    s = repr(value)
    return s if any(ch in s for ch in ".en") else s + ".0"


def c_call(name: str, args: list[str]) -> str:
    """A function of the native header."""
    return f"{_FUNCTIONS.get(name, 'tw_' + name)}({', '.join(args)})"


class _Writer:
    """Writes the statements of blocks and pieces; knows where every symbol lives."""

    def __init__(self, sources: dict[Expr, str], slots: dict[Expr, str]) -> None:
        self.sources = sources
        self.slots = slots
        self.lines: list[str] = []
        self.infix = Infix(c_number, c_call)
        self.infix.names.update(slots)
        self.infix.lift = self.lift

    def lift(self, node: Expr, text: str) -> str:
        """Function arguments and results must be tw_real: numbers and slots are broadcast."""
        if isinstance(node, Const):
            return f"tw_set1({text})"
        return f"TW_SLOT({text})" if node in self.slots else text

    def load(self, node: Expr, local: str, source: str) -> None:
        self.lines.append(f"const tw_real {local} = {source};")
        self.infix.names[node] = local

    def load_symbols(self, nodes: Sequence[Expr]) -> None:
        """Copy inputs into locals: the compiler then knows that nothing else changes them.

        Parameters are read in place: there may be thousands, each read once or twice.
        """
        for node in nodes:
            place = self.sources.get(node)
            if place is None:
                continue
            if place.startswith("p["):
                self.infix.names[node] = place
            else:
                self.load(node, f"i{len(self.infix.names)}", place)

    def angles(self, block: Block) -> None:
        """All sines and cosines of input angles, into ``sn`` and ``cs``."""
        if not block.angles:
            return
        n = len(block.angles)
        self.lines.append(f"tw_real ang[{n}], sn[{n}], cs[{n}];")
        for k, pair in enumerate(block.angles):
            self.lines.append(f"ang[{k}] = {self.lift(pair.angle, self.infix.text(pair.angle))};")
        self.lines.append(f"tw_sincos_all(ang, sn, cs, {n});")

    def steps(self, steps: Sequence[Expr], work: dict[Expr, int] | None = None) -> None:
        for i, node in enumerate(steps):
            self.load(node, f"t{i}", self.infix.definition(node))
            if work and node in work:
                self.lines.append(f"w[{work[node]}] = t{i};")

    def store(self, where: str, node: Expr) -> None:
        self.lines.append(f"{where} = {self.lift(node, self.infix.text(node))};")


def _trig_places(block: Block) -> dict[Expr, str]:
    places: dict[Expr, str] = {}
    for k, pair in enumerate(block.angles):
        for node, array in ((pair.sine, "sn"), (pair.cosine, "cs")):
            if node is not None:
                places[node] = f"{array}[{k}]"
    return places


def _symbols_of(nodes: Sequence[Expr], sources: dict[Expr, str]) -> list[Expr]:
    from ..symbolic import topological

    present = set(topological(nodes))
    return [s for s in sources if s in present]


def emit_block(block: Block, sources: dict[Expr, str], slots: dict[Expr, str], stores: Sequence[str]) -> list[str]:
    """The statements of a whole block: ``sources`` and ``slots`` say where symbols are, ``stores`` where results go."""
    out = _Writer(sources, slots)
    out.load_symbols(_symbols_of(block.results, sources))
    out.angles(block)
    for node, place in _trig_places(block).items():
        out.load(node, place.replace("[", "").replace("]", ""), place)
    out.steps(block.steps)
    for where, node in zip(stores, block.results, strict=True):
        out.store(where, node)
    return out.lines


def _piece(block: Block, piece: Piece, work: dict[Expr, int], sources: dict[Expr, str], slots: dict[Expr, str],
           stores: Sequence[str]) -> list[str]:  # fmt: skip
    out = _Writer(sources, slots)
    trig = _trig_places(block)
    out.load_symbols([n for n in piece.leaves if n not in slots])
    for node in piece.leaves:
        if node in trig:
            out.load(node, trig[node].replace("[", "").replace("]", ""), trig[node])
    for node in piece.reads:
        out.load(node, f"w{work[node]}", f"w[{work[node]}]")
    out.steps(piece.steps, work)
    for r in piece.results:
        out.store(stores[r], block.results[r])
    return out.lines


def c_function(head: str, lines: Sequence[str]) -> str:
    """A function with its body indented."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"{head}\n{{\n{body}\n}}\n"


class _Routine:
    """One generated C routine: a head, what its symbols are called, where its results go."""

    def __init__(
        self,
        name: str,
        arguments: str,
        passed: str,
        block: Block,
        sources: dict[Expr, str],
        slots: dict[Expr, str],
        stores: Sequence[str],
    ) -> None:
        self.name, self.arguments, self.passed = name, arguments, passed
        self.block, self.sources, self.slots, self.stores = block, sources, slots, stores

    @property
    def is_long(self) -> bool:
        return len(self.block.steps) > 1 and self.block.operations.total > PIECE

    @property
    def piece(self) -> int:
        """Operations in a piece."""
        return PIECE if self.block.operations.total < LONG else min(PIECE, SHORT_PIECE)

    def unused(self) -> str:
        return " ".join(f"(void){a};" for a in self.passed.split(", "))

    def whole(self) -> str:
        """The routine as one function."""
        lines = emit_block(self.block, self.sources, self.slots, self.stores)
        return c_function(f"static void {self.name}({self.arguments})", [self.unused(), *lines])

    def pieces(self) -> tuple[list[str], list[str], str]:
        """The routine cut up: (declarations, functions, the function that calls them in order)."""
        made = cut(self.block, self.piece)
        extra = "const tw_real *sn, const tw_real *cs, tw_real *w"
        declarations, functions = [], []
        for k, piece in enumerate(made.pieces):
            head = f"TW_HIDDEN void tw_{self.name}_{k}({self.arguments}, {extra})"
            declarations.append(head + ";")
            lines = _piece(self.block, piece, made.work, self.sources, self.slots, self.stores)
            functions.append(c_function(head, [self.unused() + " (void)sn; (void)cs; (void)w;", *lines]))
        out = _Writer(self.sources, self.slots)
        out.infix.names.update(self.sources)
        out.lines.append(f"{self.unused()} tw_real w[{max(1, len(made.work))}];")
        out.angles(self.block)
        trig = "sn, cs" if self.block.angles else "w, w"
        out.lines += [f"tw_{self.name}_{k}({self.passed}, {trig}, w);" for k in range(len(made.pieces))]
        return declarations, functions, c_function(f"static void {self.name}({self.arguments})", out.lines)


def _routines(program: Program) -> tuple[_Routine, _Routine]:
    f = program.function
    slots: dict[Expr, str] = {s: f"c[{i}]" for i, s in enumerate(program.slots)}
    prepare = _Routine(
        "prepare",
        "const tw_real *TW_RESTRICT p, tw_real *TW_RESTRICT c",
        "p, c",
        program.prepare,
        {s: f"p[{i}]" for i, s in enumerate(f.parameters)},
        {},
        [f"c[{i}]" for i in range(len(program.slots))],
    )
    evaluate = _Routine(
        "evaluate",
        "const tw_slot *TW_RESTRICT c, const tw_real *const *in, tw_real *const *out",
        "c, in, out",
        program.body,
        {s: f"in[{k}][{i}]" for k, symbols in enumerate(f.inputs.values()) for i, s in enumerate(symbols)},
        slots,
        [f"out[{k}][{i}]" for k, n in enumerate(program.sizes_out.values()) for i in range(n)],
    )
    return prepare, evaluate


@dataclass(frozen=True)
class CFile:
    """A translation unit; ``rare`` code runs only when a parameter changes and is compiled without optimisation."""

    text: str
    rare: bool = False


def emit_unit(program: Program) -> list[CFile]:
    """The C files of a function, to be built with ``native/`` on the include path; the first holds its table."""
    opening = '/* generated by touchweight; do not edit */\n#include "tw_unit.h"\n'
    sizes_in = ", ".join(str(n) for n in program.sizes_in.values()) or "0"
    sizes_out = ", ".join(str(n) for n in program.sizes_out.values()) or "0"
    main = [
        opening,
        f"#define TW_INPUTS {len(program.sizes_in)}",
        f"#define TW_OUTPUTS {len(program.sizes_out)}",
        f"#define TW_PARAMETERS {len(program.function.parameters)}",
        f"#define TW_SLOTS {len(program.slots)}",
        f"#define TW_IN_TOTAL {max(1, sum(program.sizes_in.values()))}",
        f"#define TW_OUT_TOTAL {max(1, sum(program.sizes_out.values()))}",
        f"static const int32_t sizes_in[] = {{{sizes_in}}};",
        f"static const int32_t sizes_out[] = {{{sizes_out}}};",
        "",
    ]
    files: list[CFile] = []
    for routine in _routines(program):
        guard = routine.name == "prepare"
        lines = []
        if routine.is_long:
            declarations, functions, caller = routine.pieces()
            lines += [*declarations, caller]
            per_file = max(1, FILE // routine.piece)
            for i in range(0, len(functions), per_file):
                text = _guarded([opening, *functions[i : i + per_file]], guard)
                files.append(CFile(text, rare=guard))
        else:
            lines.append(routine.whole())
        main.append(_guarded(lines, guard))
    return [CFile("\n".join([*main, '#include "tw_unit_end.h"', ""])), *files]


def _guarded(lines: list[str], guard: bool) -> str:
    """``prepare`` runs on plain numbers, or on lanes when every item has parameters of its own."""
    text = "\n".join(lines)
    if not guard:
        return text
    opening, _, rest = text.rpartition('#include "tw_unit.h"\n')
    head = opening + '#include "tw_unit.h"\n' if _ else ""
    return f"{head}#if TW_LANES == 1 || TW_SLOT_LANES\n{rest}\n#endif\n"

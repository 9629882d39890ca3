"""The C emitter: one text that serves scalars and SIMD lanes alike (``tw_real`` is a double or a vector of doubles)."""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic import Const, Expr, Symbol
from .infix import Infix
from .program import Block, Program

#: how the header names each function
_FUNCTIONS = {
    "abs": "tw_abs", "less": "tw_lt", "less_equal": "tw_le", "equal": "tw_eq", "both": "tw_and", "either": "tw_or",
    "negation": "tw_not",
}  # fmt: skip

#: bodies longer than this are cut into functions of this length, so that compile time stays near linear
CHUNK = 2500


def c_number(value: float) -> str:
    """A double, exactly."""
    s = repr(value)
    return s if any(ch in s for ch in ".en") else s + ".0"


def _call(name: str, args: list[str]) -> str:
    return f"{_FUNCTIONS.get(name, 'tw_' + name)}({', '.join(args)})"


def emit_block(
    block: Block,
    names: dict[Expr, str],
    stores: Sequence[str],
    real: str = "tw_real",
    loads: dict[Expr, str] | None = None,
) -> list[str]:
    """The statements of a block; ``names`` names its symbols, ``stores`` says where each result goes.

    ``loads`` maps symbols to the local that holds them once loaded (``names`` then says from where).
    """
    lines, _ = _Writer(block, names, stores, real, loads or {}).write()
    return lines


class _Writer:
    def __init__(
        self, block: Block, names: dict[Expr, str], stores: Sequence[str], real: str, loads: dict[Expr, str]
    ) -> None:
        self.block = block
        self.real = real
        self.stores = stores
        self.infix = Infix(c_number, _call)
        self.infix.names = dict(names)
        self.infix.lift = self._lift
        self.scalars = {s for s, n in names.items() if n.startswith("c[")}

    def _lift(self, node: Expr, text: str) -> str:
        """Function arguments must be tw_real: numbers and slots are broadcast."""
        if isinstance(node, Const):
            return f"tw_set1({text})"
        return f"TW_SLOT({text})" if node in self.scalars else text

    def write(self) -> tuple[list[str], dict[Expr, str]]:
        lines: list[str] = []
        self._angles(lines)
        for i, node in enumerate(self.block.steps):
            lines.append(f"const {self.real} t{i} = {self.infix.definition(node)};")
            self.infix.names[node] = f"t{i}"
        for where, node in zip(self.stores, self.block.results, strict=True):
            lines.append(f"{where} = {self._lift(node, self.infix.text(node))};")
        return lines, self.infix.names

    def _angles(self, lines: list[str]) -> None:
        angles = self.block.angles
        if not angles:
            return
        n = len(angles)
        lines.append(f"{self.real} ang[{n}], sn[{n}], cs[{n}];")
        for k, pair in enumerate(angles):
            lines.append(f"ang[{k}] = {self._lift(pair.angle, self.infix.text(pair.angle))};")
        lines.append(f"tw_sincos_all(ang, sn, cs, {n});")
        for k, pair in enumerate(angles):
            for node, array in ((pair.sine, "sn"), (pair.cosine, "cs")):
                if node is not None:
                    lines.append(f"const {self.real} {array}{k} = {array}[{k}];")
                    self.infix.names[node] = f"{array}{k}"


def input_names(program: Program) -> dict[Expr, str]:
    """Locals that hold the inputs, such as ``q3``."""
    return {s: f"{array}{i}" for array, symbols in program.function.inputs.items() for i, s in enumerate(symbols)}


def slot_names(program: Program) -> dict[Expr, str]:
    """Places of the slots in the table, ``c[i]``."""
    return {s: f"c[{i}]" for i, s in enumerate(program.slots)}


def used_symbols(block: Block) -> set[Expr]:
    """The symbols a block reads."""
    from ..symbolic import topological

    return {n for n in topological(block.results) if isinstance(n, Symbol)}


def emit_prepare(program: Program) -> str:
    """``prepare``: the table of slots from the parameters."""
    names: dict[Expr, str] = {s: f"p[{i}]" for i, s in enumerate(program.function.parameters)}
    stores = [f"c[{i}]" for i in range(len(program.slots))]
    lines = emit_block(program.prepare, names, stores)
    code = _function("static void prepare(const tw_real *p, tw_real *TW_RESTRICT c)", ["(void)p; (void)c;", *lines])
    return f"#if TW_LANES == 1 || TW_SLOT_LANES\n{code}#endif\n"


def emit_evaluate(program: Program) -> list[str]:
    """``evaluate``: C functions, the last of which is the entry; long bodies are cut into several."""
    if len(program.body.steps) > CHUNK:
        from .split import emit_split

        return emit_split(program, CHUNK)
    used = used_symbols(program.body)
    names = slot_names(program)
    lines = ["(void)c; (void)in; (void)out;"]
    for k, (array, symbols) in enumerate(program.function.inputs.items()):
        if any(s in used for s in symbols):
            lines.append(f"const tw_real *const {array} = in[{k}];")
        for i, s in enumerate(symbols):
            if s in used:
                lines.append(f"const tw_real {array}{i} = {array}[{i}];")
                names[s] = f"{array}{i}"
    for k, array in enumerate(program.function.outputs):
        lines.append(f"tw_real *TW_RESTRICT const out_{array} = out[{k}];")
    stores = [f"out_{array}[{i}]" for array, n in program.sizes_out.items() for i in range(n)]
    lines += emit_block(program.body, names, stores)
    return [_function(EVALUATE, lines)]


EVALUATE = "static void evaluate(const tw_slot *TW_RESTRICT c, const tw_real *const *in, tw_real *const *out)"


def _function(head: str, lines: Sequence[str]) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"{head}\n{{\n{body}\n}}\n"


def emit_unit(program: Program) -> str:
    """The whole translation unit of a compiled function, to be built with ``native/`` on the include path."""
    f = program.function
    sizes_in = ", ".join(str(n) for n in program.sizes_in.values()) or "0"
    sizes_out = ", ".join(str(n) for n in program.sizes_out.values()) or "0"
    return "\n".join(
        [
            "/* generated by touchweight; do not edit */",
            '#include "tw_unit.h"',
            "",
            f"#define TW_INPUTS {len(program.sizes_in)}",
            f"#define TW_OUTPUTS {len(program.sizes_out)}",
            f"#define TW_PARAMETERS {len(f.parameters)}",
            f"#define TW_SLOTS {len(program.slots)}",
            f"#define TW_IN_TOTAL {max(1, sum(program.sizes_in.values()))}",
            f"#define TW_OUT_TOTAL {max(1, sum(program.sizes_out.values()))}",
            f"static const int32_t sizes_in[] = {{{sizes_in}}};",
            f"static const int32_t sizes_out[] = {{{sizes_out}}};",
            "",
            emit_prepare(program),
            *emit_evaluate(program),
            '#include "tw_unit_end.h"',
            "",
        ]
    )

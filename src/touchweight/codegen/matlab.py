"""The MATLAB/Octave emitter: one function file, vectors in, vectors out."""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic import Expr
from .infix import Infix
from .program import Block, Program

_INFIX = {"less": "<", "less_equal": "<=", "equal": "==", "both": "&&", "either": "||"}


def _call(name: str, args: list[str]) -> str:
    if name in _INFIX:
        return f"({args[0]} {_INFIX[name]} {args[1]})"
    if name == "negation":
        return f"(~{args[0]})"
    if name == "pow":
        return f"({args[0]})^({args[1]})"
    if name == "select":
        return f"tw_select({', '.join(args)})"
    return f"{name}({', '.join(args)})"


def _block(block: Block, names: dict[Expr, str], stores: Sequence[str]) -> list[str]:
    infix = Infix(repr, _call)
    infix.names.update(names)
    lines: list[str] = []
    for k, pair in enumerate(block.angles):
        angle = infix.text(pair.angle)
        for node, function, letter in ((pair.sine, "sin", "s"), (pair.cosine, "cos", "c")):
            if node is not None:
                lines.append(f"{letter}n{k} = {function}({angle});")
                infix.names[node] = f"{letter}n{k}"
    for i, node in enumerate(block.steps):
        lines.append(f"t{i} = {infix.definition(node)};")
        infix.names[node] = f"t{i}"
    lines += [f"{where} = {infix.text(node)};" for where, node in zip(stores, block.results, strict=True)]
    return lines


def emit_matlab(program: Program, name: str, notes: Sequence[str] = ()) -> str:
    """``[outputs] = name(p, inputs...)``: parameters p as a vector, everything in one file."""
    ins, outs = list(program.sizes_in), [f"out_{k}" for k in program.sizes_out]
    lines = [f"function [{', '.join(outs)}] = {name}({', '.join(['p', *ins])})"]
    lines += [f"% {note}" for note in notes]
    lines += [f"{o} = zeros({n}, 1);" for o, n in zip(outs, program.sizes_out.values(), strict=True)]
    names: dict[Expr, str] = {s: f"p({i + 1})" for i, s in enumerate(program.function.parameters)}
    lines += [f"c = zeros({max(1, len(program.slots))}, 1);"]
    lines += _block(program.prepare, names, [f"c({i + 1})" for i in range(len(program.slots))])
    names = {s: f"c({i + 1})" for i, s in enumerate(program.slots)}
    for array, symbols in program.function.inputs.items():
        names.update({s: f"{array}({i + 1})" for i, s in enumerate(symbols)})
    stores = [f"out_{array}({i + 1})" for array, n in program.sizes_out.items() for i in range(n)]
    lines += _block(program.body, names, stores)
    lines += ["end", "", "function r = tw_select(condition, a, b)", "if condition", "  r = a;", "else", "  r = b;", "end", "end"]
    return "\n".join(lines) + "\n"

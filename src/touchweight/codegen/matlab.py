"""The MATLAB/Octave emitter: one function file, vectors in, vectors out."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import printable
from ..symbolic import Expr
from .infix import Infix, statements
from .program import Block, Program

_INFIX = {"less": "<", "less_equal": "<=", "equal": "==", "both": "&&", "either": "||"}

#: functions that leave the real numbers where the others say NaN
_COMPLEX = frozenset({"sqrt", "log", "asin", "acos"})

#: what MATLAB lacks or means differently; min and max there ignore NaN
_HELPERS = """\
function r = tw_select(condition, a, b)
if condition
  r = a;
else
  r = b;
end
end

function r = tw_min(a, b)
if a < b || a ~= a
  r = a;
else
  r = b;
end
end

function r = tw_max(a, b)
if a > b || a ~= a
  r = a;
else
  r = b;
end
end

function r = tw_real(r)
if ~isreal(r)
  r = NaN;
end
end
"""


def _call(name: str, args: list[str]) -> str:
    if name in _INFIX:
        return f"({args[0]} {_INFIX[name]} {args[1]})"
    if name == "negation":
        return f"(~{args[0]})"
    if name == "pow":
        return f"tw_real(({args[0]})^({args[1]}))"
    if name in ("select", "min", "max"):
        return f"tw_{name}({', '.join(args)})"
    text = f"{name}({', '.join(args)})"
    return f"tw_real({text})" if name in _COMPLEX else text


def _block(block: Block, names: dict[Expr, str], stores: Sequence[str]) -> list[str]:
    infix = Infix(repr, _call)
    infix.names.update(names)
    return statements(infix, block, stores, ";")


def emit_matlab(program: Program, name: str, notes: Sequence[str] = ()) -> str:
    """``[outputs] = name(p, inputs...)``: parameters p as a vector, everything in one file.

    Args:
        program: what to write.
        name: an identifier, the name of the function and of its file.
        notes: lines of comment, made safe.
    """
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"expected an identifier for a MATLAB function, found {printable(name)!r}")
    ins, outs = list(program.sizes_in), [f"out_{k}" for k in program.sizes_out]
    lines = [f"function [{', '.join(outs)}] = {name}({', '.join(['p', *ins])})"]
    lines += [f"% {printable(note)}" for note in notes]
    lines += [f"{o} = zeros({n}, 1);" for o, n in zip(outs, program.sizes_out.values(), strict=True)]
    names: dict[Expr, str] = {s: f"p({i + 1})" for i, s in enumerate(program.function.parameters)}
    lines += [f"c = zeros({max(1, len(program.slots))}, 1);"]
    lines += _block(program.prepare, names, [f"c({i + 1})" for i in range(len(program.slots))])
    names = {s: f"c({i + 1})" for i, s in enumerate(program.slots)}
    for array, symbols in program.function.inputs.items():
        names.update({s: f"{array}({i + 1})" for i, s in enumerate(symbols)})
    stores = [f"out_{array}({i + 1})" for array, n in program.sizes_out.items() for i in range(n)]
    lines += _block(program.body, names, stores)
    return "\n".join([*lines, "end", "", _HELPERS])

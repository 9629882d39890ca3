"""The Python emitter: plain functions that run on floats (``math``) and on arrays (NumPy) alike.

This is what runs when there is no C compiler: slower, same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..symbolic import Expr
from ..symbolic.evaluate import ARRAY_FUNCTIONS
from .infix import Infix, statements
from .program import Block, Program

_RENAMED = {"min": "minimum", "max": "maximum", "abs": "absolute"}


def py_number(value: float) -> str:
    """A float, exactly."""
    return repr(value)  # infinity is a name, see below


def _call(name: str, args: list[str]) -> str:
    return f"{_RENAMED.get(name, name)}({', '.join(args)})"


def emit_block(block: Block, names: dict[Expr, str], stores: Sequence[str]) -> list[str]:
    """The statements of a block."""
    infix = Infix(py_number, _call)
    infix.names.update(names)
    return statements(infix, block, stores)


def emit_prepare(program: Program) -> str:
    """``prepare(p, c)``: fill the table of slots."""
    names: dict[Expr, str] = {s: f"p[{i}]" for i, s in enumerate(program.function.parameters)}
    lines = emit_block(program.prepare, names, [f"c[{i}]" for i in range(len(program.slots))])
    return _function("prepare(p, c)", lines)


def emit_evaluate(program: Program) -> str:
    """``evaluate(c, inputs..., outputs...)``: fill the outputs."""
    names: dict[Expr, str] = {s: f"c[{i}]" for i, s in enumerate(program.slots)}
    for array, symbols in program.function.inputs.items():
        names.update({s: f"{array}[{i}]" for i, s in enumerate(symbols)})
    stores = [f"out_{array}[{i}]" for array, n in program.sizes_out.items() for i in range(n)]
    head = ", ".join(["c", *program.sizes_in, *(f"out_{k}" for k in program.sizes_out)])
    return _function(f"evaluate({head})", emit_block(program.body, names, stores))


def _function(head: str, lines: Sequence[str]) -> str:
    return f"def {head}:\n" + "".join(f"    {line}\n" for line in lines or ["pass"])


#: names the generated functions use, for floats and for arrays
SCALAR_NAMES: dict[str, Any] = {
    **{
        n: getattr(math, n)
        for n in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sqrt")
    },
    "inf": math.inf,
    "floor": math.floor,
    "pow": math.pow,
    "absolute": abs,
    # as in the native header: NaN in either argument comes out
    "minimum": lambda x, y: x if x < y or x != x else y,
    "maximum": lambda x, y: x if x > y or x != x else y,
    "sign": lambda x: x if x != x else float((x > 0) - (x < 0)),
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "equal": lambda x, y: x == y,
    "both": lambda x, y: x and y,
    "either": lambda x, y: x or y,
    "negation": lambda x: not x,
    "select": lambda c, x, y: x if c else y,
}
ARRAY_NAMES: dict[str, Any] = {
    **{_RENAMED.get(k, k): f for k, f in ARRAY_FUNCTIONS.items()},
    "inf": math.inf,
    "sqrt": np.sqrt,
}


def load(source: str, name: str, names: dict[str, Any]) -> Callable[..., None]:
    """Run generated source (never text from a file) and take the function called ``name``."""
    scope = dict(names)
    exec(compile(source, "<touchweight>", "exec"), scope)
    made: Callable[..., None] = scope[name]
    return made

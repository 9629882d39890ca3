"""Python to take away: one module that needs only ``math``."""

from __future__ import annotations

import re

from .. import python as python_emitter
from .names import remark
from .plan import Call, Plan, indented, local_names, named, prepare_names

_PYTHON_HELPERS = {
    "minimum": "minimum = min", "maximum": "maximum = max", "absolute": "absolute = abs",
    "sign": "def sign(x):\n    return float((x > 0) - (x < 0))",
    "less": "def less(x, y):\n    return x < y",
    "less_equal": "def less_equal(x, y):\n    return x <= y",
    "equal": "def equal(x, y):\n    return x == y",
    "both": "def both(x, y):\n    return x and y",
    "either": "def either(x, y):\n    return x or y",
    "negation": "def negation(x):\n    return not x",
    "select": "def select(condition, x, y):\n    return x if condition else y",
}  # fmt: skip


def python_files(plan: Plan) -> dict[str, str]:
    """File name -> text."""
    bodies = [_python_call(plan, call) for call in plan.calls]
    called = sorted(
        set(re.findall(r"(?<![\w.])([a-z]\w*)(?=\()", "\n".join(bodies))) & set(python_emitter.SCALAR_NAMES)
    )
    imported = [n for n in called if n not in _PYTHON_HELPERS]
    imported += ["inf"] if any(re.search(r"\binf\b", body) for body in bodies) else []
    first = plan.calls[0]
    given = ", ".join(repr(plan.defaults(k) if k != "t" else 0.0) for k in first.inputs)
    out = [
        f"# {plan.title}",
        "#",
        "#     table = prepare()    # once, and after a parameter has changed: prepare({'name': value})",
        f"#     {first.name}(table, {given})",
        "#",
        "# Every function takes and gives lists, in the order of the names below. SI units, z up,",
        "# quaternions (w, x, y, z) of length one. Where a number does not exist (a root of a negative",
        "# number, a division by zero) Python raises its usual error.",
        "",
        *([f"from math import {', '.join(imported)}", ""] if imported else []),
    ]
    for array in plan.sizes:
        if array in ("p", "t"):
            continue
        out.append(f"# {array}: {plan.meaning(array)}")
        out += [f"#     {array}[{i}]  {named(e)}" for i, e in enumerate(plan.entries(array))]
    out += ["", f"# p: {plan.meaning('p')}", "PARAMETERS = {"]
    out += [f"    {e.name!a}: {e.value!r},  # {remark(e.unit)}".rstrip(" #") for e in plan.entries("p")]
    out += ["}", ""]
    for name in called:
        if name in _PYTHON_HELPERS:
            out += ["", _PYTHON_HELPERS[name], ""]
    table = ", ".join(f"{c.name!r}: _prepare_{c.name}(p)" for c in plan.calls)
    out += [
        "",
        "def prepare(p=()):",
        '    """The table that the functions take: p is all parameters in order, or changes by name."""',
        "    if len(p) not in (0, len(PARAMETERS)) and not hasattr(p, 'keys'):",
        "        raise ValueError(f'expected {len(PARAMETERS)} parameters, found {len(p)}')",
        "    if not hasattr(p, 'keys'):",
        "        p = dict(zip(PARAMETERS, p))",
        "    unknown = [name for name in p if name not in PARAMETERS]",
        "    if unknown:",
        "        raise KeyError(f'expected parameters among {list(PARAMETERS)}, found {unknown}')",
        "    p = list({**PARAMETERS, **p}.values())",
        f"    return {{{table}}}",
        "",
        "",
    ]
    return {f"{plan.stem}.py": "\n".join([*out, "\n\n".join(bodies)])}


def _python_call(plan: Plan, call: Call) -> str:
    program = call.program
    stores = [f"k[{i}]" for i in range(len(program.slots))]
    lines = [f"k = [0.0] * {len(program.slots)}"]
    lines += [*python_emitter.emit_block(program.prepare, prepare_names(program), stores), "return k"]
    prepare = f"def _prepare_{call.name}(p):\n{indented(lines)}"
    arguments = ", ".join(["table", *("time" if k == "t" else k for k in call.inputs)])
    results = [f"out_{k}" for k in call.outputs]
    lines = [
        f'"""{"; ".join(f"{k}: {plan.meaning(k)}" for k in call.outputs)}."""',
        f"k = table[{call.name!r}]",
    ]
    lines += [f"out_{k} = [0.0] * {plan.sizes[k]}" for k in call.outputs]
    stores = [f"out_{k}[{i}]" for k, n in program.sizes_out.items() for i in range(n)]
    lines += python_emitter.emit_block(program.body, local_names(program), stores)
    lines.append(f"return {', '.join(results) or '[]'}")
    return f"{prepare}\n\ndef {call.name}({arguments}):\n{indented(lines)}"

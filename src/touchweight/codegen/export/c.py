"""C to take away: one file and its header, for any C99 compiler."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from ...symbolic import Expr
from ..c import PIECE, c_number, emit_block
from ..compiler import NATIVE
from ..program import Block
from ..split import cut
from .names import unique
from .plan import Call, Plan, indented, named

#: what generated C calls, for compilers without our vector arithmetic
_PLAIN_MATH = {
    "tw_sincos_n": """static void tw_sincos_n(const double *x, double *s, double *c, int n)
{
    for (int i = 0; i < n; ++i) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
}""",
    "tw_min": "static double tw_min(double a, double b) { return a != a || a < b ? a : b; }",
    "tw_max": "static double tw_max(double a, double b) { return a != a || a > b ? a : b; }",
    "tw_sign": "static double tw_sign(double x) { return x != x ? x : (double)((x > 0.0) - (x < 0.0)); }",
    "tw_abs": "#define tw_abs(x) fabs(x)",
    "tw_pow": "#define tw_pow(x, y) pow(x, y)",
    "tw_atan2": "#define tw_atan2(y, x) atan2(y, x)",
    "tw_lt": "#define tw_lt(a, b) ((a) < (b))",
    "tw_le": "#define tw_le(a, b) ((a) <= (b))",
    "tw_eq": "#define tw_eq(a, b) ((a) == (b))",
    "tw_and": "#define tw_and(a, b) ((a) && (b))",
    "tw_or": "#define tw_or(a, b) ((a) || (b))",
    "tw_not": "#define tw_not(a) (!(a))",
    "tw_select": "#define tw_select(m, a, b) ((m) ? (a) : (b))",
    "tw_set1": "#define tw_set1(x) (x)",
}

_C_OURS = """
/* Sines and cosines: on 64-bit x86 and ARM, with gcc or clang, several at once, within one unit or so
 * in the last place. Elsewhere, or with -DTW_PLAIN_MATH, they come from the C library: plain C99. */
#if !defined(TW_PLAIN_MATH) && defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
{ours}
#else
#include <math.h>
{plain}
#endif
#define tw_sincos_all(x, s, c, n) tw_sincos_n(x, s, c, n)
"""
_C_PLAIN = "#define TW_NOINLINE\ntypedef double tw_real;"


def c_files(plan: Plan) -> dict[str, str]:
    """File name -> text."""
    bodies = "\n".join(_c_call(plan, call) for call in plan.calls).replace("__builtin_inf()", "HUGE_VAL")
    include = "#include <math.h>\n" if "HUGE_VAL" in bodies else ""
    called = set(re.findall(r"\btw_\w+(?=\()", bodies))
    if "tw_sincos_all" in called:
        called = called - {"tw_sincos_all"} | {"tw_sincos_n"}
    plain = "\n".join([_C_PLAIN, *(_PLAIN_MATH.get(n, f"#define {n}(x) {n[3:]}(x)") for n in sorted(called))])
    # bare arithmetic needs neither
    math = _C_OURS.replace("{plain}", plain).replace("{ours}", scalar_math()) if called - {"tw_set1"} else plain + "\n"
    values = ", ".join(c_number(x) for x in plan.defaults("p")) or "0.0"
    s = plan.stem
    source = [
        f"/* {s}.c: {plan.title} */\n",
        f'#include "{s}.h"\n{include}',
        math + "#define TW_SLOT(x) (x)\n",
        f"void {s}_defaults(double *p)\n{{",
        f"    static const double value[] = {{{values}}};",
        f"    for (int i = 0; i < {s.upper()}_N_P; ++i) p[i] = value[i];\n}}\n",
        bodies,
        f"void {s}_prepare(const double *p, {s}_table *table)\n{{",
        *(f"    prepare_{c.name}(p, table->{c.name});" for c in plan.calls),
        "}\n",
    ]
    return {f"{s}.h": _c_header(plan), f"{s}.c": "\n".join(source)}


def scalar_math() -> str:
    """``native/tw_math.h`` as it is with one lane: what serves several lanes only is left out."""
    out: list[str] = []
    kept: list[bool | None] = []  # for each open #if: is its present branch kept? None: not ours to decide
    for line in (NATIVE / "tw_math.h").read_text(encoding="utf-8").splitlines():
        word = line.split()[0] if line.startswith("#") else ""
        if word in ("#if", "#ifdef", "#ifndef"):
            kept.append(_with_one_lane(line))
            if kept[-1] is not None:
                continue
        elif word == "#endif":
            if kept.pop() is not None:
                continue
        elif word == "#else" and kept[-1] is not None:
            kept[-1] = not kept[-1]
            continue
        if False not in kept:
            out.append(line)
    return "\n".join(out)


def _with_one_lane(condition: str) -> bool | None:
    """Whether ``#if TW_LANES ...`` holds for one lane; None for other conditions."""
    parts = condition.removeprefix("#if ").split(" && ")
    tests = [re.fullmatch(r"TW_LANES (==|!=|>) (\d)", part.strip()) for part in parts]
    if not all(tests):
        return None
    holds = {"==": lambda n: n == 1, "!=": lambda n: n != 1, ">": lambda n: n < 1}
    return all(holds[t[1]](int(t[2])) for t in tests if t)


def _c_arguments(plan: Plan, call: Call) -> str:
    size = plan.stem.upper() + "_N_"
    given = ["double time" if k == "t" else f"const double {k}[{size}{k.upper()}]" for k in call.inputs]
    made = [f"double {k}[{size}{k.upper()}]" for k in call.outputs]
    return ", ".join([f"const {plan.stem}_table *table", *given, *made])


def _c_call(plan: Plan, call: Call) -> str:
    """The C functions of a program: its part of ``prepare``, and the function itself."""
    program = call.program
    parameters: dict[Expr, str] = {s: f"p[{i}]" for i, s in enumerate(program.function.parameters)}
    slots: dict[Expr, str] = {s: f"k[{i}]" for i, s in enumerate(program.slots)}
    inputs: dict[Expr, str] = {}
    for array, symbols in program.function.inputs.items():
        inputs.update({s: "time" if array == "t" else f"{array}[{i}]" for i, s in enumerate(symbols)})
    results = [f"{array}[{i}]" for array, n in program.sizes_out.items() for i in range(n)]
    taken = {"p": "const double *p", "k": "double *restrict k"}
    prepare = _c_function(f"prepare_{call.name}", taken, program.prepare, parameters, {}, list(slots.values()))
    taken = {"k": "const double *restrict k"}
    taken.update({"time" if k == "t" else k: "double time" if k == "t" else f"const double *{k}" for k in call.inputs})
    taken.update({k: f"double *restrict {k}" for k in call.outputs})
    evaluate = _c_function(f"evaluate_{call.name}", taken, program.body, inputs, slots, results)
    passed = ", ".join([f"table->{call.name}", *list(taken)[1:]])
    head = f"void {plan.stem}_{call.name}({_c_arguments(plan, call)})"
    return "\n".join([prepare, evaluate, f"{head}\n{{\n    evaluate_{call.name}({passed});\n}}\n"])


def _c_function(
    name: str,
    taken: Mapping[str, str],
    block: Block,
    sources: dict[Expr, str],
    slots: dict[Expr, str],
    stores: list[str],
) -> str:
    """A block as a C function with the arguments ``taken``; a long one is cut up, with a work array."""
    arguments, passed = ", ".join(taken.values()), ", ".join(taken)
    silent = " ".join(f"(void){k};" for k in taken)
    if len(block.steps) <= PIECE:
        lines = [silent, *emit_block(block, sources, slots, stores)]
        return f"static void {name}({arguments})\n{{\n{indented(lines)}}}\n"
    made = cut(block, PIECE)
    # sines and cosines first, into the work array behind what crosses from piece to piece
    given = [f for pair in block.angles for f in (pair.sine, pair.cosine) if f is not None]
    place: dict[Expr, str] = {n: f"w[{i}]" for n, i in made.work.items()}
    place.update({n: f"w[{len(made.work) + i}]" for i, n in enumerate(given)})
    functions = []
    for i, piece in enumerate(made.pieces):
        crossing = [n for n in piece.steps if n in place]
        reads = {n: {**sources, **place}[n] for n in (*piece.leaves, *piece.reads) if n not in slots}
        part = Block([], piece.steps, [*crossing, *(block.results[r] for r in piece.results)])
        where = [*(place[n] for n in crossing), *(stores[r] for r in piece.results)]
        lines = [f"{silent} (void)w;", *emit_block(part, reads, slots, where)]
        functions.append(f"static TW_NOINLINE void {name}_{i}({arguments}, double *w)\n{{\n{indented(lines)}}}\n")
    lines = [f"{silent} double w[{max(1, len(place))}];"]
    lines += emit_block(Block(block.angles, [], given), sources, slots, [place[n] for n in given])
    lines += [f"{name}_{i}({passed}, w);" for i in range(len(made.pieces))]
    return "\n".join([*functions, f"static void {name}({arguments})\n{{\n{indented(lines)}}}\n"])


def _c_header(plan: Plan) -> str:
    s, big = plan.stem, plan.stem.upper()
    first = plan.calls[0]
    out = [
        f"/* {s}.h: {plan.title}",
        " *",
        *_wrapped(
            f"Add {s}.c and {s}.h to your project (cc -O2 -c {s}.c; link with -lm). They need no other file, "
            "allocate nothing and keep no state between calls, so any number of threads may call them, each "
            "with its own arrays. All numbers are in SI units, in a right-handed world with z up; "
            "quaternions are (w, x, y, z) of length one."
        ),
        " *",
        *_wrapped(
            f"1. Fill the parameters: {s}_defaults(p), then change what you like, such as p[{_some_index(plan)}]."
        ),
        *_wrapped(f"2. {s}_prepare(p, &table) once, and again after a parameter has changed."),
        *_wrapped(
            f"3. Call {', '.join(f'{s}_{c.name}' for c in plan.calls)} with that table as often as you like. "
            "Arrays that go in and arrays that come out must not overlap."
        ),
        " *",
        " * For example:",
        " *",
        *(f" *     {line}".rstrip() for line in _c_example(plan, first)),
        " */",
        f"#ifndef {big}_H",
        f"#define {big}_H",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        "/* lengths of the arrays */",
        *(f"#define {big}_N_{k.upper()} {n} /* {k}: {plan.meaning(k)} */" for k, n in plan.sizes.items() if k != "t"),
        "",
    ]
    for array in plan.sizes:
        entries = plan.entries(array)
        if not entries or array == "t":
            continue
        out.append(f"/* {array}: {plan.meaning(array)} */\nenum {{")
        for i, (name, e) in enumerate(zip(unique(e.name for e in entries), entries, strict=True)):
            default = f", {c_number(e.value)} by default" if array == "p" else ""
            out.append(f"    {big}_{array.upper()}_{name.upper()} = {i}, /* {named(e)}{default} */")
        out.append("};\n")
    table = [f"    double {c.name}[{max(1, len(c.program.slots))}];" for c in plan.calls]
    out += [
        "/* what depends on the parameters alone, worked out once */",
        f"typedef struct {s}_table {{",
        *table,
        f"}} {s}_table;",
        "",
        "/* the parameters as they were described */",
        f"void {s}_defaults(double *p);",
        "",
        "/* fill the table: once, and again after a parameter has changed */",
        f"void {s}_prepare(const double *p, {s}_table *table);",
        "",
    ]
    for call in plan.calls:
        made = "; ".join(f"{k}: {plan.meaning(k)}" for k in call.outputs)
        head = f"void {s}_{call.name}({_c_arguments(plan, call)});"
        out += [f"/* {made or 'nothing'} */", *textwrap.wrap(head, 110, subsequent_indent="    "), ""]
    out += ["#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(out)


def _wrapped(words: str) -> list[str]:
    """Lines of a C comment; those of a numbered point hang."""
    hang = " *    " if words[0].isdigit() else " * "
    return textwrap.wrap(words, 110, initial_indent=" * ", subsequent_indent=hang, break_long_words=False)


def _some_index(plan: Plan) -> str:
    names = unique(e.name for e in plan.entries("p"))
    return f"{plan.stem.upper()}_P_{next((n for n in names if n.endswith('mass')), names[0]).upper()}" if names else "i"


def _c_example(plan: Plan, call: Call) -> list[str]:
    s, big = plan.stem, plan.stem.upper()
    lines = ["#include <stdio.h>", f'#include "{s}.h"', "", "int main(void)", "{"]
    lines += [f"    double p[{f'{big}_N_P' if plan.sizes['p'] else 1}];", f"    {s}_table table;"]
    for k in call.inputs:
        values = ", ".join(c_number(x) for x in plan.defaults(k))
        lines.append(
            f"    double time = {values};" if k == "t" else f"    double {k}[{big}_N_{k.upper()}] = {{{values}}};"
        )
    lines += [f"    double {k}[{big}_N_{k.upper()}];" for k in call.outputs]
    arguments = ", ".join(["&table", *("time" if k == "t" else k for k in call.inputs), *call.outputs])
    lines += [f"    {s}_defaults(p);", f"    {s}_prepare(p, &table);", f"    {s}_{call.name}({arguments});"]
    for k in call.outputs:
        lines.append(f'    for (int i = 0; i < {big}_N_{k.upper()}; ++i) printf("{k}[%d] = %.17g\\n", i, {k}[i]);')
    return [*lines, "    return 0;", "}"]

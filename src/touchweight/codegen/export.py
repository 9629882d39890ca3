"""Generated code to take away: C, Python or MATLAB that needs nothing of touchweight, and equations to read.

Names come from files. In code they appear only as identifiers made here from letters, digits and underscores,
or as quoted literals; in comments they are plain ASCII without anything that could end the comment.
"""

from __future__ import annotations

import keyword
import re
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import printable
from ..symbolic import Expr, text, topological
from . import python as python_emitter
from .c import PIECE, c_number, emit_block
from .compiler import NATIVE
from .matlab import emit_matlab
from .program import Block, Program
from .split import cut

#: languages, and what each gives
TARGETS = {
    "c": "one C file with its header, for any C99 compiler",
    "python": "one Python module that needs only math",
    "matlab": "one MATLAB or Octave file for each function, and one for the parameters",
}

#: names that a file, a module or a program had better not have, in C, in MATLAB or on Windows
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long main
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
assert complex ctype errno fenv inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
catch classdef elseif end function global otherwise parfor persistent spmd
con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9
"""
_TAKEN = {*_WORDS.split(), *(n.lower() for n in (*keyword.kwlist, *sys.stdlib_module_names))}

#: letters of units and names that have a usual spelling in ASCII
_SPELLED = {"²": "^2", "³": "^3", "·": " ", "µ": "u", "μ": "u", "°": "deg", "–": "-", "…": "..."}


@dataclass(frozen=True)
class Entry:
    """One number of an array: its name, its unit and its default value."""

    name: str
    unit: str = ""
    value: float = 0.0


@dataclass(frozen=True)
class Subject:
    """What is exported, apart from the programs.

    Attributes:
        name: the mechanism's.
        entries: array name (``p`` for the parameters) -> its entries, in order.
        meanings: array name -> a few words for people.
        made_by: who generated it.
    """

    name: str
    entries: Mapping[str, Sequence[Entry]]
    meanings: Mapping[str, str]
    made_by: str = "touchweight"


def export(subject: Subject, programs: Mapping[str, Program], target: str) -> dict[str, str]:
    """File name -> text, in a language of :data:`TARGETS`; ``programs`` are the functions by name."""
    plan = _Plan(subject, programs)
    return {"c": _c_files, "python": _python_files, "matlab": _matlab_files}[target](plan)


# -- names -----------------------------------------------------------------------------------------------
def identifier(name: str, otherwise: str = "model", longest: int = 24) -> str:
    """A name as lower-case letters, digits and underscores; never empty, never starting with a digit."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:longest].strip("_")
    return f"n{made}" if made[:1].isdigit() else made or otherwise


def stem(name: str) -> str:
    """A mechanism's name as the stem of files and functions, clear of words that are taken."""
    made = identifier(name)
    return f"{made}_model" if made in _TAKEN or made.split("_")[0] == "tw" else made


def unique(names: Iterable[str], longest: int = 48) -> list[str]:
    """Identifiers for names, in order, all different."""
    seen: set[str] = set()
    count: dict[str, int] = {}
    out: list[str] = []
    for name in names:
        base = made = identifier(name, "entry", longest)
        while made in seen:
            count[base] = count.get(base, 1) + 1
            made = f"{base}_{count[base]}"
        seen.add(made)
        out.append(made)
    return out


def remark(words: str) -> str:
    """Text for a comment of any language: printable ASCII that cannot end, open or continue a comment."""
    spelled = "".join(_SPELLED.get(c, c) for c in printable(words))
    return "".join(c if " " <= c <= "~" and c not in "*\\?" else f"<U+{ord(c):04X}>" for c in spelled)


def _named(entry: Entry) -> str:
    """An entry in a comment: its name and unit."""
    return remark(entry.name) + (f" [{remark(entry.unit)}]" if entry.unit else "")


# -- what is the same in all languages -------------------------------------------------------------------
@dataclass(frozen=True)
class _Call:
    """A function as it is called: its name, and the arrays that go in and come out (empty ones don't)."""

    name: str
    program: Program
    inputs: list[str]
    outputs: list[str]


class _Plan:
    def __init__(self, subject: Subject, programs: Mapping[str, Program]) -> None:
        self.subject = subject
        self.stem = stem(subject.name)
        # time is an argument where anything depends on it
        timed = any(
            t in topological(p.body.results)
            for p in programs.values()
            for t in p.function.inputs.get("t", ())
        )
        self.calls: list[_Call] = []
        self.sizes: dict[str, int] = {"p": len(subject.entries["p"])}
        for name, program in zip(unique(programs, 24), programs.values(), strict=True):
            inputs = [k for k, n in program.sizes_in.items() if n and (k != "t" or timed)]
            outputs = [k for k, n in program.sizes_out.items() if n]
            self.calls.append(_Call(name, program, inputs, outputs))
            both = {**program.sizes_in, **program.sizes_out}
            self.sizes.update({k: both[k] for k in (*inputs, *outputs)})

    @property
    def title(self) -> str:
        name, maker = remark(self.subject.name), remark(self.subject.made_by)
        return f'the dynamics of "{name}", generated by {maker}; do not edit'

    def entries(self, array: str) -> Sequence[Entry]:
        return self.subject.entries.get(array, ())

    def meaning(self, array: str) -> str:
        return remark(self.subject.meanings.get(array, array))

    def defaults(self, array: str) -> list[float]:
        return [float(e.value) for e in self.entries(array)] or [0.0] * self.sizes[array]


def _local_names(program: Program) -> dict[Expr, str]:
    """How statements name the entries of the table and the inputs."""
    names: dict[Expr, str] = {s: f"k[{i}]" for i, s in enumerate(program.slots)}
    for array, symbols in program.function.inputs.items():
        names.update({s: "time" if array == "t" else f"{array}[{i}]" for i, s in enumerate(symbols)})
    return names


def _prepare_names(program: Program) -> dict[Expr, str]:
    return {s: f"p[{i}]" for i, s in enumerate(program.function.parameters)}


def _indented(lines: Iterable[str], by: str = "    ") -> str:
    return "".join(f"{by}{line}".rstrip() + "\n" for line in lines)


# -- C ---------------------------------------------------------------------------------------------------
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


def _c_files(plan: _Plan) -> dict[str, str]:
    bodies = "\n".join(_c_call(plan, call) for call in plan.calls).replace("__builtin_inf()", "HUGE_VAL")
    include = "#include <math.h>\n" if "HUGE_VAL" in bodies else ""
    called = set(re.findall(r"\btw_\w+(?=\()", bodies))
    if "tw_sincos_all" in called:
        called = called - {"tw_sincos_all"} | {"tw_sincos_n"}
    plain = "\n".join([_C_PLAIN, *(_PLAIN_MATH.get(n, f"#define {n}(x) {n[3:]}(x)") for n in sorted(called))])
    # bare arithmetic needs neither
    math = (
        _C_OURS.replace("{plain}", plain).replace("{ours}", scalar_math())
        if called - {"tw_set1"}
        else plain + "\n"
    )
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


def _c_arguments(plan: _Plan, call: _Call) -> str:
    size = plan.stem.upper() + "_N_"
    given = ["double time" if k == "t" else f"const double {k}[{size}{k.upper()}]" for k in call.inputs]
    made = [f"double {k}[{size}{k.upper()}]" for k in call.outputs]
    return ", ".join([f"const {plan.stem}_table *table", *given, *made])


def _c_call(plan: _Plan, call: _Call) -> str:
    """The C functions of a program: its part of ``prepare``, and the function itself."""
    program = call.program
    parameters: dict[Expr, str] = {s: f"p[{i}]" for i, s in enumerate(program.function.parameters)}
    slots: dict[Expr, str] = {s: f"k[{i}]" for i, s in enumerate(program.slots)}
    inputs: dict[Expr, str] = {}
    for array, symbols in program.function.inputs.items():
        inputs.update({s: "time" if array == "t" else f"{array}[{i}]" for i, s in enumerate(symbols)})
    results = [f"{array}[{i}]" for array, n in program.sizes_out.items() for i in range(n)]
    taken = {"p": "const double *p", "k": "double *restrict k"}
    prepare = _c_function(
        f"prepare_{call.name}", taken, program.prepare, parameters, {}, list(slots.values())
    )
    taken = {"k": "const double *restrict k"}
    taken.update(
        {"time" if k == "t" else k: "double time" if k == "t" else f"const double *{k}" for k in call.inputs}
    )
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
        return f"static void {name}({arguments})\n{{\n{_indented(lines)}}}\n"
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
        functions.append(
            f"static TW_NOINLINE void {name}_{i}({arguments}, double *w)\n{{\n{_indented(lines)}}}\n"
        )
    lines = [f"{silent} double w[{max(1, len(place))}];"]
    lines += emit_block(Block(block.angles, [], given), sources, slots, [place[n] for n in given])
    lines += [f"{name}_{i}({passed}, w);" for i in range(len(made.pieces))]
    return "\n".join([*functions, f"static void {name}({arguments})\n{{\n{_indented(lines)}}}\n"])


def _c_header(plan: _Plan) -> str:
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
            f"1. Fill the parameters: {s}_defaults(p), then change what you like, such as "
            f"p[{_some_index(plan)}]."
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
        *(
            f"#define {big}_N_{k.upper()} {n} /* {k}: {plan.meaning(k)} */"
            for k, n in plan.sizes.items()
            if k != "t"
        ),
        "",
    ]
    for array in plan.sizes:
        entries = plan.entries(array)
        if not entries or array == "t":
            continue
        out.append(f"/* {array}: {plan.meaning(array)} */\nenum {{")
        for i, (name, e) in enumerate(zip(unique(e.name for e in entries), entries, strict=True)):
            default = f", {c_number(e.value)} by default" if array == "p" else ""
            out.append(f"    {big}_{array.upper()}_{name.upper()} = {i}, /* {_named(e)}{default} */")
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


def _some_index(plan: _Plan) -> str:
    names = unique(e.name for e in plan.entries("p"))
    return (
        f"{plan.stem.upper()}_P_{next((n for n in names if n.endswith('mass')), names[0]).upper()}"
        if names
        else "i"
    )


def _c_example(plan: _Plan, call: _Call) -> list[str]:
    s, big = plan.stem, plan.stem.upper()
    lines = ["#include <stdio.h>", f'#include "{s}.h"', "", "int main(void)", "{"]
    lines += [f"    double p[{f'{big}_N_P' if plan.sizes['p'] else 1}];", f"    {s}_table table;"]
    for k in call.inputs:
        values = ", ".join(c_number(x) for x in plan.defaults(k))
        lines.append(
            f"    double time = {values};"
            if k == "t"
            else f"    double {k}[{big}_N_{k.upper()}] = {{{values}}};"
        )
    lines += [f"    double {k}[{big}_N_{k.upper()}];" for k in call.outputs]
    arguments = ", ".join(["&table", *("time" if k == "t" else k for k in call.inputs), *call.outputs])
    lines += [f"    {s}_defaults(p);", f"    {s}_prepare(p, &table);", f"    {s}_{call.name}({arguments});"]
    for k in call.outputs:
        lines.append(
            f'    for (int i = 0; i < {big}_N_{k.upper()}; ++i) printf("{k}[%d] = %.17g\\n", i, {k}[i]);'
        )
    return [*lines, "    return 0;", "}"]


# -- Python ----------------------------------------------------------------------------------------------
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


def _python_files(plan: _Plan) -> dict[str, str]:
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
        out += [f"#     {array}[{i}]  {_named(e)}" for i, e in enumerate(plan.entries(array))]
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


def _python_call(plan: _Plan, call: _Call) -> str:
    program = call.program
    stores = [f"k[{i}]" for i in range(len(program.slots))]
    lines = [f"k = [0.0] * {len(program.slots)}"]
    lines += [*python_emitter.emit_block(program.prepare, _prepare_names(program), stores), "return k"]
    prepare = f"def _prepare_{call.name}(p):\n{_indented(lines)}"
    arguments = ", ".join(["table", *("time" if k == "t" else k for k in call.inputs)])
    results = [f"out_{k}" for k in call.outputs]
    lines = [
        f'"""{"; ".join(f"{k}: {plan.meaning(k)}" for k in call.outputs)}."""',
        f"k = table[{call.name!r}]",
    ]
    lines += [f"out_{k} = [0.0] * {plan.sizes[k]}" for k in call.outputs]
    stores = [f"out_{k}[{i}]" for k, n in program.sizes_out.items() for i in range(n)]
    lines += python_emitter.emit_block(program.body, _local_names(program), stores)
    lines.append(f"return {', '.join(results) or '[]'}")
    return f"{prepare}\n\ndef {call.name}({arguments}):\n{_indented(lines)}"


# -- MATLAB ----------------------------------------------------------------------------------------------
def _matlab_files(plan: _Plan) -> dict[str, str]:
    s = plan.stem
    files = {f"{s}_parameters.m": _matlab_parameters(plan)}
    for call in plan.calls:
        name = f"{s}_{call.name}"
        made = ", ".join(call.outputs)
        # what is empty, and time where nothing depends on it, may be left out: they come last
        needed = [k for k in call.program.sizes_in if k in call.inputs]
        notes = [
            f"{name}.m: {plan.title}",
            "",
            f"    p = {s}_parameters();",
            f"    [{made}] = {name}({', '.join(['p', *needed])});",
            "",
            "SI units, z up, quaternions (w, x, y, z) of length one.",
        ]
        if len(needed) < len(call.program.sizes_in):
            notes.append("Arguments that are not in this line are not used: leave them out or give [].")
        for array in (*needed, *call.outputs):
            notes += ["", f"{array}: {plan.meaning(array)}"]
            notes += [f"    {array}({i})  {_named(e)}" for i, e in enumerate(plan.entries(array), 1)]
        files[f"{name}.m"] = emit_matlab(call.program, name, notes)
    return files


def _matlab_parameters(plan: _Plan) -> str:
    name = f"{plan.stem}_parameters"
    entries = plan.entries("p")
    lines = [f"function p = {name}()", f"% {name}.m: {plan.title}", f"p = zeros({len(entries)}, 1);"]
    lines += [f"p({i}) = {e.value!r};  % {_named(e)}" for i, e in enumerate(entries, 1)]
    return "\n".join([*lines, "end", ""])


# -- equations for people --------------------------------------------------------------------------------
def equations_text(program: Program, labels: Mapping[str, Sequence[str]] | None = None) -> str:
    """The program as equations: what ``prepare`` works out (k0, k1, ...), then each result.

    ``labels`` names the entries of the results, such as ``{"tau": ["shoulder", "elbow"]}``.
    """
    names: dict[Expr, str] = {}
    lines = _assignments(program.prepare.steps, names, "s")
    for i, (slot, value) in enumerate(zip(program.slots, program.prepare.results, strict=True)):
        lines.append(f"k{i} = {text(value, names=names)}")
        names[slot] = f"k{i}"
    if lines:
        lines = ["once, and after a parameter has changed:", *(f"    {line}" for line in lines), ""]
    body = _assignments(program.body.steps, names, "t")
    results = iter(program.body.results)
    for array, n in program.sizes_out.items():
        given = (labels or {}).get(array, [])
        for i in range(n):
            place = f"{array}[{printable(given[i]) if len(given) == n else i}]"
            body.append(f"{place} = {text(next(results), names=names)}")
    return "\n".join([*lines, "each time:", *(f"    {line}" for line in body)])


def _assignments(steps: Sequence[Expr], names: dict[Expr, str], letter: str) -> list[str]:
    lines = []
    for i, node in enumerate(steps):
        lines.append(f"{letter}{i} = {text(node, names=names)}")
        names[node] = f"{letter}{i}"
    return lines

"""Running generated files as a stranger would: with a C compiler, a bare Python, Octave."""

import json
import shutil
import subprocess
import sys

import numpy as np

from touchweight.codegen.compiler import find_compiler
from touchweight.codegen.export import identifier

STRICT = ("-O1", "-Wall", "-Wextra", "-Werror")
OCTAVE = shutil.which("octave-cli")

#: names of the arrays that each function takes and gives
TAKES = {
    "inverse": "q v a x u t", "forward": "q v tau x u t", "rates": "q v x u t", "mass_matrix": "q",
    "bias": "q v x u t", "energy": "q v", "momentum": "q v", "sensors": "q v a x u t",
}  # fmt: skip
GIVES = {
    "inverse": "tau", "forward": "a dx", "rates": "dq dv dx", "mass_matrix": "M",
    "bias": "c", "energy": "energy", "momentum": "momentum", "sensors": "y",
}  # fmt: skip


def takes(function):
    return "q" if function.startswith("jacobian") else TAKES[function]


def gives(function):
    return "J" if function.startswith("jacobian") else GIVES[function]


def compiler_command():
    found = find_compiler()
    return None if found is None else list(found.command)


def states(model, count, seed=3):
    """Random arguments, quaternions of length one."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        given = {
            "q": rng.normal(size=model.nq), "v": rng.normal(size=model.nv), "a": rng.normal(size=model.nv),
            "tau": rng.normal(size=model.nv), "x": rng.normal(size=len(model.states)),
            "u": rng.normal(size=len(model.inputs)), "t": rng.normal(size=1),
        }  # fmt: skip
        for b in model.dimensions.balls:
            given["q"][b : b + 4] /= np.linalg.norm(given["q"][b : b + 4])
        out.append(given)
    return out


def expected(model, function, given, parameters=None):
    """What the model itself says: all results one after another."""
    compiled = model.function(function)
    base = model.state(parameters=parameters).parameters
    arrays = [np.atleast_1d(given[k]) for k in compiled.program.sizes_in]
    return np.concatenate(compiled.evaluate(base.table(compiled), arrays))


def signature(model, function, timed):
    """The arrays a generated function takes and gives: empty ones are left out."""
    program = model.function(function).program
    ins = [k for k in takes(function).split() if program.sizes_in[k] and (k != "t" or timed)]
    return ins, [k for k in gives(function).split() if program.sizes_out[k]]


def run_c(folder, stem, model, functions, given, timed, changes, flags=()):
    """Compile the file and a program that calls it; returns the results of each function."""
    big = stem.upper()
    lines = [
        "#include <stdio.h>",
        f'#include "{stem}.h"',
        "int main(void) {",
        f"  double p[{max(1, len(model.parameters))}];",
    ]
    lines += [f"  static {stem}_table table;", f"  {stem}_defaults(p);"]
    lines += [f"  p[{list(model.parameters).index(n)}] = {x!r};" for n, x in changes.items()]
    lines.append(f"  {stem}_prepare(p, &table);")
    for function in functions:
        ins, outs = signature(model, function, timed)
        lines.append("  {")
        for k in ins:
            values = ", ".join(repr(float(x)) for x in given[k])
            lines.append(
                f"    double time = {values};" if k == "t" else f"    double {k}[{big}_N_{k.upper()}] = {{{values}}};"
            )
        lines += [f"    double {k}[{big}_N_{k.upper()}];" for k in outs]
        arguments = ", ".join(["&table", *("time" if k == "t" else k for k in ins), *outs])
        lines.append(f"    {stem}_{identifier(function)}({arguments});")
        lines += [f'    for (int i = 0; i < {big}_N_{k.upper()}; ++i) printf("%.17g ", {k}[i]);' for k in outs]
        lines.append('    printf("\\n");\n  }')
    lines += ["  return 0;", "}", ""]
    (folder / "try_it.c").write_text("\n".join(lines))
    command = [
        *compiler_command(),
        *STRICT,
        *flags,
        str(folder / f"{stem}.c"),
        str(folder / "try_it.c"),
        "-lm",
    ]
    built = subprocess.run([*command, "-o", str(folder / "try_it")], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    said = subprocess.run([str(folder / "try_it")], capture_output=True, text=True, check=True).stdout
    return [np.array([float(x) for x in line.split()]) for line in said.splitlines()]


def run_python(folder, stem, model, functions, given, timed, changes):
    """Import the module in a Python that has nothing but its standard library."""
    calls = []
    for function in functions:
        ins, outs = signature(model, function, timed)
        calls.append(
            (
                identifier(function),
                [float(given["t"][0]) if k == "t" else list(given[k]) for k in ins],
                len(outs),
            )
        )
    source = (
        f"import json, sys\nimport {stem} as m\n"
        "calls, changes = json.load(sys.stdin)\ntable = m.prepare(changes)\n"
        "for name, given, n in calls:\n"
        "    out = getattr(m, name)(table, *given)\n"
        "    print(json.dumps([x for part in (out if n > 1 else [out]) for x in part]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{source}"],
        input=json.dumps([calls, changes]), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [np.array(json.loads(line)) for line in done.stdout.splitlines()]


def run_octave(folder, stem, model, functions, given, timed, changes):
    """Call the function files from Octave."""
    lines = [f"p = {stem}_parameters();"]
    lines += [f"p({list(model.parameters).index(n) + 1}) = {x!r};" for n, x in changes.items()]
    for function in functions:
        ins = takes(function).split()
        program = model.function(function).program
        while ins and (not program.sizes_in[ins[-1]] or (ins[-1] == "t" and not timed)):
            ins.pop()
        texts = [f"[{'; '.join(repr(float(x)) for x in given[k])}]" for k in ins]
        outs = [f"r{i}" for i in range(len(program.sizes_out))]
        lines.append(f"[{', '.join(outs)}] = {stem}_{identifier(function)}({', '.join(['p', *texts])});")
        lines.append(f"printf('%.17g ', [{'; '.join(outs)}]); printf('\\n');")
    (folder / "try_it.m").write_text("\n".join(lines) + "\n")
    done = subprocess.run([OCTAVE, "--no-gui", "--norc", "try_it.m"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [np.array([float(x) for x in line.split()]) for line in done.stdout.splitlines()]


def assert_same(found, wanted):
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * scale)

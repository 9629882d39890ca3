"""MATLAB or Octave to take away: one file for each function, one for the parameters."""

from __future__ import annotations

from ..matlab import emit_matlab
from .plan import Plan, named


def matlab_files(plan: Plan) -> dict[str, str]:
    """File name -> text."""
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
            notes += [f"    {array}({i})  {named(e)}" for i, e in enumerate(plan.entries(array), 1)]
        files[f"{name}.m"] = emit_matlab(call.program, name, notes)
    return files


def _matlab_parameters(plan: Plan) -> str:
    name = f"{plan.stem}_parameters"
    entries = plan.entries("p")
    lines = [f"function p = {name}()", f"% {name}.m: {plan.title}", f"p = zeros({len(entries)}, 1);"]
    lines += [f"p({i}) = {e.value!r};  % {named(e)}" for i, e in enumerate(entries, 1)]
    return "\n".join([*lines, "end", ""])

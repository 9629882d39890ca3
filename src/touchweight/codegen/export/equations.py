"""Equations for people: the statements of a program, one to a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import printable
from ...symbolic import Expr, text
from ..program import Program


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

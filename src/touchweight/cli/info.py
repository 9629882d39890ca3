"""``touchweight info``: what a mechanism is made of, and how many operations its equations take."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from rich.tree import Tree

from ..codegen.export import equations_text
from ..mechanism import JOINT_KINDS, Joint, Loop, Mechanism
from ..simulate.equations import Equations
from ..simulate.model import Model
from .find import find
from .terminal import console, plain_table, print_json, safe

#: functions whose operations are counted
COUNTED = ("inverse", "forward", "mass_matrix")

#: the same where there are loops or drives
COUNTED_CLOSED = ("inverse", "newton", "reduced", "mass_matrix")

#: a tree deeper than this does not fit a terminal: a table serves
DEEPEST = 14

#: rows shown; longer lists are cut
ROWS = 300


def info(
    file: Annotated[str, typer.Argument(help="A YAML, URDF or MJCF file, or a name from `touchweight list`.")],
    free_flying: Annotated[
        bool, typer.Option("--free-flying", help="URDF: the root is not fixed to the ground.")
    ] = False,
    equations: Annotated[str | None, typer.Option(help="Print the equations of a function, such as inverse.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show bodies, joints and dimensions, and how many operations the equations take."""
    mechanism = find(file, free_flying)
    problems = mechanism.check()
    if equations and not problems:
        derived = _equations(mechanism)
        program = derived.derive(equations)
        speeds = derived.tree.speeds
        labels = dict.fromkeys(("tau", "a", "c", "dv"), speeds)
        console().print(equations_text(program, labels), markup=False, soft_wrap=True)
        return
    fatal = any(p.severity == "error" for p in problems)
    counts: dict[str, Any] = {}
    form = None
    if not fatal:
        with console(stderr=True).status("deriving the equations"):
            derived = _equations(mechanism)
            names = COUNTED if not _restricted(mechanism) else COUNTED_CLOSED
            counts = {name: derived.derive(name).operations for name in names}
            form = derived.form
    if as_json:
        print_json(_data(mechanism, counts, form, problems))
    else:
        _show(mechanism, counts, form, problems)
    if problems:
        raise typer.Exit(1)


def _restricted(mechanism: Mechanism) -> bool:
    """Whether loops, drives or modes restrict the motion."""
    return bool(mechanism.loops or mechanism.drives or mechanism.modes)


def _equations(mechanism: Mechanism) -> Equations:
    """The equations, with the partition that closed ones need."""
    if not _restricted(mechanism):
        return Equations(mechanism)
    model = Model(mechanism)
    _ = model.loops().chosen
    return model.equations


def restrictions(mechanism: Mechanism) -> list[str]:
    """Loops, drives and modes in words, one to a line."""
    lines = []
    for loop in mechanism.loops.values():
        if isinstance(loop, Loop):
            lines.append(f"{loop.name}: {loop.kind} between {loop.a.name} and {loop.b.name}")
        else:
            lines.append(f"{loop.name}: {loop.level} constraint")
    for drive in mechanism.drives.values():
        lines.append(f"{drive.name}: driven {'from outside' if drive.motion is None else 'by a function of time'}")
    lines += [f"mode {mode.name}" for mode in mechanism.modes.values()]
    lines += [f"{way.name}: from {way.source} to {way.target}" for way in mechanism.transitions.values()]
    return lines


def dimensions(mechanism: Mechanism) -> dict[str, int]:
    """How many of each there are."""
    return {
        "nq": len(mechanism.coordinates),
        "nv": len(mechanism.speeds),
        "nx": len(mechanism.states),
        "nu": len(mechanism.inputs),
        "bodies": len(mechanism.bodies),
        "joints": len(mechanism.joints),
        "parameters": len(mechanism.parameters),
        "sensors": len(mechanism.sensors),
    }


# -- for programs ----------------------------------------------------------------------------------------
def _data(mechanism: Mechanism, counts: dict[str, Any], form: str | None, problems: list[Any]) -> dict[str, Any]:
    return {
        "name": mechanism.name,
        "dimensions": dimensions(mechanism),
        "bodies": list(mechanism.bodies),
        "joints": [
            {
                "name": j.name,
                "kind": j.kind,
                "parent": j.parent.name,
                "child": j.child.name,
                "axis": list(j.axis) if JOINT_KINDS[j.kind].axes else None,
                "coordinates": list(j.coordinates),
                "lower": _finite(j.limits.lower) if j.limits else None,
                "upper": _finite(j.limits.upper) if j.limits else None,
            }
            for j in mechanism.joints.values()
        ],
        "coordinates": mechanism.coordinates,
        "speeds": mechanism.speeds,
        "parameters": {p.name: {"value": _finite(p.value), "unit": p.unit} for p in mechanism.parameters.values()},
        "inputs": list(mechanism.inputs),
        "states": list(mechanism.states),
        "sensors": {s.name: s.kind for s in mechanism.sensors.values()},
        "loops": {loop.name: list(loop.rows) for loop in mechanism.loops.values()},
        "drives": list(mechanism.drives),
        "modes": list(mechanism.modes),
        "transitions": {w.name: [w.source, w.target] for w in mechanism.transitions.values()},
        "operations": {
            name: {
                "total": n.total,
                "additions": n.additions,
                "multiplications": n.multiplications,
                "divisions": n.divisions,
                "functions": n.functions,
                "negations": n.negations,
            }
            for name, n in counts.items()
        },
        "direct_dynamics": form,
        "remarks": list(mechanism.remarks),
        "problems": [{"where": p.where, "what": p.what, "advice": p.advice, "severity": p.severity} for p in problems],
    }


def _finite(x: float | None) -> float | None:
    return x if x is not None and math.isfinite(x) else None


# -- for people ------------------------------------------------------------------------------------------
def _show(mechanism: Mechanism, counts: dict[str, Any], form: str | None, problems: list[Any]) -> None:
    out = console()
    out.print(f"[bold]{safe(mechanism.name)}[/]\n")
    below, reached, deepest = _walk(mechanism)
    out.print(_tree(below) if deepest <= DEEPEST and len(reached) <= ROWS else _table(mechanism))
    loose = [name for name in mechanism.bodies if name not in reached]
    if loose:
        more = ", …" if len(loose) > 10 else ""
        out.print(f"not connected to the ground: {', '.join(safe(n) for n in loose[:10])}{more}")
    for line in restrictions(mechanism)[:ROWS]:
        out.print(f"  [cyan]{safe(line, 200)}[/]")
    out.print()
    out.print("   ".join(f"{what} [bold]{n}[/]" for what, n in dimensions(mechanism).items()))
    if counts:
        out.print()
        table = plain_table("function", "operations", "+ -", "*", "/", "sin, cos, …", "", numbers=(1, 2, 3, 4, 5))
        for name, n in counts.items():
            row = (n.total, n.additions + n.negations, n.multiplications, n.divisions, n.functions)
            table.add_row(name, *map(str, row), f"{form} form" if name == "forward" and form else "")
        out.print(table)
    for title, lines, colour in (("remarks", mechanism.remarks, "yellow"), ("problems", problems, "red")):
        if lines:
            out.print(f"\n[bold {colour}]{title}[/]")
            for line in lines[:ROWS]:
                out.print(f"  {safe(line, 600)}")
            if len(lines) > ROWS:
                out.print(f"  … and {len(lines) - ROWS} more")


def _walk(mechanism: Mechanism) -> tuple[dict[str, list[Joint]], set[str], int]:
    """Joints by the body they start from, the bodies reached from the ground, and the depth of the tree."""
    below: dict[str, list[Joint]] = {}
    for joint in mechanism.joints.values():
        below.setdefault(joint.parent.name, []).append(joint)
    reached: set[str] = set()
    deepest = 0
    stack = [("ground", 0)]
    while stack:
        body, depth = stack.pop()
        deepest = max(deepest, depth)
        for joint in below.get(body, ()):
            if joint.child.name not in reached:
                reached.add(joint.child.name)
                stack.append((joint.child.name, depth + 1))
    return below, reached, deepest


def _tree(below: dict[str, list[Joint]]) -> Tree:
    root = Tree("ground")
    stack = [("ground", root)]
    seen = {"ground"}
    while stack:
        body, node = stack.pop()
        for joint in below.get(body, ()):
            branch = node.add(
                f"[cyan]{safe(joint.name)}[/] [dim]{safe(motion(joint), 200)}[/] → {safe(joint.child.name)}"
            )
            if joint.child.name not in seen:
                seen.add(joint.child.name)
                stack.append((joint.child.name, branch))
    return root


def _table(mechanism: Mechanism) -> object:
    table = plain_table("joint", "kind", "axis", "limits", "from", "to")
    for joint in list(mechanism.joints.values())[:ROWS]:
        words = (joint.name, joint.kind, _axes(joint), _limits(joint), joint.parent.name, joint.child.name)
        table.add_row(*(safe(x) for x in words))
    if len(mechanism.joints) > ROWS:
        table.add_row("…", f"{len(mechanism.joints) - ROWS} more: --json lists all")
    return table


def motion(joint: Joint) -> str:
    """What a joint does, in a few words: its kind, axis and limits."""
    axes, limits = _axes(joint), _limits(joint)
    about = {"prismatic": "along", "planar": "normal to"}.get(joint.kind, "about")
    return joint.kind + (f" {about} {axes}" if axes else "") + (f", {limits}" if limits else "")


def _axes(joint: Joint) -> str:
    return ", ".join(_axis(axis) for axis in [joint.axis, joint.axis2][: JOINT_KINDS[joint.kind].axes])


def _axis(axis: tuple[float, float, float]) -> str:
    for name, x in zip("xyz", axis, strict=True):
        if abs(x) == 1.0:
            return name if x > 0 else f"-{name}"
    return "(" + ", ".join(f"{x:.3g}" for x in axis) + ")"


def _limits(joint: Joint) -> str:
    limits = joint.limits
    if limits is None or (limits.lower is None and limits.upper is None):
        return ""
    low, high = ("…" if x is None else f"{x:.4g}" for x in (limits.lower, limits.upper))
    return f"{low} to {high} {'m' if joint.kind == 'prismatic' else 'rad'}"

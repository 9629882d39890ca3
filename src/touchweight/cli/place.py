"""Options that the analyses share: which mechanism, where it is, what is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ..simulate.analyses.equilibrium import Equilibrium
from ..simulate.analyses.labels import scalar_speeds
from ..simulate.model import Model
from ..simulate.record import Channels, _motion
from ..simulate.state import State
from .find import find, numbers, start_of
from .terminal import plain_table, safe

What = Annotated[str, typer.Argument(help="A YAML, URDF or MJCF file, or a name from `touchweight list`.")]
Where = Annotated[list[str] | None, typer.Option("--q", help="Coordinate, name=value; repeatable.")]
Speeds = Annotated[list[str] | None, typer.Option("--v", help="Speed, name=value; repeatable.")]
Inputs = Annotated[list[str] | None, typer.Option("--input", help="Input, name=value; repeatable.")]
Set = Annotated[list[str] | None, typer.Option("--set", help="Parameter (or coordinate), name=value; repeatable.")]
Hold = Annotated[list[str] | None, typer.Option("--hold", help="Coordinate that stays where it is; repeatable.")]
InMode = Annotated[str | None, typer.Option("--mode", help="Mode of a mechanism that has several.")]
FreeFlying = Annotated[bool, typer.Option("--free-flying", help="URDF: the root is not fixed to the ground.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

#: rows of a table; longer ones are cut
ROWS = 60


def compiled(file: str, free_flying: bool) -> Model:
    """The model of a file or a name."""
    return find(file, free_flying).compile()


def place(
    model: Model,
    q: Sequence[str] | None,
    parameters: Sequence[str] | None,
    inputs: Sequence[str] | None = None,
    mode: str | None = None,
) -> dict[str, Any]:
    """Arguments of an analysis from options; --set also takes coordinates."""
    both = numbers(parameters or (), "--set")
    named = {n: x for n, x in both.items() if n in model.coordinates and n not in model.parameters}
    given = {**numbers(q or (), "--q"), **named}
    # quaternions start whole; single coordinates only where someone asked for them, so that they are held
    turning = {n: x for n, x in start_of(model.mechanism).items() if n not in scalar_speeds(model)}
    made: dict[str, Any] = {"q": {**turning, **given} if given else None}
    made["parameters"] = {n: x for n, x in both.items() if n not in named} or None
    if inputs:
        made["inputs"] = numbers(inputs, "--input")
    if mode is not None:
        made["mode"] = mode
    return made


def names(given: Sequence[str] | None) -> list[str]:
    """``--by a,b --by c`` as a list."""
    return [n.strip() for text in given or () for n in text.split(",") if n.strip()]


def coordinates_table(model: Model, state: State, start: Any = None) -> Any:
    """Coordinates with their units, and where they came from."""
    units = coordinate_units(model)
    table = plain_table("coordinate", "unit", *(("guess",) if start is not None else ()), "value", numbers=(2, 3))
    for i, name in list(enumerate(model.coordinates))[:ROWS]:
        before = () if start is None else (f"{start[i]:.9g}",)
        table.add_row(safe(name), units[name], *before, f"{tidy(state.q[i]):.9g}")
    return table


def coordinate_units(model: Model) -> dict[str, str]:
    """Unit of every coordinate."""
    out = Channels()
    empty = model.dimensions
    q, v = empty.q_default[None, :], empty.v_default[None, :]
    _motion(model, out, q, v, empty.x_default[None, :], empty.u_default[None, :])
    return {name: out.units[name] for name in model.coordinates}


def forces_table(found: Equilibrium) -> Any:
    """What loops, drives and held coordinates take."""
    table = plain_table("force", "unit", "value", numbers=(2,))
    for name, value in list(found.forces.items())[:ROWS]:
        table.add_row(safe(name), safe(found.units.get(name, "")), f"{tidy(value):.9g}")
    return table


def tidy(x: float) -> float:
    """Rounding errors of zero are zero."""
    return 0.0 if abs(x) < 1e-13 else float(x)


def complex_text(z: complex) -> str:
    """A complex number as people write it."""
    real, imag = tidy(z.real), tidy(z.imag)
    return f"{real:.6g}" if imag == 0.0 else f"{real:.6g} {'+' if imag > 0 else '-'} {abs(imag):.6g} i"

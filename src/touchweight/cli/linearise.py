"""``touchweight linearise``: A, B, C, D of a mechanism about a state, its eigenvalues, a Bode plot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import FileError
from ..simulate.analyses.equilibrium import equilibrium
from ..simulate.analyses.linear import Linear
from ..simulate.analyses.linearise import linearise as linear_near
from .find import OptionError, numbers
from .place import (
    AsJson,
    FreeFlying,
    Hold,
    InMode,
    Inputs,
    Set,
    Speeds,
    What,
    Where,
    compiled,
    complex_text,
    names,
    place,
    tidy,
)
from .terminal import console, plain_table, print_json, safe

#: states of the largest system that is printed as a matrix
LARGEST = 12


def linearise(
    file: What,
    q: Where = None,
    v: Speeds = None,
    parameters: Set = None,
    inputs: Inputs = None,
    hold: Hold = None,
    mode: InMode = None,
    rest: Annotated[bool, typer.Option("--rest", help="About the equilibrium near that place.")] = False,
    bode: Annotated[str | None, typer.Option("--bode", help="INPUT,OUTPUT: draw this frequency response.")] = None,
    plot: Annotated[Path, typer.Option("--plot", help="Where the Bode plot goes.")] = Path("bode.png"),
    free_flying: FreeFlying = False,
    as_json: AsJson = False,
) -> None:
    """Linearise a mechanism about a state: exact A, B, C, D in its independent coordinates and speeds."""
    model = compiled(file, free_flying)
    where = place(model, q, parameters, inputs, mode)
    if rest:
        state = equilibrium(model, hold=hold or (), **where).state
        linear = linear_near(model, state, hold=hold or (), still=True)
    else:
        if v:
            where["v"] = numbers(v, "--v")
        linear = linear_near(model, hold=hold or (), **where)
    if as_json:
        print_json(_data(linear))
    else:
        _show(linear)
    if bode is not None:
        pair = names([bode])
        if len(pair) != 2:
            raise OptionError(f"expected --bode INPUT,OUTPUT, found {bode[:60]!r}; for example --bode motor,tip.z")
        try:
            linear.bode(pair[0], pair[1], save=plot)
        except (OSError, ValueError) as error:
            if isinstance(error, FileError | OptionError) or "expected" in str(error):
                raise
            raise FileError(plot, f"expected a place for a picture, found: {error}; choose another name") from None
        if not as_json:
            console().print(f"\npicture: {safe(plot, 400)}", soft_wrap=True)


def _data(linear: Linear) -> dict[str, Any]:
    return {
        "name": linear.name,
        "states": list(linear.states),
        "inputs": list(linear.inputs),
        "outputs": list(linear.outputs),
        "units": linear.units,
        "A": linear.A.tolist(),
        "B": linear.B.tolist(),
        "C": linear.C.tolist(),
        "D": linear.D.tolist(),
        "eigenvalues": [[z.real, z.imag] for z in linear.eigenvalues.tolist()],
    }


def _show(linear: Linear) -> None:
    out = console()
    sizes = {"states": linear.states, "inputs": linear.inputs, "outputs": linear.outputs}
    counts = "   ".join(f"{what} [bold]{len(names)}[/]" for what, names in sizes.items())
    out.print(f"[bold]{safe(linear.name)}[/]   {counts}\n")
    if 0 < len(linear.states) <= LARGEST:
        columns = [*(safe(n, 20) for n in linear.states), *(safe(n, 20) for n in linear.inputs[:6])]
        table = plain_table("rate of", *columns, numbers=tuple(range(1, len(columns) + 1)))
        for name, a, b in zip(linear.states, linear.A, linear.B, strict=True):
            table.add_row(safe(name, 30), *(f"{tidy(x):.5g}" for x in (*a, *b[:6])))
        out.print(table)
    elif linear.states:
        out.print("A is larger than a terminal: --json prints it")
    out.print()
    table = plain_table("eigenvalue [1/s]", "frequency [Hz]", "damping", numbers=(1, 2))
    for z in linear.eigenvalues[:60]:
        size = abs(z)
        table.add_row(
            complex_text(z), f"{size / 6.283185307179586:.5g}", f"{tidy(-z.real / size if size else 0.0):.4g}"
        )
    out.print(table)

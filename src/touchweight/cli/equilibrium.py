"""``touchweight equilibrium``: where a mechanism stays at rest, and what its loops and drives carry there."""

from __future__ import annotations

from typing import Annotated

import typer

from ..simulate.analyses.equilibrium import equilibrium as rest
from .place import (
    AsJson,
    FreeFlying,
    Hold,
    InMode,
    Inputs,
    Set,
    What,
    Where,
    compiled,
    complex_text,
    coordinates_table,
    forces_table,
    place,
    tidy,
)
from .terminal import console, print_json, safe


def equilibrium(
    file: What,
    q: Where = None,
    parameters: Set = None,
    inputs: Inputs = None,
    hold: Hold = None,
    mode: InMode = None,
    relax: Annotated[bool, typer.Option("--relax", help="Let it move and brake it: finds a stable one.")] = False,
    free_flying: FreeFlying = False,
    as_json: AsJson = False,
) -> None:
    """Find a static equilibrium near a guess, with the forces of loops and drives, and whether it is stable."""
    model = compiled(file, free_flying)
    where = place(model, q, parameters, inputs, mode)
    found = rest(model, hold=hold or (), method="relaxation" if relax else "newton", **where)
    if as_json:
        print_json(
            {
                "name": model.name,
                "coordinates": dict(zip(model.coordinates, found.state.q.tolist(), strict=True)),
                "states": dict(zip(model.states, found.state.x.tolist(), strict=True)),
                "forces": found.forces,
                "residual": found.residual,
                "stability": found.stability,
                "eigenvalues": [[z.real, z.imag] for z in found.eigenvalues.tolist()],
                "steps": found.steps,
                "method": found.method,
            }
        )
        return
    out = console()
    out.print(f"[bold]{safe(model.name)}[/]: {found.stability} equilibrium\n")
    out.print(coordinates_table(model, found.state))
    if model.states:
        out.print()
        for name, value in zip(model.states, found.state.x, strict=True):
            out.print(f"state {safe(name)}  {tidy(value):.9g}")
    if found.forces:
        out.print()
        out.print(forces_table(found))
    out.print()
    out.print(f"largest acceleration left  {found.residual:.2g}, after {found.steps} steps ({found.method})")
    if len(found.eigenvalues):
        shown = ", ".join(complex_text(z) for z in found.eigenvalues[:12])
        out.print(f"eigenvalues [1/s]          {shown}{', …' if len(found.eigenvalues) > 12 else ''}", markup=False)

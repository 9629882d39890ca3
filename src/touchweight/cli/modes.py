"""``touchweight modes``: natural frequencies, damping, shapes, and a moving picture of a mode."""

from __future__ import annotations

import cmath
from pathlib import Path
from typing import Annotated, Any

import typer

from ..simulate.analyses.modes import Modes
from ..simulate.analyses.modes import modes as modes_of
from .find import OptionError
from .place import AsJson, FreeFlying, Hold, InMode, Inputs, Set, What, Where, compiled, place, tidy
from .terminal import console, plain_table, print_json, safe

#: modes and coordinates of a shape that are shown
MOST, PARTS = 40, 4


def modes(
    file: What,
    q: Where = None,
    parameters: Set = None,
    inputs: Inputs = None,
    hold: Hold = None,
    mode: InMode = None,
    relax: Annotated[
        bool, typer.Option("--relax", help="About a stable equilibrium, found by letting it move.")
    ] = False,
    animate: Annotated[Path | None, typer.Option("--animate", help="Write a GIF of a mode.")] = None,
    number: Annotated[int, typer.Option("--number", "-n", help="Which mode to animate.")] = 1,
    free_flying: FreeFlying = False,
    as_json: AsJson = False,
) -> None:
    """Show the modes of vibration about the equilibrium near a place, and animate one."""
    model = compiled(file, free_flying)
    method = "relaxation" if relax else "newton"
    found = modes_of(model, hold=hold or (), method=method, **place(model, q, parameters, inputs, mode))
    if animate is not None and not 1 <= number <= len(found):
        raise OptionError(f"expected --number from 1 to {len(found)}, found {number}")
    if as_json:
        print_json(_data(found))
    else:
        _show(found)
    if animate is not None:
        pictures = found.animate(number, animate)
        if not as_json:
            console().print(f"\nmode {number}: {safe(animate, 400)}, {pictures} pictures", soft_wrap=True)


def _data(found: Modes) -> dict[str, Any]:
    return {
        "name": found.model.name,
        "coordinates": dict(zip(found.model.coordinates, found.state.q.tolist(), strict=True)),
        "modes": [
            {
                "frequency": m.frequency,
                "damping": m.damping,
                "kind": m.kind,
                "eigenvalue": [m.eigenvalue.real, m.eigenvalue.imag],
                "shape": {n: [z.real, z.imag] for n, z in m.shape.items()},
            }
            for m in found
        ],
    }


def _show(found: Modes) -> None:
    out = console()
    where = ", ".join(
        f"{safe(n, 30)} {tidy(x):.6g}" for n, x in list(zip(found.model.coordinates, found.state.q, strict=True))[:8]
    )
    more = ", …" if found.model.nq > 8 else ""
    out.print(f"[bold]{safe(found.model.name)}[/] about {where}{more}\n")
    table = plain_table("mode", "frequency [Hz]", "damping", "decay [s]", "kind", "shape", numbers=(0, 1, 2, 3))
    for i, mode in enumerate(found[:MOST]):
        rate = mode.eigenvalue.real
        decay = f"{-1.0 / rate:.4g}" if rate < -1e-12 else "-"
        parts = sorted(mode.shape.items(), key=lambda p: -abs(p[1]))[:PARTS]
        shape = ", ".join(f"{safe(n, 24)} {_part(z)}" for n, z in parts if abs(z) > 1e-6)
        table.add_row(str(i + 1), f"{mode.frequency:.5g}", f"{tidy(mode.damping):.4g}", decay, mode.kind, shape)
    out.print(table)
    if len(found) > MOST:
        out.print(f"… and {len(found) - MOST} more; --json lists all")


def _part(z: complex) -> str:
    """Size with sign; a phase where it is neither with nor against the first."""
    if abs(z.imag) < 0.05 * abs(z):
        return f"{z.real:.3g}"
    return f"{abs(z):.3g} at {cmath.phase(z) * 57.29577951308232:.0f}°"

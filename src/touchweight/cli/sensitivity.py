"""``touchweight sensitivity``: how much a quantity depends on each parameter."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from ..simulate.analyses.sensitivity import REDUCTIONS
from ..simulate.analyses.sensitivity import sensitivity as sensitivity_of
from .find import OptionError, numbers
from .place import AsJson, FreeFlying, Hold, InMode, Inputs, Set, Speeds, What, Where, compiled, names, place
from .terminal import console, plain_table, print_json, safe

#: rows of the table; of lists longer than this, relative effects below that are left out
MOST, FEW, NOTHING = 60, 10, 1e-9


def sensitivity(
    file: What,
    of: Annotated[
        str,
        typer.Option(
            "--of", help="acceleration, equilibrium, frequency, damping, eigenvalue [:NAME], or end:CHANNEL of a run."
        ),
    ],
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Parameters, separated by commas; all by default.")
    ] = None,
    q: Where = None,
    v: Speeds = None,
    parameters: Set = None,
    inputs: Inputs = None,
    hold: Hold = None,
    mode: InMode = None,
    duration: Annotated[float | None, typer.Option("--seconds", "-s", help="Length of the run [s].")] = None,
    dt: Annotated[float, typer.Option(help="Step of the run [s].")] = 1e-3,
    free_flying: FreeFlying = False,
    as_json: AsJson = False,
) -> None:
    """Show derivatives of a quantity by parameters, largest relative effect first."""
    model = compiled(file, free_flying)
    where = place(model, q, parameters, inputs, mode)
    what = of.partition(":")[0]
    if v:
        where["v"] = numbers(v, "--v")
    if what in REDUCTIONS and duration is None:
        raise OptionError(f"expected --seconds for the run of --of {what}, found none; for example --seconds 2")
    options = {"dt": dt} if what in REDUCTIONS else None
    found = sensitivity_of(model, of, names(by) or None, hold=hold or (), duration=duration, options=options, **where)
    if as_json:
        relative = [[None if np.isnan(x) else x for x in row] for row in found.relative.tolist()]
        print_json(
            {
                "of": list(found.of),
                "by": list(found.by),
                "values": found.values.tolist(),
                "parameters": found.parameters.tolist(),
                "matrix": found.matrix.tolist(),
                "relative": relative,
            }
        )
        return
    out = console()
    out.print(f"[bold]{safe(model.name)}[/]: sensitivity of {safe(what)}\n")
    table = plain_table("of", "value", "by", "value", "derivative", "relative", numbers=(1, 3, 4, 5))
    for i, name in enumerate(found.of):
        order = np.argsort(-np.abs(np.nan_to_num(found.relative[i], nan=0.0)), kind="stable")
        for j in order:
            if table.row_count >= MOST:
                break
            relative = found.relative[i, j]
            if abs(relative) < NOTHING and len(found.by) > FEW:
                continue  # of a whole list, only what matters
            table.add_row(
                safe(name, 30),
                f"{found.values[i]:.6g}",
                safe(found.by[j], 40),
                f"{found.parameters[j]:.6g}",
                f"{found.matrix[i, j]:.6g}",
                "-" if np.isnan(relative) else f"{relative:.4g}",
            )
    out.print(table)
    if len(found.of) * len(found.by) > MOST:
        out.print("… and more; --of NAME:ENTRY and --by choose, --json lists all")

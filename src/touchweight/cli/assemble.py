"""``touchweight assemble``: close the loops of a mechanism, and say how they hang together."""

from __future__ import annotations

import numpy as np

from ..simulate.analyses.begin import input_index
from ..simulate.analyses.labels import scalar_speeds
from ..simulate.assembly import assemble as closed
from .place import FreeFlying, Hold, InMode, Inputs, Set, What, Where, compiled, coordinates_table, place
from .terminal import console, plain_table, safe


def assemble(
    file: What,
    q: Where = None,
    parameters: Set = None,
    inputs: Inputs = None,
    hold: Hold = None,
    mode: InMode = None,
    free_flying: FreeFlying = False,
) -> None:
    """Close all loops from a rough guess; show residuals, redundant rows, degrees of freedom, partition."""
    model = compiled(file, free_flying)
    where = place(model, q, parameters, inputs, mode)
    state = model.state(where["q"], parameters=where["parameters"])
    for name, value in where.get("inputs", {}).items():
        state.u[input_index(model, name)] = value
    loops = model.loops(mode)
    guess = state.q.copy()
    # what was given stays where it was put, unless other coordinates are named to be held
    kept = hold if hold is not None else [n for n in (where["q"] or {}) if n in scalar_speeds(model)]
    closed(model, state=state, hold=kept, mode=mode)
    out = console()
    out.print(f"[bold]{safe(model.name)}[/]\n")
    out.print(coordinates_table(model, state, guess))
    out.print()
    chosen = loops.chosen
    if loops.rows:
        at = loops.closure(state.q, state.t, state.parameters)
        table = plain_table("loop", "rows", "residual", numbers=(1, 2))
        for owner in dict.fromkeys(loops.owner):
            rows = [i for i, o in enumerate(loops.owner) if o == owner]
            size = float(np.max(np.abs(at.h[rows]), initial=0.0))
            on_speeds = all(i >= loops.positions for i in rows)
            table.add_row(safe(owner), str(len(rows)), "on speeds" if on_speeds else f"{size:.2g}")
        out.print(table)
        out.print()
    dependent = [model.speeds[k] for k in chosen.partition.dependent]
    driven = [*loops.driven, *loops.locked]
    free = [n for n in model.speeds if n not in dependent and n not in driven]
    lines = {
        "degrees of freedom": str(len(free)),
        "independent": _listed(free),
        "dependent": _listed(dependent),
        "driven": _listed(loops.driven),
        "locked": _listed(loops.locked),
        "redundant rows": _listed(chosen.redundant),
    }
    for title, text in lines.items():
        out.print(f"{title:18}  {text}")


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(safe(n, 40) for n in names[:40]) + (", …" if len(names) > 40 else "") or "none"

"""``touchweight simulate``: run a mechanism from a file and look at, plot or save its motion."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ..simulate.recording import Recording
from .find import OptionError, find, moments, numbers
from .terminal import console, plain_table, safe, seconds

#: rows of the summary; longer ones are cut
ROWS = 40

#: steps of one run
LONGEST = 100_000_000


def simulate(
    file: Annotated[str, typer.Argument(help="A YAML, URDF or MJCF file, or a name from `touchweight list`.")],
    duration: Annotated[float, typer.Option("--seconds", "-s", min=0.0, help="How long [s].")] = 5.0,
    dt: Annotated[float, typer.Option(help="Step of the integration [s].")] = 1e-3,
    plot: Annotated[Path | None, typer.Option(help="Draw the coordinates into this picture.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write all channels to this file, .csv or .mcap.")] = None,
    q: Annotated[list[str] | None, typer.Option("--q", help="Initial coordinate, name=value; repeatable.")] = None,
    v: Annotated[list[str] | None, typer.Option("--v", help="Initial speed, name=value; repeatable.")] = None,
    inputs: Annotated[
        list[str] | None, typer.Option("--input", help="Input, name=value or name=expression of t; repeatable.")
    ] = None,
    drives: Annotated[
        list[str] | None,
        typer.Option("--drive", help="Motion of a live drive, name=value or name=expression of t; repeatable."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="rk4, euler, rosenbrock (stiff), or SciPy's DOP853, RK45, RK23, Radau, BDF, LSODA.")
    ] = "rk4",
    mode: Annotated[str | None, typer.Option(help="The mode to start in, of a mechanism with modes.")] = None,
    parameters: Annotated[list[str] | None, typer.Option("--set", help="Parameter, name=value; repeatable.")] = None,
    free_flying: Annotated[
        bool, typer.Option("--free-flying", help="URDF: the root is not fixed to the ground.")
    ] = False,
) -> None:
    """Simulate a mechanism and record its motion."""
    if not (0.0 < dt < math.inf and duration < math.inf):
        raise OptionError(f"expected a positive step --dt and finite --seconds, found {dt:g} and {duration:g}")
    steps = duration / dt
    if steps > LONGEST:
        raise OptionError(f"expected at most {LONGEST} steps, found {steps:.3g}; take a larger --dt or fewer --seconds")
    mechanism = find(file, free_flying)
    model = mechanism.compile()
    # two thousand samples are enough for any picture; a file gets up to a million
    every = min(max(1, math.ceil(steps / (1_000_000 if save else 2000))), 1000)
    options: dict[str, Any] = {
        "q": numbers(q or (), "--q"),
        "v": numbers(v or (), "--v"),
        "parameters": numbers(parameters or (), "--set"),
        "inputs": moments(inputs or (), "--input"),
        "drives": moments(drives or (), "--drive"),
        "method": method,
        "mode": mode,
    }
    model.simulate(0.0, dt=dt, **options)  # compile before the clock starts
    began = time.perf_counter()
    run = model.simulate(duration, dt=dt, every=every, **options)
    took = time.perf_counter() - began
    out = console()
    out.print(f"[bold]{safe(model.name)}[/]: {run.t[-1]:g} s in {seconds(took)}, {method}, steps of {dt:g} s")
    out.print()
    out.print(_summary(run))
    if len(run) > ROWS:
        out.print(f"… and {len(run) - ROWS} more channels; --save writes them all")
    out.print()
    if run.events:
        out.print(_events(run))
        out.print()
    if plot:
        run.plot(save=plot)
        out.print(f"picture: {safe(plot, 400)}", soft_wrap=True)
    if save:
        run.save(save)
        out.print(f"recording: {safe(save, 400)}", soft_wrap=True)


def _events(run: Recording) -> object:
    table = plain_table("at [s]", "transition", "from", "to", numbers=(0,))
    for event in run.events[:ROWS]:
        table.add_row(f"{event.t:.6f}", safe(event.name), safe(event.source), safe(event.target))
    if len(run.events) > ROWS:
        table.add_row("…", f"and {len(run.events) - ROWS} more")
    return table


def _summary(run: Recording) -> object:
    table = plain_table("channel", "unit", "start", "end", "lowest", "highest", numbers=(2, 3, 4, 5))
    for name in list(run)[:ROWS]:
        x = run[name]
        table.add_row(safe(name), safe(run.units.get(name, "")), *(f"{n:.5g}" for n in (x[0], x[-1], x.min(), x.max())))
    return table

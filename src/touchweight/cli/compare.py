"""``touchweight compare``: drive a mechanism with a measured motion and compare its forces with the measured ones."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..library.keyboards import KEYBOARDS
from ..mechanism import Mechanism
from ..simulate.compare import Comparison, drive
from ..simulate.compare import compare as differences
from ..simulate.measured import Column, read_measured
from .find import OptionError, find, numbers
from .place import AsJson, FreeFlying
from .terminal import console, plain_table, print_json, safe


def compare(
    what: Annotated[
        str, typer.Argument(help="A YAML, URDF or MJCF file, a name from `touchweight list`, or a keyboard: grand, ...")
    ],
    file: Annotated[Path, typer.Argument(help="A CSV file with a measured motion and forces.")],
    motion: Annotated[list[str], typer.Option("--motion", help="DRIVE=COLUMN, by name or number; repeatable.")],
    force: Annotated[
        list[str],
        typer.Option("--force", help="COLUMN (compared with force.DRIVE) or CHANNEL=COLUMN; repeatable."),
    ],
    time: Annotated[str | None, typer.Option("--time", help="Column of times [s]; t, time or the first.")] = None,
    factor: Annotated[
        list[str] | None, typer.Option("--factor", help="COLUMN=NUMBER, to SI units, 0.001 for mm; repeatable.")
    ] = None,
    offset: Annotated[
        list[str] | None, typer.Option("--offset", help="COLUMN=NUMBER, added in SI units; repeatable.")
    ] = None,
    smooth: Annotated[str, typer.Option(help="Smoothing of the motion: spline, low-pass or none.")] = "spline",
    cutoff: Annotated[float | None, typer.Option(help="Cut-off of --smooth low-pass [Hz].")] = None,
    noise: Annotated[float | None, typer.Option(help="Noise of the motion for --smooth spline, SI.")] = None,
    settle: Annotated[float, typer.Option(min=0.0, max=60.0, help="Rest at the first sample before [s].")] = 0.5,
    dt: Annotated[float, typer.Option(help="Step of the integration [s].")] = 2.5e-4,
    parameters: Annotated[list[str] | None, typer.Option("--set", help="Parameter, name=value; repeatable.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw both on top of each other into this picture.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the simulation to this file, .csv or .mcap.")] = None,
    free_flying: FreeFlying = False,
    as_json: AsJson = False,
) -> None:
    """Drive a mechanism with a measured motion and compare forces."""
    if not 0.0 < dt < math.inf:
        raise OptionError(f"expected a positive step --dt, found {dt:g}")
    moved = dict(_pair(m, "--motion") for m in motion)
    forces = [_force(f, list(moved)) for f in force]
    factors, offsets = numbers(factor or (), "--factor"), numbers(offset or (), "--offset")
    used = {*moved.values(), *(c for _, c in forces), *([time] if time else [])}
    for option, given in (("--factor", factors), ("--offset", offsets)):
        for name in given:
            if name not in used:
                raise OptionError(f"expected {option} of a column that is used, found {safe(name)!r}; name it as there")

    def column(name: str) -> Column:
        return Column(name, factors.get(name, 1.0), offsets.get(name, 0.0))

    measured = read_measured(
        file,
        {**{f"motion of {d}": column(c) for d, c in moved.items()}, **{c: column(c) for _, c in forces}},
        column(time) if time else None,
    )
    model = _described(what, free_flying).compile()
    simulated = drive(
        model,
        measured,
        {d: f"motion of {d}" for d in moved},
        how=smooth,
        cutoff=cutoff,
        noise=noise,
        settle=settle,
        state=model.state(parameters=numbers(parameters or (), "--set") or None),
        dt=dt,
    )
    found = differences(measured, simulated, {c: channel for channel, c in forces})
    if plot:
        found.plot(plot)
    if save:
        simulated.save(save)
    if as_json:
        print_json({n: _finite(dataclasses.asdict(d)) for n, d in found.items()})
        return
    _tell(model.name, found)
    for label, path in (("picture", plot), ("recording", save)):
        if path:
            console().print(f"{label}: {safe(path, 400)}", soft_wrap=True)


def _described(what: str, free_flying: bool) -> Mechanism:
    """A keyboard by its name, or what other commands find."""
    if what in KEYBOARDS and not Path(what).exists() and not free_flying:
        return KEYBOARDS[what].build()
    return find(what, free_flying)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, separator, column = text.partition("=")
    if not (separator and name.strip() and column.strip()):
        raise OptionError(f"expected {option} NAME=COLUMN, found {safe(text)!r}; for example {option} key=2")
    return name.strip(), column.strip()


def _force(text: str, drives: Sequence[str]) -> tuple[str, str]:
    """Channel and column; a column alone belongs to the only drive."""
    if "=" in text:
        return _pair(text, "--force")
    if len(drives) != 1:
        raise OptionError(f"expected --force CHANNEL=COLUMN with several drives, found {safe(text)!r}; say which")
    return f"force.{drives[0]}", text.strip()


def _finite(numbers_: dict[str, float]) -> dict[str, float | None]:
    return {n: x if math.isfinite(x) else None for n, x in numbers_.items()}


def _tell(name: str, found: Comparison) -> None:
    out = console()
    out.print(f"[bold]{safe(name)}[/]: {found.simulated.t[-1]:g} s against {len(found.measured.t)} samples")
    out.print()
    table = plain_table(
        "measured", "simulated", "unit", "rms", "% of it", "peak", "ms later", "aligned rms",
        numbers=(3, 4, 5, 6, 7),
    )  # fmt: skip
    for column, d in found.items():
        other = found.channels[column]
        table.add_row(
            safe(column),
            safe(other),
            safe(found.simulated.units.get(other, "")),
            f"{d.rms:.4g}",
            f"{100.0 * d.relative_rms:.2f}",
            f"{d.peak:.4g}",
            f"{1e3 * d.shift:.3f}",
            f"{d.aligned_rms:.4g}",
        )
    out.print(table)

"""``touchweight kinematics``: drive some coordinates, solve the others; and the forces that this takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ..errors import printable
from ..mechanism.expression_text import parse_expression
from ..simulate.analyses.kinematics import kinematics as led
from ..simulate.recording import Recording
from ..symbolic import Expr, const, differentiate, evaluate, symbol
from .find import OptionError
from .place import FreeFlying, Hold, InMode, Inputs, Set, What, Where, compiled, place
from .simulate import ROWS, _summary
from .terminal import console, safe


def kinematics(
    file: What,
    drive: Annotated[list[str], typer.Option("--drive", help="name=FROM:TO, or name=expression of t; repeatable.")],
    duration: Annotated[float, typer.Option("--seconds", "-s", min=0.0, help="How long [s].")] = 1.0,
    samples: Annotated[int, typer.Option("--samples", min=2, max=1_000_000, help="How many moments.")] = 201,
    forces: Annotated[bool, typer.Option("--forces", help="Also the forces of drives and loops.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the coordinates into this picture.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write all channels to this CSV or MCAP file.")] = None,
    q: Where = None,
    parameters: Set = None,
    inputs: Inputs = None,
    hold: Hold = None,
    mode: InMode = None,
    free_flying: FreeFlying = False,
) -> None:
    """Lead a mechanism along driven coordinates: positions, speeds, accelerations and forces of everything."""
    if not 0.0 < duration < 1e9:
        raise OptionError(f"expected positive --seconds, found {duration:g}")
    model = compiled(file, free_flying)
    t = np.linspace(0.0, duration, samples)
    motions = dict(_motion(text, duration) for text in drive)
    run = led(model, t, motions, hold=hold or (), forces=forces, **place(model, q, parameters, inputs, mode))
    out = console()
    out.print(f"[bold]{safe(model.name)}[/]: {duration:g} s, {samples} moments, loops closed to {_residual(run):.1g}\n")
    out.print(_summary(run))
    if len(run) > ROWS:
        out.print(f"… and {len(run) - ROWS} more channels; --save writes them all")
    if plot:
        run.plot(save=plot)
        out.print(f"\npicture: {safe(plot, 400)}", soft_wrap=True)
    if save:
        run.save(save)
        out.print(f"\nrecording: {safe(save, 400)}", soft_wrap=True)


def _residual(run: Recording) -> float:
    return float(np.max(run["loops.residual"])) if "loops.residual" in run else 0.0


Motion = Callable[[float], tuple[float, float, float]]


def _motion(text: str, duration: float) -> tuple[str, Motion]:
    """``crank=0:6.28`` or ``crank=0.3*sin(2*t)`` as position, velocity and acceleration."""
    name, separator, formula = text.partition("=")
    if not separator or not name.strip() or not formula.strip():
        raise OptionError(
            f"expected --drive name=FROM:TO or name=expression of t, found {printable(text, 80)!r}; "
            "for example --drive crank=0:6.28 or --drive 'crank=0.3*sin(2*t)'"
        )
    first, ramp, last = formula.partition(":")
    time = symbol("t", "time")
    known: dict[str, Expr] = {"t": time, "pi": const(math.pi)}
    position = parse_expression(first, known)
    if ramp:
        position = position + (parse_expression(last, known) - position) * (time / duration)
    velocity = differentiate(position, time)
    parts = (position, velocity, differentiate(velocity, time))

    def motion(t: float) -> tuple[float, float, float]:
        p, v, a = (float(evaluate(e, {time: t})) for e in parts)
        return p, v, a

    return name.strip(), motion

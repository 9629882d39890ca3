"""Where an analysis begins: a state from what a user gave, closed, in a mode."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ShapeError, TouchweightError, printable
from ..assembly import _speeds_of, start
from ..choice import CLOSED, AssemblyError
from ..state import State
from .labels import scalar_speeds

if TYPE_CHECKING:
    from ..model import Model, Values

#: residuals of loops [m, rad] and of their rates [m/s, rad/s] above which a state is not closed
OPEN = 1e-8


class AnalysisError(TouchweightError, RuntimeError):
    """An analysis has no answer."""


def begin(
    model: Model,
    q: Values | None = None,
    v: Values | None = None,
    x: Values | None = None,
    inputs: Mapping[str, float] | None = None,
    state: State | None = None,
    mode: str | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
    still: bool = False,
) -> State:
    """A closed state of its own: a copy of the one given, or one made of coordinates, speeds, inputs, parameters.

    ``still`` is for statics: speeds are no matter.
    """
    if state is not None:
        if any(given is not None for given in (q, v, x, parameters)):
            raise ShapeError("expected either a state or q, v, x, parameters to begin with, found both; drop one")
        if not state.parameters.fits(model.parameters):
            name = printable(model.name, 40)
            raise ShapeError(f"expected a state of model {name!r}, found one of another; take model.state()")
        made = state.copy()
    else:
        made = model.state(q, v, x, t=t, parameters=parameters)
    if mode is not None:
        made.mode = mode
    model.loops(made.mode)  # complains about modes that are not there
    for name, value in (inputs or {}).items():
        made.u[input_index(model, name)] = _number(name, value)
    if state is None:
        start(model, made, q, v)
    else:
        check_closed(model, made, still)
    return made


def _number(name: str, value: object) -> float:
    number = float(value) if isinstance(value, numbers.Real) else math.nan
    if not math.isfinite(number):
        raise ShapeError(f"expected a finite number for input {printable(name)!r}, found {printable(repr(value), 60)}")
    return number


def input_index(model: Model, name: str) -> int:
    """An input by its name; a drive that waits for its motion by its own: that sets its position."""
    drive = model.mechanism.drives.get(name)
    if drive is not None and drive.inputs is not None:
        name = drive.inputs[0]
    if name not in model.inputs:
        known = ", ".join(printable(n, 40) for n in model.inputs[:8]) or "none"
        raise ShapeError(f"expected inputs among {known}, found {printable(str(name))!r}")
    return model.inputs.index(name)


def check_closed(model: Model, state: State, still: bool = False) -> None:
    """Refuse a state whose loops are open or whose drives are elsewhere."""
    loops = model.loops(state.mode)
    if not loops:
        return
    at = loops.closure(state.q, state.t, state.parameters)
    gap = float(np.max(np.abs(at.h[: loops.positions]), initial=0.0))
    rate = float(np.max(np.abs(at.jacobian @ state.v + at.rate), initial=0.0))
    q, v = state.q.copy(), state.v.copy()
    loops.set_drives(q, v, state.u, state.t, state.parameters)
    off = float(np.max(np.abs(q - state.q), initial=0.0))
    slip = float(np.max(np.abs(v - state.v), initial=0.0))
    if still:
        rate = slip = 0.0
    size = 1.0 + float(np.max(np.abs(state.v), initial=0.0))
    if not (max(gap, off) <= OPEN and max(rate, slip) <= OPEN * size):
        raise ShapeError(
            f"expected a state with closed loops and drives in place, found them off by {max(gap, off):.3g} [m or rad] "
            f"and {max(rate, slip):.3g} [m/s or rad/s]; assemble it first: assemble(model, state=state)"
        )


def closed_again(model: Model, state: State, displacements: Iterable[int], speeds: Iterable[int]) -> State:
    """After a parameter has changed: the state with its loops closed, independent displacements and speeds kept."""
    loops = model.loops(state.mode)
    if not loops:
        return state
    loops.set_drives(state.q, state.v, state.u, state.t, state.parameters)
    q, gap = loops.close_positions(state.q, state.t, state.parameters, displacements, tries=4)
    if gap > CLOSED:
        raise AssemblyError(loops.complaint(q, state.t, state.parameters))
    state.q[:] = q
    state.v[:], _ = loops.close_speeds(q, state.v, state.t, state.parameters, speeds)
    return state


def held_speeds(model: Model, names: Iterable[str]) -> list[int]:
    """The speeds that stand still while coordinates (or speeds) of these names are held."""
    wanted = (names,) if isinstance(names, str) else tuple(names)
    for name in wanted:
        if name not in model.coordinates and name not in model.speeds:
            known = ", ".join(printable(n, 40) for n in model.coordinates[:8]) or "none"
            raise ShapeError(
                f"expected names of coordinates or speeds to hold, found {printable(str(name))!r}; there are {known}"
            )
    known_speeds = scalar_speeds(model)
    scalar = [n for n in wanted if n in known_speeds]
    return sorted({*(known_speeds[n] for n in scalar), *_speeds_of(model, [n for n in wanted if n not in scalar])})

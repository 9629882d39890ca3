"""Assembly: closing the loops of a mechanism from a rough guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.callable import Array
from ..errors import ShapeError, printable
from ..mechanism import JOINT_KINDS
from .choice import CLOSED, AssemblyError
from .loops import Loops
from .state import State

if TYPE_CHECKING:
    from .model import Model, Values

#: a residual of the speeds [m/s, rad/s] at which they count as consistent
CONSISTENT = 1e-9


def assemble(
    model: Model,
    q: Values | None = None,
    v: Values | None = None,
    *,
    hold: Iterable[str] = (),
    state: State | None = None,
    mode: str | None = None,
) -> State:
    """A state in which all loops are closed and all speeds agree.

    Args:
        model: what to assemble.
        q: a rough guess of the coordinates, in order or by name.
        v: a rough guess of the speeds.
        hold: names of coordinates and speeds that must stay as given.
        state: start from here instead (time, inputs, parameters are its own); it is changed in place.
        mode: the mode whose loops to close; the state's, or the first by default.

    Returns:
        The closed state nearest to the guess.
    """
    if state is None:
        state = model.state(q, v)
    elif q is not None or v is not None:
        raise ShapeError("expected either a state or q, v to start from, found both; drop one")
    if mode is not None:
        state.mode = mode
    loops = model.loops(state.mode)
    names = tuple(hold)
    known = {*model.coordinates, *model.speeds}
    for name in names:
        if name not in known:
            raise ShapeError(
                f"expected names of coordinates or speeds to hold, found {printable(str(name))!r}; "
                f"there are {', '.join(printable(n, 40) for n in model.coordinates[:8])}"
            )
    close(model, loops, state, _speeds_of(model, names))
    return state


def start(model: Model, state: State, q: Values | None, v: Values | None) -> None:
    """Close a state to start from: what was given by name is held if the loops allow it, else it is a guess."""
    loops = model.loops(state.mode)
    if not loops:
        return
    loops.set_drives(state.q, state.v, state.u, state.t, state.parameters)
    named_q = _speeds_of(model, q if isinstance(q, Mapping) else ())
    named_v = [model.speeds.index(n) for n in (v if isinstance(v, Mapping) else ())]
    guess = state.copy()
    for held in dict.fromkeys((tuple(named_q), ())):
        closed, residual = loops.close_positions(guess.q, state.t, state.parameters, held, tries=8)
        if residual <= CLOSED:
            break
    else:
        raise AssemblyError(loops.complaint(closed, state.t, state.parameters))
    state.q[:] = closed
    for held in dict.fromkeys((tuple(named_v), ())):
        speeds, residual = loops.close_speeds(state.q, guess.v, state.t, state.parameters, held)
        if residual <= CONSISTENT * (1.0 + float(np.max(np.abs(guess.v), initial=0.0))):
            break
    else:
        raise AssemblyError(_speed_complaint(loops, state, speeds))
    state.v[:] = speeds


def close(model: Model, loops: Loops, state: State, hold: list[int]) -> None:
    """Close a state in place, with some speeds held."""
    loops.set_drives(state.q, state.v, state.u, state.t, state.parameters)
    q, residual = loops.close_positions(state.q, state.t, state.parameters, hold, tries=24)
    if residual > CLOSED:
        raise AssemblyError(loops.complaint(q, state.t, state.parameters))
    state.q[:] = q
    v, residual = loops.close_speeds(q, state.v, state.t, state.parameters, hold)
    if residual > CONSISTENT * (1.0 + float(np.max(np.abs(v), initial=0.0))):
        raise AssemblyError(_speed_complaint(loops, state, v))
    state.v[:] = v


def _speeds_of(model: Model, names: Iterable[str]) -> list[int]:
    """The speeds that must stand still for coordinates (or speeds) of these names to stay."""
    moves = _moving_speeds(model)
    out: set[int] = set()
    for name in names:
        out.update(moves[name] if name in moves else [model.speeds.index(name)])
    return sorted(out)


def _moving_speeds(model: Model) -> dict[str, list[int]]:
    """For each coordinate, the speeds that move it: its own, or all three of a ball."""
    out: dict[str, list[int]] = {}
    q, v = 0, 0
    for joint in model.mechanism.joints.values():
        for primitive in JOINT_KINDS[joint.kind].primitives:
            coordinates, speeds = (4, 3) if primitive == "S" else (1, 1)
            for name in model.coordinates[q : q + coordinates]:
                out[name] = list(range(v, v + speeds))
            q, v = q + coordinates, v + speeds
    return out


def _speed_complaint(loops: Loops, state: State, v: Array) -> str:
    at = loops.closure(state.q, state.t, state.parameters)
    gap = np.abs(at.jacobian @ v + at.rate)
    worst = int(np.argmax(gap))
    return (
        f"expected speeds that keep the loops closed, found {printable(loops.owner[worst], 40)!r} opening at "
        f"{gap[worst]:.3g} [m/s or rad/s] at best; change what is driven or held"
    )

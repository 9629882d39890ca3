"""Linearisation about any state: exact, from the symbolic derivatives of the constrained equations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.callable import Array
from ..state import State
from .balance import Balance
from .begin import begin, held_speeds
from .labels import force_name, labels
from .linear import Linear
from .tangent import Cause, Effect, Tangent

if TYPE_CHECKING:
    from ..model import Model


def linearise(
    model: Model,
    state: State | None = None,
    *,
    hold: Iterable[str] = (),
    still: bool = False,
    **where: Any,
) -> Linear:
    """The linear system that a mechanism is near a state, in independent coordinates, speeds, states and inputs.

    Loops stay closed and drives go on as they do; a drive that waits for its motion has its position, velocity and
    acceleration among the inputs. The state need not be at rest: along a motion A and B belong to that moment.

    Args:
        model: what to linearise.
        state: where; closed. Without it, what ``where`` says, closed first.
        hold: names of coordinates that stand still.
        still: everything stands still, drives where they are: for the neighbourhood of an equilibrium.
        where: q, v, x, inputs, mode, t, parameters, as for a simulation.

    Returns:
        A, B, C, D with names and units.
    """
    place = begin(model, state=state, still=still, **where)
    if still:
        place.v[:] = 0.0
    return linear_of(Tangent(Balance(model, place, held_speeds(model, hold), still)))


def linear_of(tangent: Tangent) -> Linear:
    """The linear system of differentiated equations."""
    at = tangent.at
    model = at.model
    sizes = (len(tangent.loose), len(tangent.independent), len(at.state.x), len(at.state.u))
    effect = tangent.effect(_causes(tangent, sizes))
    whole = effect.speed + at.spin() @ effect.displacement
    rates = np.vstack([whole[tangent.loose], effect.acceleration[tangent.independent], effect.lag])
    outputs, units = _outputs(at, effect)
    count = len(rates)
    names = _names(tangent)
    v = at.state.v
    now = np.concatenate([v[tangent.loose], at.a[tangent.independent], at.lags])
    inputs = {i.name: i.unit for i in model.mechanism.inputs.values()}
    return Linear(
        rates[:, :count],
        rates[:, count:],
        np.vstack([*outputs.values()])[:, :count] if outputs else np.zeros((0, count)),
        np.vstack([*outputs.values()])[:, count:] if outputs else np.zeros((0, sizes[3])),
        tuple(names),
        tuple(inputs),
        tuple(outputs),
        {**units, **inputs, **names},
        at.state,
        effect.displacement[:, :count],
        now,
        model.name,
    )


def _causes(tangent: Tangent, sizes: tuple[int, int, int, int]) -> Cause:
    """One cause for each displacement, speed, first-order state and input."""
    at = tangent.at
    count = sum(sizes)
    p, s, x, u = np.split(np.arange(count), np.cumsum(sizes)[:-1])
    eye = np.eye(count)
    balance, lag = np.zeros((at.model.nv, count)), np.zeros((len(x), count))
    balance[:, u], lag[:, u] = tangent.tangents["U"], tangent.tangents["Xu"]
    drive = tuple(np.zeros((len(at.loops.driven), count)) for _ in range(3))
    for i, name in enumerate(at.loops.driven):
        channels = at.loops.equations.mechanism.drives[name].inputs
        for part, channel in zip(drive, channels or (), strict=False):
            part[i, u[at.model.inputs.index(channel)]] = 1.0
    if at.still:
        drive[1][:], drive[2][:] = 0.0, 0.0
    return Cause(
        count,
        displacement=eye[p],
        speed=eye[s],
        state=eye[x],
        drive=(drive[0], drive[1], drive[2]),
        balance=balance,
        lag=lag,
    )


def _names(tangent: Tangent) -> dict[str, str]:
    """Names and units of the state."""
    model = tangent.at.model
    along = labels(model)
    out = {along[k].name: along[k].unit for k in tangent.loose}
    out |= {f"v.{model.speeds[k]}": f"{along[k].unit}/s" for k in tangent.independent}
    return out | {s.name: s.unit for s in model.mechanism.states.values()}


def _outputs(at: Balance, effect: Effect) -> tuple[dict[str, Array], dict[str, str]]:
    """Rows of (C, D) by name, and units."""
    model, state, loops = at.model, at.state, at.loops
    rows: dict[str, Array] = {}
    units: dict[str, str] = {}

    def put(name: str, row: Array, unit: str, what: str) -> None:
        while name in rows:
            name = f"{what}.{name}"
        rows[name], units[name] = row, unit

    turns = np.column_stack([loops.turn(state.q, e, state.parameters) for e in np.eye(model.nv)])
    along = labels(model)
    scalar = {label.coordinate: label.unit for label in along}
    for i, name in enumerate(model.coordinates):
        put(name, turns[i] @ effect.displacement, scalar.get(name, ""), "q")
    for k, name in enumerate(model.speeds):
        put(f"v.{name}", effect.speed[k], f"{along[k].unit}/s", "v")
    for i, s in enumerate(model.mechanism.states.values()):
        put(s.name, effect.state[i], s.unit, "state")
    if model.mechanism.sensors:
        y = at.sensor_slopes()
        direct = np.zeros((len(model.inputs), effect.speed.shape[1]))
        direct[:, effect.speed.shape[1] - len(model.inputs) :] = np.eye(len(model.inputs))
        readings = (
            y["Yq"] @ effect.displacement
            + y["Yv"] @ effect.speed
            + y["Ya"] @ effect.acceleration
            + y["Yx"] @ effect.state
            + y["Yu"] @ direct
        )
        channels = [(c, s.unit) for s in model.mechanism.sensors.values() for c in s.channels]
        for row, (channel, unit) in zip(readings, channels, strict=True):
            put(channel, row, unit, "sensor")
    for i, k in enumerate(at.used):
        put(f"force.{loops.rows[k]}", effect.force[i], loops.units[k], "loop")
    for i, k in enumerate(at.held):
        unit = "N" if along[k].unit == "m" else "N m"
        put(f"force.{force_name(along[k])}", effect.hold_force[i], unit, "loop")
    return rows, units

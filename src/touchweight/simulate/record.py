"""From the rows of a run to a recording: names, units, energies, sensors, forces of loops and drives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..codegen.callable import Array, NativeFunction
from ..mechanism import JOINT_KINDS
from .core import DONE, Core
from .event import Event
from .model import Model
from .recording import Recording
from .state import State


class Channels:
    """Channels under names of their own: where two would share one, the later is preceded by what it is."""

    def __init__(self) -> None:
        self.values: dict[str, Array] = {}
        self.units: dict[str, str] = {}

    def put(self, name: str, values: Array, unit: str, what: str) -> None:
        """Add a channel."""
        while name in self.values:
            name = f"{what}.{name}"
        self.values[name] = values
        self.units[name] = unit


def make_recording(
    model: Model,
    state: State,
    t: Array,
    rows: Array,
    inputs: Array,
    residual: Array | None,
    modes: npt.NDArray[np.int32] | None,
    events: Sequence[Event],
    forces: dict[str, Array] | None = None,
) -> Recording:
    """The recording of a run: ``rows`` are (q, v, x) at the times ``t``, ``inputs`` the inputs there.

    ``forces`` are means over the steps before each time, of a method that knows them; else they are worked out.
    """
    q, v, x = np.split(rows, [model.nq, model.nq + model.nv], axis=1)
    out = Channels()
    _motion(model, out, q, v, x, inputs)
    finite = bool(np.all(np.isfinite(rows)))
    if residual is not None:
        out.put("loops.residual", residual, "m or rad", "loops")
    a: Array | None = None
    if forces is not None:
        for name, values in forces.items():
            if name in ("work.contacts", "work.drives"):
                out.put(name, values, "J", "work")
            else:
                out.put(f"force.{name}", values, "N or N m", "force")
    elif finite and (model.loops(state.mode) or model.modes):
        a = _forces(model, state, out, t, rows, inputs, modes)
    if modes is not None:
        out.put("mode", modes.astype(float), "", "mode")
    if finite:
        _energies(model, state, out, q, v, modes)
        if model.mechanism.sensors:
            options = {"parameters": state.parameters, "x": x, "u": inputs, "t": t}
            readings = model.sensors(q, v, a, **options)
            for sensor in model.mechanism.sensors.values():
                flat = readings[sensor.name].reshape(len(rows), -1)
                for k, channel in enumerate(sensor.channels):
                    out.put(channel, flat[:, k], sensor.unit, "sensor")
    return Recording(model.name, t, out.values, out.units, events)


def _motion(model: Model, out: Channels, q: Array, v: Array, x: Array, inputs: Array) -> None:
    primitives = [p for j in model.mechanism.joints.values() for p in JOINT_KINDS[j.kind].primitives]
    q_units = [u for p in primitives for u in {"R": ["rad"], "P": ["m"], "S": [""] * 4}[p]]
    v_units = [u for p in primitives for u in {"R": ["rad/s"], "P": ["m/s"], "S": ["rad/s"] * 3}[p]]
    for i, name in enumerate(model.coordinates):
        out.put(name, q[:, i], q_units[i], "q")
    for i, name in enumerate(model.speeds):
        out.put(f"v.{name}", v[:, i], v_units[i], "v")
    for i, s in enumerate(model.mechanism.states.values()):
        out.put(s.name, x[:, i], s.unit, "state")
    for i, source in enumerate(model.mechanism.inputs.values()):
        out.put(source.name, inputs[:, i], source.unit, "input")


def _energies(
    model: Model, state: State, out: Channels, q: Array, v: Array, modes: npt.NDArray[np.int32] | None
) -> None:
    energy = np.empty((len(q), 2))
    for number, mode in enumerate(model.modes or (None,)):
        here = slice(None) if modes is None else np.flatnonzero(modes == number)
        function = model.function("energy", mode)
        table = state.parameters.table(function)
        part_q, part_v = np.ascontiguousarray(q[here]), np.ascontiguousarray(v[here])
        energy[here] = function.batch(table, None, [part_q, part_v], len(part_q), 1)[0]
    for key, values in (("kinetic", energy[:, 0]), ("potential", energy[:, 1]), ("total", energy.sum(axis=1))):
        out.put(f"energy.{key}", values, "J", "energy")


def _forces(
    model: Model,
    state: State,
    out: Channels,
    t: Array,
    rows: Array,
    inputs: Array,
    modes: npt.NDArray[np.int32] | None,
) -> Array:
    """Channels of the forces that loops and drives take; returns the accelerations."""
    names: list[str | None] = [*model.modes] or [state.mode]
    a = np.zeros((len(rows), model.nv))
    forces: dict[str, Array] = {}
    units: dict[str, str] = {}
    for number, mode in enumerate(names):
        loops = model.loops(mode)
        here = np.arange(len(rows)) if modes is None else np.flatnonzero(modes == number)
        labels = [*loops.rows, *loops.driven]
        for label, unit in zip(labels, [*loops.units, *("N m or N",) * len(loops.driven)], strict=True):
            forces.setdefault(label, np.zeros(len(rows)))
            units[label] = unit
        found, there = _evaluated(model, state, mode, t[here], rows[here], inputs[here])
        a[here] = there
        for k, label in enumerate(labels):
            forces[label][here] = found[:, k]
    for label, values in forces.items():
        out.put(f"force.{label}", values, units[label], "loop")
    return a


def _evaluated(
    model: Model, state: State, mode: str | None, t: Array, rows: Array, inputs: Array
) -> tuple[Array, Array]:
    """(forces of rows and drives, accelerations) at each of some states."""
    loops = model.loops(mode)
    nq, nv = model.nq, model.nv
    forces, a = np.zeros((len(rows), len(loops.rows) + len(loops.driven))), np.zeros((len(rows), nv))
    if not len(rows):
        return forces, a
    native = isinstance(model.function("turn", mode), NativeFunction)
    core = Core(model, state.parameters, mode, generated=False, hybrid=True) if native else None
    used = loops.chosen.partition.rows
    for i in range(len(rows)):
        u = np.ascontiguousarray(inputs[i])
        if core is not None:
            ended, dy, force = core.evaluate(float(t[i]), rows[i].copy(), u, forces=True)
            a[i], forces[i] = np.nan, np.nan  # where nothing is known about them
            if ended == DONE:
                a[i], forces[i] = dy[nq : nq + nv], 0.0
                forces[i, used] = force[: len(used)]
                forces[i, len(loops.rows) :] = force[len(used) : len(used) + len(loops.driven)]
        else:
            q, v, x = np.split(rows[i], [nq, nq + nv])
            a[i], force, held = loops.accelerations(q, v, x, u, float(t[i]), state.parameters)
            forces[i] = [*force, *held[: len(loops.driven)]]
    return forces, a

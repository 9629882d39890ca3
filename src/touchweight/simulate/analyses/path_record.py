"""From a path to a recording: motion, energies, sensors, forces of drives and loops."""

from __future__ import annotations

import numpy as np

from ...codegen.callable import Array
from ..choice import speed_kinds
from ..record import Channels, _energies
from ..record import _motion as put_motion
from ..recording import Recording
from .labels import force_name, labels
from .path import Path


def trajectory_recording(path: Path, times: Array, rows: Array, a: Array, forces: bool) -> Recording:
    """What is known along a path, as channels."""
    model, state, loops = path.model, path.state, path.loops
    q, v = np.split(rows, [model.nq], axis=1)
    x, u = np.tile(state.x, (len(times), 1)), np.tile(state.u, (len(times), 1))
    for name, motion in path.motions.items():
        described = model.mechanism.drives.get(name)
        for channel, part in zip((described.inputs if described else None) or (), motion, strict=False):
            u[:, model.inputs.index(channel)] = part
    out = Channels()
    put_motion(model, out, q, v, x, u)
    for k, (name, kind) in enumerate(zip(model.speeds, speed_kinds(model), strict=True)):
        out.put(f"a.{name}", a[:, k], "m/s²" if kind == "P" else "rad/s²", "a")
    if loops.rows:
        open_by = [
            np.max(np.abs(loops.closure(y, float(s), state.parameters).h), initial=0.0)
            for y, s in zip(q, times, strict=True)
        ]
        out.put("loops.residual", np.array(open_by), "m or rad", "loops")
    number = model.modes.index(state.mode) if state.mode is not None else 0
    _energies(model, state, out, q, v, np.full(len(times), number, dtype=np.int32) if model.modes else None)
    if forces:
        _put_forces(path, out, times, q, v, a, x, u)
    if model.mechanism.sensors:
        readings = model.sensors(q, v, a, parameters=state.parameters, x=x, u=u, t=times)
        for sensor in model.mechanism.sensors.values():
            flat = readings[sensor.name].reshape(len(times), -1)
            for k, channel in enumerate(sensor.channels):
                out.put(channel, flat[:, k], sensor.unit, "sensor")
    return Recording(model.name, times, out.values, out.units, ())


def _put_forces(path: Path, out: Channels, times: Array, q: Array, v: Array, a: Array, x: Array, u: Array) -> None:
    """Q of what is driven or held and λ of the loops: Jᵀ λ takes what the solved speeds need, Q the rest."""
    model, loops, parameters = path.model, path.loops, path.state.parameters
    held = [k for k in range(model.nv) if k not in path.solved]
    rows = [loops.rows[i] for i in path.used]
    force = np.empty((len(times), len(rows) + len(held)))
    for i, t in enumerate(times):
        moment = np.array([t])
        needed = loops._evaluate("inverse", parameters, q[i], v[i], a[i], x[i], u[i], moment)[0]
        pull: Array = np.zeros(0)
        if rows:
            j = loops.closure(q[i], float(t), parameters).jacobian[path.used]
            size = path.size[path.solved]
            pull = np.linalg.solve(j[:, path.solved].T * size[:, None], size * needed[path.solved])
            needed = needed - j.T @ pull
        force[i] = [*pull, *needed[held]]
    along = labels(model)
    for k, row in enumerate(path.used):
        out.put(f"force.{rows[k]}", force[:, k], loops.units[row], "loop")
    for k, speed in enumerate(held):
        unit = "N" if along[speed].unit == "m" else "N m"
        out.put(f"force.{force_name(along[speed])}", force[:, len(rows) + k], unit, "drive")

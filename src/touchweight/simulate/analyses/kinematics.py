"""Kinematics and inverse dynamics along a trajectory: some coordinates are driven, the loops give the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.callable import Array
from ...errors import ShapeError, printable
from ..input_table import _motion as motion_of
from ..recording import Recording
from .begin import begin, held_speeds
from .labels import scalar_speeds
from .path import Path
from .path_record import trajectory_recording

if TYPE_CHECKING:
    from ..model import Model, Values


def kinematics(
    model: Model,
    t: Any,
    drive: Mapping[str, Any],
    *,
    hold: Iterable[str] = (),
    q: Values | None = None,
    x: Values | None = None,
    inputs: Mapping[str, float] | None = None,
    mode: str | None = None,
    parameters: Mapping[str, float] | None = None,
    forces: bool = False,
) -> Recording:
    """Positions, speeds and accelerations of everything while some coordinates are driven.

    The drives are chosen here and not in the description; together with its own they must be as many as there are
    degrees of freedom. The mechanism stays on the branch it starts on.

    Args:
        model: what moves.
        t: times [s], rising.
        drive: for each driven coordinate its values at these times, a function of time (of position, or of position,
            velocity, acceleration), a number, samples (times, values), or a recording.
        hold: names of coordinates that stay where they start.
        q: where the others are at the start, roughly: this selects the branch.
        x: first-order states, constant.
        inputs: constant inputs.
        mode: whose loops to close.
        parameters: changed values.
        forces: also those that make this motion: of drives (``force.crank``) and of loops.

    Returns:
        A recording with coordinates, speeds, accelerations (``a.crank``), energies, sensors and, if asked for, forces.
    """
    times = _times(t)
    motions = {name: _drive(model, name, source, times) for name, source in _named(drive).items()}
    start = {name: float(p[0]) for name, (p, _, _) in motions.items()}
    guess = _guess(model, q, start)
    state = begin(model, guess, None, x, _live(model, inputs, motions), None, mode, float(times[0]), parameters)
    path = Path(model, state, motions, held_speeds(model, hold))
    for name, value in start.items():
        state.q[model.coordinates.index(name)] = value
    rows, accelerations = path.follow(times)
    return trajectory_recording(path, times, rows, accelerations, forces)


def inverse_trajectory(model: Model, t: Any, drive: Mapping[str, Any], **options: Any) -> Recording:
    """The forces and torques that make a motion: inverse dynamics along a whole trajectory, loops included.

    As :func:`kinematics` with ``forces=True``: ``run["force.crank"]`` is what acts at the driven joint, beyond the
    forces that the mechanism has of its own.
    """
    return kinematics(model, t, drive, forces=True, **options)


# -- what was given ------------------------------------------------------------------------------------------
def _times(t: Any) -> Array:
    try:
        times = np.atleast_1d(np.asarray(t, dtype=float))
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or not len(times) or not np.all(np.isfinite(times)) or not np.all(np.diff(times) > 0):
        raise ShapeError("expected rising times t [s], found others; use numpy.linspace")
    return times


def _named(drive: Any) -> Mapping[str, Any]:
    if isinstance(drive, Mapping):
        return drive
    found = printable(repr(drive), 60)
    raise ShapeError(f'expected drives by name, as {{"crank": values}}, found {found}')


def _drive(model: Model, name: str, source: Any, times: Array) -> tuple[Array, Array, Array]:
    scalar = scalar_speeds(model)
    if name not in scalar:
        known = ", ".join(printable(n, 40) for n in scalar) or "none"
        raise ShapeError(f"expected coordinates that turn or slide to drive, {known}; found {printable(str(name))!r}")
    if isinstance(source, list | np.ndarray):
        values = np.asarray(source, dtype=float)
        if values.shape != times.shape:
            raise ShapeError(
                f"expected as many values as times for {printable(name)!r}, {len(times)}, found shape {values.shape}"
            )
        source = (times, values) if len(times) > 1 else float(values[0])
    found = motion_of(name, source, times)
    if not all(np.all(np.isfinite(a)) for a in found):
        raise ShapeError(f"expected a finite motion for {printable(name)!r}, found NaN or infinity")
    return found


def _guess(model: Model, q: Values | None, start: Mapping[str, float]) -> Values:
    if q is None or isinstance(q, Mapping):
        return {**(q or {}), **start}
    whole = np.array(q, dtype=float)
    for name, value in start.items():
        if len(whole) == model.nq:
            whole[model.coordinates.index(name)] = value
    return whole


def _live(
    model: Model, inputs: Mapping[str, float] | None, motions: Mapping[str, tuple[Array, Array, Array]]
) -> dict[str, float]:
    """Inputs at the start: drives of the description that wait for a motion get theirs from here."""
    out = dict(inputs or {})
    for name, motion in motions.items():
        described = model.mechanism.drives.get(name)
        if described is not None and described.inputs is not None:
            out |= {channel: float(part[0]) for channel, part in zip(described.inputs, motion, strict=True)}
    return out

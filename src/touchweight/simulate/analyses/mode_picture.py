"""A mode as a moving picture: the mechanism swings about its place, loops closed, slowly enough to see."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...codegen.callable import Array
from ...errors import FileError
from ..choice import CLOSED, speed_kinds
from ..picture import animate, make_scene
from ..recording import Recording
from ..skeleton import add_skeleton
from ..state import State
from .begin import AnalysisError

if TYPE_CHECKING:
    from ..model import Model
    from .modes import Mode

#: time of a swing in the picture [s], swings, pictures in one
PERIOD, SWINGS, MOMENTS = 2.0, 2, 40

#: the largest displacement drawn [rad, or lengths of the mechanism]
LARGEST = 0.35


def mode_motion(model: Model, state: State, mode: Mode, size: float = 1.0) -> tuple[Array, Array]:
    """Times of the picture [s] and coordinates there."""
    shape = np.array(list(mode.shape.values()))
    scale = np.array([model.reach if kind == "P" else 1.0 for kind in speed_kinds(model)])
    # what swings fastest may be a small part: the picture shows it at a size that can be seen
    amplitude = LARGEST * size / max(float(np.max(np.abs(shape) / scale, initial=0.0)), 1e-12)
    t = np.linspace(0.0, PERIOD * SWINGS, MOMENTS * SWINGS + 1)
    one = []
    for phase in np.linspace(0.0, 2.0 * np.pi, MOMENTS, endpoint=False):
        moved = np.real(shape * np.exp(1j * (phase - 0.5 * np.pi)))
        one.append(_closed(model, state, amplitude * moved))
    return t, np.array([*(one * SWINGS), one[0]])


def _closed(model: Model, state: State, displacement: Array) -> Array:
    """Coordinates after a displacement: as far as the loops let it go."""
    loops = model.loops(state.mode)
    part = 1.0
    while part > 0.05:
        q = state.q.copy()
        for _ in range(4):  # balls turn: a large displacement is made of small ones
            q = loops.moved(q, 0.25 * part * displacement, state.parameters)
        q[loops.driven_coordinates] = state.q[loops.driven_coordinates]
        q, gap = loops.close_positions(q, state.t, state.parameters)
        if gap <= CLOSED:
            return q
        part *= 0.7
    return state.q


def draw_mode(model: Model, state: State, mode: Mode, path: Path, size: float = 1.0) -> int:
    """Write the GIF; returns how many pictures it has."""
    # drawing belongs to the command line, which knows how a mechanism looks
    from ..model import Model

    if importlib.util.find_spec("PIL") is None:
        raise AnalysisError("expected Pillow to write an animation, found none; pip install pillow")
    mechanism = copy.deepcopy(model.mechanism)
    pieces = add_skeleton(mechanism)
    drawn = Model(mechanism)
    t, q = mode_motion(model, state, mode, size)
    readings = drawn.sensors(
        q, np.zeros((len(q), model.nv)), np.zeros((len(q), model.nv)), parameters=_same(drawn, state)
    )
    channels = {}
    for name in {end for piece in pieces for end in piece}:
        for k, axis in enumerate("xyz"):
            channels[f"{name}.{axis}"] = readings[name][:, k]
    try:
        return animate(make_scene(Recording(model.name, t, channels, {}), pieces), path)
    except (OSError, ValueError) as error:
        raise FileError(path, f"expected a place for a GIF, found: {error}; choose another name") from None


def _same(model: Model, state: State) -> dict[str, float]:
    return {name: value for name, value in state.parameters.items() if name in model.parameters}

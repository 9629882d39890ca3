"""Regulation as a technician sees it: millimetres and grams, measured on the action; three screws and a punching.

model = build("motion").compile()
measure(model)                                          # blow 46.0 mm, let-off 1.5 mm, ...
screws = regulate(model, Regulation(blow=46.0, let_off=1.6))
measure(model, screws)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .playing import PlayingError, drive_of, play, rest
from .stroke import Array, Mask, Stroke, analyse
from .strokes import press, slow

if TYPE_CHECKING:
    from ...simulate.model import Model
    from ...simulate.state import State

#: grams that a newton weighs
GRAMS = 1000.0 / 9.81

#: dips between which down- and up-weight are taken [mm]: before the damper is lifted
WEIGHING = (1.5, 3.8)


@dataclass(frozen=True)
class Regulation:
    """What the three screws are turned and the punching is packed for [mm].

    Attributes:
        blow: from the resting hammer to the string; capstan.
        let_off: from the string, where the jack lets the hammer go in a slow press; button.
        drop: how far the hammer then falls; drop screw.
        dip: from the resting key to its punching; papers under it.
    """

    blow: float = 46.0
    let_off: float = 1.6
    drop: float = 1.75
    dip: float = 10.1


@dataclass(frozen=True)
class Measures:
    """The action as a technician measures it: lengths in mm, weights in grams.

    Attributes:
        blow: from the resting hammer to the string.
        let_off: from the string, where the jack lets the hammer go in a slow press.
        drop: how far the hammer then falls.
        dip: from the resting key to its punching.
        let_off_dip: dip at which the hammer is let go.
        aftertouch: way of the key from there to its punching.
        check: from the string to the hammer that the back-check has caught, after a press of 60 ms.
        down_weight: what moves the key down slowly.
        up_weight: what it lifts slowly.
        ratio: way of the hammer over way of the key.
        bump: how much the force rises at the escapement [N].
    """

    blow: float
    let_off: float
    drop: float
    dip: float
    let_off_dip: float
    aftertouch: float
    check: float
    down_weight: float
    up_weight: float
    ratio: float
    bump: float

    @property
    def balance(self) -> float:
        """Balance weight [g]."""
        return 0.5 * (self.down_weight + self.up_weight)

    @property
    def friction(self) -> float:
        """Friction at the key [g]."""
        return 0.5 * (self.down_weight - self.up_weight)


#: what each screw sets, its name, and by how many millimetres a millimetre of its height usually changes it
SCREWS: tuple[tuple[str, str, float], ...] = (
    ("blow", "capstan.height", -10.0),
    ("let_off", "button.height", -6.0),
    ("drop", "drop_screw.height", -4.0),
    ("dip", "key.dip", 1.0),
)

#: how far a firm finger presses the key into its punching [m]
FIRM = 0.15e-3

#: samples for which the key is held down
PAUSE = 600

#: error at which a screw is left alone [mm]
CLOSE = 0.02

#: error of a screw above which those after it wait [mm]
COARSE = 0.3


def slow_press(model: Model, start: State, back: bool = True, speed: float = 10e-3) -> Stroke:
    """A press at 10 mm/s to the punching, 0.3 s there, and back."""
    motion = slow(speed, start.parameters["key.dip"], back=back)
    return analyse(play(model, motion, motion.end + 0.1, start))


def measure(model: Model, parameters: Mapping[str, float] | None = None) -> Measures:
    """Measure the action, of a model whose key is driven by motion."""
    _by_motion(model)
    start = rest(model, parameters)
    stroke = slow_press(model, start)
    caught = analyse(play(model, press(0.06, start.parameters["key.dip"] + FIRM), 0.4, start))
    dip, gap, force = 1e3 * stroke.dip, 1e3 * stroke.gap, stroke.finger
    bottom = 1e3 * start.parameters["key.dip"]
    going = _going_down(stroke)
    coming = np.arange(len(dip)) > int(going.sum()) + PAUSE
    lift = _mean(force, going, dip, *WEIGHING)
    nearest = int(np.argmin(np.where(going, gap, np.inf)))
    on_way = going & (dip > 1.0) & (dip < 6.0)
    return Measures(
        blow=float(gap[0]),
        let_off=float(gap[nearest]),
        drop=float(_after(stroke) * 1e3 - gap[nearest]),
        dip=float(bottom - dip[0]),
        let_off_dip=float(dip[nearest]),
        aftertouch=float(bottom - dip[nearest]),
        check=1e3 * caught.end,
        down_weight=GRAMS * lift,
        up_weight=GRAMS * _mean(force, coming, dip, *WEIGHING),
        ratio=float(-np.polyfit(dip[on_way], gap[on_way], 1)[0]),
        bump=float(force[going & (dip > 6.0) & (dip < 9.8)].max() - _mean(force, going, dip, 5.0, 6.0)),
    )


def regulate(
    model: Model, target: Regulation | None = None, parameters: Mapping[str, float] | None = None, rounds: int = 12
) -> dict[str, float]:
    """Turn capstan, let-off button and drop screw and pack the punching until the action is as wanted.

    Args:
        model: one whose key is driven by motion.
        target: what is wanted [mm].
        parameters: values that differ from the description's.
        rounds: how often the screws are turned before giving up.

    Returns:
        The parameters, with new heights of the three screws and a new dip [m].
    """
    _by_motion(model)
    target = target or Regulation()
    now = {**(parameters or {})}
    last: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        found = _regulation(model, now)
        errors = {goal: getattr(found, goal) - getattr(target, goal) for goal, _, _ in SCREWS}
        if all(abs(e) < CLOSE for e in errors.values()):
            return now
        for goal, screw, usual in SCREWS:
            if abs(errors[goal]) < 0.5 * CLOSE:
                continue
            height = 1e3 * now.get(screw, model.parameters[screw])
            now[screw] = 1e-3 * (height + _turn(errors[goal], height, last.get(screw), usual))
            last[screw] = (height, errors[goal])
            if abs(errors[goal]) > COARSE:
                break  # what comes later depends on it
    raise PlayingError(
        f"expected a regulation that three screws can reach, found {found} where {target} was wanted; "
        "choose targets nearer to the usual ones"
    )


def _turn(error: float, height: float, last: tuple[float, float] | None, usual: float) -> float:
    """How far to turn a screw [mm]: by the chord of the last two tries where that is like the usual slope."""
    slope = usual
    if last is not None and abs(height - last[0]) > 1e-6:
        chord = (error - last[1]) / (height - last[0])
        slope = chord if 0.3 < chord / usual < 3.0 else usual
    return max(-0.5, min(0.5, -error / slope))


def _regulation(model: Model, parameters: Mapping[str, float]) -> Regulation:
    start = rest(model, parameters)
    stroke = slow_press(model, start, back=False)
    nearest = 1e3 * float(stroke.gap[_going_down(stroke)].min())
    dip = 1e3 * (start.parameters["key.dip"] - float(stroke.dip[0]))
    return Regulation(1e3 * float(stroke.gap[0]), nearest, 1e3 * _after(stroke) - nearest, dip)


def _by_motion(model: Model) -> None:
    if drive_of(model) != "motion":
        raise PlayingError('expected an action driven by motion to measure, found another; use build("motion")')


def _going_down(stroke: Stroke) -> Mask:
    """Samples of a slow press before the key is down."""
    return np.arange(len(stroke.dip)) <= int(np.argmax(stroke.dip))


def _after(stroke: Stroke) -> float:
    """From the string to the hammer once the key is down [m]."""
    down = int(np.argmax(stroke.dip))
    return float(stroke.gap[min(down + 100, len(stroke.gap) - 1)])


def _mean(values: Array, where: Mask, dip: Array, low: float, high: float) -> float:
    return float(values[where & (dip > low) & (dip < high)].mean())

"""What ``touchweight play`` shows: how a mechanism starts and is driven, and what sensors see of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..library import piano
from ..library.classics import piano_key_a
from ..mechanism import FrameForce, Mechanism
from ..symbolic import ZERO

Drive = Callable[[float], float]
#: position, velocity and acceleration at a time
Moved = Callable[[float], tuple[float, float, float]]


@dataclass(frozen=True)
class Show:
    """How a mechanism is shown.

    Attributes:
        seconds: how long [s].
        dt: step of the integration [s].
        v: initial speeds.
        inputs: functions of time.
        drives: motions of live drives, functions of time.
        disc: radius of a disc halfway along the last piece [m], for what looks like a top.
        sentence: what to look at.
    """

    seconds: float = 6.0
    dt: float = 1e-3
    v: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, Drive] = field(default_factory=dict)
    drives: Mapping[str, Drive | Moved] = field(default_factory=dict)
    disc: float = 0.0
    sentence: str = "Let go where the file says, or in its reference position. Limits of joints are data, not stops."


def _wave(size: float, times: float, phase: float = 0.0, middle: float = 0.0) -> Drive:
    """A target that starts at zero, swells over two seconds, then swings ``times`` in eight seconds."""

    def target(t: float) -> float:
        s = min(0.5 * t, 1.0)
        swell = s * s * (3.0 - 2.0 * s)
        return swell * (middle + size * math.sin(2.0 * math.pi * times * t / 8.0 + phase))

    return target


def _sway(middle: float, size: float, i: int) -> Drive:
    """A force that swings about ``middle`` [N], each leg a little later than the one before."""
    return lambda t: middle + size * math.sin(2.0 * math.pi * (t - i / 6.0))


def _by_hand(name: str) -> dict[str, Drive]:
    """The inputs of a drive that a hand moves."""

    def part(k: int) -> Drive:
        return lambda t: piano_key_a.hand(t)[k]

    return {f"{name}.{what}": part(k) for k, what in enumerate(("position", "velocity", "acceleration"))}


def _pressed(t: float) -> tuple[float, float, float]:
    """A piano key that is pressed twice, mezzoforte, and let up in between: angle and its rates."""
    moves = [(0.4, 0.06, 10.15e-3), (0.9, 0.1, 0.0), (1.3, 0.04, 10.15e-3), (1.7, 0.15, 0.0)]
    dip, rate, acceleration = piano.Motion(tuple(piano.Move(*m) for m in moves)).at(t)
    arm = -piano.TABLE["finger.x"].si
    return dip / arm, rate / arm, acceleration / arm


#: how the mechanisms of the library are shown
SHOWS: dict[str, Show] = {
    "pendulum": Show(6.0, sentence="Let go at one radian: it swings and, having no friction, never stops."),
    "double-pendulum": Show(12.0, sentence="Let go from above: nobody can say in advance where the tip goes."),
    "chain": Show(5.0, 2e-4, sentence="Held out level and let go: the tip cracks like a whip."),
    "arm": Show(
        10.0,
        inputs={
            "base.target": _wave(0.8, 1),
            "shoulder.target": _wave(0.35, 3, 0.5, 0.55),
            "elbow.target": _wave(0.35, 3, 2.2, 0.9),
            "roll.target": _wave(1.2, 2),
            "wrist.target": _wave(0.5, 5, 0.0, 0.4),
            "flange.target": _wave(2.0, 2),
        },
        sentence="Six servos follow six waves against gravity and inertia.",
    ),
    "top": Show(
        4.0,
        2e-4,
        {"point.wz": 120.0},
        disc=0.05,
        sentence="Let go while it spins: it falls a little, then circles and nods.",
    ),
    "ball": Show(4.5, sentence="Let go from one metre: a hundred bounces, then none."),
    "cart-pole": Show(6.0, v={"cart": 2.0}, sentence="The pole falls over; each wall jerks it."),
    "stewart": Show(
        4.0,
        inputs={f"force{i}": _sway(50.0, 500.0, i) for i in range(1, 7)},
        sentence="Six legs push in turn: the plate sways.",
    ),
    "double-wishbone": Show(
        4.0,
        inputs={"road": lambda t: 0.03 * math.sin(6.0 * t)},
        sentence="Set on a wavy road, the car settles and sways.",
    ),
    "four-bar": Show(6.0, v={"rod0": 2.0}, sentence="Through its flat position and on: all rods stay parallel."),
    "slider-crank": Show(0.2, 1e-4, sentence="Five turns at 150 rad/s."),
    "andrews": Show(0.05, 1e-5, sentence="A motor whirls the crank; the rest squeezes."),
    "piano": Show(
        2.2,
        2.5e-4,
        drives={"key": _pressed},
        sentence="Pressed twice: the jack throws the hammer, slips away, and the back-check catches it.",
    ),
    "piano-key-a": Show(2.6, inputs=_by_hand("key"), sentence="Thrown and caught, twice."),
    "piano-key-b": Show(2.6, inputs=_by_hand("manipulandum"), sentence="Thrown, caught, thrown against the string."),
}


def conserves(mechanism: Mechanism) -> bool:
    """Nothing feeds or takes energy: every force has a potential."""
    forces = mechanism.forces.values()
    stored = all(not isinstance(f, FrameForce) and f.potential is not ZERO for f in forces)
    return stored and not (mechanism.inputs or mechanism.states or mechanism.drives or mechanism.transitions)

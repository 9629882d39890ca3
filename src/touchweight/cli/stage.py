"""What ``touchweight play`` shows: how a mechanism starts and is driven, and what sensors see of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..mechanism import FrameForce, Mechanism
from ..symbolic import ZERO

Drive = Callable[[float], float]


@dataclass(frozen=True)
class Show:
    """How a mechanism is shown.

    Attributes:
        seconds: how long [s].
        dt: step of the integration [s].
        v: initial speeds.
        inputs: functions of time.
        disc: radius of a disc halfway along the last piece [m], for what looks like a top.
        sentence: what to look at.
    """

    seconds: float = 6.0
    dt: float = 1e-3
    v: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, Drive] = field(default_factory=dict)
    disc: float = 0.0
    sentence: str = (
        "Let go where the file says, or in its reference position. Limits of joints are data, not stops."
    )


def _wave(size: float, times: float, phase: float = 0.0, middle: float = 0.0) -> Drive:
    """A target that starts at zero, swells over two seconds, then swings ``times`` in eight seconds."""

    def target(t: float) -> float:
        s = min(0.5 * t, 1.0)
        swell = s * s * (3.0 - 2.0 * s)
        return swell * (middle + size * math.sin(2.0 * math.pi * times * t / 8.0 + phase))

    return target


#: how the mechanisms of the library are shown
SHOWS: dict[str, Show] = {
    "pendulum": Show(6.0, sentence="Let go at one radian: it swings and, having no friction, never stops."),
    "double-pendulum": Show(
        12.0, sentence="Let go from above: nobody can say in advance where the tip goes."
    ),
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
}


def conserves(mechanism: Mechanism) -> bool:
    """Nothing feeds or takes energy: every force has a potential."""
    forces = mechanism.forces.values()
    stored = all(not isinstance(f, FrameForce) and f.potential is not ZERO for f in forces)
    return stored and not mechanism.inputs and not mechanism.states


def add_skeleton(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Give every joint and free end a position sensor; returns the pieces between them, pairs of sensors."""
    made: dict[str, str] = {}

    def seen(place: str) -> str:
        if place not in made:
            name = f"drawn {place}"
            while name in mechanism.sensors:
                name += "'"
            mechanism.sensor(name, "position", mechanism._frame_of(place))
            made[place] = name
        return made[place]

    pieces: list[tuple[str, str]] = []
    parents = {j.parent.name for j in mechanism.joints.values()}
    for joint in mechanism.joints.values():
        if (
            joint.parent.name != "ground"
            or any(x is not ZERO for x in joint.origin)
            or joint.kind == "prismatic"
        ):
            pieces.append((seen(joint.parent.name), seen(joint.child.name)))
        body = joint.child
        if body.name in parents:
            continue
        ends = [
            f.name for f in mechanism.frames.values() if f.body is body and f.name not in mechanism.bodies
        ]
        if not ends and any(x is not ZERO for x in body.com):
            name = f"middle of {body.name}"
            while name in mechanism.frames or name in mechanism.bodies:
                name += "'"
            ends = [mechanism.frame(name, body, origin=body.com).name]
        pieces += [(seen(body.name), seen(end)) for end in ends]
    # a wheel on its axle has no length: show at least where it is
    return pieces or [(seen(name), seen(name)) for name in (*list(mechanism.bodies)[:1], "ground")][:1]

"""Frames, signals and forces: what they sit on and what their expressions may hold."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..joint import JOINT_KINDS
from ..law import FrameForce, PairForce, SpeedForce
from ..signal import SENSOR_KINDS
from ..values import shown
from .problem import Problem
from .tools import LAW, PAIR_LAW, Tools, listed


def frame_problems(tools: Tools) -> Iterator[Problem]:
    """Frames with a name in the mechanism."""
    for frame in tools.mechanism.frames.values():
        yield from tools.frame(f"frame {shown(frame.name)}", frame)


def signal_problems(tools: Tools) -> Iterator[Problem]:
    """Inputs, states and sensors."""
    m = tools.mechanism
    for given in m.inputs.values():
        if not math.isfinite(given.value):
            yield Problem(
                f"input {shown(given.name)}",
                f"expected a finite value, found {given.value}",
                "correct it",
            )
    for state in m.states.values():
        where = f"state {shown(state.name)}"
        if not math.isfinite(state.initial):
            yield Problem(where, f"expected a finite initial value, found {state.initial}", "correct it")
        yield from tools.symbols(f"rate of {where}", [state.rate], LAW)
    for sensor in m.sensors.values():
        where = f"sensor {shown(sensor.name)}"
        if sensor.kind not in SENSOR_KINDS:
            yield Problem(
                where,
                f"expected a known kind, found {shown(sensor.kind)}",
                f"use {listed(SENSOR_KINDS)}",
            )
        if sensor.axes not in ("world", "frame"):
            yield Problem(
                where,
                f"expected axes of the world or the frame, found {shown(sensor.axes)}",
                "correct them",
            )
        yield from tools.place(where, sensor.frame)


def force_problems(tools: Tools) -> Iterator[Problem]:
    """What forces act on, and what they are made of."""
    speeds = {s for j in tools.mechanism.joints.values() if j.kind in JOINT_KINDS for s in j.speeds}
    for force in tools.mechanism.forces.values():
        where = f"force {shown(force.name)}"
        if isinstance(force, SpeedForce):
            if force.speed not in speeds:
                yield Problem(
                    where,
                    f"expected a speed of the mechanism, found {shown(force.speed)}",
                    "name the speed of a joint",
                )
            yield from tools.symbols(where, [force.force, force.potential], LAW)
        elif isinstance(force, PairForce):
            yield from _pair(tools, where, force)
        elif isinstance(force, FrameForce):
            yield from tools.place(where, force.frame)
            if force.axes not in ("world", "frame"):
                yield Problem(where, f"expected axes world or frame, found {shown(force.axes)}", "correct them")
            yield from tools.symbols(where, [*force.force, *force.torque], LAW)


def _pair(tools: Tools, where: str, force: PairForce) -> Iterator[Problem]:
    yield from tools.place(where, force.a)
    yield from tools.place(where, force.b)
    if force.a.body is force.b.body and force.a.origin == force.b.origin:
        yield Problem(
            where,
            "expected two points, found the same one twice: the line between them has no direction",
            "move one of its frames",
        )  # fmt: skip
    yield from tools.symbols(where, [force.tension, force.potential], PAIR_LAW)

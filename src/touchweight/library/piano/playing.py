"""Playing the action: the rest position, and runs from there by motion, force or finger.

model = build("motion").compile()
run = play(model, press(0.06), 0.3)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TouchweightError
from .strokes import Motion, push

if TYPE_CHECKING:
    from ...simulate.model import Model
    from ...simulate.recording import Recording
    from ...simulate.state import State

#: distance of recorded samples [s]: the step of Thorin et al. 2013
SAMPLE = 5e-4

#: steps of the non-smooth method for each sample: with one, the rebound of a hard blow, which touches the string for
#: three samples, comes out up to 40 % too large; with two, within 7 % of very small steps at C4. The treble needs more.
SUBSTEPS = 2

#: force on the front punching at which the key is down [N]
AT_BOTTOM = 0.5

#: a finger at rest is so far above the key [m]
AWAY = 2e-3

#: how long the action takes to come to rest [s]
SETTLING = 0.6

#: torque on the key that counts as none [N m]; it moves the resting key by less than a micrometre
NO_TORQUE = 1e-3

#: what a drive takes at a time [s]: dip with its rate and acceleration (m), a force (N), or a tip's height and rate (m)
Touch = Callable[[float], Any]

#: measured: times [s], and dips [m] or forces [N] at them
Samples = tuple[Sequence[float], Sequence[float]]


class PlayingError(TouchweightError, ValueError):
    """The action cannot be played like that."""


def drive_of(model: Model) -> str:
    """How the key of a model is moved: ``motion``, ``force`` or ``finger``."""
    if "key" in model.mechanism.drives:
        return "motion"
    if "finger.force" in model.mechanism.inputs:
        return "force"
    if "intention" in model.mechanism.inputs:
        return "finger"
    raise PlayingError(f"expected a piano action, found {model.name!r}; make one with piano.action.build()")


def rest(model: Model, parameters: Mapping[str, float] | None = None, dt: float = SAMPLE) -> State:
    """The action at rest, with no finger on the key, after it has swung out."""
    drive = drive_of(model)
    state = model.state(parameters=parameters)
    if drive == "motion":
        _find_rest(model, state, dt)
    elif drive == "force":
        model.simulate(SETTLING, state=state, dt=dt)
    else:
        state.q[model.coordinates.index("finger")] = AWAY
        model.simulate(SETTLING, state=state, inputs={"intention": AWAY}, dt=dt)
    state.t = 0.0
    state.v[:] = 0.0
    return state


def _find_rest(model: Model, state: State, dt: float) -> None:
    """Where a driven key takes no force: between its weight on the back rail and the action's on its end."""
    low, high = -2e-3, 0.0  # rad
    up, down = _held(model, state, high, dt), _held(model, state, low, dt)
    for _ in range(20):
        # the back rail's felt is a parabola, so the chord falls short of it: go further by a third
        part = min(0.9, max(0.1, up / (up - down)))
        angle = high + min(0.9, 1.33 * part) * (low - high)
        torque = _held(model, state, angle, dt)
        if abs(torque) < NO_TORQUE:
            return
        if torque < 0.0:
            low, down = angle, torque
        else:
            high, up = angle, torque


def _held(model: Model, state: State, angle: float, dt: float) -> float:
    """Torque that holds the key at an angle [N m], once everything has fallen on it from the described position.

    Each try starts there, since dry friction remembers: the repetition lever is nearly in balance under the hammer.
    """
    fresh = model.state(parameters=state.parameters)
    run = model.simulate(SETTLING, state=fresh, drives={"key": angle}, dt=dt)
    state.q, state.v = fresh.q, fresh.v
    return float(run["force.key"][-1])


def play(
    model: Model,
    touch: Touch | Motion | Samples,
    duration: float,
    start: State | None = None,
    *,
    parameters: Mapping[str, float] | None = None,
    dt: float = SAMPLE,
    substeps: int = SUBSTEPS,
    **options: Any,
) -> Recording:
    """Play the action from rest.

    Args:
        model: of :func:`.action.build`.
        touch: for the drive ``motion`` a :class:`~.strokes.Motion`, or a function of time that gives the dip and its
            first and second rate [m, m/s, m/s²]; for ``force`` one that gives the force [N]; for ``finger`` a
            motion, or a function that gives the intended height of the tip over the resting key and its rate [m, m/s].
            Measured dips or forces may be given as samples (times, values).
        duration: how long [s].
        start: a state from :func:`rest`, which saves finding it; stays as it is.
        parameters: values that differ from the description's; not together with ``start``.
        dt: distance of the recorded samples [s]; forces are means between them.
        substeps: steps of the integration for each of them.
        options: as for :meth:`Model.simulate`.
    """
    if start is not None and parameters is not None:
        raise PlayingError("expected either a start or parameters, found both; give rest(model, parameters) as start")
    state = (rest(model, parameters) if start is None else start).copy()
    options = {"dt": dt / substeps, "every": substeps, **options}
    drive = drive_of(model)
    if drive == "force":
        if isinstance(touch, Motion):
            raise PlayingError(
                "expected a function of time that gives a force [N], found a motion; use push(), for one"
            )
        return model.simulate(duration, state=state, inputs={"finger.force": touch}, **options)
    if drive == "finger":
        if isinstance(touch, tuple):
            raise PlayingError("expected a motion or a function of time for a finger, found samples; interpolate them")
        goals = {"intention": lambda t: _height(touch, t)[0], "intention.rate": lambda t: _height(touch, t)[1]}
        return model.simulate(duration, state=state, inputs=goals, **options)
    return model.simulate(duration, state=state, drives={"key": _angle(model, state, touch)}, **options)


def _angle(model: Model, state: State, touch: Touch | Motion | Samples) -> Touch | Samples:
    """The motion of the key as its angle and rates, from dips."""
    arm = -state.parameters["finger.x"]
    if isinstance(touch, tuple):
        times, dips = touch
        return times, [dip / arm for dip in dips]
    resting = float(state.q[model.coordinates.index("key")]) * arm

    def angle(t: float) -> tuple[float, float, float]:
        dip, rate, acceleration = touch.at(t, resting) if isinstance(touch, Motion) else touch(t)
        return dip / arm, rate / arm, acceleration / arm

    return angle


def _height(touch: Touch | Motion, t: float) -> tuple[float, float]:
    """Height and rate that a finger intends; a motion in dips begins where the finger is."""
    if isinstance(touch, Motion):
        dip, rate, _ = touch.at(t, -AWAY)
        return -dip, -rate
    height, rate = touch(t)[:2]
    return float(height), float(rate)


def strike(
    model: Model,
    force: float,
    duration: float = 0.35,
    start: State | None = None,
    *,
    parameters: Mapping[str, float] | None = None,
    dt: float = SAMPLE,
    substeps: int = SUBSTEPS,
    **options: Any,
) -> Recording:
    """A stroke with a constant force [N] that rises in 10 ms and eases off 2 ms after the key has met its punching."""
    if drive_of(model) != "force":
        raise PlayingError('expected an action driven by a force, found another; use build("force")')
    if start is not None and parameters is not None:
        raise PlayingError("expected either a start or parameters, found both; give rest(model, parameters) as start")
    start = rest(model, parameters) if start is None else start
    options = {"dt": dt, "substeps": substeps, **options}
    first = play(model, push(force), duration, start, **options)
    down = first["force.front-punching"] > AT_BOTTOM
    release = float(first.t[int(np.argmax(down))]) + 0.002 if down.any() else math.inf
    return play(model, push(force, release=release), duration, start, **options)

"""What a stroke was: strikes, moments, forces, damper; read from a recording of the action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .playing import AT_BOTTOM

if TYPE_CHECKING:
    from ...simulate.recording import Recording

#: mean force over a step from which a contact counts as closed [N]
TOUCHING = 0.02

#: angle of the jack at which it has left the knuckle [rad]: its top has moved back by more than a millimetre
TRIPPED = 0.03

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Strike:
    """The hammer at the string.

    Attributes:
        t: when they meet [s].
        speed: of the hammer's head just before [m/s].
        rebound: its speed back, when it leaves [m/s].
        contact_time: how long they touch [s], to about a third of a step.
        impulse: what the string takes [N s].
        peak: largest mean force over a step [N].
    """

    t: float
    speed: float
    rebound: float
    contact_time: float
    impulse: float
    peak: float


@dataclass(frozen=True)
class Moment:
    """Something that happens in a stroke.

    Attributes:
        t: when [s].
        name: ``damper lift`` (the key meets its lever), ``drop screw`` (the repetition lever meets it), ``button`` (the
            jack's toe meets it), ``let-off`` (the jack has left the knuckle), ``strike``, ``check``, ``key bottom``,
            ``jack reset``, ``damper fall``.
    """

    t: float
    name: str


@dataclass(frozen=True)
class Stroke:
    """A stroke.

    Attributes:
        strikes: every time the hammer meets the string.
        moments: everything that happens, in order.
        finger: force at the finger [N, down], for each time of the recording.
        capstan: force at the pilot [N], for each time.
        gap: from the hammer's head to the resting string [m], for each time.
        dip: of the key at the finger point [m], for each time.
        damper_lifted: whether the string is free to sound, for each time.
        checked: whether the back-check holds the hammer at the end.
    """

    strikes: tuple[Strike, ...]
    moments: tuple[Moment, ...]
    finger: Array
    capstan: Array
    gap: Array
    dip: Array
    damper_lifted: Mask
    checked: bool

    @property
    def speed(self) -> float:
        """Of the hammer at its first strike [m/s]; zero where it does not reach the string."""
        return self.strikes[0].speed if self.strikes else 0.0

    @property
    def end(self) -> float:
        """How far the hammer is from the string at the end [m]."""
        return float(self.gap[-1])

    def when(self, name: str) -> float:
        """When something first happens [s]; NaN if it does not."""
        return next((m.t for m in self.moments if m.name == name), float("nan"))


def analyse(run: Recording) -> Stroke:
    """What happened in a run of the action."""
    strikes = _strikes(run)
    return Stroke(
        strikes,
        tuple(sorted(_moments(run, strikes), key=lambda m: m.t)),
        finger_force(run),
        run["force.capstan-heel"],
        hammer_gap(run),
        key_dip(run),
        run["force.damper-seat"] <= TOUCHING,
        bool(run["force.tail-check"][-1] > TOUCHING),
    )


def finger_force(run: Recording) -> Array:
    """Force at the finger, down [N]; of a driven key, what its motion takes."""
    if "force.finger-key" in run:
        return run["force.finger-key"]
    if "finger.force" in run:
        return run["finger.force"]
    return run["force.key"] / -run["finger point.x"]


def hammer_gap(run: Recording) -> Array:
    """From the hammer's head to the resting string [m]."""
    return run["string line.z"] - run["string"] - run["hammer head.z"]


def key_dip(run: Recording) -> Array:
    """Dip of the key at the finger point [m]."""
    return -run["finger point.z"]


def closings(run: Recording, contact: str, threshold: float = TOUCHING) -> list[tuple[int, int]]:
    """Pairs of samples between which a contact is closed: the first and the one after the last with a force."""
    on = np.concatenate([[False], run[f"force.{contact}"][1:] > threshold, [False]])
    edges = np.flatnonzero(on[1:] != on[:-1])
    return [(int(a) + 1, int(b) + 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _strikes(run: Recording) -> tuple[Strike, ...]:
    force, speed, gap = run["force.hammer-string"], run["hammer speed.z"], hammer_gap(run)
    dt = float(run.t[1] - run.t[0])
    found: list[Strike] = []
    for first, after in closings(run, "hammer-string"):
        pushes = force[first:after]
        before, level = gap[first - 1], gap[first]
        part = before / (before - level) if before > 0.0 > level else 0.0
        begin = float(run.t[first - 1] + part * dt)
        last = min(after, len(run.t)) - 1
        found.append(
            Strike(
                begin,
                float(speed[first - 1]),
                float(-speed[last]),
                float(run.t[last]) - begin,
                float(pushes.sum() * dt),
                float(pushes.max()),
            )
        )
    return tuple(found)


def _moments(run: Recording, strikes: tuple[Strike, ...]) -> list[Moment]:
    made = [Moment(s.t, "strike") for s in strikes]
    names = {
        "key-damper": "damper lift",
        "screw-lever": "drop screw",
        "toe-button": "button",
        "tail-check": "check",
        "damper-seat": "damper fall",
    }
    for contact, name in names.items():
        made += [Moment(float(run.t[a - 1]), name) for a, _ in closings(run, contact) if a > 1]
    made += [Moment(_crossing(run, a), "key bottom") for a, _ in closings(run, "front-punching", AT_BOTTOM)]
    out = run["jack"] > TRIPPED
    for i in np.flatnonzero(out[1:] != out[:-1]):
        made.append(Moment(float(run.t[i + 1]), "let-off" if out[i + 1] else "jack reset"))
    return made


def _crossing(run: Recording, first: int) -> float:
    """When the force on the punching passes its threshold, between the middles of two steps [s]."""
    force = run["force.front-punching"]
    dt = float(run.t[1] - run.t[0])
    a, b = force[first - 1], force[first]
    return float(run.t[first] - 0.5 * dt - dt * (b - AT_BOTTOM) / (b - a))

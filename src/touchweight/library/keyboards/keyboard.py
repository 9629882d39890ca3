"""A keyboard: an action behind an interface that all share, so that one can be put in the place of another.

    key = KEYBOARDS["harpsichord"]
    model = key.build().compile()
    run = key.play(model, piano.press(0.06), 0.3)
    finger_force(run), key_dip(run), key.sounds(run)

Every model has a driven coordinate ``key`` [rad, down], a parameter ``finger.x`` (the finger point, in front of the
axle [m]) and a sensor ``finger point``. ``force.key`` [N m] is what the motion takes; divided by the arm, the force of
the finger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import piano

if TYPE_CHECKING:
    from ...mechanism import Mechanism
    from ...simulate.model import Model
    from ...simulate.recording import Recording
    from ...simulate.state import State

#: distance of recorded samples [s], and steps for each of them
SAMPLE, SUBSTEPS = 5e-4, 2

#: how long an action takes to settle on its springs and felts [s]
SETTLING = 0.4

#: opening at which a pallet lets a pipe speak [m]
SPEAKS = 0.3e-3


@dataclass(frozen=True)
class Sound:
    """A note begins.

    Attributes:
        t: when [s].
        name: ``strike`` (a hammer meets a string), ``pluck`` (a string leaves a plectrum), ``speak`` (a pallet opens).
        strength: speed of the hammer [m/s]; how far the string was bent [m]; speed of the pallet [m/s].
    """

    t: float
    name: str
    strength: float


@dataclass(frozen=True)
class Keyboard:
    """An action.

    Attributes:
        name: its name in the registry.
        sentence: what it is.
        build: describes it.
        sounds: finds the notes in a run.
        dip: of the key, to its stop [m].
    """

    name: str
    sentence: str
    build: Callable[[], Mechanism]
    sounds: Callable[[Recording], tuple[Sound, ...]]
    dip: float

    def rest(self, model: Model) -> State:
        """The action at rest, with the key up."""
        if self.name == "grand":
            return piano.rest(model)
        state = model.state()
        model.simulate(SETTLING, state=state, drives={"key": 0.0}, dt=SAMPLE / SUBSTEPS)
        state.t = 0.0
        state.v[:] = 0.0
        return state

    def play(
        self, model: Model, touch: piano.Motion | Callable[[float], Any], duration: float, start: State | None = None
    ) -> Recording:
        """Play from rest: a motion of the key in dips [m], as for :func:`~..piano.playing.play`."""
        return piano.play(model, touch, duration, self.rest(model) if start is None else start)


def finger_force(run: Recording) -> Any:
    """Force at the finger, down [N], for each time of a run."""
    return piano.stroke.finger_force(run)


def key_dip(run: Recording) -> Any:
    """Dip of the key at the finger point [m], for each time of a run."""
    return piano.stroke.key_dip(run)


def strikes(run: Recording) -> tuple[Sound, ...]:
    """Strikes of the grand action."""
    return tuple(Sound(s.t, "strike", s.speed) for s in piano.analyse(run).strikes)


def strike_events(run: Recording) -> tuple[Sound, ...]:
    """Strikes of a model with modes; the hammer's speed is that of the sample before."""
    return tuple(
        Sound(e.t, "strike", float(run["v.hammer"][np.searchsorted(run.t, e.t) - 1]))
        for e in run.events
        if e.name.startswith("strike")
    )


def plucks(run: Recording) -> tuple[Sound, ...]:
    """Where the string passes from above the plectrum to below it."""
    bend, bent = run["tongue"], run["string"]
    reach, over = run["jack place.x"] - run["wire.x"], run["wire.z"] - run["jack place.z"]
    above = reach * np.sin(bend) + over * np.cos(bend) > 0.0
    changes = [0, *np.flatnonzero(above[:-1] != above[1:])]
    return tuple(
        Sound(float(run.t[e]), "pluck", float(bent[s : e + 1].max())) for s, e in pairwise(changes) if above[e]
    )


def openings(run: Recording) -> tuple[Sound, ...]:
    """Where the pallet opens far enough for a pipe to speak."""
    out = run["pallet"] > SPEAKS
    return tuple(
        Sound(float(run.t[i + 1]), "speak", float(run["v.pallet"][i + 1])) for i in np.flatnonzero(~out[:-1] & out[1:])
    )

"""Events: the moments at which a run changed its mode."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """A transition that was taken.

    Attributes:
        t: when [s].
        name: the transition.
        source: the mode it left.
        target: the mode it entered (may be the same).
    """

    t: float
    name: str
    source: str
    target: str


def in_words(event: Event) -> dict[str, float | str]:
    """The event as plain values by name, ready for a file."""
    return {"t": float(event.t), "name": event.name, "source": event.source, "target": event.target}

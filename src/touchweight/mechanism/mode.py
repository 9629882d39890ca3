"""Modes: one mechanism, several sets of constraints, and the transitions between them.

Gillespie and Cutkosky (1996): a mode is valid as long as its guards are positive; where one reaches zero, the
motion goes on in the next mode, from a state that the transition may reset.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..symbolic import Expr


@dataclass(eq=False)
class Mode:
    """A set of constraints and forces under which the mechanism moves for a while.

    Attributes:
        name: unique among modes; the first mode described is the one a run starts in.
        active: loops, constraints, drives and forces that act in this mode. What no mode names acts in all of them.
        locked: coordinates (turns or slides) that stand still, where they are when the mode is entered.
    """

    name: str
    active: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()


@dataclass(eq=False)
class Transition:
    """The way from one mode to another.

    Attributes:
        name: unique among transitions.
        source: the mode it leaves.
        target: the mode it enters (may be the same).
        guard: positive while the source is valid; the transition is taken where it falls through zero. May hold
            coordinates, speeds, states, inputs, time, parameters, sensors and the forces of loops and drives.
        reset: new values of coordinates, speeds and states by name (``q.NAME``, ``v.NAME`` or a state's name), from the
            values before.
        restitution: coefficient of an impact along the guard, which must then be a function of q: the impulse goes
            through the mass matrix and the constraints. None for no impact.
        rest: the mode to enter instead when impacts accumulate (Zeno) and the motion along the guard has died away.
    """

    name: str
    source: str
    target: str
    guard: Expr
    reset: dict[str, Expr] = field(default_factory=dict)
    restitution: Expr | None = None
    rest: str | None = None

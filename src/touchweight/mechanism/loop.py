"""Loops: what closes a chain of bodies into itself, and any other equation the motion must satisfy.

A loop is cut: its two sides are frames of the tree that must keep together. Each equation of the cut is a row; the
force that keeps it is its multiplier λ, called by the row's name.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..symbolic import ZERO, Expr, Symbol, symbol
from .body import Frame
from .joint import Axis


@dataclass(frozen=True)
class Cut:
    """A kind of cut: the suffixes of its rows, the units of their forces, and one line for people."""

    rows: tuple[str, ...]
    units: tuple[str, ...]
    meaning: str


_FORCE = (".x", ".y", ".z")

#: every kind of cut
LOOP_KINDS: dict[str, Cut] = {
    "body": Cut(
        (*_FORCE, ".tx", ".ty", ".tz"),
        ("N", "N", "N", "N m", "N m", "N m"),
        "a body cut in two: the frames coincide and keep their axes parallel",
    ),
    "hinge": Cut(
        (*_FORCE, ".t1", ".t2"),
        ("N", "N", "N", "N m", "N m"),
        "a hinge: the frames' origins coincide and their common axis stays common",
    ),
    "ball": Cut(_FORCE, ("N", "N", "N"), "a ball: the frames' origins coincide"),
    "pin": Cut(
        (".1", ".2"),
        ("N", "N"),
        "a ball in a plane: the frames' origins coincide, seen along the axis",
    ),
    "rod": Cut(("",), ("N",), "a rod without mass: the frames' origins keep their distance"),
}


@dataclass(eq=False)
class Loop:
    """Two frames that a cut must keep together.

    Attributes:
        name: unique among loops and constraints.
        kind: a key of :data:`LOOP_KINDS`.
        a: the first frame.
        b: the second frame; the multipliers are what acts on it, and their opposite on ``a``.
        axis: of a hinge or a pin, in frame ``a``.
        length: of a rod [m].
    """

    name: str
    kind: str
    a: Frame
    b: Frame
    axis: Axis = (0.0, 0.0, 1.0)
    length: Expr = ZERO

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the equations, and of their multipliers."""
        return tuple(self.name + s for s in LOOP_KINDS[self.kind].rows)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the multipliers."""
        return LOOP_KINDS[self.kind].units


@dataclass(eq=False)
class Constraint:
    """An equation the motion must satisfy.

    ``level`` "position": ``expression`` is h(q, t) and must stay zero. ``level`` "speed": it is linear in the speeds
    and must stay zero, as for a wheel that rolls without slipping. Sensors may appear in both.
    """

    name: str
    expression: Expr
    level: str = "position"

    @property
    def rows(self) -> tuple[str, ...]:
        """Name of the equation, and of its multiplier."""
        return (self.name,)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the multiplier: a force for what the equation is written in."""
        return ("N or N m",)


def reaction_symbol(row: str) -> Symbol:
    """What stands for the multiplier of a row in guards and outputs."""
    return symbol(f"force.{row}", "force")

"""Drives: the prescribed motion of driven coordinates, with its first and second rate."""

from __future__ import annotations

from dataclasses import dataclass

from ..mechanism import Mechanism
from ..symbolic import Expr, differentiate, share
from .tree import Tree


@dataclass
class Driven:
    """A driven coordinate: where it sits in q and v, and its motion [rad or m, and their rates]."""

    name: str
    coordinate: int
    speed: int
    position: Expr
    velocity: Expr
    acceleration: Expr


def driven_motions(mechanism: Mechanism, tree: Tree) -> list[Driven]:
    """Every drive of the mechanism, in the order described."""
    out = []
    for drive in mechanism.drives.values():
        at = tree.coordinates.index(drive.name), tree.speeds.index(drive.name)
        if drive.motion is not None:
            rate = share(differentiate(drive.motion, mechanism.time))
            motion = (share(drive.motion), rate, share(differentiate(rate, mechanism.time)))
        else:
            assert drive.inputs is not None
            p, v, a = (mechanism.inputs[name].symbol for name in drive.inputs)
            motion = (p, v, a)
        out.append(Driven(drive.name, *at, *motion))
    return out

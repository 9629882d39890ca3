"""Drives: coordinates whose motion is prescribed. The force this takes, Q_d, is an output: what a hand feels."""

from __future__ import annotations

from dataclasses import dataclass

from ..symbolic import Expr


@dataclass(eq=False)
class Drive:
    """A driven coordinate (a turn or a slide).

    Attributes:
        name: the coordinate; its speed and its force Q_d [N m or N] have the same name.
        motion: q(t) [rad or m], an expression of time and parameters; None when it comes from outside.
        inputs: names of the inputs that hold position, velocity and acceleration when it comes from outside.
    """

    name: str
    motion: Expr | None = None
    inputs: tuple[str, str, str] | None = None

"""Forces in a mechanism: on a speed, between two frames, or on a frame.

Every force is an expression over the mechanism's own symbols: parameters, coordinates, speeds, inputs,
states, sensors and time. A law written as a Python function is called once, here, with symbols for its
arguments (it is *traced*), so that it becomes part of the generated code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..errors import MechanismError
from ..symbolic import ZERO, Expr, Scalar, Symbol, as_expr, symbol
from .body import Frame, Vector

#: length between two frames [m] and its rate [m/s], as pair laws see them
DISTANCE = symbol("d", "local")
DISTANCE_RATE = symbol("d_dot", "local")


@dataclass(eq=False)
class SpeedForce:
    """A generalised force on one speed, positive along it [N or N m]; ``potential`` is what it stores [J]."""

    name: str
    speed: str
    force: Expr
    potential: Expr = ZERO


@dataclass(eq=False)
class PairForce:
    """A force along the line between two frames: positive pulls them together [N].

    ``tension`` is written in :data:`DISTANCE` and :data:`DISTANCE_RATE`; ``potential`` is what it stores [J].
    """

    name: str
    a: Frame
    b: Frame
    tension: Expr
    potential: Expr = ZERO


@dataclass(eq=False)
class FrameForce:
    """A force [N] and torque [N m] on a frame, at its point, in world axes or in the frame's own."""

    name: str
    frame: Frame
    force: Vector
    torque: Vector
    axes: str = "world"


def trace(function: Callable[..., Scalar], local: Mapping[str, Symbol], given: Mapping[str, Expr]) -> Expr:
    """Call a law once with symbols: ``local`` for its positional arguments, ``given`` for its parameters."""
    try:
        inspect.signature(function).bind(*local.values(), **given)
    except TypeError as error:
        raise MechanismError(
            f"expected a law of ({', '.join(local)}) with the parameters ({', '.join(given) or 'none'}), "
            f"found {getattr(function, '__name__', 'function')}{inspect.signature(function)}: {error}"
        ) from None
    return as_expr(function(*local.values(), **given))

"""Parameters: the numbers of a mechanism that stay live after it has been compiled."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..symbolic import Symbol


@dataclass
class Parameter:
    """A named number with a unit and bounds.

    Attributes:
        name: unique within the mechanism, such as ``arm.mass``.
        value: default value, in SI units.
        unit: SI unit as text, for people.
        minimum: smallest value allowed.
        maximum: largest value allowed.
        description: one sentence for people.
        symbol: what stands for it in expressions.
        explicit: declared by the user (true) or made from a number in the description (false).
    """

    name: str
    value: float
    symbol: Symbol
    unit: str = ""
    minimum: float = -math.inf
    maximum: float = math.inf
    description: str = ""
    explicit: bool = False


@dataclass(frozen=True)
class Live:
    """A number that stays live where it is given, also when it is zero.

    What is None is as it would be for a plain number in that place.
    """

    value: float
    unit: str | None = None
    minimum: float | None = None
    maximum: float = math.inf
    description: str = ""

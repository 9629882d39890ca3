"""Derivatives by one parameter from a few values nearby, within its bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...codegen.callable import Array
from ...errors import ShapeError, printable
from ..parameters import Parameters

if TYPE_CHECKING:
    from ..model import Model

#: places in steps from the middle, weights there of the derivative of fourth order, and of one of lower order
Stencil = tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]
CENTRAL: Stencil = ((-2, -1, 1, 2), (1 / 12, -8 / 12, 8 / 12, -1 / 12), (0.0, -0.5, 0.5, 0.0))
FORWARD: Stencil = ((0, 1, 2, 3, 4), (-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4), (-11 / 6, 3.0, -1.5, 1 / 3, 0.0))


def by_differences(
    model: Model,
    parameters: Parameters,
    name: str,
    middle: Array,
    at: Callable[[str, float], Array],
    step: float,
) -> tuple[Array, Array]:
    """The derivative of ``at(name, value)`` at the parameter's value, and how far it may be off."""
    if not 0.0 < step < 0.2:
        raise ShapeError(f"expected a step between 0 and 0.2 of a parameter's size, found {printable(repr(step), 40)}")
    spec, value = parameters.spec(name), parameters[name]
    size = abs(value) or (model.reach if spec.symbol.kind == "length" else 1.0)
    h = step * size
    if spec.minimum <= value - 2.0 * h and value + 2.0 * h <= spec.maximum:
        (places, fine, coarse), way = CENTRAL, 1.0
    else:
        (places, fine, coarse), way = FORWARD, 1.0 if value + 4.0 * h <= spec.maximum else -1.0
    values = [middle if k == 0 else at(name, value + way * k * h) for k in places]
    # a sum of small differences loses less than one of large values
    changes = np.array([x - middle for x in values])
    best = np.tensordot(np.array(fine), changes, 1) / (way * h)
    rough = np.tensordot(np.array(coarse), changes, 1) / (way * h)
    return best, np.abs(best - rough)

"""Random states, the same for every contender, and the measure by which two contenders agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """`count` states of a mechanism with n joints; each array is (count, n)."""

    q: Array
    """Positions [rad or m]."""
    v: Array
    """Speeds [rad/s or m/s]."""
    u: Array
    """What drives: the acceleration for inverse dynamics, the joint force for direct dynamics."""

    @property
    def count(self) -> int:
        """How many states there are."""
        return int(self.q.shape[0])

    @property
    def rows(self) -> Array:
        """(count, 3n), contiguous: q, v, u of one state side by side, as the timing programs read them."""
        return np.ascontiguousarray(np.hstack([self.q, self.v, self.u]))


def random_states(prismatic: Sequence[bool], count: int = 256, seed: int = 0) -> States:
    """Angles over the whole circle, slides within 0.1 m, speeds and drives within one unit.

    `prismatic` says of each joint whether it slides.
    """
    draw = np.random.default_rng(seed)
    reach = np.where(prismatic, 0.1, np.pi)
    shape = (count, len(prismatic))
    return States(reach * draw.uniform(-1, 1, shape), draw.uniform(-1, 1, shape), draw.uniform(-1, 1, shape))


def relative_error(found: Array, expected: Array) -> float:
    """The largest difference in any state, over the largest number expected in it; (count, ...) arrays."""
    count = expected.shape[0]
    difference = np.abs(found.reshape(count, -1) - expected.reshape(count, -1)).max(axis=1)
    error = (difference / np.abs(expected).reshape(count, -1).max(axis=1)).max()
    return float(error) if np.isfinite(error) else float("inf")

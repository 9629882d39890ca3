"""What readers share: rounding dust taken away, and names made unique."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

#: lengths below this are rounding dust of an export [m]
LENGTH_DUST = 1e-12
#: an entry of an inertia below this fraction of its largest is rounding dust
INERTIA_DUST = 1e-12


class Tidy:
    """Takes dust for zero, so that it leaves no terms in the equations, and counts what it took."""

    def __init__(self) -> None:
        self.lengths = 0
        self.moments = 0

    def point(self, values: Sequence[float]) -> list[float]:
        """A point [m]."""
        out = [0.0 if abs(v) < LENGTH_DUST else float(v) for v in values]
        self.lengths += sum(a != b for a, b in zip(out, values, strict=True))
        return out

    def inertia(self, tensor: NDArray[np.float64]) -> list[float]:
        """(xx, yy, zz, xy, xz, yz) of a tensor [kg m²]."""
        entries = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        least = INERTIA_DUST * max(abs(e) for e in entries)
        out = [0.0 if abs(e) < least else float(e) for e in entries]
        self.moments += sum(a != b for a, b in zip(out, entries, strict=True))
        return out

    def lines(self) -> list[str]:
        """Remarks on what was taken for zero."""
        out = []
        if self.lengths:
            out.append(f"took {self.lengths} lengths below {LENGTH_DUST:g} m for zero")
        if self.moments:
            out.append(f"took {self.moments} entries of inertias below {INERTIA_DUST:g} of the largest for zero")
        return out


def unique_name(name: str, taken: Collection[str]) -> str:
    """``name``, or the first of ``name_2``, ``name_3``, ... that is free."""
    made, k = name, 1
    while made in taken:
        k += 1
        made = f"{name}_{k}"
    return made

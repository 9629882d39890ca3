"""Derivatives of quantities by parameters, with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...codegen.callable import Array
from ...errors import ShapeError, printable


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of quantities by parameters.

    Attributes:
        of: names of the quantities.
        by: names of the parameters.
        values: of the quantities.
        parameters: values of the parameters.
        matrix: (quantities, parameters), derivatives in SI units.
        error: the same shape, how far they may be off; zero where they are exact.
    """

    of: tuple[str, ...]
    by: tuple[str, ...]
    values: Array
    parameters: Array
    matrix: Array
    error: Array

    @property
    def relative(self) -> Array:
        """Relative change of a quantity for a relative change of a parameter; NaN where the quantity is zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Array = np.where(
                self.values[:, None] != 0.0, self.matrix * self.parameters / self.values[:, None], np.nan
            )
        return out

    def __getitem__(self, pair: tuple[str, str]) -> float:
        of, by = pair
        if of not in self.of or by not in self.by:
            raise ShapeError(
                f"expected a quantity among {listed(self.of)} and a parameter among {listed(self.by)}, "
                f"found {printable(repr(pair), 80)}"
            )
        return float(self.matrix[self.of.index(of), self.by.index(by)])


def listed(names: Sequence[str]) -> str:
    """The first few names."""
    return ", ".join(printable(n, 40) for n in names[:8]) + (", …" if len(names) > 8 else "")

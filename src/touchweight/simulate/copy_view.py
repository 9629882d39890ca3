"""Part of the state of many copies, which lies lane by lane, seen copy by copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.callable import Array


class CopyView:
    """Part of the state of every copy: read and written like an array of shape (copies, width)."""

    def __init__(self, y: Array, copies: int, first: int, width: int) -> None:
        self._y, self._copies = y, copies
        self._first, self._width = first, width

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        blocks, _, lanes = self._y.shape
        part = self._y[:, self._first : self._first + self._width]
        return np.swapaxes(part, 1, 2).reshape(blocks * lanes, self._width)[: self._copies].astype(dtype or float)

    def __getitem__(self, index: Any) -> Any:
        return np.asarray(self)[index]

    def __setitem__(self, index: Any, values: Any) -> None:
        now = np.asarray(self)
        now[index] = values
        blocks, _, lanes = self._y.shape
        padded = now[np.minimum(np.arange(blocks * lanes), self._copies - 1)]
        self._y[:, self._first : self._first + self._width] = np.swapaxes(
            padded.reshape(blocks, lanes, self._width), 1, 2
        )

    def __len__(self) -> int:
        return self._copies

    @property
    def shape(self) -> tuple[int, int]:
        """(copies, width)."""
        return self._copies, self._width

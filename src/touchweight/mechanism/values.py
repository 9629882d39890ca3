"""Numbers, axes and inertias as a user may give them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import MechanismError, printable
from ..symbolic import Const, Scalar
from .joint import Axis

#: an axis entry this close to -1, 0 or 1 is taken to be it, so that right angles stay right
SNAP = 1e-12

#: axes by name
AXES: dict[str, Axis] = {
    "x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0), "-y": (0.0, -1.0, 0.0), "-z": (0.0, 0.0, -1.0),
}  # fmt: skip


def shown(value: object) -> str:
    """What a user gave, as an error shows it."""
    return repr(printable(value, 80)) if isinstance(value, str) else printable(repr(value), 80)


def article(word: str) -> str:
    """The word with its article."""
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def number(value: Any, what: str) -> float:
    """``value`` as a float; ``what`` is what an error calls it."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, bool | str):
        raise MechanismError(f"expected a number for {printable(what)}, found {shown(value)}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise MechanismError(f"expected a number for {printable(what)}, found {shown(value)}") from None


def unit_axis(spec: str | Sequence[float], name: str) -> Axis:
    """An axis of length one, from "x", "-y", ... or three numbers."""
    if isinstance(spec, str):
        if spec not in AXES:
            raise MechanismError(
                f"expected x, y, z, -x, -y, -z or three numbers as the axis of {shown(name)}, found {shown(spec)}"
            )
        return AXES[spec]
    try:
        parts = [number(x, f"axis of {name}") for x in spec]
    except TypeError:
        parts = []
    biggest = max((abs(p) for p in parts), default=0.0)
    if len(parts) != 3 or not 0.0 < biggest < math.inf or any(math.isnan(p) for p in parts):
        raise MechanismError(f"expected an axis of three numbers, not all zero, found {shown(spec)} for {shown(name)}")
    if abs(math.hypot(*parts) - 1.0) > 1e-15:  # what has length one already stays as it is, to the last digit
        parts = [p / biggest for p in parts]  # no overflow in the squares
        size = math.hypot(*parts)
        parts = [p / size for p in parts]
    x, y, z = (_snapped(p) for p in parts)
    return (x, y, z)


def _snapped(x: float) -> float:
    return float(round(x)) + 0.0 if abs(x - round(x)) < SNAP else x


def six(inertia: Sequence[Any], name: str) -> list[Scalar]:
    """(xx, yy, zz, xy, xz, yz) from three diagonal entries, six, or three rows of three."""
    try:
        rows = list(inertia)
    except TypeError:
        rows = []
    if len(rows) == 3 and all(hasattr(r, "__len__") and len(r) == 3 for r in rows):
        size = max((abs(x) for row in rows for x in row if isinstance(x, int | float)), default=0.0)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if not _same(rows[i][j], rows[j][i], size):
                raise MechanismError(
                    f"expected a symmetric inertia of {shown(name)}, found {shown(rows[i][j])} "
                    f"and {shown(rows[j][i])} at ({i + 1}, {j + 1}) and ({j + 1}, {i + 1})"
                )
        return [rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2]]
    if len(rows) == 3:
        return [*rows, 0.0, 0.0, 0.0]
    if len(rows) == 6:
        return rows
    raise MechanismError(
        f"expected the inertia of {shown(name)} as 3 diagonal entries, 6 (xx, yy, zz, xy, xz, yz) "
        f"or 3 rows of 3, found {len(rows)} entries"
    )


def _same(a: Any, b: Any, size: float) -> bool:
    if a is b:
        return True
    try:
        x, y = float(a), float(b)
    except (TypeError, ValueError):
        return False
    return math.isnan(x) or math.isnan(y) or abs(x - y) <= 1e-9 * size


def world_or_frame(axes: str, name: str) -> None:
    """Refuse axes that are neither "world" nor "frame"."""
    if axes not in ("world", "frame"):
        raise MechanismError(f'expected axes "world" or "frame", found {shown(axes)} for {shown(name)}')

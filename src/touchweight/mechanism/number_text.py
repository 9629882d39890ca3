"""Numbers in files: decimal, finite, the same in every locale."""

from __future__ import annotations

import math
import re

from ..errors import MechanismError, printable

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_SPECIAL = re.compile(r"[-+]?\.?(?:nan|inf|infinity)", re.IGNORECASE)

#: longest number read [characters]
LENGTH_LIMIT = 400


def is_number(text: str) -> bool:
    """Whether ``text`` is written as a number, finite or not."""
    return _NUMBER.fullmatch(text) is not None or _SPECIAL.fullmatch(text) is not None


def parse_number(text: str) -> float:
    """The value of a decimal number such as ``-1.5e-3``; nan, inf and what overflows a double are errors."""
    bare = text.strip()
    if len(bare) > LENGTH_LIMIT or _NUMBER.fullmatch(bare) is None:
        if _SPECIAL.fullmatch(bare):
            raise MechanismError(f"expected a finite number, found {printable(bare)!r}")
        hint = "; use a point, not a comma" if re.fullmatch(r"[-+0-9]+,[0-9]+", bare) else ""
        raise MechanismError(f"expected a number, found {printable(text, 60)!r}{hint}")
    value = float(bare)
    if math.isinf(value):
        raise MechanismError(f"expected a number that fits a double, found {printable(bare, 60)!r}")
    return value


def parse_numbers(text: str, count: int | tuple[int, int] | None = None) -> list[float]:
    """The values of numbers between spaces; ``count`` is how many, or the fewest and the most."""
    parts = text.split()
    if count is not None:
        low, high = count if isinstance(count, tuple) else (count, count)
        if not low <= len(parts) <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            raise MechanismError(f"expected {wanted} numbers, found {len(parts)} in {printable(text, 60)!r}")
    return [parse_number(p) for p in parts]

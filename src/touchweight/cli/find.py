"""Finding what a command is about: a file, or a mechanism of the library; and numbers given as name=value."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence

from ..errors import FileError, TouchweightError, printable
from ..library import MECHANISMS, build
from ..mechanism import Mechanism
from ..mechanism.expression_text import parse_expression
from ..mechanism.load import load
from ..symbolic import Const, evaluate, symbol


class OptionError(TouchweightError, ValueError):
    """An option of the command line is wrong."""


def find(what: str, free_flying: bool = False) -> Mechanism:
    """The mechanism in a file, or the one of that name in the library where there is no such file."""
    if what in MECHANISMS and not os.path.exists(what):
        if free_flying:
            raise OptionError(f"expected a file for --free-flying, found the library's {what}; leave the option out")
        return build(what)
    if os.sep not in what and "." not in what and not os.path.exists(what):
        raise FileError(
            what,
            f"expected a file or a name among {', '.join(MECHANISMS)}, found neither; check the spelling",
        )
    return load(what, free_flying=True) if free_flying else load(what)


def numbers(pairs: Sequence[str], option: str) -> dict[str, float]:
    """``["hip=0.3", ...]`` as a mapping; the last ``=`` separates, so names may hold others."""
    found: dict[str, float] = {}
    for pair in pairs:
        name, separator, value = pair.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not separator or not name or not math.isfinite(number):
            raise OptionError(
                f"expected {option} name=number, found {printable(pair, 80)!r}; for example {option} hip=0.3"
            )
        found[name.strip()] = number
    return found


def moments(pairs: Sequence[str], option: str) -> dict[str, float | Callable[[float], float]]:
    """``["push=3", "turn=0.5*sin(2*t)"]``: numbers, or functions of time in the grammar of files."""
    time = symbol("t", "time")
    found: dict[str, float | Callable[[float], float]] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator or not name.strip():
            raise OptionError(
                f"expected {option} name=number or name=expression of t, found {printable(pair, 80)!r}; "
                f"for example {option} 'hip=0.3*sin(2*t)'"
            )
        expression = parse_expression(text, {"t": time})
        if isinstance(expression, Const):
            found[name.strip()] = float(expression.value)
        else:
            found[name.strip()] = lambda t, e=expression: float(evaluate(e, {time: t}))  # type: ignore[misc]
    return found


def start_of(mechanism: Mechanism) -> dict[str, float]:
    """Where the description says the coordinates start."""
    return {
        coordinate: value
        for joint in mechanism.joints.values()
        if joint.initial is not None
        for coordinate, value in zip(joint.coordinates, joint.initial, strict=True)
    }

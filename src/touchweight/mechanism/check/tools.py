"""What the checks share: values and symbols of expressions, frames."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...symbolic import Expr, Symbol, evaluate_all, free_symbols, is_condition
from ..body import Body, Frame
from ..law import DISTANCE, DISTANCE_RATE
from ..mechanism import Mechanism
from ..scope import named_symbols
from ..signal import SENSOR_KINDS
from ..values import shown
from .problem import Problem


@dataclass(frozen=True)
class Use:
    """What symbols an expression may hold.

    Attributes:
        words: the words for them.
        local: names that only exist in its place.
        advice: what to do about others.
    """

    words: frozenset[str]
    local: tuple[Symbol, ...] = ()
    advice: str = "use a parameter"


GEOMETRY = Use(frozenset({"parameter"}))
GRAVITY = Use(frozenset({"parameter", "input", "state", "time"}))
_EVERYTHING = frozenset({"time", "parameter", "coordinate", "speed", "input", "state", "sensor channel"})
LAW = Use(_EVERYTHING)
PAIR_LAW = Use(_EVERYTHING, (DISTANCE, DISTANCE_RATE))
MOTION = Use(frozenset({"time", "parameter"}), advice="leave the motion out to prescribe it from outside")
_POSITIONS = frozenset({"time", "parameter", "coordinate", "sensor channel"})
ON_POSITIONS = Use(_POSITIONS, advice="write it in coordinates, or use speed_constraint() for speeds")
ON_SPEEDS = Use(_POSITIONS | {"speed"}, advice="write it in coordinates and speeds")
GUARD = Use(_EVERYTHING | {"constraint force", "drive force"})

#: sensors that are functions of positions, and of speeds as well
POSITION_SENSORS = ("position", "orientation")
SPEED_SENSORS = ("velocity", "angular_velocity")


class Tools:
    """A mechanism under check, with its default values and the words for its symbols."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.defaults: dict[Any, float] = {p.symbol: p.value for p in mechanism.parameters.values()}
        self.words: dict[Symbol, str] = {s: word for word, s in named_symbols(mechanism)}
        self.sensors = {s: x for x in mechanism.sensors.values() if x.kind in SENSOR_KINDS for s in x.symbols}
        self.accelerations = {
            s: sensor.name
            for s, sensor in self.sensors.items()
            if sensor.kind in ("acceleration", "angular_acceleration")
        }

    def numbers(self, exprs: Iterable[Expr]) -> list[float] | None:
        """Values with the default parameters, or nothing where a symbol has none; what is not real is NaN."""
        out = []
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for e in exprs:
                try:
                    value = evaluate_all([e], self.defaults)[0]
                except KeyError:
                    return None
                except (ArithmeticError, ValueError):
                    value = math.nan
                out.append(math.nan if isinstance(value, complex) else float(value))
        return out

    def symbols(self, where: str, exprs: Sequence[Expr], use: Use) -> Iterator[Problem]:
        """Symbols in ``exprs`` that have no place there."""
        if any(is_condition(e) for e in exprs):
            yield Problem(where, "expected a number, found a condition", "use select(condition, then, otherwise)")
        for s in free_symbols(exprs):
            if s in use.local:
                continue
            word = self.words.get(s)
            if word is None:
                yield Problem(
                    where,
                    f"expected symbols of this mechanism, found {shown(s.name)} ({s.kind})",
                    "declare it as a parameter, input or state of this mechanism",
                )
            elif s in self.accelerations:
                yield Problem(
                    where,
                    f"expected no acceleration in a law, found the sensor {shown(self.accelerations[s])}",
                    "accelerations follow from forces: use position or velocity, or a state that lags behind",
                )
            elif word not in use.words:
                yield Problem(
                    where,
                    f"expected only {listed(use.words)} here, found the {word} {shown(s.name)}",
                    use.advice,
                )
            elif any(s.name == local.name for local in use.local):
                yield Problem(
                    where,
                    f"expected {shown(s.name)} to be the distance or its rate, found a {word} of that name",
                    f"rename the {word}",
                )

    def measured(self, s: Symbol, kinds: Sequence[str]) -> bool:
        """Whether a symbol is a channel of a sensor of one of these kinds."""
        return s in self.sensors and self.sensors[s].kind in kinds

    def finite(self, where: str, what: str, exprs: Sequence[Expr]) -> tuple[list[float] | None, list[Problem]]:
        """Values of ``exprs`` where all are finite, and the problem where they are not."""
        problems = list(self.symbols(where, exprs, GEOMETRY))
        values = self.numbers(exprs)
        if values is None or all(math.isfinite(v) for v in values):
            return values, problems
        # a parameter that is not finite is told once, as a parameter
        known = free_symbols(exprs)
        if all(math.isfinite(self.defaults.get(s, math.nan)) for s in known):
            given = ", ".join(f"{v:g}" for v in values)
            problems.append(
                Problem(
                    where,
                    f"expected {what} that is finite, found {given}",
                    "correct the expression or its parameters",
                )
            )
        return None, problems

    def rotation(self, where: str, entries: Sequence[Expr]) -> Iterator[Problem]:
        """A rotation matrix, by rows."""
        values, problems = self.finite(f"rotation of {where}", "a rotation", entries)
        yield from problems
        if values is not None:
            r = np.array(values).reshape(3, 3)
            if not (np.abs(r @ r.T - np.eye(3)).max() < 1e-5 and np.linalg.det(r) > 0):
                yield Problem(
                    f"rotation of {where}",
                    "expected orthonormal, right-handed axes, found others",
                    "correct the matrix",
                )

    def frame(self, where: str, frame: Frame) -> Iterator[Problem]:
        """A frame: its body, origin and axes."""
        if not self.owns(frame.body):
            yield Problem(
                where,
                f"expected a body of this mechanism, found {shown(frame.body.name)}",
                "add it with body()",
            )
        yield from self.finite(f"origin of {where}", "a point", frame.origin)[1]
        yield from self.rotation(where, [x for row in frame.rotation for x in row])

    def place(self, where: str, frame: Frame) -> Iterator[Problem]:
        """A frame that a sensor or force sits on; those with a name in the mechanism are checked there."""
        if self.mechanism.frames.get(frame.name) is not frame:
            yield from self.frame(where, frame)

    def owns(self, body: Body) -> bool:
        """Whether a body is part of the mechanism."""
        return body is self.mechanism.ground or self.mechanism.bodies.get(body.name) is body


def listed(words: Iterable[str]) -> str:
    """Words in order, for people."""
    return ", ".join(sorted(words))

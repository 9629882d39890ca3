"""Values as plain data for YAML: numbers where they were given, expressions as text, vectors, rotations, places."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import MechanismError
from ..symbolic import Const, Expr, Symbol, free_symbols
from .body import NOWHERE, Body, Frame
from .expression_text import write_expression
from .mechanism import Mechanism
from .parameter import Parameter
from .rotation import IDENTITY, Matrix, rotation_matrix
from .scope import scope
from .values import shown


def plain(value: float, what: str) -> float | int:
    """A number as people write it."""
    if not math.isfinite(value):
        raise MechanismError(f"expected a finite number for {shown(what)}, found {value}; set it before saving")
    return int(value) if value == int(value) and abs(value) < 1e15 else float(value)


class ValueWriter:
    """Writes the values of one mechanism."""

    def __init__(self, mechanism: Mechanism, spelled: frozenset[str]) -> None:
        self.mechanism = mechanism
        self.spelled = spelled
        self.names = scope(mechanism)
        #: parameters that are written where their number was given
        self.placed: set[str] = set()
        #: forces, inputs and states that a short form stands for
        self.covered: set[tuple[str, str]] = set()

    def bounds(self, p: Parameter, spell_all: bool) -> dict[str, Any]:
        """A live number with its unit and bounds, where they are not the usual ones."""
        out: dict[str, Any] = {"value": plain(p.value, p.name)}
        if p.unit or spell_all:
            out["unit"] = p.unit
        if p.minimum > -math.inf:
            out["minimum"] = plain(p.minimum, p.name)
        elif spell_all:
            out["minimum"] = "none"
        if p.maximum < math.inf:
            out["maximum"] = plain(p.maximum, p.name)
        if p.description:
            out["description"] = p.description
        return out

    def parameter(self, p: Parameter) -> Any:
        """An entry of the section ``parameters``."""
        out = self.bounds(p, spell_all=False)
        if p.symbol.kind != "parameter":
            out["kind"] = p.symbol.kind
        if not p.explicit:
            out["explicit"] = False
        return out["value"] if len(out) == 1 else out

    def scalar(self, value: Expr, place: str) -> Any:
        """A number where it was given, or the text of an expression."""
        p = self.mechanism.parameters.get(place)
        if p is not None and value is p.symbol and not p.explicit and place not in self.placed:
            self.placed.add(place)
            return self.bounds(p, spell_all=True) if place in self.spelled else plain(p.value, place)
        return self.value(value)

    def value(self, value: Expr, local: Sequence[Symbol] = ()) -> Any:
        """A constant as a number, anything else as text; ``local`` are names that only exist here."""
        if isinstance(value, Const):
            return plain(value.value, "a constant")
        inside = {s.name: s for s in local}
        for s in free_symbols([value]):
            if inside.get(s.name, self.names.get(s.name)) is not s:
                raise MechanismError(
                    f"expected expressions in the names of the mechanism, found {shown(s.name)} ({s.kind}), "
                    "which has another meaning or none; declare or rename it before saving"
                )
        return write_expression(value, {*self.names, *inside})

    def law_parameters(self, name: str, used: Sequence[Symbol]) -> Mapping[str, Parameter]:
        """The parameters given with a law, by their short names (which may not hide a name that it uses)."""
        taken = {s.name for s in used}
        own = {}
        for s in used:
            p = self.mechanism.parameters.get(s.name)
            short = s.name.removeprefix(f"{name}.")
            if p is not None and p.symbol is s and not p.explicit and short != s.name and s.name not in self.placed:
                own[short] = p
        return {} if taken & set(own) else own

    def vector(self, values: Sequence[Expr], place: str) -> list[Any]:
        """Three scalars."""
        return [self.scalar(v, f"{place}.{a}") for v, a in zip(values, "xyz", strict=True)]

    def rotation(self, matrix: Matrix) -> Any:
        """Roll, pitch, yaw where they give exactly this matrix, else its rows."""
        if all(isinstance(x, Const) for row in matrix for x in row):
            angles = _roll_pitch_yaw([[float(x) for x in row] for row in matrix])
            if rotation_matrix(angles) == matrix:
                return [plain(a, "an angle") for a in angles]
        return [[self.value(x) for x in row] for row in matrix]

    def placement(self, origin: Sequence[Expr], rotation: Matrix, name: str) -> dict[str, Any]:
        """The keys ``origin`` and ``rotation``, where they say something."""
        out: dict[str, Any] = {}
        if tuple(origin) != NOWHERE:
            out["origin"] = self.vector(origin, f"{name}.origin")
        if rotation != IDENTITY:
            out["rotation"] = self.rotation(rotation)
        return out

    def body_name(self, body: Body) -> str:
        """The name of a body, which must be one of the mechanism."""
        if body is self.mechanism.ground:
            return "ground"
        if self.mechanism.bodies.get(body.name) is not body:
            raise MechanismError(f"expected bodies of the mechanism, found {shown(body.name)}; add it before saving")
        return body.name

    def place(self, f: Frame) -> Any:
        """How a sensor or force names the frame it sits on."""
        m = self.mechanism
        if m.frames.get(f.name) is f:
            return f.name
        body = self.body_name(f.body)
        bare = f.origin == NOWHERE and f.rotation == IDENTITY
        if bare and f.name == body and body not in m.frames:
            return body
        out: dict[str, Any] = {"body": body}
        if f.name != body:
            out["name"] = f.name
        if f.origin != NOWHERE:
            out["origin"] = [self.value(x) for x in f.origin]
        if f.rotation != IDENTITY:
            out["rotation"] = self.rotation(f.rotation)
        return out


def _roll_pitch_yaw(r: list[list[float]]) -> tuple[float, float, float]:
    """Angles of R = Rz(yaw) Ry(pitch) Rx(roll), whole fractions of a turn made exact."""
    flat = math.hypot(r[0][0], r[1][0])
    pitch = math.atan2(-r[2][0], flat)
    if flat > 1e-9:
        angles = (math.atan2(r[2][1], r[2][2]), pitch, math.atan2(r[1][0], r[0][0]))
    else:
        angles = (math.atan2(-r[1][2], r[1][1]), pitch, 0.0)
    roll, pitch, yaw = (_tidy(a) for a in angles)
    return roll, pitch, yaw


def _tidy(angle: float) -> float:
    for digits in (0, 1, 2, 3, 4, 5, 6):
        for unit in (1.0, math.pi / 180.0):
            near = round(angle / unit, digits) * unit
            if abs(near - angle) < 1e-14:
                return near
    return angle

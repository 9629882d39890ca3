"""Everything that is wrong with a mechanism, as a list: each problem says where, what and what to do.

Checking never stops at the first problem and never raises. An *error* means that the equations cannot be
built or solved; a *warning* means that they can, but that nature would not do this, or that a name is
troublesome.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..symbolic import Expr, Symbol, evaluate_all, free_symbols, is_condition
from .body import Body, Frame
from .check_motion import FLAT, idle_motions, lowest_energy
from .check_tree import tree_problems
from .joint import JOINT_KINDS, Joint
from .law import DISTANCE, DISTANCE_RATE, FrameForce, PairForce, SpeedForce
from .mechanism import Mechanism
from .problem import Problem
from .scope import clashes, named_symbols
from .signal import SENSOR_KINDS
from .values import shown

#: longest name without a remark [characters]
NAME_LIMIT = 200

#: principal moments may miss zero, and the triangle inequality, by this fraction of the largest: files round
INERTIA_TOLERANCE = 1e-5

#: ... and by this much, the dust of an export [kg m²]
INERTIA_FLOOR = 1e-17


def check(mechanism: Mechanism) -> list[Problem]:
    """Everything that is wrong with ``mechanism``; empty when it is sound."""
    checker = _Checker(mechanism)
    body = [*checker.parameters(), *checker.bodies(), *checker.joints(), *tree_problems(mechanism)]
    rest = [*checker.names(), *checker.gravity(), *checker.frames(), *checker.signals(), *checker.forces()]
    # what moves can only be told of a tree with numbers
    motion = [] if any(p.severity == "error" for p in body) else list(checker.motion())
    return body + motion + rest


@dataclass(frozen=True)
class _Use:
    """What symbols an expression may hold: the words for them, and names that only exist in its place."""

    words: frozenset[str]
    local: tuple[Symbol, ...] = ()


_GEOMETRY = _Use(frozenset({"parameter"}))
_GRAVITY = _Use(frozenset({"parameter", "input", "state", "time"}))
_EVERYTHING = frozenset({"time", "parameter", "coordinate", "speed", "input", "state", "sensor channel"})
_LAW = _Use(_EVERYTHING)
_PAIR_LAW = _Use(_EVERYTHING, (DISTANCE, DISTANCE_RATE))


class _Checker:
    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.defaults: dict[Any, float] = {p.symbol: p.value for p in mechanism.parameters.values()}
        self.has_negative_moment = False
        self.words: dict[Symbol, str] = {s: word for word, s in named_symbols(mechanism)}
        self.accelerations = {
            s: sensor.name
            for sensor in mechanism.sensors.values()
            if sensor.kind in ("acceleration", "angular_acceleration")
            for s in sensor.symbols
        }

    # -- tools ------------------------------------------------------------------------------------------
    def numbers(self, exprs: Iterable[Expr]) -> list[float] | None:
        """Values with the default parameters, or nothing where a symbol has none."""
        return numbers(exprs, self.defaults)

    def symbols(self, where: str, exprs: Sequence[Expr], use: _Use) -> Iterator[Problem]:
        """Symbols in ``exprs`` that have no place there."""
        if any(is_condition(e) for e in exprs):
            yield Problem(
                where, "expected a number, found a condition", "use select(condition, then, otherwise)"
            )
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
                    f"expected only {_listed(use.words)} here, found the {word} {shown(s.name)}",
                    "use a parameter",
                )
            elif any(s.name == local.name for local in use.local):
                yield Problem(
                    where,
                    f"expected {shown(s.name)} to be the distance or its rate here, found a {word} of that name",
                    f"rename the {word}",
                )

    def finite(
        self, where: str, what: str, exprs: Sequence[Expr]
    ) -> tuple[list[float] | None, list[Problem]]:
        """Values of ``exprs`` where all are finite, and the problem where they are not."""
        problems = list(self.symbols(where, exprs, _GEOMETRY))
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

    # -- names ------------------------------------------------------------------------------------------
    def names(self) -> Iterator[Problem]:
        m = self.mechanism
        seen: list[str] = []
        tables: dict[str, Mapping[str, Any]] = {
            "body": m.bodies, "joint": m.joints, "frame": m.frames, "input": m.inputs, "state": m.states,
            "sensor": m.sensors, "force": m.forces,
            "parameter": {k: p for k, p in m.parameters.items() if p.explicit},
        }  # fmt: skip
        for word, table in [("mechanism", {m.name: None}), *tables.items()]:
            for name in table:
                # names made from a name (hip.damper) are told with it
                if any(name == s or name.startswith(s + ".") for s in seen):
                    continue
                trouble = _name_trouble(name)
                if trouble:
                    seen.append(name)
                    yield Problem(
                        f"{word} {shown(name)}",
                        f"expected a plain name, found {trouble}",
                        "rename it",
                        "warning",
                    )
        for name, first, second in clashes(m):
            yield Problem(
                f"name {shown(name)}",
                f"expected one meaning, found a {first} and a {second} of that name",
                "rename one",
            )

    # -- numbers ----------------------------------------------------------------------------------------
    def parameters(self) -> Iterator[Problem]:
        for p in self.mechanism.parameters.values():
            where = f"parameter {shown(p.name)}"
            if not math.isfinite(p.value):
                yield Problem(where, f"expected a finite value, found {p.value}", "give it a number")
            elif p.value < p.minimum:
                advice = "make it positive" if p.minimum == 0.0 else "raise it or move the bound"
                yield Problem(where, f"expected at least {p.minimum:g}, found {p.value:g}", advice)
            elif p.value > p.maximum:
                yield Problem(
                    where, f"expected at most {p.maximum:g}, found {p.value:g}", "lower it or move the bound"
                )
            if p.minimum > p.maximum or math.isnan(p.minimum) or math.isnan(p.maximum):
                yield Problem(
                    where,
                    f"expected a minimum below the maximum, found {p.minimum:g} and {p.maximum:g}",
                    "exchange them",
                )

    def gravity(self) -> Iterator[Problem]:
        exprs = list(self.mechanism.gravity)
        yield from self.symbols("gravity", exprs, _GRAVITY)
        if all(self.words.get(s) == "parameter" for s in free_symbols(exprs)):
            yield from self.finite("gravity", "a vector", exprs)[1]

    def bodies(self) -> Iterator[Problem]:
        if not self.mechanism.bodies:
            yield Problem("mechanism", "expected at least one body, found none", "add one with body()")
        for body in self.mechanism.bodies.values():
            yield from self.body(body)

    def body(self, body: Body) -> Iterator[Problem]:
        where = f"body {shown(body.name)}"
        mass, problems = self.finite(f"mass of {where}", "a mass", [body.mass])
        yield from problems
        # a negative parameter is told as a parameter
        if mass is not None and mass[0] < 0.0 and not isinstance(body.mass, Symbol):
            yield Problem(where, f"expected a mass of zero or more, found {mass[0]:g} kg", "make it positive")
        yield from self.finite(f"centre of mass of {where}", "a point", body.com)[1]
        inertia, problems = self.finite(f"inertia of {where}", "an inertia", body.inertia)
        yield from problems
        if inertia is not None:
            found = list(_inertia_problems(where, inertia))
            self.has_negative_moment |= bool(found)
            yield from found

    # -- joints and frames ------------------------------------------------------------------------------
    def joints(self) -> Iterator[Problem]:
        names: dict[str, str] = {}
        for joint in self.mechanism.joints.values():
            where = f"joint {shown(joint.name)}"
            if joint.kind not in JOINT_KINDS:
                yield Problem(
                    where, f"expected a known kind, found {shown(joint.kind)}", f"use {_listed(JOINT_KINDS)}"
                )
                continue
            yield from self.finite(f"origin of {where}", "a point", joint.origin)[1]
            yield from self.rotation(where, [x for row in joint.rotation for x in row])
            armature, problems = self.finite(f"armature of {where}", "an armature", [joint.armature])
            yield from problems
            if armature is not None and armature[0] < 0.0 and not isinstance(joint.armature, Symbol):
                yield Problem(
                    where, f"expected an armature of zero or more, found {armature[0]:g}", "make it positive"
                )
            yield from self.data(where, joint)
            for name in dict.fromkeys((*joint.coordinates, *joint.speeds)):
                other = names.setdefault(name, joint.name)
                if other != joint.name:
                    yield Problem(
                        where,
                        f"expected coordinates of its own, found {shown(name)} of joint {shown(other)}",
                        "rename one joint",
                    )

    def data(self, where: str, joint: Joint) -> Iterator[Problem]:
        """Axes, limits, mimic, reference, start."""
        for axis in (joint.axis, joint.axis2):
            if not abs(math.hypot(*axis) - 1.0) < 1e-6:
                yield Problem(where, f"expected an axis of length one, found {shown(axis)}", "normalise it")
        if not math.isfinite(joint.reference):
            yield Problem(where, f"expected a finite reference, found {joint.reference}", "give it a number")
        if joint.initial is not None and (
            not all(math.isfinite(x) for x in joint.initial) or len(joint.initial) != len(joint.coordinates)
        ):
            yield Problem(
                where,
                f"expected {len(joint.coordinates)} finite initial coordinates, found {shown(joint.initial)}",
                "give one number for each coordinate",
            )  # fmt: skip
        limits = joint.limits
        if limits is not None:
            given = (limits.lower, limits.upper, limits.velocity, limits.effort)
            if any(x is not None and math.isnan(x) for x in given):
                yield Problem(where, "expected numbers as limits, found NaN", "correct or remove them")
            if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
                yield Problem(
                    where,
                    f"expected a lower limit below the upper, found {limits.lower:g} and {limits.upper:g}",
                    "exchange them",
                )
            for word, value in (("velocity", limits.velocity), ("effort", limits.effort)):
                if value is not None and value < 0.0:
                    yield Problem(
                        where, f"expected a {word} limit of zero or more, found {value:g}", "make it positive"
                    )
        if joint.mimic is not None:
            yield from self.mimic(where, joint)

    def mimic(self, where: str, joint: Joint) -> Iterator[Problem]:
        assert joint.mimic is not None
        other = self.mechanism.joints.get(joint.mimic.joint)
        named = shown(joint.mimic.joint)
        if other is None:
            yield Problem(
                where,
                f"expected to mimic a joint of the mechanism, found {named}",
                "correct its name",
                "warning",
            )
        elif other is joint:
            yield Problem(
                where, "expected to mimic another joint, found itself", "remove the mimic", "warning"
            )
        elif other.mimic is not None:
            yield Problem(
                where, f"expected to mimic a joint that leads, found {named}, which mimics another itself",
                "mimic that one directly", "warning",
            )  # fmt: skip
        elif not (len(joint.coordinates) == len(other.coordinates) == 1):
            yield Problem(
                where,
                f"expected joints with one coordinate each, found {joint.kind} and {other.kind}",
                "remove the mimic",
                "warning",
            )
        if not (math.isfinite(joint.mimic.multiplier) and math.isfinite(joint.mimic.offset)):
            yield Problem(
                where,
                "expected a finite multiplier and offset to mimic, found NaN or infinity",
                "correct them",
                "warning",
            )

    def rotation(self, where: str, entries: Sequence[Expr]) -> Iterator[Problem]:
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

    def frames(self) -> Iterator[Problem]:
        for frame in self.mechanism.frames.values():
            yield from self.frame(f"frame {shown(frame.name)}", frame)

    def frame(self, where: str, frame: Frame) -> Iterator[Problem]:
        if not self.owns(frame.body):
            yield _stranger(where, frame.body)
        yield from self.finite(f"origin of {where}", "a point", frame.origin)[1]
        yield from self.rotation(where, [x for row in frame.rotation for x in row])

    def place(self, where: str, frame: Frame) -> Iterator[Problem]:
        """A frame that a sensor or force sits on; those with a name in the mechanism are checked there."""
        if self.mechanism.frames.get(frame.name) is not frame:
            yield from self.frame(where, frame)

    def owns(self, body: Body) -> bool:
        return body is self.mechanism.ground or self.mechanism.bodies.get(body.name) is body

    # -- signals and forces -----------------------------------------------------------------------------
    def signals(self) -> Iterator[Problem]:
        m = self.mechanism
        for given in m.inputs.values():
            if not math.isfinite(given.value):
                yield Problem(
                    f"input {shown(given.name)}",
                    f"expected a finite value, found {given.value}",
                    "correct it",
                )
        for state in m.states.values():
            where = f"state {shown(state.name)}"
            if not math.isfinite(state.initial):
                yield Problem(where, f"expected a finite initial value, found {state.initial}", "correct it")
            yield from self.symbols(f"rate of {where}", [state.rate], _LAW)
        for sensor in m.sensors.values():
            where = f"sensor {shown(sensor.name)}"
            if sensor.kind not in SENSOR_KINDS:
                yield Problem(
                    where,
                    f"expected a known kind, found {shown(sensor.kind)}",
                    f"use {_listed(SENSOR_KINDS)}",
                )
            if sensor.axes not in ("world", "frame"):
                yield Problem(
                    where,
                    f"expected axes of the world or the frame, found {shown(sensor.axes)}",
                    "correct them",
                )
            yield from self.place(where, sensor.frame)

    def forces(self) -> Iterator[Problem]:
        speeds = {s for j in self.mechanism.joints.values() if j.kind in JOINT_KINDS for s in j.speeds}
        for force in self.mechanism.forces.values():
            where = f"force {shown(force.name)}"
            if isinstance(force, SpeedForce):
                if force.speed not in speeds:
                    yield Problem(
                        where,
                        f"expected a speed of the mechanism, found {shown(force.speed)}",
                        "name the speed of a joint",
                    )
                yield from self.symbols(where, [force.force, force.potential], _LAW)
            elif isinstance(force, PairForce):
                yield from self.pair(where, force)
            elif isinstance(force, FrameForce):
                yield from self.place(where, force.frame)
                if force.axes not in ("world", "frame"):
                    yield Problem(
                        where, f"expected axes world or frame, found {shown(force.axes)}", "correct them"
                    )
                yield from self.symbols(where, [*force.force, *force.torque], _LAW)

    def pair(self, where: str, force: PairForce) -> Iterator[Problem]:
        yield from self.place(where, force.a)
        yield from self.place(where, force.b)
        if force.a.body is force.b.body and force.a.origin == force.b.origin:
            yield Problem(
                where,
                "expected two points, found the same one twice: the line between them has no direction",
                "move one of its frames",
            )  # fmt: skip
        yield from self.symbols(where, [force.tension, force.potential], _PAIR_LAW)

    # -- motion -----------------------------------------------------------------------------------------
    def motion(self) -> Iterator[Problem]:
        """Motions without kinetic energy, or with less: the mass matrix is not positive definite."""
        idle = idle_motions(self.mechanism, self.defaults)
        for speeds in idle:
            some = ", ".join(shown(s) for s in speeds[:6]) + (", ..." if len(speeds) > 6 else "")
            if len(speeds) == 1:
                what = f"expected every speed to move some mass, found none moved by {some}"
            else:
                what = (
                    f"expected every motion to move some mass, found one of {some} together that moves none"
                )
            advice = "give what it carries mass or inertia, add armature, or fix the joint"
            yield Problem("mass matrix", what, advice)
        if not idle and self.has_negative_moment and lowest_energy(self.mechanism, self.defaults) < FLAT:
            yield Problem(
                "mass matrix", "expected positive kinetic energy in every motion, found negative in one",
                "correct the inertias that have negative moments",
            )  # fmt: skip


def numbers(exprs: Iterable[Expr], values: Mapping[Any, float]) -> list[float] | None:
    """Values of expressions, or nothing where a symbol has none; what is not a real number is NaN."""
    out = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for e in exprs:
            try:
                value = evaluate_all([e], values)[0]
            except KeyError:
                return None
            except (ArithmeticError, ValueError):
                value = math.nan
            out.append(math.nan if isinstance(value, complex) else float(value))
    return out


def _inertia_problems(where: str, inertia: Sequence[float]) -> Iterator[Problem]:
    """An inertia tensor must have moments that are not negative and obey the triangle inequality."""
    xx, yy, zz, xy, xz, yz = inertia
    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    low, middle, high = (float(x) for x in moments)
    slack = INERTIA_TOLERANCE * max(abs(low), abs(high)) + INERTIA_FLOOR
    shown_moments = f"{low:.4g}, {middle:.4g}, {high:.4g} kg m²"
    if low < -slack:
        yield Problem(
            where, f"expected principal moments of zero or more, found {shown_moments}",
            "check the signs of the products of inertia",
            "warning",
        )  # fmt: skip
    elif high > low + middle + slack:
        yield Problem(
            where,
            f"expected each principal moment to be at most the sum of the others, found {shown_moments}",
            "no body has this inertia: check its entries and their order",
            "warning",
        )


def _name_trouble(name: str) -> str:
    if len(name) > NAME_LIMIT:
        return f"one of {len(name)} characters (up to {NAME_LIMIT} are fine)"
    hidden = [c for c in name if not c.isprintable()]
    if hidden:
        return f"the hidden character U+{ord(hidden[0]):04X}"
    return "" if name.strip() else "only spaces"


def _stranger(where: str, body: Body) -> Problem:
    return Problem(
        where, f"expected a body of this mechanism, found {shown(body.name)}", "add it with body()"
    )


def _listed(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))


__all__ = ["INERTIA_TOLERANCE", "NAME_LIMIT", "Problem", "check", "numbers"]

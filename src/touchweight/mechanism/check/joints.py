"""Joints: where they sit, what they add, and the data they carry."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...symbolic import Symbol
from ..joint import JOINT_KINDS, Joint
from ..mechanism import Mechanism
from ..values import shown
from .problem import Problem
from .tools import Tools, listed


def joint_problems(tools: Tools) -> Iterator[Problem]:
    """Where joints sit, what they add, and the data they carry."""
    names: dict[str, str] = {}
    for joint in tools.mechanism.joints.values():
        where = f"joint {shown(joint.name)}"
        if joint.kind not in JOINT_KINDS:
            yield Problem(where, f"expected a known kind, found {shown(joint.kind)}", f"use {listed(JOINT_KINDS)}")
            continue
        yield from tools.finite(f"origin of {where}", "a point", joint.origin)[1]
        yield from tools.rotation(where, [x for row in joint.rotation for x in row])
        armature, problems = tools.finite(f"armature of {where}", "an armature", [joint.armature])
        yield from problems
        if armature is not None and armature[0] < 0.0 and not isinstance(joint.armature, Symbol):
            yield Problem(where, f"expected an armature of zero or more, found {armature[0]:g}", "make it positive")
        yield from _data(tools.mechanism, where, joint)
        for name in dict.fromkeys((*joint.coordinates, *joint.speeds)):
            other = names.setdefault(name, joint.name)
            if other != joint.name:
                yield Problem(
                    where,
                    f"expected coordinates of its own, found {shown(name)} of joint {shown(other)}",
                    "rename one joint",
                )


def _data(mechanism: Mechanism, where: str, joint: Joint) -> Iterator[Problem]:
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
                yield Problem(where, f"expected a {word} limit of zero or more, found {value:g}", "make it positive")
    if joint.mimic is not None:
        yield from _mimic(mechanism, where, joint)


def _mimic(mechanism: Mechanism, where: str, joint: Joint) -> Iterator[Problem]:
    assert joint.mimic is not None
    other = mechanism.joints.get(joint.mimic.joint)
    named = shown(joint.mimic.joint)
    if other is None:
        yield Problem(
            where,
            f"expected to mimic a joint of the mechanism, found {named}",
            "correct its name",
            "warning",
        )
    elif other is joint:
        yield Problem(where, "expected to mimic another joint, found itself", "remove the mimic", "warning")
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

"""Drives: which coordinates they move, and what their motion may hold."""

from __future__ import annotations

from collections.abc import Iterator

from ..joint import JOINT_KINDS
from ..mechanism import Mechanism
from ..values import shown
from .problem import Problem
from .tools import MOTION, Tools


def drive_problems(tools: Tools) -> Iterator[Problem]:
    """Drives of what cannot be driven, or is driven already, and motions that depend on the motion."""
    m = tools.mechanism
    seen: set[str] = set()
    for drive in m.drives.values():
        where = f"drive {shown(drive.name)}"
        yield from coordinate_problems(m, where, drive.name)
        if drive.name in seen:
            yield Problem(where, "expected one drive for a coordinate, found another", "remove one")
        seen.add(drive.name)
        if drive.motion is not None:
            yield from tools.symbols(f"motion of {where}", [drive.motion], MOTION)
            continue
        missing = [name for name in drive.inputs or () if name not in m.inputs]
        if missing:
            yield Problem(
                where, f"expected inputs of the mechanism, found {shown(missing[0])}", "declare it with input()"
            )
        if len(drive.inputs or ()) != 3:
            yield Problem(
                where,
                f"expected a motion, or inputs for position, velocity and acceleration, found {shown(drive.inputs)}",
                "add it with drive()",
            )


def coordinate_problems(mechanism: Mechanism, where: str, name: str) -> Iterator[Problem]:
    """A coordinate that is to follow or to stand still: it must turn or slide, and have a speed of its name."""
    joints = [j for j in mechanism.joints.values() if j.kind in JOINT_KINDS]
    if any(name in j.coordinates and name in j.speeds for j in joints):
        return
    owner = next((j for j in joints if name in j.coordinates), None)
    if owner is None:
        yield Problem(
            where,
            f"expected a coordinate of the mechanism, found {shown(name)}",
            "name the coordinate of a joint",
        )
    else:
        found = f"{shown(name)} of the {owner.kind} joint {shown(owner.name)}"
        yield Problem(
            where,
            f"expected a coordinate that turns or slides by itself, found {found}",
            "build the joint from revolute and prismatic ones",
        )

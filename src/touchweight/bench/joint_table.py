"""A robot as a table of joints, one row each: what is left of a URDF once fixed joints are merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .rivals import MissingRival
from .states import Array


@dataclass(frozen=True)
class JointRow:
    """A joint of one freedom and the body it carries; frames are the joint's own, at its zero position."""

    name: str
    parent: int
    """Number of the parent joint, counted from 1 in the order of the table; 0 is the ground."""
    kind: str
    """"R": turns about its axis; "P": slides along it."""
    axis: Array
    """(3,), unit."""
    rotation: Array
    """(3, 3): from this joint's frame to the parent's."""
    position: Array
    """(3,): of this joint in the parent's frame [m]."""
    mass: float
    com: Array
    """(3,): centre of mass [m]."""
    inertia: Array
    """(3, 3): about the centre of mass [kg m²]."""


def import_pinocchio() -> Any:
    """Pinocchio's Python module, or a sentence that says how to install it."""
    try:
        import pinocchio
    except ImportError:
        raise MissingRival("Pinocchio is not installed: pip install touchweight[dev].") from None
    return pinocchio


def load_model(urdf: Path) -> Any:
    """Pinocchio's model of a URDF on a fixed base, fixed joints merged, mimicking joints left free."""
    return import_pinocchio().buildModelFromUrdf(str(urdf))


def joint_table(model: Any) -> list[JointRow]:
    """The rows of a Pinocchio model whose joints all have one freedom."""
    pin = import_pinocchio()
    data = model.createData()
    pin.forwardKinematics(model, data, np.zeros(model.nq))
    rows = []
    for i in range(1, model.njoints):
        name, joint = model.names[i], model.joints[i]
        if (joint.nq, joint.nv) != (1, 1):
            raise ValueError(f"Expected joints of one freedom, found {joint.shortname()} at {name!r}.")
        subspace = np.asarray(data.joints[i].S).reshape(6)
        linear, angular = subspace[:3], subspace[3:]
        inertia, placement = model.inertias[i], model.jointPlacements[i]
        rows.append(
            JointRow(
                name=name,
                parent=int(model.parents[i]),
                kind="R" if angular.any() else "P",
                axis=(angular if angular.any() else linear).copy(),
                rotation=np.array(placement.rotation),
                position=np.array(placement.translation),
                mass=float(inertia.mass),
                com=np.array(inertia.lever),
                inertia=np.array(inertia.inertia),
            )
        )
    return rows


def pinocchio_model(rows: Sequence[JointRow]) -> Any:
    """Pinocchio's model of a table: the way back."""
    pin = import_pinocchio()
    model = pin.Model()
    unaligned = {"R": pin.JointModelRevoluteUnaligned, "P": pin.JointModelPrismaticUnaligned}
    for row in rows:
        aligned = np.flatnonzero(row.axis == 1.0)
        if aligned.size:
            joint = getattr(pin, f"JointModel{row.kind}{'XYZ'[aligned[0]]}")()
        else:
            joint = unaligned[row.kind](row.axis)
        index = model.addJoint(row.parent, joint, pin.SE3(row.rotation, row.position), row.name)
        model.appendBodyToJoint(index, pin.Inertia(row.mass, row.com, row.inertia), pin.SE3.Identity())
    return model


def write_table(rows: Sequence[JointRow]) -> str:
    """The table as text, every number exactly: the number of joints, then a line each.

    pinocchio_timer.cpp says what stands in a line.
    """
    lines = [str(len(rows))]
    for row in rows:
        I = row.inertia
        numbers = [*row.axis, *row.rotation.ravel(), *row.position, row.mass, *row.com]
        numbers += [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        lines.append(" ".join([str(row.parent), row.kind, *(repr(float(number)) for number in numbers)]))
    return "\n".join(lines) + "\n"


def snapped(rows: Sequence[JointRow], tolerance: float = 1e-10) -> list[JointRow]:
    """The same robot with quarter turns made exact.

    A URDF writes a right angle as 1.57079632679, whose cosine is 5e-12: a number generated code would carry
    along where a zero should vanish. Entries of axes and rotations within `tolerance` of 0 or ±1 are made so.
    """
    return [replace(row, axis=_snap(row.axis, tolerance), rotation=_turn(row.rotation, tolerance)) for row in rows]


def _snap(values: Array, tolerance: float) -> Array:
    whole = np.round(values)
    return np.where(np.abs(values - whole) <= tolerance, whole, values) + 0.0


def _turn(rotation: Array, tolerance: float) -> Array:
    left, _, right = np.linalg.svd(_snap(rotation, tolerance))
    return _snap(left @ right, 1e-14)

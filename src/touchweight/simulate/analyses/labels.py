"""Names and units of displacements along the speeds: those of coordinates, but for balls, which have four for three."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...mechanism import JOINT_KINDS

if TYPE_CHECKING:
    from ..model import Model


class Label(NamedTuple):
    """A displacement along a speed: its name, its unit, and its coordinate (None on a ball)."""

    name: str
    unit: str
    coordinate: str | None


def labels(model: Model) -> list[Label]:
    """One for each speed. A turn about a ball's own axis is ``angle.NAME``."""
    out: list[Label] = []
    for joint in model.mechanism.joints.values():
        coordinates, speeds = iter(joint.coordinates), iter(joint.speeds)
        for primitive in JOINT_KINDS[joint.kind].primitives:
            if primitive == "S":
                out += [Label(f"angle.{next(speeds)}", "rad", None) for _ in range(3)]
                for _ in range(4):
                    next(coordinates)
            else:
                next(speeds)
                name = next(coordinates)
                out.append(Label(name, "m" if primitive == "P" else "rad", name))
    return out


def force_name(label: Label) -> str:
    """What holds or drives a displacement is named after its coordinate, or after the speed of a ball."""
    return label.name.removeprefix("angle.") if label.coordinate is None else label.coordinate


def scalar_speeds(model: Model) -> dict[str, int]:
    """By name of a coordinate that turns or slides: the index of its speed."""
    return {label.coordinate: k for k, label in enumerate(labels(model)) if label.coordinate is not None}

"""Joints: what each kind is made of, and the names of its coordinates and speeds."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..symbolic import ZERO, Expr
from .body import NOWHERE, Body, Vector
from .rotation import IDENTITY, Matrix

Axis = tuple[float, float, float]


@dataclass(frozen=True)
class Kind:
    """A kind of joint as a chain of primitives.

    Attributes:
        primitives: letters, in order: R turns, P slides, S is a ball (quaternion).
        coordinates: suffixes of the coordinates' names ("" for the joint's own name).
        speeds: suffixes of the speeds' names.
        axes: how many axes the user gives.
        meaning: one line for people.
    """

    primitives: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    axes: int
    meaning: str


_QUATERNION = (".qw", ".qx", ".qy", ".qz")
_OMEGA = (".wx", ".wy", ".wz")

#: every kind of joint; composites are chains of primitives without mass in between
JOINT_KINDS: dict[str, Kind] = {
    "fixed": Kind("", (), (), 0, "welded"),
    "revolute": Kind("R", ("",), ("",), 1, "turns about an axis"),
    "prismatic": Kind("P", ("",), ("",), 1, "slides along an axis"),
    "universal": Kind("RR", (".1", ".2"), (".1", ".2"), 2, "turns about axis, then about axis2"),
    "cylindrical": Kind("PR", (".slide", ".turn"), (".slide", ".turn"), 1, "slides along and turns about an axis"),
    "planar": Kind(
        "PPR", (".x", ".y", ".turn"), (".x", ".y", ".turn"), 1, "slides in a plane and turns about its normal"
    ),
    "spherical": Kind("S", _QUATERNION, _OMEGA, 0, "ball: quaternion, angular velocity in the child's axes"),
    "free": Kind(
        "PPPS",
        (".x", ".y", ".z", *_QUATERNION),
        (".vx", ".vy", ".vz", *_OMEGA),
        0,
        "free-flying: position and its rate in the parent's axes, quaternion and angular velocity of a ball",
    ),
}


@dataclass
class Limits:
    """What a file or user says about the range of a joint: kept as data (a stop is a law or a contact)."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass
class Mimic:
    """A joint that is meant to follow another: kept as data, ``q = multiplier * other + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(eq=False)
class Joint:
    """A joint between two bodies.

    Attributes:
        name: unique among joints.
        kind: a key of :data:`JOINT_KINDS`.
        parent: the body it starts from.
        child: the body it carries.
        axis: unit vector in the joint frame (the child frame at rest).
        axis2: second axis of a universal joint, in the frame that the first rotation leaves.
        origin: position of the joint (and of the child frame at rest) in the parent frame [m].
        rotation: orientation of the child frame at rest, as columns in the parent frame.
        armature: inertia of the drive, added to each speed of the joint [kg m² or kg].
        limits: kept as data.
        mimic: kept as data.
        reference: coordinate value at which the frames are as described [rad or m].
        initial: where its coordinates start when nothing else is said.
    """

    name: str
    kind: str
    parent: Body
    child: Body
    axis: Axis = (0.0, 0.0, 1.0)
    axis2: Axis = (1.0, 0.0, 0.0)
    origin: Vector = NOWHERE
    rotation: Matrix = field(default=IDENTITY)
    armature: Expr = ZERO
    limits: Limits | None = None
    mimic: Mimic | None = None
    reference: float = 0.0
    initial: tuple[float, ...] | None = None

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates q."""
        return tuple(self.name + s for s in JOINT_KINDS[self.kind].coordinates)

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds v."""
        return tuple(self.name + s for s in JOINT_KINDS[self.kind].speeds)

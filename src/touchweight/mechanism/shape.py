"""Shapes: where bodies may touch. Planar ones lie in the plane of a planar mechanism, the others in space."""

from __future__ import annotations

from dataclasses import dataclass

from ..symbolic import ZERO, Expr, symbol
from .body import Frame, Vector
from .joint import Axis

#: where a curve has a height: its x [m]
ALONG = symbol("x", "local")

#: kinds of shapes: how many points each is made of, and one line for people
SHAPE_KINDS: dict[str, tuple[int, str]] = {
    "circle": (1, "a disc in the plane: centre, radius"),
    "segment": (2, "a straight edge in the plane, rounded by a radius"),
    "line": (1, "everything on one side of a straight line in the plane"),
    "curve": (0, "everything under a curve z = f(x) in the plane"),
    "sphere": (1, "a ball: centre, radius"),
    "disc": (1, "a thin wheel or coin in space: centre, radius, axis; its edge touches planes"),
    "plane": (1, "everything on one side of a plane"),
    "capsule": (2, "a rod with round ends"),
    "box": (1, "a brick: centre and half lengths"),
}

#: shapes that lie in a plane
PLANAR = ("circle", "segment", "line", "curve")

#: pairs that can meet
PAIRS = frozenset(
    frozenset(pair)
    for pair in (
        ("circle",),
        ("circle", "segment"),
        ("circle", "line"),
        ("circle", "curve"),
        ("sphere",),
        ("sphere", "plane"),
        ("disc", "plane"),
        ("sphere", "capsule"),
        ("capsule", "plane"),
        ("capsule",),
        ("box", "plane"),
    )
)


@dataclass(eq=False)
class Shape:
    """A shape fixed to a body.

    Attributes:
        name: unique among shapes.
        kind: a key of :data:`SHAPE_KINDS`.
        frame: the frame it is given in.
        points: centre, ends, or a point of the line or plane [m].
        radius: of a circle, sphere, disc or capsule, or the rounding of a segment [m].
        normal: of a line or plane, out of the matter, in the frame.
        size: half lengths of a box [m].
        axis: of the plane that a planar shape or a disc lies in, in the frame.
        height: of a curve [m], an expression of :data:`ALONG` and parameters; its matter lies under it.
    """

    name: str
    kind: str
    frame: Frame
    points: tuple[Vector, ...]
    radius: Expr = ZERO
    normal: Axis = (0.0, 0.0, 1.0)
    size: Vector = (ZERO, ZERO, ZERO)
    axis: Axis = (0.0, 1.0, 0.0)
    height: Expr = ZERO

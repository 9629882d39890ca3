"""Builders of shapes, contacts and stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import MechanismError
from ..symbolic import ZERO, Expr, Scalar, as_expr
from .body import Body, Frame, Vector
from .contact import COMPRESSION, COMPRESSION_RATE, Contact, ContactLaw, rigid
from .description import Description
from .law import trace
from .shape import PAIRS, Shape
from .values import shown, unit_axis

Place = Body | Frame | str
Point = Sequence[Scalar]


class Touching(Description):
    """Describes where bodies may touch."""

    # -- shapes -----------------------------------------------------------------------------------------
    def _shape(self, name: str, kind: str, place: Place, points: Sequence[Point], **rest: Any) -> Shape:
        self._claim(self.shapes, name, "shape")
        suffixes = [""] if len(points) == 1 else [f"{i + 1}" for i in range(len(points))]
        vectors = tuple(
            self._vector(f"{name}.point{s}", p, "length", "m") for s, p in zip(suffixes, points, strict=True)
        )
        radius = self._scalar(f"{name}.radius", rest.pop("radius", 0.0), "length", "m", 0.0)
        made = Shape(name, kind, self._frame_of(place), vectors, radius, **rest)
        self.shapes[name] = made
        return made

    def circle(self, name: str, place: Place, centre: Point, radius: Scalar, axis: Any = "y") -> Shape:
        """A disc in the plane normal to ``axis``: centre [m], radius [m]."""
        return self._shape(name, "circle", place, [centre], radius=radius, axis=unit_axis(axis, name))

    def segment(
        self, name: str, place: Place, start: Point, end: Point, radius: Scalar = 0.0, axis: Any = "y"
    ) -> Shape:
        """A straight edge in the plane normal to ``axis``, rounded by ``radius`` [m]."""
        return self._shape(name, "segment", place, [start, end], radius=radius, axis=unit_axis(axis, name))

    def line(self, name: str, place: Place, point: Point, normal: Any = "z", axis: Any = "y") -> Shape:
        """All that lies under a straight line through ``point`` [m], whose ``normal`` points out of the matter."""
        return self._shape(name, "line", place, [point], normal=unit_axis(normal, name), axis=unit_axis(axis, name))

    def sphere(self, name: str, place: Place, centre: Point, radius: Scalar) -> Shape:
        """A ball: centre [m], radius [m]."""
        return self._shape(name, "sphere", place, [centre], radius=radius)

    def plane(self, name: str, place: Place, point: Point = (0.0, 0.0, 0.0), normal: Any = "z") -> Shape:
        """All that lies under a plane through ``point`` [m], whose ``normal`` points out of the matter."""
        return self._shape(name, "plane", place, [point], normal=unit_axis(normal, name))

    def capsule(self, name: str, place: Place, start: Point, end: Point, radius: Scalar) -> Shape:
        """A rod with round ends [m]."""
        return self._shape(name, "capsule", place, [start, end], radius=radius)

    def box(self, name: str, place: Place, size: Point, centre: Point = (0.0, 0.0, 0.0)) -> Shape:
        """A brick with the given half lengths [m]."""
        half: Vector = self._vector(f"{name}.size", size, "length", "m")
        return self._shape(name, "box", place, [centre], size=half)

    # -- contacts ---------------------------------------------------------------------------------------
    def contact(
        self, name: str, a: Shape | str, b: Shape | str, law: ContactLaw | None = None, friction: Scalar = 0.0
    ) -> Contact:
        """Let two shapes touch.

        Args:
            name: unique name; also the name of its forces.
            a: the first shape; forces are given as they act on it.
            b: the second shape.
            law: :func:`~.contact.rigid` (by default), :func:`~.contact.felt`, :func:`~.contact.linear`,
                :func:`~.contact.hertz`, or a law of your own.
            friction: coefficient of Coulomb friction.
        """
        return self._contact(name, self._shape_of(a), self._shape_of(b), None, law, friction)

    def stop(self, name: str, gap: Scalar, law: ContactLaw | None = None) -> Contact:
        """Let a gap close and not more: an expression of coordinates, such as an angle over its limit [m or rad]."""
        return self._contact(name, None, None, as_expr(gap), law, 0.0)

    def _shape_of(self, shape: Shape | str) -> Shape:
        found = shape if isinstance(shape, Shape) else self.shapes.get(shape)
        if found is None:
            raise MechanismError(f"expected a shape of the mechanism, found {shown(shape)}; add it first")
        return found

    def _contact(
        self,
        name: str,
        a: Shape | None,
        b: Shape | None,
        gap: Expr | None,
        law: ContactLaw | None,
        friction: Scalar,
    ) -> Contact:
        self._claim(self.contacts, name, "contact")
        if a is not None and b is not None and frozenset((a.kind, b.kind)) not in PAIRS:
            raise MechanismError(
                f"expected shapes that can meet for contact {shown(name)}, found {a.kind} and {b.kind}; "
                f"there are {', '.join(sorted(' and '.join(sorted(p)) for p in PAIRS))}"
            )
        law = law or rigid()
        given = {k: self._scalar(f"{name}.{k}", v, "parameter", "") for k, v in law.parameters.items()}
        force = None
        if law.kind == "compliant":
            assert law.force is not None
            force = trace(law.force, {"d": COMPRESSION, "d_dot": COMPRESSION_RATE}, given)
        made = Contact(
            name,
            a,
            b,
            gap,
            force,
            given.get("restitution", ZERO) if law.kind == "rigid" else ZERO,
            self._scalar(f"{name}.friction", friction, "parameter", "", 0.0),
        )
        self.contacts[name] = made
        return made

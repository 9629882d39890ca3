"""Builders of shapes, contacts and stops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import MechanismError
from ..symbolic import ZERO, Expr, Scalar, as_expr
from .body import Body, Frame
from .contact import COMPRESSION, COMPRESSION_RATE, LAWS, Contact, ContactLaw, rigid
from .description import Description
from .law import trace
from .shape import ALONG, PAIRS, Shape
from .values import shown, unit_axis

Place = Body | Frame | str
Point = Sequence[Scalar]
Law = ContactLaw | Callable[..., Scalar] | Scalar


class Touching(Description):
    """Describes where bodies may touch."""

    # -- shapes -----------------------------------------------------------------------------------------
    def _shape(
        self,
        name: str,
        kind: str,
        place: Place,
        points: Sequence[Point],
        *,
        radius: Scalar = 0.0,
        normal: Any = "z",
        axis: Any = "y",
        size: Point | None = None,
    ) -> Shape:
        self._claim(self.shapes, name, "shape")
        frame = self._frame_of(place)
        suffixes = [""] if len(points) == 1 else [f"{i + 1}" for i in range(len(points))]
        vectors = tuple(
            self._vector(f"{name}.point{s}", p, "length", "m") for s, p in zip(suffixes, points, strict=True)
        )
        made = Shape(
            name,
            kind,
            frame,
            vectors,
            self._scalar(f"{name}.radius", radius, "length", "m", 0.0),
            unit_axis(normal, name),
            (ZERO, ZERO, ZERO) if size is None else self._vector(f"{name}.size", size, "length", "m"),
            unit_axis(axis, name),
        )
        self.shapes[name] = made
        return made

    def circle(self, name: str, place: Place, centre: Point, radius: Scalar, axis: Any = "y") -> Shape:
        """A disc in the plane normal to ``axis``: centre [m], radius [m]."""
        return self._shape(name, "circle", place, [centre], radius=radius, axis=axis)

    def segment(
        self, name: str, place: Place, start: Point, end: Point, radius: Scalar = 0.0, axis: Any = "y"
    ) -> Shape:
        """A straight edge in the plane normal to ``axis``, rounded by ``radius`` [m]."""
        return self._shape(name, "segment", place, [start, end], radius=radius, axis=axis)

    def line(self, name: str, place: Place, point: Point, normal: Any = "z", axis: Any = "y") -> Shape:
        """All that lies under a straight line through ``point`` [m], whose ``normal`` points out of the matter."""
        return self._shape(name, "line", place, [point], normal=normal, axis=axis)

    def curve(self, name: str, place: Place, height: Callable[..., Scalar] | Scalar, /, **parameters: Scalar) -> Shape:
        """All that lies under a curve z = height(x) in the x-z plane of a frame [m].

        ``height(x, *, parameters)`` is a function of the position along x, or a number. It meets circles (a circle of
        radius zero is a point); the curve should bend less than they do.
        """
        self._claim(self.shapes, name, "shape")
        frame = self._frame_of(place)
        given = {k: self._scalar(f"{name}.{k}", v, "parameter", "") for k, v in parameters.items()}
        rise = trace(height, {"x": ALONG}, given) if callable(height) else as_expr(height)
        made = Shape(name, "curve", frame, (), height=rise)
        self.shapes[name] = made
        return made

    def sphere(self, name: str, place: Place, centre: Point, radius: Scalar) -> Shape:
        """A ball: centre [m], radius [m]."""
        return self._shape(name, "sphere", place, [centre], radius=radius)

    def disc(self, name: str, place: Place, centre: Point, radius: Scalar, axis: Any = "y") -> Shape:
        """A thin wheel or coin in space, normal to ``axis``: centre [m], radius [m]. Its edge touches planes."""
        return self._shape(name, "disc", place, [centre], radius=radius, axis=axis)

    def plane(self, name: str, place: Place, point: Point = (0.0, 0.0, 0.0), normal: Any = "z") -> Shape:
        """All that lies under a plane through ``point`` [m], whose ``normal`` points out of the matter."""
        return self._shape(name, "plane", place, [point], normal=normal)

    def capsule(self, name: str, place: Place, start: Point, end: Point, radius: Scalar) -> Shape:
        """A rod with round ends [m]."""
        return self._shape(name, "capsule", place, [start, end], radius=radius)

    def box(self, name: str, place: Place, size: Point, centre: Point = (0.0, 0.0, 0.0)) -> Shape:
        """A brick with the given half lengths [m]."""
        return self._shape(name, "box", place, [centre], size=size)

    # -- contacts ---------------------------------------------------------------------------------------
    def contact(
        self,
        name: str,
        a: Shape | str,
        b: Shape | str,
        law: Law | None = None,
        friction: Scalar = 0.0,
        **parameters: Scalar,
    ) -> Contact:
        """Let two shapes touch.

        Args:
            name: unique name; also the name of its forces.
            a: the first shape; forces are given as they act on it.
            b: the second shape.
            law: :func:`~.contact.rigid` (by default), :func:`~.contact.felt`, :func:`~.contact.linear`,
                :func:`~.contact.hertz`, or a law of your own: a function ``law(d, d_dot, *, parameters)`` of
                compression [m] and its rate [m/s] that gives a force [N].
            friction: coefficient of Coulomb friction.
            parameters: of a law of your own.
        """
        first, second = self._shape_of(a), self._shape_of(b)
        if frozenset((first.kind, second.kind)) not in PAIRS:
            raise MechanismError(
                f"expected shapes that can meet for contact {shown(name)}, found {first.kind} and {second.kind}; "
                f"there are {', '.join(sorted(' and '.join(sorted(p)) for p in PAIRS))}"
            )
        return self._contact(name, (first, second), None, _as_law(name, law, parameters), friction)

    def stop(self, name: str, gap: Scalar, law: Law | None = None, **parameters: Scalar) -> Contact:
        """Let a gap close and not more: an expression of coordinates, such as an angle over its limit [m or rad].

        Its force is that along the gap [N or N m].
        """
        return self._contact(name, (None, None), as_expr(gap), _as_law(name, law, parameters), 0.0)

    def _shape_of(self, shape: Shape | str) -> Shape:
        found = shape if isinstance(shape, Shape) else self.shapes.get(shape) if isinstance(shape, str) else None
        if found is None:
            raise MechanismError(f"expected a shape of the mechanism, found {shown(shape)}; add it first")
        return found

    def _contact(
        self,
        name: str,
        shapes: tuple[Shape | None, Shape | None],
        gap: Expr | None,
        law: ContactLaw,
        friction: Scalar,
    ) -> Contact:
        self._claim(self.contacts, name, "contact")
        known = LAWS[law.name].parameters if law.name else {}
        given = {}
        for key, value in law.parameters.items():
            unit, least = known.get(key, ("", -math.inf))
            given[key] = self._scalar(f"{name}.{key}", value, "parameter", unit, least)
        mu = self._scalar(f"{name}.friction", friction, "parameter", "", 0.0)
        made = Contact(name, *shapes, gap, None, ZERO, mu, law.name, given)
        if law.kind == "rigid":
            made.restitution = given.get("restitution", ZERO)
        else:
            assert law.force is not None
            made.force = trace(law.force, {"d": COMPRESSION, "d_dot": COMPRESSION_RATE}, given)
        self.contacts[name] = made
        return made


def _as_law(name: str, law: Law | None, parameters: dict[str, Scalar]) -> ContactLaw:
    """A law as it was given: one that we know, a function, or an expression of d and d_dot."""
    if law is not None and not isinstance(law, ContactLaw):
        force = law if callable(law) else _constant(as_expr(law))
        return ContactLaw("compliant", force, dict(parameters))
    if parameters:
        raise MechanismError(
            f"expected no parameters beside the law of contact {shown(name)}, found {shown(next(iter(parameters)))}; "
            "give them to the law"
        )
    return law or rigid()


def _constant(force: Expr) -> Callable[..., Scalar]:
    """A law that is written out already; what its parameters are is known where it was written."""
    return lambda d, d_dot, **given: force

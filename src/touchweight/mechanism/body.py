"""Bodies and the frames fixed to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..symbolic import ZERO, Expr
from .rotation import IDENTITY, Matrix

Vector = tuple[Expr, Expr, Expr]
NOWHERE: Vector = (ZERO, ZERO, ZERO)


@dataclass(eq=False)
class Body:
    """A rigid body.

    Attributes:
        name: unique among bodies.
        mass: [kg].
        com: centre of mass in the body frame [m].
        inertia: (xx, yy, zz, xy, xz, yz) about the centre of mass, along the body axes [kg m²].
    """

    name: str
    mass: Expr = ZERO
    com: Vector = NOWHERE
    inertia: tuple[Expr, Expr, Expr, Expr, Expr, Expr] = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)

    @property
    def is_massless(self) -> bool:
        """True when neither mass nor inertia was given."""
        return self.mass is ZERO and all(i is ZERO for i in self.inertia)


@dataclass(eq=False)
class Frame:
    """A frame fixed to a body: a point with axes.

    Attributes:
        name: unique among frames.
        body: what it is fixed to.
        origin: its point in the body frame [m].
        rotation: its axes as columns, in the body frame.
    """

    name: str
    body: Body
    origin: Vector = NOWHERE
    rotation: Matrix = field(default=IDENTITY)

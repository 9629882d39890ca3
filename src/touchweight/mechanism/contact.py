"""Contacts: two shapes that may touch, or a gap that may close, and the law of what happens then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..symbolic import ZERO, Expr, Scalar
from .law import DISTANCE, DISTANCE_RATE
from .shape import Shape

#: compression of a contact [m] and its rate [m/s], as contact laws see them: d and d_dot
COMPRESSION = DISTANCE
COMPRESSION_RATE = DISTANCE_RATE


@dataclass(frozen=True)
class ContactLaw:
    """What a contact does when it is closed.

    Attributes:
        kind: ``rigid`` (nothing gives; restitution) or ``compliant``.
        force: of a compliant one, a function ``(d, d_dot, *, parameters)`` of compression [m] and its rate [m/s];
            what it gives below zero is taken as zero: a contact never pulls [N].
        parameters: their values, by name.
        name: of a law that we know (a key of :data:`LAWS`); empty for others.
    """

    kind: str
    force: Callable[..., Scalar] | None = None
    parameters: dict[str, Scalar] = field(default_factory=dict)
    name: str = ""


def rigid(restitution: Scalar = 0.0) -> ContactLaw:
    """Nothing gives: no penetration (Signorini), and Newton's restitution at impacts."""
    return ContactLaw("rigid", None, {"restitution": restitution}, "rigid")


def felt(stiffness: Scalar, exponent: Scalar, damping: Scalar = 0.0) -> ContactLaw:
    """Felt: F = k δ^r + b δ² δ̇ [N], with k in N/m^r and b in N s/m³ (Thorin et al. 2013)."""
    given = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
    return ContactLaw("compliant", _felt, given, "felt")


def linear(stiffness: Scalar, damping: Scalar = 0.0) -> ContactLaw:
    """A linear spring [N/m] and damper [N s/m] that only push."""
    return ContactLaw("compliant", _linear, {"stiffness": stiffness, "damping": damping}, "linear")


def hertz(stiffness: Scalar, damping: Scalar = 0.0) -> ContactLaw:
    """Hertz: F = k δ^(3/2) (1 + c δ̇) [N], with k in N/m^1.5 and c in s/m (Hunt and Crossley 1975)."""
    return ContactLaw("compliant", _hertz, {"stiffness": stiffness, "damping": damping}, "hertz")


def _felt(d: Expr, d_dot: Expr, *, stiffness: Expr, exponent: Expr, damping: Expr) -> Expr:
    return stiffness * d**exponent + damping * d * d * d_dot


def _linear(d: Expr, d_dot: Expr, *, stiffness: Expr, damping: Expr) -> Expr:
    return stiffness * d + damping * d_dot


def _hertz(d: Expr, d_dot: Expr, *, stiffness: Expr, damping: Expr) -> Expr:
    return stiffness * d**1.5 * (1 + damping * d_dot)


@dataclass(frozen=True)
class LawKind:
    """A law that we know: how to make it, and the unit and least value of its parameters."""

    make: Callable[..., ContactLaw]
    parameters: dict[str, tuple[str, float]]


#: laws by name
LAWS: dict[str, LawKind] = {
    "rigid": LawKind(rigid, {"restitution": ("", 0.0)}),
    "felt": LawKind(felt, {"stiffness": ("N/m^r", 0.0), "exponent": ("", 1.0), "damping": ("N s/m³", 0.0)}),
    "linear": LawKind(linear, {"stiffness": ("N/m", 0.0), "damping": ("N s/m", 0.0)}),
    "hertz": LawKind(hertz, {"stiffness": ("N/m^1.5", 0.0), "damping": ("s/m", 0.0)}),
}


@dataclass(eq=False)
class Contact:
    """A contact.

    Attributes:
        name: unique among contacts.
        a: the first shape; forces are given as they act on it. None for a stop.
        b: the second shape.
        gap: of a stop, an expression of coordinates, parameters and position sensors [m or rad]; else None.
        force: of a compliant contact, an expression of :data:`COMPRESSION` and :data:`COMPRESSION_RATE` [N]; None where
            it is rigid.
        restitution: of a rigid contact.
        friction: coefficient µ.
        law: the name of its law (a key of :data:`LAWS`), empty for one of one's own.
        values: the parameters of its law, by their short names.
    """

    name: str
    a: Shape | None
    b: Shape | None
    gap: Expr | None = None
    force: Expr | None = None
    restitution: Expr = ZERO
    friction: Expr = ZERO
    law: str = "rigid"
    values: dict[str, Expr] = field(default_factory=dict)

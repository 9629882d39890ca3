"""Contacts: two shapes that may touch, or a gap that may close, and the law of what happens then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..symbolic import ZERO, Expr, Scalar, symbol
from .shape import Shape

#: compression of a contact [m] and its rate [m/s], as contact laws see them
COMPRESSION = symbol("compression", "local")
COMPRESSION_RATE = symbol("compression_rate", "local")


@dataclass(frozen=True)
class ContactLaw:
    """What a contact does when it is closed.

    Attributes:
        kind: ``rigid`` (nothing gives; restitution) or ``compliant``.
        force: of a compliant one, a function of compression [m], its rate [m/s] and parameters; never pulls [N].
        parameters: their values, by name.
    """

    kind: str
    force: Callable[..., Scalar] | None = None
    parameters: dict[str, Scalar] = field(default_factory=dict)


def rigid(restitution: Scalar = 0.0) -> ContactLaw:
    """Nothing gives: no penetration (Signorini), and Newton's restitution at impacts."""
    return ContactLaw("rigid", None, {"restitution": restitution})


def felt(stiffness: Scalar, exponent: Scalar, damping: Scalar = 0.0) -> ContactLaw:
    """Felt: F = k δ^r + b δ² δ̇ [N], with k in N/m^r and b in N s/m³ (Thorin et al. 2013)."""
    return ContactLaw("compliant", _felt, {"stiffness": stiffness, "exponent": exponent, "damping": damping})


def linear(stiffness: Scalar, damping: Scalar = 0.0) -> ContactLaw:
    """A linear spring [N/m] and damper [N s/m] that only push."""
    return ContactLaw("compliant", _linear, {"stiffness": stiffness, "damping": damping})


def hertz(stiffness: Scalar, damping: Scalar = 0.0) -> ContactLaw:
    """Hertz: F = k δ^(3/2) (1 + c δ̇) [N], with k in N/m^1.5 and c in s/m (Hunt and Crossley 1975)."""
    return ContactLaw("compliant", _hertz, {"stiffness": stiffness, "damping": damping})


def _felt(d: Expr, d_dot: Expr, *, stiffness: Expr, exponent: Expr, damping: Expr) -> Expr:
    return stiffness * d**exponent + damping * d * d * d_dot


def _linear(d: Expr, d_dot: Expr, *, stiffness: Expr, damping: Expr) -> Expr:
    return stiffness * d + damping * d_dot


def _hertz(d: Expr, d_dot: Expr, *, stiffness: Expr, damping: Expr) -> Expr:
    return stiffness * d**1.5 * (1 + damping * d_dot)


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
    """

    name: str
    a: Shape | None
    b: Shape | None
    gap: Expr | None = None
    force: Expr | None = None
    restitution: Expr = ZERO
    friction: Expr = ZERO

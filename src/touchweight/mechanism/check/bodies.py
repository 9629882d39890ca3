"""Numbers: parameters within their bounds, gravity, masses and inertias that nature could have made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...symbolic import Symbol, free_symbols
from ..body import Body
from ..mechanism import Mechanism
from ..values import shown
from .problem import Problem
from .tools import GRAVITY, Tools

#: principal moments may miss zero, and the triangle inequality, by this fraction of the largest: files round
INERTIA_TOLERANCE = 1e-5

#: ... and by this much, the dust of an export [kg m²]
INERTIA_FLOOR = 1e-17


def parameter_problems(mechanism: Mechanism) -> Iterator[Problem]:
    """Values that are not finite or out of bounds."""
    for p in mechanism.parameters.values():
        where = f"parameter {shown(p.name)}"
        if not math.isfinite(p.value):
            yield Problem(where, f"expected a finite value, found {p.value}", "give it a number")
        elif p.value < p.minimum:
            advice = "make it positive" if p.minimum == 0.0 else "raise it or move the bound"
            yield Problem(where, f"expected at least {p.minimum:g}, found {p.value:g}", advice)
        elif p.value > p.maximum:
            yield Problem(where, f"expected at most {p.maximum:g}, found {p.value:g}", "lower it or move the bound")
        if p.minimum > p.maximum or math.isnan(p.minimum) or math.isnan(p.maximum):
            yield Problem(
                where,
                f"expected a minimum below the maximum, found {p.minimum:g} and {p.maximum:g}",
                "exchange them",
            )


def gravity_problems(tools: Tools) -> Iterator[Problem]:
    """Gravity must be finite; zero is fine."""
    exprs = list(tools.mechanism.gravity)
    yield from tools.symbols("gravity", exprs, GRAVITY)
    if all(tools.words.get(s) == "parameter" for s in free_symbols(exprs)):
        yield from tools.finite("gravity", "a vector", exprs)[1]


def body_problems(tools: Tools) -> Iterator[Problem]:
    """Masses, centres of mass and inertias."""
    if not tools.mechanism.bodies:
        yield Problem("mechanism", "expected at least one body, found none", "add one with body()")
    for body in tools.mechanism.bodies.values():
        yield from _body(tools, body)


def _body(tools: Tools, body: Body) -> Iterator[Problem]:
    where = f"body {shown(body.name)}"
    mass, problems = tools.finite(f"mass of {where}", "a mass", [body.mass])
    yield from problems
    # a negative parameter is told as a parameter
    if mass is not None and mass[0] < 0.0 and not isinstance(body.mass, Symbol):
        yield Problem(where, f"expected a mass of zero or more, found {mass[0]:g} kg", "make it positive")
    yield from tools.finite(f"centre of mass of {where}", "a point", body.com)[1]
    inertia, problems = tools.finite(f"inertia of {where}", "an inertia", body.inertia)
    yield from problems
    if inertia is not None:
        yield from _inertia_problems(where, inertia)


def _inertia_problems(where: str, inertia: Sequence[float]) -> Iterator[Problem]:
    """An inertia tensor must have moments that are not negative and obey the triangle inequality."""
    xx, yy, zz, xy, xz, yz = inertia
    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    low, middle, high = (float(x) for x in moments)
    slack = INERTIA_TOLERANCE * max(abs(low), abs(high)) + INERTIA_FLOOR
    shown_moments = f"{low:.4g}, {middle:.4g}, {high:.4g} kg m²"
    if low < -slack:
        yield Problem(
            where, f"expected principal moments of zero or more, found {shown_moments}",
            "check the signs of the products of inertia",
            "warning",
        )  # fmt: skip
    elif high > low + middle + slack:
        yield Problem(
            where,
            f"expected each principal moment to be at most the sum of the others, found {shown_moments}",
            "no body has this inertia: check its entries and their order",
            "warning",
        )

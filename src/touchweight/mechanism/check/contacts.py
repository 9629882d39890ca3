"""Shapes and contacts: what they sit on, what can meet, what laws and gaps may hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...symbolic import ZERO, Expr, Symbol, evaluate_all, free_symbols
from ..body import Body
from ..contact import COMPRESSION, COMPRESSION_RATE, Contact
from ..joint import JOINT_KINDS
from ..mechanism import Mechanism
from ..shape import ALONG, PAIRS, PLANAR, SHAPE_KINDS, Shape
from ..values import shown
from .problem import Problem
from .tools import POSITION_SENSORS, Tools, Use, listed

CURVE = Use(frozenset({"parameter"}), (ALONG,))
CONTACT_LAW = Use(
    frozenset({"parameter"}),
    (COMPRESSION, COMPRESSION_RATE),
    "write it in d, d_dot and parameters; what depends on more is a force law",
)
LIMIT = Use(frozenset({"parameter", "time"}), advice="use parameters and time")
GAP = Use(
    frozenset({"parameter", "coordinate", "sensor channel"}),
    advice="write it in coordinates; what moves by itself is a body with a drive",
)

#: planar shapes may lean by this angle [rad]
LEAN = 1e-6
#: how deep a contact may be closed at the start, as a fraction of its shapes' reach: rigid, and with a law
DEEP = (1e-3, 2e-2)


def contact_problems(tools: Tools, sound: bool) -> list[Problem]:
    """Shapes, contacts and stops; ``sound`` when the tree can be placed."""
    m = tools.mechanism
    problems = [problem for shape in m.shapes.values() for problem in _shape(tools, shape)]
    problems += [problem for contact in m.contacts.values() for problem in _contact(tools, contact)]
    placed = sound and not any(list(tools.frame("", frame)) for frame in m.frames.values())
    if placed and not problems:
        problems += [problem for contact in m.contacts.values() for problem in _leaning(tools, contact)]
        problems += _closed(tools)
    return problems


def _where(c: Contact) -> str:
    return f"{'contact' if c.gap is None else 'stop'} {shown(c.name)}"


def _contact(tools: Tools, c: Contact) -> Iterator[Problem]:
    where, owners = _where(c), _force_owners(tools.mechanism)
    if c.name in owners:
        yield Problem(where, f"expected forces of its own, found those of {owners[c.name]}", "rename one of them")
    yield from _law(tools, where, c)
    yield from _pair(tools, where, c) if c.gap is None else _gap(tools, where, c.gap)


def _force_owners(m: Mechanism) -> dict[str, str]:
    """Names of recorded forces that are taken."""
    rows = {row: f"loop {shown(item.name)}" for item in m.loops.values() for row in getattr(item, "rows", ())}
    return {**rows, **{name: f"drive {shown(name)}" for name in m.drives}}


# -- shapes ----------------------------------------------------------------------------------------------
def _shape(tools: Tools, s: Shape) -> Iterator[Problem]:
    where = f"shape {shown(s.name)}"
    if s.kind not in SHAPE_KINDS:
        yield Problem(where, f"expected a known kind, found {shown(s.kind)}", f"use {listed(SHAPE_KINDS)}")
        return
    yield from tools.place(where, s.frame)
    points, problems = tools.finite(where, "a place", [x for p in s.points for x in p])
    yield from problems
    yield from _positive(tools, where, "a radius", s.radius, "m")
    for word, axis in (("a normal", s.normal), ("an axis", s.axis)):
        if not abs(math.hypot(*axis) - 1.0) < 1e-6:
            yield Problem(where, f"expected {word} of length one, found {shown(axis)}", "normalise it")
    if s.kind in ("segment", "capsule") and points is not None and points[:3] == points[3:]:
        round_one = "circle" if s.kind == "segment" else "sphere"
        yield Problem(where, f"expected two ends, found one place for both of a {s.kind}", f"use {round_one}()")
    if s.kind == "line" and abs(np.dot(s.normal, s.axis)) > LEAN:
        yield Problem(
            where,
            f"expected a normal in the plane of the line, found {shown(s.normal)} for the axis {shown(s.axis)}",
            "turn one of them",
        )
    if s.kind == "box":
        size, problems = tools.finite(f"size of {where}", "half lengths", s.size)
        yield from problems
        if size is not None and min(size) < 0.0:
            yield Problem(where, f"expected half lengths of zero or more, found {min(size):g} m", "make it positive")
    if s.kind == "curve":
        yield from tools.symbols(f"height of {where}", [s.height], CURVE)


def _positive(tools: Tools, where: str, what: str, value: Expr, unit: str = "") -> Iterator[Problem]:
    """A number that must not be negative; a negative parameter with a bound is told as a parameter."""
    numbers, problems = tools.finite(where, what, [value])
    yield from problems
    if numbers is not None and numbers[0] < 0.0 and not _is_bounded(tools, value):
        found = f"{numbers[0]:g} {unit}".strip()
        yield Problem(where, f"expected {what} of zero or more, found {found}", "make it positive")


def _is_bounded(tools: Tools, value: Expr) -> bool:
    return isinstance(value, Symbol) and any(
        p.symbol is value and p.minimum >= 0.0 for p in tools.mechanism.parameters.values()
    )


# -- laws ------------------------------------------------------------------------------------------------
def _law(tools: Tools, where: str, c: Contact) -> Iterator[Problem]:
    if c.force is not None:
        yield from tools.symbols(f"law of {where}", [c.force], CONTACT_LAW)
    yield from tools.symbols(where, [c.friction, c.restitution], LIMIT)
    for word, value in (("a friction", c.friction), *((f"a {k}", v) for k, v in c.values.items() if c.law)):
        if any(tools.words.get(s) != "parameter" for s in free_symbols([value])):
            continue  # told above, or a function of time
        if word in ("a friction", "a stiffness", "a damping"):
            yield from _positive(tools, where, word, value)
        number = (tools.numbers([value]) or [math.nan])[0]
        if word == "a exponent" and number < 1.0:
            yield Problem(
                where,
                f"expected an exponent of one or more, found {number:g}: its force would jump where it closes",
                "raise it",
            )
        if word == "a restitution" and not 0.0 <= number <= 1.0:
            yield Problem(
                where,
                f"expected a restitution from 0 to 1, found {number:g}",
                "take 0 where all is lost, 1 where nothing is",
            )


def _gap(tools: Tools, where: str, gap: Expr) -> Iterator[Problem]:
    yield from tools.symbols(f"gap of {where}", [gap], GAP)
    used = free_symbols([gap])
    for s in used:
        if s in tools.sensors and not tools.measured(s, POSITION_SENSORS) and s not in tools.accelerations:
            sensor = tools.sensors[s]
            yield Problem(
                f"gap of {where}",
                f"expected positions only, found the {sensor.kind} sensor {shown(sensor.name)}",
                "use a position or orientation sensor",
            )
    if not any(tools.words.get(s) == "coordinate" or tools.measured(s, POSITION_SENSORS) for s in used):
        yield Problem(where, "expected a gap of coordinates, found none in it", "add one or remove the stop")


# -- pairs -----------------------------------------------------------------------------------------------
def _pair(tools: Tools, where: str, c: Contact) -> Iterator[Problem]:
    a, b = c.a, c.b
    for s in (a, b):
        if s is None or tools.mechanism.shapes.get(s.name) is not s:
            found = "none" if s is None else shown(s.name)
            yield Problem(where, f"expected shapes of this mechanism, found {found}", "add it first")
    if a is None or b is None or a.kind not in SHAPE_KINDS or b.kind not in SHAPE_KINDS:
        return
    if frozenset((a.kind, b.kind)) not in PAIRS:
        pairs = ", ".join(sorted(" and ".join(sorted(p)) for p in PAIRS))
        yield Problem(where, f"expected shapes that can meet, found {a.kind} and {b.kind}", f"there are {pairs}")
        return
    if a.frame.body is b.frame.body:
        yield Problem(
            where,
            f"expected shapes on two bodies, found both on {shown(a.frame.body.name)}",
            "put one of them on the other body",
        )
    elif _welded(tools.mechanism, a.frame.body, b.frame.body):
        bodies = f"{shown(a.frame.body.name)} and {shown(b.frame.body.name)}"
        yield Problem(
            where,
            f"expected bodies that move against each other, found {bodies} welded together",
            "remove the contact",
        )
    round_pair = all(s.kind in ("circle", "segment", "sphere", "capsule") for s in (a, b))
    if round_pair and a.radius is ZERO and b.radius is ZERO:
        yield Problem(
            where,
            f"expected a radius on one of {shown(a.name)} and {shown(b.name)}, found none: their gap cannot close",
            "round one of them, or use line() or curve()",
        )


def _welded(m: Mechanism, a: Body, b: Body) -> bool:
    """Whether fixed joints connect two bodies."""
    group = {a.name}
    joints = [j for j in m.joints.values() if j.kind == "fixed"]
    for _ in joints:
        for j in joints:
            if j.parent.name in group or j.child.name in group:
                group |= {j.parent.name, j.child.name}
    return b.name in group


# -- where they are ---------------------------------------------------------------------------------------
def _start(m: Mechanism) -> dict[Any, float]:
    """Coordinates as the description starts them."""
    out: dict[Any, float] = {}
    for joint in m.joints.values():
        values: Sequence[float] = joint.initial or [joint.reference] * len(joint.coordinates)
        if joint.initial is None and "S" in JOINT_KINDS[joint.kind].primitives:
            values = [*[joint.reference] * (len(joint.coordinates) - 4), 1.0, 0.0, 0.0, 0.0]
        out.update({m.q(c): float(x) for c, x in zip(joint.coordinates, values, strict=True)})
    return out


def _leaning(tools: Tools, c: Contact) -> Iterator[Problem]:
    """Planar shapes in planes that are not parallel."""
    from ...dynamics.frames import postures
    from ...dynamics.kinematics import Kinematics
    from ...dynamics.tree import build_tree

    if c.a is None or c.b is None or c.a.kind not in PLANAR:
        return
    tree = build_tree(tools.mechanism)
    view = Kinematics(tree, postures(tree, frozenset()))
    values = {**tools.defaults, **_start(tools.mechanism)}
    axes = []
    for s in (c.a, c.b):
        entries = evaluate_all([x for row in view.orientation(tree.place(s.frame)) for x in row], values)
        axes.append(np.array([float(x) for x in entries]).reshape(3, 3) @ np.array(s.axis))
    if np.linalg.norm(np.cross(*axes)) > LEAN:
        angle = math.degrees(math.acos(min(1.0, abs(float(axes[0] @ axes[1])))))
        yield Problem(
            _where(c),
            f"expected shapes in parallel planes, found planes {angle:.3g} degrees apart",
            "correct the axis of one shape",
        )


def _closed(tools: Tools) -> Iterator[Problem]:
    """Contacts that are deeply closed where the mechanism starts."""
    from ...dynamics.contact import touches
    from ...dynamics.frames import postures
    from ...dynamics.tree import build_tree

    m = tools.mechanism
    if not m.contacts or m.loops or m.drives:  # where it starts is only known once it is closed
        return
    tree = build_tree(m)
    values = {**tools.defaults, **_start(m)}
    try:
        found = touches(m, tree, postures(tree, frozenset()))
        gaps = [float(x) for x in evaluate_all([t.gap for t in found], values)]
    except (ArithmeticError, KeyError, TypeError, ValueError):  # told above
        return
    deepest: dict[str, float] = {}
    for touch, gap in zip(found, gaps, strict=True):
        name = touch.contact.name
        deepest[name] = max(deepest.get(name, 0.0), -gap)
    for name, depth in deepest.items():
        contact = m.contacts[name]
        if depth > DEEP[contact.force is not None] * _reach(tools, contact):
            unit = "m" if contact.gap is None else "m or rad"
            yield Problem(
                _where(contact),
                f"expected it open or just touching at the start, found it closed by {depth:.3g} {unit}",
                "move its shapes, or give initial= to the joints",
                "warning",
            )


def _reach(tools: Tools, c: Contact) -> float:
    """How large the shapes of a contact are [m]; 1 for a stop."""
    if c.a is None or c.b is None:
        return 1.0
    sizes = [x for s in (c.a, c.b) for x in (s.radius, *s.size, *(e for p in s.points for e in p))]
    return max((abs(x) for x in tools.numbers(sizes) or []), default=1.0) or 1.0

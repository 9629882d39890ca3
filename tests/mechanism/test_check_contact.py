# ruff: noqa: E501 (a table reads better in long lines)
"""Checking shapes and contacts: sound ones pass, others are told in one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import touchweight as tw
from touchweight.mechanism import Body, Contact, Frame, Mechanism, Shape
from touchweight.mechanism.check import check
from touchweight.symbolic import symbol


def scene() -> Mechanism:
    """An arm with a head welded to it, a ball, a floor; all sound."""
    m = Mechanism("scene")
    arm = m.body("arm", mass=1.0, com=(0, 0, 0.1), inertia=(1, 1, 1))
    head = m.body("head", mass=1.0, inertia=(1, 1, 1))
    ball = m.body("ball", mass=1.0, inertia=(1, 1, 1))
    m.revolute("hip", m.ground, arm, axis="y", origin=(0, 0, 1))
    m.fixed("neck", arm, head, origin=(0, 0, 0.2))
    m.free("fly", ball, initial=(0, 0, 3, 1, 0, 0, 0))
    m.circle("disc", arm, (0.1, 0, 0), 0.05)
    m.circle("point", head, (0.1, 0, 0), 0.0)
    m.segment("edge", m.ground, (0, 0, 0.5), (1, 0, 0.5))
    m.line("wall", m.ground, (0.5, 0, 0), normal="-x")
    m.curve("hill", m.ground, lambda x, *, c: c * x * x, c=0.1)
    m.sphere("bead", ball, (0, 0, 0), 0.1)
    m.box("brick", ball, (0.1, 0.1, 0.1))
    m.plane("floor", m.ground)
    m.capsule("rod", arm, (0, 0, 0), (0, 0, -0.2), 0.02)
    m.sensor("place", "position", "head")
    m.sensor("rate", "velocity", "head")
    m.contact("wall", "disc", "wall", tw.felt(1e6, 2.0), 0.2)
    m.contact("hill", "point", "hill")
    m.contact("floor", "brick", "floor", tw.rigid(0.3), 0.5)
    m.contact("beads", "bead", "rod", lambda d, d_dot, *, k: k * d, k=1e5)
    m.stop("top", 1 - m.q("hip"), tw.linear(1e3))
    m.stop("low", 2.0 + m.sensors["place"].symbols[2], tw.rigid())
    return m


def said(m: Mechanism, severity: str = "") -> str:
    return "\n".join(str(p) for p in check(m) if severity in ("", p.severity))


def test_a_sound_scene_passes() -> None:
    assert check(scene()) == []


def channel(m: Mechanism, name: str) -> Any:
    return m.sensors[name].symbols[0]


def p(m: Mechanism, value: float) -> Any:
    return m.parameter("p", value)


WRONG: dict[str, tuple[Callable[[Mechanism], Any], str]] = {
    # shapes
    "kind": (lambda m: setattr(m.shapes["disc"], "kind", "blob"), "shape 'disc': expected a known kind, found 'blob'"),
    "stranger": (lambda m: m.circle("x", Frame("f", Body("stranger")), (0, 0, 0), 1.0), "shape 'x': expected a body of this mechanism, found 'stranger'"),
    "radius": (lambda m: m.circle("x", "arm", (0, 0, 0), -1.0), "parameter 'x.radius': expected at least 0, found -1"),
    "radius by expression": (lambda m: m.circle("x", "arm", (0, 0, 0), -p(m, 1.0)), "shape 'x': expected a radius of zero or more, found -1 m"),
    "moving point": (lambda m: m.circle("x", "arm", (m.q("hip"), 0, 0), 1.0), "expected only parameter here, found the coordinate 'q.hip'"),
    "point not finite": (lambda m: m.circle("x", "arm", (1 / p(m, 0.0), 0, 0), 1.0), "expected a place that is finite"),
    "one place for both ends": (lambda m: m.segment("x", "arm", (1, 2, 3), (1, 2, 3)), "expected two ends, found one place for both of a segment; use circle()"),
    "capsule without length": (lambda m: m.capsule("x", "arm", (0, 0, 0), (0, 0, 0), 1.0), "use sphere()"),
    "normal out of the plane": (lambda m: m.line("x", "arm", (0, 0, 0), normal="y"), "expected a normal in the plane of the line"),
    "long axis": (lambda m: setattr(m.shapes["disc"], "axis", (0.0, 2.0, 0.0)), "expected an axis of length one"),
    "box inside out": (lambda m: m.box("x", "arm", (1, -1, 1)), "half lengths of zero or more, found -1 m"),
    "curve of a coordinate": (lambda m: m.curve("x", "arm", lambda x: x * m.q("hip")), "height of shape 'x': expected only parameter here"),
    "curve of a stranger": (lambda m: m.curve("x", "arm", lambda x: symbol("z")), "expected symbols of this mechanism, found 'z'"),
    # laws
    "friction": (lambda m: m.contact("x", "disc", "wall", friction=-0.1), "parameter 'x.friction': expected at least 0"),
    "friction by expression": (lambda m: m.contact("x", "disc", "wall", friction=-p(m, 0.1)), "contact 'x': expected a friction of zero or more, found -0.1"),
    "friction of a coordinate": (lambda m: m.contact("x", "disc", "wall", friction=m.q("hip")), "expected only parameter, time here"),
    "stiffness": (lambda m: m.contact("x", "disc", "wall", tw.linear(-1.0)), "parameter 'x.stiffness': expected at least 0"),
    "stiffness by expression": (lambda m: m.contact("x", "disc", "wall", tw.linear(-p(m, 1.0))), "expected a stiffness of zero or more, found -1"),
    "exponent": (lambda m: m.contact("x", "disc", "wall", tw.felt(1.0, 0.5)), "parameter 'x.exponent': expected at least 1"),
    "exponent of zero": (lambda m: m.contact("x", "disc", "wall", tw.felt(1.0, 0.0)), "expected an exponent of one or more, found 0"),
    "restitution": (lambda m: m.contact("x", "disc", "wall", tw.rigid(1.5)), "expected a restitution from 0 to 1, found 1.5"),
    "negative restitution": (lambda m: m.stop("x", m.q("hip") + 2, tw.rigid(-0.5)), "stop 'x': expected a restitution from 0 to 1, found -0.5"),
    "law of a speed": (lambda m: m.contact("x", "disc", "wall", lambda d, d_dot: d * m.v("hip")), "law of contact 'x': expected only parameter here, found the speed 'v.hip'"),
    "law that is a condition": (lambda m: m.contact("x", "disc", "wall", lambda d, d_dot: d > 0), "expected a number, found a condition"),
    # gaps
    "gap of speeds": (lambda m: m.stop("x", m.v("hip") + m.q("hip")), "gap of stop 'x': expected only"),
    "gap of time": (lambda m: m.stop("x", m.q("hip") - m.time), "found the time 't'; write it in coordinates"),
    "gap of a speed sensor": (lambda m: m.stop("x", channel(m, "rate")), "expected positions only, found the velocity sensor 'rate'"),
    "gap of nothing": (lambda m: m.stop("x", p(m, 1.0)), "stop 'x': expected a gap of coordinates, found none"),
    "gap of a stranger": (lambda m: m.stop("x", m.q("hip") + symbol("z")), "expected symbols of this mechanism, found 'z'"),
    # pairs
    "unknown shape": (lambda m: m.contact("x", Shape("other", "circle", m.shapes["disc"].frame, m.shapes["disc"].points), "wall"), "expected shapes of this mechanism, found 'other'"),
    "no shape": (lambda m: m.contacts.__setitem__("x", Contact("x", None, None)), "expected shapes of this mechanism, found none"),
    "one body": (lambda m: m.contact("x", "wall", m.circle("y", m.ground, (0, 0, 0), 1.0)), "contact 'x': expected shapes on two bodies, found both on 'ground'"),
    "welded": (lambda m: m.contact("x", "disc", m.segment("y", "head", (0, 0, 0), (1, 0, 0))), "expected bodies that move against each other, found 'arm' and 'head' welded together"),
    "planes": (lambda m: m.contact("x", "disc", m.line("y", m.ground, (0, 0, 0), axis="x")), "expected shapes in parallel planes, found planes 90 degrees apart"),
    "cannot meet": (lambda m: setattr(m.contacts["wall"], "b", m.shapes["floor"]), "expected shapes that can meet, found circle and plane"),
    "sharp": (lambda m: m.contact("x", "point", "edge"), "expected a radius on one of 'point' and 'edge', found none"),
    "name of a drive": (lambda m: (m.drive("hip", 0.0), m.contact("hip", "disc", "wall")), "contact 'hip': expected forces of its own, found those of drive 'hip'"),
    "name of a loop": (lambda m: (m.constraint("x", m.q("hip")), m.stop("x", m.q("hip"))), "stop 'x': expected forces of its own, found those of loop 'x'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    change, says = WRONG[name]
    m = scene()
    change(m)
    text = said(m, "error")
    assert says in text, text
    assert all(str(problem).isprintable() for problem in check(m))


def test_a_contact_that_starts_closed_is_a_warning_with_its_depth() -> None:
    m = scene()
    m.line("near", m.ground, (0, 0, 1.2))
    m.contact("x", "disc", "near")
    m.stop("y", m.q("hip") - 0.5)
    assert said(m, "error") == ""
    text = said(m, "warning")
    assert "contact 'x': expected it open or just touching at the start, found it closed by 0.25 m" in text
    assert "stop 'y': expected it open or just touching at the start, found it closed by 0.5 m or rad" in text


def test_nothing_is_told_twice_and_nothing_raises() -> None:
    m = scene()
    for shape in m.shapes.values():
        shape.radius = symbol("z")
        shape.normal = (0.0, 0.0, 0.0)
    for contact in m.contacts.values():
        contact.gap = symbol("z") if contact.gap is not None else None
        contact.friction = symbol("z")
    problems = check(m)
    assert len(problems) == len(set(map(str, problems)))
    assert len(problems) >= 20

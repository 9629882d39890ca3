"""Shapes and contacts in YAML: they come back the same, and errors name their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sameness import describe

import touchweight as tw
from touchweight.errors import FileError, MechanismError
from touchweight.mechanism import Mechanism, Shape
from touchweight.mechanism.yaml_format import dumps, load_yaml, loads, save
from touchweight.symbolic import Expr, sin


def everything() -> Mechanism:
    """Every kind of shape, every law, numbers and expressions."""
    m = Mechanism("touching")
    k = m.parameter("k", 1e6, "N/m")
    arm = m.body("arm", mass=1.0, inertia=(1, 1, 1))
    ball = m.body("ball", mass=1.0, inertia=(1, 1, 1))
    m.revolute("hip", m.ground, arm, axis="y", friction=0.2)
    m.free("fly", ball, origin=(0, 0, 2))
    side = m.frame("side", arm, (0, 0, 1), rotation=(0, 0.3, 0))
    m.circle("disc", arm, (0.1, 0, k * 1e-6), 0.05)
    m.circle("point", side, (0, 0, 0), 0.0, axis="-y")
    m.segment("edge", m.ground, (0, 0, 0), (1, 0, 0))
    m.segment("round edge", "side", (0, 0, 0), (1, 0, 0), 0.01)
    m.line("wall", m.ground, (1, 0, 0), normal="-x")
    m.line("slope", m.ground, (0, 0, -3), normal=(0.6, 0, 0.8))
    m.curve("cam", m.ground, lambda x, *, rise: rise * sin(3 * x) + k * x, rise=0.01)
    m.curve("flat", arm, -2)
    m.sphere("bead", ball, (0, 0, 0), 0.1)
    m.plane("floor", m.ground, (0, 0, -3))
    m.disc("wheel", ball, (0, 0.1, 0), 0.2, axis="x")
    m.capsule("rod", arm, (0, 0, 0), (0, 0, 1), 0.02)
    m.capsule("post", m.ground, (3, 0, 0), (3, 0, 1), 0.02)
    m.box("brick", ball, (0.1, 0.2, 0.3), (0, 0, 0.01))
    m.contact("rigid", "disc", "wall")
    m.contact("bouncing", "disc", "slope", tw.rigid(0.5), 0.3)
    m.contact("felt", "disc", "edge", tw.felt(1e7, 2.2, 1e6), friction=m.parameter("mu", 0.0))
    m.contact("half", "point", "round edge", tw.felt(k, 2, k / 2))
    m.contact("linear", "disc", "cam", tw.linear(1e5))
    m.contact("hertz", "bead", "floor", tw.hertz(1e9, 0.2), 0.5)
    m.contact("own", "rod", "post", lambda d, d_dot, *, c: k * d + c * d * d_dot, 0.1, c=3.0)
    m.contact("plain", "brick", "floor", 2.0)
    m.contact("wheel", "wheel", "floor", friction=0.7)
    m.contact("shared", "rod", "bead", lambda d, d_dot, *, stiffness, zero: stiffness * d + zero, stiffness=k, zero=0)
    m.stop("top", 1 - m.q("hip"))
    m.stop("bottom", 0.1 * (m.q("hip") + 1), tw.felt(1e6, 1.5))
    m.stop("odd", m.q("hip") + k, lambda d, d_dot, *, c: c * d, c=1e3)
    m.parameters["felt.stiffness"].maximum = 1e9
    m.parameters["hertz.damping"].description = "how much it loses"
    return m


def test_what_is_saved_comes_back_the_same(tmp_path: Path) -> None:
    m = everything()
    save(m, tmp_path / "m.yaml")
    back = load_yaml(tmp_path / "m.yaml")
    want, got = describe(m), describe(back)
    for key in want:
        assert got[key] == want[key], key
    assert len(back.contacts) == 13
    assert len(back.shapes) == 14
    assert dumps(back) == dumps(m)


def test_laws_are_written_by_name_with_their_numbers() -> None:
    source = dumps(everything())
    for line in (
        "rigid: {a: disc, b: wall, law: rigid}",
        "bouncing: {a: disc, b: slope, law: rigid, restitution: 0.5, friction: 0.3}",
        "half: {a: point, b: round edge, law: felt, stiffness: k, exponent: 2, damping: 0.5*k}",
        "linear: {a: disc, b: cam, law: linear, stiffness: 100000}",
        "law: felt, stiffness: 1000000, exponent: 1.5}",
    ):
        assert line in source, line
    assert "parameters: {c: 3}" in source


WRITTEN = """\
touchweight: 1
bodies:
  ball: {mass: 1, inertia: [1, 1, 1]}
joints:
  z: {kind: prismatic, parent: ground, child: ball, axis: z}
shapes:
  disc: {kind: circle, frame: ball, centre: [0, 0, 0], radius: 0.1}
  floor: {kind: line, frame: ground, normal: z}
  hill: {kind: curve, frame: ground, height: h*x**2 - 3, parameters: {h: 2}}
  box: {kind: box, frame: ball, size: [1, 2, 3]}
contacts:
  land: {a: disc, b: floor, law: felt, stiffness: 1e7, exponent: 2.2, damping: 10, friction: 0.2}
  roll: {a: disc, b: hill, law: c*d*(1 + d_dot), parameters: {c: 1e6}}
  top: {gap: 2 - q.z, restitution: 0.4}
"""


def test_a_file_written_by_hand() -> None:
    m = loads(WRITTEN)
    land, roll, top = m.contacts.values()
    assert (land.a, land.b) == (m.shapes["disc"], m.shapes["floor"])
    assert isinstance(land.a, Shape)
    assert land.law == "felt"
    assert {n: p.value for n, p in m.parameters.items() if n.startswith(("land.", "roll.", "top.", "hill."))} == {
        "land.stiffness": 1e7, "land.exponent": 2.2, "land.damping": 10.0, "land.friction": 0.2, "roll.c": 1e6,
        "top.restitution": 0.4, "hill.h": 2.0,
    }  # fmt: skip
    assert m.parameters["land.damping"].unit == "N s/m³"
    assert top.gap is 2 - m.q("z")
    assert top.force is None
    assert isinstance(roll.force, Expr)
    assert describe(loads(dumps(m))) == describe(m)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("kind: circle", "kind: cirlce", 7, "a shape kind among"),
        ("kind: circle, ", "", 7, "'kind'"),
        ("frame: ball, centre", "frame: bell, centre", 7, "frame or body"),
        ("frame: ball, centre", "centre", 7, "'frame'"),
        ("centre: [0, 0, 0]", "centre: [0, 0]", 7, "3 entries"),
        ("radius: 0.1", "raduis: 0.1", 7, "did you mean radius?"),
        ("radius: 0.1", "radius: wide", 7, "known name"),
        ("normal: z", "normal: up", 8, "axis"),
        ("normal: z", "radius: 1", 8, "known key"),
        ("height: h*x**2 - 3", "height: h*y**2", 9, "known name"),
        ("height: h*x**2 - 3, ", "", 9, "'height'"),
        ("height: h*x**2 - 3", "height: x > 1", 9, "select"),
        ("size: [1, 2, 3]", "centre: [1, 2, 3]", 10, "'size'"),
        ("a: disc, b: floor", "a: disk, b: floor", 12, "a shape among"),
        ("a: disc, b: floor", "a: disc", 12, "'b'"),
        ("a: disc, b: floor", "a: disc, b: box", 12, "shapes that can meet"),
        ("law: felt", "law: filz", 12, "known key"),
        ("law: felt, stiffness: 1e7, exponent: 2.2, damping: 10", "law: filz", 12, "known name"),
        ("exponent: 2.2, ", "", 12, "'exponent'"),
        ("damping: 10", "dampnig: 10", 12, "did you mean damping?"),
        ("friction: 0.2", "friction: [1]", 12, "a list"),
        ("law: c*d*(1 + d_dot)", "law: {name: felt}", 13, "expected text"),
        ("law: c*d*(1 + d_dot)", "law: c*d*(1 + v.z", 13, "column"),
        ("law: c*d*(1 + d_dot)", "law: c*distance", 13, "known name"),
        ("gap: 2 - q.z", "gap: 2 - q.y", 14, "known name"),
        ("gap: 2 - q.z", "gap: 2 - q.z, a: disc", 14, "known key"),
        ("restitution: 0.4", "restitution: 0.4, friction: 1", 14, "known key"),
        ("shapes:", "shape:", 6, "did you mean shapes?"),
        ("contacts:", "contact:", 11, "did you mean contacts?"),
        ("  roll:", "  land:", 13, "once"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, says: str) -> None:
    assert old in WRITTEN
    with pytest.raises(FileError) as caught:
        loads(WRITTEN.replace(old, new, 1), "m.yaml")
    message = str(caught.value)
    assert says in message, message
    assert message.startswith("m.yaml:"), message
    assert abs((caught.value.line or 0) - line) <= 1, message
    assert "\n" not in message


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(st.lists(names, min_size=5, max_size=5, unique=True), st.floats(0, 1e9), st.sampled_from(["felt", "rigid", "k"]))
@settings(max_examples=100, deadline=None)
def test_any_name_and_number_comes_back(given_names: list[str], number: float, word: str) -> None:
    body, first, second, contact, stop = given_names
    m = Mechanism()
    try:
        m.revolute(body, m.ground, m.body(body, mass=1.0, inertia=(1, 1, 1)), axis="y", friction=number)
        free = m.parameter(word, 2.0)
        m.circle(first, body, (number, 0, 0), number)
        m.line(second, "ground", (0, 0, -number), normal=(1, 0, 1))
        m.contact(contact, first, second, lambda d, d_dot, *, c: c * free, number, c=number)
        m.stop(stop, m.q(body) - number, free)
        written = dumps(m)
    except MechanismError:
        return  # two things share a name
    assert describe(loads(written)) == describe(m)


def test_saving_refuses_what_it_cannot_say() -> None:
    m = everything()
    m.contacts["rigid"].a = Shape("stranger", "circle", m.shapes["disc"].frame, m.shapes["disc"].points)
    with pytest.raises(MechanismError, match="stranger"):
        dumps(m)
    m = everything()
    m.shapes["disc"].kind = "blob"
    with pytest.raises(MechanismError, match="blob"):
        dumps(m)


def test_a_law_that_was_changed_is_written_out() -> None:
    m = everything()
    force = m.contacts["felt"].force
    assert force is not None
    m.contacts["felt"].force = 2 * force
    again = loads(dumps(m)).contacts["felt"]
    assert again.force is 2 * force
    assert again.law == ""

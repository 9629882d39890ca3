"""Loops, constraints, drives, modes and transitions in YAML: they come back the same, and errors name their line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linkages import bouncing, cuts, driven, equations, four_bar, switching
from sameness import describe

from touchweight.errors import FileError, MechanismError
from touchweight.mechanism import Constraint, Drive, Mechanism, Mode
from touchweight.mechanism.loop import reaction_symbol
from touchweight.mechanism.yaml_format import dumps, load_yaml, loads, save
from touchweight.symbolic import sin, symbol


@pytest.mark.parametrize("make", [four_bar, driven, cuts, equations, switching, bouncing])
def test_what_is_saved_comes_back_the_same(make: Any, tmp_path: Path) -> None:
    m = make()
    save(m, tmp_path / "m.yaml")
    back = load_yaml(tmp_path / "m.yaml")
    want, got = describe(m), describe(back)
    for key in want:
        assert got[key] == want[key], key
    assert list(back.inputs) == list(m.inputs)
    assert set(dumps(back).splitlines()) == set(dumps(m).splitlines())


def test_short_forms_are_written_short() -> None:
    source = dumps(equations())
    for line in (
        "plain gear: {kind: gear, first: crank, second: rocker, ratio: -2}",
        "offset gear: {kind: gear, first: rocker, second: coupler, ratio: 3, offset: 0.1}",
        "odd gear: {kind: gear, first: crank, second: coupler, ratio: 1.5, offset: 2*k}",
        "rack: {kind: rack, pinion: crank, rack: slide, radius: 0.02}",
        "kind: equation",
    ):
        assert line in source
    assert "kind: equation" not in dumps(four_bar())


def test_inputs_that_a_drive_makes_are_not_written() -> None:
    source = dumps(driven())
    assert "coupler.position" not in source
    assert "inputs: [rocker.position, rocker.velocity, rocker.acceleration]" in source
    again = loads(source)
    assert again.drives["rocker"].inputs == ("rocker.position", "rocker.velocity", "rocker.acceleration")
    assert again.inputs["rocker.position"].value == 0.25
    assert len(again.inputs) == 7


def test_inputs_keep_their_order() -> None:
    m = four_bar()
    m.drive("crank")
    m.input("push")
    m.drive("rocker")
    source = dumps(m)
    assert "inputs: [crank.position" in source
    assert "rocker: {}" in source
    assert list(loads(source).inputs) == list(m.inputs)


def test_a_drive_may_share_an_input_with_another() -> None:
    m = four_bar()
    names = tuple(f"hand{k}" for k in range(3))
    for name in names:
        m.input(name)
    m.drives["crank"] = Drive("crank", None, (names[0], names[1], names[2]))
    m.drives["rocker"] = Drive("rocker", None, (names[0], names[1], names[2]))
    assert describe(loads(dumps(m))) == describe(m)


WRITTEN = """\
touchweight: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  left-b: {mass: 1, inertia: [1, 1, 1]}
joints:
  a: {kind: revolute, parent: ground, child: a, axis: y}
  left-b: {kind: revolute, parent: a, child: left-b, axis: y, origin: [0, 0, 1]}
frames:
  tip: {body: left-b, origin: [0, 0, 1]}
loops:
  post-it: {kind: ball, a: tip, b: {body: ground, origin: [0, 0, 2]}}
  link: {kind: rod, a: tip, b: ground, length: 2}
constraints:
  turn: {kind: gear, first: a, second: left-b, ratio: -2}
  skate: {expression: "v.a - 2*`v.left-b`", level: speed}
drives:
  a: {motion: 0.1*sin(t)}
  left-b:
modes:
  stick: {active: [post-it, a]}
  slide: {locked: [left-b]}
transitions:
  slip:
    from: stick
    to: slide
    when: 10 - abs(`force.post-it.x`) - force.link - force.a
  land: {from: slide, to: stick, when: q.a, restitution: 0.3, rest: stick, reset: {v.a: -v.a}}
"""


def test_a_file_written_by_hand() -> None:
    m = loads(WRITTEN)
    assert m.loops["post-it"].rows == ("post-it.x", "post-it.y", "post-it.z")
    turn = m.loops["turn"]
    assert isinstance(turn, Constraint)
    assert turn.expression is m.q("left-b") - m.parameters["turn.ratio"].symbol * m.q("a")
    assert m.drives["a"].motion is 0.1 * sin(m.time)
    assert m.drives["left-b"].inputs == ("left-b.position", "left-b.velocity", "left-b.acceleration")
    assert m.modes["stick"] is next(iter(m.modes.values()))
    assert set(m.parameters) >= {"link.length", "turn.ratio", "land.restitution"}
    guard = m.transitions["slip"].guard
    force = abs(reaction_symbol("post-it.x"))
    assert guard is 10 - force - reaction_symbol("link") - reaction_symbol("a")
    assert m.transitions["land"].reset == {"v.a": -m.v("a")}
    assert describe(loads(dumps(m))) == describe(m)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("kind: ball", "kind: magic", 11, "loop kind among"),
        ("kind: ball", "knid: ball", 11, "'kind'"),
        ("kind: ball, a: tip", "kind: ball, a: top", 11, "frame or body"),
        ("kind: ball, a: tip, ", "kind: ball, ", 11, "'a'"),
        ("kind: ball, a: tip", "kind: ball, a: [tip]", 11, "expected text"),
        ("kind: rod", "kind: rod, axis: w", 12, "axis"),
        ("length: 2", "lenght: 2", 12, "did you mean length?"),
        ("length: 2", "length: .inf", 12, "finite"),
        ("length: 2", "length: long", 12, "known name"),
        ("kind: gear", "kind: gaer", 14, "constraint kind among"),
        ("kind: gear", "kind: ball", 14, "constraint kind among"),
        ("first: a", "first: c", 14, "a coordinate among 'a', 'left-b', found 'c'"),
        (", ratio: -2", "", 14, "'ratio'"),
        ("second: left-b, ", "", 14, "'second'"),
        ("ratio: -2", "radius: -2", 14, "known key"),
        ("level: speed", "level: jerk", 15, "position or speed"),
        ("expression: ", "equation: ", 15, "known key"),
        ("`v.left-b`", "v.left-b", 15, "known name"),
        ("motion: 0.1*sin(t)", "motion: 0.1*sin(", 17, "column"),
        ("motion: 0.1*sin(t)", "motion: {value: 3}", 17, "expected text"),
        ("motion: 0.1*sin(t)", "motion: 1, inputs: [a, b, c]", 17, "found both"),
        ("motion: 0.1*sin(t)", "inputs: [a, b, c]", 17, "an input among none"),
        ("motion: 0.1*sin(t)", "inputs: [a]", 17, "3 entries"),
        ("motion: 0.1*sin(t)", "motoin: 1", 17, "did you mean motion?"),
        ("  a: {motion", "  b: {motion", 17, "a coordinate among"),
        ("active: [post-it, a]", "active: post-it", 20, "expected a list"),
        ("active: [post-it, a]", "active: [postit]", 20, "a loop, constraint, drive or force"),
        ("locked: [left-b]", "locked: [b]", 21, "a coordinate among"),
        ("active: [post-it, a]", "on: [a]", 20, "known key"),
        ("from: stick", "from: stuck", 24, "a mode among 'stick', 'slide', found 'stuck'"),
        ("    to: slide\n", "", 24, "'to'"),
        ("when: 10 -", "when: 10 <", 26, "select"),
        ("when: 10 - abs(`force.post-it.x`)", "when: 10 - force.post", 26, "known name"),
        ("when: q.a", "whenever: q.a", 27, "did you mean when?"),
        ("rest: stick", "rest: peace", 27, "a mode among"),
        ("{v.a: -v.a}", "{v.c: 1}", 27, "what a reset can set, found 'v.c'"),
        ("{v.a: -v.a}", "[1]", 27, "a mapping"),
        ("restitution: 0.3", "restitution: [1]", 27, "a list"),
        ("loops:", "loop:", 10, "did you mean loops?"),
        ("constraints:", "constraint:", 13, "did you mean constraints?"),
        ("  link:", "  post-it:", 12, "once"),
        ("  turn:", "  link:", 14, "a second time"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, says: str) -> None:
    assert old in WRITTEN
    with pytest.raises(FileError) as caught:
        loads(WRITTEN.replace(old, new, 1), "m.yaml")
    message = str(caught.value)
    assert says in message
    assert message.startswith("m.yaml:"), message
    assert abs((caught.value.line or 0) - line) <= 1, message
    assert "\n" not in message


def test_a_force_that_shares_a_name_is_refused() -> None:
    source = WRITTEN.replace("touchweight: 1\n", "touchweight: 1\nparameters: {force.a: {value: 1, kind: force}}\n")
    with pytest.raises(FileError, match="a parameter and a drive force"):
        loads(source)


def test_a_mode_to_rest_in_may_be_asked_for() -> None:
    source = WRITTEN.replace("rest: stick", "rest: true")
    m = loads(source)
    assert m.transitions["land"].rest == "land.rest"
    assert m.modes["land.rest"].active == ("land.contact",)
    assert m.transitions["land.release"].guard is reaction_symbol("land.contact")
    assert describe(loads(dumps(m))) == describe(m)
    assert loads(WRITTEN.replace("rest: stick", "rest: false")).transitions["land"].rest is None
    called = loads(
        WRITTEN.replace("rest: stick", "rest: true").replace("  slide: {locked", "  'true': {}\n  slide: {locked")
    )
    assert called.transitions["land"].rest == "true"


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(st.lists(names, min_size=6, max_size=6, unique=True), st.integers(0, 3), st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_name_comes_back(given_names: list[str], order: int, live: bool) -> None:
    joint, other, loop, gear, mode, transition = given_names
    m = Mechanism()
    try:
        for name, parent in ((joint, m.ground), (other, m.ground)):
            m.revolute(name, parent, m.body(name, mass=1.0, inertia=(1, 1, 1)))
        steps = [
            lambda: m.cut_hinge(loop, joint, other, axis=(order, 1, 2)),
            lambda: m.gear(gear, joint, other, 2.0 * order, offset=order),
            lambda: m.drive(joint, None if live else m.time * order),
        ]
        for k in range(3):
            steps[(k + order) % 3]()
        m.mode(mode, active=[loop, gear], locked=[other])
        force = m.reaction(f"{loop}.x") * m.reaction(joint)
        m.transition(transition, mode, mode, force, restitution=order / 4, reset={f"q.{other}": order})
        written = dumps(m)
    except MechanismError:
        return  # two things share a name
    assert describe(loads(written)) == describe(m)


def test_saving_refuses_what_it_cannot_say() -> None:
    for change, says in (
        (lambda m: m.modes.__setitem__("x", Mode("x", ("nobody",))), "nobody"),
        (lambda m: m.modes.__setitem__("x", Mode("x", (), ("nobody",))), "nobody"),
        (lambda m: m.drive("nobody"), "nobody"),
        (lambda m: m.transition("t", "nobody", "free", 1), "nobody"),
        (lambda m: m.transition("t", "free", "free", symbol("nobody")), "nobody"),
        (lambda m: m.transition("t", "free", "free", 1, reset={"nobody": 1}), "nobody"),
        (lambda m: setattr(m.loops["knuckle"], "kind", "nobody"), "nobody"),
        (lambda m: m.drives.__setitem__("rocker", Drive("rocker", None, ("x", "y", "nobody"))), "'x'"),
    ):
        m = switching()
        change(m)  # type: ignore[no-untyped-call]
        with pytest.raises(MechanismError, match=says):
            dumps(m)

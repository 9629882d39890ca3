# ruff: noqa: E501 (a table reads better in long lines)
"""Checking: sound mechanisms pass, everything that is wrong is told at once, in one line each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchweight.mechanism import Body, Frame, Joint, Limits, Mechanism, Mimic
from touchweight.mechanism.check import Problem, check
from touchweight.mechanism.law import SpeedForce
from touchweight.symbolic import symbol


def arm() -> Mechanism:
    m = Mechanism("arm")
    upper = m.body("upper", mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.01))
    lower = m.body("lower", mass=0.5, com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.005, 0.001, 0, 0))
    m.revolute("shoulder", m.ground, upper, axis="y", damping=0.1)
    m.revolute("elbow", upper, lower, axis="y", origin=(0, 0, -0.4))
    m.frame("hand", lower, (0, 0, -0.4))
    m.spring("string", "hand", m.ground, 10, 0.1)
    return m


def said(m: Mechanism) -> str:
    problems = check(m)
    assert all(isinstance(p, Problem) and str(p).isprintable() for p in problems)
    return "\n".join(str(p) for p in problems)


def test_sound_mechanisms_pass() -> None:
    m = arm()
    assert check(m) == m.check() == []
    assert Mechanism("weightless", gravity=(0, 0, 0)).body("b").name == "b"


def test_without_speeds_is_fine() -> None:
    m = Mechanism()
    m.fixed("weld", m.ground, m.body("b"))
    assert check(m) == []


def _set(path: str, value: Any) -> Callable[[Mechanism], None]:
    def change(m: Mechanism) -> None:
        *steps, last = path.split("/")
        thing: Any = m
        for step in steps:
            thing = thing[step] if isinstance(thing, dict) else getattr(thing, step)
        if isinstance(thing, dict):
            thing[last] = value
        else:
            setattr(thing, last, value)

    return change


WRONG: dict[str, tuple[Callable[[Mechanism], Any], str]] = {
    "mass not finite": (_set("parameters/upper.mass/value", math.nan), "parameter 'upper.mass': expected a finite value"),
    "mass negative": (_set("parameters/upper.mass/value", -1.0), "expected at least 0, found -1"),
    "mass negative by expression": (lambda m: _set("bodies/upper/mass", -m.bodies["upper"].mass)(m), "mass of zero or more"),
    "out of bounds": (_set("parameters/upper.mass/maximum", 0.5), "expected at most 0.5, found 1"),
    "bounds exchanged": (_set("parameters/upper.mass/maximum", -1.0), "minimum below the maximum"),
    "negative moment": (_set("parameters/upper.inertia.xx/value", -0.02), "principal moments of zero or more"),
    "triangle": (_set("parameters/upper.inertia.zz/value", 0.05), "sum of the others"),
    "point not finite": (_set("parameters/elbow.origin.z/value", math.inf), "finite value"),
    "divides by zero": (
        lambda m: _set("bodies/upper/mass", 1 / m.parameter("zero", 0.0))(m), "expected a mass that is finite"
    ),
    "root of a negative": (
        lambda m: _set("bodies/upper/mass", m.parameter("negative", -1.0) ** 0.5)(m), "expected a mass that is finite"
    ),
    "gravity not finite": (_set("parameters/gravity.z/value", math.nan), "'gravity.z': expected a finite value"),
    "gravity of a coordinate": (lambda m: _set("gravity", (m.q("elbow"),) * 3)(m), "gravity: expected only"),
    "mass of a coordinate": (lambda m: _set("bodies/upper/mass", 1 + m.q("elbow"))(m), "expected only parameter here"),
    "unknown symbol": (_set("forces/string/tension", symbol("nobody")), "expected symbols of this mechanism, found 'nobody'"),
    "symbol of another kind": (_set("forces/string/tension", symbol("upper.mass", "force")), "'upper.mass' (force)"),
    "distance outside a pair law": (lambda m: m.joint_law("f", "elbow", symbol("d", "local")), "found 'd' (local)"),
    "a parameter called d in a pair law": (
        lambda m: m.law("f", "upper", "ground", m.parameter("d", 1.0) + 0), "expected 'd' to be the distance"
    ),
    "a condition for a force": (lambda m: m.joint_law("f", "elbow", m.q("elbow") < 0), "found a condition"),
    "force on no speed": (lambda m: m.joint_law("f", "wrist", 1), "expected a speed of the mechanism, found 'wrist'"),
    "acceleration in a law": (
        lambda m: m.joint_law("f", "elbow", m.sensor("s", "acceleration", "hand").symbols[0]), "no acceleration in a law"
    ),
    "acceleration in a rate": (
        lambda m: m.state("x", m.sensor("s", "angular_acceleration", "hand").symbols[0]), "no acceleration in a law"
    ),
    "spring on one point": (lambda m: m.spring("s", "upper", "upper", 1), "same one twice"),
    "input and state of one name": (lambda m: (m.input("x"), m.state("x")), "an input and a state"),
    "parameter and channel of one name": (
        lambda m: (m.parameter("s.x", 1), m.sensor("s", "position", "hand")), "a parameter and a sensor channel"
    ),
    "a parameter called t": (lambda m: m.parameter("t", 1), "a time and a parameter"),
    "coordinates of one name": (
        lambda m: (m.free("a", m.body("b", 1, inertia=(1, 1, 1))),
                   m.revolute("a.x", m.ground, m.body("c", 1, inertia=(1, 1, 1)))),
        "coordinates of its own, found 'a.x'",
    ),
    "mimics nobody": (_set("joints/elbow/mimic", Mimic("wrist")), "expected to mimic a joint of the mechanism"),
    "mimics itself": (_set("joints/elbow/mimic", Mimic("elbow")), "found itself"),
    "mimics a follower": (
        lambda m: (_set("joints/elbow/mimic", Mimic("shoulder"))(m), _set("joints/shoulder/mimic", Mimic("elbow"))(m)),
        "mimics another itself",
    ),
    "mimics by NaN": (_set("joints/elbow/mimic", Mimic("shoulder", math.nan)), "finite multiplier"),
    "limits exchanged": (_set("joints/elbow/limits", Limits(1, -1)), "lower limit below the upper"),
    "limits NaN": (_set("joints/elbow/limits", Limits(math.nan, 1)), "found NaN"),
    "effort negative": (_set("joints/elbow/limits", Limits(effort=-1)), "effort limit of zero or more"),
    "reference not finite": (_set("joints/elbow/reference", math.inf), "finite reference"),
    "start too short": (_set("joints/elbow/initial", ()), "1 finite initial coordinates"),
    "axis too long": (_set("joints/elbow/axis", (0.0, 2.0, 0.0)), "axis of length one"),
    "kind unknown": (_set("joints/elbow/kind", "screw"), "expected a known kind"),
    "armature negative": (lambda m: _set("joints/elbow/armature", -m.bodies["upper"].mass)(m), "armature of zero or more"),
    "left-handed": (
        lambda m: _set("joints/elbow/rotation", tuple(tuple(-x for x in row) for row in m.joints["elbow"].rotation))(m),
        "right-handed",
    ),
    "body of another mechanism": (lambda m: _set("joints/elbow/parent", Body("stranger"))(m), "found 'stranger'"),
    "frame of another mechanism": (lambda m: _set("frames/hand/body", Body("stranger"))(m), "found 'stranger'"),
    "sensor on another mechanism": (
        lambda m: m.sensor("s", "position", Frame("f", Body("stranger"))), "found 'stranger'"
    ),
    "body loose": (lambda m: m.body("loose", 1), "body 'loose': expected a joint that leads to the ground, found none"),
    "bodies loose": (
        lambda m: m.revolute("j", m.body("a", 1), m.body("b", 1, inertia=(1, 1, 1))), "found none with 1 more behind it"
    ),
    "two carriers": (lambda m: m.fixed("again", m.ground, "lower"), "cut the loop"),
    "cycle": (
        lambda m: (m.body("a", 1), m.body("b", 1), m.fixed("x", "a", "b"), m.fixed("y", "b", "a")), "found a cycle"
    ),
    "onto itself": (lambda m: m.fixed("x", m.body("a", 1), "a"), "expected two bodies"),
    "the ground moves": (lambda m: m.fixed("x", "lower", m.ground), "found the ground"),
    "control character": (lambda m: m.fixed("x\x00y", "lower", m.body("z\n")), "U+000A"),
    "long name": (lambda m: m.parameter("x" * 201, 1), "201 characters"),
    "spaces for a name": (lambda m: m.parameter("  ", 1), "only spaces"),
    "massless leaf": (lambda m: m.revolute("wrist", "lower", m.body("leaf")), "none moved by 'wrist'"),
    "point mass on its axis": (lambda m: m.revolute("w", "lower", m.body("p", 1, (0, 0, 0.3))), "none moved by 'w'"),
    "ball with a rod": (
        lambda m: m.spherical("w", "lower", m.body("p", 1, (0, 0, 0.3), (1, 1, 0))), "none moved by 'w.wz'"
    ),
    "two hinges in one": (
        lambda m: (m.revolute("h1", "lower", m.body("c")),
                   m.revolute("h2", "c", m.body("p", 1, (1, 0, 0), (1, 1, 1)))),
        "one of 'h1', 'h2' together that moves none",
    ),
    "indefinite": (_set("parameters/lower.inertia.yy/value", -3.0), "positive kinetic energy"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    m = arm()
    change, says = WRONG[name]
    change(m)
    assert says in said(m)


def test_everything_is_told_at_once() -> None:
    m = arm()
    m.parameters["upper.mass"].value = -1
    m.joints["elbow"].limits = Limits(1, -1)
    m.body("loose", 1)
    m.joint_law("f", "wrist", symbol("nobody"))
    m.input("i", value=math.nan)
    m.state("x", initial=math.inf)
    text = said(m)
    for word in ("upper.mass", "lower limit", "loose", "wrist", "nobody", "input 'i'", "state 'x'"):
        assert word in text


def test_an_empty_mechanism_is_a_problem() -> None:
    assert "at least one body" in said(Mechanism())


def test_intermediate_massless_bodies_are_fine() -> None:
    m = Mechanism()
    m.revolute("a", m.ground, m.body("c1"), axis="x")
    m.revolute("b", "c1", m.body("c2"), axis="y")
    m.fixed("w", "c2", m.body("c3"), origin=(0, 0, 1))
    m.prismatic("p", "c3", m.body("end", 1, (0.1, 0.2, 0.3)), axis="z")
    assert check(m) == []


def test_armature_is_inertia() -> None:
    m = Mechanism()
    m.revolute("a", m.ground, m.body("leaf"), armature=0.1)
    assert check(m) == []


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "cylindrical", "planar", "spherical", "free"])
def test_each_kind_of_joint_needs_something_to_carry(kind: str) -> None:
    for mass, sound in ((1.0, True), (0.0, False)):
        m = Mechanism()
        b = m.body("b", mass, (0.1, 0.2, 0.3), (mass, mass, mass))
        m.joint("j", kind, m.ground, b, axis=(1, 2, 3), axis2="y")
        assert (check(m) == []) == sound


@given(st.lists(st.floats(0.01, 10), min_size=3, max_size=3), st.integers(0, 2**31))
@settings(max_examples=60, deadline=None)
def test_inertias_of_real_matter_pass_and_others_do_not(spread: list[float], seed: int) -> None:
    """The second moments of any cloud of matter are not negative, which is what the inequality says."""
    random = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    second = turn @ np.diag(spread) @ turn.T
    inertia = np.trace(second) * np.eye(3) - second
    m = Mechanism()
    m.free("f", m.body("b", 1, inertia=inertia.tolist()))
    assert check(m) == []
    worse = inertia + 1.01 * 2 * min(spread) * np.outer(turn[:, np.argmin(spread)], turn[:, np.argmin(spread)])
    m = Mechanism()
    m.free("f", m.body("b", 1, inertia=worse.tolist()))
    assert "sum of the others" in said(m)


def test_a_problem_is_one_line() -> None:
    p = Problem("body 'a\nb'", "expected x,\r found y", "do z")
    assert str(p) == "body 'a\\nb': expected x,\\r found y; do z"
    assert p.severity == "error"


def test_what_a_user_puts_in_by_hand_does_not_raise() -> None:
    m = arm()
    m.joints["hand made"] = Joint("hand made", "revolute", Body("x"), Body("y"))
    m.forces["hand made"] = SpeedForce("hand made", "", symbol("z"))
    assert len(check(m)) >= 3

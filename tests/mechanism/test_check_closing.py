# ruff: noqa: E501 (a table reads better in long lines)
"""Checking loops, constraints, drives, modes and transitions: sound ones pass, others are told in one line each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from linkages import bouncing, cuts, driven, equations, four_bar, switching

from touchweight.mechanism import Body, Constraint, Drive, Frame, Loop, Mechanism, Mode, Transition
from touchweight.mechanism.check import Problem, check
from touchweight.mechanism.loop import reaction_symbol
from touchweight.symbolic import ONE, ZERO, cos, select, sin, symbol


def said(m: Mechanism, severity: str = "") -> str:
    problems = check(m)
    assert all(isinstance(p, Problem) and str(p).isprintable() for p in problems)
    return "\n".join(str(p) for p in problems if severity in ("", p.severity))


def latch() -> Mechanism:
    """A four-bar with a slider, a drive, a ball and two modes, all sound."""
    m = four_bar()
    m.prismatic("slide", m.ground, m.body("carriage", mass=1.0), axis="x")
    m.spherical("ball", m.ground, m.body("marble", mass=1.0, inertia=(1, 1, 1)))
    m.free("fly", m.body("moth", mass=1.0, inertia=(1, 1, 1)))
    m.sensor("place", "position", "coupler tip")
    m.sensor("rate", "velocity", "coupler tip")
    m.sensor("shake", "acceleration", "coupler tip")
    m.state("lag")
    m.input("push")
    m.gear("gear", "crank", "slide", 2.0)
    m.drive("crank", sin(m.time))
    m.mode("on", active=["gear"])
    m.mode("off", active=["crank"], locked=["slide"])
    m.transition("release", "on", "off", 5 - m.reaction("gear"), reset={"lag": 0, "v.slide": 0})
    m.transition("catch", "off", "on", m.q("slide"), restitution=0.5, rest="on")
    return m


@pytest.mark.parametrize("make", [four_bar, latch, bouncing])
def test_sound_mechanisms_pass(make: Callable[[], Mechanism]) -> None:
    assert check(make()) == []


def test_warnings_are_not_errors() -> None:
    assert said(switching(), "error") == ""
    assert "forces that act in the mode 'held', found that of 'crank'" in said(switching(), "warning")


@pytest.mark.parametrize("make", [driven, cuts, equations])
def test_too_many_equations_are_only_a_warning(make: Callable[[], Mechanism]) -> None:
    assert said(make(), "error") == ""
    assert "one for each speed" in said(make(), "warning")


def _channel(m: Mechanism, name: str) -> Any:
    return m.sensors[name].symbols[0]


WRONG: dict[str, tuple[Callable[[Mechanism], Any], str, str]] = {
    # cuts
    "loop on one body": (lambda m: m.cut_ball("x", "rocker", "rocker tip"), "loop 'x': expected frames on two bodies, found both on 'rocker'", "error"),
    "loop on the ground": (lambda m: m.cut_ball("x", "ground", m.frame("f", m.ground, (1, 0, 0))), "both on 'ground'", "error"),
    "loop on a stranger": (lambda m: m.cut_ball("x", "rocker", Frame("f", Body("stranger"))), "body of this mechanism, found 'stranger'", "error"),
    "loop on a frame that is not finite": (lambda m: m.cut_ball("x", "rocker", Frame("f", m.bodies["crank"], (1 / m.parameter("z", 0.0),) * 3)), "expected a point that is finite", "error"),
    "loop of no kind": (lambda m: m.loops.__setitem__("x", Loop("x", "magic", m.frames["rocker tip"], m.frames["coupler tip"])), "loop 'x': expected a known kind, found 'magic'", "error"),
    "loop with a long axis": (lambda m: setattr(m.loops["knuckle"], "axis", (0.0, 2.0, 0.0)), "axis of length one", "error"),
    "rod of no length": (lambda m: m.rod("x", "rocker", "crank", 0.0), "rod of positive length, found 0 m", "error"),
    "rod of a live zero": (lambda m: m.rod("x", "rocker", "crank", m.parameter("z", 0.0)), "rod of positive length, found 0 m", "error"),
    "rod of negative length": (lambda m: m.rod("x", "rocker", "crank", -1.0), "parameter 'x.length': expected at least 0", "error"),
    "rod negative by expression": (lambda m: m.rod("x", "rocker", "crank", -m.parameter("k", 1.0)), "rod of positive length, found -1 m", "error"),
    "rod that moves": (lambda m: m.rod("x", "rocker", "crank", 1 + m.q("slide")), "expected only parameter here", "error"),
    "rod not finite": (lambda m: m.rod("x", "rocker", "crank", 1 / m.parameter("z", 0.0)), "a length that is finite", "error"),
    "rows of one name": (lambda m: (m.cut_ball("x", "rocker", "crank"), m.constraint("x.y", m.q("slide"))), "forces of its own, found 'x.y' of 'x'", "error"),
    "a constraint and a drive of one name": (lambda m: m.constraint("crank", m.q("slide")), "a constraint force and a drive force", "error"),
    "a parameter with the name of a force": (lambda m: m.parameter("force.gear", 1.0), "a parameter and a constraint force", "error"),
    # equations
    "equation of nothing": (lambda m: m.constraint("x", m.time - 1), "equation of coordinates, found none", "error"),
    "equation of a number": (lambda m: m.constraint("x", 1.0), "equation of coordinates, found none", "error"),
    "equation with a speed": (lambda m: m.constraint("x", m.q("slide") - m.v("slide")), "found the speed 'v.slide'; write it in coordinates", "error"),
    "equation with a state": (lambda m: m.constraint("x", m.q("slide") - m.states["lag"].symbol), "found the state 'lag'", "error"),
    "equation with an input": (lambda m: m.constraint("x", m.q("slide") - m.inputs["push"].symbol), "found the input 'push'", "error"),
    "equation with a force": (lambda m: m.constraint("x", m.q("slide") - m.reaction("gear")), "found the constraint force 'force.gear'", "error"),
    "equation with a stranger": (lambda m: m.constraint("x", m.q("slide") - symbol("who")), "symbols of this mechanism, found 'who'", "error"),
    "equation of an unknown coordinate": (lambda m: m.gear("x", "slide", "nobody", 2.0), "found 'q.nobody' (coordinate)", "error"),
    "equation with a velocity": (lambda m: m.constraint("x", m.q("slide") - _channel(m, "rate")), "positions only, found the velocity sensor 'rate'", "error"),
    "equation with an acceleration": (lambda m: m.constraint("x", m.q("slide") - _channel(m, "shake")), "no acceleration", "error"),
    "equation that is a condition": (lambda m: m.constraint("x", m.q("slide") < 0), "found a condition", "error"),
    "equation of another level": (lambda m: m.loops.__setitem__("x", Constraint("x", m.q("slide"), "jerk")), "the level position or speed, found 'jerk'", "error"),
    "speeds: none": (lambda m: m.speed_constraint("x", m.q("slide")), "equation of speeds, found none", "error"),
    "speeds: squared": (lambda m: m.speed_constraint("x", m.v("slide") ** 2), "linear in the speeds", "error"),
    "speeds: a product": (lambda m: m.speed_constraint("x", m.v("slide") * m.v("crank")), "linear in the speeds", "error"),
    "speeds: a product with a sensor": (lambda m: m.speed_constraint("x", m.v("slide") * _channel(m, "rate")), "linear in the speeds", "error"),
    "speeds: an absolute value": (lambda m: m.speed_constraint("x", abs(m.v("slide"))), "linear in the speeds", "error"),
    "speeds: a branch": (lambda m: m.speed_constraint("x", select(m.v("slide") < 0, m.v("slide"), 2 * m.v("slide"))), "linear in the speeds", "error"),
    "speeds: a root": (lambda m: m.speed_constraint("x", m.v("slide") ** 0.5), "linear in the speeds", "error"),
    "speeds: an input": (lambda m: m.speed_constraint("x", m.v("slide") - m.inputs["push"].symbol), "found the input 'push'", "error"),
    "speeds: a state": (lambda m: m.speed_constraint("x", m.v("slide") - m.states["lag"].symbol), "found the state 'lag'", "error"),
    # drives
    "drive of nobody": (lambda m: m.drive("nobody", 1), "drive 'nobody': expected a coordinate of the mechanism", "error"),
    "drive of a quaternion": (lambda m: m.drive("ball.qw"), "turns or slides by itself, found 'ball.qw' of the spherical joint 'ball'", "error"),
    "drive of what flies": (lambda m: m.drive("fly.x"), "turns or slides by itself, found 'fly.x'", "error"),
    "driven twice": (lambda m: m.drives.__setitem__("x", Drive("crank", ONE)), "one drive for a coordinate", "error"),
    "drive by the motion": (lambda m: m.drive("slide", m.q("crank")), "found the coordinate 'q.crank'", "error"),
    "drive by an input": (lambda m: m.drive("slide", m.inputs["push"].symbol), "found the input 'push'", "error"),
    "drive by a stranger": (lambda m: m.drive("slide", symbol("who")), "found 'who'", "error"),
    "drive by a condition": (lambda m: m.drive("slide", m.time < 1), "found a condition", "error"),
    "drive without inputs": (lambda m: m.drives.__setitem__("slide", Drive("slide")), "position, velocity and acceleration", "error"),
    "drive by no input": (lambda m: m.drives.__setitem__("slide", Drive("slide", None, ("push", "push", "pull"))), "inputs of the mechanism, found 'pull'", "error"),
    # modes
    "mode with nobody": (lambda m: setattr(m.modes["on"], "active", ("nobody",)), "mode 'on': expected a loop, constraint, drive or force, found 'nobody'", "error"),
    "mode that locks nobody": (lambda m: setattr(m.modes["on"], "locked", ("nobody",)), "mode 'on': expected a coordinate of the mechanism", "error"),
    "mode that locks a quaternion": (lambda m: setattr(m.modes["on"], "locked", ("ball.qx",)), "turns or slides by itself", "error"),
    "driven and locked": (lambda m: setattr(m.modes["off"], "locked", ("crank",)), "driven or locked, found 'crank', which is both", "error"),
    "driven everywhere and locked": (lambda m: (m.drive("slide"), None), "driven or locked, found 'slide'", "error"),
    "mode that nothing leads to": (lambda m: m.mode("lost"), "mode 'lost': expected transitions that lead to it from 'on'", "warning"),
    "modes that only lead to each other": (lambda m: (m.mode("a"), m.transition("t", "a", "a", m.time)), "mode 'a': expected transitions", "warning"),
    "too much at once": (lambda m: [m.cut_body(f"w{k}", "rocker", "crank") for k in range(3)], "mode 'on': expected at most 13 equations", "warning"),
    # transitions
    "from nowhere": (lambda m: setattr(m.transitions["catch"], "source", "nowhere"), "transition 'catch': expected a mode from, found 'nowhere'", "error"),
    "to nowhere": (lambda m: setattr(m.transitions["catch"], "target", "nowhere"), "expected a mode to, found 'nowhere'", "error"),
    "rest nowhere": (lambda m: setattr(m.transitions["catch"], "rest", "nowhere"), "expected a mode as its rest, found 'nowhere'", "error"),
    "no modes": (lambda m: m.modes.clear(), "expected modes to go between, found none", "error"),
    "guard of a stranger": (lambda m: m.transition("t", "on", "off", symbol("who")), "guard of transition 't': expected symbols of this mechanism", "error"),
    "guard of a force that is none": (lambda m: m.transition("t", "on", "off", reaction_symbol("who")), "found 'force.who'", "error"),
    "guard of a condition": (lambda m: m.transition("t", "on", "off", m.time < 1), "found a condition", "error"),
    "guard of an acceleration": (lambda m: m.transition("t", "on", "off", _channel(m, "shake")), "no acceleration", "error"),
    "guard that never changes": (lambda m: m.transition("t", "on", "off", m.parameter("k", 1.0)), "something that changes", "warning"),
    "guard of an idle force": (lambda m: m.transition("t", "off", "on", m.reaction("gear")), "forces that act in the mode 'off', found that of 'gear'", "warning"),
    "guard of an idle drive": (lambda m: m.transition("t", "on", "off", m.reaction("crank")), "forces that act in the mode 'on', found that of 'crank'", "warning"),
    "reset of nobody": (lambda m: m.transition("t", "on", "off", m.time, reset={"slide": 0}), "reset of transition 't': expected a coordinate, speed or state", "error"),
    "reset to a stranger": (lambda m: m.transition("t", "on", "off", m.time, reset={"lag": symbol("who")}), "found 'who'", "error"),
    "reset to a force": (lambda m: m.transition("t", "on", "off", m.time, reset={"lag": m.reaction("gear")}), "found the constraint force", "error"),
    "impact along a speed": (lambda m: m.transition("t", "on", "off", m.q("slide") + m.v("slide"), restitution=0.5), "guard of positions where there is a restitution, found the speed", "error"),
    "impact along a velocity": (lambda m: m.transition("t", "on", "off", m.q("slide") + _channel(m, "rate"), restitution=0.5), "found the sensor channel 'rate.x'", "error"),
    "impact along a force": (lambda m: m.transition("t", "on", "off", m.q("slide") + m.reaction("gear"), restitution=0.5), "found the constraint force 'force.gear'", "error"),
    "impact along time": (lambda m: m.transition("t", "on", "off", m.time, restitution=0.5), "found no coordinate in it", "error"),
    "impact that adds energy": (lambda m: m.transition("t", "on", "off", m.q("slide"), restitution=1.5), "from 0 to 1, found 1.5", "warning"),
    "restitution of a stranger": (lambda m: m.transition("t", "on", "off", m.q("slide"), restitution=symbol("who")), "restitution of transition 't'", "error"),
    "rest without an impact": (lambda m: m.transition("t", "on", "off", m.q("slide"), rest="on"), "a restitution where a rest is given", "warning"),
    # names
    "a hidden character": (lambda m: m.mode("a\nb"), "the hidden character U+000A", "warning"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    m = latch()
    change, says, severity = WRONG[name]
    change(m)
    assert says in said(m, severity)


def test_equations_that_are_linear_pass() -> None:
    m = latch()
    v, w = m.v("slide"), m.v("crank")
    k = m.parameter("k", 1.0)
    m.speed_constraint("affine", v - k * cos(m.q("crank")) * w - m.time)
    m.speed_constraint("expands", (v + w) ** 2 - v**2 - 2 * v * w - w**2 + v)
    m.speed_constraint("measured", _channel(m, "rate") * _channel(m, "place"))
    m.constraint("place", _channel(m, "place") - sin(m.time))
    assert said(m, "error") == ""


def test_what_a_user_puts_in_by_hand_does_not_raise() -> None:
    m = Mechanism()
    stranger = Frame("x", Body("x"), (symbol("y"), ZERO, ZERO))
    m.loops["a"] = Loop("a", "?", stranger, stranger)
    m.loops["b"] = Loop("b", "rod", stranger, stranger, (math.nan, 0.0, 0.0), symbol("z"))
    m.loops["c"] = Constraint("c", symbol("z"), "?")
    m.drives["d"] = Drive("e", symbol("z"))
    m.modes["m"] = Mode("m", ("?", "a", "d"), ("?",))
    m.transitions["t"] = Transition("t", "?", "?", symbol("z"), {"?": symbol("z")}, symbol("z"), "?")
    assert len(check(m)) >= 10

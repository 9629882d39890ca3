"""The builder: numbers become live parameters, mistakes are told in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from posture import values

from touchweight.errors import MechanismError
from touchweight.mechanism import JOINT_KINDS, Mechanism
from touchweight.mechanism.rotation import rotation_matrix
from touchweight.symbolic import ZERO, symbol


def test_numbers_become_parameters_and_zeros_vanish() -> None:
    m = Mechanism()
    b = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
    assert b.mass is m.parameters["arm.mass"].symbol
    assert b.com[0] is ZERO
    assert set(m.parameters) == {
        "gravity.z",
        "arm.mass",
        "arm.com.z",
        "arm.inertia.xx",
        "arm.inertia.yy",
        "arm.inertia.zz",
    }
    assert m.parameters["arm.mass"].minimum == 0
    assert not m.parameters["arm.mass"].explicit


def test_a_declared_zero_stays_live() -> None:
    m = Mechanism()
    offset = m.parameter("offset", 0.0, "m", kind="length")
    assert m.body("arm", com=(offset, 0, 0)).com[0] is offset
    assert m.parameters["offset"].explicit


def test_inertia_may_be_written_in_three_ways() -> None:
    m = Mechanism()
    full = [[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.5]]
    want = [1, 2, 2.5, 0.1, 0.2, 0.3]
    for k, given in enumerate((want, full, np.array(full))):
        assert np.allclose(values(m, m.body(f"b{k}", inertia=given).inertia), want)
    assert np.allclose(values(m, m.body("d", inertia=(1, 2, 3)).inertia), [1, 2, 3, 0, 0, 0])


def test_bodies_may_be_named_by_their_names() -> None:
    m = Mechanism()
    b = m.body("b")
    j = m.revolute("j", "ground", "b")
    assert j.parent is m.ground
    assert j.child is b
    assert m.frame("f", "b").body is b


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_names_of_coordinates_and_speeds(kind: str) -> None:
    m = Mechanism()
    j = m.joint("j", kind, m.ground, m.body("b"))
    assert len(set(j.coordinates)) == len(j.coordinates) == len(j.speeds) + ("S" in JOINT_KINDS[kind].primitives)
    assert list(j.coordinates) == m.coordinates
    assert list(j.speeds) == m.speeds


def test_axes_have_length_one_and_keep_right_angles() -> None:
    m = Mechanism()
    for k, (given, want) in enumerate(
        (
            ("-y", (0, -1, 0)),
            ((0, 0, 5), (0, 0, 1)),
            ((1e-17, 1, 0), (0, 1, 0)),
            ((1e200, 1e200, 0), (2**-0.5, 2**-0.5, 0)),
        )
    ):
        j = m.revolute(f"j{k}", m.ground, m.body(f"b{k}"), axis=given)  # type: ignore[arg-type]
        assert j.axis == pytest.approx(want)
        assert m.revolute(f"k{k}", m.ground, m.body(f"c{k}"), axis=j.axis).axis == j.axis


def test_rotations_agree() -> None:
    roll, pitch, yaw = 0.3, -0.4, 1.2
    by_angles = rotation_matrix((roll, pitch, yaw))
    rows = [[float(x) for x in row] for row in by_angles]
    half = [(math.cos(a / 2), math.sin(a / 2)) for a in (roll, pitch, yaw)]
    (cr, sr), (cp, sp), (cy, sy) = half
    quaternion = (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )
    assert np.allclose(rows, [[float(x) for x in row] for row in rotation_matrix(quaternion)])
    assert rotation_matrix(rows) == by_angles
    assert rotation_matrix(np.array(rows)) == by_angles
    assert float(rotation_matrix((0, 0, math.pi / 2))[0][0]) == 0.0


def test_passive_joints_make_forces() -> None:
    m = Mechanism()
    m.universal("u", m.ground, m.body("b", 1), damping=2, stiffness=3, rest=0.1, friction=0.5)
    assert set(m.forces) == {f"u.{k}.{f}" for k in "12" for f in ("damper", "spring", "dry_friction")}
    k, rest = (m.parameters[f"u.{n}"].symbol for n in ("stiffness", "rest"))
    assert m.forces["u.1.spring"].force is -k * (m.q("u.1") - rest)  # type: ignore[union-attr]


WRONG: dict[str, Callable[[Mechanism], Any]] = {
    "a name twice": lambda m: (m.body("b"), m.body("b")),
    "no name": lambda m: m.body(""),
    "a number for a name": lambda m: m.body(3),
    "half a character": lambda m: m.body("\ud800"),
    "the ground again": lambda m: m.body("ground"),
    "text for a mass": lambda m: m.body("b", mass="heavy"),
    "nothing for a mass": lambda m: m.body("b", mass=None),
    "a list for a mass": lambda m: m.body("b", mass=[1]),
    "truth for a mass": lambda m: m.body("b", mass=True),
    "a huge whole number": lambda m: m.body("b", mass=10**400),
    "two components": lambda m: m.body("b", com=(1, 2)),
    "a number for a vector": lambda m: m.body("b", com=1),
    "inertia of four": lambda m: m.body("b", inertia=(1, 2, 3, 4)),
    "inertia of one": lambda m: m.body("b", inertia=1),
    "inertia not symmetric": lambda m: m.body("b", inertia=((1, 2, 0), (0, 1, 0), (0, 0, 1))),
    "unknown kind of joint": lambda m: m.joint("j", "screw", m.ground, m.body("b")),
    "unknown body": lambda m: m.revolute("j", m.ground, "nobody"),
    "nothing for a body": lambda m: m.revolute("j", m.ground, None),
    "axis of letters": lambda m: m.revolute("j", m.ground, m.body("b"), axis="w"),
    "axis zero": lambda m: m.revolute("j", m.ground, m.body("b"), axis=(0, 0, 0)),
    "axis NaN": lambda m: m.revolute("j", m.ground, m.body("b"), axis=(0, math.nan, 1)),
    "axis a number": lambda m: m.revolute("j", m.ground, m.body("b"), axis=3),
    "rotation of two": lambda m: m.revolute("j", m.ground, m.body("b"), rotation=(1, 2)),
    "rotation a word": lambda m: m.revolute("j", m.ground, m.body("b"), rotation="up"),
    "rotation not orthonormal": lambda m: m.frame("f", m.ground, rotation=((1, 0, 0), (0, 2, 0), (0, 0, 1))),
    "rotation a reflection": lambda m: m.frame("f", m.ground, rotation=((1, 0, 0), (0, 1, 0), (0, 0, -1))),
    "rotation infinite": lambda m: m.frame("f", m.ground, rotation=(math.inf, 0, 0)),
    "quaternion zero": lambda m: m.frame("f", m.ground, rotation=(0, 0, 0, 0)),
    "stiffness on a ball": lambda m: m.spherical("j", m.ground, m.body("b"), stiffness=1),
    "initial too short": lambda m: m.spherical("j", m.ground, m.body("b"), initial=(1, 0)),
    "unknown sensor": lambda m: m.sensor("s", "smell", m.ground),
    "unknown place": lambda m: m.sensor("s", "position", "nowhere"),
    "unknown axes": lambda m: m.sensor("s", "position", m.ground, "sideways"),
    "unknown kind of parameter": lambda m: m.parameter("p", 1, kind="magic"),
    "law of other arguments": lambda m: m.law("l", m.ground, m.ground, lambda x: x),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_told_in_one_sentence(name: str) -> None:
    with pytest.raises(MechanismError) as caught:
        WRONG[name](Mechanism())
    assert "expected" in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


def test_laws_are_traced_once() -> None:
    m = Mechanism()
    b = m.body("b", 1)
    calls = []

    def felt(d: Any, d_dot: Any, *, k: Any) -> Any:
        calls.append(d)
        return k * d + d_dot

    f = m.law("felt", b, m.ground, felt, k=3)
    assert len(calls) == 1
    assert f.tension is m.parameters["felt.k"].symbol * symbol("d", "local") + symbol("d_dot", "local")

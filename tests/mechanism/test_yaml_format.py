"""The YAML form: everything the builder makes comes back the same; what is wrong is named with its line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from corpus import READABLE
from hypothesis import given, settings
from hypothesis import strategies as st
from sameness import describe

from touchweight.errors import FileError, MechanismError
from touchweight.mechanism import Frame, Limits, Mechanism, Mimic
from touchweight.mechanism.yaml_format import dumps, load_yaml, loads, save
from touchweight.symbolic import cos, select, share, sin, symbol, tanh


def pendulum() -> Mechanism:
    m = Mechanism("pendulum")
    arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
    m.revolute("hip", m.ground, arm, axis="y", damping=0.1)
    return m


def every_joint() -> Mechanism:
    m = Mechanism("joints", gravity=(0.0, 0.1, -1.62))
    last: Any = m.ground
    for k, kind in enumerate(
        ("revolute", "prismatic", "universal", "cylindrical", "planar", "spherical", "fixed", "free")
    ):
        body = m.body(f"b{k}", mass=1.0 + k, com=(0.1, 0, -0.2), inertia=(0.1, 0.2, 0.25, 0.01, 0, -0.02))
        options: dict[str, Any] = {"damping": 0.5, "friction": 0.25, "armature": 0.01}
        if kind not in ("spherical", "free"):
            options |= {"stiffness": 3.0, "rest": 0.1}
        m.joint(
            f"j{k}", kind, last, body, origin=(0, 0.3, 1e-5), rotation=(0.1, math.pi / 2, -0.3),
            axis=(1, 2, 3), axis2=(0.3, -0.1, 0.7), limits=Limits(-1, 1, 2.5, 1e5), reference=0.2,
            mimic=Mimic("j0", -2.0, 0.5) if k else None, **options,
        )  # fmt: skip
        last = body
    m.joints["j7"].initial = (0, 0, 1, 1, 0, 0, 0)
    return m


def signals() -> Mechanism:
    m = pendulum()
    hand = m.frame("hand", m.bodies["arm"], (0, 0, -0.8), rotation=(0, 0, 0.5))
    m.frame("arm", m.bodies["arm"], (0, 0.1, 0))  # a frame with the name of a body
    push = m.input("push", "N", 0.5, "how hard a finger pushes")
    lag = m.state("lag", lambda x: (push - x) / 0.01, 0.25, "N")
    m.sensor("tip", "position", hand)
    m.sensor("gyro", "angular_velocity", m.bodies["arm"], "frame")
    m.sensor(
        "pose",
        "orientation",
        Frame(
            "loose",
            m.bodies["arm"],
            (m.parameter("reach", 0.3, "m"), symbol("arm.com.z", "length"), m.ground.com[0]),
        ),
    )
    m.force("poke", "hand", (0, lag, 2.5), (0, 0, push * 0.1), "frame")
    m.force("world poke", m.bodies["arm"], (1, 0, 0))
    return m


def laws() -> Mechanism:
    m = pendulum()
    k = m.parameter("k", 1200, "N/m", minimum=0, maximum=1e4, description="stiffness: of the felt")
    zero = m.parameter("zero", 0.0, kind="length")
    m.spring("string", "arm", "ground", stiffness=50, length=0.3, damping=0.2)
    m.spring("soft", "arm", "ground", stiffness=k, damping=2 * k)
    m.spring("stretched", "arm", "ground", stiffness=k, length=k / 1000)

    def felt(d: Any, d_dot: Any, *, k: float, r: float, b: float) -> Any:
        return select(d < 0, k * (-d) ** r + b * d**2 * d_dot, 0)

    m.law("felt", "arm", "ground", felt, k=3e4, r=2.5, b=0)
    m.law("plain", "ground", "arm", k * (symbol("d", "local") - zero) + tanh(m.v("hip")))
    m.joint_law("stop", "hip", lambda q, v, *, k: -k * (q - 1) * v**2, k=7)
    m.joint_law("wave", "hip", share(sin(m.time) + 1) * cos(m.time) * k)
    m.joint_law("constant", "hip", 3)
    m.joint_law("mixed", "hip", lambda q, v, *, k, j: k * q * j * m.parameters["k"].symbol, k=7, j=k)
    m.forces["stop"].potential = 0.5 * k * m.q("hip") ** 2  # type: ignore[union-attr]
    return m


def actuators() -> Mechanism:
    m = pendulum()
    m.actuator("plain", "hip")
    m.actuator("geared", "hip", gear=50, limit=3)
    m.actuator("slow", "hip", gear=2, lag=0.002, limit=10)
    m.actuator("live", "hip", gear=m.parameter("ratio", 3.0))
    m.parameters["geared.gear"].value = 1.0
    return m


def live_numbers() -> Mechanism:
    m = pendulum()
    m.parameters["arm.mass"].value = 0.0  # stays live
    m.parameters["arm.com.z"].maximum = 3.0
    m.parameters["arm.inertia.xx"].unit = "kg m^2"
    m.parameters["hip.damping"].minimum = -math.inf
    m.parameters["hip.damping"].description = "grease"
    m.bodies["arm"].inertia = (2 * m.parameters["arm.inertia.xx"].symbol, *m.bodies["arm"].inertia[1:])
    length = m.parameter("length", 0.8, "m")
    m.body("tip", mass=0.1 * length, com=(length / 2, 0, -length))
    m.joint("wrist", "revolute", "arm", "tip", origin=(0, 0, -length), rotation=(0, length, 0), damping=2 * length)
    m.gravity = (m.gravity[0], m.gravity[1], m.gravity[2] * m.parameter("moon", 0.16))
    m.remarks.append("made by hand: for a test")
    return m


@pytest.mark.parametrize("make", [pendulum, every_joint, signals, laws, actuators, live_numbers, Mechanism])
def test_what_is_saved_comes_back_the_same(make: Any, tmp_path: Path) -> None:
    m = make()
    save(m, tmp_path / "m.yaml")
    back = load_yaml(tmp_path / "m.yaml")
    want, got = describe(m), describe(back)
    for key in want:
        assert got[key] == want[key], key
    assert dumps(back) == dumps(m) or set(dumps(back).splitlines()) == set(dumps(m).splitlines())


def test_short_forms_are_written_short() -> None:
    source = dumps(every_joint()) + dumps(laws()) + dumps(actuators())
    for word in (
        "damping: 0.5",
        "friction: 0.25",
        "stiffness: 3",
        "kind: spring",
        "kind: actuator",
        "axis: y",
    ):
        assert word in source
    assert "damper" not in source


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(names, names, names)
@settings(max_examples=100, deadline=None)
def test_any_name_comes_back(body: str, joint: str, parameter: str) -> None:
    m = Mechanism(body)
    k = m.parameter(parameter, 2.0, unit=joint, description=body)
    if body == "ground":
        return
    b = m.body(body, mass=k, com=(0.1, 0, 0), inertia=(1, 1, 1))
    try:
        m.revolute(joint, m.ground, b, damping=k * 2, origin=(1, 0, 0))
        m.joint_law(body, joint, -k * m.q(joint))
        written = dumps(m)
    except MechanismError:
        return  # two things share a name
    assert describe(loads(written)) == describe(m)


def test_a_file_written_by_hand() -> None:
    m = loads(READABLE)
    d, d_dot = symbol("d", "local"), symbol("d_dot", "local")
    k, l0, c = (m.parameters[n].symbol for n in ("k", "l0", "felt.c"))
    assert m.forces["felt"].tension is k * (d - l0) + c * d_dot  # type: ignore[union-attr]
    assert m.forces["stop"].force is -k * m.q("hip") - m.v("hip")
    assert m.frames["tip"].origin[2] is -2 * l0
    assert m.states["x"].rate is (m.inputs["push"].symbol - m.states["x"].symbol) / 0.01
    assert m.parameters["k"].minimum == 0
    assert m.check() == []


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("mass: 1.2", "maas: 1.2", 6, "did you mean mass?"),
        ("bodies:", "body:", 5, "did you mean bodies?"),
        ("mass: 1.2", "mass: .nan", 6, "finite"),
        ("mass: 1.2", "mass: 1e999", 6, "fits a double"),
        ("mass: 1.2", "mass: [1]", 6, "found a list"),
        ("mass: 1.2", 'mass: "1 +"', 6, "column"),
        ("mass: 1.2", "mass: kk", 6, "did you mean k?"),
        ("mass: 1.2", "mass: {value: x}", 6, "expected a number"),
        ("com: [0, 0, -0.4]", "com: [0, 0]", 6, "3 entries"),
        ("com: [0, 0, -0.4]", "com: 3", 6, "a list of 3"),
        ("kind: revolute", "kind: hinge", 8, "joint kind among"),
        ("parent: ground", "parent: gruond", 8, "expected a body"),
        ("axis: y", "axis: w", 8, "axis"),
        ("axis: y", "axis: [0, 0, 0]", 8, "not all zero"),
        ("touchweight: 1", "touchweight: 2", 1, "format 1"),
        ("touchweight: 1", "tuchweight: 1", 1, "did you mean touchweight?"),
        ("l0: 0.1", "l0: 0.1, l0: 0.2", 4, "each key once"),
        ("kind: law", "kind: low", 18, "force kind among"),
        ("between: [tip, ground]", "between: [tip]", 18, "2 entries"),
        ("between: [tip, ground]", "between: [tap, ground]", 17, "expected a frame or body"),
        ("law: e = d", "law: e = dd", 19, "did you mean d"),
        ("law: -k*q - v", "law: max(q, 0)", 21, "comma in quotes"),
        ("push: {unit: N}", "k: {unit: N}", 1, "one meaning"),
        ("name: pendulum", "name: !!python/object:os.system x", 2, "tag"),
        ("name: pendulum", "name: {a: b}", 2, "expected text"),
        ("name: pendulum", "name: 'open", 2, "YAML"),
        ("name: pendulum", "\tname: x", 2, "YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, says: str) -> None:
    assert old in READABLE
    with pytest.raises(FileError) as caught:
        loads(READABLE.replace(old, new, 1), "m.yaml")
    message = str(caught.value)
    assert says in message
    assert message.startswith("m.yaml:"), message
    assert abs((caught.value.line or 0) - line) <= 1, message
    assert "\n" not in message


def test_an_alias_stands_for_what_it_names() -> None:
    m = loads(
        "touchweight: 1\nbodies:\n  a: &same {mass: 1, inertia: [1, 1, 1]}\n  b: *same\n"
        "joints:\n  ja: {kind: revolute, parent: ground, child: a}\n"
        "  jb: {kind: revolute, parent: a, child: b}\n"
    )
    assert m.parameters["a.mass"].value == m.parameters["b.mass"].value == 1


def test_saving_refuses_what_it_cannot_say(tmp_path: Path) -> None:
    m = pendulum()
    m.joint_law("odd", "hip", symbol("stranger"))
    with pytest.raises(MechanismError, match="stranger"):
        dumps(m)
    m = pendulum()
    m.parameters["arm.mass"].value = math.inf
    with pytest.raises(MechanismError, match="finite"):
        dumps(m)
    with pytest.raises(FileError):
        save(pendulum(), tmp_path / "nowhere" / "m.yaml")

# ruff: noqa: E501 (a table reads better in long lines)
"""URDF: robots weigh and stand as other codes say; what is not read is named."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from posture import gathered, tensor, values
from sameness import describe

from touchweight.errors import FileError
from touchweight.mechanism import Loop, Mechanism, load_urdf
from touchweight.mechanism.yaml_format import dumps, loads

ROBOT = """<?xml version="1.0"?>
<robot name="two arms">
  <link name="base"/>
  <link name="upper">
    <visual><geometry><box size="1 1 1"/></geometry></visual><visual/><collision/>
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>
      <mass value="2"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/>
    </inertial>
  </link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="finger"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/>
    <calibration rising="0"/><safety_controller k_velocity="1"/>
  </joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><limit lower="-1" upper="1" effort="4"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="finger"/><axis xyz="0 1 0"/>
    <mimic joint="elbow" multiplier="2" offset="0.5"/></joint>
  <joint name="weld" type="fixed"><parent link="finger"/><child link="tip"/><origin xyz="0 1e-17 0.1"/></joint>
  <transmission/><gazebo/><gazebo/><material name="x"/><sensor/><constraint/><loop_joint/><whatever/>
</robot>"""


def read(tmp_path: Path, text: str = ROBOT, **options: bool) -> Mechanism:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return load_urdf(path, **options)


def test_a_robot_is_read(tmp_path: Path) -> None:
    m = read(tmp_path)
    assert m.name == "two arms"
    assert list(m.bodies) == ["base", "upper", "lower", "finger", "tip"]
    assert list(m.joints) == ["root", "shoulder", "elbow", "slide", "weld"]
    assert [j.kind for j in m.joints.values()] == ["fixed", "revolute", "revolute", "prismatic", "fixed"]
    assert m.joints["shoulder"].axis == (0, 0, 1)
    assert m.joints["elbow"].axis == (1, 0, 0)  # what URDF says when nothing is said
    shoulder, elbow = m.joints["shoulder"].limits, m.joints["elbow"].limits
    assert shoulder is not None and (shoulder.lower, shoulder.upper, shoulder.velocity, shoulder.effort) == (
        -1,
        2,
        3,
        4,
    )
    assert elbow is not None and (elbow.lower, elbow.effort) == (None, 4)
    mimic = m.joints["slide"].mimic
    assert mimic is not None and (mimic.joint, mimic.multiplier, mimic.offset) == ("elbow", 2, 0.5)
    assert set(m.forces) == {"shoulder.damper", "shoulder.dry_friction"}
    assert m.joints["weld"].origin[1] is m.ground.com[1]  # dust is zero
    assert m.check() == []


def test_inertia_is_turned_into_the_axes_of_the_link(tmp_path: Path) -> None:
    m = read(tmp_path)
    r, p, y = 0.1, 0.2, 0.3
    turn = (
        np.array([[math.cos(y), -math.sin(y), 0], [math.sin(y), math.cos(y), 0], [0, 0, 1]])
        @ np.array([[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]])
        @ np.array([[1, 0, 0], [0, math.cos(r), -math.sin(r)], [0, math.sin(r), math.cos(r)]])
    )
    given = np.array([[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]])
    assert np.allclose(tensor(m, m.bodies["upper"]), turn @ given @ turn.T)
    assert np.allclose(values(m, m.bodies["upper"].com), [0.1, 0.2, 0.3])


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    m = read(tmp_path)
    assert "ignored 2 <visual> elements: geometry is not used by the dynamics" in m.remarks
    said = "\n".join(m.remarks)
    for word in ("<collision>", "<transmission>", "2 <gazebo>", "<material>", "<sensor>", "<constraint>", "<loop_joint>",
                 "this kind of loop is not read", "<whatever>", "<calibration>", "<safety_controller>", "1e-12 m"):  # fmt: skip
        assert word in said, word


BALL = """<drake:ball_constraint><drake:ball_constraint_body_A name="lower"/><drake:ball_constraint_body_B name="tip"/>
  <drake:ball_constraint_p_AP value="0 0.1 1e-15"/><drake:ball_constraint_p_BQ value="0.4 0.5 0.6"/></drake:ball_constraint>"""


def test_ball_constraints_of_drake_are_loops(tmp_path: Path) -> None:
    m = read(tmp_path, ROBOT.replace("<whatever/>", BALL + BALL))
    assert list(m.loops) == ["ball_constraint", "ball_constraint_2"]
    loop = m.loops["ball_constraint"]
    assert isinstance(loop, Loop)
    assert (loop.kind, loop.a.body.name, loop.b.body.name) == ("ball", "lower", "tip")
    assert np.allclose(values(m, loop.a.origin), [0, 0.1, 0])
    assert np.allclose(values(m, loop.b.origin), [0.4, 0.5, 0.6])
    assert not any("ball_constraint" in r for r in m.remarks)
    assert [p for p in m.check() if p.severity == "error"] == []
    assert describe(loads(dumps(m))) == describe(m)


def test_free_flying_and_passive(tmp_path: Path) -> None:
    m = read(tmp_path, free_flying=True, passive=False)
    assert m.joints["root"].kind == "free"
    assert len(m.speeds) == 9
    assert m.forces == {}
    m = read(tmp_path, ROBOT.replace('"shoulder"', '"root"'), free_flying=True)
    assert list(m.joints)[:2] == ["root_2", "root"]


def test_xacro_is_sent_back(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"robot\.urdf:4: .*expand it first"):
        read(tmp_path, ROBOT.replace('<link name="upper">', '<link name="${prefix}upper">'))


# -- robots of other people ------------------------------------------------------------------------------


def robots() -> dict[str, Path]:
    from touchweight.bench.rivals import MissingRival
    from touchweight.bench.robots import all_urdfs

    try:
        return all_urdfs()
    except MissingRival:
        return {}


ROBOTS = robots()
needs_robots = pytest.mark.skipif(not ROBOTS, reason="example-robot-data is not installed")

#: files of the collection that are not sound URDF: no other reader takes them either
BROKEN = {
    "falcon_description/urdf/falcon.urdf": "expected a <link> of the robot as child, found 'Z_propeller'",
    "ur_description/urdf/ur3.urdf": "expected at least one <link>",
}
#: robots with joints that move no mass: their mass matrix is singular
SINGULAR = {
    "bluevolta_description/urdf/bluevolta_bravo7_gripper.urdf",
    "bravo7_description/urdf/bravo7_gripper.urdf",
    "falcon_description/urdf/falcon_bravo7_gripper.urdf",
    "romeo_description/urdf/romeo.urdf",
    "romeo_description/urdf/romeo_laas_small.urdf",
}


@needs_robots
def test_the_robots_of_example_robot_data_are_read() -> None:
    for name, path in ROBOTS.items():
        if name in BROKEN:
            with pytest.raises(FileError) as caught:
                load_urdf(path)
            assert BROKEN[name] in str(caught.value)
            continue
        m = load_urdf(path)
        errors = [str(p) for p in m.check() if p.severity == "error"]
        assert bool(errors) == (name in SINGULAR), (name, errors)
        assert all("move some mass" in e for e in errors), (name, errors)


@needs_robots
@pytest.mark.parametrize("name", sorted(set(ROBOTS) - set(BROKEN)))
def test_robots_weigh_what_pinocchio_says(name: str) -> None:
    pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is the oracle of this test")
    try:
        model = pin.buildModelFromUrdf(str(ROBOTS[name]), pin.JointModelFreeFlyer())
    except ValueError:
        pytest.skip("Pinocchio does not read this robot")
    data = model.createData()
    m = load_urdf(ROBOTS[name], free_flying=True)
    assert len(m.speeds) == model.nv
    rest = [1.0 if c.endswith(".qw") else 0.0 for c in m.coordinates]
    total, centre, inertia = gathered(m, rest)
    q = pin.neutral(model)
    pin.ccrba(model, data, q, np.zeros(model.nv))
    pin.centerOfMass(model, data, q)
    assert total == pytest.approx(data.mass[0], rel=1e-9)
    assert np.allclose(centre, data.com[0], atol=1e-9)
    assert np.allclose(inertia, data.Ig.inertia, atol=1e-8 * max(1.0, np.abs(inertia).max()))


@needs_robots
@pytest.mark.parametrize("name", sorted(SINGULAR & set(ROBOTS)))
def test_speeds_that_move_no_mass_are_those_of_pinocchio(name: str) -> None:
    pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is the oracle of this test")
    model = pin.buildModelFromUrdf(str(ROBOTS[name]))
    mass = pin.crba(model, model.createData(), pin.randomConfiguration(model))
    idle = {model.names[j] for j in range(1, model.njoints) if mass[model.idx_vs[j], model.idx_vs[j]] < 1e-15}
    told = {str(p).split("'")[1] for p in load_urdf(ROBOTS[name]).check() if "none moved by" in p.what}
    assert told == idle


@needs_robots
@pytest.mark.parametrize(
    "name", [n for n in ROBOTS if any(k in n for k in ("panda.urdf", "solo12", "talos_reduced.urdf"))]
)
def test_robots_come_back_from_yaml(name: str) -> None:
    m = load_urdf(ROBOTS[name], free_flying=True)
    back = loads(dumps(m))
    assert describe(back) == describe(m)

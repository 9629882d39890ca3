# ruff: noqa: E501 (a table reads better in long lines)
"""MJCF: masses, inertias, positions and coordinates are MuJoCo's own; what is not read is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from posture import frame_posture, posture, tensor, values

from touchweight.errors import FileError
from touchweight.mechanism.mjcf import load_mjcf

MODELS = {
    "pendulum": """
<mujoco model="pendulum">
  <option gravity="0 0 -1.62"/>
  <worldbody>
    <body name="arm" pos="0 0 1" euler="0 30 0">
      <joint name="hip" axis="0 1 0" damping="0.1" stiffness="3" springref="10" frictionloss="0.2" armature="0.01"
             range="-90 45" ref="20"/>
      <inertial pos="0 0 -0.4" mass="1.2" diaginertia="0.07 0.07 0.001" quat="1 0.2 0 0"/>
      <site name="tip" pos="0 0 -0.8" zaxis="1 0 0"/>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="hip" gear="50" ctrlrange="-2 2"/></actuator>
</mujoco>""",
    "shapes": """
<mujoco>
  <compiler angle="radian" eulerseq="ZYX"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="a" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
      <freejoint name="fly"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.05 0 0" density="500"/>
      <geom size="0.1" pos="0 0.3 0" mass="2"/>
      <geom type="capsule" size="0.05 0.2" axisangle="1 1 0 0.7" pos="0 0 0.4"/>
      <body name="b" pos="0.5 0 0" quat="0.7 0 0.7 0.1">
        <joint name="ball" type="ball" pos="0.1 0 -0.2"/>
        <geom type="cylinder" fromto="0 0 0 0.3 0.1 0.2" size="0.04"/>
        <geom type="ellipsoid" size="0.1 0.15 0.2" zaxis="0.1 1 0.3" pos="0.1 0.1 0.1"/>
        <geom type="capsule" fromto="0.1 0 0 0.1 0.4 0" size="0.03" mass="0.7"/>
        <geom type="box" fromto="0 0 0 0 0 0.5" size="0.04"/>
        <geom type="ellipsoid" fromto="0 0 0 0 0.2 0.5" size="0.04"/>
        <geom type="box" size="1 1 1" mass="0"/>
        <geom type="box" size="1 1 1" group="7" mass="0"/>
        <site name="along" fromto="0 0 0 0.1 0.2 0.3" size="0.01" type="capsule"/>
        <site name="flat" xyaxes="0 1 0 0.2 0.3 1" pos="0.1 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>""",
    "chain of joints": """
<mujoco>
  <compiler angle="degree"/>
  <worldbody>
    <body name="base" pos="0 0 0.5">
      <joint name="x" type="slide" axis="1 0 0" ref="0.3"/>
      <joint name="y" type="slide" axis="0 1 0.5"/>
      <joint name="yaw" axis="0 0 1" pos="0.1 0.2 0" ref="30"/>
      <geom size="0.2"/>
      <body name="middle" pos="0 0 0.4" xyaxes="0 1 0 0 0 1">
        <geom type="box" size="0.1 0.1 0.2"/>
        <body pos="0.2 0 0.1">
          <joint name="elbow" pos="0 -0.1 0.2" axis="1 2 3"/>
          <joint name="twist" axis="0 0 1"/>
          <geom type="cylinder" size="0.05 0.2"/>
          <site pos="0 0 0.2"/>
        </body>
      </body>
      <body name="second" pos="-0.4 0 0">
        <joint type="ball" name="ball"/>
        <geom type="capsule" size="0.05 0.1"/>
      </body>
    </body>
    <body name="crate" pos="2 0 1" zaxis="0 1 1">
      <joint type="free" name="crate"/>
      <geom type="box" size="0.3 0.2 0.1"/>
      <site name="crate"/>
      <site name="yaw" pos="0 0 1"/>
    </body>
  </worldbody>
</mujoco>""",
    "defaults": """
<mujoco>
  <compiler autolimits="false" inertiagrouprange="0 2"/>
  <default>
    <geom type="capsule" size="0.05 0.1" density="700"/>
    <joint damping="0.5" axis="0 1 0"/>
    <motor gear="10"/>
    <default class="leg">
      <joint axis="1 0 0" armature="0.1" limited="true" range="-10 10"/>
      <geom rgba="1 0 0 1"/>
      <default class="foot"><geom type="sphere" size="0.1"/><joint damping="2"/></default>
    </default>
    <default class="visual"><geom group="3" mass="100" euler="0 90 0"/></default>
  </default>
  <worldbody>
    <body name="trunk" childclass="leg">
      <joint name="j1"/>
      <geom/>
      <geom class="visual"/>
      <body name="shin" pos="0 0 -0.3">
        <joint name="j2" class="foot" range="0 1"/>
        <geom class="foot"/>
        <frame pos="0 0.1 0" euler="0 0 90" childclass="foot">
          <geom pos="0.1 0 0"/>
          <site name="inside" pos="1 0 0"/>
          <frame axisangle="1 0 0 45"><body name="toe" pos="0.1 0 0"><joint name="j3" axis="0 0 1" pos="0 0 0.1"/><geom/></body></frame>
        </frame>
      </body>
    </body>
    <body name="other"><joint name="j4"/><geom/></body>
  </worldbody>
  <actuator><motor joint="j1"/><position joint="j2"/><motor joint="j2" name="m2" gear="-3" forcelimited="true" forcerange="-4 4"/></actuator>
</mujoco>""",
    "compiler": """
<mujoco>
  <compiler boundmass="0.3" boundinertia="0.02" balanceinertia="true" settotalmass="7" inertiafromgeom="auto"/>
  <worldbody>
    <body name="a"><joint name="ja"/><geom size="0.1" mass="0.1"/>
      <body name="b"><joint name="jb" axis="1 0 0"/><inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.1 0.5"/>
        <body name="c" pos="0 0 1"><joint name="jc" axis="0 1 0"/><geom type="box" size="0.5 0.2 0.1" pos="1 0 0" euler="10 20 30"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>""",
    "from geoms": """
<mujoco>
  <compiler inertiafromgeom="true"/>
  <worldbody>
    <body name="a"><joint name="ja"/><inertial pos="1 1 1" mass="5" diaginertia="1 1 1"/><geom size="0.1"/>
      <body name="b" pos="0 0 1"><geom type="box" size="0.1 0.2 0.3"/></body>
    </body>
  </worldbody>
</mujoco>""",
    "full inertia": """
<mujoco>
  <option><flag gravity="disable"/></option>
  <worldbody>
    <body name="a"><joint name="ja" type="slide"/><inertial pos="0.1 0 0" mass="5" fullinertia="1 2 2.5 0.1 -0.2 0.3"/></body>
  </worldbody>
</mujoco>""",
}  # fmt: skip


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "model.xml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", MODELS)
def test_masses_inertias_and_positions_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is the oracle of this test")
    theirs = mujoco.MjModel.from_xml_string(MODELS[name])
    ours = load_mjcf(written(tmp_path, MODELS[name]))
    assert len(ours.coordinates) == theirs.nq
    assert len(ours.speeds) == theirs.nv
    assert np.allclose(values(ours, ours.gravity), theirs.opt.gravity * (name != "full inertia"))
    data = mujoco.MjData(theirs)
    random = np.random.default_rng(3)
    names = [n for n in ours.bodies if not n.endswith("_carrier")]
    assert len(names) == theirs.nbody - 1
    for attempt in range(3):
        if attempt:
            data.qpos[:] = random.normal(size=theirs.nq)
            mujoco.mj_normalizeQuat(theirs, data.qpos)
        mujoco.mj_forward(theirs, data)
        pose = posture(ours, data.qpos)
        for i, body in enumerate(names, 1):
            r, p = pose[body]
            assert np.allclose(p, data.xpos[i], atol=1e-9), body
            assert np.allclose(r, data.xmat[i].reshape(3, 3), atol=1e-9), body
            b = ours.bodies[body]
            assert values(ours, [b.mass])[0] == pytest.approx(theirs.body_mass[i])
            assert np.allclose(p + r @ values(ours, b.com), data.xipos[i], atol=1e-9), body
            axes = data.ximat[i].reshape(3, 3)
            want = axes @ np.diag(theirs.body_inertia[i]) @ axes.T
            assert np.allclose(r @ tensor(ours, b) @ r.T, want, atol=1e-9), body
        for i, frame in enumerate(ours.frames.values()):
            r, p = frame_posture(ours, frame, pose)
            assert np.allclose(p, data.site_xpos[i], atol=1e-9), frame.name
            assert np.allclose(r, data.site_xmat[i].reshape(3, 3), atol=1e-9), frame.name


@pytest.mark.parametrize("name", MODELS)
def test_joints_start_and_are_limited_as_in_mujoco(name: str, tmp_path: Path) -> None:
    mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is the oracle of this test")
    theirs = mujoco.MjModel.from_xml_string(MODELS[name])
    ours = load_mjcf(written(tmp_path, MODELS[name]))
    moving = [j for j in ours.joints.values() if j.speeds]
    start = []
    for j, joint in enumerate(moving):
        rest = (1.0, 0.0, 0.0, 0.0) if joint.kind == "spherical" else (0.0,)
        start += list(joint.initial or rest)
        if theirs.jnt_limited[j]:
            assert joint.limits is not None
            assert np.allclose([joint.limits.lower, joint.limits.upper], theirs.jnt_range[j])
        else:
            assert joint.limits is None
        dof = theirs.jnt_dofadr[j]
        assert values(ours, [joint.armature])[0] == pytest.approx(theirs.dof_armature[dof])
        force = ours.forces.get(f"{joint.speeds[0]}.damper")
        assert (force is not None) == (theirs.dof_damping[dof].any() > 0)
    assert np.allclose(start, theirs.qpos0)


def test_springs_and_motors(tmp_path: Path) -> None:
    m = load_mjcf(written(tmp_path, MODELS["pendulum"]))
    value = {k: p.value for k, p in m.parameters.items()}
    assert value["hip.stiffness"] == 3
    assert value["hip.rest"] == pytest.approx(np.radians(10))
    assert value["hip.friction"] == 0.2
    assert value["drive.gear"] == 50
    assert value["drive.limit"] == 100
    assert m.check() == []
    calm = load_mjcf(written(tmp_path, MODELS["pendulum"]), passive=False)
    assert list(calm.forces) == ["drive.force"]
    m = load_mjcf(written(tmp_path, MODELS["defaults"]))
    assert m.parameters["m2.limit"].value == 12
    assert m.parameters["j1_motor.gear"].value == 10
    assert any("<position>" in r for r in m.remarks)


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    m = load_mjcf(
        written(
            tmp_path,
            """<mujoco><asset><mesh name="m" file="../../etc/passwd"/></asset><visual/>
            <option timestep="0.1" wind="1 0 0" density="0"/>
            <worldbody><light/><camera/><body name="base"><geom type="mesh" mesh="m"/>
              <body name="a"><joint springdamper="0.1 1"/><geom size="1"/></body></body></worldbody>
            <equality><distance geom1="x" geom2="y"/></equality><tendon><spatial/></tendon>
            <contact><exclude body1="a" body2="a"/></contact><sensor><gyro/></sensor>
            <keyframe><key/></keyframe></mujoco>""",
        )
    )
    said = "\n".join(m.remarks)
    for word in ("<mesh>", "<visual>", "timestep", "wind", "<light>", "<camera>", "springdamper", "<distance>",
                 "<spatial>", "<exclude>", "<gyro>", "<key>", "<geom>"):  # fmt: skip
        assert word in said, word
    assert "density" not in said
    assert all("\n" not in r for r in m.remarks)


def _model(inside: str, before: str = "") -> str:
    return f"<mujoco>{before}<worldbody><body name='a'>{inside}</body></worldbody></mujoco>"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (_model("<joint/><geom type='mesh' mesh='m'/>"), "<inertial>"),
        (_model("<joint/><geom type='box' size='1 1'/>"), "numbers"),
        (_model("<joint/><geom type='box' size='1 1 -1'/>"), "above zero"),
        (_model("<joint/><geom size='1' mass='-1'/>"), "zero or more"),
        (_model("<joint/><geom type='blob' size='1'/>"), "blob"),
        (_model("<joint/><geom size='1' shellinertia='true'/>"), "solid"),
        (_model("<joint/><geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"), "two points"),
        (_model("<joint type='screw'/>"), "screw"),
        (_model("<joint axis='0 0 0'/>"), "not all zero"),
        (_model("<joint class='x'/>"), "class of defaults"),
        (_model("<joint name='j'/><joint name='j'/>"), "each joint name once"),
        (_model("<body name='a'/>"), "each body name once"),
        (_model("<freejoint/><joint/>"), "alone"),
        (_model("<body><freejoint/></body>"), "further out"),
        (_model("<inertial pos='0 0 0'/>"), "'mass'"),
        (_model("<inertial mass='1'/>"), "'pos'"),
        (_model("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"), "both"),
        (_model("<inertial pos='0 0 0' mass='nan'/>"), "finite"),
        (_model("<inertial pos='0 0 0' mass='1'/><inertial pos='0 0 0' mass='1'/>"), "one <inertial>"),
        (_model("<geom euler='0 0 0' quat='1 0 0 0'/>"), "one orientation"),
        (_model("<geom quat='0 0 0 0' size='1'/>"), "non-zero"),
        (_model("<composite/>"), "plain bodies"),
        (_model("<replicate count='3'/>"), "plain bodies"),
        (_model("", "<compiler angle='turns'/>"), "degree, radian"),
        (_model("", "<compiler eulerseq='xyw'/>"), "eulerseq"),
        (_model("", "<compiler coordinate='global'/>"), "local"),
        (_model("", "<default><default class='x'/><default class='x'/></default>"), "again"),
        (_model("", "<default><default/></default>"), "'class'"),
        (_model("", "<nonsense/>"), "section"),
        ("<mujoco/>", "<worldbody>"),
        ("<mujoco><worldbody><joint/></worldbody></mujoco>", "no joints"),
        ("<robot/>", "<mujoco>"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        load_mjcf(written(tmp_path, text))
    assert says in str(caught.value)
    assert "model.xml:1:" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_included_files_are_read_in_place(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        "<mujocoinclude><body name='arm'><joint name='hip'/><geom size='1'/><include file='parts/hand.xml'/></body></mujocoinclude>"
    )
    (tmp_path / "parts" / "hand.xml").write_text(
        "<x><body name='hand'><joint name='wrist'/><geom size='0.1'/></body></x>"
    )
    m = load_mjcf(written(tmp_path, "<mujoco><worldbody><include file='parts/arm.xml'/></worldbody></mujoco>"))
    assert list(m.bodies) == ["arm", "hand"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("/etc/passwd", "relative"), ("../outside.xml", "inside the folder"), ("a/../../outside.xml", "inside the folder"),
        ("C:x.xml", "relative"), ("..\\outside.xml", "relative"), ("missing.xml", "nothing there"), ("", "'file'"),
        ("model.xml", "once"), ("loop.xml", "once"), ("link.xml", "inside the folder"), (".", "folder"),
        ("bad.xml", "bad.xml:1"), ("x" * 5000, "path"),
    ],
)  # fmt: skip
def test_includes_stay_in_their_folder(name: str, says: str, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "outside.xml").write_text("<x/>")
    (inner / "link.xml").symlink_to(tmp_path / "outside.xml")
    (inner / "loop.xml").write_text("<x><include file='loop.xml'/></x>")
    (inner / "bad.xml").write_text("<x><y></x>")
    path = written(inner, f"<mujoco><worldbody><include file='{name}'/></worldbody></mujoco>")
    with pytest.raises(FileError) as caught:
        load_mjcf(path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_chain_is_read_without_recursion(tmp_path: Path) -> None:
    count = 300
    text = "".join(f"<body pos='0 0 1'><joint name='j{k}' axis='0 1 0'/><geom size='0.1'/>" for k in range(count))
    m = load_mjcf(written(tmp_path, f"<mujoco><worldbody>{text}{'</body>' * count}</worldbody></mujoco>"))
    assert m.speeds == [f"j{k}" for k in range(count)]
    assert m.check() == []

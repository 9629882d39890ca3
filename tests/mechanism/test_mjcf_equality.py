# ruff: noqa: E501 (a table reads better in long lines)
"""Equality constraints of MJCF: what they hold together is what MuJoCo holds together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from posture import frame_posture, posture
from sameness import describe

from touchweight.errors import FileError
from touchweight.mechanism import Constraint, Loop, Mechanism
from touchweight.mechanism.mjcf import load_mjcf
from touchweight.mechanism.yaml_format import dumps, loads
from touchweight.symbolic import evaluate

MODELS = {
    "everything": """
<mujoco>
  <default><equality solimp="0.9 0.95 0.001"/><default class="off"><equality active="false"/></default></default>
  <worldbody>
    <site name="home" pos="0.1 0.1 0.1" euler="1 2 3"/>
    <body name="a" pos="0.1 0.2 0.3" euler="10 20 30">
      <joint name="j1" axis="0 1 0" ref="20" pos="0.1 0 0"/><geom size="0.1"/>
      <site name="s1" pos="0.1 0.2 0" euler="5 6 7"/>
      <body name="b" pos="0.3 0 0" euler="40 0 0">
        <joint name="j2" type="slide" ref="0.3"/><joint name="j3" pos="0 0.2 0" axis="1 1 0"/><geom size="0.1"/>
      </body>
    </body>
    <body name="ground" pos="0.5 0 0.3" euler="0 50 0">
      <freejoint/><geom size="0.1"/><site name="j1" pos="0 0.2 0" euler="50 6 7"/>
      <frame pos="0 0 0.1" euler="0 0 45"><body name="c" pos="0.1 0 0"><joint type="ball"/><geom size="0.1" pos="1 0 0"/></body></frame>
    </body>
  </worldbody>
  <equality>
    <connect name="bc" body1="b" body2="c" anchor="0.1 0.2 0.3"/>
    <connect body1="b" anchor="0.1 0.2 0.3"/>
    <connect body1="world" body2="c" anchor="0.1 0.2 0.3"/>
    <connect site1="s1" site2="j1" solref="0.1 1"/>
    <connect site1="s1" site2="home"/>
    <weld body1="b" body2="c"/>
    <weld body1="b" body2="ground" anchor="0.1 0.2 0.3" torquescale="0.5"/>
    <weld name="posed" body1="b" body2="c" anchor="0.1 0.2 0.3" relpose="1 2 3 2 0.1 0.2 0.3"/>
    <weld body1="b" relpose="1 2 3 0 0 0 0"/>
    <weld site1="j1" site2="home"/>
    <joint name="couple" joint1="j1" joint2="j2" polycoef="0.1 2 3 4 5"/>
    <joint joint1="j2" joint2="j3" polycoef="0 -2"/>
    <joint joint1="j2" joint2="j1"/>
    <joint joint1="j1" polycoef="0.3 2 3 4 5"/>
    <joint joint1="j3"/>
  </equality>
</mujoco>""",
    "four-bar": """
<mujoco>
  <worldbody>
    <body name="crank"><joint name="crank" axis="0 1 0"/><geom type="capsule" size="0.01" fromto="0 0 0 0 0 0.1"/>
      <body name="coupler" pos="0 0 0.1"><joint name="coupler" axis="0 1 0"/><geom type="capsule" size="0.01" fromto="0 0 0 0.3 0 0.1"/></body>
    </body>
    <body name="rocker" pos="0.3 0 0"><joint name="rocker" axis="0 1 0"/><geom type="capsule" size="0.01" fromto="0 0 0 0 0 0.2"/></body>
  </worldbody>
  <equality><connect name="knuckle" body1="coupler" body2="rocker" anchor="0.3 0 0.1"/></equality>
</mujoco>""",
    "mirrored hinges": """
<mujoco>
  <worldbody>
    <body name="left"><joint name="left" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
    <body name="right"><joint name="right" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
  </worldbody>
  <equality><joint joint1="left" joint2="right" polycoef="0.2 -1 0.3"/></equality>
</mujoco>""",
}  # fmt: skip


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "model.xml"
    path.write_text(text)
    return path


def residual(m: Mechanism, item: Loop | Constraint, q: Any) -> np.ndarray:
    """What is left of an equality, as MuJoCo measures it: a to b in world axes, and half the turn from b to a in b."""
    if isinstance(item, Constraint):
        at = {m.q(c): x for c, x in zip(m.coordinates, q, strict=True)}
        return np.array([evaluate(item.expression, at | {p.symbol: p.value for p in m.parameters.values()})])
    pose = posture(m, q)
    (ra, pa), (rb, pb) = (frame_posture(m, f, pose) for f in (item.a, item.b))
    if item.kind == "ball":
        return pa - pb
    turn = rb.T @ ra
    w = 0.5 * np.sqrt(max(0.0, 1.0 + np.trace(turn)))
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate([pa - pb, axis / (4.0 * w)])


def compare(mujoco: Any, theirs: Any, data: Any, ours: Mechanism) -> None:
    mujoco.mj_forward(theirs, data)
    items = list(ours.loops.values())
    assert len(items) == theirs.neq
    rows = np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    for k, item in enumerate(items):
        want = data.efc_pos[[r for r in rows if data.efc_id[r] == k]]
        got = residual(ours, item, data.qpos)
        assert want.shape == got.shape, item.name
        if isinstance(item, Loop) and item.kind == "body":
            scale = theirs.eq_data[k][10]  # torquescale: of the softness only
            assert np.allclose(want[:3], got[:3], atol=1e-9), item.name
            turned = want[3:] / scale
            assert np.allclose(turned, got[3:], atol=1e-8) or np.allclose(turned, -got[3:], atol=1e-8), item.name
        else:
            assert np.allclose(want, got, atol=1e-9), item.name


@pytest.mark.parametrize("name", MODELS)
def test_what_is_left_of_each_equality_is_what_mujoco_finds(name: str, tmp_path: Path) -> None:
    mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is the oracle of this test")
    theirs = mujoco.MjModel.from_xml_string(MODELS[name])
    ours = load_mjcf(written(tmp_path, MODELS[name]))
    data = mujoco.MjData(theirs)
    compare(mujoco, theirs, data, ours)
    random = np.random.default_rng(3)
    for _ in range(4):
        data.qpos[:] = random.normal(size=theirs.nq)
        mujoco.mj_normalizeQuat(theirs, data.qpos)
        compare(mujoco, theirs, data, ours)


@pytest.mark.parametrize("name", ["four-bar", "mirrored hinges"])
def test_where_mujoco_is_closed_we_are(name: str, tmp_path: Path) -> None:
    mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is the oracle of this test")
    theirs = mujoco.MjModel.from_xml_string(MODELS[name])
    ours = load_mjcf(written(tmp_path, MODELS[name]))
    data = mujoco.MjData(theirs)
    data.qpos[:] = np.random.default_rng(4).normal(size=theirs.nq) * 0.3
    for _ in range(30):  # Newton's method on their own rows
        mujoco.mj_forward(theirs, data)
        jacobian = np.zeros((data.nefc, theirs.nv))
        rows = data.efc_J.reshape(data.nefc, theirs.nv) if not mujoco.mj_isSparse(theirs) else None
        if rows is None:
            mujoco.mju_sparse2dense(jacobian, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
            rows = jacobian
        step, *_ = np.linalg.lstsq(rows[: data.ne], -data.efc_pos[: data.ne], rcond=1e-9)
        data.qpos += step
    mujoco.mj_forward(theirs, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12
    assert np.abs(data.qpos).max() > 0.05
    for item in ours.loops.values():
        assert np.abs(residual(ours, item, data.qpos)).max() < 1e-12


def test_a_random_pose_of_flying_bodies_can_be_welded(tmp_path: Path) -> None:
    """The pose that a weld asks for is where its residual is nothing, in both codes."""
    mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is the oracle of this test")
    text = """<mujoco><worldbody>
      <body name="a" pos="1 0 0" euler="10 20 30"><freejoint/><geom size="1"/></body>
      <body name="b" pos="0 1 0" euler="30 20 10"><freejoint/><geom size="1"/></body></worldbody>
      <equality><weld body1="a" body2="b" relpose="1 2 3 2 0.1 0.2 0.3" anchor="0.4 0.5 0.6"/></equality></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    ours = load_mjcf(written(tmp_path, text))
    data = mujoco.MjData(theirs)
    (loop,) = ours.loops.values()
    assert isinstance(loop, Loop)
    q = np.array(data.qpos)
    pose = posture(ours, q)
    (ra, pa), (rb, _) = (frame_posture(ours, f, pose) for f in (loop.a, loop.b))
    turned = ra @ rb.T @ pose["b"][0]
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, turned.flatten())
    q[7:10], q[10:14] = pa - turned @ [0.4, 0.5, 0.6], quaternion
    data.qpos[:] = q
    mujoco.mj_forward(theirs, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-9
    assert np.abs(residual(ours, loop, q)).max() < 1e-9


@pytest.mark.parametrize("name", MODELS)
def test_loops_are_sound_and_come_back_from_yaml(name: str, tmp_path: Path) -> None:
    m = load_mjcf(written(tmp_path, MODELS[name]))
    assert [p for p in m.check() if p.severity == "error"] == []
    assert describe(loads(dumps(m))) == describe(m)


def test_names_and_remarks(tmp_path: Path) -> None:
    m = load_mjcf(written(tmp_path, MODELS["everything"]))
    assert list(m.loops)[:4] == ["bc", "connect", "connect_2", "connect_3"]
    assert [x.kind for x in m.loops.values() if isinstance(x, Loop)] == ["ball"] * 5 + ["body"] * 5
    assert {"bc_a", "bc_b", "posed_a", "posed_b"} <= set(m.frames)
    assert m.loops["connect_3"].a is m.frames["s1"]  # type: ignore[union-attr]
    assert m.loops["connect_3"].b is m.frames["j1_site"]  # type: ignore[union-attr]
    assert m.parameters["couple.polycoef.2"].value == 3
    text = "\n".join(m.remarks)
    for word in ("1 solref attributes in <equality>: loops are exact here", "15 solimp", "1 torquescale"):
        assert word in text


def _model(equality: str) -> str:
    return f"""<mujoco><default><default class="off"><equality active="false"/></default></default><worldbody><site name="w"/>
    <body name="a"><joint name="j"/><geom size="1"/><site name="s"/><site name="bc_a"/></body>
    <body name="b"><joint name="k"/><geom size="1"/></body><body name="q"><freejoint name="f"/><geom size="1"/></body></worldbody>
    <equality>
    {equality}</equality></mujoco>"""


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    m = load_mjcf(
        written(
            tmp_path,
            _model(
                "<connect active='false' body1='a' anchor='0 0 0'/><weld class='off' body1='a'/><joint class='off' active='true' joint1='j'/>"
                "<distance geom1='x' geom2='y'/><tendon tendon1='t'/><flex flex='f'/><magic/>"
            ),
        )
    )
    assert list(m.loops) == ["joint"]
    text = "\n".join(m.remarks)
    for word in ("<connect> elements in <equality>: they are not active", "<weld> elements in <equality>: they are not", "<distance>",
                 "<tendon>", "<flex>", "<magic>", "only connect, weld and joint"):  # fmt: skip
        assert word in text


def test_frames_get_names_of_their_own(tmp_path: Path) -> None:
    m = load_mjcf(written(tmp_path, _model("<connect name='bc' body1='a' anchor='0 0 1'/>")))
    loop = m.loops["bc"]
    assert isinstance(loop, Loop)
    assert [loop.a.name, loop.b.name] == ["bc_a_2", "bc_b"]
    assert loop.b.body is m.ground


@pytest.mark.parametrize(
    ("equality", "says"),
    [
        ("<connect body1='a' site1='s' anchor='0 0 0'/>", "bodies or sites"),
        ("<weld site1='s' site2='w' relpose='0 0 0 1 0 0 0'/>", "bodies or sites"),
        ("<connect body1='zz' anchor='0 0 0'/>", "a body of the model as body1, found 'zz'"),
        ("<connect body1='a' body2='zz' anchor='0 0 0'/>", "a body of the model as body2, found 'zz'"),
        ("<connect body1='ground' anchor='0 0 0'/>", "found 'ground'"),
        ("<connect body1='a'/>", "'anchor'"),
        ("<connect anchor='0 0 0'/>", "'body1'"),
        ("<connect body1='a' anchor='0 0'/>", "3 numbers"),
        ("<connect body1='a' anchor='0 0 nan'/>", "finite"),
        ("<connect body1='a' body2='a' anchor='0 0 0'/>", "two bodies"),
        ("<connect body1='world' anchor='0 0 0'/>", "two bodies"),
        ("<connect site1='s'/>", "'site2'"),
        ("<connect site1='s' site2='zz'/>", "a site of the model as site2, found 'zz'"),
        ("<weld/>", "'body1'"),
        ("<weld body1='a' relpose='0 0 1'/>", "7 numbers"),
        ("<weld body1='a' active='maybe'/>", "true, false"),
        ("<weld body1='a' class='ghost'/>", "class of defaults"),
        ("<joint/>", "'joint1'"),
        ("<joint joint1='f'/>", "a hinge or slide as joint1, found 'f' (free)"),
        ("<joint joint1='zz'/>", "a joint of the model as joint1, found 'zz'"),
        ("<joint joint1='j' joint2='zz'/>", "a joint of the model as joint2"),
        ("<joint joint1='j' joint2='j'/>", "two joints"),
        ("<joint joint1='j' polycoef='0 1 2 3 4 5'/>", "numbers"),
        ("<weld name='e' body1='a'/><joint name='e' joint1='j'/>", "each equality name once"),
    ],
)
def test_what_is_wrong_is_one_line(equality: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        load_mjcf(written(tmp_path, _model(equality)))
    assert says in str(caught.value)
    assert "model.xml:5:" in str(caught.value)
    assert "\n" not in str(caught.value)

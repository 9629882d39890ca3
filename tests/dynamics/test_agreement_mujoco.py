"""Models in MJCF against MuJoCo: mass matrix, inverse and direct dynamics, Jacobians of sites.

Constraints (contacts, limits, dry friction) are switched off there: the motion of the tree is compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluation import Array, PythonModel, by_diagonal, by_speed, relative
from mechanisms import States, random_states

import touchweight as tw

mujoco = pytest.importorskip("mujoco")

TOLERANCE = 1e-9
COUNT = 20

FREE_OF_CONSTRAINTS = '<option gravity="0.3 -0.2 -9.7"><flag constraint="disable" contact="disable"/></option>'

MODELS = {
    "chain of hinges": """
      <compiler angle="radian"/>
      <worldbody><body name="a" pos="0 0 1">
        <joint name="j0" axis="0 0 1"/><inertial pos=".1 0 .2" mass="1.2" diaginertia=".02 .03 .04"/>
        <body name="b" pos=".3 0 0" euler="0 .4 1.2">
          <joint name="j1" axis="0 1 0" damping=".3"/>
            <inertial pos="0 .1 0" mass=".8" diaginertia=".01 .02 .02"/>
          <body name="c" pos="0 0 .4" quat=".8 .1 -.5 .2">
            <joint name="j2" axis="1 2 3" armature=".05"/>
            <inertial pos=".1 .2 .3" quat=".5 .5 .1 -.3" mass=".5" diaginertia=".01 .012 .015"/>
            <site name="tip" pos=".1 0 .3" euler=".2 .3 .4"/>
          </body></body></body></worldbody>""",
    "degrees, offsets and references": """
      <compiler angle="degree" eulerseq="zyx"/>
      <worldbody><body name="a" pos=".1 .2 .3" euler="30 -20 50">
        <joint name="j0" type="hinge" axis="1 0 1" pos=".1 -.1 .2" ref="25" stiffness="3" springref="40"
               damping=".1"/>
        <inertial pos="0 0 .1" mass="2" fullinertia=".05 .06 .07 .001 -.002 .003"/>
        <body name="b" pos="0 .3 0" axisangle="1 1 0 70">
          <joint name="j1" type="slide" axis="0 2 1" ref=".1" stiffness="20" springref=".05"/>
          <inertial pos=".1 0 0" mass="1" diaginertia=".01 .01 .01"/>
          <site name="tip" pos=".2 .2 .2"/>
        </body></body></worldbody>""",
    "several joints in one body": """
      <compiler angle="radian"/>
      <worldbody><body name="cart" pos="0 0 .5" euler=".1 .2 .3">
        <joint name="x" type="slide" axis="1 0 0" pos=".3 .1 0"/>
        <joint name="y" type="slide" axis="0 1 .5" damping="1"/>
        <joint name="turn" type="hinge" axis="0 0 1" pos=".2 -.1 .4" armature=".02"/>
        <joint name="nod" type="hinge" axis="0 1 0" pos="-.1 .2 .1"/>
        <inertial pos=".05 .1 0" mass="3" diaginertia=".1 .2 .25"/>
        <body name="arm" pos="0 .2 .1">
          <joint name="swing" type="hinge" axis="1 1 0" pos="0 0 .3"/>
          <joint name="ball" type="ball" pos=".1 .1 .1"/>
          <inertial pos=".1 .2 .3" mass="1" diaginertia=".02 .03 .03"/>
          <site name="tip" pos=".3 .1 .2" quat=".7 .1 .1 .7"/>
        </body></body></worldbody>""",
    "balls": """
      <worldbody><body name="a" pos="0 0 1" euler="10 20 30">
        <joint name="s0" type="ball" damping=".2" armature=".03"/>
        <inertial pos=".1 .2 -.3" mass="1" diaginertia=".02 .03 .04"/>
        <body name="b" pos=".3 .1 -.2" euler="40 50 60"><joint name="s1" type="ball" pos="0 .1 .1"/>
          <inertial pos="0 .1 .2" mass="1.5" fullinertia=".03 .04 .05 .001 .002 .003"/>
          <body name="c" pos="0 0 .5"><joint name="s2" type="ball"/>
            <inertial pos="0 .1 0" mass=".4" diaginertia=".01 .01 .01"/><site name="tip" pos="0 .2 .1"/>
          </body></body></body></worldbody>""",
    "flying tree": """
      <compiler angle="radian"/>
      <worldbody><body name="torso" pos="0 0 1.4" euler=".3 0 0"><freejoint name="root"/>
        <inertial pos=".02 -.01 .1" mass="8" fullinertia=".3 .25 .2 .01 .02 -.01"/>
        <site name="imu" pos=".1 .1 .1" euler="1 0 0"/>
        <body name="left hip" pos="0 .1 -.2"><joint name="l1" axis="1 0 0"/>
          <inertial pos="0 0 -.1" mass="1" diaginertia=".01 .01 .005"/>
          <body name="left shin" pos="0 0 -.3"><joint name="l2" axis="0 1 0"/>
            <inertial pos="0 0 -.15" mass=".7" diaginertia=".008 .008 .002"/>
              <site name="tip" pos="0 0 -.3"/></body></body>
        <body name="right hip" pos="0 -.1 -.2"><joint name="r1" type="ball"/>
          <inertial pos="0 0 -.1" mass="1" diaginertia=".01 .01 .005"/>
          <body name="right foot" pos="0 0 -.4" euler="0 .2 0"><joint name="r2" type="slide" axis="0 0 1"/>
            <inertial pos=".03 0 0" mass=".5" diaginertia=".004 .004 .004"/></body></body>
        <body name="backpack" pos="-.2 0 .1" euler=".1 .2 .3">
          <inertial pos="0 0 0" mass="2" diaginertia=".02 .03 .04"/></body>
      </body></worldbody>""",
    "two that fly": """
      <worldbody>
        <body name="a" pos="0 0 1"><joint name="fa" type="free" armature=".1"/>
          <geom type="box" size=".1 .2 .3" density="500"/>
          <site name="tip" pos=".1 .2 .3"/></body>
        <body name="post" pos="1 0 0"><joint name="p" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 1" size=".05"/></body>
        <body name="b" pos="0 1 1" euler="20 30 40"><freejoint name="fb"/>
          <geom type="sphere" size=".2" pos=".1 0 0"/></body>
      </worldbody>""",
    "inertia from geoms": """
      <compiler angle="degree" inertiafromgeom="true"/>
      <default><geom density="700"/><default class="steel"><geom density="7800" rgba=".5 .5 .5 1"/>
        </default></default>
      <worldbody><body name="a" pos="0 0 1"><joint name="j0" axis="0 1 0"/>
        <geom type="box" size=".1 .05 .2" pos=".1 0 0" euler="10 20 30"/>
        <geom class="steel" type="cylinder" size=".03 .1" pos="0 .1 0" euler="90 0 0"/>
        <body name="b" pos=".2 0 0" childclass="steel"><joint name="j1" axis="1 0 0"/>
          <geom type="ellipsoid" size=".05 .08 .1"/>
            <geom type="capsule" fromto="0 0 0 .1 .2 .3" size=".02" mass=".4"/>
          <body name="c" pos="0 0 .2"><joint name="j2" axis="0 0 1"/>
            <geom type="sphere" size=".07" pos="0 .1 0"/><site name="tip" pos="0 .3 0"/>
          </body></body></body></worldbody>""",
    "frames and nested defaults": """
      <compiler angle="degree"/>
      <default><joint damping=".4" armature=".01"/><default class="loose"><joint damping="0"/></default>
        </default>
      <worldbody><frame pos=".1 .2 .3" euler="0 0 45">
        <body name="a" pos="0 0 1" childclass="loose"><joint name="j0" axis="0 1 0"/>
          <inertial pos="0 0 .1" mass="1" diaginertia=".01 .01 .01"/>
          <frame pos="0 .1 0" euler="90 0 0">
            <body name="b" pos="0 0 .3"><joint name="j1" axis="1 0 0" damping=".2"/>
              <inertial pos="0 .1 0" mass="1" diaginertia=".01 .02 .02"/><site name="tip" pos="0 0 .2"/>
                </body>
          </frame></body></frame></worldbody>""",
}


class Comparison:
    """A model here and in MuJoCo, at the same states."""

    def __init__(self, xml: str, folder: Path, model: type[tw.Model] = PythonModel) -> None:
        text = f"<mujoco model='test'>{FREE_OF_CONSTRAINTS}{xml}</mujoco>"
        file = folder / "model.xml"
        file.write_text(text, encoding="utf-8")
        self.mechanism = tw.load(file)
        self.model = model(self.mechanism)
        self.theirs = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.theirs)
        self.states = random_states(self.mechanism, COUNT, seed=1)

    def at(self, i: int) -> Any:
        """MuJoCo at the i-th state, positions and velocities worked out."""
        s, d = self.states, self.data
        d.qpos[:], d.qvel[:], d.qacc[:] = s.q[i], s.v[i], s.a[i]
        d.qfrc_applied[:] = s.tau[i]
        mujoco.mj_fwdPosition(self.theirs, d)
        mujoco.mj_fwdVelocity(self.theirs, d)
        return d

    def mass_matrix(self, i: int) -> Array:
        d = self.at(i)
        out = np.zeros((self.theirs.nv, self.theirs.nv))
        for k, unit in enumerate(np.eye(self.theirs.nv)):
            mujoco.mj_mulM(self.theirs, d, out[k], unit)
        return out

    def inverse(self, i: int) -> Array:
        d = self.at(i)
        mujoco.mj_inverse(self.theirs, d)
        return np.array(d.qfrc_inverse)

    def forward(self, i: int) -> Array:
        d = self.at(i)
        mujoco.mj_forward(self.theirs, d)
        return np.array(d.qacc)

    def jacobian(self, i: int, site: str) -> Array:
        d = self.at(i)
        out = np.zeros((6, self.theirs.nv))
        index = mujoco.mj_name2id(self.theirs, mujoco.mjtObj.mjOBJ_SITE, site)
        mujoco.mj_jacSite(self.theirs, d, out[:3], out[3:], index)
        return out

    def check(self, s: States) -> None:
        model, each = self.model, range(COUNT)
        site = "tip"
        errors = {
            "mass matrix": by_diagonal(model.mass_matrix(s.q), np.array([self.mass_matrix(i) for i in each])),
            "inverse": by_speed(model.inverse(s.q, s.v, s.a), np.array([self.inverse(i) for i in each])),
            "forward": relative(model.forward(s.q, s.v, s.tau), np.array([self.forward(i) for i in each])),
            "jacobian": relative(model.jacobian(site, s.q), np.array([self.jacobian(i, site) for i in each])),
        }
        print({name: f"{error:.1e}" for name, error in errors.items()})
        assert {n: e for n, e in errors.items() if not e < TOLERANCE} == {}


@pytest.mark.parametrize("name", MODELS)
def test_generated_python_agrees(name: str, tmp_path: Path) -> None:
    comparison = Comparison(MODELS[name], tmp_path)
    assert (comparison.theirs.nq, comparison.theirs.nv) == (comparison.model.nq, comparison.model.nv)
    comparison.check(comparison.states)


@pytest.mark.parametrize("name", ["several joints in one body", "flying tree"])
def test_machine_code_agrees(name: str, tmp_path: Path) -> None:
    comparison = Comparison(MODELS[name], tmp_path, tw.Model)
    comparison.check(comparison.states)


@pytest.mark.parametrize("name", MODELS)
def test_sites_and_energies_agree(name: str, tmp_path: Path) -> None:
    """Where sites are, and kinetic and gravitational energy."""
    comparison = Comparison(MODELS[name], tmp_path)
    m, s = comparison.mechanism, comparison.states
    m.sensor("place", "position", "tip")
    m.sensor("axes", "orientation", "tip")
    model = PythonModel(m)
    readings, energy = model.sensors(s.q, s.v), model.energy(s.q, s.v)
    site = mujoco.mj_name2id(comparison.theirs, mujoco.mjtObj.mjOBJ_SITE, "tip")
    for i in range(COUNT):
        d = comparison.at(i)
        mujoco.mj_energyPos(comparison.theirs, d)
        mujoco.mj_energyVel(comparison.theirs, d)
        assert readings["place"][i] == pytest.approx(d.site_xpos[site], abs=1e-12)
        assert readings["axes"][i].ravel() == pytest.approx(d.site_xmat[site], abs=1e-12)
        potential, kinetic = d.energy
        assert energy.kinetic[i] == pytest.approx(kinetic, rel=1e-11)
        assert energy.potential[i] == pytest.approx(potential, rel=1e-11, abs=1e-11)

"""Pinocchio's numbers for a robot, brought to our coordinates.

A free joint here has q = (x, y, z, qw, qx, qy, qz) and v = (velocity of the origin in the parent's axes,
angular velocity in the body's); Pinocchio's has q = (x, y, z, qx, qy, qz, qw) and both velocities in the
body's axes. With v_theirs = T v_ours: tau_ours = Tᵀ tau_theirs, M_ours = Tᵀ M_theirs T, J_ours = J_theirs T,
and the linear acceleration changes by ω × v besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchweight.mechanism import Mechanism

Array = NDArray[np.float64]


class PinocchioOracle:
    """A URDF in Pinocchio; every method takes one state in our coordinates and answers in our coordinates."""

    def __init__(self, pin: Any, urdf: Path, mechanism: Mechanism) -> None:
        self.pin = pin
        root = next((j for j in mechanism.joints.values() if j.kind == "free"), None)
        names = (str(urdf),) if root is None else (str(urdf), pin.JointModelFreeFlyer(), root.name)
        self.model = pin.buildModelFromUrdf(*names)
        self.data = self.model.createData()
        q_index = {name: i for i, name in enumerate(mechanism.coordinates)}
        v_index = {name: i for i, name in enumerate(mechanism.speeds)}
        #: (their joint, where our coordinates and speeds of that joint start)
        self.pairs = [
            (self.model.joints[i], q_index[ours.coordinates[0]], v_index[ours.speeds[0]])
            for i in range(1, self.model.njoints)
            for ours in [mechanism.joints[self.model.names[i]]]
        ]
        if self.model.nv != len(mechanism.speeds):
            raise AssertionError(f"Pinocchio has {self.model.nv} speeds, we have {len(mechanism.speeds)}")

    def set_armature(self, joint: str, value: float) -> None:
        """Give the drive of a joint of one freedom an inertia."""
        armature = self.model.armature.copy()
        armature[self.model.joints[self.model.getJointId(joint)].idx_v] = value
        self.model.armature = armature

    def q(self, q: Array) -> Array:
        out = np.zeros(self.model.nq)
        for joint, at, _ in self.pairs:
            if joint.nv == 6:
                x, w = q[at : at + 3], q[at + 3 : at + 7]
                out[joint.idx_q : joint.idx_q + 7] = [*x, *w[1:], w[0]]
            elif joint.nq == 2:  # an angle without limits, as cosine and sine
                out[joint.idx_q : joint.idx_q + 2] = np.cos(q[at]), np.sin(q[at])
            else:
                out[joint.idx_q] = q[at]
        return out

    def map(self, q: Array) -> Array:
        """T: their speeds from ours."""
        T = np.zeros((self.model.nv, self.model.nv))
        theirs = self.q(q)
        for joint, _, at in self.pairs:
            k = joint.idx_v
            if joint.nv == 6:
                x, y, z, w = theirs[joint.idx_q + 3 : joint.idx_q + 7]
                T[k : k + 3, at : at + 3] = self.pin.Quaternion(w, x, y, z).toRotationMatrix().T
                T[k + 3 : k + 6, at + 3 : at + 6] = np.eye(3)
            else:
                T[k, at] = 1.0
        return T

    def drift(self, v: Array) -> Array:
        """What their acceleration lacks beside T times ours: -ω × v of the free root, both in its axes."""
        out = np.zeros(self.model.nv)
        for joint, _, _ in self.pairs:
            if joint.nv == 6:
                k = joint.idx_v
                out[k : k + 3] = -np.cross(v[k + 3 : k + 6], v[k : k + 3])
        return out

    def inverse(self, q: Array, v: Array, a: Array) -> Array:
        T = self.map(q)
        w = T @ v
        out: Array = T.T @ self.pin.rnea(self.model, self.data, self.q(q), w, T @ a + self.drift(w))
        return out

    def forward(self, q: Array, v: Array, tau: Array) -> Array:
        T = self.map(q)
        w = T @ v
        force = np.linalg.solve(T.T, tau)
        out: Array = np.linalg.solve(T, self.pin.aba(self.model, self.data, self.q(q), w, force) - self.drift(w))
        return out

    def mass_matrix(self, q: Array) -> Array:
        upper = np.triu(self.pin.crba(self.model, self.data, self.q(q)))
        T = self.map(q)
        out: Array = T.T @ (upper + np.triu(upper, 1).T) @ T
        return out

    def jacobian(self, q: Array, body: str, point: Sequence[float]) -> Array:
        """(6, nv): velocity of a point given in a link's axes, then angular velocity, in world axes."""
        pin, theirs = self.pin, self.q(q)
        link = self.model.getFrameId(body, pin.FrameType.BODY)
        J = pin.computeFrameJacobian(self.model, self.data, theirs, link, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        pin.updateFramePlacement(self.model, self.data, link)
        arm = self.data.oMf[link].rotation @ np.array(point)
        linear = J[:3] + np.cross(J[3:], arm, axisa=0).T
        out: Array = np.vstack([linear, J[3:]]) @ self.map(q)
        return out

"""Rigid-body dynamics written in CasADi's symbols, from a table of joints.

The formulations are the cheap ones, so that CasADi is a rival worth beating: classical Newton-Euler without
linear velocities, composite bodies with first moments, articulated bodies whose eliminated row is dropped by
hand. CasADi itself removes zeros and ones as the expressions are built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from .joint_table import JointRow

SX = Any
GRAVITY = 9.81


def joint_frame(row: JointRow, q: SX) -> tuple[SX, SX]:
    """R (3, 3), from the joint's moved frame to the parent's, and p (3,), its origin there."""
    rotation, position = ca.SX(row.rotation), ca.SX(row.position)
    if row.kind == "P":
        return rotation, position + ca.mtimes(rotation, ca.SX(row.axis)) * q
    c, s, axis = ca.cos(q), ca.sin(q), ca.SX(row.axis)
    outer = ca.SX(np.outer(row.axis, row.axis))
    turn = outer + c * (ca.SX.eye(3) - outer) + s * ca.skew(axis)
    return ca.mtimes(rotation, turn), position


def inverse_dynamics(rows: Sequence[JointRow], q: SX, v: SX, a: SX) -> SX:
    """Joint forces (n,) for accelerations `a`: the Newton-Euler recursion (RNEA)."""
    zero = ca.SX.zeros(3)
    omega, alpha, acceleration = [zero], [zero], [ca.SX([0, 0, GRAVITY])]
    spin = [ca.SX.zeros(3, 3)]  # what multiplies a vector fixed to the body to give its acceleration
    force, moment, frames = [zero], [zero], [(ca.SX.eye(3), zero)]
    for i, row in enumerate(rows):
        R, p = joint_frame(row, q[i])
        up, axis = row.parent, ca.SX(row.axis)
        w, dw = ca.mtimes(R.T, omega[up]), ca.mtimes(R.T, alpha[up])
        dv = ca.mtimes(R.T, acceleration[up] + ca.mtimes(spin[up], p))
        if row.kind == "R":
            dw = dw + axis * a[i] + ca.cross(w, axis * v[i])
            w = w + axis * v[i]
        else:
            dv = dv + axis * a[i] + 2 * ca.cross(w, axis * v[i])
        B = ca.skew(dw) + ca.mtimes(w, w.T) - ca.dot(w, w) * ca.SX.eye(3)
        m, mc, I = rigid_body(row)
        frames.append((R, p))
        omega.append(w)
        alpha.append(dw)
        acceleration.append(dv)
        spin.append(B)
        force.append(m * dv + ca.mtimes(B, mc))
        moment.append(ca.mtimes(I, dw) + ca.cross(w, ca.mtimes(I, w)) + ca.cross(mc, dv))
    tau = [ca.SX(0)] * len(rows)
    for i in reversed(range(len(rows))):
        row, (R, p), k = rows[i], frames[i + 1], i + 1
        tau[i] = ca.dot(ca.SX(row.axis), moment[k] if row.kind == "R" else force[k])
        f = ca.mtimes(R, force[k])
        force[row.parent] = force[row.parent] + f
        moment[row.parent] = moment[row.parent] + ca.mtimes(R, moment[k]) + ca.cross(p, f)
    return ca.vertcat(*tau)


def mass_matrix(rows: Sequence[JointRow], q: SX) -> SX:
    """M (n, n), symmetric, its structural zeros left out: composite rigid bodies (CRBA)."""
    n = len(rows)
    frames = [joint_frame(row, q[i]) for i, row in enumerate(rows)]
    bodies = [rigid_body(row) for row in rows]
    M = ca.SX(n, n)
    for i in reversed(range(n)):
        row, (R, p), (m, mc, I) = rows[i], frames[i], bodies[i]
        axis = ca.SX(row.axis)
        if row.kind == "R":
            f, moment = ca.cross(axis, mc), ca.mtimes(I, axis)
        else:
            f, moment = m * axis, ca.cross(mc, axis)
        k = i
        while True:
            M[i, k] = M[k, i] = ca.dot(ca.SX(rows[k].axis), moment if rows[k].kind == "R" else f)
            if rows[k].parent == 0:
                break
            Rk, pk = frames[k]
            f = ca.mtimes(Rk, f)
            moment = ca.mtimes(Rk, moment) + ca.cross(pk, f)
            k = rows[k].parent - 1
        if row.parent:
            above = bodies[row.parent - 1]
            turned, P = ca.mtimes(R, mc), ca.skew(p)
            moved = turned + m * p
            shift = ca.mtimes(P, ca.skew(moved)) + ca.mtimes(ca.skew(turned), P)
            carried = symmetric(ca.mtimes([R, I, R.T]) - shift)
            bodies[row.parent - 1] = (above[0] + m, above[1] + moved, above[2] + carried)
    return ca.sparsify(M)


def articulated_dynamics(rows: Sequence[JointRow], q: SX, v: SX, tau: SX) -> SX:
    """Accelerations (n,) for joint forces `tau`: articulated bodies (ABA).

    An articulated body answers a motion (w, l) with the moment J w + H l and the force H' w + L l, plus a
    bias.
    """
    n = len(rows)
    zero = ca.SX.zeros(3)
    frames = [joint_frame(row, q[i]) for i, row in enumerate(rows)]
    velocity, drift = [(zero, zero)], []
    inertia: list[tuple[SX, SX, SX]] = []
    bias: list[tuple[SX, SX]] = []
    for i, row in enumerate(rows):
        s_w, s_l = subspace(row)
        w, l = moved_down(frames[i], velocity[row.parent])
        drift.append((ca.cross(w, s_w * v[i]), ca.cross(l, s_w * v[i]) + ca.cross(w, s_l * v[i])))
        w, l = w + s_w * v[i], l + s_l * v[i]
        velocity.append((w, l))
        m, mc, I = rigid_body(row)
        momentum, turning = m * l + ca.cross(w, mc), ca.mtimes(I, w) + ca.cross(mc, l)
        inertia.append((I, ca.skew(mc), m * ca.SX.eye(3)))
        bias.append((ca.cross(w, turning) + ca.cross(l, momentum), ca.cross(w, momentum)))
    pivots: list[tuple[SX, SX, SX, SX]] = [(zero, zero, zero, zero)] * n
    for i in reversed(range(n)):
        row, (J, H, L), (b_n, b_f) = rows[i], inertia[i], bias[i]
        s_w, s_l = subspace(row)
        U_n = ca.mtimes(J, s_w) + ca.mtimes(H, s_l)
        U_f = ca.mtimes(H.T, s_w) + ca.mtimes(L, s_l)
        d = ca.dot(s_w, U_n) + ca.dot(s_l, U_f)
        rest = tau[i] - ca.dot(s_w, b_n) - ca.dot(s_l, b_f)
        pivots[i] = (U_n, U_f, d, rest)
        if row.parent == 0:
            continue
        g_n, g_f = U_n / d, U_f / d
        J, H, L = J - ca.mtimes(g_n, U_n.T), H - ca.mtimes(g_n, U_f.T), L - ca.mtimes(g_f, U_f.T)
        J, H, L = eliminated(row, symmetric(J), H, symmetric(L))
        c_w, c_l = drift[i]
        b_n = b_n + ca.mtimes(J, c_w) + ca.mtimes(H, c_l) + g_n * rest
        b_f = b_f + ca.mtimes(H.T, c_w) + ca.mtimes(L, c_l) + g_f * rest
        R, p = frames[i]
        P = ca.skew(p)
        J, H, L = (ca.mtimes([R, block, R.T]) for block in (J, H, L))
        L = symmetric(L)
        across = H + ca.mtimes(P, L)
        J = symmetric(J - ca.mtimes(H, P) + ca.mtimes(P, across.T))
        up = row.parent - 1
        inertia[up] = tuple(old + new for old, new in zip(inertia[up], (J, across, L), strict=True))
        b_f = ca.mtimes(R, b_f)
        bias[up] = (bias[up][0] + ca.mtimes(R, b_n) + ca.cross(p, b_f), bias[up][1] + b_f)
    acceleration = [(zero, ca.SX([0, 0, GRAVITY]))]
    result = []
    for i, row in enumerate(rows):
        s_w, s_l = subspace(row)
        dw, dl = moved_down(frames[i], acceleration[row.parent])
        dw, dl = dw + drift[i][0], dl + drift[i][1]
        U_n, U_f, d, rest = pivots[i]
        result.append((rest - ca.dot(U_n, dw) - ca.dot(U_f, dl)) / d)
        acceleration.append((dw + s_w * result[i], dl + s_l * result[i]))
    return ca.vertcat(*result)


def factored_dynamics(rows: Sequence[JointRow], q: SX, v: SX, tau: SX) -> SX:
    """Accelerations (n,) for joint forces `tau`: the mass matrix, factored by CasADi's sparse LDL'."""
    bias = inverse_dynamics(rows, q, v, ca.SX.zeros(len(rows)))
    D, LT, order = ca.ldl(mass_matrix(rows, q))
    return ca.ldl_solve(tau - bias, D, LT, order)


def rigid_body(row: JointRow) -> tuple[SX, SX, SX]:
    """Mass, first moment (3,) and inertia (3, 3) about the joint's origin."""
    c = row.com
    about_origin = row.inertia + row.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return ca.SX(row.mass), ca.SX(row.mass * c), ca.SX(about_origin)


def subspace(row: JointRow) -> tuple[SX, SX]:
    """What one unit of joint speed is: angular (3,), linear (3,)."""
    zero = ca.SX.zeros(3)
    return (ca.SX(row.axis), zero) if row.kind == "R" else (zero, ca.SX(row.axis))


def moved_down(frame: tuple[SX, SX], motion: tuple[SX, SX]) -> tuple[SX, SX]:
    """A parent's motion (angular, linear at its origin) as the child's frame has it."""
    (R, p), (w, l) = frame, motion
    return ca.mtimes(R.T, w), ca.mtimes(R.T, l + ca.cross(w, p))


def eliminated(row: JointRow, J: SX, H: SX, L: SX) -> tuple[SX, SX, SX]:
    """The zeros an articulated body has once its own joint is taken out, where the axis is x, y or z."""
    aligned = np.flatnonzero(np.abs(row.axis) == 1.0)
    if aligned.size:
        k = int(aligned[0])
        if row.kind == "R":
            J[k, :], J[:, k], H[k, :] = 0, 0, 0
        else:
            L[k, :], L[:, k], H[:, k] = 0, 0, 0
    return J, H, L


def symmetric(A: SX) -> SX:
    """A with its upper triangle mirrored, so that nothing is computed twice."""
    return ca.triu2symm(ca.triu(A))

"""Rotations as a user may write them: nothing, roll-pitch-yaw, a quaternion (w, x, y, z), or a matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import MechanismError
from ..symbolic import ONE, ZERO, Const, Expr, as_expr, const, cos, sin

Matrix = tuple[tuple[Expr, Expr, Expr], tuple[Expr, Expr, Expr], tuple[Expr, Expr, Expr]]

IDENTITY: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))

#: an entry of a constant rotation this close to -1, 0 or 1 is taken to be it, so that right angles stay right
SNAP = 1e-12


def rotation_matrix(spec: Any) -> Matrix:
    """The matrix of a rotation: None, (roll, pitch, yaw) [rad], quaternion (w, x, y, z) or 3 rows of 3."""
    if spec is None:
        return IDENTITY
    rows = list(spec)
    if len(rows) == 3 and all(_is_row(r) for r in rows):
        matrix = [[as_expr(x) for x in row] for row in rows]
        _check_orthonormal(matrix)
        return _snapped(matrix)
    if len(rows) == 3:
        return _from_rpy(*(as_expr(x) for x in rows))
    if len(rows) == 4:
        return _from_quaternion([float(x) for x in rows])
    raise MechanismError(
        "expected a rotation as (roll, pitch, yaw), a quaternion (w, x, y, z) or three rows of three, "
        f"found {len(rows)} entries"
    )


def _is_row(r: Any) -> bool:
    if isinstance(r, Sequence):
        return not isinstance(r, str) and len(r) == 3
    return getattr(r, "shape", None) == (3,)


def _from_rpy(roll: Expr, pitch: Expr, yaw: Expr) -> Matrix:
    """Fixed axes x, then y, then z: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    sr, cr, sp, cp, sy, cy = sin(roll), cos(roll), sin(pitch), cos(pitch), sin(yaw), cos(yaw)
    return _snapped(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _from_quaternion(values: list[float]) -> Matrix:
    size = math.sqrt(sum(v * v for v in values))
    if not size > 0 or math.isinf(size):
        raise MechanismError(f"expected a quaternion of non-zero length, found {tuple(values)}")
    w, x, y, z = (v / size for v in values)
    return _snapped(
        [
            [const(1 - 2 * (y * y + z * z)), const(2 * (x * y - w * z)), const(2 * (x * z + w * y))],
            [const(2 * (x * y + w * z)), const(1 - 2 * (x * x + z * z)), const(2 * (y * z - w * x))],
            [const(2 * (x * z - w * y)), const(2 * (y * z + w * x)), const(1 - 2 * (x * x + y * y))],
        ]
    )


def _snapped(rows: list[list[Expr]]) -> Matrix:
    def snap(e: Expr) -> Expr:
        if isinstance(e, Const):
            whole = round(e.value)
            if abs(e.value - whole) < SNAP:
                return const(whole)
        return e

    a, b, c = ((snap(r[0]), snap(r[1]), snap(r[2])) for r in rows)
    return (a, b, c)


def _check_orthonormal(rows: list[list[Expr]]) -> None:
    if not all(isinstance(x, Const) for row in rows for x in row):
        return
    m = [[x.value for x in row if isinstance(x, Const)] for row in rows]
    for i in range(3):
        for j in range(3):
            got = sum(m[i][k] * m[j][k] for k in range(3))
            if not abs(got - (i == j)) < 1e-6:
                raise MechanismError("expected a rotation matrix with orthonormal rows, found other rows")
    a, b, c = m
    if (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + (a[0] * b[1] - a[1] * b[0]) * c[2] < 0:
        raise MechanismError("expected a rotation, found a reflection: its axes are left-handed; turn one around")

"""Positions and orientations as MJCF writes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..xml_reader import Element
from .document import Compiler

Array = NDArray[np.float64]

_ORIENTATION = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


@dataclass
class Pose:
    """A frame in another: its axes as columns, and its origin [m]."""

    rotation: Array = field(default_factory=lambda: np.eye(3))
    origin: Array = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.rotation @ inner.rotation, self.origin + self.rotation @ inner.origin)


def read_pose(element: Element, compiler: Compiler) -> Pose:
    """The attribute ``pos``, and ``quat``, ``euler``, ``axisangle``, ``xyaxes`` or ``zaxis``."""
    return Pose(read_rotation(element, compiler), np.array(element.numbers("pos", 3, [0.0, 0.0, 0.0])))


def read_rotation(element: Element, compiler: Compiler) -> Array:
    """The orientation of an element."""
    given = [k for k in _ORIENTATION if k in element.attributes]
    if not given:
        return np.eye(3)
    if len(given) > 1:
        raise element.error(f"expected one orientation on {element.shown}, found {' and '.join(given)}")
    kind = given[0]
    if kind == "quat":
        return quaternion_matrix(_sized(element, kind, element.numbers(kind, 4)))
    if kind == "axisangle":
        x, y, z, angle = element.numbers(kind, 4)
        return turn(_sized(element, kind, [x, y, z]), radians(angle, compiler))
    if kind == "euler":
        return _euler([radians(a, compiler) for a in element.numbers(kind, 3)], compiler.eulerseq)
    if kind == "xyaxes":
        return _xyaxes(element, element.numbers(kind, 6))
    return z_rotation(_sized(element, kind, element.numbers(kind, 3)))


def radians(angle: float, compiler: Compiler) -> float:
    """An angle of the file [rad]."""
    return math.radians(angle) if compiler.degrees else angle


def _sized(element: Element, kind: str, values: list[float]) -> Array:
    """A vector of length one along ``values``."""
    biggest = max(abs(v) for v in values)
    if not biggest > 1e-14:
        raise element.error(f"expected {kind} of non-zero length on {element.shown}, found zero")
    scaled = np.array(values) / biggest
    unit: Array = scaled / np.linalg.norm(scaled)
    return unit


def quaternion_matrix(q: Array) -> Array:
    """The matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrix_quaternion(r: Array) -> Array:
    """The unit quaternion (w, x, y, z) of a rotation matrix, with w not negative."""
    # the largest of the four squares is well away from zero (Shepperd)
    squares = np.array(
        [
            1 + r[0, 0] + r[1, 1] + r[2, 2],
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    pairs = {
        0: (squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]),
        1: (r[2, 1] - r[1, 2], squares[1], r[1, 0] + r[0, 1], r[0, 2] + r[2, 0]),
        2: (r[0, 2] - r[2, 0], r[1, 0] + r[0, 1], squares[2], r[2, 1] + r[1, 2]),
        3: (r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2], squares[3]),
    }
    q = np.array(pairs[int(np.argmax(squares))])
    unit: Array = q / np.linalg.norm(q)
    return -unit if unit[0] < 0 else unit


def turn(axis: Array, angle: float) -> Array:
    """Rotation about a unit axis [rad]."""
    x, y, z = axis
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * (k @ k)
    return turned


def z_rotation(axis: Array) -> Array:
    """The least rotation that takes the z axis onto a unit vector."""
    x, y, z = axis
    side = math.hypot(x, y)
    if side < 1e-10:
        return np.eye(3) if z > 0 else turn(np.array([1.0, 0.0, 0.0]), math.pi)
    return turn(np.array([-y / side, x / side, 0.0]), math.atan2(side, z))


def _euler(angles: list[float], sequence: str) -> Array:
    """Lower case: about axes that turn along; upper case: about fixed axes."""
    out = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        step = turn(np.eye(3)["xyz".index(letter.lower())], angle)
        out = out @ step if letter.islower() else step @ out
    return out


def _xyaxes(element: Element, values: list[float]) -> Array:
    x = _sized(element, "xyaxes", values[:3])
    y = np.array(values[3:])
    y = _sized(element, "xyaxes", list(y - x * float(x @ y)))
    z = np.cross(x, y)
    return np.column_stack([x, y, z])

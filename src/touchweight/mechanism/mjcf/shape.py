"""Mass and inertia of a body: given, or from the shapes of its geoms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..values import shown
from ..xml_reader import Element
from .document import Compiler
from .pose import Pose, read_pose, read_rotation, z_rotation

Array = NDArray[np.float64]

#: density of a geom that gives neither mass nor density [kg/m³]
DENSITY = 1000.0

#: how many sizes each shape has, and how many when ``fromto`` gives its length
_SIZES = {"sphere": (1, 1), "capsule": (2, 1), "cylinder": (2, 1), "ellipsoid": (3, 1), "box": (3, 1)}
_WEIGHTLESS = ("plane", "hfield")


@dataclass
class Matter:
    """Mass [kg], centre of mass [m], inertia about it along the body's axes [kg m²]."""

    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))


def read_inertial(element: Element, compiler: Compiler) -> Matter:
    """What <inertial> says."""
    pose = Pose(read_rotation(element, compiler), np.array(element.numbers("pos", 3)))
    mass = element.number("mass")
    if "fullinertia" in element.attributes:
        if "diaginertia" in element.attributes:
            raise element.error("expected diaginertia or fullinertia, found both; remove one")
        if not np.array_equal(pose.rotation, np.eye(3)):
            raise element.error("expected no orientation beside fullinertia, found one; remove it")
        xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", 6)
        return Matter(mass, pose.origin, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    moments = np.diag(element.numbers("diaginertia", 3, [0.0, 0.0, 0.0]))
    return Matter(mass, pose.origin, pose.rotation @ moments @ pose.rotation.T)


def gather(parts: list[Matter]) -> Matter:
    """One body from several parts."""
    mass = sum(p.mass for p in parts)
    if not mass > 0.0:
        return Matter()
    centre = sum((p.mass * p.centre for p in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for p in parts:
        d = p.centre - centre
        inertia += p.inertia + p.mass * (float(d @ d) * np.eye(3) - np.outer(d, d))
    return Matter(mass, centre, inertia)


def geom_matter(geom: Element, frame: Pose, compiler: Compiler) -> Matter | None:
    """What a geom weighs, or nothing when it does not count; ``frame`` is the frame it is written in."""
    kind = geom.attributes.get("type", "mesh" if "mesh" in geom.attributes else "sphere")
    group = geom.number("group", 0.0)
    mass = geom.number("mass") if "mass" in geom.attributes else None
    density = geom.number("density", DENSITY)
    if not compiler.group_range[0] <= group <= compiler.group_range[1]:
        return None
    if kind in _WEIGHTLESS or mass == 0.0 or (mass is None and density == 0.0):
        return None
    if (mass is not None and mass < 0.0) or density < 0.0:
        raise geom.error(f"expected a mass and density of zero or more on {geom.shown}, found a negative one")
    if kind not in _SIZES or "mesh" in geom.attributes:
        raise geom.error(
            f"expected an <inertial> for a body with {geom.shown} of type {shown(kind)}, "
            "whose shape is not in the file, found none; add it (MuJoCo writes one with saveinertial)"
        )
    if geom.attributes.get("shellinertia") == "true":
        raise geom.error(f"expected solid geoms, found shellinertia on {geom.shown}; give the body an <inertial>")
    pose, size = _pose_and_size(geom, kind, compiler)
    volume, moments = _solid(kind, size)  # moments of one kilogram
    weight = mass if mass is not None else density * volume
    placed = frame @ pose
    inertia = placed.rotation @ np.diag(moments * weight) @ placed.rotation.T
    return Matter(weight, placed.origin, inertia)


def read_segment(element: Element, compiler: Compiler) -> tuple[Pose, float | None]:
    """Where a geom or site sits, and half its length when ``fromto`` says so."""
    if "fromto" not in element.attributes:
        return read_pose(element, compiler), None
    values = np.array(element.numbers("fromto", 6))
    along = values[:3] - values[3:]
    length = float(np.linalg.norm(along))
    if not length > 1e-14:
        raise element.error(f"expected two points in fromto on {element.shown}, found one twice")
    return Pose(z_rotation(along / length), 0.5 * (values[:3] + values[3:])), 0.5 * length


def _pose_and_size(geom: Element, kind: str, compiler: Compiler) -> tuple[Pose, list[float]]:
    pose, half = read_segment(geom, compiler)
    if half is not None and kind == "sphere":
        raise geom.error(f"expected no fromto on the sphere {geom.shown}, found one; use pos")
    count = _SIZES[kind][0 if half is None else 1]
    size = geom.numbers("size", (count, 3))
    if half is not None:
        size = [size[0], half] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
    size = size[: _SIZES[kind][0]]
    if not all(s > 0.0 for s in size):
        raise geom.error(f"expected sizes above zero on {geom.shown}, found {shown(size)}")
    return pose, size


def _solid(kind: str, size: list[float]) -> tuple[float, Array]:
    """Volume [m³] and moments of inertia per kilogram [m²] of a solid shape about its centre."""
    if kind == "sphere":
        r = size[0]
        return 4.0 / 3.0 * math.pi * r**3, np.full(3, 0.4 * r * r)
    if kind == "box":
        a, b, c = size
        return 8.0 * a * b * c, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3.0
    if kind == "ellipsoid":
        a, b, c = size
        return 4.0 / 3.0 * math.pi * a * b * c, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5.0
    r, height = size[0], 2.0 * size[1]
    tube = math.pi * r * r * height
    if kind == "cylinder":
        side = (3.0 * r * r + height * height) / 12.0
        return tube, np.array([side, side, 0.5 * r * r])
    # capsule: a cylinder and two half spheres, whose centres of mass lie 3r/8 outside its ends
    ball = 4.0 / 3.0 * math.pi * r**3
    m_tube, m_ball = tube / (tube + ball), ball / (tube + ball)
    side = m_tube * (3.0 * r * r + height * height) / 12.0
    side += m_ball * (0.4 * r * r + height * (3.0 * r + 2.0 * height) / 8.0)
    return tube + ball, np.array([side, side, (0.5 * m_tube + 0.4 * m_ball) * r * r])


def bounded(matter: Matter, compiler: Compiler) -> Matter:
    """The compiler's lower bounds and its balancing of moments."""
    mass = max(matter.mass, compiler.bound_mass) if compiler.bound_mass > 0.0 else matter.mass
    inertia = matter.inertia
    if compiler.bound_inertia > 0.0 or compiler.balance_inertia:
        moments, axes = np.linalg.eigh(inertia)
        moments = np.maximum(moments, compiler.bound_inertia)
        if compiler.balance_inertia and moments[0] + moments[1] < moments[2]:
            moments = np.full(3, moments.mean())
        inertia = axes @ np.diag(moments) @ axes.T
    return Matter(mass, matter.centre, inertia)

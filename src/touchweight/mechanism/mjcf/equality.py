"""Equality constraints of MJCF: connections and welds become loops, coupled joints become equations.

In MuJoCo they are springs that are made stiff; here they hold exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...symbolic import Expr
from ..body import Frame
from ..mechanism import Mechanism
from ..tidy import Tidy, unique_name
from ..values import shown
from ..xml_reader import Element, Remarks
from .document import Defaults, choice
from .pose import Array, Pose, quaternion_matrix

#: what has no meaning for a loop that holds exactly
_SOFT = ("solref", "solimp", "torquescale")

#: attributes that place a loop by bodies; the others do so by sites
_BY_BODIES = ("body1", "body2", "anchor", "relpose")

#: coefficients of the polynomial that couples two joints, where the file gives none
_POLYNOMIAL = (0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass
class Places:
    """Names of the file and ours, and where bodies start.

    Attributes:
        bodies: what a body of the file is called here.
        sites: what a site of the file is called here.
        start: pose of our bodies in the world where the coordinates have their references.
    """

    bodies: dict[str, str]
    sites: dict[str, str]
    start: dict[str, Pose] = field(default_factory=dict)


def read_equalities(
    root: Element, defaults: Defaults, mechanism: Mechanism, places: Places, remarks: Remarks, tidy: Tidy
) -> None:
    """Add what the sections <equality> of a file say to its mechanism."""
    reader = _Equalities(mechanism, places, remarks, tidy)
    for element in (e for section in root.all("equality") for e in section.children):
        # one class of defaults holds for all kinds
        common = Element("equality", element.attributes, element.path, element.line, element.children)
        merged = defaults.resolve(common, defaults.top)
        given = Element(element.tag, merged.attributes, element.path, element.line, element.children)
        with given.place():
            reader.read(given)


class _Equalities:
    def __init__(self, mechanism: Mechanism, places: Places, remarks: Remarks, tidy: Tidy) -> None:
        self.mechanism = mechanism
        self.places = places
        self.remarks = remarks
        self.tidy = tidy

    def read(self, element: Element) -> None:
        readers = {"connect": self.connect, "weld": self.weld, "joint": self.joint}
        if element.tag not in readers:
            why = "only connect, weld and joint are read; use rod(), constraint() or law()"
            self.remarks.ignore(f"<{element.tag}> elements in <equality>", why)
            return
        if "active" in element.attributes and not choice(element, "active", {"true": True, "false": False}):
            self.remarks.ignore(f"<{element.tag}> elements in <equality>", "they are not active")
            return
        for attribute in _SOFT:
            if attribute in element.attributes:
                self.remarks.ignore(f"{attribute} attributes in <equality>", "loops are exact here")
        readers[element.tag](element)

    def name(self, element: Element) -> str:
        """The name of an equality, or a new one."""
        given = element.attributes.get("name")
        if not given:
            return unique_name(element.tag, self.mechanism.loops)
        if given in self.mechanism.loops:
            raise element.error(f"expected each equality name once, found {shown(given)} again; rename one")
        return given

    # -- loops ------------------------------------------------------------------------------------------
    def connect(self, element: Element) -> None:
        """Two points held together: a point of the first body, and what it meets at the start on the second."""
        name = self.name(element)
        if self.by_sites(element):
            self.mechanism.cut_ball(name, *self.sites(element))
            return
        one, other = self.bodies(element)
        anchor = np.array(element.numbers("anchor", 3))
        met = self.between(other, one) @ Pose(origin=anchor)
        a = self.frame(f"{name}_a", one, Pose(origin=anchor))
        b = self.frame(f"{name}_b", other, Pose(origin=met.origin))
        self.mechanism.cut_ball(name, a, b)

    def weld(self, element: Element) -> None:
        """Two bodies welded at a point of the second, as they lie at the start or in a given pose."""
        name = self.name(element)
        if self.by_sites(element):
            self.mechanism.cut_body(name, *self.sites(element))
            return
        one, other = self.bodies(element)
        anchor = np.array(element.numbers("anchor", 3, [0.0, 0.0, 0.0]))
        given = element.numbers("relpose", 7, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        turn = np.array(given[3:])
        if turn.any():
            held = Pose(_matrix(turn), np.array(given[:3]))
        else:
            held = self.between(one, other) @ Pose(origin=anchor)
        a = self.frame(f"{name}_a", one, held)
        b = self.frame(f"{name}_b", other, Pose(origin=anchor))
        self.mechanism.cut_body(name, a, b)

    def by_sites(self, element: Element) -> bool:
        """Whether an element names sites; it may not name bodies as well."""
        sites = [k for k in ("site1", "site2") if k in element.attributes]
        bodies = [k for k in _BY_BODIES if k in element.attributes]
        if sites and bodies:
            raise element.error(f"expected bodies or sites on {element.shown}, found {sites[0]} and {bodies[0]}")
        return bool(sites)

    def sites(self, element: Element) -> Iterator[Frame]:
        for attribute in ("site1", "site2"):
            given = element.need(attribute)
            if given not in self.places.sites:
                raise element.error(f"expected a site of the model as {attribute}, found {shown(given)}; add it")
            yield self.mechanism.frames[self.places.sites[given]]

    def bodies(self, element: Element) -> tuple[str, str]:
        """Our names of the two bodies; the second is the world where none is given."""
        found = []
        for attribute, given in (("body1", element.need("body1")), ("body2", element.attributes.get("body2", "world"))):
            if given not in self.places.bodies:
                raise element.error(f"expected a body of the model as {attribute}, found {shown(given)}; add it")
            found.append(self.places.bodies[given])
        if found[0] == found[1]:
            raise element.error(f"expected two bodies on {element.shown}, found {shown(found[0])} twice")
        return found[0], found[1]

    def between(self, one: str, other: str) -> Pose:
        """The pose of a body in another, at the start."""
        a, b = self.places.start[one], self.places.start[other]
        back = a.rotation.T
        return Pose(back @ b.rotation, back @ (b.origin - a.origin))

    def frame(self, wanted: str, body: str, pose: Pose) -> Frame:
        """A frame of a name that nothing else has."""
        m = self.mechanism
        name = unique_name(wanted, {*m.frames, *m.joints, *m.bodies})
        still = np.array_equal(pose.rotation, np.eye(3))
        rotation = None if still else [[float(x) for x in row] for row in pose.rotation]
        return m.frame(name, body, self.tidy.point([float(x) for x in pose.origin]), rotation)

    # -- equations --------------------------------------------------------------------------------------
    def joint(self, element: Element) -> None:
        """A joint that follows a polynomial of another, or stands still; both count from their references."""
        name = self.name(element)
        m = self.mechanism
        first = self.displacement(element, "joint1")
        given = element.numbers("polycoef", (1, 5), [*_POLYNOMIAL])
        c = [*given, *_POLYNOMIAL[len(given) :]]
        powers: list[Expr | float] = [1.0]
        if "joint2" in element.attributes:
            if element.need("joint2") == element.need("joint1"):
                raise element.error(f"expected two joints on {element.shown}, found one twice; remove joint2")
            x = self.displacement(element, "joint2")
            powers += [x, x**2, x**3, x**4]
        for k, power in enumerate(powers):
            first = first - m._scalar(f"{name}.polycoef.{k}", c[k], "parameter", "") * power
        m.constraint(name, first)

    def displacement(self, element: Element, attribute: str) -> Expr:
        """How far a hinge or slide is from its reference."""
        given = element.need(attribute)
        joint = self.mechanism.joints.get(given)
        if joint is None:
            raise element.error(f"expected a joint of the model as {attribute}, found {shown(given)}; add it")
        if joint.kind not in ("revolute", "prismatic"):
            raise element.error(f"expected a hinge or slide as {attribute}, found {shown(given)} ({joint.kind})")
        return self.mechanism.q(given) - joint.reference


def _matrix(quaternion: Array) -> Array:
    scaled = quaternion / np.abs(quaternion).max()
    return quaternion_matrix(scaled / np.linalg.norm(scaled))

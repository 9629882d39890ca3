"""URDF: links, joints and inertias become a mechanism; what is not used is named in its remarks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MechanismError
from ..symbolic import evaluate
from .joint import Limits, Mimic
from .mechanism import Mechanism
from .rotation import rotation_matrix
from .tidy import Tidy, unique_name
from .values import shown
from .xml_reader import Element, Remarks, read_xml

Array = NDArray[np.float64]

#: kinds of joints in URDF, and ours
KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}

#: what a robot may hold besides links and joints, and why it is left aside
_IGNORED = {
    "material": "looks are not used by the dynamics",
    "transmission": "drives are not read; add actuators to the mechanism",
    "gazebo": "extensions of a simulator are not read",
    "mujoco": "extensions of a simulator are not read",
    "sensor": "sensors are not read; add them to the mechanism",
    "group": "groups of a planner are not read",
    "ros2_control": "drives are not read; add actuators to the mechanism",
    "constraint": "this kind of loop is not read; add a cut to the mechanism",
    "loop_joint": "this kind of loop is not read; add a cut to the mechanism",
    "drake:linear_bushing_rpy": "bushings are not read; use spring() or law()",
    "drake:joint": "joints that are extensions are not read yet",
}
_IGNORED_IN_LINK = {
    "visual": "geometry is not used by the dynamics",
    "collision": "geometry is not used by the dynamics",
    "contact": "contacts are not read yet",
    "self_collision_checking": "contacts are not read yet",
    "collision_checking": "contacts are not read yet",
}
_IGNORED_IN_JOINT = {
    "calibration": "reference positions of a real drive are not used",
    "safety_controller": "soft limits of a controller are not used",
    "hardwareInterface": "drives are not read; add actuators to the mechanism",
}
_UNKNOWN = "touchweight does not know it"

#: Drake's element that holds a point of one link and a point of another together
_BALL = "drake:ball_constraint"


def load_urdf(path: str | Path, *, free_flying: bool = False, passive: bool = True) -> Mechanism:
    """Read a robot from a URDF file.

    Args:
        path: the file.
        free_flying: the root link flies (six more speeds) instead of standing on the ground.
        passive: damping and friction in the file act on the joints.

    Links become bodies and joints keep their names, fixed ones too. Gravity is (0, 0, -9.81) m/s².
    """
    return build_urdf(read_xml(path), free_flying=free_flying, passive=passive)


def build_urdf(root: Element, *, free_flying: bool = False, passive: bool = True) -> Mechanism:
    """The robot below the element <robot>; see :func:`load_urdf`."""
    return _Reader(root, passive).read(free_flying)


class _Reader:
    def __init__(self, root: Element, passive: bool) -> None:
        self.root = root
        self.passive = passive
        self.remarks = Remarks()
        self.tidy = Tidy()

    def read(self, free_flying: bool) -> Mechanism:
        if self.root.tag != "robot":
            raise self.root.error(f"expected the element <robot> of URDF, found {self.root.shown}")
        self.mechanism = Mechanism(self.root.attributes.get("name") or "robot")
        self.refuse_xacro()
        links = self.named("link")
        joints = self.named("joint")
        if not links:
            raise self.root.error("expected at least one <link>, found none")
        self.note(self.root, ("link", "joint", _BALL), _IGNORED)
        carried = self.carried(links, joints)
        root = self.root_link(links, carried)
        self.bodies: dict[str, str] = {}
        for link in links.values():
            self.link(link)
        name = unique_name("root", joints)
        kind = "free" if free_flying else "fixed"
        self.mechanism.joint(name, kind, "ground", self.bodies[root])
        self.outward(root, joints, carried)
        for element in self.root.all(_BALL):
            with element.place():
                self.ball(element)
        self.mechanism.remarks = self.remarks.lines() + self.tidy.lines()
        return self.mechanism

    def refuse_xacro(self) -> None:
        for element in self.elements():
            macro = element.tag.startswith("xacro:") or any("${" in v for v in element.attributes.values())
            if macro:
                raise element.error(
                    f"expected plain URDF, found xacro in {element.shown}; expand it first: xacro a.xacro > a.urdf"
                )

    def elements(self) -> list[Element]:
        out, stack = [], [self.root]
        while stack:
            element = stack.pop()
            out.append(element)
            stack.extend(reversed(element.children))
        return out

    def named(self, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for element in self.root.all(tag):
            name = element.need("name")
            if name in found:
                raise element.error(
                    f"expected each <{tag}> name once, found {shown(name)} again (before in line "
                    f"{found[name].line}); rename one"
                )
            found[name] = element
        return found

    def note(self, element: Element, known: Sequence[str], reasons: dict[str, str]) -> None:
        """Remark on the children that are not read."""
        for child in element.children:
            if child.tag not in known:
                self.remarks.ignore(f"<{child.tag}> elements", reasons.get(child.tag, _UNKNOWN))

    # -- the tree ---------------------------------------------------------------------------------------
    def carried(self, links: dict[str, Element], joints: dict[str, Element]) -> dict[str, str]:
        """Which joint carries each link."""
        out: dict[str, str] = {}
        for name, joint in joints.items():
            ends = {}
            for tag in ("parent", "child"):
                end = joint.only(tag)
                if end is None:
                    raise joint.error(f"expected a <{tag}> in {joint.shown}, found none; add it")
                ends[tag] = end.need("link")
                if ends[tag] not in links:
                    raise end.error(f"expected a <link> of the robot as {tag}, found {shown(ends[tag])}; add it")
            child = ends["child"]
            if ends["parent"] == child:
                raise joint.error(f"expected two links, found {shown(child)} as parent and child of {joint.shown}")
            if child in out:
                raise joint.error(
                    f"expected one joint to carry the link {shown(child)}, found {shown(out[child])} "
                    f"and {shown(name)}: they close a loop; remove one and add a cut to the mechanism"
                )
            out[child] = name
        return out

    def root_link(self, links: dict[str, Element], carried: dict[str, str]) -> str:
        roots = [name for name in links if name not in carried]
        if not roots:
            raise self.root.error("expected a root link that no joint carries, found none: the joints form a cycle")
        if len(roots) > 1:
            some = ", ".join(shown(r) for r in roots[:5])
            raise links[roots[1]].error(f"expected one root link, found {len(roots)} ({some}); join them")
        return roots[0]

    def outward(self, root: str, joints: dict[str, Element], carried: dict[str, str]) -> None:
        """Add the joints from the root outwards: depth first, in the order of the file."""
        by_parent: dict[str, list[str]] = {}
        for name, joint in joints.items():
            parent = joint.all("parent")[0].need("link")
            by_parent.setdefault(parent, []).append(name)
        stack = list(reversed(by_parent.get(root, [])))
        done = 0
        while stack:
            joint = joints[stack.pop()]
            with joint.place():
                self.joint(joint)
            done += 1
            child = joint.all("child")[0].need("link")
            stack.extend(reversed(by_parent.get(child, [])))
        if done < len(joints):
            lost = next(j for name, j in joints.items() if name not in self.mechanism.joints)
            raise lost.error(f"expected joints that lead to the root link, found {lost.shown} in a cycle; cut it")

    # -- links ------------------------------------------------------------------------------------------
    def link(self, link: Element) -> None:
        self.note(link, ("inertial",), _IGNORED_IN_LINK)
        name = link.need("name")
        own = name if name != "ground" else unique_name("ground_link", self.root_names())
        if own != name:
            self.remarks.say(f"the link 'ground' is called {own!r}: 'ground' is the world")
        self.bodies[name] = own
        options: dict[str, Any] = {}
        inertial = link.only("inertial")
        if inertial is not None:
            options = self.inertial(inertial)
        with link.place():
            self.mechanism.body(own, **options)

    def root_names(self) -> set[str]:
        return {e.attributes.get("name", "") for e in self.root.all("link")}

    def inertial(self, inertial: Element) -> dict[str, Any]:
        """Mass, centre of mass and inertia, turned into the link's axes."""
        mass, inertia = inertial.only("mass"), inertial.only("inertia")
        if mass is None or inertia is None:
            missing = "mass" if mass is None else "inertia"
            raise inertial.error(f"expected a <{missing}> in {inertial.shown}, found none; add it")
        xyz, rpy = self.origin(inertial)
        ixx, iyy, izz, ixy, ixz, iyz = (inertia.number(k) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        with inertial.place():
            turn = _matrix(rpy)
        if rpy != [0.0, 0.0, 0.0]:
            tensor = turn @ tensor @ turn.T
        return {
            "mass": mass.number("value"),
            "com": self.tidy.point(xyz),
            "inertia": self.tidy.inertia(tensor),
        }

    def origin(self, element: Element) -> tuple[list[float], list[float]]:
        found = element.only("origin")
        if found is None:
            return [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        zero = [0.0, 0.0, 0.0]
        return found.numbers("xyz", 3, zero), found.numbers("rpy", 3, zero)

    # -- joints -----------------------------------------------------------------------------------------
    def joint(self, joint: Element) -> None:
        self.note(joint, ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"), _IGNORED_IN_JOINT)
        kind = joint.need("type")
        if kind not in KINDS:
            raise joint.error(f"expected a joint type among {', '.join(KINDS)}, found {shown(kind)}")
        xyz, rpy = self.origin(joint)
        options: dict[str, Any] = {"origin": self.tidy.point(xyz)}
        if rpy != [0.0, 0.0, 0.0]:
            options["rotation"] = rpy
        if kind in ("revolute", "continuous", "prismatic", "planar"):
            axis = joint.only("axis")
            options["axis"] = [1.0, 0.0, 0.0] if axis is None else axis.numbers("xyz", 3, [1.0, 0.0, 0.0])
        options["limits"] = self.limits(joint, kind)
        options["mimic"] = self.mimic(joint, kind)
        options |= self.dynamics(joint, kind)
        parent, child = (joint.all(tag)[0].need("link") for tag in ("parent", "child"))
        self.mechanism.joint(joint.need("name"), KINDS[kind], self.bodies[parent], self.bodies[child], **options)

    def limits(self, joint: Element, kind: str) -> Limits | None:
        found = joint.only("limit")
        if found is None or kind == "fixed":
            return None
        values = {k: found.number(k) for k in ("lower", "upper", "velocity", "effort") if k in found.attributes}
        if kind == "continuous":  # turns without end, whatever the file says
            values = {k: v for k, v in values.items() if k in ("velocity", "effort")}
        elif kind in ("revolute", "prismatic"):
            values = {"lower": 0.0, "upper": 0.0, **values}
        return Limits(**values)

    def mimic(self, joint: Element, kind: str) -> Mimic | None:
        found = joint.only("mimic")
        if found is None:
            return None
        if kind == "fixed":
            self.remarks.ignore("<mimic> elements of fixed joints", "they do not move")
            return None
        return Mimic(found.need("joint"), found.number("multiplier", 1.0), found.number("offset", 0.0))

    def dynamics(self, joint: Element, kind: str) -> dict[str, float]:
        found = joint.only("dynamics")
        if found is None or kind == "fixed":
            return {}
        values = {k: found.number(k, 0.0) for k in ("damping", "friction")}
        for attribute in found.attributes:
            if attribute not in values:
                self.remarks.ignore(f"{attribute} attributes of <dynamics>", _UNKNOWN)
        return values if self.passive else {}

    # -- loops ------------------------------------------------------------------------------------------
    def ball(self, element: Element) -> None:
        """A loop of kind ball, on two frames that are named after it."""
        m = self.mechanism
        name = unique_name("ball_constraint", m.loops)
        ends = []
        for letter, point in (("A", "p_AP"), ("B", "p_BQ")):
            body = self.part(element, f"{_BALL}_body_{letter}")
            link = body.need("name")
            if link not in self.bodies:
                raise body.error(f"expected a <link> of the robot, found {shown(link)}; add it")
            place = self.part(element, f"{_BALL}_{point}").numbers("value", 3)
            own = unique_name(f"{name}_{letter.lower()}", {*m.frames, *m.joints, *m.bodies})
            ends.append(m.frame(own, self.bodies[link], self.tidy.point(place)))
        m.cut_ball(name, *ends)

    def part(self, element: Element, tag: str) -> Element:
        """The one child of a tag, which must be there."""
        found = element.only(tag)
        if found is None:
            raise element.error(f"expected a <{tag}> in {element.shown}, found none; add it")
        return found


def _matrix(rpy: Sequence[float]) -> Array:
    try:
        rows = rotation_matrix(list(rpy))
    except ValueError as error:
        raise MechanismError(str(error)) from None
    return np.array([[float(evaluate(x)) for x in row] for row in rows])

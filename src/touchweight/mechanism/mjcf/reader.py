"""From an MJCF tree to a mechanism.

A MuJoCo body may carry several joints, each with an anchor away from the body's origin. Here every joint
carries one body whose frame sits at the joint; so a body with several joints becomes a chain of massless
carriers, each at the anchor of its joint, and where the last anchor is not the body's origin it is
welded to the last carrier.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..description import GRAVITY
from ..joint import Limits
from ..mechanism import Mechanism
from ..tidy import Tidy, unique_name
from ..values import shown
from ..xml_reader import Element, Remarks, read_xml
from .document import LIMITED, Compiler, Defaults, choice, with_included_files
from .equality import Places, read_equalities
from .motor import read_motors
from .pose import Pose, matrix_quaternion, radians, read_pose
from .shape import Matter, bounded, gather, geom_matter, read_inertial, read_segment

#: kinds of joints in MJCF, and ours
KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}


#: sections that are left aside, and why
_SECTIONS = {
    "asset": "geometry is not used by the dynamics",
    "visual": "looks are not used by the dynamics",
    "statistic": "looks are not used by the dynamics",
    "custom": "user data is not read",
    "contact": "contacts are not read yet",
    "tendon": "tendons are not read yet; use spring() or law()",
    "sensor": "sensors are not read; add them to the mechanism",
    "keyframe": "states are given when simulating",
    "deformable": "flexible bodies are not read",
    "extension": "plugins are not read",
    "size": "",
    "compiler": "",
    "default": "",
    "option": "",
    "worldbody": "",
    "actuator": "",
    "equality": "",
}
#: what a body may hold that would change the mechanism if it were left aside
_REFUSED = ("composite", "flexcomp", "replicate", "attach", "plugin")
_READ_IN_BODY = ("body", "frame", "inertial", "joint", "freejoint", "geom", "site")
_FLUID = ("wind", "density", "viscosity")


def load_mjcf(path: str | Path, *, passive: bool = True) -> Mechanism:
    """Read a model from an MJCF file.

    Args:
        path: the file; files it includes must lie in the same folder or below it.
        passive: springs, damping and dry friction in the file act on the joints.

    Coordinates come in MuJoCo's order and mean what they mean there: a free joint has the position and
    quaternion of its body in the world, wherever the file puts that body at the start (kept as
    ``Joint.initial``).
    """
    return build_mjcf(read_xml(path), path, passive=passive)


def build_mjcf(root: Element, path: str | Path, *, passive: bool = True) -> Mechanism:
    """The model below the element <mujoco> of a file; see :func:`load_mjcf`."""
    return _Reader(with_included_files(root, path), passive).read()


class _Reader:
    def __init__(self, root: Element, passive: bool) -> None:
        self.root = root
        self.passive = passive
        self.compiler = Compiler.read(root)
        self.defaults = Defaults.read(root)
        self.remarks = Remarks()
        self.tidy = Tidy()
        self.matter: dict[str, Matter] = {}
        self.placed: list[dict[str, Any]] = []
        #: what sites are called here
        self.frames: dict[str, str] = {}

    def read(self) -> Mechanism:
        self.mechanism = Mechanism(self.root.attributes.get("model") or "mujoco", self.gravity())
        self.sections()
        self.learn_names()
        self.plan()
        self.scale()
        self.build()
        read_motors(self.root, self.defaults, self.mechanism, self.compiler, self.remarks)
        read_equalities(self.root, self.defaults, self.mechanism, self.places(), self.remarks, self.tidy)
        self.mechanism.remarks = self.remarks.lines() + self.tidy.lines()
        return self.mechanism

    # -- what is not bodies -----------------------------------------------------------------------------
    def sections(self) -> None:
        for section in self.root.children:
            if section.tag not in _SECTIONS:
                raise section.error(f"expected a section of MJCF, found {section.shown}; remove it")
            why = _SECTIONS[section.tag]
            if why:
                for child in section.children or [section]:
                    self.remarks.ignore(f"<{child.tag}> elements in <{section.tag}>", why)

    def gravity(self) -> list[float]:
        out = list(GRAVITY)
        for option in self.root.all("option"):
            out = option.numbers("gravity", 3, out)
            for name in option.attributes:
                if name in _FLUID:
                    if any(option.numbers(name, (1, 3))):
                        self.remarks.ignore(f"{name} attributes of <option>", "fluid forces are not read")
                elif name != "gravity":
                    self.remarks.ignore(f"{name} attributes of <option>", "how to simulate is not in the mechanism")
            for flag in option.all("flag"):
                for name in flag.attributes:
                    if name == "gravity":
                        if not choice(flag, "gravity", {"enable": True, "disable": False}):
                            out = [0.0, 0.0, 0.0]
                    else:
                        self.remarks.ignore(f"{name} attributes of <flag>", "how to simulate is not in the mechanism")
        return out

    def learn_names(self) -> None:
        """Names in the file, so that those made here are others."""
        self.names: dict[str, set[str]] = {"body": {"ground", "world"}, "joint": set(), "site": set()}
        stack = self.root.all("worldbody")
        while stack:
            element = stack.pop()
            kind = "joint" if element.tag == "freejoint" else element.tag
            name = element.attributes.get("name")
            if kind in self.names and name is not None:
                if name in self.names[kind] and name != "ground":
                    raise element.error(f"expected each {kind} name once, found {shown(name)} again; rename one")
                self.names[kind].add(name)
            stack.extend(reversed(element.children))

    def fresh(self, kind: str, wanted: str) -> str:
        made = unique_name(wanted, self.names[kind])
        self.names[kind].add(made)
        return made

    # -- bodies: what there is --------------------------------------------------------------------------
    def plan(self) -> None:
        """Walk the bodies depth first, in the order of the file, and note what each holds."""
        worlds = self.root.all("worldbody")
        if not worlds:
            raise self.root.error("expected a <worldbody>, found none")
        stack: list[tuple[Element, str, str, Pose, bool]] = []
        self.sites: list[tuple[Element, str, Pose]] = []
        for world in reversed(worlds):
            stack.append((world, "ground", self.defaults.top, Pose(), False))
        while stack:
            element, parent, childclass, pose, moves = stack.pop()
            is_world = element.tag == "worldbody"
            own = "ground" if is_world else self.body_name(element)
            held = list(self.contents(element, childclass))
            joints = [h for h in held if h[0].tag in ("joint", "freejoint")]
            if is_world and (joints or any(h[0].tag == "inertial" for h in held)):
                raise element.error("expected no joints or inertia in <worldbody>, found some; put them in a <body>")
            if not is_world:
                if element.attributes.get("mocap") == "true":
                    self.remarks.ignore("mocap attributes of <body>", "the body stands still; use inputs")
                if element.number("gravcomp", 0.0):
                    self.remarks.ignore(
                        "gravcomp attributes of <body>", "gravity compensation is not read; use force()"
                    )
                moves = moves or bool(joints)
                self.matter[own] = self.weigh(element, held, moves)
                self.placed.append({"element": element, "name": own, "parent": parent, "pose": pose, "joints": joints})
            inner = []
            for child, klass, frame in held:
                if child.tag == "site":
                    self.sites.append((child, own, frame))
                elif child.tag == "body":
                    below = child.attributes.get("childclass", klass)
                    inner.append((child, own, below, frame @ read_pose(child, self.compiler), moves))
            stack.extend(reversed(inner))

    def body_name(self, element: Element) -> str:
        name = element.attributes.get("name")
        if name == "ground":
            made = self.fresh("body", "ground_body")
            self.remarks.say(f"the body 'ground' is called {made!r}: 'ground' is the world")
            return made
        return name if name else self.fresh("body", "body")

    def contents(self, element: Element, childclass: str) -> Iterator[tuple[Element, str, Pose]]:
        """What a body holds, frames dissolved: (element with its defaults, class for those below, frame)."""
        stack = [(child, childclass, Pose()) for child in reversed(element.children)]
        while stack:
            child, klass, frame = stack.pop()
            if child.tag == "frame":
                inner = frame @ read_pose(child, self.compiler)
                below = child.attributes.get("childclass", klass)
                stack.extend((c, below, inner) for c in reversed(child.children))
            elif child.tag in _REFUSED:
                raise child.error(f"expected plain bodies, found {child.shown}; let MuJoCo write the expanded model")
            elif child.tag in ("geom", "site", "joint"):
                yield self.defaults.resolve(child, klass), klass, frame
            elif child.tag in _READ_IN_BODY:
                yield child, klass, frame
            else:
                self.remarks.ignore(f"<{child.tag}> elements", "looks are not used by the dynamics")

    def weigh(self, element: Element, held: list[tuple[Element, str, Pose]], moves: bool) -> Matter:
        """Mass and inertia of a body, as the compiler settings say."""
        given = [h[0] for h in held if h[0].tag == "inertial"]
        geoms = [(h[0], h[2]) for h in held if h[0].tag == "geom"]
        if len(given) > 1:
            raise given[1].error(f"expected one <inertial> in {element.shown}, found {len(given)}; remove one")
        if geoms:
            why = "only their mass is used; contacts are not read yet"
            self.remarks.ignore("<geom> elements", why, len(geoms))
        mode = self.compiler.inertia_from_geom
        if given and mode != "true":
            return bounded(read_inertial(given[0], self.compiler), self.compiler)
        if mode == "false":
            return bounded(Matter(), self.compiler)
        if not moves and self.compiler.total_mass <= 0.0 and any(_is_mesh(g) for g, _ in geoms):
            return Matter()  # stands still: its mass is never asked for
        parts = [m for g, f in geoms if (m := geom_matter(g, f, self.compiler)) is not None]
        return bounded(gather(parts), self.compiler)

    def scale(self) -> None:
        """The compiler's total mass."""
        wanted = self.compiler.total_mass
        total = sum(m.mass for m in self.matter.values())
        if wanted > 0.0 and total > 0.0:
            for m in self.matter.values():
                m.mass *= wanted / total
                m.inertia = m.inertia * (wanted / total)

    # -- bodies: the mechanism --------------------------------------------------------------------------
    def build(self) -> None:
        for plan in self.placed:
            element: Element = plan["element"]
            with element.place():
                self.body(plan["name"])
                self.chain(plan["name"], plan["parent"], plan["pose"], plan["joints"])
        for site, body, frame in self.sites:
            with site.place():
                self.site(site, body, frame)

    def body(self, name: str) -> None:
        matter = self.matter[name]
        self.mechanism.body(name, matter.mass, self.tidy.point(list(matter.centre)), self.tidy.inertia(matter.inertia))

    def chain(self, name: str, parent: str, pose: Pose, joints: list[tuple[Element, str, Pose]]) -> None:
        """The joints between a body and its parent."""
        kinds = [self.kind(j) for j, _, _ in joints]
        if not joints:
            self.mechanism.joint(self.fresh("joint", f"{name}_weld"), "fixed", parent, name, **self.at(pose))
            return
        if "free" in kinds:
            self.free(name, parent, pose, joints)
            return
        before, shift = parent, np.zeros(3)  # shift: the body's origin as seen from the last carrier
        for k, (joint, _, frame) in enumerate(joints):
            anchor = frame.origin + frame.rotation @ np.array(joint.numbers("pos", 3, [0.0, 0.0, 0.0]))
            is_last = k == len(joints) - 1
            own = joint.attributes.get("name") or self.fresh("joint", f"{name}_joint")
            carries = name if is_last and not anchor.any() else self.fresh("body", f"{own}_carrier")
            if carries != name:
                self.mechanism.body(carries)
            here = pose @ Pose(origin=anchor) if k == 0 else Pose(origin=shift + anchor)
            with joint.place():
                self.joint(own, joint, frame, before, carries, here)
            before, shift = carries, -anchor
        if before != name:
            weld = self.fresh("joint", f"{name}_weld")
            self.mechanism.joint(weld, "fixed", before, name, **self.at(Pose(origin=shift)))

    def at(self, pose: Pose) -> dict[str, Any]:
        options: dict[str, Any] = {"origin": self.tidy.point([float(x) for x in pose.origin])}
        if not np.array_equal(pose.rotation, np.eye(3)):
            options["rotation"] = [[float(x) for x in row] for row in pose.rotation]
        return options

    def kind(self, joint: Element) -> str:
        if joint.tag == "freejoint":
            return "free"
        return KINDS[choice(joint, "type", {k: k for k in KINDS}) if "type" in joint.attributes else "hinge"]

    def free(self, name: str, parent: str, pose: Pose, joints: list[tuple[Element, str, Pose]]) -> None:
        joint = joints[0][0]
        if len(joints) > 1:
            raise joints[1][0].error("expected a free joint alone in its body, found another joint beside it")
        if parent != "ground":
            raise joint.error("expected a free joint on a body of the world, found one further out; use other joints")
        if joint.attributes.get("align") == "true":
            self.remarks.ignore("align attributes of <freejoint>", "body frames stay where the file puts them")
        own = joint.attributes.get("name") or self.fresh("joint", f"{name}_joint")
        start = (*pose.origin, *matrix_quaternion(pose.rotation))
        options = {} if joint.tag == "freejoint" else self.passive_options(joint, "free")
        with joint.place():
            self.mechanism.free(own, name, initial=[float(x) for x in start], **options)

    def joint(self, own: str, joint: Element, frame: Pose, parent: str, child: str, pose: Pose) -> None:
        kind = self.kind(joint)
        options = self.at(pose) | self.passive_options(joint, kind)
        if kind in ("revolute", "prismatic"):
            axis = frame.rotation @ np.array(joint.numbers("axis", 3, [0.0, 0.0, 1.0]))
            options["axis"] = [float(x) for x in axis]
            reference = self.coordinate(joint.number("ref", 0.0), kind)
            if reference:
                options |= {"reference": reference, "initial": [reference]}
        options["limits"] = self.limits(joint, kind)
        self.mechanism.joint(own, kind, parent, child, **options)

    def coordinate(self, value: float, kind: str) -> float:
        return radians(value, self.compiler) if kind in ("revolute", "spherical") else value

    def passive_options(self, joint: Element, kind: str) -> dict[str, Any]:
        options: dict[str, Any] = {"armature": joint.number("armature", 0.0)}
        if "springdamper" in joint.attributes and any(joint.numbers("springdamper", 2)):
            self.remarks.ignore("springdamper attributes of <joint>", "give stiffness and damping instead")
        if not self.passive:
            return options
        for theirs, ours in (
            ("damping", "damping"),
            ("frictionloss", "friction"),
            ("stiffness", "stiffness"),
        ):
            values = joint.numbers(theirs, (1, 10), [0.0])
            if any(values[1:]):
                self.remarks.ignore(f"higher terms of {theirs} of <joint>", "only the linear term is read")
            options[ours] = values[0]
        if kind in ("spherical", "free") and options.pop("stiffness"):
            self.remarks.ignore("stiffness attributes of ball and free joints", "use spring() or law()")
        elif options.get("stiffness"):
            options["rest"] = self.coordinate(joint.number("springref", 0.0), kind)
        return options

    def limits(self, joint: Element, kind: str) -> Limits | None:
        limited = choice(joint, "limited", LIMITED) if "limited" in joint.attributes else None
        made = Limits()
        if "range" in joint.attributes:
            low, high = (self.coordinate(x, kind) for x in joint.numbers("range", 2))
            if limited or (limited is None and self.compiler.autolimits):
                made.lower, made.upper = low, high
        if "actuatorfrcrange" in joint.attributes:
            low, high = joint.numbers("actuatorfrcrange", 2)
            if low == -high:
                made.effort = high
        return made if made != Limits() else None

    def site(self, site: Element, body: str, frame: Pose) -> None:
        pose = frame @ read_segment(site, self.compiler)[0]
        wanted = site.attributes.get("name") or self.fresh("site", "site")
        name = wanted
        if wanted in self.mechanism.joints:  # origins of joints and frames are parameters with these names
            name = unique_name(f"{wanted}_site", {*self.names["site"], *self.mechanism.joints})
            self.names["site"].add(name)
            self.remarks.say(f"the site {shown(wanted)} is called {shown(name)}: a joint has its name")
        self.frames[wanted] = name
        self.mechanism.frame(name, body, **self.at(pose))

    def places(self) -> Places:
        """What the file calls bodies and sites, and where bodies are at the start."""
        start = {"ground": Pose()}
        bodies = {"world": "ground"}
        for plan in self.placed:
            start[plan["name"]] = start[plan["parent"]] @ plan["pose"]
            given = plan["element"].attributes.get("name")
            if given:
                bodies[given] = plan["name"]
        return Places(bodies, self.frames, start)


def _is_mesh(geom: Element) -> bool:
    return "mesh" in geom.attributes or geom.attributes.get("type") in ("mesh", "sdf")

"""From a YAML tree to a mechanism.

Expressions may use names that come later in the file, and numbers become parameters as the mechanism is
built. So a file with expressions is built twice: once to learn the names, and once with the expressions
in place.
"""

from __future__ import annotations

import math
from typing import Any

from ..symbolic import Expr
from .description import GRAVITY
from .joint import Limits, Mimic
from .law import DISTANCE, DISTANCE_RATE
from .mechanism import Mechanism
from .scope import scope
from .yaml_contact_reader import ContactReader
from .yaml_tree import ListNode, MapNode, Node
from .yaml_value_reader import LIVE

#: version of the format
VERSION = 1

_SECTIONS = (
    "touchweight", "name", "gravity", "parameters", "bodies", "joints", "frames", "inputs", "states",
    "sensors", "forces", "shapes", "contacts", "loops", "constraints", "drives", "modes", "transitions", "remarks",
)  # fmt: skip
_PARAMETER = (*LIVE, "kind", "explicit")
_JOINT_SCALARS = ("damping", "friction", "stiffness", "rest", "armature")
_JOINT = (
    "kind", "parent", "child", "axis", "axis2", "origin", "rotation", *_JOINT_SCALARS, "limits", "mimic",
    "reference", "initial",
)  # fmt: skip
_LIMITS = ("lower", "upper", "velocity", "effort")


def build(root: Node) -> Mechanism:
    """The mechanism that a YAML tree describes."""
    top = root.mapping()
    top.allow(_SECTIONS)
    version = top.need("touchweight").number()
    if version != VERSION:
        raise top.need("touchweight").error(f"expected format {VERSION}, found {version:g}; update touchweight")
    learning = _Builder(top, None)
    learning.build()
    if not learning.has_expressions:
        return learning.mechanism
    with top.place():
        names: dict[str, Expr] = {**scope(learning.mechanism)}
    reading = _Builder(top, names)
    reading.build()
    return reading.mechanism


class _Builder(ContactReader):
    """One pass over the file."""

    def build(self) -> None:
        self.start()
        self.parameters()
        for section, read in (
            ("bodies", self.body),
            ("joints", self.joint),
            ("frames", self.frame),
            ("inputs", self.input),
            ("states", self.state),
            ("sensors", self.sensor),
            ("forces", self.force),
            ("shapes", self.shape),
            ("contacts", self.contact),
            ("loops", self.loop),
            ("constraints", self.constraint),
            ("drives", self.drive),
            ("modes", self.mode),
            ("transitions", self.transition),
        ):
            for name, node in self.section(section):
                with node.place():
                    read(name, node.mapping())

    def section(self, key: str) -> list[tuple[str, Node]]:
        found = self.top.get(key)
        return [] if found is None else list(found.mapping().entries.items())

    def start(self) -> None:
        name, gravity, remarks = self.top.get("name"), self.top.get("gravity"), self.top.get("remarks")
        values = GRAVITY if gravity is None else self.vector(gravity)
        self.mechanism = Mechanism("mechanism" if name is None else name.text(), values)
        if remarks is not None:
            self.mechanism.remarks = [entry.text() for entry in remarks.items()]

    def parameters(self) -> None:
        for name, node in self.section("parameters"):
            with node.place():
                if not isinstance(node, MapNode):
                    self.mechanism.parameter(name, node.number())
                    continue
                node.allow(_PARAMETER)
                live = self.live(node)
                kind, explicit = node.get("kind"), node.get("explicit")
                self.mechanism.parameter(
                    name,
                    live.value,
                    live.unit or "",
                    minimum=-math.inf if live.minimum is None else live.minimum,
                    maximum=live.maximum,
                    description=live.description,
                    kind="parameter" if kind is None else kind.text(),
                )
                if explicit is not None:
                    self.mechanism.parameters[name].explicit = explicit.flag()

    # -- bodies, joints, frames -------------------------------------------------------------------------
    def body(self, name: str, node: MapNode) -> None:
        node.allow(("mass", "com", "inertia"))
        options = self.scalars(node, ("mass",))
        com, inertia = node.get("com"), node.get("inertia")
        if com is not None:
            options["com"] = self.vector(com)
        if inertia is not None:
            options["inertia"] = [
                [self.scalar(x) for x in entry.items(3)] if isinstance(entry, ListNode) else self.scalar(entry)
                for entry in inertia.items()
            ]
        self.mechanism.body(name, **options)

    def joint(self, name: str, node: MapNode) -> None:
        node.allow(_JOINT)
        options = self.placement(node) | self.scalars(node, _JOINT_SCALARS)
        for key in ("axis", "axis2"):
            found = node.get(key)
            if found is not None:
                options[key] = self.axis(found)
        limits, mimic, reference, initial = (node.get(k) for k in ("limits", "mimic", "reference", "initial"))
        if limits is not None:
            given = limits.mapping()
            given.allow(_LIMITS)
            options["limits"] = Limits(**{k: n.number() for k in _LIMITS if (n := given.get(k)) is not None})
        if mimic is not None:
            options["mimic"] = self.mimic(mimic.mapping())
        if reference is not None:
            options["reference"] = reference.number()
        if initial is not None:
            options["initial"] = [entry.number() for entry in initial.items()]
        kind = node.need("kind").text()
        if kind == "universal":
            options.setdefault("axis", "x")
            options.setdefault("axis2", "y")
        self.mechanism.joint(name, kind, node.need("parent").text(), node.need("child").text(), **options)

    def mimic(self, node: MapNode) -> Mimic:
        node.allow(("joint", "multiplier", "offset"))
        multiplier, offset = node.get("multiplier"), node.get("offset")
        return Mimic(
            node.need("joint").text(),
            1.0 if multiplier is None else multiplier.number(),
            0.0 if offset is None else offset.number(),
        )

    def frame(self, name: str, node: MapNode) -> None:
        node.allow(("body", "origin", "rotation"))
        self.mechanism.frame(name, node.need("body").text(), **self.placement(node))

    # -- signals ----------------------------------------------------------------------------------------
    def input(self, name: str, node: MapNode) -> None:
        node.allow(("unit", "value", "description"))
        unit, value, description = (node.get(k) for k in ("unit", "value", "description"))
        self.mechanism.input(
            name,
            "" if unit is None else unit.text(),
            0.0 if value is None else value.number(),
            "" if description is None else description.text(),
        )

    def state(self, name: str, node: MapNode) -> None:
        node.allow(("rate", "initial", "unit"))
        rate, initial, unit = (node.get(k) for k in ("rate", "initial", "unit"))
        self.mechanism.state(
            name,
            0.0 if rate is None else self.value(rate),
            0.0 if initial is None else initial.number(),
            "" if unit is None else unit.text(),
        )

    def sensor(self, name: str, node: MapNode) -> None:
        node.allow(("kind", "frame", "axes"))
        axes = node.get("axes")
        kind, place = node.need("kind").text(), self.place(node.need("frame"))
        self.mechanism.sensor(name, kind, place, "world" if axes is None else axes.text())

    # -- forces -----------------------------------------------------------------------------------------
    def force(self, name: str, node: MapNode) -> None:
        kinds = {
            "spring": self.spring,
            "law": self.law,
            "joint_law": self.joint_law,
            "force": self.frame_force,
            "actuator": self.actuator,
        }
        kind = node.need("kind")
        if kind.text() not in kinds:
            raise kind.error(f"expected a force kind among {', '.join(kinds)}, found {kind.noun}")
        kinds[kind.text()](name, node)

    def ends(self, node: MapNode) -> tuple[Any, Any]:
        a, b = node.need("between").items(2)
        return self.place(a), self.place(b)

    def spring(self, name: str, node: MapNode) -> None:
        node.allow(("kind", "between", "stiffness", "length", "damping"))
        node.need("stiffness")
        self.mechanism.spring(name, *self.ends(node), **self.scalars(node, ("stiffness", "length", "damping")))

    def law(self, name: str, node: MapNode) -> None:
        node.allow(("kind", "between", "law", "potential", "parameters"))
        a, b = self.ends(node)
        local: dict[str, Expr] = {"d": DISTANCE, "d_dot": DISTANCE_RATE, **self.law_parameters(name, node)}
        made = self.mechanism.law(name, a, b, self.value(node.need("law"), local))
        potential = node.get("potential")
        if potential is not None:
            made.potential = self.value(potential, local)

    def joint_law(self, name: str, node: MapNode) -> None:
        node.allow(("kind", "speed", "law", "potential", "parameters"))
        speed = node.need("speed").text()
        local: dict[str, Expr] = {"v": self.mechanism.v(speed)}
        if speed in self.mechanism.coordinates:
            local["q"] = self.mechanism.q(speed)
        local = {k: s for k, s in local.items() if k not in (self.names or {})}
        local |= self.law_parameters(name, node)
        made = self.mechanism.joint_law(name, speed, self.value(node.need("law"), local))
        potential = node.get("potential")
        if potential is not None:
            made.potential = self.value(potential, local)

    def law_parameters(self, name: str, node: MapNode) -> dict[str, Expr]:
        """The parameters of a law, under the short names by which it may call them."""
        found = node.get("parameters")
        if found is None:
            return {}
        given = {key: self.scalar(value) for key, value in found.mapping().entries.items()}
        return self.mechanism._law_parameters(name, given)

    def frame_force(self, name: str, node: MapNode) -> None:
        node.allow(("kind", "frame", "force", "torque", "axes"))
        options: dict[str, Any] = {}
        for key in ("force", "torque"):
            found = node.get(key)
            if found is not None:
                options[key] = self.vector(found)
        axes = node.get("axes")
        if axes is not None:
            options["axes"] = axes.text()
        self.mechanism.force(name, self.place(node.need("frame")), **options)

    def actuator(self, name: str, node: MapNode) -> None:
        node.allow(("kind", "speed", "gear", "lag", "limit"))
        self.mechanism.actuator(name, node.need("speed").text(), **self.scalars(node, ("gear", "lag", "limit")))

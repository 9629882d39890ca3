"""A mechanism as MJCF, so that MuJoCo simulates the very same one: bodies, joints, balls that close loops, motors."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence

from ..mechanism import Joint, Loop, Mechanism, SpeedForce
from ..symbolic import Expr, evaluate

#: primitives of the kinds of joints that MuJoCo writes alike
KINDS = {"revolute": ("hinge",), "prismatic": ("slide",), "universal": ("hinge", "hinge"), "spherical": ("ball",)}


def to_mjcf(mechanism: Mechanism, step: float, integrator: str = "RK4", solref: str = "") -> str:
    """The MJCF text: contacts off, loops as ``connect`` between sites, an actuator for each input on a slide."""
    values = {p.symbol: p.value for p in mechanism.parameters.values()}

    def number(e: Expr) -> str:
        return repr(float(evaluate(e, values)))

    def numbers(es: Sequence[Expr]) -> str:
        return " ".join(number(e) for e in es)

    root = ElementTree.Element("mujoco", model=mechanism.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true", balanceinertia="false")
    option = ElementTree.SubElement(
        root,
        "option",
        timestep=repr(step),
        integrator=integrator,
        gravity=numbers(mechanism.gravity),
        tolerance="1e-12",
        iterations="100",
    )
    ElementTree.SubElement(option, "flag", contact="disable")
    places = {"ground": ElementTree.SubElement(root, "worldbody")}
    waiting = list(mechanism.joints.values())
    while waiting:
        joint = next(j for j in waiting if j.parent.name in places)
        waiting.remove(joint)
        places[joint.child.name] = _body(places[joint.parent.name], joint, numbers, number)
    equality = ElementTree.SubElement(root, "equality")
    for loop in mechanism.loops.values():
        if not isinstance(loop, Loop) or loop.kind != "ball":
            raise ValueError(f"expected only balls as loops to write MJCF, found {loop.name!r}")
        sides = (f"{loop.name}.a", loop.a), (f"{loop.name}.b", loop.b)
        for name, frame in sides:
            ElementTree.SubElement(places[frame.body.name], "site", name=name, pos=numbers(frame.origin))
        row = ElementTree.SubElement(equality, "connect", site1=sides[0][0], site2=sides[1][0])
        if solref:
            row.set("solref", solref)
    actuator = ElementTree.SubElement(root, "actuator")
    for force in mechanism.forces.values():
        name = force.name.removesuffix(".force")
        if name in mechanism.inputs and isinstance(force, SpeedForce):
            ElementTree.SubElement(actuator, "motor", name=name, joint=force.speed)
    return ElementTree.tostring(root, encoding="unicode")


def _body(
    parent: ElementTree.Element,
    joint: Joint,
    numbers: Callable[[Sequence[Expr]], str],
    number: Callable[[Expr], str],
) -> ElementTree.Element:
    rotation = [float(evaluate(x)) for row in joint.rotation for x in row]
    made = ElementTree.SubElement(
        parent,
        "body",
        name=joint.child.name,
        pos=numbers(joint.origin),
        xyaxes=" ".join(repr(rotation[i]) for i in (0, 3, 6, 1, 4, 7)),
    )
    for i, kind in enumerate(KINDS[joint.kind]):
        row = ElementTree.SubElement(made, "joint", type=kind, name=_joint_name(joint, i))
        if kind != "ball":
            row.set("axis", " ".join(repr(x) for x in (joint.axis, joint.axis2)[i]))
    body = joint.child
    xx, yy, zz, xy, xz, yz = body.inertia
    ElementTree.SubElement(
        made,
        "inertial",
        mass=number(body.mass),
        pos=numbers(body.com),
        fullinertia=numbers((xx, yy, zz, xy, xz, yz)),
    )
    return made


def _joint_name(joint: Joint, i: int) -> str:
    return joint.name if len(KINDS[joint.kind]) == 1 else joint.speeds[i]

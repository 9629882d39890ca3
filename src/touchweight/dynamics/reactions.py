"""Reactions: what every joint transmits, from the balance of forces and moments on all it carries.

A weld, too, can be looked into: for this it is taken apart into a joint with six speeds that stand still.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from ..mechanism import Mechanism
from ..symbolic import ONE, ZERO, Expr, substitute_all
from .closure import Row, closure_rows
from .forces import Forces, gather_forces
from .frames import Posture, postures
from .inverse import Wrench, forward_pass
from .kinematics import Kinematics
from .tree import Tree, build_tree
from .vector import Vector, cross, minus, plus, scale, shared, transform

#: components of a reaction, in order
COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")


def joint_reactions(mechanism: Mechanism, used: Sequence[int], multipliers: Sequence[Expr]) -> list[Expr]:
    """For each joint, force [N] and torque [N m] on its child, at the child frame's origin, in world axes.

    Args:
        mechanism: the mechanism.
        used: the rows of closure that carry forces.
        multipliers: their forces.
    """
    opened, welds = _without_welds(mechanism)
    tree = build_tree(opened)
    where = postures(tree, frozenset())
    rows = closure_rows(opened, tree, where)
    forces = gather_forces(opened, tree, where)
    for i, push in zip(used, multipliers, strict=True):
        push_row(forces, rows[i], push)
    transmitted = _transmitted(tree, where, forces)
    world = Kinematics(tree, where)
    out: list[Expr] = []
    for joint in mechanism.joints.values():
        place = tree.bodies[joint.child.name]
        wrench = transmitted[place.link]
        arm = world.arm(place)
        moment = minus(wrench.moment, cross(arm, wrench.force))
        out += world.to_reference(place.link, wrench.force)
        out += world.to_reference(place.link, shared(moment))
    return substitute_all(out, _standing(opened, welds)) if welds else out


def push_row(forces: Forces, row: Row, multiplier: Expr) -> None:
    """Add what the multiplier of a cut does to its two links; equations of users act on joints, not on links."""
    if row.push is None:
        return
    gap = row.push.gap
    for place, sign in ((gap.b, multiplier), (gap.a, -multiplier)):
        if place.link == -1:
            continue
        force = shared(gap.view.to_link(place.link, scale(sign, row.push.force)))
        torque = gap.view.to_link(place.link, scale(sign, row.push.torque))
        forces.push(place.link, force, plus(torque, cross(gap.view.arm(place), force)))


def _transmitted(tree: Tree, where: Sequence[Posture], forces: Forces) -> list[Wrench]:
    """The wrench that comes through each link's joint, at its origin, in its working axes."""
    own = forward_pass(tree, where, tree.a)
    total: list[tuple[list[Vector], list[Vector]]] = []
    for index, wrench in enumerate(own):
        pushed = forces.wrenches.get(index, Wrench())
        total.append(([minus(wrench.force, pushed.force)], [minus(wrench.moment, pushed.moment)]))
    out = [Wrench()] * len(own)
    for link in reversed(tree.links):
        pose = where[link.index]
        force, moment = (shared(plus(*parts)) for parts in total[link.index])
        out[link.index] = Wrench(force, moment)
        if link.parent >= 0:
            up = shared(transform(pose.turn, force))
            total[link.parent][0].append(up)
            total[link.parent][1].append(plus(shared(transform(pose.turn, moment)), cross(pose.offset, up)))
    return out


def _without_welds(mechanism: Mechanism) -> tuple[Mechanism, list[str]]:
    """The mechanism with every weld as a free joint; and which joints these are."""
    welds = [j.name for j in mechanism.joints.values() if j.kind == "fixed"]
    if not welds:
        return mechanism, []
    opened = copy.copy(mechanism)
    opened.joints = dict(mechanism.joints)
    for name in welds:
        joint = copy.copy(mechanism.joints[name])
        joint.kind = "free"
        opened.joints[name] = joint
    return opened, welds


def _standing(mechanism: Mechanism, welds: Sequence[str]) -> dict[Expr, Expr]:
    """Symbols of opened welds with the values at which they are closed and at rest."""
    tree = build_tree(mechanism)
    coordinates = dict(zip(tree.coordinates, tree.q, strict=True))
    speeds = dict(zip(tree.speeds, zip(tree.v, tree.a, strict=True), strict=True))
    out: dict[Expr, Expr] = {}
    for name in welds:
        joint = mechanism.joints[name]
        out.update({coordinates[c]: ONE if c.endswith(".qw") else ZERO for c in joint.coordinates})
        for s in joint.speeds:
            out.update(dict.fromkeys(speeds[s], ZERO))
    return out

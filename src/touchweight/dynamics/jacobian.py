"""The Jacobian of a frame: how each speed moves its point and turns its axes."""

from __future__ import annotations

from ..symbolic import ZERO, Expr
from .kinematics import Kinematics
from .tree import Placement, Tree
from .vector import ZERO3, column, cross, minus, shared


def frame_jacobian(tree: Tree, world: Kinematics, place: Placement) -> list[list[Expr]]:
    """Six rows (velocity of the point, then angular velocity, in world axes) by one column for each speed."""
    rows: list[list[Expr]] = [[ZERO] * len(tree.speeds) for _ in range(6)]
    point = shared(world.position(place))
    index = place.link
    while index >= 0:
        link = tree.links[index]
        pose = world.where[index]
        _, origin = world.pose(index)
        axes = [pose.axis] if link.kind != "S" else [column(pose.body, k) for k in range(3)]
        for k, axis in enumerate(axes):
            along = shared(world.to_reference(index, axis))
            turns = link.kind != "P"
            linear = cross(along, shared(minus(point, origin))) if turns else along
            angular = along if turns else ZERO3
            for r in range(3):
                rows[r][link.speed + k] = linear[r]
                rows[3 + r][link.speed + k] = angular[r]
        index = link.parent
    return rows

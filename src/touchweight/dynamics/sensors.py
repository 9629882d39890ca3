"""Sensors: readings of a frame's motion with respect to the world, as expressions."""

from __future__ import annotations

from collections.abc import Sequence

from ..mechanism import Sensor
from ..symbolic import Expr
from .kinematics import Kinematics
from .tree import Tree
from .vector import Vector, transform_back


def reading(tree: Tree, world: Kinematics, sensor: Sensor, a: Sequence[Expr]) -> list[Expr]:
    """The components of a sensor's reading."""
    place = tree.place(sensor.frame)
    if sensor.kind == "position":
        return list(_in_axes(world, sensor, place.link, world.position(place), in_world=True))
    if sensor.kind == "orientation":
        return [x for row in world.orientation(place) for x in row]
    vector: Vector
    if sensor.kind == "velocity":
        vector = world.velocity(place)
    elif sensor.kind == "angular_velocity":
        vector = world.twist(place.link)[0]
    elif sensor.kind == "acceleration":
        vector = world.acceleration(place, a)
    else:
        vector = world.motion(place.link, a).gain
    return list(_in_axes(world, sensor, place.link, vector, in_world=False))


def _in_axes(world: Kinematics, sensor: Sensor, link: int, x: Vector, in_world: bool) -> Vector:
    """A vector in the axes the sensor asks for; it comes in world or working axes."""
    if sensor.axes == "world":
        return x if in_world else world.to_reference(link, x)
    inner = world.to_link(link, x) if in_world else x
    return transform_back(world.axes(world.tree.place(sensor.frame)), inner)

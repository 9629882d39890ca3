"""The skeleton of a mechanism: what to draw of it, as sensors to record and lines between them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from ..mechanism import Body, Frame, Loop, Mechanism
from ..mechanism.body import Vector
from ..symbolic import ZERO


def add_skeleton(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Give every joint and free end a position sensor; returns the pieces between them, pairs of sensors."""
    made: dict[Body | Frame, str] = {}

    def seen(place: Body | Frame) -> str:
        if place not in made:
            made[place] = _new(f"drawn {place.name}", mechanism.sensors)
            mechanism.sensor(made[place], "position", place)
        return made[place]

    pieces: list[tuple[str, str]] = []
    parents = {j.parent for j in mechanism.joints.values()}
    loops = [loop for loop in mechanism.loops.values() if isinstance(loop, Loop)]
    # where loops hold bodies together, unless that is at a joint anyway
    joined = [f for loop in loops for f in (loop.a, loop.b) if _is_offset(f.origin)]
    for joint in mechanism.joints.values():
        body = joint.child
        # a joint on the ground needs no piece before it, unless it stands away and no shapes are drawn
        far = (joint.kind == "prismatic" or _is_offset(joint.origin)) and not mechanism.shapes
        if joint.parent is not mechanism.ground or far:
            pieces.append((seen(joint.parent), seen(body)))
        pieces += [(seen(a), seen(b)) for a, b in _outline(mechanism, body)]
        cuts = [f for f in joined if f.body is body]
        if body in parents:
            pieces += [(seen(body), seen(end)) for end in cuts]
            continue
        ends = cuts or [f for f in mechanism.frames.values() if f.body is body]
        if not ends and _is_offset(body.com):
            ends = [mechanism.frame(_new(f"middle of {body.name}", mechanism.frames), body, origin=body.com)]
        if len(ends) > 2:  # a plate: its outline
            ring: list[Body | Frame] = [body, *ends]
            pieces += [(seen(a), seen(b)) for a, b in zip(ring, [*ring[1:], body], strict=True)]
            continue
        pieces += [(seen(body), seen(end)) for end in ends]
    # a wheel on its axle has no length: show at least where it is
    somewhere = next(iter(mechanism.bodies.values()), mechanism.ground)
    return pieces or [(seen(somewhere), seen(somewhere))]


def _outline(mechanism: Mechanism, body: Body) -> list[tuple[Body | Frame, Body | Frame]]:
    """Lines to the shapes of a body: to the middle of what is round, along what is straight."""
    out: list[tuple[Body | Frame, Body | Frame]] = []
    for shape in mechanism.shapes.values():
        if shape.frame.body is not body or shape.frame.name != body.name or shape.kind in ("line", "plane", "box"):
            continue
        ends = [
            mechanism.frame(_new(f"drawn {shape.name} {i}", mechanism.frames), body, origin=point)
            for i, point in enumerate(shape.points)
        ]
        out += [(body, ends[0]), *pairwise(ends)]
    return out


def _is_offset(vector: Vector) -> bool:
    return any(x is not ZERO for x in vector)


def _new(name: str, taken: Mapping[str, object]) -> str:
    while name in taken:
        name += "'"
    return name

"""From a mechanism to a tree of links: one primitive joint each (turn, slide or ball), fixed joints merged.

A link's frame sits at its joint and moves with it, with the joint's axis along one of its own axes. The mass
properties of the bodies welded to a link are gathered in that frame as mass m, first moment s = m c and second
moment K = ∫ r rᵀ dm about the frame's origin (K relates to the inertia tensor by I = tr(K) 1 - K).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import MechanismError
from ..mechanism import JOINT_KINDS, Body, Frame, Joint, Mechanism
from ..symbolic import ZERO, Const, Expr, Symbol, const, cos, sin, symbol
from .vector import (
    IDENTITY,
    ZERO3,
    ZERO_SYMMETRIC,
    Matrix,
    Symmetric,
    Vector,
    axis_rotation,
    congruence,
    outer,
    plus,
    product,
    quaternion_rotation,
    scale,
    square,
    symmetric_plus,
    transform,
    transpose,
)

#: an entry of a product of constant rotations this close to -1, 0 or 1 is taken to be it
DUST = 1e-15


@dataclass
class Inertia:
    """Mass m [kg], first moment s [kg m], second moment K [kg m²] about the origin of a frame."""

    mass: Expr = ZERO
    moment: Vector = ZERO3
    second: Symmetric = ZERO_SYMMETRIC

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(
            self.mass + other.mass, plus(self.moment, other.moment), symmetric_plus(self.second, other.second)
        )

    def moved(self, rotation: Matrix, offset: Vector) -> Inertia:
        """The same matter seen from a frame in which ours sits at ``offset`` with orientation ``rotation``."""
        s = transform(rotation, self.moment)
        return Inertia(
            self.mass,
            plus(s, scale(self.mass, offset)),
            symmetric_plus(
                congruence(rotation, self.second),
                outer(s, offset),
                tuple(self.mass * x for x in square(offset)),  # type: ignore[arg-type]
            ),
        )

    @property
    def is_zero(self) -> bool:
        """Structurally nothing there."""
        return all(x is ZERO for x in (self.mass, *self.moment, *self.second))


@dataclass
class Link:
    """One primitive joint and what it carries.

    Attributes:
        index: its place in the tree; parents come first.
        parent: index of the parent link, -1 for the ground.
        kind: "R" turns, "P" slides, "S" is a ball.
        axis: 0, 1 or 2: the axis of the link frame it moves about or along.
        direction: +1 or -1: along or against that axis.
        rotation: orientation of the joint frame (at q = 0) in the parent link's frame; constant.
        offset: origin of the joint in the parent link's frame [m]; constant.
        q: coordinate symbols (one, or four for a ball).
        v: speed symbols (one, or three).
        a: acceleration symbols.
        speed: index of its first speed in v.
        angle: coordinate relative to the reference, for R and P.
        inertia: what it carries, in its own frame.
        armature: drive inertia on each of its speeds.
        name: the joint it comes from.
    """

    index: int
    parent: int
    kind: str
    axis: int
    direction: float
    rotation: Matrix
    offset: Vector
    q: tuple[Symbol, ...]
    v: tuple[Symbol, ...]
    a: tuple[Symbol, ...]
    speed: int
    angle: Expr
    inertia: Inertia = field(default_factory=Inertia)
    armature: Expr = ZERO
    name: str = ""

    def joint_rotation(self) -> Matrix:
        """Rotation of the link frame relative to the joint frame, by its coordinate."""
        if self.kind == "R":
            return axis_rotation(self.axis, self.direction * sin(self.angle), cos(self.angle))
        if self.kind == "S":
            w, x, y, z = self.q
            return quaternion_rotation((w, x, y, z))
        return IDENTITY

    def unit(self) -> Vector:
        """The joint's axis in the link frame (and in the joint frame: it doesn't move)."""
        d = const(self.direction)
        return (d if self.axis == 0 else ZERO, d if self.axis == 1 else ZERO, d if self.axis == 2 else ZERO)


@dataclass(frozen=True)
class Placement:
    """Where a frame sits: link index, orientation and origin in the link frame."""

    link: int
    rotation: Matrix
    origin: Vector


@dataclass
class Tree:
    """The links of a mechanism and where its bodies sit on them.

    Attributes:
        links: parents before children.
        coordinates: names of q in order; a ball has four.
        speeds: names of v in order.
        q: symbols of the coordinates.
        v: symbols of the speeds.
        a: symbols of the accelerations.
        gravity: in world axes [m/s²].
    """

    links: list[Link]
    bodies: dict[str, Placement]
    coordinates: list[str]
    speeds: list[str]
    gravity: Vector

    @property
    def q(self) -> list[Symbol]:
        """Symbols of the coordinates."""
        return [symbol(f"q.{n}", "coordinate") for n in self.coordinates]

    @property
    def v(self) -> list[Symbol]:
        """Symbols of the speeds."""
        return [symbol(f"v.{n}", "speed") for n in self.speeds]

    @property
    def a(self) -> list[Symbol]:
        """Symbols of the accelerations."""
        return [symbol(f"a.{n}", "acceleration") for n in self.speeds]

    def place(self, frame: Frame) -> Placement:
        """Where a frame of the mechanism sits in the tree."""
        body = self.bodies[frame.body.name]
        return Placement(
            body.link,
            product(body.rotation, frame.rotation),
            plus(body.origin, transform(body.rotation, frame.origin)),
        )

    def children(self) -> list[list[int]]:
        """The child links of each link; the last list holds those of the ground."""
        lists: list[list[int]] = [[] for _ in range(len(self.links) + 1)]
        for link in self.links:
            lists[link.parent].append(link.index)
        return lists


def build_tree(mechanism: Mechanism) -> Tree:
    """Lower a mechanism to a tree of links."""
    coordinates, speeds = mechanism.coordinates, mechanism.speeds
    speed_index = {name: i for i, name in enumerate(speeds)}
    tree = Tree([], {"ground": Placement(-1, IDENTITY, ZERO3)}, coordinates, speeds, mechanism.gravity)
    for joint in joints_outward(mechanism):
        _append_joint(tree, joint, speed_index)
    for body in mechanism.bodies.values():
        place = tree.bodies[body.name]
        if place.link >= 0 and not body.is_massless:
            link = tree.links[place.link]
            link.inertia = link.inertia + body_inertia(body).moved(place.rotation, place.origin)
    return tree


def joints_outward(mechanism: Mechanism) -> list[Joint]:
    """The joints in an order in which every parent body is placed before its children (depth first)."""
    by_parent: dict[str, list[Joint]] = {}
    for joint in mechanism.joints.values():
        by_parent.setdefault(joint.parent.name, []).append(joint)
    order: list[Joint] = []
    reached = {"ground"}
    stack = list(reversed(by_parent.get("ground", [])))
    while stack:
        joint = stack.pop()
        if joint.child.name in reached:
            raise MechanismError(
                f"expected a tree, found a loop at body {joint.child.name!r} through joint {joint.name!r}; "
                "cut one joint"
            )
        reached.add(joint.child.name)
        order.append(joint)
        stack.extend(reversed(by_parent.get(joint.child.name, [])))
    lost = [b for b in mechanism.bodies if b not in reached]
    if lost:
        raise MechanismError(
            f"expected every body to hang on the ground through joints, found {lost[0]!r} loose"
            + (f" and {len(lost) - 1} more" if len(lost) > 1 else "")
            + "; add a joint (a free one if it flies)"
        )
    return order


def body_inertia(body: Body) -> Inertia:
    """Mass, first and second moment of a body about its frame's origin."""
    m, c = body.mass, body.com
    xx, yy, zz, xy, xz, yz = body.inertia
    central: Symmetric = (
        0.5 * (yy + zz - xx),
        0.5 * (xx + zz - yy),
        0.5 * (xx + yy - zz),
        -xy,
        -xz,
        -yz,
    )
    return Inertia(m, scale(m, c), symmetric_plus(central, tuple(m * x for x in square(c))))  # type: ignore[arg-type]


def _append_joint(tree: Tree, joint: Joint, speed_index: dict[str, int]) -> None:
    """Add the chain of primitive links of a joint, and place its child body."""
    kind = JOINT_KINDS[joint.kind]
    parent = tree.bodies[joint.parent.name]
    link = parent.link
    rotation = _tidied(product(parent.rotation, joint.rotation))
    offset = plus(parent.origin, transform(parent.rotation, joint.origin))
    q_names, v_names = list(joint.coordinates), list(joint.speeds)
    for number, primitive in enumerate(kind.primitives):
        nq, nv = (4, 3) if primitive == "S" else (1, 1)
        qs, q_names = q_names[:nq], q_names[nq:]
        vs, v_names = v_names[:nv], v_names[nv:]
        axis, direction, align = _aligned(_primitive_axis(joint, number))
        if primitive == "S":
            axis, direction, align = 2, 1.0, IDENTITY
        q = tuple(symbol(f"q.{n}", "coordinate") for n in qs)
        made = Link(
            index=len(tree.links),
            parent=link,
            kind=primitive,
            axis=axis,
            direction=direction,
            rotation=_tidied(product(rotation, align)),
            offset=offset,
            q=q,
            v=tuple(symbol(f"v.{n}", "speed") for n in vs),
            a=tuple(symbol(f"a.{n}", "acceleration") for n in vs),
            speed=speed_index[vs[0]],
            angle=q[0] - joint.reference if primitive != "S" else ZERO,
            armature=joint.armature,
            name=joint.name,
        )
        tree.links.append(made)
        link = made.index
        # the next primitive starts from this link's frame, turned back to the user's axes
        rotation = transpose(align)
        offset = ZERO3
    tree.bodies[joint.child.name] = Placement(link, rotation, offset)


def _primitive_axis(joint: Joint, number: int) -> tuple[float, float, float]:
    """The axis of the number-th primitive of a joint, in the joint frame."""
    if joint.kind == "universal":
        return joint.axis if number == 0 else joint.axis2
    if joint.kind == "planar":
        x, y = plane(joint.axis)
        return (x, y, joint.axis)[number]
    if joint.kind == "free" and number < 3:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))[number]
    return joint.axis


def plane(
    normal: tuple[float, float, float],
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Two unit vectors that make a right-handed frame with ``normal``; x, y for z."""
    k = max(range(3), key=lambda i: abs(normal[i]))
    seed = [0.0, 0.0, 0.0]
    seed[(k + 1) % 3] = 1.0
    along = sum(a * b for a, b in zip(seed, normal, strict=True))
    x = [a - along * b for a, b in zip(seed, normal, strict=True)]
    size = sum(a * a for a in x) ** 0.5
    x = [a / size for a in x]
    y = (
        normal[1] * x[2] - normal[2] * x[1],
        normal[2] * x[0] - normal[0] * x[2],
        normal[0] * x[1] - normal[1] * x[0],
    )
    return (x[0], x[1], x[2]), y


def _aligned(axis: tuple[float, float, float]) -> tuple[int, float, Matrix]:
    """(coordinate axis, direction, rotation that carries that axis onto ``axis``)."""
    for k in range(3):
        if abs(axis[k]) == 1.0 and not any(axis[i] for i in range(3) if i != k):
            return k, axis[k], IDENTITY
    x, y = plane(axis)
    rows = [[x[i], y[i], axis[i]] for i in range(3)]
    a, b, c = ((const(r[0]), const(r[1]), const(r[2])) for r in rows)
    return 2, 1.0, (a, b, c)


def _tidied(m: Matrix) -> Matrix:
    """A rotation without rounding dust, so that oblique axes that are parallel stay so and leave no terms."""

    def tidy(e: Expr) -> Expr:
        if isinstance(e, Const) and abs(e.value - round(e.value)) < DUST:
            return const(round(e.value))
        return e

    a, b, c = ((tidy(r[0]), tidy(r[1]), tidy(r[2])) for r in m)
    return (a, b, c)

"""Contact kinematics: for each pair of shapes the gap, and how every speed opens it and slides along it.

The normal points from b to a; the gap is positive while they are apart. The rows are those of the velocity of a
relative to b at the point of contact, along the normal and along one tangent (in a plane) or two (in space): what
multiplies the contact's force in the equations of motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..mechanism import Mechanism
from ..mechanism.contact import COMPRESSION, COMPRESSION_RATE, Contact
from ..mechanism.shape import ALONG, PLANAR, Shape
from ..symbolic import (
    ONE,
    ZERO,
    Expr,
    const,
    differentiate,
    less,
    maximum,
    minimum,
    select,
    share,
    sqrt,
    substitute,
    substitute_all,
    total,
)
from .frames import Posture
from .kinematics import Kinematics, common_ancestor
from .signals import Signals
from .slopes import along_speeds, by_directions
from .tree import Placement, Tree
from .vector import Matrix, Vector, column, cross, dot, minus, plus, scale, shared, transform, transform_back

#: added to squared distances, so that shapes whose centres coincide have a normal (none) instead of a division by zero
TINY = 1e-24

Row = dict[int, Expr]


@dataclass
class Touch:
    """One point at which a contact may act.

    Attributes:
        name: of the contact (boxes and capsules have several points).
        contact: what it belongs to.
        gap: [m or rad].
        normal: row over the speeds, by index, without zeros.
        tangents: one row or two.
    """

    name: str
    contact: Contact
    gap: Expr
    normal: Row
    tangents: list[Row] = field(default_factory=list)


def touches(mechanism: Mechanism, tree: Tree, where: Sequence[Posture]) -> list[Touch]:
    """Every point at which something may touch, in the order described."""
    views: dict[int, Kinematics] = {-1: Kinematics(tree, where)}
    signals = Signals(mechanism, tree, views[-1], [ZERO] * len(tree.speeds))
    out: list[Touch] = []
    for contact in mechanism.contacts.values():
        if contact.gap is not None:
            out.append(_stop(tree, signals, contact))
            continue
        assert contact.a is not None and contact.b is not None
        links = tree.place(contact.a.frame).link, tree.place(contact.b.frame).link
        base = common_ancestor(tree, *links)
        if base not in views:
            views[base] = Kinematics(tree, where, base)
        out.extend(_pair(views[base], contact))
    return out


def _stop(tree: Tree, signals: Signals, contact: Contact) -> Touch:
    assert contact.gap is not None
    gap = share(signals.resolve(contact.gap))
    row = by_directions([gap], along_speeds(tree))[0]
    return Touch(contact.name, contact, gap, {k: share(e) for k, e in enumerate(row) if e is not ZERO})


# -- pairs -----------------------------------------------------------------------------------------------------
@dataclass
class _Placed:
    """A shape seen from the common ancestor."""

    shape: Shape
    place: Placement
    points: list[Vector]
    normal: Vector
    axes: Matrix
    origin: Vector


def _placed(view: Kinematics, shape: Shape) -> _Placed:
    place = view.tree.place(shape.frame)
    axes = view.orientation(place)
    origin = shared(view.position(place))
    points = [shared(plus(origin, transform(axes, p))) for p in shape.points]
    x, y, z = shape.normal
    return _Placed(shape, place, points, shared(transform(axes, (const(x), const(y), const(z)))), axes, origin)


def _pair(view: Kinematics, contact: Contact) -> list[Touch]:
    assert contact.a is not None and contact.b is not None
    a, b = _placed(view, contact.a), _placed(view, contact.b)
    flip = _ORDER.index(a.shape.kind) > _ORDER.index(b.shape.kind)
    first, second = (b, a) if flip else (a, b)
    found = _meet(view, first, second)
    planar = contact.a.kind in PLANAR
    axis = shared(transform(view.orientation(a.place), tuple(const(x) for x in contact.a.axis)))  # type: ignore[arg-type]
    out = []
    for i, (gap, normal, point) in enumerate(found):
        n = scale(-1, normal) if flip else normal
        name = contact.name if len(found) == 1 else f"{contact.name}.{i + 1}"
        columns = _relative(view, a.place, b.place, point)
        directions = [shared(cross(axis, n))] if planar else _across(n)
        out.append(
            Touch(
                name,
                contact,
                share(gap),
                _along(columns, shared(n)),
                [_along(columns, t) for t in directions] if contact.friction is not ZERO else [],
            )
        )
    return out


#: in a pair, the shape that comes first here is the one that is round
_ORDER = ("circle", "sphere", "disc", "capsule", "box", "segment", "line", "curve", "plane")

Meeting = tuple[Expr, Vector, Vector]


def _meet(view: Kinematics, a: _Placed, b: _Placed) -> list[Meeting]:
    """(gap, normal from b to a, point of contact) of every point at which two shapes may touch."""
    kinds = (a.shape.kind, b.shape.kind)
    if kinds in (("circle", "circle"), ("sphere", "sphere")):
        return [_round_pair(a.points[0], a.shape.radius, b.points[0], b.shape.radius)]
    if kinds in (("circle", "segment"), ("sphere", "capsule")):
        near = _nearest(a.points[0], b.points[0], b.points[1])
        return [_round_pair(a.points[0], a.shape.radius, near, b.shape.radius)]
    if kinds in (("circle", "line"), ("sphere", "plane")):
        return [_over(a.points[0], a.shape.radius, b)]
    if kinds == ("circle", "curve"):
        return [_over_curve(a.points[0], a.shape.radius, b)]
    if kinds == ("disc", "plane"):
        return [_edge_over(a, b)]
    if kinds == ("capsule", "plane"):
        return [_over(p, a.shape.radius, b) for p in a.points]
    if kinds == ("box", "plane"):
        return [_over(p, ZERO, b) for p in _corners(view, a)]
    if kinds == ("capsule", "capsule"):
        p, q = _nearest_pair(a.points, b.points)
        return [_round_pair(p, a.shape.radius, q, b.shape.radius)]
    raise ValueError(f"expected shapes that can meet, found {kinds[0]} and {kinds[1]}")


def _round_pair(p: Vector, r: Expr, q: Vector, s: Expr) -> Meeting:
    apart = shared(minus(p, q))
    distance = share(sqrt(share(dot(apart, apart) + TINY)))
    n = shared(scale(share(1 / distance), apart))
    return distance - r - s, n, shared(plus(q, scale(s, n)))


def _over(p: Vector, r: Expr, b: _Placed) -> Meeting:
    height = share(dot(b.normal, shared(minus(p, b.points[0]))))
    return height - r, b.normal, shared(minus(p, scale(share(height), b.normal)))


def _edge_over(a: _Placed, b: _Placed) -> Meeting:
    """The lowest point of a disc's edge over a plane; where they are parallel, its centre."""
    x, y, z = a.shape.axis
    axis = shared(transform(a.axes, (const(x), const(y), const(z))))
    flat = share(dot(axis, b.normal))
    down = shared(minus(b.normal, scale(flat, axis)))
    size = share(sqrt(share(dot(down, down) + TINY)))
    point = shared(minus(a.points[0], scale(share(a.shape.radius / size), down)))
    return _over(point, ZERO, b)


#: Newton steps towards the foot of a centre on a curve
FOOT_STEPS = 2


def _over_curve(p: Vector, r: Expr, b: _Placed) -> Meeting:
    """A centre over a curve: its distance from the tangent at the nearest point, nearly."""
    x, _, z = shared(transform_back(b.axes, shared(minus(p, b.origin))))
    height = b.shape.height
    slope = differentiate(height, ALONG)
    bend = differentiate(slope, ALONG)
    foot = x
    for _ in range(FOOT_STEPS if bend is not ZERO else 1):
        f, d, c = (share(e) for e in substitute_all([height, slope, bend], {ALONG: foot}))
        above, steep = share(z - f), share(1 + d * d)
        # a Newton step on the distance; where the curve bends more than the circle, a shorter one that is safe
        foot = share(foot + (x - foot + d * above) / maximum(steep - c * above, 0.5 * steep))
    f, d = (share(e) for e in substitute_all([height, slope], {ALONG: foot}))
    size = share(1 / share(sqrt(1 + d * d)))
    n = shared(transform(b.axes, shared((-d * size, ZERO, size))))
    distance = share((z - f) * size - (x - foot) * d * size)
    return distance - r, n, shared(minus(p, scale(distance, n)))


def _nearest(c: Vector, p: Vector, q: Vector) -> Vector:
    """The point of a segment nearest to c."""
    e = shared(minus(q, p))
    t = share(minimum(maximum(dot(shared(minus(c, p)), e) / share(dot(e, e)), ZERO), ONE))
    return shared(plus(p, scale(t, e)))


def _nearest_pair(first: Sequence[Vector], second: Sequence[Vector]) -> tuple[Vector, Vector]:
    """The nearest points of two segments (Ericson 2005, section 5.1.9)."""
    (p1, q1), (p2, q2) = first, second
    d1, d2, r = shared(minus(q1, p1)), shared(minus(q2, p2)), shared(minus(p1, p2))
    a, e, f, c, b = (share(dot(x, y)) for x, y in ((d1, d1), (d2, d2), (d2, r), (d1, r), (d1, d2)))
    away = share(a * e - b * b)
    s = share(minimum(maximum((b * f - c * e) / share(maximum(away, TINY)), ZERO), ONE))
    t = share(minimum(maximum((b * s + f) / e, ZERO), ONE))
    s = share(minimum(maximum((b * t - c) / a, ZERO), ONE))
    return shared(plus(p1, scale(s, d1))), shared(plus(p2, scale(t, d2)))


def _corners(view: Kinematics, a: _Placed) -> list[Vector]:
    axes = view.orientation(a.place)
    out = []
    for sx in (-1, 1):
        for sy in (-1, 1):
            for sz in (-1, 1):
                x, y, z = a.shape.size
                out.append(shared(plus(a.points[0], transform(axes, (sx * x, sy * y, sz * z)))))
    return out


# -- rows ------------------------------------------------------------------------------------------------------
def _relative(view: Kinematics, a: Placement, b: Placement, point: Vector) -> dict[int, Vector]:
    """By speed: the velocity at a point of a's matter relative to b's."""
    out = point_columns(view, a.link, point)
    for k, x in point_columns(view, b.link, point).items():
        out[k] = minus(out[k], x) if k in out else scale(-1, x)
    return out


def point_columns(view: Kinematics, index: int, point: Vector) -> dict[int, Vector]:
    """By speed on the way to the reference: the velocity of a link's matter at a point, in reference axes."""
    out: dict[int, Vector] = {}
    while index != view.reference:
        link = view.tree.links[index]
        pose = view.where[index]
        _, origin = view.pose(index)
        axes = [pose.axis] if link.kind != "S" else [column(pose.body, k) for k in range(3)]
        for k, axis in enumerate(axes):
            along = shared(view.to_reference(index, axis))
            moved = along if link.kind == "P" else cross(along, shared(minus(point, origin)))
            out[link.speed + k] = shared(moved)
        index = link.parent
    return out


def _along(columns: dict[int, Vector], direction: Vector) -> Row:
    rows = {k: share(dot(direction, x)) for k, x in columns.items()}
    return {k: e for k, e in rows.items() if e is not ZERO}


def _across(n: Vector) -> list[Vector]:
    """Two unit tangents, right-handed with the normal, without a singular direction (Duff et al. 2017)."""
    x, y, z = n
    up = share(select(less(z, ZERO), const(-1), ONE))
    lean = share(-1 / (up + z))
    xy = share(x * y * lean)
    return [
        shared((1 + up * x * x * lean, up * xy, -(up * x))),
        shared((xy, up + y * y * lean, -y)),
    ]


# -- as smooth forces ------------------------------------------------------------------------------------------
#: sliding speed over which friction is smoothed [m/s]
SLIDING = 1e-2


def add_contacts(mechanism: Mechanism, tree: Tree, where: Sequence[Posture], generalised: list[Expr]) -> None:
    """Add what contacts that give do, with friction smoothed over :data:`SLIDING`; rigid ones do nothing here."""
    for touch in touches(mechanism, tree, where):
        law = touch.contact.force
        if law is None:
            continue
        depth = share(maximum(-touch.gap, ZERO))
        rate = share(-total([e * tree.v[k] for k, e in touch.normal.items()]))
        push = share(maximum(substitute(law, {COMPRESSION: depth, COMPRESSION_RATE: rate}), ZERO))
        force = share(select(less(touch.gap, ZERO), push, ZERO))
        for k, e in touch.normal.items():
            generalised[k] = generalised[k] + e * force
        slides = [share(total([e * tree.v[k] for k, e in row.items()])) for row in touch.tangents]
        if not slides:
            continue
        speed = share(sqrt(total([s * s for s in slides]) + SLIDING * SLIDING))
        drag = share(touch.contact.friction * force / speed)
        for row, slide in zip(touch.tangents, slides, strict=True):
            for k, e in row.items():
                generalised[k] = generalised[k] - e * drag * slide

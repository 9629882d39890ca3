"""Closure: every loop and constraint as rows of h(q, t) = 0, J v + r = 0 and J a + d = 0.

The rows of a cut are written in the axes of the link that both its sides hang on (mostly the world's). J is the
geometric one: what multiplies λ in M a + c = Jᵀ λ is then a force or a torque. Where the loop is closed it is also
the derivative of h; a step away it differs from it by terms of the size of h, which Newton's method does not mind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import MechanismError, printable
from ..mechanism import Constraint, Loop, Mechanism
from ..symbolic import (
    ONE,
    ZERO,
    Const,
    Expr,
    const,
    differentiate,
    directional_all,
    gradient,
    share,
    sqrt,
    substitute,
    total,
)
from .frames import Posture
from .kinematics import Kinematics, common_ancestor, coordinate_rates
from .signals import Signals
from .tree import Placement, Tree, plane
from .vector import (
    ZERO3,
    Matrix,
    Vector,
    column,
    cross,
    dot,
    minus,
    plus,
    product,
    scale,
    shared,
    shared_matrix,
    transform,
    transpose,
)


@dataclass
class Row:
    """One equation of closure.

    Attributes:
        name: of the equation and of its multiplier.
        residual: h [m, rad or as written]; None for an equation on speeds only.
        jacobian: J by index of speed, without its zeros.
        rate: r, the part of the rate of h that no speed makes (∂h/∂t).
        drift: d, the part of the second rate of h that no acceleration makes.
        push: of a cut, where and how one unit of the multiplier acts.
    """

    name: str
    residual: Expr | None
    jacobian: dict[int, Expr]
    rate: Expr
    drift: Expr
    push: Push | None = None


@dataclass
class Push:
    """Unit force and torque on frame b of a cut, and their opposite on a, in the axes of ``gap.view``."""

    gap: Gap
    force: Vector = ZERO3
    torque: Vector = ZERO3


def ordered_loops(mechanism: Mechanism) -> list[Loop | Constraint]:
    """Loops and constraints on positions, as described, then constraints on speeds: the order of the rows."""
    items = list(mechanism.loops.values())
    on_speeds = [i for i in items if isinstance(i, Constraint) and i.level == "speed"]
    return [i for i in items if i not in on_speeds] + on_speeds


def closure_rows(mechanism: Mechanism, tree: Tree, where: Sequence[Posture]) -> list[Row]:
    """The rows of all loops and constraints, in their order."""
    views: dict[int, Kinematics] = {-1: Kinematics(tree, where)}
    signals = Signals(mechanism, tree, views[-1], [ZERO] * len(tree.speeds))
    rows: list[Row] = []
    for item in ordered_loops(mechanism):
        if isinstance(item, Loop):
            rows.extend(_cut(tree, where, views, item))
        else:
            rows.append(_equation(mechanism, tree, signals, item))
    return rows


# -- cuts ------------------------------------------------------------------------------------------------------
@dataclass
class Gap:
    """What lies between the two frames of a cut, in the axes of their common ancestor."""

    view: Kinematics
    a: Placement
    b: Placement
    span: Vector

    def linear(self) -> dict[int, Vector]:
        """By speed: the velocity of b's origin relative to a's."""
        out = _columns(self.view, self.b)[0]
        for k, x in _columns(self.view, self.a)[0].items():
            out[k] = minus(out.get(k, ZERO3), x)
        return out

    def angular(self) -> dict[int, Vector]:
        """By speed: the angular velocity of b relative to a."""
        out = _columns(self.view, self.b)[1]
        for k, x in _columns(self.view, self.a)[1].items():
            out[k] = minus(out.get(k, ZERO3), x)
        return out

    def linear_drift(self) -> Vector:
        """Relative acceleration of the origins when no speed changes."""
        still = [ZERO] * len(self.view.tree.speeds)
        ends = [self.view.to_reference(p.link, self.view.acceleration(p, still)) for p in (self.b, self.a)]
        return shared(minus(*ends))

    def angular_drift(self) -> Vector:
        """Relative angular acceleration when no speed changes."""
        still = [ZERO] * len(self.view.tree.speeds)
        ends = [self.view.to_reference(p.link, self.view.motion(p.link, still).gain) for p in (self.b, self.a)]
        return shared(minus(*ends))

    def turn(self, p: Placement) -> Matrix:
        """Axes of a frame in the common ancestor's."""
        return shared_matrix(self.view.orientation(p))


def _columns(view: Kinematics, place: Placement) -> tuple[dict[int, Vector], dict[int, Vector]]:
    """By speed on the way to the reference: velocity of a frame's origin and angular velocity, in reference axes."""
    linear: dict[int, Vector] = {}
    angular: dict[int, Vector] = {}
    point = shared(view.position(place))
    index = place.link
    while index != view.reference:
        link = view.tree.links[index]
        pose = view.where[index]
        _, origin = view.pose(index)
        axes = [pose.axis] if link.kind != "S" else [column(pose.body, k) for k in range(3)]
        for k, axis in enumerate(axes):
            along = shared(view.to_reference(index, axis))
            if link.kind == "P":
                linear[link.speed + k] = along
            else:
                linear[link.speed + k] = shared(cross(along, shared(minus(point, origin))))
                angular[link.speed + k] = along
        index = link.parent
    return linear, angular


def _cut(tree: Tree, where: Sequence[Posture], views: dict[int, Kinematics], loop: Loop) -> list[Row]:
    a, b = tree.place(loop.a), tree.place(loop.b)
    base = common_ancestor(tree, a.link, b.link)
    if base not in views:
        views[base] = Kinematics(tree, where, base)
    view = views[base]
    gap = Gap(view, a, b, shared(minus(view.position(b), view.position(a))))
    if loop.kind == "rod":
        return [_rod(gap, loop)]
    if loop.kind == "pin":
        return _along(gap, loop, _plane_axes(gap, loop))
    rows = _along(gap, loop, [(ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)])
    if loop.kind == "body":
        rows += _turns(gap, loop)
    elif loop.kind == "hinge":
        rows += _tilts(gap, loop)
    return rows


def _row(name: str, h: Expr, jacobian: dict[int, Expr], drift: Expr, push: Push) -> Row:
    kept = {k: e for k, e in ((k, share(e)) for k, e in jacobian.items()) if e is not ZERO}
    return Row(name, share(h), kept, ZERO, share(drift), push)


def _along(gap: Gap, loop: Loop, axes: Sequence[Vector]) -> list[Row]:
    """One row for each direction: the origins don't part along it."""
    linear, drift = gap.linear(), gap.linear_drift()
    return [
        _row(name, dot(e, gap.span), {k: dot(e, x) for k, x in linear.items()}, dot(e, drift), Push(gap, e))
        for name, e in zip(loop.rows, axes, strict=False)
    ]


def _rod(gap: Gap, loop: Loop) -> Row:
    """The origins keep their distance; the multiplier is the thrust of the rod."""
    length = share(sqrt(share(dot(gap.span, gap.span))))
    e = shared(scale(share(1 / length), gap.span))
    jacobian = {k: dot(e, x) for k, x in gap.linear().items()}
    relative = _relative_velocity(gap)
    rate = share(dot(e, relative))
    across = share((dot(relative, relative) - rate * rate) / length)
    return _row(loop.rows[0], length - loop.length, jacobian, dot(e, gap.linear_drift()) + across, Push(gap, e))


def _turns(gap: Gap, loop: Loop) -> list[Row]:
    """The axes of b stay parallel to those of a: h is the sine of the angle between them, about each axis."""
    ra, rb = gap.turn(gap.a), gap.turn(gap.b)
    r = shared_matrix(product(rb, transpose(ra)))
    h = (0.5 * (r[2][1] - r[1][2]), 0.5 * (r[0][2] - r[2][0]), 0.5 * (r[1][0] - r[0][1]))
    angular, drift = gap.angular(), gap.angular_drift()
    units: list[Vector] = [(ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)]
    return [
        _row(name, h[i], {k: x[i] for k, x in angular.items()}, drift[i], Push(gap, torque=units[i]))
        for i, name in enumerate(loop.rows[3:])
    ]


def _tilts(gap: Gap, loop: Loop) -> list[Row]:
    """The axis of b stays along that of a: its parts along two axes across it are zero."""
    ra, rb = gap.turn(gap.a), gap.turn(gap.b)
    axis, (first, second) = _constants(loop.axis), _across(loop.axis)
    n = shared(transform(rb, axis))
    angular, drift = gap.angular(), gap.angular_drift()
    wa = shared(gap.view.to_reference(gap.a.link, gap.view.twist(gap.a.link)[0]))
    wb = shared(gap.view.to_reference(gap.b.link, gap.view.twist(gap.b.link)[0]))
    rows = []
    for name, across in zip(loop.rows[3:], (first, second), strict=True):
        e = shared(transform(ra, across))
        m = shared(cross(n, e))
        # d/dt (e . n) = (ωb - ωa) . (n x e); once more for the drift
        turn = plus(cross(shared(cross(wb, n)), e), cross(n, shared(cross(wa, e))))
        jacobian = {k: dot(m, x) for k, x in angular.items()}
        second_rate = dot(m, drift) + dot(shared(minus(wb, wa)), shared(turn))
        rows.append(_row(name, dot(e, n), jacobian, second_rate, Push(gap, torque=m)))
    return rows


def _relative_velocity(gap: Gap) -> Vector:
    ends = [gap.view.to_reference(p.link, gap.view.velocity(p)) for p in (gap.b, gap.a)]
    return shared(minus(*ends))


def _constants(axis: tuple[float, float, float]) -> Vector:
    return (const(axis[0]), const(axis[1]), const(axis[2]))


def _across(axis: tuple[float, float, float]) -> tuple[Vector, Vector]:
    """Two directions across an axis, right-handed with it."""
    first, second = plane(axis)
    return _constants(first), _constants(second)


def _plane_axes(gap: Gap, loop: Loop) -> list[Vector]:
    """Two constant directions in the plane of a pin."""
    normal = transform(gap.turn(gap.a), _constants(loop.axis))
    numbers = [e.value for e in normal if isinstance(e, Const)]
    if len(numbers) != 3:
        raise MechanismError(
            f"expected the axis of pin {printable(loop.name)!r} to keep its direction, found one that its hinges tilt; "
            "give the axis that all hinges of the loop are parallel to, or use a ball"
        )
    first, second = plane((numbers[0], numbers[1], numbers[2]))
    return [_constants(first), _constants(second)]


# -- equations -------------------------------------------------------------------------------------------------
def _equation(mechanism: Mechanism, tree: Tree, signals: Signals, item: Constraint) -> Row:
    """A user's equation: derivatives along the motion."""
    e = signals.resolve(item.expression)
    rates = [share(x) for x in coordinate_rates(tree)]
    along: dict[Expr, Expr] = dict(zip(tree.q, rates, strict=True))
    along[mechanism.time] = ONE
    if item.level == "speed":
        slopes = gradient(e, tree.v)
        jacobian = {k: share(x) for k, x in enumerate(slopes) if x is not ZERO}
        rate = substitute(e, dict.fromkeys(tree.v, ZERO))
        drift = directional_all([e], along)[0]
        return Row(item.name, None, jacobian, share(rate), share(drift))
    slopes = gradient(e, tree.q)
    # d h / dt = Σ ∂h/∂q_i dq_i/dt; what multiplies a speed is its column of J
    motion = share(total([s * r for s, r in zip(slopes, rates, strict=True) if s is not ZERO]))
    columns = gradient(motion, tree.v)
    jacobian = {k: share(x) for k, x in enumerate(columns) if x is not ZERO}
    rate = share(differentiate(e, mechanism.time))
    drift = directional_all([motion + rate], along)[0]
    return Row(item.name, share(e), jacobian, rate, share(drift))

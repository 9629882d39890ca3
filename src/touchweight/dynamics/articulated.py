"""Direct dynamics by articulated bodies: one pass outward, one inward, one outward (Featherstone 2008, chapter 7).

The cost grows with the number of joints only, which is what long chains need; short ones are cheaper with a factorised
mass matrix. Spatial quantities are (angular, linear) six-vectors at a link's origin, in its working axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..symbolic import ONE, ZERO, Const, Expr, share, total
from .frames import Posture
from .inverse import Wrench, inertial_moment, spread
from .tree import Inertia, Link, Tree
from .vector import (
    ZERO3,
    Matrix,
    Vector,
    column,
    congruence,
    cross,
    is_identity,
    is_zero,
    negative,
    plus,
    scale,
    shared,
    shared_matrix,
    shared_symmetric,
    transform,
    transform_back,
    transpose,
    turned,
)

Six = list[Expr]
#: lower triangle of a symmetric 6 x 6 matrix, by rows
Six6 = list[list[Expr]]


def articulated_body(
    tree: Tree,
    where: Sequence[Posture],
    tau: Sequence[Expr],
    external: dict[int, Wrench] | None = None,
) -> list[Expr]:
    """Accelerations that the generalised forces ``tau`` produce."""
    wrenches = external or {}
    drift, bias = _velocities(tree, where, wrenches)
    inertia = [_spatial(link, where[link.index]) for link in tree.links]
    kept: list[tuple[list[Six], list[Expr], list[Expr]]] = [([], [], [])] * len(tree.links)

    # inward: articulated inertia and bias force
    for link in reversed(tree.links):
        i = link.index
        pose = where[i]
        axes = motion_axes(link, pose)
        left, force = inertia[i], bias[i]
        columns, pivots, efforts = [], [], []
        for k, axis in enumerate(axes):
            reach = [share(x) for x in _times(left, axis)]
            pivot = share(ONE / share(_six_dot(axis, reach) + link.armature))
            effort = share(tau[link.speed + k] - _six_dot(axis, force))
            scaled = [share(x * pivot) for x in reach]
            gone = _coordinate(axis) if link.armature is ZERO else None
            left = [
                [ZERO if gone in (r, c) else share(left[r][c] - scaled[r] * reach[c]) for c in range(r + 1)]
                for r in range(6)
            ]
            force = [
                axis[r] * tau[link.speed + k] if r == gone else share(force[r] + scaled[r] * effort) for r in range(6)
            ]
            columns.append(reach)
            pivots.append(pivot)
            efforts.append(effort)
        kept[i] = (columns, pivots, efforts)
        if link.parent >= 0:
            force = [share(x) for x in _six_plus(force, _times(left, drift[i]))]
            _add_in(inertia[link.parent], _inertia_to_parent(left, pose))
            bias[link.parent] = [share(x) for x in _six_plus(bias[link.parent], _force_to_parent(force, pose))]
        else:
            bias[i] = force

    # outward: accelerations
    result: list[Expr] = [ZERO] * len(tree.speeds)
    ground: Six = [ZERO, ZERO, ZERO, *negative(tree.gravity)]
    accel: list[Six] = []
    for link in tree.links:
        pose = where[link.index]
        base = accel[link.parent] if link.parent >= 0 else ground
        here = [share(x) for x in _six_plus(_motion_to_child(base, pose), drift[link.index])]
        columns, pivots, efforts = kept[link.index]
        axes = motion_axes(link, pose)
        # the last axis was eliminated last, and so is solved first
        gains: list[Expr] = [ZERO] * len(axes)
        for k in reversed(range(len(axes))):
            gains[k] = share(pivots[k] * share(efforts[k] - _six_dot(here, columns[k])))
            here = [share(x) for x in _six_plus(here, [gains[k] * a for a in axes[k]])]
            result[link.speed + k] = gains[k]
        accel.append(here)
    return result


def _coordinate(axis: Six) -> int | None:
    """Which coordinate axis a motion axis is along, if any.

    Along it the articulated inertia has nothing left (its row is exactly cancelled), and the joint hands on its own
    force; knowing that in advance keeps the zeros structural.
    """
    moving = [i for i, x in enumerate(axis) if x is not ZERO]
    return moving[0] if len(moving) == 1 and isinstance(axis[moving[0]], Const) else None


def motion_axes(link: Link, pose: Posture) -> list[Six]:
    """The directions in which a joint lets its link move, as (angular, linear)."""
    if link.kind == "P":
        return [[ZERO, ZERO, ZERO, *pose.axis]]
    if link.kind == "R":
        return [[*pose.axis, ZERO, ZERO, ZERO]]
    return [[*column(pose.body, k), ZERO, ZERO, ZERO] for k in range(3)]


def _velocities(tree: Tree, where: Sequence[Posture], external: dict[int, Wrench]) -> tuple[list[Six], list[Six]]:
    """Velocity-product acceleration and bias force of each link."""
    omega: list[Vector] = []
    drift: list[Six] = []
    bias: list[Six] = []
    for link, pose in zip(tree.links, where, strict=True):
        w0 = omega[link.parent] if link.parent >= 0 else ZERO3
        swing = transform_back(pose.turn, shared(transform(spread(w0, ZERO3), pose.offset)))
        w = shared(transform_back(pose.turn, w0))
        turn: Vector = ZERO3
        if link.kind == "P":
            swing = plus(swing, scale(2, cross(w, scale(link.v[0], pose.axis))))
        else:
            local = (link.v[0], link.v[1], link.v[2]) if link.kind == "S" else None
            spin = transform(pose.body, local) if local else scale(link.v[0], pose.axis)
            turn = cross(w, spin)
            w = shared(plus(w, spin))
        omega.append(w)
        drift.append([share(x) for x in (*turn, *swing)])
        bias.append(_bias_force(link, pose, w, external.get(link.index)))
    return drift, bias


def _bias_force(link: Link, pose: Posture, w: Vector, external: Wrench | None) -> Six:
    u = spread(w, ZERO3)
    s = shared(transform(pose.body, link.inertia.moment))
    force = transform(u, s)
    moment: Vector = ZERO3
    if not is_zero(link.inertia.second):
        moment = inertial_moment(u, shared_symmetric(congruence(pose.body, link.inertia.second)), w)
    if external is not None:
        force = plus(force, negative(external.force))
        moment = plus(moment, negative(external.moment))
    return [share(x) for x in (*moment, *force)]


def _spatial(link: Link, pose: Posture) -> Six6:
    """Rigid-body inertia [[I, [s]], [[s]ᵀ, m]] as a lower triangle."""
    matter: Inertia = link.inertia
    s = shared(transform(pose.body, matter.moment))
    xx, yy, zz, xy, xz, yz = shared_symmetric(congruence(pose.body, matter.second))
    m = matter.mass
    return [
        [share(yy + zz)],
        [-xy, share(xx + zz)],
        [-xz, -yz, share(xx + yy)],
        [ZERO, s[2], -s[1], m],
        [-s[2], ZERO, s[0], ZERO, m],
        [s[1], -s[0], ZERO, ZERO, ZERO, m],
    ]


def _at(a: Six6, i: int, j: int) -> Expr:
    return a[i][j] if i >= j else a[j][i]


def _times(a: Six6, x: Six) -> Six:
    return [total(_at(a, i, j) * x[j] for j in range(6) if x[j] is not ZERO) for i in range(6)]


def _six_dot(x: Six, y: Six) -> Expr:
    return total(a * b for a, b in zip(x, y, strict=True) if a is not ZERO and b is not ZERO)


def _six_plus(x: Six, y: Six) -> Six:
    return [a + b for a, b in zip(x, y, strict=True)]


def _add_in(target: Six6, other: Six6) -> None:
    for i in range(6):
        for j in range(i + 1):
            target[i][j] = share(target[i][j] + other[i][j])


def _motion_to_child(x: Six, pose: Posture) -> Six:
    """A parent's (dw, a) seen at the child's origin, in the child's axes."""
    dw: Vector = (x[0], x[1], x[2])
    a: Vector = (x[3], x[4], x[5])
    moved = shared(plus(a, cross(dw, pose.offset)))
    return [*transform_back(pose.turn, dw), *transform_back(pose.turn, moved)]


def _force_to_parent(x: Six, pose: Posture) -> Six:
    """A child's (n, f) seen at the parent's origin, in the parent's axes."""
    n = transform(pose.turn, (x[0], x[1], x[2]))
    f = shared(transform(pose.turn, (x[3], x[4], x[5])))
    return [*plus(n, cross(pose.offset, f)), *f]


def _inertia_to_parent(a: Six6, pose: Posture) -> Six6:
    """A child's 6 x 6 inertia seen at the parent's origin, in the parent's axes."""
    top: Matrix = _block(a, 0, 0)
    side: Matrix = _block(a, 0, 3)  # couples moment with linear acceleration
    low: Matrix = _block(a, 3, 3)
    if not is_identity(pose.turn):
        top, side, low = (shared_matrix(turned(pose.turn, block)) for block in (top, side, low))
    r = pose.offset
    if not is_zero(r):
        # [r] low, then  side' = side + [r] low,  top' = top + [r] sideᵀ + side' [r]ᵀ
        lift = _skew_times(r, low)
        lift_side = _skew_times(r, transpose(side))
        side = _matrix(lambda i, j: share(side[i][j] + lift[i][j]))
        back = transpose(_skew_times(r, transpose(side)))  # side' [r]ᵀ
        top = _matrix(lambda i, j: share(top[i][j] + lift_side[i][j] + back[i][j]) if j <= i else ZERO)
    return [
        *[[top[i][j] for j in range(i + 1)] for i in range(3)],
        *[[*(side[j][i] for j in range(3)), *(low[i][j] for j in range(i + 1))] for i in range(3)],
    ]


def _block(a: Six6, i0: int, j0: int) -> Matrix:
    return _matrix(lambda i, j: _at(a, i0 + i, j0 + j))


def _matrix(entry: Callable[[int, int], Expr]) -> Matrix:
    x, y, z = ((entry(i, 0), entry(i, 1), entry(i, 2)) for i in range(3))
    return (x, y, z)


def _skew_times(r: Vector, a: Matrix) -> Matrix:
    """[r] A, the cross product of r with each column."""
    columns = [cross(r, (a[0][k], a[1][k], a[2][k])) for k in range(3)]
    return _matrix(lambda i, j: columns[j][i])

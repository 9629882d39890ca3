"""Energy and momentum, from every body as described (not from the regrouped parameters): an independent witness."""

from __future__ import annotations

from collections.abc import Sequence

from ..mechanism import Mechanism, PairForce, SpeedForce
from ..mechanism.law import DISTANCE
from ..symbolic import ZERO, Expr, substitute, total
from .forces import line_between
from .frames import Posture
from .kinematics import Kinematics
from .mass import turning_inertia
from .tree import Tree
from .vector import Vector, congruence, cross, dot, plus, scale, shared, shared_symmetric, transform


def kinetic_energy(tree: Tree, world: Kinematics) -> Expr:
    """½ ∫ v² dm over all links, drives included [J]."""
    parts: list[Expr] = []
    for link in tree.links:
        matter = link.inertia
        if not matter.is_zero:
            w, v = world.twist(link.index)
            body = world.where[link.index].body
            s = shared(transform(body, matter.moment))
            k = shared_symmetric(congruence(body, matter.second))
            parts.append(0.5 * (matter.mass * dot(v, v)))
            parts.append(dot(v, shared(cross(w, s))))
            parts.append(0.5 * dot(w, shared(turning_inertia(k, w))))
        parts.extend(0.5 * (link.armature * rate * rate) for rate in link.v)
    return total(parts)


def potential_energy(mechanism: Mechanism, tree: Tree, world: Kinematics, where: Sequence[Posture]) -> Expr:
    """Weight, zero with all masses at the world's origin, and what springs store [J]."""
    parts: list[Expr] = []
    for link in tree.links:
        matter = link.inertia
        turn, origin = world.pose(link.index)
        body = where[link.index].body
        first = plus(scale(matter.mass, origin), transform(turn, shared(transform(body, matter.moment))))
        parts.append(-dot(tree.gravity, first))
    for force in mechanism.forces.values():
        if isinstance(force, SpeedForce):
            parts.append(force.potential)
        elif isinstance(force, PairForce) and force.potential is not ZERO:
            line = line_between(tree, where, force, {-1: world})
            parts.append(substitute(force.potential, {DISTANCE: line.length}))
    return total(parts)


def momentum(tree: Tree, world: Kinematics) -> tuple[Vector, Vector]:
    """Linear momentum [kg m/s] and angular momentum about the world's origin [kg m²/s], drives left out."""
    linear: list[Vector] = []
    angular: list[Vector] = []
    for link in tree.links:
        matter = link.inertia
        if matter.is_zero:
            continue
        w, v = world.twist(link.index)
        turn, origin = world.pose(link.index)
        body = world.where[link.index].body
        s = shared(transform(body, matter.moment))
        k = shared_symmetric(congruence(body, matter.second))
        p = shared(transform(turn, plus(scale(matter.mass, v), cross(w, s))))
        own = transform(turn, plus(turning_inertia(k, w), cross(s, v)))
        linear.append(p)
        angular.append(plus(own, cross(origin, p)))
    zero: Vector = (ZERO, ZERO, ZERO)
    return plus(zero, *linear), plus(zero, *angular)

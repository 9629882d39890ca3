"""Forces: every law of a mechanism brought to where the recursions take it.

A force on a speed is a generalised force; a force between frames or on a frame becomes a wrench on a link, at its
origin, in its working axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..mechanism import FrameForce, Mechanism, PairForce, SpeedForce
from ..mechanism.law import DISTANCE, DISTANCE_RATE
from ..symbolic import ZERO, Expr, Scalar, share, sqrt, substitute
from .contact import add_contacts
from .frames import Posture
from .inverse import Wrench
from .kinematics import Kinematics, common_ancestor
from .signals import Signals
from .tree import Placement, Tree
from .vector import Vector, cross, dot, is_zero, minus, negative, plus, scale, shared, transform

#: added to a squared distance, so that two frames that meet have a direction (none) instead of a division by zero [m²]
TINY = 1e-30


@dataclass
class Forces:
    """What acts on the tree: generalised forces by speed, wrenches by link, rates of the first-order states."""

    generalised: list[Expr]
    wrenches: dict[int, Wrench] = field(default_factory=dict)
    state_rates: list[Expr] = field(default_factory=list)

    def push(self, link: int, force: Vector, moment: Vector) -> None:
        """Add a wrench on a link, in its working axes, about its origin; the ground takes what it gets."""
        if link < 0 or is_zero((*force, *moment)):
            return
        old = self.wrenches.get(link, Wrench())
        self.wrenches[link] = Wrench(shared(plus(old.force, force)), shared(plus(old.moment, moment)))


def gather_forces(mechanism: Mechanism, tree: Tree, where: Sequence[Posture], non_smooth: bool = False) -> Forces:
    """All forces of a mechanism on its tree.

    Contacts that give and dry friction are among them, smoothed; ``non_smooth`` leaves them out, for a method that
    takes them as they are.
    """
    world = Kinematics(tree, where)
    still = [ZERO] * len(tree.speeds)
    signals = Signals(mechanism, tree, world, still)
    out = Forces([ZERO] * len(tree.speeds))
    speed = {name: i for i, name in enumerate(tree.speeds)}
    seen_from: dict[int, Kinematics] = {-1: world}
    for force in mechanism.forces.values():
        if non_smooth and force.name.endswith(".dry_friction"):
            continue
        if isinstance(force, SpeedForce):
            i = speed[force.speed]
            out.generalised[i] = out.generalised[i] + signals.resolve(force.force)
        elif isinstance(force, PairForce):
            _pair(tree, where, force, signals, seen_from, out)
        else:
            _on_frame(tree, world, force, signals, out)
    if mechanism.contacts and not non_smooth:
        add_contacts(mechanism, tree, where, out.generalised)
    out.state_rates = [signals.resolve(s.rate) for s in mechanism.states.values()]
    return out


@dataclass
class Line:
    """The straight line between two frames, seen from ``view``: its length, rate and direction from a to b."""

    view: Kinematics
    a: Placement
    b: Placement
    length: Expr
    rate: Expr
    direction: Vector


def line_between(tree: Tree, where: Sequence[Posture], force: PairForce, seen_from: dict[int, Kinematics]) -> Line:
    """The line along which a pair force acts, in the axes of the frames' nearest common ancestor."""
    a, b = tree.place(force.a), tree.place(force.b)
    base = common_ancestor(tree, a.link, b.link)
    view = seen_from.setdefault(base, Kinematics(tree, where, base))
    span = shared(minus(view.position(b), view.position(a)))
    length = share(sqrt(share(dot(span, span) + TINY)))
    direction = shared(scale(share(1 / length), span))
    drift = minus(
        view.to_reference(b.link, view.velocity(b)),
        view.to_reference(a.link, view.velocity(a)),
    )
    return Line(view, a, b, length, share(dot(direction, shared(drift))), direction)


def _pair(
    tree: Tree,
    where: Sequence[Posture],
    force: PairForce,
    signals: Signals,
    seen_from: dict[int, Kinematics],
    out: Forces,
) -> None:
    line = line_between(tree, where, force, seen_from)
    local: dict[Expr, Scalar] = {DISTANCE: line.length, DISTANCE_RATE: line.rate}
    tension = share(substitute(signals.resolve(force.tension), local))
    pull = shared(scale(tension, line.direction))
    for place, f in ((line.a, pull), (line.b, negative(pull))):
        here = shared(line.view.to_link(place.link, f))
        out.push(place.link, here, cross(line.view.arm(place), here))


def _on_frame(tree: Tree, world: Kinematics, force: FrameForce, signals: Signals, out: Forces) -> None:
    place = tree.place(force.frame)
    if place.link < 0:
        return
    f, n = (_resolved(signals, x) for x in (force.force, force.torque))
    if force.axes == "world":
        f, n = world.to_link(place.link, f), world.to_link(place.link, n)
    else:
        axes = world.axes(place)
        f, n = transform(axes, f), transform(axes, n)
    f = shared(f)
    out.push(place.link, f, plus(n, cross(world.arm(place), f)))


def _resolved(signals: Signals, x: Vector) -> Vector:
    return (signals.resolve(x[0]), signals.resolve(x[1]), signals.resolve(x[2]))

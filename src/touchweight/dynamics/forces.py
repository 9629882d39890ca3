"""Forces: every law of a mechanism brought to where the recursions take it.

A force on a speed is a generalised force; a force between frames or on a frame becomes a wrench on a link, at its
origin, in its working axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..mechanism import FrameForce, Mechanism, PairForce, SpeedForce
from ..mechanism.law import DISTANCE, DISTANCE_RATE
from ..symbolic import ZERO, Expr, Scalar, free_symbols, share, sqrt, substitute
from .frames import Posture
from .inverse import Wrench
from .kinematics import Kinematics, common_ancestor
from .sensors import reading
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


class Signals:
    """Sensor readings as laws use them: each channel's symbol is exchanged for its expression."""

    def __init__(self, mechanism: Mechanism, tree: Tree, world: Kinematics, a: Sequence[Expr]) -> None:
        self.mechanism = mechanism
        self.tree = tree
        self.world = world
        self.a = a
        self.sensor_of = {s: sensor for sensor in mechanism.sensors.values() for s in sensor.symbols}
        self.known: dict[Expr, Expr] = {}

    def resolve(self, e: Expr) -> Expr:
        """``e`` with every sensor channel replaced by what it measures."""
        if not self.sensor_of:
            return e
        for s in free_symbols([e]):
            sensor = self.sensor_of.get(s)
            if sensor is not None and s not in self.known:
                values = reading(self.tree, self.world, sensor, self.a)
                self.known.update(zip(sensor.symbols, (share(v) for v in values), strict=True))
        return substitute(e, self.known) if self.known else e


def gather_forces(
    mechanism: Mechanism, tree: Tree, where: Sequence[Posture], dry_friction: bool = True
) -> Forces:
    """All forces of a mechanism on its tree; dry friction smoothed, or left out where it is set-valued."""
    world = Kinematics(tree, where)
    still = [ZERO] * len(tree.speeds)
    signals = Signals(mechanism, tree, world, still)
    out = Forces([ZERO] * len(tree.speeds))
    speed = {name: i for i, name in enumerate(tree.speeds)}
    seen_from: dict[int, Kinematics] = {-1: world}
    for force in mechanism.forces.values():
        if not dry_friction and force.name.endswith(".dry_friction"):
            continue
        if isinstance(force, SpeedForce):
            i = speed[force.speed]
            out.generalised[i] = out.generalised[i] + signals.resolve(force.force)
        elif isinstance(force, PairForce):
            _pair(tree, where, force, signals, seen_from, out)
        else:
            _on_frame(tree, world, force, signals, out)
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

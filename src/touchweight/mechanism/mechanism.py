"""The mechanism: a description that a user builds, checks, saves and compiles.

    m = Mechanism("pendulum")
    arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
    m.revolute("hip", m.ground, arm, axis="y")

Every number given becomes a live parameter named after its place (``arm.mass``, ``arm.com.z``,
``hip.origin.x``); a zero is structural: it leaves no trace in the equations. To keep a zero live,
declare it with :meth:`parameter`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MechanismError
from ..symbolic import ONE, ZERO, Expr, Scalar, Symbol, as_expr, maximum, minimum, tanh
from .body import Body, Frame
from .closing import Closing
from .joint import JOINT_KINDS, Joint, Limits, Mimic
from .law import DISTANCE, DISTANCE_RATE, FrameForce, PairForce, SpeedForce, trace
from .switching import Switching
from .touching import Touching
from .values import number, shown, unit_axis, world_or_frame

if TYPE_CHECKING:
    from pathlib import Path

    from ..simulate.model import Model
    from .check import Problem

#: speed over which dry friction is smoothed [rad/s or m/s]
FRICTION_SPEED = 1e-2


class Mechanism(Closing, Switching, Touching):
    """Bodies, joints, forces, loops, drives, modes, inputs, states and sensors, with their parameters."""

    # -- joints -----------------------------------------------------------------------------------------
    def joint(
        self,
        name: str,
        kind: str,
        parent: Body | str,
        child: Body | str,
        *,
        axis: str | Sequence[float] = "z",
        axis2: str | Sequence[float] = "x",
        origin: Sequence[Scalar] = (0.0, 0.0, 0.0),
        rotation: Any = None,
        damping: Scalar = 0.0,
        friction: Scalar = 0.0,
        stiffness: Scalar = 0.0,
        rest: Scalar = 0.0,
        armature: Scalar = 0.0,
        limits: Limits | None = None,
        mimic: Mimic | None = None,
        reference: float = 0.0,
        initial: Sequence[float] | None = None,
    ) -> Joint:
        """Add a joint of any kind in :data:`JOINT_KINDS` (the methods named after the kinds are shorter).

        Args:
            name: unique name; also the name of its coordinate, or the stem of several.
            kind: what it lets move.
            parent: the body it starts from (or ``mechanism.ground``).
            child: the body it carries; its frame sits at the joint.
            axis: "x", "-y", ... or three numbers, in the joint frame.
            axis2: second axis of a universal joint.
            origin: place of the joint in the parent frame [m].
            rotation: orientation of the joint frame in the parent frame.
            damping: viscous friction on each speed [N m s/rad or N s/m].
            friction: dry friction on each speed [N m or N], smoothed over :data:`FRICTION_SPEED`.
            stiffness: spring on each coordinate (not on balls) [N m/rad or N/m].
            rest: where that spring is slack [rad or m].
            armature: inertia of the drive on each speed [kg m² or kg].
            limits: range, kept as data.
            mimic: follower relation, kept as data.
            reference: coordinate value at which the frames are as described.
            initial: where its coordinates start when nothing else is said, kept as data.
        """
        self._claim(self.joints, name, "joint")
        if kind not in JOINT_KINDS:
            raise MechanismError(
                f"expected a joint kind among {', '.join(JOINT_KINDS)}, found {shown(kind)} for {shown(name)}"
            )
        made = Joint(
            name,
            kind,
            self._body_of(parent),
            self._body_of(child),
            unit_axis(axis, name),
            unit_axis(axis2, name),
            self._vector(f"{name}.origin", origin, "length", "m"),
            self._rotation(rotation, name),
            self._scalar(f"{name}.armature", armature, "mass", "kg m² or kg", 0.0),
            limits,
            mimic,
            number(reference, f"reference of {name}"),
            _start(initial, name, kind),
        )
        self.joints[name] = made
        self._passive(made, damping, friction, stiffness, rest)
        return made

    def _passive(self, joint: Joint, damping: Scalar, friction: Scalar, stiffness: Scalar, rest: Scalar) -> None:
        c = self._scalar(f"{joint.name}.damping", damping, "parameter", "N m s/rad or N s/m", 0.0)
        f = self._scalar(f"{joint.name}.friction", friction, "force", "N m or N", 0.0)
        k = self._scalar(f"{joint.name}.stiffness", stiffness, "parameter", "N m/rad or N/m", 0.0)
        slack = self._scalar(f"{joint.name}.rest", rest, "parameter", "rad or m") if k is not ZERO else ZERO
        if k is not ZERO and "S" in JOINT_KINDS[joint.kind].primitives:
            raise MechanismError(
                f"expected no stiffness on the ball of {shown(joint.name)}, found one; use spring() or a law"
            )
        for i, speed in enumerate(joint.speeds):
            v = self.v(speed)
            if c is not ZERO:
                self._force(SpeedForce(f"{speed}.damper", speed, -c * v))
            if f is not ZERO:
                self.dry_friction[speed] = f
                self._force(SpeedForce(f"{speed}.dry_friction", speed, -f * tanh(v * (1.0 / FRICTION_SPEED))))
            if k is not ZERO:
                stretch = self.q(joint.coordinates[i]) - slack
                self._force(SpeedForce(f"{speed}.spring", speed, -k * stretch, 0.5 * k * stretch * stretch))

    def fixed(self, name: str, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """Weld ``child`` to ``parent``."""
        return self.joint(name, "fixed", parent, child, **options)

    def revolute(
        self,
        name: str,
        parent: Body | str,
        child: Body | str,
        axis: str | Sequence[float] = "z",
        **options: Any,
    ) -> Joint:
        """A hinge: one angle [rad] about ``axis``. Options as in :meth:`joint`."""
        return self.joint(name, "revolute", parent, child, axis=axis, **options)

    def prismatic(
        self,
        name: str,
        parent: Body | str,
        child: Body | str,
        axis: str | Sequence[float] = "z",
        **options: Any,
    ) -> Joint:
        """A slider: one displacement [m] along ``axis``. Options as in :meth:`joint`."""
        return self.joint(name, "prismatic", parent, child, axis=axis, **options)

    def universal(
        self,
        name: str,
        parent: Body | str,
        child: Body | str,
        axis: str | Sequence[float] = "x",
        axis2: str | Sequence[float] = "y",
        **options: Any,
    ) -> Joint:
        """Two hinges in a cross: about ``axis``, then about ``axis2``. Options as in :meth:`joint`."""
        return self.joint(name, "universal", parent, child, axis=axis, axis2=axis2, **options)

    def cylindrical(
        self,
        name: str,
        parent: Body | str,
        child: Body | str,
        axis: str | Sequence[float] = "z",
        **options: Any,
    ) -> Joint:
        """Slides along and turns about ``axis``. Options as in :meth:`joint`."""
        return self.joint(name, "cylindrical", parent, child, axis=axis, **options)

    def planar(
        self,
        name: str,
        parent: Body | str,
        child: Body | str,
        axis: str | Sequence[float] = "z",
        **options: Any,
    ) -> Joint:
        """Slides in the plane normal to ``axis`` and turns about it. Options as in :meth:`joint`."""
        return self.joint(name, "planar", parent, child, axis=axis, **options)

    def spherical(self, name: str, parent: Body | str, child: Body | str, **options: Any) -> Joint:
        """A ball: quaternion (w, x, y, z), speeds in the child's axes. Options as in :meth:`joint`."""
        return self.joint(name, "spherical", parent, child, **options)

    def free(self, name: str, child: Body | str, parent: Body | str | None = None, **options: Any) -> Joint:
        """A free-flying body: position, quaternion; velocity in the parent's axes, turning in its own."""
        return self.joint(name, "free", parent or self.ground, child, **options)

    # -- forces -----------------------------------------------------------------------------------------
    def _force(self, force: Any) -> Any:
        self._claim(self.forces, force.name, "force")
        self.forces[force.name] = force
        return force

    def _law_parameters(self, name: str, given: dict[str, Scalar]) -> dict[str, Expr]:
        return {k: self._scalar(f"{name}.{k}", v, "parameter", "") for k, v in given.items()}

    def joint_law(
        self, name: str, speed: str, law: Callable[..., Scalar] | Scalar, /, **parameters: Scalar
    ) -> SpeedForce:
        """A generalised force on a speed: an expression, or a function ``law(q, v, *, parameters)``.

        ``q`` is the coordinate of the same name (not there for balls: their law takes only ``v``).
        """
        if callable(law):
            local = {"v": self.v(speed)}
            if speed in self.coordinates:
                local = {"q": self.q(speed), **local}
            force = trace(law, local, self._law_parameters(name, parameters))
        else:
            force = as_expr(law)
        made: SpeedForce = self._force(SpeedForce(name, speed, force))
        return made

    def law(
        self,
        name: str,
        a: Body | Frame | str,
        b: Body | Frame | str,
        law: Callable[..., Scalar] | Scalar,
        /,
        **parameters: Scalar,
    ) -> PairForce:
        """A force along the line between two frames, positive when it pulls them together [N].

        ``law(d, d_dot, *, parameters)`` gets the distance [m] and its rate [m/s].
        """
        if callable(law):
            tension = trace(law, {"d": DISTANCE, "d_dot": DISTANCE_RATE}, self._law_parameters(name, parameters))
        else:
            tension = as_expr(law)
        made: PairForce = self._force(PairForce(name, self._frame_of(a), self._frame_of(b), tension))
        return made

    def spring(
        self,
        name: str,
        a: Body | Frame | str,
        b: Body | Frame | str,
        stiffness: Scalar,
        length: Scalar = 0.0,
        damping: Scalar = 0.0,
    ) -> PairForce:
        """A linear spring [N/m] and damper [N s/m] between two frames; ``length`` is its free length [m]."""
        k = self._scalar(f"{name}.stiffness", stiffness, "parameter", "N/m", 0.0)
        free = self._scalar(f"{name}.length", length, "length", "m", 0.0)
        c = self._scalar(f"{name}.damping", damping, "parameter", "N s/m", 0.0)
        stretch = DISTANCE - free
        made: PairForce = self._force(
            PairForce(
                name,
                self._frame_of(a),
                self._frame_of(b),
                k * stretch + c * DISTANCE_RATE,
                0.5 * k * stretch * stretch,
            )
        )
        return made

    def force(
        self,
        name: str,
        place: Body | Frame | str,
        force: Sequence[Scalar] = (0.0, 0.0, 0.0),
        torque: Sequence[Scalar] = (0.0, 0.0, 0.0),
        axes: str = "world",
    ) -> FrameForce:
        """An external force [N] and torque [N m] on a frame: numbers, or expressions of inputs, states."""
        world_or_frame(axes, name)
        made: FrameForce = self._force(
            FrameForce(
                name,
                self._frame_of(place),
                self._vector(f"{name}.force", force, "force", "N"),
                self._vector(f"{name}.torque", torque, "force", "N m"),
                axes,
            )
        )
        return made

    def actuator(
        self,
        name: str,
        speed: str,
        *,
        gear: Scalar = 1.0,
        lag: Scalar = 0.0,
        limit: Scalar = 0.0,
    ) -> Symbol:
        """A motor on a speed: an input called ``name`` [N m or N before the gear], and its force.

        Args:
            name: name of the actuator and of its input.
            speed: what it acts on.
            gear: ratio from motor to joint.
            lag: time constant of a first-order lag (electrical) [s]; zero for none.
            limit: largest force or torque at the joint; zero for none.
        """
        command = self.input(name, "N m or N")
        ratio = (
            ONE if isinstance(gear, int | float) and gear == 1 else self._scalar(f"{name}.gear", gear, "parameter", "")
        )
        tau = self._scalar(f"{name}.lag", lag, "parameter", "s", 0.0)
        top = self._scalar(f"{name}.limit", limit, "force", "N m or N", 0.0)
        drive: Expr = command
        if tau is not ZERO:
            drive = self.state(f"{name}.current", lambda x: (command - x) / tau, unit="N m or N")
        torque = ratio * drive
        if top is not ZERO:
            torque = minimum(maximum(torque, -top), top)
        self._force(SpeedForce(f"{name}.force", speed, torque))
        return command

    # -- what to do with it -----------------------------------------------------------------------------
    def check(self) -> list[Problem]:
        """Everything that is wrong with the description, with what to do; empty when it is sound."""
        from .check import check

        return check(self)

    def compile(self, **options: Any) -> Model:
        """Derive the equations, generate code, compile it (cached); see :class:`touchweight.Model`."""
        # the one arrow that points right: a convenience, so that a user need not know the layers
        from ..simulate.model import Model

        return Model(self, **options)

    def save(self, path: str | Path) -> None:
        """Write the YAML form, which :func:`touchweight.load` reads back."""
        from .yaml_format import save

        save(self, path)


def _start(initial: Sequence[float] | None, name: str, kind: str) -> tuple[float, ...] | None:
    if initial is None:
        return None
    values = tuple(number(x, f"initial coordinate of {name}") for x in initial)
    wanted = len(JOINT_KINDS[kind].coordinates)
    if len(values) != wanted:
        raise MechanismError(f"expected {wanted} initial coordinates for {shown(name)}, found {len(values)}")
    return values

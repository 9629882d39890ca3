"""The mechanism: a description that a user builds, checks, saves and compiles.

    m = Mechanism("pendulum")
    arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
    m.revolute("hip", m.ground, arm, axis="y")

Every number given becomes a live parameter named after its place (``arm.mass``, ``arm.com.z``,
``hip.origin.x``); a zero is structural: it leaves no trace in the equations. To keep a zero live,
declare it with :meth:`parameter`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MechanismError, printable
from ..symbolic import ONE, ZERO, Const, Expr, Scalar, Symbol, as_expr, maximum, minimum, symbol, tanh
from .body import Body, Frame, Vector
from .joint import JOINT_KINDS, Joint, Limits, Mimic
from .law import DISTANCE, DISTANCE_RATE, FrameForce, PairForce, SpeedForce, trace
from .parameter import Live, Parameter
from .rotation import rotation_matrix
from .signal import SENSOR_KINDS, FirstOrder, Input, Sensor
from .values import number, shown, six, unit_axis, world_or_frame

if TYPE_CHECKING:
    from pathlib import Path

    from ..simulate.model import Model
    from .check import Problem

#: standard gravity as most robotics codes take it [m/s²]
GRAVITY = (0.0, 0.0, -9.81)

#: speed over which dry friction is smoothed [rad/s or m/s]
FRICTION_SPEED = 1e-2

#: the kinds a parameter may have
PARAMETER_KINDS = ("parameter", "mass", "length", "force")

#: the entries of an inertia, in order
INERTIA_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


class Mechanism:
    """Bodies, joints, forces, inputs, states and sensors, with their parameters."""

    def __init__(self, name: str = "mechanism", gravity: Sequence[Scalar] = GRAVITY) -> None:
        self.name = name
        self.parameters: dict[str, Parameter] = {}
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.frames: dict[str, Frame] = {}
        self.forces: dict[str, SpeedForce | PairForce | FrameForce] = {}
        self.inputs: dict[str, Input] = {}
        self.states: dict[str, FirstOrder] = {}
        self.sensors: dict[str, Sensor] = {}
        #: remarks of a reader about what a file holds and we don't use
        self.remarks: list[str] = []
        self.ground = Body("ground")
        self.time: Symbol = symbol("t", "time")
        self.gravity: Vector = self._vector("gravity", gravity, "parameter", "m/s²")

    def __repr__(self) -> str:
        return (
            f"Mechanism({self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints, "
            f"{len(self.parameters)} parameters)"
        )

    # -- numbers ----------------------------------------------------------------------------------------
    def parameter(
        self,
        name: str,
        value: float,
        unit: str = "",
        *,
        minimum: float = -math.inf,
        maximum: float = math.inf,
        description: str = "",
        kind: str = "parameter",
    ) -> Symbol:
        """Declare a live parameter (also when it is zero) and get its symbol, for use in expressions.

        Args:
            name: unique name.
            value: default value, SI.
            unit: SI unit, for people.
            minimum: smallest value allowed.
            maximum: largest value allowed.
            description: one sentence, for people.
            kind: ``mass``, ``length``, ``force`` or ``parameter``: its place in the priority rule.
        """
        self._claim(self.parameters, name, "parameter")
        if kind not in PARAMETER_KINDS:
            raise MechanismError(
                f"expected a parameter kind among {', '.join(PARAMETER_KINDS)}, found {shown(kind)} for {shown(name)}"
            )
        default = number(value, f"parameter {name}")
        made = symbol(name, kind)
        self.parameters[name] = Parameter(name, default, made, unit, minimum, maximum, description, explicit=True)
        return made

    def _scalar(self, name: str, value: Scalar | Live, kind: str, unit: str, minimum: float = -math.inf) -> Expr:
        """A number as a live parameter called ``name``; zero stays zero; expressions stay."""
        if isinstance(value, Expr) and not isinstance(value, Const):
            return value
        live = value if isinstance(value, Live) else Live(number(value, name))
        if live.value == 0.0 and live is not value:
            return ZERO
        self._claim(self.parameters, name, "parameter")
        made = symbol(name, kind)
        self.parameters[name] = Parameter(
            name,
            live.value,
            made,
            unit if live.unit is None else live.unit,
            minimum if live.minimum is None else live.minimum,
            live.maximum,
            live.description,
        )
        return made

    def _vector(self, name: str, values: Sequence[Scalar], kind: str, unit: str) -> Vector:
        try:
            parts = list(values)
        except TypeError:
            parts = []
        if len(parts) != 3:
            raise MechanismError(f"expected three components for {printable(name)}, found {shown(values)}")
        x, y, z = (self._scalar(f"{name}.{a}", p, kind, unit) for a, p in zip("xyz", parts, strict=True))
        return (x, y, z)

    def _claim(self, table: dict[str, Any], name: str, what: str) -> None:
        if not isinstance(name, str) or not name:
            raise MechanismError(f"expected a non-empty name for a {what}, found {shown(name)}")
        if any("\ud800" <= c <= "\udfff" for c in name):
            raise MechanismError(f"expected a name in Unicode for a {what}, found {shown(name)}; rename it")
        if what == "body" and name == "ground":
            raise MechanismError("expected a name for a body other than 'ground', which is the world; rename it")
        if name in table:
            raise MechanismError(f"expected a new name for a {what}, found {shown(name)} a second time; rename one")

    # -- bodies, frames ---------------------------------------------------------------------------------
    def body(
        self,
        name: str,
        mass: Scalar = 0.0,
        com: Sequence[Scalar] = (0.0, 0.0, 0.0),
        inertia: Sequence[Any] = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a rigid body.

        Args:
            name: unique name.
            mass: [kg].
            com: centre of mass in the body frame [m].
            inertia: about the centre of mass, along the body axes [kg m²]: three diagonal entries, six as
                (xx, yy, zz, xy, xz, yz), or three rows of three.
        """
        self._claim(self.bodies, name, "body")
        entries = six(inertia, name)
        made = Body(
            name,
            self._scalar(f"{name}.mass", mass, "mass", "kg", 0.0),
            self._vector(f"{name}.com", com, "length", "m"),
            tuple(  # type: ignore[arg-type]
                self._scalar(f"{name}.inertia.{k}", v, "parameter", "kg m²")
                for k, v in zip(INERTIA_ENTRIES, entries, strict=True)
            ),
        )
        self.bodies[name] = made
        return made

    def frame(
        self, name: str, body: Body | str, origin: Sequence[Scalar] = (0.0, 0.0, 0.0), rotation: Any = None
    ) -> Frame:
        """Add a frame (or point) fixed to a body: ``origin`` [m] and ``rotation`` in the body frame."""
        self._claim(self.frames, name, "frame")
        place = self._body_of(body)
        axes = self._rotation(rotation, name)
        made = Frame(name, place, self._vector(f"{name}.origin", origin, "length", "m"), axes)
        self.frames[name] = made
        return made

    def _rotation(self, spec: Any, name: str) -> Any:
        try:
            return rotation_matrix(spec)
        except (TypeError, ValueError) as error:
            raise MechanismError(f"rotation of {shown(name)}: {error}") from None

    def _body_of(self, body: Body | str) -> Body:
        """A body, or the body of that name."""
        if isinstance(body, Body):
            return body
        found = self.ground if body == "ground" else self.bodies.get(body) if isinstance(body, str) else None
        if found is None:
            raise MechanismError(f"expected a body of the mechanism, found {shown(body)}; add it first")
        return found

    def _frame_of(self, place: Body | Frame | str) -> Frame:
        """A frame, a body (its own frame), or the name of either."""
        if isinstance(place, Frame):
            return place
        if isinstance(place, Body):
            return Frame(place.name, place)
        if isinstance(place, str):
            if place in self.frames:
                return self.frames[place]
            if place == "ground":
                return Frame("ground", self.ground)
            if place in self.bodies:
                return Frame(place, self.bodies[place])
        raise MechanismError(f"expected a frame or body of the mechanism, found {shown(place)}; add it first")

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

    # -- symbols of the motion --------------------------------------------------------------------------
    def q(self, coordinate: str) -> Symbol:
        """The symbol of a coordinate [rad or m]."""
        return symbol(f"q.{coordinate}", "coordinate")

    def v(self, speed: str) -> Symbol:
        """The symbol of a speed [rad/s or m/s]."""
        return symbol(f"v.{speed}", "speed")

    @property
    def coordinates(self) -> list[str]:
        """Names of all coordinates, in the order of the joints."""
        return [c for j in self.joints.values() for c in j.coordinates]

    @property
    def speeds(self) -> list[str]:
        """Names of all speeds, in the order of the joints."""
        return [s for j in self.joints.values() for s in j.speeds]

    # -- signals ----------------------------------------------------------------------------------------
    def input(self, name: str, unit: str = "", value: float = 0.0, description: str = "") -> Symbol:
        """Declare an input (a command, a force sensor) and get its symbol."""
        self._claim(self.inputs, name, "input")
        made = symbol(name, "input")
        self.inputs[name] = Input(name, made, unit, number(value, f"input {name}"), description)
        return made

    def state(
        self, name: str, rate: Scalar | Callable[[Symbol], Scalar] = 0.0, initial: float = 0.0, unit: str = ""
    ) -> Symbol:
        """Declare a state x with dx/dt = ``rate`` (an expression, or a function of its own symbol)."""
        self._claim(self.states, name, "state")
        made = symbol(name, "state")
        self.states[name] = FirstOrder(name, made, ZERO, number(initial, f"state {name}"), unit)
        self.states[name].rate = as_expr(rate(made)) if callable(rate) else as_expr(rate)
        return made

    def sensor(self, name: str, kind: str, place: Body | Frame | str, axes: str = "world") -> Sensor:
        """Measure a frame's motion.

        Args:
            name: unique name; its components are ``name.x``, ...
            kind: position, velocity, acceleration, orientation, angular_velocity or angular_acceleration.
            place: the frame, or a body for its own frame.
            axes: "world" or "frame": the axes in which vectors are given.
        """
        self._claim(self.sensors, name, "sensor")
        if kind not in SENSOR_KINDS:
            raise MechanismError(
                f"expected a sensor kind among {', '.join(SENSOR_KINDS)}, found {shown(kind)} for {shown(name)}"
            )
        world_or_frame(axes, name)
        made = Sensor(name, kind, self._frame_of(place), axes)
        self.sensors[name] = made
        return made

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

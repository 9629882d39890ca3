"""What every description is made of: names, live numbers, bodies, frames, symbols, signals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import MechanismError, printable
from ..symbolic import ZERO, Const, Expr, Scalar, Symbol, as_expr, symbol
from .body import Body, Frame, Vector
from .contact import Contact
from .drive import Drive
from .joint import Joint
from .law import FrameForce, PairForce, SpeedForce
from .loop import Constraint, Loop
from .mode import Mode, Transition
from .parameter import Live, Parameter
from .rotation import rotation_matrix
from .shape import Shape
from .signal import SENSOR_KINDS, FirstOrder, Input, Sensor
from .values import number, shown, six, world_or_frame

#: standard gravity as most robotics codes take it [m/s²]
GRAVITY = (0.0, 0.0, -9.81)

#: the kinds a parameter may have
PARAMETER_KINDS = ("parameter", "mass", "length", "force")

#: the entries of an inertia, in order
INERTIA_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


class Description:
    """The tables of a mechanism and what all its builders share."""

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
        self.loops: dict[str, Loop | Constraint] = {}
        self.drives: dict[str, Drive] = {}
        self.shapes: dict[str, Shape] = {}
        self.contacts: dict[str, Contact] = {}
        #: set-valued dry friction by speed: its limit [N m or N]
        self.dry_friction: dict[str, Expr] = {}
        self.modes: dict[str, Mode] = {}
        self.transitions: dict[str, Transition] = {}
        #: remarks of a reader about what a file holds and we don't use
        self.remarks: list[str] = []
        self.ground = Body("ground")
        self.time: Symbol = symbol("t", "time")
        self.gravity: Vector = self._vector("gravity", gravity, "parameter", "m/s²")

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints, "
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

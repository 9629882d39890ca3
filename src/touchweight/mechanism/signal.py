"""What flows in and out: inputs, first-order states, sensors."""

from __future__ import annotations

from dataclasses import dataclass

from ..symbolic import ZERO, Expr, Symbol, symbol
from .body import Frame

#: what a sensor may measure, the components of its reading, and its unit
SENSOR_KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "position": (("x", "y", "z"), "m"),
    "velocity": (("x", "y", "z"), "m/s"),
    "acceleration": (("x", "y", "z"), "m/s²"),
    "orientation": (("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"), ""),
    "angular_velocity": (("x", "y", "z"), "rad/s"),
    "angular_acceleration": (("x", "y", "z"), "rad/s²"),
}


@dataclass(eq=False)
class Input:
    """A number that comes from outside at run time, such as a motor command or a force sensor."""

    name: str
    symbol: Symbol
    unit: str = ""
    value: float = 0.0
    description: str = ""


@dataclass(eq=False)
class FirstOrder:
    """A state x owned by a law or an actuator, with its rate dx/dt as an expression."""

    name: str
    symbol: Symbol
    rate: Expr = ZERO
    initial: float = 0.0
    unit: str = ""


@dataclass(eq=False)
class Sensor:
    """A reading of a frame's motion with respect to the world.

    ``axes`` is "world" or "frame": the axes in which vectors are given. Orientation is the rotation
    matrix, by rows (columns are the frame's axes in the world).
    """

    name: str
    kind: str
    frame: Frame
    axes: str = "world"

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the components."""
        return tuple(f"{self.name}.{c}" for c in SENSOR_KINDS[self.kind][0])

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """What stands for the components in laws."""
        return tuple(symbol(c, "state") for c in self.channels)

    @property
    def unit(self) -> str:
        """SI unit of every component."""
        return SENSOR_KINDS[self.kind][1]

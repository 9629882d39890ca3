"""Signals: sensor readings as laws, constraints and guards use them."""

from __future__ import annotations

from collections.abc import Sequence

from ..mechanism import Mechanism
from ..symbolic import Expr, free_symbols, share, substitute
from .kinematics import Kinematics
from .sensors import reading
from .tree import Tree


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

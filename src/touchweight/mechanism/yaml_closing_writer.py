"""What restricts and switches the motion, as plain data for YAML: loops, constraints, drives, modes, transitions."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import astuple
from typing import Any

from ..errors import MechanismError
from ..symbolic import ZERO, Const, Expr, differentiate, free_symbols
from .drive import Drive
from .loop import LOOP_KINDS, Constraint, Loop
from .mechanism import Mechanism
from .mode import Mode, Transition
from .scope import reset_targets
from .values import AXES, shown
from .yaml_value_writer import ValueWriter

#: kinds of loops whose axis means something
_WITH_AXIS = ("hinge", "pin")

#: couplings: their kind, the keys of their coordinates (the one that leads first) and of their number
_COUPLINGS = (
    ("gear", "first", "second", "ratio"),
    ("rack", "pinion", "rack", "radius"),
    ("screw", "turn", "slide", "pitch"),
)


class ClosingWriter(ValueWriter):
    """Writes loops, constraints, drives, modes and transitions."""

    # -- loops and constraints --------------------------------------------------------------------------
    def closings(self) -> dict[str, Any]:
        """The sections ``loops`` and ``constraints``; in one section where that alone keeps their order."""
        items = list(self.mechanism.loops.values())
        cuts = [item for item in items if isinstance(item, Loop)]
        if items[: len(cuts)] == cuts:
            equations = [item for item in items if isinstance(item, Constraint)]
            return {
                "loops": {c.name: self.loop(c) for c in cuts},
                "constraints": {e.name: self.constraint(e) for e in equations},
            }
        mixed = {}
        for item in items:
            mixed[item.name] = self.loop(item) if isinstance(item, Loop) else self.kind_first(self.constraint(item))
        return {"loops": mixed}

    def kind_first(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An equation that says its kind, as it must among cuts."""
        return {"kind": "equation"} | entry

    def loop(self, loop: Loop) -> dict[str, Any]:
        """A cut."""
        out: dict[str, Any] = {
            "kind": self.known(loop.kind, LOOP_KINDS, "a loop kind"),
            "a": self.place(loop.a),
            "b": self.place(loop.b),
        }
        if loop.kind in _WITH_AXIS or loop.axis != AXES["z"]:
            named = {axis: name for name, axis in AXES.items()}
            out["axis"] = named.get(loop.axis, list(loop.axis))
        if loop.length is not ZERO:
            out["length"] = self.scalar(loop.length, f"{loop.name}.length")
        return out

    def constraint(self, item: Constraint) -> dict[str, Any]:
        """An equation, or the coupling that makes exactly it."""
        coupling = self.coupling(item) if item.level == "position" else None
        if coupling is not None:
            return coupling
        out = {"expression": self.value(item.expression)}
        return out if item.level == "position" else out | {"level": self.known(item.level, ("speed",), "a level")}

    def coupling(self, item: Constraint) -> dict[str, Any] | None:
        """The short form of a gear, rack or screw, where building it again gives this very equation."""
        m = self.mechanism
        used = set(free_symbols([item.expression]))
        moving = [c for c in m.coordinates if m.q(c) in used]
        if len(moving) != 2:
            return None
        for kind, leader, follower, key in _COUPLINGS:
            number = m.parameters.get(f"{item.name}.{key}")
            if number is None or number.explicit or number.name in self.placed:
                continue
            for first, second in (moving, moving[::-1]):
                rest = self.coupling_rest(item.expression, m, kind, number.symbol, first, second)
                if rest is None or (rest is not ZERO and kind != "gear"):
                    continue
                out = {"kind": kind, leader: first, follower: second}
                out[key] = self.scalar(number.symbol, number.name)
                return out if rest is ZERO else out | {"offset": self.scalar(rest, f"{item.name}.offset")}
        return None

    def coupling_rest(
        self, expression: Expr, m: Mechanism, kind: str, number: Expr, first: str, second: str
    ) -> Expr | None:
        """The offset with which two coordinates are coupled by ``number``, or None where they are not."""
        ratio = number * (0.5 / math.pi) if kind == "screw" else number
        if differentiate(expression, m.q(first)) is not -ratio:
            return None
        linked = m.q(second) - ratio * m.q(first)
        rest = linked - expression
        if isinstance(rest, Const) and rest is not ZERO:  # a number would come back as a parameter
            return None
        return rest if linked - rest is expression else None

    # -- drives -----------------------------------------------------------------------------------------
    def drives(self) -> dict[str, Any]:
        """The section ``drives``; inputs that reading it makes again, in their place, are not written themselves."""
        m = self.mechanism
        left = list(m.inputs)
        for drive in reversed(m.drives.values()):
            if drive.motion is not None:
                continue
            if tuple(left[-3:]) != drive.inputs or not self.is_usual(drive):
                break
            self.covered |= {("input", name) for name in left[-3:]}
            del left[-3:]
        return {d.name: self.drive(d) for d in m.drives.values()}

    def drive(self, drive: Drive) -> dict[str, Any]:
        """A drive: its motion, its inputs, or nothing where those are made for it."""
        self.known(drive.name, self.mechanism.coordinates, "a coordinate")
        if drive.motion is not None:
            return {"motion": self.value(drive.motion)}
        names = drive.inputs or ()
        if names and all(("input", name) in self.covered for name in names):
            return {}
        return {"inputs": [self.known(name, self.mechanism.inputs, "an input") for name in names]}

    def is_usual(self, drive: Drive) -> bool:
        """Whether the inputs of a drive are exactly those that are made for it."""
        usual = Mechanism()
        usual.drive(drive.name)
        return tuple(usual.inputs) == drive.inputs and all(
            astuple(self.mechanism.inputs[name]) == astuple(made) for name, made in usual.inputs.items()
        )

    # -- modes ------------------------------------------------------------------------------------------
    def mode(self, mode: Mode) -> dict[str, Any]:
        """A mode."""
        m = self.mechanism
        acting = {*m.loops, *m.drives, *m.forces}
        out: dict[str, Any] = {}
        if mode.active:
            out["active"] = [self.known(name, acting, "a loop, constraint, drive or force") for name in mode.active]
        if mode.locked:
            out["locked"] = [self.known(name, m.coordinates, "a coordinate") for name in mode.locked]
        return out

    def transition(self, t: Transition) -> dict[str, Any]:
        """A transition."""
        modes = self.mechanism.modes
        out: dict[str, Any] = {
            "from": self.known(t.source, modes, "a mode"),
            "to": self.known(t.target, modes, "a mode"),
            "when": self.value(t.guard),
        }
        if t.reset:
            targets = reset_targets(self.mechanism)
            out["reset"] = {self.known(k, targets, "what a reset can set"): self.value(e) for k, e in t.reset.items()}
        if t.restitution is not None:
            out["restitution"] = self.scalar(t.restitution, f"{t.name}.restitution")
        if t.rest is not None:
            out["rest"] = self.known(t.rest, modes, "a mode")
        return out

    def known(self, name: str, table: Collection[str], what: str) -> str:
        """A name that must be in a table."""
        if name not in table:
            raise MechanismError(
                f"expected {what} of the mechanism, found {shown(name)}; add or correct it before saving"
            )
        return name

"""From a mechanism to plain data for YAML.

Numbers go back to the place they came from. What a short form made (joint damping, springs, actuators)
is recognised by building it again and comparing nodes, and is written in that form; everything else is
written as its expression.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..symbolic import ONE, ZERO, Expr, Symbol, differentiate, free_symbols, maximum, minimum, tanh
from .body import NOWHERE, Body, Frame
from .description import INERTIA_ENTRIES
from .joint import JOINT_KINDS, Joint
from .law import DISTANCE, DISTANCE_RATE, FrameForce, PairForce, SpeedForce
from .mechanism import FRICTION_SPEED, Mechanism
from .values import AXES
from .yaml_contact_writer import ContactWriter
from .yaml_value_writer import plain

_MOTOR_UNIT = "N m or N"


def document(
    mechanism: Mechanism, version: int, spelled: frozenset[str] = frozenset()
) -> tuple[dict[str, Any], set[str]]:
    """The data of a file, and the parameters written where their number was given.

    ``spelled`` are those among them that need more than a number.
    """
    writer = _Writer(mechanism, spelled)
    return writer.document(version), writer.placed


class _Writer(ContactWriter):
    """One mechanism as data."""

    def document(self, version: int) -> dict[str, Any]:
        m = self.mechanism
        top: dict[str, Any] = {
            "touchweight": version,
            "name": m.name,
            "gravity": self.vector(m.gravity, "gravity"),
            "parameters": {},
            "bodies": {b.name: self.body(b) for b in m.bodies.values()},
            "joints": {j.name: self.joint(j) for j in m.joints.values()},
            "frames": {f.name: self.frame(f) for f in m.frames.values()},
        }
        actuators = {f.name: self.actuator(f) for f in m.forces.values() if isinstance(f, SpeedForce)}
        forces: dict[str, Any] = {}
        for force in m.forces.values():
            actuator = actuators.get(force.name)
            if actuator is not None:
                forces[force.name.removesuffix(".force")] = actuator
            elif ("force", force.name) not in self.covered:
                forces[force.name] = self.force(force)
        drives = self.drives()
        top["inputs"] = {i.name: self.input(i) for i in m.inputs.values() if ("input", i.name) not in self.covered}
        top["states"] = {s.name: self.state(s) for s in m.states.values() if ("state", s.name) not in self.covered}
        top["sensors"] = {s.name: self.sensor(s) for s in m.sensors.values()}
        top["forces"] = forces
        top["shapes"] = {s.name: self.shape(s) for s in m.shapes.values()}
        top["contacts"] = {c.name: self.contact(c) for c in m.contacts.values()}
        top |= self.closings()
        top["drives"] = drives
        top["modes"] = {mode.name: self.mode(mode) for mode in m.modes.values()}
        top["transitions"] = {t.name: self.transition(t) for t in m.transitions.values()}
        top["parameters"] = {p.name: self.parameter(p) for p in m.parameters.values() if p.name not in self.placed}
        top["remarks"] = list(m.remarks)
        keep = ("touchweight", "name", "gravity")
        return {k: v for k, v in top.items() if v or k in keep}

    # -- bodies, joints, frames -------------------------------------------------------------------------
    def body(self, b: Body) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if b.mass is not ZERO:
            out["mass"] = self.scalar(b.mass, f"{b.name}.mass")
        if b.com != NOWHERE:
            out["com"] = self.vector(b.com, f"{b.name}.com")
        if any(i is not ZERO for i in b.inertia):
            entries = [self.scalar(i, f"{b.name}.inertia.{k}") for i, k in zip(b.inertia, INERTIA_ENTRIES, strict=True)]
            out["inertia"] = entries[:3] if all(i is ZERO for i in b.inertia[3:]) else entries
        return out

    def joint(self, j: Joint) -> dict[str, Any]:
        out: dict[str, Any] = {
            "kind": j.kind,
            "parent": self.body_name(j.parent),
            "child": self.body_name(j.child),
        }
        named = {axis: name for name, axis in AXES.items()}
        if JOINT_KINDS[j.kind].axes or j.axis != AXES["z"]:
            out["axis"] = named.get(j.axis, list(j.axis))
        if JOINT_KINDS[j.kind].axes > 1 or j.axis2 != AXES["x"]:
            out["axis2"] = named.get(j.axis2, list(j.axis2))
        out |= self.placement(j.origin, j.rotation, j.name)
        out |= self.passive(j)
        if j.armature is not ZERO:
            out["armature"] = self.scalar(j.armature, f"{j.name}.armature")
        if j.limits is not None:
            limits = {k: getattr(j.limits, k) for k in ("lower", "upper", "velocity", "effort")}
            out["limits"] = {k: plain(v, j.name) for k, v in limits.items() if v is not None and math.isfinite(v)}
        if j.mimic is not None:
            out["mimic"] = {
                "joint": j.mimic.joint,
                "multiplier": plain(j.mimic.multiplier, j.name),
                "offset": plain(j.mimic.offset, j.name),
            }
        if j.reference:
            out["reference"] = plain(j.reference, j.name)
        if j.initial is not None:
            out["initial"] = [plain(x, j.name) for x in j.initial]
        return out

    def passive(self, j: Joint) -> dict[str, Any]:
        """Damping, friction and stiffness of a joint, where its forces are exactly what these make."""
        m = self.mechanism
        out: dict[str, Any] = {}

        def damper(speed: str) -> Expr:
            return -m.v(speed)

        def dry(speed: str) -> Expr:
            return -tanh(m.v(speed) * (1.0 / FRICTION_SPEED))

        for key, suffix, shape in (("damping", "damper", damper), ("friction", "dry_friction", dry)):
            forces = self.joint_forces(j, suffix)
            if forces:
                size = forces[0].force / shape(j.speeds[0])
                if all(f.force is size * shape(f.speed) and f.potential is ZERO for f in forces):
                    out[key] = self.scalar(size, f"{j.name}.{key}")
                    self.covered |= {("force", f.name) for f in forces}
        forces = self.joint_forces(j, "spring")
        if forces and len(j.speeds) == len(j.coordinates):
            out |= self.stiffness(j, forces)
        return out

    def joint_forces(self, j: Joint, suffix: str) -> list[SpeedForce]:
        """The forces named ``speed.suffix`` on all speeds of a joint, or none."""
        found = [self.mechanism.forces.get(f"{s}.{suffix}") for s in j.speeds]
        kept = [f for f, s in zip(found, j.speeds, strict=True) if isinstance(f, SpeedForce) and f.speed == s]
        return kept if len(kept) == len(j.speeds) else []

    def stiffness(self, j: Joint, forces: list[SpeedForce]) -> dict[str, Any]:
        m = self.mechanism
        k = -differentiate(forces[0].force, m.q(j.coordinates[0]))
        slack = m.parameters.get(f"{j.name}.rest")
        rest = ZERO if slack is None else slack.symbol
        for f, c in zip(forces, j.coordinates, strict=True):
            stretch = m.q(c) - rest
            if f.force is not -k * stretch or f.potential is not 0.5 * k * stretch * stretch:
                return {}
        self.covered |= {("force", f.name) for f in forces}
        out = {"stiffness": self.scalar(k, f"{j.name}.stiffness")}
        return out if rest is ZERO else out | {"rest": self.scalar(rest, f"{j.name}.rest")}

    def frame(self, f: Frame) -> dict[str, Any]:
        return {"body": self.body_name(f.body), **self.placement(f.origin, f.rotation, f.name)}

    # -- signals ----------------------------------------------------------------------------------------
    def input(self, i: Any) -> dict[str, Any]:
        out: dict[str, Any] = {"unit": i.unit} if i.unit else {}
        if i.value:
            out["value"] = plain(i.value, i.name)
        if i.description:
            out["description"] = i.description
        return out

    def state(self, s: Any) -> dict[str, Any]:
        out: dict[str, Any] = {"rate": self.value(s.rate)}
        if s.initial:
            out["initial"] = plain(s.initial, s.name)
        if s.unit:
            out["unit"] = s.unit
        return out

    def sensor(self, s: Any) -> dict[str, Any]:
        out = {"kind": s.kind, "frame": self.place(s.frame)}
        return out if s.axes == "world" else out | {"axes": s.axes}

    # -- forces -----------------------------------------------------------------------------------------
    def force(self, f: SpeedForce | PairForce | FrameForce) -> dict[str, Any]:
        if isinstance(f, FrameForce):
            return self.frame_force(f)
        if isinstance(f, PairForce):
            return self.spring(f) or self.law(f)
        return self.law_keys({"kind": "joint_law", "speed": f.speed}, f.name, f.force, f.potential, ())

    def frame_force(self, f: FrameForce) -> dict[str, Any]:
        out: dict[str, Any] = {"kind": "force", "frame": self.place(f.frame)}
        for key in ("force", "torque"):
            vector = getattr(f, key)
            if vector != NOWHERE:
                out[key] = self.vector(vector, f"{f.name}.{key}")
        return out if f.axes == "world" else out | {"axes": f.axes}

    def spring(self, f: PairForce) -> dict[str, Any] | None:
        """The short form of a linear spring, where the law is exactly that."""
        k, c = differentiate(f.tension, DISTANCE), differentiate(f.tension, DISTANCE_RATE)
        free = self.mechanism.parameters.get(f"{f.name}.length")
        length = ZERO if free is None else free.symbol
        stretch = DISTANCE - length
        if f.tension is not k * stretch + c * DISTANCE_RATE or f.potential is not 0.5 * k * stretch * stretch:
            return None
        if {DISTANCE, DISTANCE_RATE} & set(free_symbols([k, c])):
            return None
        out: dict[str, Any] = {"kind": "spring", "between": [self.place(f.a), self.place(f.b)]}
        for key, value in (("stiffness", k), ("length", length), ("damping", c)):
            if value is not ZERO or key == "stiffness":
                out[key] = self.scalar(value, f"{f.name}.{key}")
        return out

    def law(self, f: PairForce) -> dict[str, Any]:
        head = {"kind": "law", "between": [self.place(f.a), self.place(f.b)]}
        return self.law_keys(head, f.name, f.tension, f.potential, (DISTANCE, DISTANCE_RATE))

    def law_keys(
        self, out: dict[str, Any], name: str, law: Expr, potential: Expr, local: Sequence[Symbol]
    ) -> dict[str, Any]:
        out["law"] = self.value(law, local)
        if potential is not ZERO:
            out["potential"] = self.value(potential, local)
        own = self.law_parameters(name, free_symbols([law, potential]))
        if own:
            out["parameters"] = {k: self.scalar(p.symbol, p.name) for k, p in own.items()}
        return out

    def actuator(self, f: SpeedForce) -> dict[str, Any] | None:
        """The short form of a motor, where its input, state and force are exactly what that makes."""
        m = self.mechanism
        name = f.name.removesuffix(".force")
        command = m.inputs.get(name)
        if name == f.name or name in m.forces or command is None or f.potential is not ZERO:
            return None
        if (command.unit, command.value, command.description) != (_MOTOR_UNIT, 0.0, ""):
            return None
        gear, lag, limit = (m.parameters.get(f"{name}.{k}") for k in ("gear", "lag", "limit"))
        drive: Expr = command.symbol
        if lag is not None:
            state = m.states.get(f"{name}.current")
            if state is None or state.initial or state.unit != _MOTOR_UNIT:
                return None
            if state.rate is not (command.symbol - state.symbol) / lag.symbol:
                return None
            drive = state.symbol
        torque = (ONE if gear is None else gear.symbol) * drive
        if limit is not None:
            torque = minimum(maximum(torque, -limit.symbol), limit.symbol)
        if torque is not f.force:
            return None
        self.covered |= {("input", name), ("state", f"{name}.current" if lag else ""), ("force", f.name)}
        out: dict[str, Any] = {"kind": "actuator", "speed": f.speed}
        return out | {
            k: self.scalar(p.symbol, p.name)
            for k, p in (("gear", gear), ("lag", lag), ("limit", limit))
            if p is not None
        }

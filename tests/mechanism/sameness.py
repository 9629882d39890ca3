"""A mechanism as plain data that compares equal when two mechanisms say the same (nodes by identity)."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from touchweight.mechanism import Body, Frame, Mechanism
from touchweight.symbolic import Expr


def said(x: Any, m: Mechanism) -> Any:
    if isinstance(x, Expr):
        return id(x)
    if isinstance(x, Body) and (x is m.ground or m.bodies.get(x.name) is x):
        return ("body", x.name)
    if isinstance(x, Frame) and m.frames.get(x.name) is x:
        return ("frame", x.name)
    if isinstance(x, (tuple, list)):
        return tuple(said(y, m) for y in x)
    if isinstance(x, dict):
        return tuple((k, said(y, m)) for k, y in x.items())
    if is_dataclass(x):
        return (type(x).__name__, *((f.name, said(getattr(x, f.name), m)) for f in fields(x)))
    return x


def describe(m: Mechanism) -> dict[str, Any]:
    def content(table: dict[str, Any]) -> dict[str, Any]:
        out = {}
        for key, value in table.items():
            out[key] = (
                type(value).__name__,
                *((f.name, said(getattr(value, f.name), m)) for f in fields(value)),
            )
        return out

    out: dict[str, Any] = {
        "name": m.name,
        "gravity": said(m.gravity, m),
        "remarks": list(m.remarks),
        "dry friction": said(m.dry_friction, m),
    }
    closing = ("shapes", "contacts", "loops", "drives", "modes", "transitions")
    for table in ("parameters", "bodies", "joints", "frames", "inputs", "states", "sensors", "forces", *closing):
        out[table] = content(getattr(m, table))
    for table in ("bodies", "joints", "frames", "sensors", *closing):
        out[f"{table} in order"] = list(getattr(m, table))
    return out

"""Where bodies may touch, as plain data for YAML: shapes, contacts, stops."""

from __future__ import annotations

from typing import Any

from ..errors import MechanismError
from ..symbolic import ZERO, free_symbols
from .contact import COMPRESSION, COMPRESSION_RATE, LAWS, Contact
from .law import trace
from .shape import ALONG, SHAPE_KINDS, Shape
from .values import AXES, shown
from .yaml_closing_writer import ClosingWriter
from .yaml_contact_reader import NEEDED, SHAPE_KEYS


class ContactWriter(ClosingWriter):
    """Writes shapes and contacts."""

    # -- shapes -----------------------------------------------------------------------------------------
    def shape(self, s: Shape) -> dict[str, Any]:
        """A shape."""
        kind = self.known(s.kind, SHAPE_KINDS, "a shape kind")
        out: dict[str, Any] = {"kind": kind, "frame": self.place(s.frame)}
        points, rest = SHAPE_KEYS[kind]
        suffixes = ("",) if len(points) == 1 else ("1", "2")
        for key, suffix, at in zip(points, suffixes, s.points, strict=False):
            out[key] = self.vector(at, f"{s.name}.point{suffix}")
        if "radius" in rest and s.radius is not ZERO:
            out["radius"] = self.scalar(s.radius, f"{s.name}.radius")
        named = {axis: name for name, axis in AXES.items()}
        if "normal" in rest:
            out["normal"] = named.get(s.normal, list(s.normal))
        if "axis" in rest and s.axis != AXES["y"]:
            out["axis"] = named.get(s.axis, list(s.axis))
        if "size" in rest:
            out["size"] = self.vector(s.size, f"{s.name}.size")
        if "height" in rest:
            out["height"] = self.value(s.height, (ALONG,))
            own = self.law_parameters(s.name, free_symbols([s.height]))
            if own:
                out["parameters"] = {k: self.scalar(p.symbol, p.name) for k, p in own.items()}
        return out

    # -- contacts ---------------------------------------------------------------------------------------
    def contact(self, c: Contact) -> dict[str, Any]:
        """A contact or a stop."""
        out: dict[str, Any] = {}
        if c.gap is not None:
            out["gap"] = self.value(c.gap)
        else:
            out |= {"a": self.shape_name(c.a), "b": self.shape_name(c.b)}
        out |= self.known_law(c) or self.own_law(c)
        if c.friction is not ZERO:
            out["friction"] = self.scalar(c.friction, f"{c.name}.friction")
        return out

    def shape_name(self, s: Shape | None) -> str:
        """The name of a shape, which must be one of the mechanism."""
        if s is None or self.mechanism.shapes.get(s.name) is not s:
            found = "none" if s is None else shown(s.name)
            raise MechanismError(f"expected shapes of the mechanism, found {found}; add it before saving")
        return s.name

    def known_law(self, c: Contact) -> dict[str, Any] | None:
        """A law by its name, where the contact is exactly that."""
        if c.law not in LAWS or set(c.values) != set(LAWS[c.law].parameters):
            return None
        law = LAWS[c.law].make(**c.values)
        if law.kind == "rigid":
            exact = c.force is None and c.restitution is c.values["restitution"]
        else:
            assert law.force is not None
            exact = c.force is trace(law.force, {"d": COMPRESSION, "d_dot": COMPRESSION_RATE}, c.values)
        if not exact:
            return None
        out: dict[str, Any] = {"law": c.law}
        for key, value in c.values.items():
            if value is not ZERO or key in NEEDED[c.law]:
                out[key] = self.scalar(value, f"{c.name}.{key}")
        return out

    def own_law(self, c: Contact) -> dict[str, Any]:
        """A law written out."""
        if c.force is None:
            return {"law": "rigid"} | (
                {} if c.restitution is ZERO else {"restitution": self.scalar(c.restitution, f"{c.name}.restitution")}
            )
        text = self.value(c.force, (COMPRESSION, COMPRESSION_RATE))
        # a parameter called felt is not the law of that name
        out: dict[str, Any] = {"law": f"({text})" if text in LAWS else text}
        own = {k: self.scalar(value, f"{c.name}.{k}") for k, value in c.values.items()}
        return out | ({"parameters": own} if own else {})

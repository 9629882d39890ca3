"""Where bodies may touch, from a YAML tree: shapes, contacts, stops."""

from __future__ import annotations

from typing import Any

from ..symbolic import Expr
from .contact import LAWS, ContactLaw
from .shape import ALONG, SHAPE_KINDS
from .yaml_closing_reader import ClosingReader
from .yaml_tree import MapNode, TextNode

#: of each kind of shape: the keys of its points, and of the rest
SHAPE_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "circle": (("centre",), ("radius", "axis")),
    "segment": (("start", "end"), ("radius", "axis")),
    "line": (("point",), ("normal", "axis")),
    "curve": ((), ("height", "parameters")),
    "sphere": (("centre",), ("radius",)),
    "disc": (("centre",), ("radius", "axis")),
    "plane": (("point",), ("normal",)),
    "capsule": (("start", "end"), ("radius",)),
    "box": (("centre",), ("size",)),
}

#: parameters that a law cannot do without
NEEDED: dict[str, tuple[str, ...]] = {
    "rigid": (),
    "felt": ("stiffness", "exponent"),
    "linear": ("stiffness",),
    "hertz": ("stiffness",),
}


class ContactReader(ClosingReader):
    """Reads shapes and contacts."""

    # -- shapes -----------------------------------------------------------------------------------------
    def shape(self, name: str, node: MapNode) -> None:
        """An entry of the section ``shapes``."""
        kind = node.need("kind")
        if kind.text() not in SHAPE_KINDS:
            raise kind.error(f"expected a shape kind among {', '.join(SHAPE_KINDS)}, found {kind.noun}")
        points, rest = SHAPE_KEYS[kind.text()]
        node.allow(("kind", "frame", *points, *rest))
        place = self.place(node.need("frame"))
        if kind.text() == "curve":
            self.curve(name, place, node)
            return
        options: dict[str, Any] = self.scalars(node, ("radius",))
        for key in ("normal", "axis"):
            found = node.get(key)
            if found is not None:
                options[key] = self.axis(found)
        if "size" in rest:
            options["size"] = self.vector(node.need("size"))
        corners = [[0.0, 0.0, 0.0] if (at := node.get(key)) is None else self.vector(at) for key in points]
        self.mechanism._shape(name, kind.text(), place, corners, **options)

    def curve(self, name: str, place: Any, node: MapNode) -> None:
        """A curve: its height over x."""
        given = self.short_parameters(node)
        height = node.need("height")
        self.mechanism.curve(name, place, lambda x, **own: self.value(height, {"x": ALONG, **own}), **given)

    def short_parameters(self, node: MapNode) -> dict[str, Any]:
        """The parameters of a law, under the short names by which it may call them."""
        found = node.get("parameters")
        return {} if found is None else {k: self.scalar(value) for k, value in found.mapping().entries.items()}

    # -- contacts ---------------------------------------------------------------------------------------
    def contact(self, name: str, node: MapNode) -> None:
        """An entry of the section ``contacts``: two shapes, or the gap of a stop."""
        m = self.mechanism
        gap = node.get("gap")
        law = self.contact_law(node, ("gap",) if gap is not None else ("a", "b", "friction"))
        if gap is not None:
            m.stop(name, self.value(gap), law)
            return
        a, b = (self.known(node.need(key), m.shapes, "a shape") for key in ("a", "b"))
        m.contact(name, a, b, law, **self.scalars(node, ("friction",)))

    def contact_law(self, node: MapNode, others: tuple[str, ...]) -> ContactLaw:
        """The law of a contact, by its name or written out; ``others`` are the keys beside those of the law."""
        found = node.get("law")
        word = "rigid" if found is None else found.value if isinstance(found, TextNode) else ""
        if word in LAWS:
            node.allow((*others, "law", *LAWS[word].parameters))
            for key in NEEDED[word]:
                node.need(key)
            return LAWS[word].make(**self.scalars(node, tuple(LAWS[word].parameters)))
        node.allow((*others, "law", "parameters"))
        written = node.need("law")

        def force(d: Expr, d_dot: Expr, **own: Expr) -> Expr:
            return self.value(written, {"d": d, "d_dot": d_dot, **own})

        return ContactLaw("compliant", force, self.short_parameters(node))

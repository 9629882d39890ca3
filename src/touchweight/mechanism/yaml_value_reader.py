"""Values in a YAML tree: numbers, expressions, vectors, rotations, axes, places."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from ..symbolic import Expr, as_expr, symbol
from .body import Frame
from .expression_text import parse_expression
from .mechanism import Mechanism
from .parameter import Live
from .yaml_tree import ListNode, MapNode, Node, TextNode

#: the keys of a live number
LIVE = ("value", "unit", "minimum", "maximum", "description")

#: what stands for an expression while the names are being learnt
_UNREAD = symbol("not read yet")


class ValueReader:
    """One pass over a file; without ``names``, expressions are left unread."""

    mechanism: Mechanism

    def __init__(self, top: MapNode, names: dict[str, Expr] | None) -> None:
        self.top = top
        self.names = names
        self.has_expressions = False

    def live(self, node: MapNode) -> Live:
        """A live number with its unit and bounds."""
        unit, low, high, description = (node.get(k) for k in LIVE[1:])
        return Live(
            node.need("value").number(),
            None if unit is None else unit.text(),
            None if low is None else self.bound(low, -math.inf),
            math.inf if high is None else self.bound(high, math.inf),
            "" if description is None else description.text(),
        )

    def bound(self, node: Node, none: float) -> float:
        """A bound; the word none takes it away."""
        return none if isinstance(node, TextNode) and node.value == "none" else node.number()

    def scalar(self, node: Node, local: Mapping[str, Expr] | None = None) -> Any:
        """A number, an expression, or a mapping with a live number and its bounds."""
        if isinstance(node, MapNode):
            node.allow(LIVE)
            return self.live(node)
        if isinstance(node, TextNode) and not node.is_number:
            return self.expression(node, local)
        return node.number()

    def expression(self, node: Node, local: Mapping[str, Expr] | None = None) -> Expr:
        """The expression that a text writes."""
        source = node.text()
        self.has_expressions = True
        if self.names is None:
            return _UNREAD
        with node.place():
            return parse_expression(source, ChainMap(dict(local or {}), self.names))

    def value(self, node: Node, local: Mapping[str, Expr] | None = None) -> Expr:
        """A number or an expression, as an expression: no parameter is made."""
        if isinstance(node, TextNode) and node.is_number:
            return as_expr(node.number())
        return self.expression(node, local)

    def vector(self, node: Node) -> list[Any]:
        """Three scalars."""
        return [self.scalar(entry) for entry in node.items(3)]

    def rotation(self, node: Node) -> Any:
        """Three angles, a quaternion, or three rows."""
        entries = node.items()
        if len(entries) == 4:
            return [entry.number() for entry in entries]
        if entries and all(isinstance(entry, ListNode) for entry in entries):
            return [[self.value(x) for x in row.items(3)] for row in entries]
        return [self.value(entry) for entry in entries]

    def axis(self, node: Node) -> Any:
        """The name of an axis, or three numbers."""
        return node.text() if isinstance(node, TextNode) else [entry.number() for entry in node.items(3)]

    def placement(self, node: MapNode) -> dict[str, Any]:
        """The keys ``origin`` and ``rotation``, where given."""
        options: dict[str, Any] = {}
        origin, rotation = node.get("origin"), node.get("rotation")
        if origin is not None:
            options["origin"] = self.vector(origin)
        if rotation is not None:
            options["rotation"] = self.rotation(rotation)
        return options

    def scalars(self, node: MapNode, keys: tuple[str, ...]) -> dict[str, Any]:
        """The scalars among ``keys`` that are given."""
        return {k: self.scalar(found) for k in keys if (found := node.get(k)) is not None}

    def place(self, node: Node) -> Any:
        """A frame by its name, a body by its name, or a mapping that places a frame of its own."""
        if not isinstance(node, MapNode):
            return node.text()
        node.allow(("body", "name", "origin", "rotation"))
        body = self.mechanism._body_of(node.need("body").text())
        name, origin, rotation = node.get("name"), node.get("origin"), node.get("rotation")
        made = Frame(body.name if name is None else name.text(), body)
        if origin is not None:
            x, y, z = (self.value(entry) for entry in origin.items(3))
            made.origin = (x, y, z)
        if rotation is not None:
            made.rotation = self.mechanism._rotation(self.rotation(rotation), made.name)
        return made

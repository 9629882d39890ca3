"""What restricts and switches the motion, from a YAML tree: loops, constraints, drives, modes, transitions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from .drive import Drive
from .loop import LOOP_KINDS, Constraint
from .scope import reset_targets
from .values import shown
from .yaml_tree import MapNode, Node, TextNode
from .yaml_value_reader import ValueReader

#: kinds of equations, and the keys of each
CONSTRAINT_KINDS: dict[str, tuple[str, ...]] = {
    "equation": ("expression", "level"),
    "gear": ("first", "second", "ratio", "offset"),
    "rack": ("pinion", "rack", "radius"),
    "screw": ("turn", "slide", "pitch"),
}


class ClosingReader(ValueReader):
    """Reads loops, constraints, drives, modes and transitions. Names must be known before they are used."""

    def known(self, node: Node, table: Collection[str], what: str) -> str:
        """A name that must be in a table."""
        name = node.text()
        if name not in table:
            some = ", ".join(shown(entry) for entry in list(table)[:8]) or "none"
            raise node.error(f"expected {what} among {some}, found {node.noun}; correct it or add that")
        return name

    # -- loops and constraints --------------------------------------------------------------------------
    def loop(self, name: str, node: MapNode) -> None:
        """An entry of the section ``loops``: a cut, or an equation that has its place among the cuts."""
        kind = node.need("kind")
        if kind.text() in CONSTRAINT_KINDS:
            self.constraint(name, node)
            return
        if kind.text() not in LOOP_KINDS:
            known = ", ".join((*LOOP_KINDS, *CONSTRAINT_KINDS))
            raise kind.error(f"expected a loop kind among {known}, found {kind.noun}")
        node.allow(("kind", "a", "b", "axis", "length"))
        options = self.scalars(node, ("length",))
        axis = node.get("axis")
        if axis is not None:
            options["axis"] = self.axis(axis)
        a, b = self.place(node.need("a")), self.place(node.need("b"))
        self.mechanism.loop(name, kind.text(), a, b, **options)

    def constraint(self, name: str, node: MapNode) -> None:
        """An entry of the section ``constraints``: an equation, or a coupling."""
        given = node.get("kind")
        kind = "equation" if given is None else given.text()
        if given is not None and kind not in CONSTRAINT_KINDS:
            raise given.error(f"expected a constraint kind among {', '.join(CONSTRAINT_KINDS)}, found {given.noun}")
        keys = CONSTRAINT_KINDS[kind]
        node.allow(("kind", *keys))
        if kind == "equation":
            self.equation(name, node)
            return
        m = self.mechanism
        builders: dict[str, Callable[..., Constraint]] = {"gear": m.gear, "rack": m.rack, "screw": m.screw}
        first, second = (self.known(node.need(key), m.coordinates, "a coordinate") for key in keys[:2])
        node.need(keys[2])
        builders[kind](name, first, second, **self.scalars(node, keys[2:]))

    def equation(self, name: str, node: MapNode) -> None:
        """An equation on positions or speeds."""
        level = node.get("level")
        word = "position" if level is None else level.text()
        if level is not None and word not in ("position", "speed"):
            raise level.error(f"expected the level position or speed, found {level.noun}")
        build = self.mechanism.constraint if word == "position" else self.mechanism.speed_constraint
        build(name, self.value(node.need("expression")))

    # -- drives -----------------------------------------------------------------------------------------
    def drive(self, name: str, node: MapNode) -> None:
        """An entry of the section ``drives``: a motion, inputs by their names, or inputs made for it."""
        m = self.mechanism
        node.allow(("motion", "inputs"))
        motion, inputs = node.get("motion"), node.get("inputs")
        if name not in m.coordinates:
            some = ", ".join(shown(c) for c in m.coordinates[:8]) or "none"
            raise node.error(f"expected a coordinate among {some}, found {shown(name)}; drives are named after theirs")
        if motion is not None and inputs is not None:
            raise node.error("expected a motion or inputs, found both; remove one")
        if inputs is None:
            m.drive(name, None if motion is None else self.value(motion))
            return
        position, velocity, acceleration = (self.known(entry, m.inputs, "an input") for entry in inputs.items(3))
        m._claim(m.drives, name, "drive")
        m.drives[name] = Drive(name, None, (position, velocity, acceleration))

    # -- modes ------------------------------------------------------------------------------------------
    def mode(self, name: str, node: MapNode) -> None:
        """An entry of the section ``modes``."""
        m = self.mechanism
        node.allow(("active", "locked"))
        acting = [*m.loops, *m.drives, *m.forces]
        self.mechanism.mode(
            name,
            self.known_list(node.get("active"), acting, "a loop, constraint, drive or force"),
            self.known_list(node.get("locked"), m.coordinates, "a coordinate"),
        )

    def known_list(self, node: Node | None, table: Collection[str], what: str) -> list[str]:
        """Names that must be in a table."""
        return [] if node is None else [self.known(entry, table, what) for entry in node.items()]

    def transition(self, name: str, node: MapNode) -> None:
        """An entry of the section ``transitions``."""
        m = self.mechanism
        node.allow(("from", "to", "when", "reset", "restitution", "rest"))
        source, target = (self.known(node.need(key), m.modes, "a mode") for key in ("from", "to"))
        options: dict[str, Any] = self.scalars(node, ("restitution",))
        reset, rest = node.get("reset"), node.get("rest")
        if reset is not None:
            options["reset"] = self.reset(reset.mapping())
        if rest is not None:
            options["rest"] = self.rest(rest)
        m.transition(name, source, target, self.value(node.need("when")), **options)

    def rest(self, node: Node) -> str | bool:
        """The mode to rest in, or whether to make one."""
        is_mode = isinstance(node, TextNode) and node.value in self.mechanism.modes
        is_flag = isinstance(node, TextNode) and node.plain and node.value in ("true", "false")
        return node.flag() if is_flag and not is_mode else self.known(node, self.mechanism.modes, "true or a mode")

    def reset(self, node: MapNode) -> dict[str, Any]:
        """New values by name."""
        targets = reset_targets(self.mechanism)
        for key, entry in node.entries.items():
            if key not in targets:
                hint = "name q.COORDINATE, v.SPEED or a state"
                raise entry.error(f"expected what a reset can set, found {shown(key)}; {hint}")
        return {key: self.value(entry) for key, entry in node.entries.items()}

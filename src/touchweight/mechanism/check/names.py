"""Names: plain enough to be shown, and each with one meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..mechanism import Mechanism
from ..scope import clashes
from ..values import article, shown
from .problem import Problem

#: longest name without a remark [characters]
NAME_LIMIT = 200


def name_problems(m: Mechanism) -> Iterator[Problem]:
    """Names that are hard to live with, and names with two meanings."""
    seen: list[str] = []
    tables: dict[str, Mapping[str, Any]] = {
        "body": m.bodies, "joint": m.joints, "frame": m.frames, "input": m.inputs, "state": m.states,
        "sensor": m.sensors, "force": m.forces, "shape": m.shapes, "contact": m.contacts, "loop": m.loops,
        "mode": m.modes, "transition": m.transitions,
        "parameter": {k: p for k, p in m.parameters.items() if p.explicit},
    }  # fmt: skip
    for word, table in [("mechanism", {m.name: None}), *tables.items()]:
        for name in table:
            # names made from a name (hip.damper) are told with it
            if any(name == s or name.startswith(s + ".") for s in seen):
                continue
            trouble = _name_trouble(name)
            if trouble:
                seen.append(name)
                yield Problem(
                    f"{word} {shown(name)}",
                    f"expected a plain name, found {trouble}",
                    "rename it",
                    "warning",
                )
    for name, first, second in clashes(m):
        yield Problem(
            f"name {shown(name)}",
            f"expected one meaning, found {article(first)} and {article(second)} of that name",
            "rename one",
        )


def _name_trouble(name: str) -> str:
    if len(name) > NAME_LIMIT:
        return f"one of {len(name)} characters (up to {NAME_LIMIT} are fine)"
    hidden = [c for c in name if not c.isprintable()]
    if hidden:
        return f"the hidden character U+{ord(hidden[0]):04X}"
    return "" if name.strip() else "only spaces"

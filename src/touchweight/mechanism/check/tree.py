"""Whether joints and bodies form a tree that stands on the ground."""

from __future__ import annotations

from collections.abc import Iterator

from ..joint import Joint
from ..mechanism import Mechanism
from ..values import shown
from .problem import Problem


def tree_problems(mechanism: Mechanism) -> Iterator[Problem]:
    """Strange bodies, loops, cycles and what floats loose."""
    carriers: dict[str, list[Joint]] = {}
    for joint in mechanism.joints.values():
        where = f"joint {shown(joint.name)}"
        for word, body in (("parent", joint.parent), ("child", joint.child)):
            if body is not mechanism.ground and mechanism.bodies.get(body.name) is not body:
                yield Problem(
                    where,
                    f"expected a {word} in this mechanism, found {shown(body.name)}",
                    "add it with body()",
                )
        if joint.child is mechanism.ground:
            yield Problem(where, "expected a child that can move, found the ground", "exchange parent and child")
        elif joint.parent is joint.child:
            yield Problem(where, f"expected two bodies, found {shown(joint.child.name)} twice", "join it to another")
        else:
            carriers.setdefault(joint.child.name, []).append(joint)
    yield from _loops(carriers)
    yield from _loose(mechanism, carriers)


def _loops(carriers: dict[str, list[Joint]]) -> Iterator[Problem]:
    for name, joints in carriers.items():
        if len(joints) > 1:
            listed = ", ".join(shown(j.name) for j in joints[:5])
            yield Problem(
                f"body {shown(name)}",
                f"expected one joint to carry it, found {len(joints)} ({listed}): they close a loop",
                "cut the loop: replace one of the joints by a cut such as cut_hinge()",
            )


def _loose(mechanism: Mechanism, carriers: dict[str, list[Joint]]) -> Iterator[Problem]:
    """Follow the carriers from every body inwards, to the ground or to where they end."""
    end: dict[str, str] = {}  # body -> "" on the ground, else the loose root or a body of the cycle
    hanging: dict[str, int] = {}
    cycles: dict[str, list[str]] = {}
    for start in mechanism.bodies:
        path: list[str] = []
        on_path: set[str] = set()
        name = start
        while name not in end and name not in on_path:
            path.append(name)
            on_path.add(name)
            if name not in carriers:
                end[name] = name
                break
            parent = carriers[name][0].parent
            if parent is mechanism.ground:
                end[name] = ""
                break
            name = parent.name
            if mechanism.bodies.get(name) is not parent:  # a stranger: told already
                end[path[-1]] = ""
                break
        if name in on_path and name not in end:
            cycles[name] = path[path.index(name) :]
            end[name] = name
        for visited in path:
            end[visited] = end[name] if name in end else end[path[-1]]
            if end[visited]:
                hanging[end[visited]] = hanging.get(end[visited], 0) + 1
    for root, count in hanging.items():
        others = f" with {count - 1} more behind it" if count > 1 else ""
        if root in cycles:
            ring = ", ".join(shown(n) for n in reversed(cycles[root][:5])) + (", ..." if len(cycles[root]) > 5 else "")
            yield Problem(
                f"body {shown(root)}",
                f"expected joints that lead to the ground, found a cycle: {ring}",
                "turn one joint so that it starts from the ground",
            )
        else:
            yield Problem(
                f"body {shown(root)}",
                f"expected a joint that leads to the ground, found none{others}",
                "add a joint (free() if it flies)",
            )

"""Modes and transitions: what they name, where they lead, and how many equations act at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...symbolic import free_symbols
from ..joint import JOINT_KINDS
from ..loop import LOOP_KINDS, Constraint, reaction_symbol
from ..mechanism import Mechanism
from ..mode import Mode, Transition
from ..scope import reset_targets
from ..values import shown
from .drives import coordinate_problems
from .problem import Problem
from .tools import GUARD, LAW, POSITION_SENSORS, SPEED_SENSORS, Tools


def mode_problems(tools: Tools) -> Iterator[Problem]:
    """What modes name, which of them are reached, and whether too much acts at once."""
    m = tools.mechanism
    acting = {*m.loops, *m.drives, *m.forces}
    for mode in m.modes.values():
        where = f"mode {shown(mode.name)}"
        for name in mode.active:
            if name not in acting:
                yield Problem(
                    where,
                    f"expected a loop, constraint, drive or force, found {shown(name)}",
                    "correct its name or add it",
                )
        for name in mode.locked:
            yield from coordinate_problems(m, where, name)
            if name in m.drives and _acts(m, mode, name):
                yield Problem(
                    where,
                    f"expected a coordinate that is driven or locked, found {shown(name)}, which is both",
                    "unlock it, or name its drive in the modes in which it acts",
                )
    yield from _unreached(m)
    yield from _crowded(m)


def _acts(m: Mechanism, mode: Mode, name: str) -> bool:
    """Whether something acts in a mode: it is named there, or nowhere."""
    return name in mode.active or not any(name in other.active for other in m.modes.values())


def _unreached(m: Mechanism) -> Iterator[Problem]:
    """Modes that no transition leads to from the first one."""
    reached = list(m.modes)[:1]
    for name in reached:  # grows as it goes
        for t in m.transitions.values():
            if t.source == name:
                reached += [x for x in (t.target, t.rest) if x is not None and x not in reached]
    for name in m.modes:
        if name not in reached:
            yield Problem(
                f"mode {shown(name)}",
                f"expected transitions that lead to it from {shown(reached[0])}, where a run starts, found none",
                "add one, or start there",
                "warning",
            )


def _crowded(m: Mechanism) -> Iterator[Problem]:
    """More equations and drives at once than there are speeds."""
    speeds = sum(len(j.speeds) for j in m.joints.values() if j.kind in JOINT_KINDS)
    for mode in m.modes.values() or [Mode("")]:
        items = [item for item in m.loops.values() if _acts(m, mode, item.name)]
        rows = sum(len(x.rows) for x in items if isinstance(x, Constraint) or x.kind in LOOP_KINDS)
        driven = {d for d in m.drives if _acts(m, mode, d)} | set(mode.locked)
        if rows + len(driven) > speeds:
            where = f"mode {shown(mode.name)}" if m.modes else "loops"
            yield Problem(
                where,
                f"expected at most {speeds} equations and drives, one for each speed, found {rows + len(driven)}",
                "remove those that say the same, or use cuts with fewer equations",
                "warning",
            )


# -- transitions -----------------------------------------------------------------------------------------
def transition_problems(tools: Tools) -> Iterator[Problem]:
    """Where transitions lead, when they are taken and what they set."""
    m = tools.mechanism
    for t in m.transitions.values():
        where = f"transition {shown(t.name)}"
        ends = (("from", t.source), ("to", t.target), ("as its rest", t.rest))
        for word, name in ends if m.modes else ():
            if name is not None and name not in m.modes:
                yield Problem(where, f"expected a mode {word}, found {shown(name)}", "add it with mode()")
        if not m.modes:
            yield Problem(where, "expected modes to go between, found none", "add them with mode()")
        yield from _guard(tools, where, t)
        yield from _reset(tools, where, t)
        yield from _impact(tools, where, t)


def _guard(tools: Tools, where: str, t: Transition) -> Iterator[Problem]:
    yield from tools.symbols(f"guard of {where}", [t.guard], GUARD)
    used = free_symbols([t.guard])
    if all(tools.words.get(s) == "parameter" for s in used):
        yield Problem(
            f"guard of {where}",
            "expected something that changes, found parameters or numbers only",
            "use coordinates, speeds, time or forces",
            "warning",
        )
    mode = tools.mechanism.modes.get(t.source)
    for name in _idle(tools.mechanism, mode) if mode is not None else ():
        for row in _rows(tools.mechanism, name):
            if reaction_symbol(row) in used:
                yield Problem(
                    f"guard of {where}",
                    f"expected forces that act in the mode {shown(t.source)}, found that of {shown(row)}",
                    "name it as active in that mode, or use another guard",
                    "warning",
                )


def _idle(m: Mechanism, mode: Mode) -> list[str]:
    """Loops and drives that do not act in a mode."""
    return [name for name in (*m.loops, *m.drives) if not _acts(m, mode, name)]


def _rows(m: Mechanism, name: str) -> Sequence[str]:
    item = m.loops.get(name)
    if item is None:
        return (name,)
    return item.rows if isinstance(item, Constraint) or item.kind in LOOP_KINDS else ()


def _reset(tools: Tools, where: str, t: Transition) -> Iterator[Problem]:
    targets = reset_targets(tools.mechanism) if t.reset else []
    for name in t.reset:
        if name not in targets:
            yield Problem(
                f"reset of {where}",
                f"expected a coordinate, speed or state of the mechanism, found {shown(name)}",
                "name it as q.NAME, v.NAME or by the state's name",
            )
    yield from tools.symbols(f"reset of {where}", list(t.reset.values()), LAW)


def _impact(tools: Tools, where: str, t: Transition) -> Iterator[Problem]:
    """A restitution acts along the guard, which must then be a function of positions."""
    if t.restitution is None:
        if t.rest is not None:
            yield Problem(
                where,
                f"expected a restitution where a rest is given, found none: {shown(t.rest)} is never entered by it",
                "give a restitution or remove the rest",
                "warning",
            )
        return
    yield from tools.symbols(f"restitution of {where}", [t.restitution], LAW)
    size = tools.numbers([t.restitution])
    if size is not None and not 0.0 <= size[0] <= 1.0:
        yield Problem(
            f"restitution of {where}",
            f"expected a coefficient from 0 to 1, found {size[0]:g}",
            "an impact neither pulls nor adds energy: correct it",
            "warning",
        )
    used = free_symbols([t.guard])
    for s in used:
        word = tools.words.get(s)
        if word in ("speed", "constraint force", "drive force") or tools.measured(s, SPEED_SENSORS):
            yield Problem(
                f"guard of {where}",
                f"expected a guard of positions where there is a restitution, found the {word} {shown(s.name)}",
                "write the guard in coordinates, or use reset instead of restitution",
            )
    if not any(tools.words.get(s) == "coordinate" or tools.measured(s, POSITION_SENSORS) for s in used):
        yield Problem(
            f"guard of {where}",
            "expected a guard of positions where there is a restitution, found no coordinate in it",
            "write the guard in coordinates, or remove the restitution",
        )

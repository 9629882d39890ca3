"""The names that expressions of a mechanism may use."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import MechanismError
from ..symbolic import Symbol
from .joint import JOINT_KINDS
from .loop import LOOP_KINDS, Loop, reaction_symbol
from .mechanism import Mechanism
from .signal import SENSOR_KINDS
from .values import article, shown


def named_symbols(mechanism: Mechanism) -> Iterator[tuple[str, Symbol]]:
    """Every symbol of the mechanism, with the word for what it is."""
    yield "time", mechanism.time
    for parameter in mechanism.parameters.values():
        yield "parameter", parameter.symbol
    for joint in mechanism.joints.values():
        if joint.kind not in JOINT_KINDS:  # told by the check
            continue
        yield from (("coordinate", mechanism.q(c)) for c in joint.coordinates)
        yield from (("speed", mechanism.v(s)) for s in joint.speeds)
    for given in mechanism.inputs.values():
        yield "input", given.symbol
    for state in mechanism.states.values():
        yield "state", state.symbol
    for sensor in mechanism.sensors.values():
        if sensor.kind not in SENSOR_KINDS:
            continue
        yield from (("sensor channel", s) for s in sensor.symbols)
    for item in mechanism.loops.values():
        if isinstance(item, Loop) and item.kind not in LOOP_KINDS:  # told by the check
            continue
        yield from (("constraint force", reaction_symbol(row)) for row in item.rows)
    for drive in mechanism.drives.values():
        yield "drive force", reaction_symbol(drive.name)


def clashes(mechanism: Mechanism) -> list[tuple[str, str, str]]:
    """Names that two different things share: (name, what the first is, what the second is)."""
    seen: dict[str, str] = {}
    found = []
    for what, symbol in named_symbols(mechanism):
        first = seen.setdefault(symbol.name, what)
        if first != what:
            found.append((symbol.name, first, what))
    return found


def scope(mechanism: Mechanism) -> dict[str, Symbol]:
    """The symbol of every name; a name with two meanings is an error."""
    twice = clashes(mechanism)
    if twice:
        name, first, second = twice[0]
        raise MechanismError(
            f"expected one meaning for the name {shown(name)}, found {article(first)} and {article(second)}; rename one"
        )
    return {symbol.name: symbol for _, symbol in named_symbols(mechanism)}


def reset_targets(mechanism: Mechanism) -> list[str]:
    """What a reset may set: coordinates and speeds with their letters, and states."""
    moving = [j for j in mechanism.joints.values() if j.kind in JOINT_KINDS]
    return [
        *(f"q.{c}" for j in moving for c in j.coordinates),
        *(f"v.{s}" for j in moving for s in j.speeds),
        *mechanism.states,
    ]

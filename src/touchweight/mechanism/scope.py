"""The names that expressions of a mechanism may use."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import MechanismError
from ..symbolic import Symbol
from .joint import JOINT_KINDS
from .mechanism import Mechanism
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
        yield from (("sensor channel", s) for s in sensor.symbols)


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

"""Motors of MJCF: what acts on one speed with a gear becomes an actuator."""

from __future__ import annotations

from ..mechanism import Mechanism
from ..tidy import unique_name
from ..values import shown
from ..xml_reader import Element, Remarks
from .document import LIMITED, Compiler, Defaults, choice


def read_motors(root: Element, defaults: Defaults, mechanism: Mechanism, compiler: Compiler, remarks: Remarks) -> None:
    """Add what the sections <actuator> of a file say to its mechanism."""
    for element in (e for section in root.all("actuator") for e in section.children):
        actuator = defaults.resolve(element, defaults.top)
        joint = mechanism.joints.get(actuator.attributes.get("joint", ""))
        if element.tag != "motor" or joint is None or len(joint.speeds) != 1:
            remarks.ignore(
                f"<{element.tag}> elements in <actuator>",
                "only motors on joints with one speed are read; use actuator(), joint_law() or law()",
            )
            continue
        with element.place():
            _motor(actuator, joint.speeds[0], mechanism, compiler, remarks)


def _motor(motor: Element, speed: str, mechanism: Mechanism, compiler: Compiler, remarks: Remarks) -> None:
    gear = motor.numbers("gear", (1, 6), [1.0])[0]
    bounds = _bounds(motor, compiler, remarks)
    name = motor.attributes.get("name") or unique_name(f"{speed}_motor", mechanism.inputs)
    if name in mechanism.inputs:
        raise motor.error(f"expected each actuator name once, found {shown(name)} again; rename one")
    limit = abs(gear) * min(bounds) if bounds else 0.0
    if gear == 0.0:
        remarks.ignore("<motor> elements without gear", "they have no effect")
        return
    mechanism.actuator(name, speed, gear=gear, limit=limit)


def _bounds(motor: Element, compiler: Compiler, remarks: Remarks) -> list[float]:
    """How far the command may go, and the force before the gear."""
    bounds = []
    for key, flag in (("ctrlrange", "ctrllimited"), ("forcerange", "forcelimited")):
        limited = choice(motor, flag, LIMITED) if flag in motor.attributes else None
        if key in motor.attributes and (limited or (limited is None and compiler.autolimits)):
            low, high = motor.numbers(key, 2)
            if low == -high and high > 0.0:
                bounds.append(high)
            else:
                remarks.ignore(f"{key} attributes of <motor>", "only ranges that are symmetric are read")
    return bounds

"""The compass: what differs from key to key, A0 (1) to C8 (88), as parameters of the one compiled action.

    model = build("motion").compile()
    run = play(model, press(0.06), 0.3, parameters=action_for("C2"))

The action of C4 (40) is the reference. Towards the bass hammers and strings grow heavier, felts softer, keys carry more
lead; the top treble has no dampers.
"""

from __future__ import annotations

import math
import re

import numpy as np

from .action import TABLE
from .playing import PlayingError

LOWEST, REFERENCE, HIGHEST = 1, 40, 88

#: mass of the hammer's head in the lowest and highest note [g] (Conklin)
HEADS = (11.0, 3.5)

#: where a heavier or lighter head has its mass, from the hammer's pin [m] (Hirschkorn's felt centre)
HEAD = (132.1e-3, 35.6e-3)

#: balance weight of all keys, friction in the lowest and highest note [g] (Stanwood, of a Steinway): down-weight 50 to
#: 46 g, up-weight 20 to 24 g
BALANCE, FRICTIONS = 35.0, (15.0, 11.0)

#: balance weight and friction of the reference [g], and how much a gram of hammer head adds, as measured on it
REFERENCE_BALANCE, BALANCE_BY_HEAD = 35.1, 5.87
REFERENCE_FRICTION, FRICTION_BY_HEAD = 15.5, 0.80

#: key number, stiffness of the hammer's felt for each string [N/m^r], its exponent (Chaigne 1994: C2, C4, C7), strings,
#: damping [N s/m³] (an estimate: it grows as the felt gives less)
FELTS = ((16, 4e8, 2.3, 2, 1e8), (40, 4.5e9, 2.5, 3, 3e8), (76, 1e12, 3.0, 3, 3e9))

#: key number, stiffness [N/m] and impedance [N s/m] of the strings at the strike point: 750 N and 1.9 m at C2, 684 N
#: and 0.639 m at C4, 750 N and 0.09 m at C7, struck at 0.12, 1/8, 1/16 of the length (estimates, but for C4)
STRINGS = ((16, 7.5e3, 12.1), (40, 2.9e4, 12.3), (76, 4.3e5, 11.9))

#: first key without a damper: G6 (instruments differ)
UNDAMPED = 71

#: how far the damper's lever is moved out of reach there [m]
OUT_OF_REACH = 15e-3

_STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


def key_number(key: int | str) -> int:
    """1 for A0 to 88 for C8; takes a number, or a name such as ``C4``, ``F#6``, ``Bb2``."""
    number = key
    if isinstance(key, str):
        match = re.fullmatch(r"([A-Ga-g])([#b♯♭]?)(\d)", key.strip())
        if match:
            shift = {"": 0, "#": 1, "♯": 1, "b": -1, "♭": -1}[match[2]]
            number = 12 * int(match[3]) + _STEPS[match[1].upper()] + shift - 8
    if not isinstance(number, int) or not LOWEST <= number <= HIGHEST:
        raise PlayingError(f"expected a key from 1 to 88 or A0 to C8, found {key!r}; choose one of them")
    return number


def key_name(number: int) -> str:
    """Name of a key, with sharps."""
    names = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
    return f"{names[(number + 8) % 12]}{(number + 8) // 12}"


def action_for(key: int | str) -> dict[str, float]:
    """Parameters of a key that differ from the description's.

    Down-weight goes from 50 g in the bass to 46 g in the treble and up-weight from 20 to 24 g; the description itself,
    tuned on its own, has 51 and 20 g. The three screws stay: blow, let-off and drop change by a tenth or two of a
    millimetre with the hammer's weight; :func:`.regulation.regulate` with these as ``parameters`` takes that out.
    """
    number = key_number(key)
    part = (number - LOWEST) / (HIGHEST - LOWEST)
    added = _between(part, HEADS) - _between((REFERENCE - LOWEST) / (HIGHEST - LOWEST), HEADS)
    made = heavier_hammer(added)
    made |= _balanced(part, added)
    made |= _strung(number)
    if number >= UNDAMPED:
        made["damper_lever.height"] = TABLE["damper_lever.height"].si + OUT_OF_REACH
    return made


def heavier_hammer(grams: float) -> dict[str, float]:
    """Parameters of a hammer whose head is heavier [g] than that of C4, or lighter."""
    added = 1e-3 * grams
    mass, x, z, inertia = (TABLE[f"hammer.{n}"].si for n in ("mass", "com.x", "com.z", "inertia"))
    total = mass + added
    if total <= 0.3 * mass:
        raise PlayingError(f"expected a hammer that keeps a third of its mass, found {grams:g} g added; add more")
    shift_x, shift_z = added / total * (HEAD[0] - x), added / total * (HEAD[1] - z)
    apart = (HEAD[0] - x) ** 2 + (HEAD[1] - z) ** 2
    return {
        "hammer.mass": total,
        "hammer.com.x": x + shift_x,
        "hammer.com.z": z + shift_z,
        "hammer.inertia": inertia + mass * added / total * apart,
    }


def _balanced(part: float, added: float) -> dict[str, float]:
    """Leads and key friction that bring down- and up-weight to their places; a spring that carries the hammer."""
    arm = TABLE["finger.x"].si
    lead = 1e-3 * arm * (REFERENCE_BALANCE + BALANCE_BY_HEAD * added - BALANCE)  # kg m
    friction = _between(part, FRICTIONS) - REFERENCE_FRICTION - FRICTION_BY_HEAD * added  # g
    hammer = heavier_hammer(added)
    moment = hammer["hammer.mass"] * hammer["hammer.com.x"] / (TABLE["hammer.mass"].si * TABLE["hammer.com.x"].si)
    return {
        "key.com.x": TABLE["key.com.x"].si + lead / TABLE["key.mass"].si,
        "key.friction": max(0.0, TABLE["key.friction"].si - 9.81e-3 * arm * friction),
        "repetition_spring.torque": TABLE["repetition_spring.torque"].si * moment,
    }


def _strung(number: int) -> dict[str, float]:
    """Felt of the hammer, and strings."""
    keys = [row[0] for row in FELTS]
    stiffness = _line(number, keys, [math.log(row[1] * row[3]) for row in FELTS])
    damping = _line(number, keys, [math.log(row[4]) for row in FELTS])
    places = [row[0] for row in STRINGS]
    return {
        "hammer-string.stiffness": math.exp(stiffness),
        "hammer-string.exponent": _line(number, keys, [row[2] for row in FELTS]),
        "hammer-string.damping": math.exp(damping),
        "string.stiffness": math.exp(_line(number, places, [math.log(row[1]) for row in STRINGS])),
        "string.impedance": _line(number, places, [row[2] for row in STRINGS]),
    }


def _between(part: float, ends: tuple[float, float]) -> float:
    return ends[0] + part * (ends[1] - ends[0])


def _line(x: float, xs: list[int], ys: list[float]) -> float:
    """Straight between points, and straight on beyond them."""
    i = min(max(int(np.searchsorted(xs, x)) - 1, 0), len(xs) - 2)
    return ys[i] + (ys[i + 1] - ys[i]) * (x - xs[i]) / (xs[i + 1] - xs[i])

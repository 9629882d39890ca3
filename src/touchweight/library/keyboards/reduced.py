"""Cheaper grand actions: Gillespie and Cutkosky's models A (rigid) and B (springs), fitted to the grand piano action.

    model = model_a().compile()
    fitted = fit(piano.build("motion").compile())       # parameters of any other regulation

Key and hammer are masses with a ratio between them; let-off is the end of their coupling. There is no jack, no wippen,
no escapement to feel and no back-check: that is what they save.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...mechanism import Mechanism
from ...symbolic import Expr, maximum
from .. import piano
from ..piano.action import HAMMER_REST
from ..piano.stroke import key_dip

if TYPE_CHECKING:
    from ...simulate.model import Model
    from ...simulate.state import State

#: name -> value, unit, what it is; the values are what :func:`fit` finds for the action as it comes
NUMBERS: dict[str, tuple[float, str, str]] = {
    "finger.x": (-0.225, "m", "finger point, from the balance point to the rear"),
    "key.inertia": (1.238e-3, "kg m²", "key and all that moves with it but the hammer, about the balance point"),
    "key.balance": (-0.03272, "N m", "torque that leads and wippen need to go down, without the hammer"),
    "key.friction": (0.03421, "N m", "dry friction of all pivots, at the key"),
    "key.dip": (10.0e-3, "m", "dip at which the key meets its punching"),
    "hammer.mass": (8.141e-3, "kg", "moment of inertia of the hammer over the square of its way for a turn"),
    "hammer.weight": (0.08638, "N", "what its head weighs"),
    "ratio": (1.27585, "m/rad", "rise of the head over turn of the key"),
    "blow": (46.02e-3, "m", "from the resting head to the string"),
    "let_off": (1.55e-3, "m", "from the string, where the coupling ends"),
    "drop": (1.81e-3, "m", "how far the head then falls"),
    "restitution": (0.5, "", "of the string"),
}

#: of model B
SPRINGS: dict[str, tuple[float, str, str]] = {
    "k1": (2000.0, "N m/rad", "spring between what the finger moves and the key"),
    "c1": (1.0, "N m s/rad", "its damping"),
    "k2": (200.0, "N/m", "spring between key and hammer, at its head; makes hammers as fast as the grand's"),
    "c2": (0.5, "N s/m", "its damping"),
}

#: felt of the front punching, at the finger: stiffness [N/m^r], exponent, damping [N s/m³]; as in the grand action
PUNCHING = (2.0e8, 2.2, 3.0e8)

#: speed below which friction of the key gives way [rad/s]
SLOW = 2e-3

#: moment of inertia of what the finger moves in model B [kg m²]: none to speak of
NONE = 1e-9


def model_a() -> Mechanism:
    """Rigid coupling: the hammer's head rises by ``ratio`` times the key's angle until it is thrown, or let off.

    Modes: ``coupled``; ``thrown`` (the hammer flies, the key can catch it); ``escaped`` (it flies, the key is beyond
    let-off); ``held`` (it rests where it dropped to). Transition ``strike`` is the note.
    """
    m = Mechanism("grand, model A", gravity=(0.0, 0.0, 0.0))
    p = _numbers(m, NUMBERS)
    lever = m.body("key", inertia=(p["key.inertia"],) * 3)
    m.revolute("key", m.ground, lever, "-y")
    _hammer(m, p)
    _key_forces(m, "key", p)
    m.drive("key")
    m.constraint("coupling", m.q("hammer") - p["ratio"] * m.q("key"))
    _modes(m, p, m.q("key"), ("coupling",), m.reaction("coupling"))
    return m


def model_b() -> Mechanism:
    """Springs wherever a force is wanted: k1 from the finger to the key, k2 from the key to the hammer.

    Coordinate ``key`` is what the finger moves, ``lever`` the key itself. Both springs are damped, which the paper's
    are not. Modes and transitions are those of :func:`model_a`.
    """
    m = Mechanism("grand, model B", gravity=(0.0, 0.0, 0.0))
    p = _numbers(m, {**NUMBERS, **SPRINGS})
    m.revolute("key", m.ground, m.body("manipulandum", inertia=(NONE,) * 3), "-y")
    m.revolute("lever", m.ground, m.body("key", inertia=(p["key.inertia"],) * 3), "-y")
    _hammer(m, p)
    _key_forces(m, "lever", p)
    m.drive("key")
    push = p["k1"] * (m.q("key") - m.q("lever")) + p["c1"] * (m.v("key") - m.v("lever"))
    m.joint_law("k1.finger", "key", -push)
    m.joint_law("k1.key", "lever", push)
    squeeze = p["ratio"] * m.q("lever") - m.q("hammer")
    lift = p["k2"] * squeeze + p["c2"] * (p["ratio"] * m.v("lever") - m.v("hammer"))
    m.joint_law("k2.hammer", "hammer", lift)
    m.joint_law("k2.key", "lever", -p["ratio"] * lift)
    _modes(m, p, m.q("lever"), ("k2.hammer", "k2.key"), squeeze)
    return m


def _numbers(m: Mechanism, table: Mapping[str, tuple[float, str, str]]) -> dict[str, Expr]:
    return {n: m.parameter(n, value, unit, description=what) for n, (value, unit, what) in table.items()}


def _hammer(m: Mechanism, p: Mapping[str, Expr]) -> None:
    """The head, which rises from 0 at rest, and the finger point that shows the dip."""
    m.prismatic("hammer", m.ground, m.body("hammer", p["hammer.mass"]), "z")
    m.joint_law("weight", "hammer", -p["hammer.weight"])
    key = m.bodies["manipulandum" if "manipulandum" in m.bodies else "key"]
    m.sensor("finger point", "position", m.frame("finger point", key, (p["finger.x"], 0.0, 0.0)))


def _key_forces(m: Mechanism, key: str, p: Mapping[str, Expr]) -> None:
    """Balance, friction and punching."""
    arm, angle, rate = -p["finger.x"], m.q(key), m.v(key)
    m.joint_law("balance", key, -p["key.balance"])
    m.joint_law("friction", key, lambda q, v, *, rub, slow: -rub * v / (v * v + slow * slow) ** 0.5,
                rub=p["key.friction"], slow=SLOW)  # fmt: skip
    stiffness, exponent, damping = PUNCHING
    d = maximum(0.0, arm * angle - p["key.dip"])
    m.joint_law("punching", key, -arm * maximum(0.0, stiffness * d**exponent + damping * d * d * arm * rate))


def _modes(m: Mechanism, p: Mapping[str, Expr], key: Expr, coupling: tuple[str, ...], pressing: Expr) -> None:
    """What the hammer may do, and when; ``pressing`` is positive while it is pushed."""
    hammer = m.q("hammer")
    escape = p["blow"] - p["let_off"]
    ledge = escape - p["drop"]
    m.constraint("ledge", hammer - ledge)
    m.mode("coupled", active=coupling)
    m.mode("thrown")
    m.mode("escaped")
    m.mode("held", active=("ledge",))
    beyond = escape - p["ratio"] * key
    m.transition("let-off", "coupled", "escaped", escape - hammer)
    m.transition("throw", "coupled", "thrown", pressing)
    m.transition("catch", "thrown", "coupled", hammer - p["ratio"] * key)
    m.transition("let-off in flight", "thrown", "escaped", beyond)
    m.transition("return in flight", "escaped", "thrown", -beyond)
    m.transition("drop", "escaped", "held", hammer - ledge)
    m.transition("reset", "held", "coupled", p["ratio"] * key - hammer)
    m.transition("lift", "held", "escaped", m.reaction("ledge"))
    for mode in ("thrown", "escaped"):
        name = "strike" if mode == "escaped" else "strike in reach"
        m.transition(name, mode, mode, p["blow"] - hammer, restitution=p["restitution"])


def fit(model: Model) -> dict[str, float]:
    """Parameters of models A and B from a grand action driven by motion: weighed, measured and pressed slowly."""
    found = piano.measure(model)
    start = piano.rest(model)
    p = start.parameters
    arm = -p["finger.x"]
    length = 1e-3 * found.blow / -HAMMER_REST  # rise of the head over turn of the hammer
    turning = p["hammer.inertia"] + p["hammer.mass"] * (p["hammer.com.x"] ** 2 + p["hammer.com.z"] ** 2)
    mass, ratio = turning / length**2, found.ratio * arm
    weight = p["hammer.mass"] * 9.81 * _level(p["hammer.com.x"], p["hammer.com.z"]) / length
    newtons = 9.81e-3  # of a gram
    return {
        "finger.x": p["finger.x"],
        "key.inertia": _inertia(model, start) - mass * ratio**2,
        "key.balance": found.balance * newtons * arm - weight * ratio,
        "key.friction": found.friction * newtons * arm,
        "key.dip": p["key.dip"],
        "hammer.mass": mass,
        "hammer.weight": weight,
        "ratio": ratio,
        "blow": 1e-3 * found.blow,
        "let_off": 1e-3 * found.let_off,
        "drop": 1e-3 * found.drop,
    }


def _level(x: float, z: float) -> float:
    """How far a point of the hammer is from its pivot, level, half-way to the string."""
    half = 0.5 * HAMMER_REST
    return x * math.cos(half) - z * math.sin(half)


def _inertia(model: Model, start: State) -> float:
    """Moment of inertia at the key [kg m²], with the hammer on it: twice the kinetic energy over the speed squared."""
    run = piano.play(model, piano.slow(10e-3, back=False), 0.7, start)
    dip = key_dip(run)
    on = (dip > 2e-3) & (dip < 6e-3)
    return float(2.0 * run["energy.kinetic"][on].mean() / np.square(run["v.key"][on]).mean())

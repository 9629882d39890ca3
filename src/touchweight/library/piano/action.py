"""A grand piano action: key, wippen, jack, repetition lever, hammer, damper, string, and what lies between them.

    model = build("motion").compile()

The action is planar: x to the rear, z up, origin at the balance point of the key. Angles are positive anticlockwise
with the rear to the right: ``key`` goes down at the front, ``hammer`` rises, ``jack`` and ``lever`` (relative to the
wippen) trip and are pressed down with positive angles; ``wippen`` and ``damper`` rise with negative ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import MechanismError
from ...mechanism import Body, Mechanism
from ...mechanism.contact import ContactLaw, felt
from ...symbolic import Expr
from .data import BODIES, JOINTS, PLACES, SPRINGS, STRING
from .datum import Datum, declare
from .felts import FELTS, FINGER

#: how the key is moved
DRIVES = ("motion", "force", "finger")

#: angle of the hammer at rest; zero is the strike [rad]
HAMMER_REST = -0.3345

#: every number of the action, but for the finger's
TABLE: dict[str, Datum] = {**BODIES, **PLACES, **JOINTS, **SPRINGS, **STRING, **FELTS}

Point = tuple[Expr | float, float, Expr | float]
Numbers = Mapping[str, Expr]


def build(drive: str = "motion") -> Mechanism:
    """The action of one key, C4 of a grand; parameters are live, so one compiled model serves all 88 (:mod:`.compass`).

    Six bodies turn on pivots with dry and viscous friction; fifteen felts lie between them, seven of them with friction
    (after A. Thorin, X. Boutillon, J. Lozada, X. Merlhiot 2013, who have thirteen without the damper). The strings give
    way: a spring and the impedance of the waves that run off. Every parameter says where its value comes from.

    Args:
        drive: ``motion``: the key's angle [rad] is prescribed (drive ``key``), ``force.key`` [N m] is what it takes;
            ``force``: the input ``finger.force`` [N, down] acts at the finger point; ``finger``: a mass on a spring and
            a damper follows the intended height of its tip above the resting key, input ``intention`` [m] and its rate
            ``intention.rate`` [m/s], and pushes the key through its soft tip (contact ``finger-key``).
    """
    if drive not in DRIVES:
        raise MechanismError(f"expected a drive among {', '.join(DRIVES)}, found {drive!r}; choose one")
    m = Mechanism("grand piano action")
    p: dict[str, Expr] = dict(declare(m, TABLE))
    bodies = _bodies(m, p)
    _springs(m, p)
    _shapes(m, p, bodies)
    _contacts(m, p)
    _views(m, p, bodies)
    if drive == "motion":
        m.drive("key")
    elif drive == "force":
        force = m.input("finger.force", "N", description="force of the finger on the key, down")
        m.force("finger", m.frames["finger point"], force=(0.0, 0.0, -force))
    else:
        _finger(m, bodies["key"], p["finger.x"])
    return m


def _at(x: Expr | float, z: Expr | float) -> Point:
    return (x, 0.0, z)


def _from(p: Numbers, pivot: str, x: Expr, z: Expr) -> Point:
    """A place at rest as seen from a pivot."""
    return (x - p[f"{pivot}.pivot.x"], 0.0, z - p[f"{pivot}.pivot.z"])


def _bodies(m: Mechanism, p: Numbers) -> dict[str, Body]:
    """Bodies on their pivots."""
    made: dict[str, Body] = {}
    for name in ("key", "wippen", "jack", "lever", "hammer", "damper"):
        inertia = p[f"{name}.inertia"]
        made[name] = m.body(
            name, p[f"{name}.mass"], _at(p[f"{name}.com.x"], p[f"{name}.com.z"]), (inertia, inertia, inertia)
        )

    def hinge(name: str, parent: Body, origin: Point, initial: float = 0.0) -> None:
        friction, damping = p[f"{name}.friction"], p[f"{name}.damping"]
        m.revolute(name, parent, made[name], "-y", origin=origin, friction=friction, damping=damping, initial=[initial])

    hinge("key", m.ground, _at(0.0, 0.0))
    hinge("wippen", m.ground, _at(p["wippen.pivot.x"], p["wippen.pivot.z"]))
    hinge("jack", made["wippen"], _from(p, "wippen", p["jack.pivot.x"], p["jack.pivot.z"]))
    hinge("lever", made["wippen"], _from(p, "wippen", p["lever.pivot.x"], p["lever.pivot.z"]))
    hinge("hammer", m.ground, _at(p["hammer.pivot.x"], p["hammer.pivot.z"]), HAMMER_REST)
    hinge("damper", m.ground, _at(p["damper.pivot.x"], p["damper.pivot.z"]))
    made["string"] = m.body("string", p["string.mass"])
    m.prismatic(
        "string",
        m.ground,
        made["string"],
        "z",
        origin=_at(p["hammer.pivot.x"] + p["strike.x"], p["string.height"]),
        stiffness=p["string.stiffness"],
        damping=p["string.impedance"],
    )
    return made


def _springs(m: Mechanism, p: Numbers) -> None:
    """The repetition spring lifts the lever's front, the jack's spring turns it back under the knuckle."""
    for name, part in (("repetition_spring", "lever"), ("jack_spring", "jack")):
        m.joint_law(name, part, -(p[f"{name}.torque"] + p[f"{name}.rate"] * m.q(part)))


def _shapes(m: Mechanism, p: Numbers, body: Mapping[str, Body]) -> None:
    key, wippen, jack, lever, hammer = (body[n] for n in ("key", "wippen", "jack", "lever", "hammer"))
    m.circle("capstan", key, _at(p["capstan.x"], p["capstan.height"]), p["capstan.radius"])
    heel = [_from(p, "wippen", p[f"heel.{end}"], p["heel.height"]) for end in ("front", "rear")]
    m.segment("heel", wippen, heel[0], heel[1])
    m.circle("knuckle", hammer, _at(p["knuckle.x"], p["knuckle.z"]), p["knuckle.radius"])
    top = [_from(p, "jack", p[f"jack.{end}.x"], p[f"jack.{end}.z"]) for end in ("front", "rear")]
    m.segment("jack top", jack, top[0], top[1], p["jack.rounding"])
    m.circle("toe", jack, _from(p, "jack", p["toe.x"], p["toe.z"]), p["toe.radius"])
    button = [_at(p[f"button.{end}"], p["button.height"]) for end in ("front", "rear")]
    m.segment("button", m.ground, button[0], button[1])
    face = [_from(p, "lever", p[f"lever.{end}"], p["lever.height"]) for end in ("front", "rear")]
    m.segment("lever face", lever, face[0], face[1])
    m.circle("drop screw", m.ground, _at(p["drop_screw.x"], p["drop_screw.height"]), p["drop_screw.radius"])
    m.circle("check", key, _at(p["check.x"], p["check.z"]), p["check.radius"])
    tail = [_at(p[f"tail.{end}.x"], p[f"tail.{end}.z"]) for end in ("low", "high")]
    m.segment("tail", hammer, tail[0], tail[1])
    m.circle("strike", hammer, _at(p["strike.x"], p["strike.z"]), 0.0)
    m.line("string", body["string"], (0.0, 0.0, 0.0), normal="-z")
    m.circle("key end", key, _at(p["key_end.x"], p["key_end.z"]), p["key_end.radius"])
    under = [_from(p, "damper", p["key_end.x"] + dx, p["damper_lever.height"]) for dx in (-0.015, 0.020)]
    m.segment("damper lever", body["damper"], under[0], under[1])


def _law(p: Numbers, name: str) -> ContactLaw:
    return felt(p[f"{name}.stiffness"], p[f"{name}.exponent"], p[f"{name}.damping"])


def _contacts(m: Mechanism, p: Numbers) -> None:
    key, lever, jack, hammer, damper = (m.q(n) for n in ("key", "lever", "jack", "hammer", "damper"))
    front, finger = p["front.x"], p["finger.x"]
    gaps: dict[str, Expr] = {
        "front-punching": front * key + p["key.dip"] * front / finger,
        "back-rail": p["back.x"] * key,
        "lever-stop": p["lever_stop.arm"] * lever,
        "jack-stop": p["jack_stop.arm"] * jack,
        "jack-window": p["jack_window.arm"] * (p["jack_window.angle"] - jack),
        "hammer-rest": p["hammer_rest.arm"] * (hammer - p["hammer_rest.angle"]),
        "damper-seat": -p["damper_seat.arm"] * damper,
    }
    for name, gap in gaps.items():
        m.stop(name, gap, _law(p, name))
    pairs = {
        "capstan-heel": ("capstan", "heel"),
        "jack-knuckle": ("knuckle", "jack top"),
        "lever-knuckle": ("knuckle", "lever face"),
        "toe-button": ("toe", "button"),
        "screw-lever": ("drop screw", "lever face"),
        "tail-check": ("check", "tail"),
        "hammer-string": ("strike", "string"),
        "key-damper": ("key end", "damper lever"),
    }
    for name, (a, b) in pairs.items():
        m.contact(name, a, b, _law(p, name), p.get(f"{name}.friction", 0.0))


def _views(m: Mechanism, p: Numbers, body: Mapping[str, Body]) -> None:
    """Sensors that measurements read, and frames that pictures show."""
    m.sensor("finger point", "position", m.frame("finger point", body["key"], _at(p["finger.x"], 0.0)))
    head = m.frame("hammer head", body["hammer"], _at(p["strike.x"], p["strike.z"]))
    m.sensor("hammer head", "position", head)
    m.sensor("hammer speed", "velocity", head)
    m.sensor("string line", "position", body["string"])
    m.frame("back-check", body["key"], _at(p["check.x"], p["check.z"]))
    m.frame("jack's top", body["jack"], _from(p, "jack", p["jack.rear.x"], p["jack.rear.z"]))
    m.frame("jack's toe", body["jack"], _from(p, "jack", p["toe.x"], p["toe.z"]))
    m.frame("lever's front", body["lever"], _from(p, "lever", p["lever.front"], p["lever.height"]))
    m.frame("knuckle", body["hammer"], _at(p["knuckle.x"], p["knuckle.z"]))
    m.frame("damper's tip", body["damper"], _from(p, "damper", p["key_end.x"], p["damper_lever.height"]))


def _finger(m: Mechanism, key: Body, place: Expr) -> None:
    """A finger whose tip rests on the key; muscles carry its weight. The key's top is drawn at its balance point."""
    p = declare(m, FINGER)
    goal = m.input("intention", "m", description="intended height of the finger's tip above the resting key")
    rate = m.input("intention.rate", "m/s", description="rate of the same")
    finger = m.body("finger", p["finger.mass"])
    m.prismatic("finger", m.ground, finger, "z", origin=_at(place, p["fingertip.radius"]))
    pull = p["finger.stiffness"] * (goal - m.q("finger")) + p["finger.damping"] * (rate - m.v("finger"))
    m.joint_law("muscles", "finger", pull - p["finger.mass"] * m.gravity[2])
    m.circle("fingertip", finger, (0.0, 0.0, 0.0), p["fingertip.radius"])
    m.segment("key top", key, _at(place - 0.03, 0.0), _at(place + 0.03, 0.0))
    m.contact("finger-key", "fingertip", "key top", _law(p, "finger-key"), p["finger-key.friction"])

"""Bodies, places, springs and joint friction of the action: every number with unit, bounds and source.

Places are those at rest, in the plane of the action: x to the rear, z up, from the balance point of the key [mm].
Hirschkorn's hammer, the regulation, the touch weight and the friction of flanges rest on sources; coordinates of pivots
and shapes are estimates: one set that works, not a measured instrument. Works are cited as in :mod:`.sources`.
"""

from __future__ import annotations

from .datum import Datum

PUBLISHED, SECOND_HAND, TRADE, ESTIMATE, TUNED = (
    "published",
    "published, second-hand",
    "trade",
    "estimate",
    "tuned",
)


def _body(
    name: str, mass: tuple[float, str, str], com: tuple[float, float, str, str], inertia: tuple[float, str, str]
) -> dict[str, Datum]:
    """Mass [g], centre of mass from the own pivot [mm], moment of inertia about the centre of mass [kg m²]."""
    g, mass_tag, mass_source = mass
    x, z, com_tag, com_source = com
    i, inertia_tag, inertia_source = inertia
    where = "centre of mass, from the pivot"
    return {
        f"{name}.mass": Datum(g, "g", 0.2 * g, 3.0 * g, mass_tag, mass_source, f"mass of the {name}"),
        f"{name}.com.x": Datum(x, "mm", x - 60.0, x + 60.0, com_tag, com_source, f"{name}: {where}, to the rear"),
        f"{name}.com.z": Datum(z, "mm", z - 30.0, z + 30.0, com_tag, com_source, f"{name}: {where}, up"),
        f"{name}.inertia": Datum(
            i, "kg m²", 0.1 * i, 10.0 * i, inertia_tag, inertia_source, f"{name}: moment about its centre of mass"
        ),
    }


_HAMMER = "Hirschkorn 2004"

BODIES: dict[str, Datum] = {
    **_body(
        "key",
        (120.0, ESTIMATE, "with leads and back-check"),
        (
            -50.0,
            10.0,
            TUNED,
            "set so that down- and up-weight are right; front weight 26.7 g, cf. 25 and 34 g, Stanwood",
        ),
        (8.88e-4, ESTIMATE, "1.2e-3 about the pivot; cf. 1.03e-3 for a key with three leads, Hartman"),
    ),
    **_body(
        "wippen",
        (10.5, ESTIMATE, "a maple bar of 97 mm; with jack and lever 18.0 g at the heel, typical 18 g, Stanwood"),
        (-50.0, 4.0, ESTIMATE, "a maple bar of 97 mm"),
        (9.582e-6, ESTIMATE, "3.6e-5 about the pivot, a maple bar of 97 mm"),
    ),
    **_body(
        "jack",
        (3.0, ESTIMATE, "an L of 44 mm (2 g) and 22 mm (1 g)"),
        (-1.5, 15.0, ESTIMATE, "an L of 44 mm (2 g) and 22 mm (1 g)"),
        (7.6825e-7, ESTIMATE, "1.45e-6 about the pivot"),
    ),
    **_body(
        "lever",
        (5.5, ESTIMATE, "a bar of 82 mm"),
        (-16.0, 4.0, ESTIMATE, "a bar of 82 mm"),
        (3.004e-6, ESTIMATE, "4.5e-6 about the pivot"),
    ),
    **_body(
        "hammer",
        (11.74, SECOND_HAND, f"{_HAMMER}: head, shank, knuckle, at C4"),
        (102.2, 14.5, SECOND_HAND, f"{_HAMMER}, with the shank level, as at the strike"),
        (
            2.90e-5,
            SECOND_HAND,
            f"{_HAMMER}; quoted as about the pivot, which cannot be: taken about the centre of mass",
        ),
    ),
    **_body(
        "damper",
        (32.0, TUNED, "lever and head in one, for 0.24 N at the key's end; cf. underlever 11 to 14 g, Cramer"),
        (-48.0, 0.0, TUNED, "lever and head in one"),
        (1.1272e-5, TUNED, "8.5e-5 about the pivot"),
    ),
}


def _place(name: str, x: float, z: float, tag: str, source: str, what: str, span: float = 10.0) -> dict[str, Datum]:
    return {
        f"{name}.x": Datum(x, "mm", x - span, x + span, tag, source, f"{what}, to the rear"),
        f"{name}.z": Datum(z, "mm", z - span, z + span, tag, source, f"{what}, up"),
    }


def _size(value: float, tag: str, source: str, what: str, low: float = 0.0, high: float | None = None) -> Datum:
    return Datum(value, "mm", low, 4.0 * value if high is None else high, tag, source, what)


_JACK = "top 0.15 mm below the knuckle, from 5 mm before to 1 mm behind its middle, rounded by 0.5 mm"
_CHECK = "wedge near 0.1 mm for each mm of fall, which friction must exceed"

PLACES: dict[str, Datum] = {
    # pivots
    **_place("wippen.pivot", 178.0, 46.0, ESTIMATE, "one consistent set", "pivot of the wippen"),
    **_place(
        "hammer.pivot",
        83.0,
        106.0,
        ESTIMATE,
        "112.4 mm from the wippen's; cf. 112.5 Yamaha, Hammerklavier",
        "pivot of the hammer",
    ),
    **_place("jack.pivot", 89.0, 43.0, TUNED, "let-off", "pivot of the jack on the wippen"),
    **_place("lever.pivot", 126.0, 80.0, ESTIMATE, "one consistent set", "pivot of the repetition lever on the wippen"),
    **_place("damper.pivot", 290.0, 40.0, ESTIMATE, "one consistent set", "pivot of the damper's lever"),
    # key
    "finger.x": _size(
        -225.0,
        ESTIMATE,
        "cf. 218, Hirschkorn 2004; 250, Hartman",
        "where the finger acts, dip is measured",
        -270.0,
        -120.0,
    ),
    "key.dip": _size(
        10.0, TRADE, "10 ± 0.2 Yamaha, makers 9.5 to 11, Brekne", "dip at which the key meets its punching"
    ),
    "front.x": _size(-215.0, ESTIMATE, "under the front of the key", "place of the front punching", -260.0, -150.0),
    "back.x": _size(190.0, ESTIMATE, "under the end of the key", "place of the back rail", 120.0, 240.0),
    # the three screws
    "capstan.height": Datum(
        22.30, "mm", 19.0, 26.0, TUNED, "turned for a blow of 46 mm", "height of the capstan's centre: sets the blow"
    ),
    "button.height": Datum(
        54.79,
        "mm",
        51.0,
        58.0,
        TUNED,
        "turned for a let-off of 1.6 mm",
        "height of the let-off button: sets the let-off",
    ),
    "drop_screw.height": Datum(
        95.16,
        "mm",
        92.0,
        99.0,
        TUNED,
        "turned for a drop of 1.6 mm",
        "height of the drop screw's centre: sets the drop",
    ),
    # shapes
    "capstan.x": _size(
        113.0, TUNED, "ratio 113/225 = 0.50, typical 0.5, Stanwood", "place of the capstan", 90.0, 135.0
    ),
    "capstan.radius": _size(5.0, ESTIMATE, "usual size", "radius of the capstan's top", 1.0),
    "heel.height": _size(
        27.1, ESTIMATE, "touches on the line of pivots at half stroke", "face of the wippen's heel", 20.0
    ),
    "heel.front": _size(101.0, ESTIMATE, "24 mm of cloth", "front end of the heel", 80.0, 112.0),
    "heel.rear": _size(125.0, ESTIMATE, "24 mm of cloth", "rear end of the heel", 114.0, 150.0),
    "knuckle.x": _size(
        17.0, ESTIMATE, "16 to 18.5 from the pin, technicians", "knuckle from the hammer's pin", 12.0, 25.0
    ),
    "knuckle.z": _size(-9.0, ESTIMATE, "one consistent set", "knuckle under the shank's line", -15.0, -3.0),
    "knuckle.radius": _size(4.5, ESTIMATE, "usual size", "radius of the knuckle", 2.0, 8.0),
    **_place("jack.front", 90.9098, 87.4679, TUNED, _JACK, "front end of the jack's top", 5.0),
    **_place("jack.rear", 95.8579, 86.7494, TUNED, _JACK, "rear end of the jack's top", 5.0),
    "jack.rounding": _size(0.5, TUNED, _JACK, "rounding of the jack's top"),
    **_place("toe", 67.0, 46.0, TUNED, "let-off", "middle of the jack's toe"),
    "toe.radius": _size(2.0, ESTIMATE, "usual size", "radius of the jack's toe", 0.5),
    "button.front": _size(50.0, ESTIMATE, "wide enough", "front end of the let-off button", 30.0, 60.0),
    "button.rear": _size(75.0, ESTIMATE, "wide enough", "rear end of the let-off button", 70.0, 90.0),
    "lever.height": _size(
        87.4178, ESTIMATE, "touches the knuckle at rest, 0.2 above the jack", "face of the lever", 85.0
    ),
    "lever.front": _size(70.0, ESTIMATE, "reaches under the drop screw", "front end of the lever", 50.0, 78.0),
    "lever.rear": _size(118.0, ESTIMATE, "reaches behind the jack", "rear end of the lever's face", 100.0, 126.0),
    "drop_screw.x": _size(79.0, TUNED, "drop", "place of the drop screw", 72.0, 88.0),
    "drop_screw.radius": _size(2.5, ESTIMATE, "usual size", "radius of the drop screw's end", 0.5),
    **_place("check", 226.35, 56.5, TUNED, _CHECK, "middle of the back-check's pad"),
    "check.radius": _size(6.0, TUNED, _CHECK, "radius of the back-check's pad", 1.0),
    **_place("tail.low", 136.9, -29.0, TUNED, _CHECK, "low end of the hammer's tail, from its pin"),
    **_place("tail.high", 142.8, -5.0, TUNED, _CHECK, "high end of the hammer's tail, from its pin"),
    "strike.x": _size(132.1, SECOND_HAND, "Hirschkorn 2004", "strike point, from the hammer's pin", 110.0, 150.0),
    "strike.z": _size(48.0, TRADE, "bore 48 to 51", "strike point above the shank's line: the bore", 35.0, 60.0),
    "string.height": _size(154.0, ESTIMATE, "bore above the hammer's pin", "height of the string", 145.0, 165.0),
    **_place("key_end", 222.0, 16.0, TUNED, "picks the damper up at half the hammer's way", "pad at the key's end"),
    "key_end.radius": _size(4.0, TUNED, "picks the damper up at half the hammer's way", "radius of that pad", 1.0),
    "damper_lever.height": _size(
        24.2,
        TUNED,
        "4.2 mm above the key's end: picked up at half the hammer's way",
        "underside of the damper's lever",
        20.0,
    ),
    # stops
    "lever_stop.arm": _size(22.0, ESTIMATE, "one consistent set", "arm of the lever's rear stop", 1.0),
    "jack_stop.arm": _size(25.0, ESTIMATE, "one consistent set", "arm of the jack's stop", 1.0),
    "jack_window.arm": _size(30.0, ESTIMATE, "one consistent set", "arm of the jack's cushion in the window", 1.0),
    "jack_window.angle": Datum(
        0.22, "rad", 0.05, 0.5, ESTIMATE, "one consistent set", "angle at which the jack meets it"
    ),
    "hammer_rest.arm": _size(100.0, ESTIMATE, "one consistent set", "arm of the shank on its rest cushion", 10.0),
    "hammer_rest.angle": Datum(
        -0.375, "rad", -0.6, -0.34, ESTIMATE, "a little below the rest position", "angle at which the shank meets it"
    ),
    "damper_seat.arm": _size(45.0, ESTIMATE, "one consistent set", "arm of the damper on the string", 5.0),
}


def _joint(name: str, dry: float, viscous: float, tag: str, source: str) -> dict[str, Datum]:
    return {
        f"{name}.friction": Datum(dry, "N m", 0.0, 10.0 * dry, tag, source, f"dry friction of the {name}'s pivot"),
        f"{name}.damping": Datum(
            viscous, "N m s", 0.0, 50.0 * viscous, ESTIMATE, "small", f"viscous friction of the {name}'s pivot"
        ),
    }


JOINTS: dict[str, Datum] = {
    **_joint("hammer", 1.0e-3, 1e-5, SECOND_HAND, "1.01e-3, Hirschkorn 2004; 2 to 5 g at 23 mm, Renner"),
    **_joint("wippen", 5e-4, 2e-5, TRADE, "1 to 4 g, Renner, at an assumed 23 mm"),
    **_joint("jack", 3e-4, 3e-6, TRADE, "1 to 2 g, Renner, at an assumed 23 mm"),
    **_joint(
        "lever",
        2.5e-3,
        1e-5,
        TUNED,
        "4 to 7 g, Renner, at 23 to 50 mm: 0.9e-3 to 3.4e-3; less and soft blows re-strike",
    ),
    **_joint("key", 8e-3, 2e-4, TUNED, "for about 15 g of friction in all, Stanwood"),
    **_joint("damper", 5e-4, 2e-5, ESTIMATE, "as the wippen's"),
}

_SPRING = "exceeds the hammer's weight on the lever, 0.0235 N m at half height, and friction"

SPRINGS: dict[str, Datum] = {
    "repetition_spring.torque": Datum(
        0.028, "N m", 0.0, 0.15, ESTIMATE, _SPRING, "tension of the repetition spring at rest"
    ),
    "repetition_spring.rate": Datum(0.10, "N m/rad", 0.0, 1.0, ESTIMATE, _SPRING, "rate of the repetition spring"),
    "jack_spring.torque": Datum(
        0.006, "N m", 0.0, 0.05, ESTIMATE, "brings the jack back", "tension of the jack's spring at rest"
    ),
    "jack_spring.rate": Datum(0.03, "N m/rad", 0.0, 0.5, ESTIMATE, "brings the jack back", "rate of the jack's spring"),
}

_STRING = "three strings at 684 N, struck at 1/8 of 639 mm; derived from Chaigne 1994"

STRING: dict[str, Datum] = {
    "string.mass": Datum(
        0.2, "g", 0.01, 5.0, ESTIMATE, "small beside the hammer's 8.8 g: without effect", "mass that moves along"
    ),
    "string.stiffness": Datum(
        2.9e4, "N/m", 1e3, 1e7, SECOND_HAND, _STRING, "stiffness of the strings at the strike point"
    ),
    "string.impedance": Datum(
        12.3, "N s/m", 0.1, 200.0, SECOND_HAND, _STRING, "wave impedance of the strings, both ways"
    ),
}

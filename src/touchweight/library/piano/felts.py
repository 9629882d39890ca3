"""The fifteen contacts of the action: felt laws F = k δ^r + b δ² δ̇ (Thorin 2013) and friction.

No published constants of the action's felts were found: these are sized for 0.05 to 0.1 mm of compression at rest and
0.5 to 0.8 mm at fortissimo. Only the hammer's felt rests on a source.
"""

from __future__ import annotations

from .data import ESTIMATE, SECOND_HAND, TUNED
from .datum import Datum


def _felt(
    name: str,
    stiffness: float,
    exponent: float,
    damping: float,
    friction: float | None = None,
    tag: str = ESTIMATE,
    source: str = "sized for the forces it meets",
) -> dict[str, Datum]:
    made = {
        f"{name}.stiffness": Datum(
            stiffness, "N/m^r", 1e-3 * stiffness, 1e4 * stiffness, tag, source, f"{name}: stiffness k of the felt"
        ),
        f"{name}.exponent": Datum(exponent, "", 1.2, 5.0, tag, source, f"{name}: exponent r of the felt"),
        f"{name}.damping": Datum(
            damping, "N s/m³", 0.0, 30.0 * damping, ESTIMATE, source, f"{name}: damping b of the felt"
        ),
    }
    if friction is not None:
        made[f"{name}.friction"] = Datum(friction, "", 0.0, 1.2, tag, source, f"{name}: coefficient of friction µ")
    return made


FELTS: dict[str, Datum] = {
    **_felt("front-punching", 2.0e8, 2.2, 3e8, source="30 N at 0.8 mm"),
    **_felt("back-rail", 5e7, 2.0, 1e8),
    **_felt("capstan-heel", 6.6e7, 1.9, 2e8, 0.15, source="1.1 N at 0.08 mm, 50 N at 0.6 mm"),
    **_felt("jack-knuckle", 1.3e8, 2.0, 2e8, 0.18, source="40 N at 0.55 mm"),
    **_felt("lever-knuckle", 8e7, 2.0, 2e8, 0.20),
    **_felt("toe-button", 1e8, 2.0, 2e8, 0.15),
    **_felt("screw-lever", 1e8, 2.0, 2e8, 0.20),
    **_felt("lever-stop", 1e8, 2.0, 2e8),
    **_felt("jack-stop", 5e7, 2.0, 1e8),
    **_felt("jack-window", 5e7, 2.0, 2e8),
    **_felt("hammer-rest", 2e7, 2.0, 2e8),
    **_felt("tail-check", 6e7, 2.0, 6e8, 0.55, TUNED, "holds the hammer where it catches it: must truly stick"),
    **_felt(
        "hammer-string", 1.35e10, 2.5, 3e8, None, SECOND_HAND, "Chaigne 1994 at C4: 4.5e9 for each of three strings"
    ),
    **_felt("key-damper", 5e7, 2.0, 2e8, 0.20),
    **_felt("damper-seat", 2e7, 2.0, 3e8),
}

_FINGER = "a finger that pushes with some 10 N; varies widely with the player"

FINGER: dict[str, Datum] = {
    "finger.mass": Datum(20.0, "g", 1.0, 2000.0, ESTIMATE, _FINGER, "moving mass of the finger"),
    "finger.stiffness": Datum(
        2000.0, "N/m", 10.0, 1e5, ESTIMATE, _FINGER, "how stiffly it follows the intended motion"
    ),
    "finger.damping": Datum(10.0, "N s/m", 0.0, 500.0, ESTIMATE, _FINGER, "damping of the same"),
    "fingertip.radius": Datum(8.0, "mm", 2.0, 20.0, ESTIMATE, "usual size", "radius of the finger's tip"),
    **_felt("finger-key", 4e6, 2.0, 1e7, 0.5, source="the tip gives 1 mm at 4 N"),
}

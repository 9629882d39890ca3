"""A harpsichord: a key lifts a jack, whose plectrum bends, bends the string, and slips off it."""

from __future__ import annotations

from ...mechanism import Mechanism
from ...mechanism.contact import felt, linear
from ...symbolic import Expr, maximum, minimum

#: name -> value, unit, what it is. All are estimates for c' of a single eight-foot stop, in the range of instruments:
#: dip 6 to 8 mm, jacks of 8 to 12 g, plucking at 60 to 100 g
NUMBERS: dict[str, tuple[float, str, str]] = {
    "finger.x": (-0.200, "m", "finger point, from the balance point to the rear"),
    "key.inertia": (6.0e-4, "kg m²", "key, about the balance point: 60 g, 350 mm"),
    "key.balance": (0.020, "N m", "torque that the key's own weight needs to go down"),
    "key.friction": (0.006, "N m", "dry friction of pin and guides"),
    "jack.x": (0.190, "m", "jack, from the balance point to the rear"),
    "jack.mass": (0.009, "kg", "jack with tongue"),
    "jack.friction": (0.02, "N", "dry friction of the jack in its slots"),
    "rail": (6.6e-3, "m", "way of the jack to the jack rail, which stops the key"),
    "string.height": (2.5e-3, "m", "string over the resting plectrum"),
    "string.stiffness": (1080.0, "N/m", "60 N on 0.34 m, plucked at 70 mm from its end"),
    "string.impedance": (0.67, "N s/m", "waves that run off to both sides"),
    "string.mass": (2.0e-4, "kg", "what moves with the plectrum"),
    "string.radius": (0.15e-3, "m", "of the wire"),
    "plectrum.length": (3.8e-3, "m", "from the tongue to the tip"),
    "plectrum.reach": (3.85e-3, "m", "from the tongue to the string, level"),
    "plectrum.radius": (0.25e-3, "m", "half its thickness"),
    "plectrum.stiffness": (0.008, "N m/rad", "when it is bent down, at its root"),
    "tongue.stiffness": (4.0e-4, "N m/rad", "bristle that brings the tongue back, when it is turned up"),
    "tongue.inertia": (4.0e-9, "kg m²", "tongue and plectrum, about the tongue's axle"),
    "tongue.damping": (4.0e-6, "N m s", "of both springs"),
}

#: friction of plectrum and string
SLIPPERY = 0.1


def build() -> Mechanism:
    """Key, jack, plectrum, string.

    The plectrum is drawn in the plane of the key; in an instrument it stands across. It is a rod of ``plectrum.length``
    on a spring at its root and meets the string at ``plectrum.reach``: rising, it is bent down until its tip no longer
    reaches the string, which slips off: the pluck, a release point that follows from the lengths. Falling, it meets
    the string from above; the tongue, on its weak bristle, turns out of the way.

    Driven coordinate ``key`` [rad]; ``jack`` [m] stands on its end by a felt and may leave it; ``tongue`` [rad];
    ``string`` [m]. The string's contact with the plectrum is ``plectrum-string``.
    """
    m = Mechanism("harpsichord")
    p: dict[str, Expr] = {n: m.parameter(n, x, unit, description=what) for n, (x, unit, what) in NUMBERS.items()}
    key = m.body("key", inertia=(p["key.inertia"],) * 3)
    jack = m.body("jack", p["jack.mass"])
    tongue = m.body("tongue", inertia=(p["tongue.inertia"],) * 3)
    string = m.body("string", p["string.mass"])
    m.revolute("key", m.ground, key, "-y", friction=p["key.friction"])
    m.prismatic("jack", m.ground, jack, "z", origin=(p["jack.x"], 0.0, 0.0), friction=p["jack.friction"])
    m.revolute("tongue", jack, tongue, "-y")
    m.prismatic(
        "string",
        m.ground,
        string,
        "z",
        origin=(p["jack.x"] - p["plectrum.reach"], 0.0, p["string.height"]),
        stiffness=p["string.stiffness"],
        damping=p["string.impedance"],
    )
    m.joint_law("balance", "key", -p["key.balance"])
    m.joint_law("hang", "string", -p["string.mass"] * m.gravity[2])  # its own tension carries it
    bent = m.q("tongue")
    spring = p["plectrum.stiffness"] * maximum(0.0, bent) + p["tongue.stiffness"] * minimum(0.0, bent)
    m.joint_law("plectrum", "tongue", -spring - p["tongue.damping"] * m.v("tongue"))
    m.segment("plectrum", tongue, (0.0, 0.0, 0.0), (-p["plectrum.length"], 0.0, 0.0), p["plectrum.radius"])
    m.circle("wire", string, (0.0, 0.0, 0.0), p["string.radius"])
    m.contact("plectrum-string", "wire", "plectrum", linear(2e5, 2.0), SLIPPERY)
    m.stop("key-jack", m.q("jack") - p["jack.x"] * m.q("key"), felt(5e7, 2.0, 1.5e9))
    m.stop("jack-rail", p["rail"] - m.q("jack"), felt(2e7, 2.0, 1e9))
    m.sensor("finger point", "position", m.frame("finger point", key, (p["finger.x"], 0.0, 0.0)))
    m.sensor("jack place", "position", jack)
    m.sensor("wire", "position", string)
    m.drive("key")
    return m

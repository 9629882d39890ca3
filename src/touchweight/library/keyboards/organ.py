"""A tracker organ: a key pulls a pallet open against its spring and the wind, which lets go at once: the pluck."""

from __future__ import annotations

from ...mechanism import Mechanism
from ...mechanism.contact import felt, linear
from ...symbolic import Expr, maximum

#: name -> value, unit, what it is. All are estimates for a middle key of one division, in the range of instruments:
#: dip 8 to 10 mm, wind of 60 to 90 mm of water, top resistance of 100 to 250 g
NUMBERS: dict[str, tuple[float, str, str]] = {
    "finger.x": (-0.220, "m", "finger point, from the key's axle to the rear"),
    "key.inertia": (1.0e-3, "kg m²", "key, about its axle"),
    "key.friction": (0.010, "N m", "dry friction of key, squares and rollers, at the key"),
    "key.spring": (0.055, "N m", "return spring at the key, at rest"),
    "key.rate": (1.0, "N m/rad", "its rate"),
    "key.dip": (9.5e-3, "m", "dip at which the key meets its felt"),
    "tracker.x": (0.150, "m", "tracker, from the key's axle to the rear"),
    "tracker.slack": (0.7e-3, "m", "way of the tracker before it pulls"),
    "tracker.stiffness": (1.5e4, "N/m", "of tracker and rollerboard"),
    "tracker.damping": (6.0, "N s/m", "of the same"),
    "pallet.mass": (0.030, "kg", "pallet and tracker"),
    "pallet.spring": (0.8, "N", "pallet spring, shut"),
    "pallet.rate": (30.0, "N/m", "its rate"),
    "wind.pressure": (700.0, "Pa", "in the chest: 71 mm of water"),
    "pallet.area": (2.5e-3, "m²", "of the hole that the pallet shuts"),
    "wind.way": (0.4e-3, "m", "opening at which half of the pressure is gone"),
}


def build() -> Mechanism:
    """Key, tracker, pallet.

    The wind holds the shut pallet with pressure times area; where it opens, air flows and the pressure under it rises:
    the force is divided by 1 + (opening / ``wind.way``)². The finger first meets the return spring, then the tracker's
    end of slack, the pluck, and little after it. On the way back the wind pulls the pallet shut.

    Driven coordinate ``key`` [rad]; ``pallet`` [m] is its opening. ``force.tracker`` [N] pulls it.
    """
    m = Mechanism("organ")
    p: dict[str, Expr] = {n: m.parameter(n, x, unit, description=what) for n, (x, unit, what) in NUMBERS.items()}
    key = m.body("key", inertia=(p["key.inertia"],) * 3)
    m.revolute("key", m.ground, key, "-y", friction=p["key.friction"])
    m.prismatic("pallet", m.ground, m.body("pallet", p["pallet.mass"]), "x", origin=(p["tracker.x"], 0.0, 0.0))
    m.joint_law("return spring", "key", -(p["key.spring"] + p["key.rate"] * m.q("key")))
    opening = maximum(0.0, m.q("pallet")) / p["wind.way"]
    m.joint_law("pallet spring", "pallet", -(p["pallet.spring"] + p["pallet.rate"] * m.q("pallet")))
    m.joint_law("wind", "pallet", -p["wind.pressure"] * p["pallet.area"] / (1.0 + opening * opening))
    pull = m.q("pallet") + p["tracker.slack"] - p["tracker.x"] * m.q("key")
    m.stop("tracker", pull, linear(p["tracker.stiffness"], p["tracker.damping"]))
    m.stop("seat", m.q("pallet"), felt(1e8, 2.0, 2e9))
    m.stop("key-felt", p["key.dip"] + p["finger.x"] * m.q("key"), felt(5e7, 2.0, 1e8))
    m.sensor("finger point", "position", m.frame("finger point", key, (p["finger.x"], 0.0, 0.0)))
    m.drive("key")
    return m

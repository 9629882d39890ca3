"""The mechanisms that come with touchweight, by name: each a small file with a function ``build``."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from ..errors import MechanismError, printable
from ..mechanism import Mechanism
from .classics import (
    andrews,
    arm,
    bouncing_ball,
    cart_pole,
    double_pendulum,
    double_wishbone,
    four_bar,
    n_pendulum,
    pendulum,
    piano_key_a,
    piano_key_b,
    slider_crank,
    spinning_top,
    stewart,
)
from .piano import action as piano_action

#: name -> what it is in one sentence, and the function that describes it
MECHANISMS: dict[str, tuple[str, Callable[[], Mechanism]]] = {
    "pendulum": ("A uniform rod, half a metre long, that swings about a hinge.", pendulum.build),
    "double-pendulum": (
        "Two rods, one hung from the other: simple to build, impossible to foresee.",
        double_pendulum.build,
    ),
    "chain": ("A chain of twelve rods, held out level and let go.", n_pendulum.build),
    "arm": ("A robot arm of six joints that follows six target angles through servos.", arm.build),
    "top": ("A top on its point: it circles and nods instead of falling.", spinning_top.build),
    "four-bar": ("A four-bar linkage of equal rods that falls through its flat position.", four_bar.build),
    "slider-crank": ("A crank that turns evenly, a rod, and a slider it pushes to and fro.", slider_crank.build),
    "andrews": ("Andrews' squeezer: seven bodies and three loops that a motor whirls in milliseconds.", andrews.build),
    "ball": ("A ball that bounces, ever lower and ever faster, until it rests.", bouncing_ball.build),
    "cart-pole": ("A pole on a cart on a rail, between two walls.", cart_pole.build),
    "stewart": ("A Stewart platform: a plate on six legs that grow and shrink.", stewart.build),
    "double-wishbone": ("A quarter of a car on a double wishbone suspension.", double_wishbone.build),
    "piano": ("A grand piano action from key to string, with its jack, felts and back-check.", piano_action.build),
    "piano-key-a": ("A piano key in your hand throws and catches a hammer, all of it rigid.", piano_key_a.build),
    "piano-key-b": ("The same key and hammer on two springs, which make its touch soft.", piano_key_b.build),
}


def build(name: str) -> Mechanism:
    """The mechanism called ``name``, described anew."""
    if name not in MECHANISMS:
        near = difflib.get_close_matches(name, MECHANISMS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(MECHANISMS)}"
        raise MechanismError(f"expected a mechanism of the library, found {printable(name)!r}; {hint}")
    return MECHANISMS[name][1]()


__all__ = ["MECHANISMS", "build"]

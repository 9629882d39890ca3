"""The mechanisms that come with touchweight, by name: each a small file with a function ``build``."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from ..errors import MechanismError, printable
from ..mechanism import Mechanism
from .classics import arm, double_pendulum, n_pendulum, pendulum, spinning_top

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
}


def build(name: str) -> Mechanism:
    """The mechanism called ``name``, described anew."""
    if name not in MECHANISMS:
        near = difflib.get_close_matches(name, MECHANISMS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(MECHANISMS)}"
        raise MechanismError(f"expected a mechanism of the library, found {printable(name)!r}; {hint}")
    return MECHANISMS[name][1]()


__all__ = ["MECHANISMS", "build"]

"""A number of the action with its unit, its bounds, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...mechanism import Mechanism
from ...symbolic import Symbol

#: how well a number is known
TAGS: dict[str, str] = {
    "published": "read in the source",
    "published, second-hand": "published, but read in a work that quotes it",
    "trade": "a maker's specification or a technician's measurement",
    "estimate": "an estimate; the reason is given",
    "tuned": "an estimate, then turned until the action worked",
}

#: units of the tables -> SI unit, factor, kind of parameter
UNITS: dict[str, tuple[str, float, str]] = {
    "mm": ("m", 1e-3, "length"),
    "g": ("kg", 1e-3, "mass"),
    "kg m²": ("kg m²", 1.0, "parameter"),
    "N m": ("N m", 1.0, "force"),
    "N m s": ("N m s", 1.0, "parameter"),
    "N m/rad": ("N m/rad", 1.0, "parameter"),
    "N/m^r": ("N/m^r", 1.0, "parameter"),
    "N s/m³": ("N s/m³", 1.0, "parameter"),
    "N/m": ("N/m", 1.0, "parameter"),
    "N s/m": ("N s/m", 1.0, "parameter"),
    "rad": ("rad", 1.0, "parameter"),
    "": ("", 1.0, "parameter"),
}


@dataclass(frozen=True)
class Datum:
    """One number.

    Attributes:
        value: in ``unit``.
        unit: a key of :data:`UNITS`; geometry is in mm and masses in g, as people write them.
        low: smallest value allowed, in ``unit``.
        high: largest value allowed, in ``unit``.
        tag: a key of :data:`TAGS`.
        source: citation, or the reason for an estimate.
        what: what it is, for people.
    """

    value: float
    unit: str
    low: float
    high: float
    tag: str
    source: str
    what: str

    @property
    def si(self) -> float:
        """The value in SI units."""
        return self.value * UNITS[self.unit][1]


def declare(m: Mechanism, table: Mapping[str, Datum]) -> dict[str, Symbol]:
    """Declare all numbers of a table as live parameters; returns their symbols by name."""
    made: dict[str, Symbol] = {}
    for name, d in table.items():
        unit, factor, kind = UNITS[d.unit]
        made[name] = m.parameter(
            name,
            d.si,
            unit,
            minimum=d.low * factor,
            maximum=d.high * factor,
            description=f"{d.what} ({d.tag}: {d.source})",
            kind=kind,
        )
    return made

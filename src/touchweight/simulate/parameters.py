"""Live parameters: a mapping from names to numbers that acts at once, within its bounds."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np

from ..codegen.callable import Array, Compiled
from ..errors import TouchweightError, printable
from ..mechanism import Mechanism, Parameter

#: endings of names that a description makes by itself: absent ones are structurally zero
_STRUCTURAL = (".mass", ".com.", ".inertia.", ".origin.", ".damping", ".friction", ".stiffness", ".rest", ".armature",
               ".length", ".force.", ".torque.", "gravity.")  # fmt: skip


class ParameterError(TouchweightError, KeyError):
    """A parameter is unknown, structurally zero, out of bounds or not a number."""

    def __str__(self) -> str:
        return str(self.args[0])


class Parameters(MutableMapping[str, float]):
    """The current values of a model's parameters, by name, in SI units."""

    def __init__(self, mechanism: Mechanism, values: Mapping[str, float] | None = None) -> None:
        self._specs: dict[str, Parameter] = dict(mechanism.parameters)
        self._index = {name: i for i, name in enumerate(self._specs)}
        self.vector: Array = np.array([p.value for p in self._specs.values()], dtype=float)
        #: raised with every change, so that tables of slots know when they are stale
        self.version = 0
        self._tables: dict[Compiled, tuple[int, Array]] = {}
        for name, value in (values or {}).items():
            self[name] = value

    def __getitem__(self, name: str) -> float:
        return float(self.vector[self._find(name)])

    def __setitem__(self, name: str, value: float) -> None:
        index = self._find(name)
        number = self.checked(name, value)
        if self.vector[index] != number:
            self.vector[index] = number
            self.version += 1

    def __delitem__(self, name: str) -> None:
        raise ParameterError(f"expected parameters to stay, found an attempt to delete {name!r}; set it instead")

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}={v:g}" for n, v in list(self.items())[:6])
        return f"Parameters({shown}{', …' if len(self) > 6 else ''})"

    def spec(self, name: str) -> Parameter:
        """Unit, bounds and description of a parameter."""
        self._find(name)
        return self._specs[name]

    def checked(self, name: str, value: Any) -> float:
        """A value as a number within the bounds of its parameter."""
        spec = self._specs[name]
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ParameterError(f"expected a number for {name!r}, found {printable(repr(value))}") from None
        if not math.isfinite(number):
            raise ParameterError(f"expected a finite number for {name!r}, found {number}")
        if not spec.minimum <= number <= spec.maximum:
            raise ParameterError(
                f"expected {name!r} between {spec.minimum:g} and {spec.maximum:g} {spec.unit}, found {number:g}"
            )
        return number

    def _find(self, name: str) -> int:
        found = self._index.get(name)
        if found is not None:
            return found
        if isinstance(name, str) and any(s in name for s in _STRUCTURAL):
            raise ParameterError(
                f"expected a live parameter, found {printable(name)!r}, which is zero in the description and so has left "
                "the equations; give it a value there, or declare it live with mechanism.parameter(name, 0.0)"
            )
        near = difflib.get_close_matches(str(name), self._index, n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise ParameterError(f"expected a parameter of the mechanism, found {printable(str(name))!r}{hint}")

    def copy(self) -> Parameters:
        """Independent parameters with the same values."""
        other = object.__new__(Parameters)
        other._specs, other._index = self._specs, self._index
        other.vector = self.vector.copy()
        other.version = 0
        other._tables = {}
        return other

    def table(self, function: Compiled) -> Array:
        """The table of slots of a compiled function for the current values; worked out only when one has changed."""
        found = self._tables.get(function)
        if found is None or found[0] != self.version:
            found = (self.version, function.prepare(self.vector))
            self._tables[function] = found
        return found[1]

    def rows(self, changes: Mapping[str, Any]) -> Array | None:
        """One row of values for each entry of the arrays in ``changes``, or None when all are single numbers."""
        arrays = {n: np.asarray(v, dtype=float) for n, v in changes.items()}
        lengths = {a.shape[0] for a in arrays.values() if a.ndim == 1}
        bad = [n for n, a in arrays.items() if a.ndim > 1]
        if bad or len(lengths) > 1:
            shapes = ", ".join(f"{n} {a.shape}" for n, a in arrays.items())
            raise ParameterError(f"expected parameter arrays of one length and one dimension, found {shapes}")
        if not lengths:
            return None
        rows = np.tile(self.vector, (lengths.pop(), 1))
        for name, values in arrays.items():
            index = self._find(name)
            for number in np.atleast_1d(values):
                self.checked(name, number)
            rows[:, index] = values
        return rows

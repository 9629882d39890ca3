"""Live parameters: a mapping from names to numbers that acts at once, within its bounds."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np

from ..codegen.callable import Array, Compiled
from ..errors import TouchweightError, printable
from ..mechanism import Mechanism, Parameter
from ..mechanism.description import INERTIA_ENTRIES

#: endings of the names that a description gives to its numbers: where one is absent, it was zero
_STRUCTURAL = frozenset(
    {"mass", "armature", "damping", "friction", "stiffness", "rest", "length", "lag", "limit", "gear", *"xyz"}
    | {f"{vector}.{axis}" for vector in ("com", "origin", "force", "torque") for axis in "xyz"}
    | {f"inertia.{entry}" for entry in INERTIA_ENTRIES}
)


class ParameterError(TouchweightError, KeyError):
    """A parameter is unknown, structurally zero, out of bounds or not a number."""

    def __str__(self) -> str:
        return str(self.args[0])


class Parameters(MutableMapping[str, float]):
    """The current values of a model's parameters, by name, in SI units."""

    def __init__(self, mechanism: Mechanism, values: Mapping[str, float] | None = None) -> None:
        self._specs: dict[str, Parameter] = dict(mechanism.parameters)
        self._index = {name: i for i, name in enumerate(self._specs)}
        self._owners = _owners(mechanism)
        self._vector: Array = np.array([p.value for p in self._specs.values()], dtype=float)
        self._frozen = False
        #: raised with every change, so that tables of slots know when they are stale
        self.version = 0
        self._tables: dict[Compiled, tuple[int, Array]] = {}
        self.update(values or {})

    @property
    def vector(self) -> Array:
        """All values in order, to be read: changes go by name."""
        view = self._vector.view()
        view.flags.writeable = False
        return view

    def freeze(self) -> Parameters:
        """From now on constant; returns itself."""
        self._frozen = True
        return self

    def fits(self, other: Parameters) -> bool:
        """Whether both hold the parameters of the same description."""
        return self._index is other._index or self._index == other._index

    def __getitem__(self, name: str) -> float:
        return float(self._vector[self._find(name)])

    def __setitem__(self, name: str, value: float) -> None:
        index = self._find(name)
        number = self.checked(name, value)
        if self._frozen:
            raise ParameterError(
                f"expected the parameters of a model to stay as they are, found a new value for "
                f"{_shown(name)}; change those of a state, or pass parameters={...} to the call"
            )
        if self._vector[index] != number:
            self._vector[index] = number
            self.version += 1

    def __delitem__(self, name: str) -> None:
        raise ParameterError(f"expected parameters to stay, found an attempt to delete {_shown(name)}; set it instead")

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __repr__(self) -> str:
        shown = ", ".join(f"{printable(n, 40)}={v:g}" for n, v in list(self.items())[:6])
        return f"Parameters({shown}{', …' if len(self) > 6 else ''})"

    def spec(self, name: str) -> Parameter:
        """Unit, bounds and description of a parameter."""
        self._find(name)
        return self._specs[name]

    def checked(self, name: str, value: Any) -> float:
        """A value as a number within the bounds of its parameter."""
        found = self._checked_array(name, value)
        if found.ndim:
            raise ParameterError(f"expected one number for {_shown(name)}, found shape {found.shape}; pass a number")
        return float(found)

    def _checked_array(self, name: str, value: Any) -> Array:
        spec = self._specs[name]
        try:
            a = np.asarray(value)
        except ValueError:  # rows of different lengths
            a = np.empty(1, dtype=object)
        if a.dtype.kind not in "fiub":
            raise ParameterError(f"expected a number for {_shown(name)}, found {printable(repr(value))}; pass a number")
        numbers = a.astype(np.float64, copy=False)
        bad = numbers[~((numbers >= spec.minimum) & (numbers <= spec.maximum) & np.isfinite(numbers))]
        if bad.size:
            wanted = f"between {spec.minimum:g} and {spec.maximum:g} {spec.unit}".rstrip()
            raise ParameterError(
                f"expected {_shown(name)} to be finite and {wanted}, found {bad.flat[0]:g}; choose one within"
            )
        return numbers

    def _find(self, name: str) -> int:
        found = self._index.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        text = str(name)
        owner = next((o for o in self._owners if text.startswith(f"{o}.")), None)
        if owner is not None and text[len(owner) + 1 :] in _STRUCTURAL:
            raise ParameterError(
                f"expected a live parameter, found {_shown(text)}, which is zero in the description and so "
                "has left the equations; give it a value there, or declare it live with "
                "mechanism.parameter(name, 0.0)"
            )
        near = difflib.get_close_matches(text, self._index, n=3)
        hint = f"did you mean {', '.join(printable(n, 40) for n in near)}?" if near else f"there are {self._some()}"
        raise ParameterError(f"expected a parameter of the mechanism, found {_shown(text)}; {hint}")

    def _some(self) -> str:
        names = [printable(n, 40) for n in list(self._index)[:8]]
        return (", ".join(names) or "none") + (", …" if len(self) > 8 else "")

    def copy(self, changes: Mapping[str, float] | None = None) -> Parameters:
        """Independent parameters with the same values, but for ``changes``."""
        other = object.__new__(Parameters)
        other._specs, other._index, other._owners = self._specs, self._index, self._owners
        other._vector = self._vector.copy()
        other._frozen = False
        other.version = 0
        other._tables = {}
        if changes:
            other.update(changes)
        else:
            # the same values: what has been prepared serves both
            other._tables = {f: (0, table) for f, (version, table) in self._tables.items() if version == self.version}
        return other

    def table(self, function: Compiled) -> Array:
        """The table of slots of a function for the current values; worked out only when one has changed."""
        found = self._tables.get(function)
        if found is None or found[0] != self.version:
            found = (self.version, function.prepare(self._vector))
            self._tables[function] = found
        return found[1]

    def rows(self, changes: Mapping[str, Any]) -> Array | None:
        """The values for each item of a batch, (..., parameters); None when all changes are plain numbers."""
        columns = {self._find(n): self._checked_array(n, v) for n, v in changes.items()}
        try:
            shape = np.broadcast_shapes(*(a.shape for a in columns.values()))
        except ValueError:
            shapes = ", ".join(f"{printable(n, 40)} {a.shape}" for n, a in zip(changes, columns.values(), strict=True))
            raise ParameterError(
                f"expected parameter arrays whose shapes agree, found {shapes}; make them equal"
            ) from None
        if not shape:
            return None
        rows = np.empty((*shape, len(self)))
        rows[...] = self._vector
        for index, values in columns.items():
            rows[..., index] = values
        return rows


def _shown(name: str) -> str:
    return repr(printable(name, 80))


def _owners(mechanism: Mechanism) -> tuple[str, ...]:
    """What parameters are named after."""
    tables = (mechanism.bodies, mechanism.joints, mechanism.frames, mechanism.forces, mechanism.inputs)
    return ("gravity", *(name for table in tables for name in table))

"""Checking what callers pass: shapes, names, numbers; every refusal says what was expected and what was found."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen.callable import Array
from ..dynamics.tree import Tree
from ..errors import ShapeError, printable
from ..mechanism import Mechanism


@dataclass(frozen=True)
class Dimensions:
    """Names and default values of everything a model's functions take."""

    model: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    balls: tuple[int, ...]
    q_default: Array
    v_default: Array
    x_default: Array
    u_default: Array

    @classmethod
    def of(cls, mechanism: Mechanism, tree: Tree) -> Dimensions:
        """The dimensions of a mechanism."""
        index = {s: i for i, s in enumerate(tree.q)}
        balls = tuple(index[link.q[0]] for link in tree.links if link.kind == "S")
        q = np.zeros(len(tree.coordinates))
        q[list(balls)] = 1.0
        return cls(
            mechanism.name,
            tuple(tree.coordinates),
            tuple(tree.speeds),
            tuple(mechanism.states),
            tuple(mechanism.inputs),
            balls,
            q,
            np.zeros(len(tree.speeds)),
            np.array([s.initial for s in mechanism.states.values()], dtype=float),
            np.array([u.value for u in mechanism.inputs.values()], dtype=float),
        )

    def array(self, name: str, value: Any) -> Array:
        """An argument as an array whose last dimension is right; None gives the default."""
        if name == "t":
            return _time(value)
        names, default = {
            "q": (self.coordinates, self.q_default),
            "v": (self.speeds, self.v_default),
            "a": (self.speeds, self.v_default),
            "tau": (self.speeds, self.v_default),
            "x": (self.states, self.x_default),
            "u": (self.inputs, self.u_default),
        }[name]
        if value is None:
            return default
        if isinstance(value, Mapping):
            return as_vector(value, name, names, default)
        try:
            a = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise ShapeError(f"expected numbers for {name}, found {printable(repr(value), 80)}") from None
        if a.ndim == 0 and len(names) == 1:
            a = a.reshape(1)
        if a.ndim == 0 or a.shape[-1] != len(names):
            raise ShapeError(
                f"expected {name} of shape (..., {len(names)}) for model {self.model!r}, found {a.shape}; its entries are "
                + _listed(names)
            )
        if a.ndim == 1 and not a.flags.c_contiguous:
            a = np.ascontiguousarray(a)
        if not a.flags.aligned or any(s % 8 for s in a.strides):
            a = np.array(a)
        if name == "q" and self.balls:
            check_balls(a, self.balls, self.coordinates)
        return a


def check_balls(q: Array, balls: Sequence[int], names: Sequence[str]) -> None:
    """Quaternions must have unit length."""
    for start in balls:
        size = np.sqrt(np.sum(q[..., start : start + 4] ** 2, axis=-1))
        if not np.all(np.abs(size - 1.0) < 1e-6):
            worst = float(np.ravel(size)[int(np.argmax(np.abs(np.ravel(size) - 1.0)))])
            raise ShapeError(
                f"expected a unit quaternion at q[{start}:{start + 4}] ({names[start]}, …), found one of length {worst:g}; "
                "divide it by its length"
            )


def _time(value: Any) -> Array:
    a = np.asarray(0.0 if value is None else value, dtype=float)
    return a.reshape(*a.shape, 1)


def as_vector(
    value: Any, name: str, names: Sequence[str], default: Array, balls: Sequence[int] = ()
) -> Array:
    """A fresh vector from numbers in order or by name; what is not named keeps its default."""
    if value is None:
        return default.copy()
    if isinstance(value, Mapping):
        out = default.copy()
        index = {n: i for i, n in enumerate(names)}
        for key, number in value.items():
            if key not in index:
                near = difflib.get_close_matches(str(key), names, n=3)
                hint = f"; did you mean {', '.join(near)}?" if near else f"; there are {_listed(names)}"
                raise ShapeError(f"expected names of {name}, found {printable(str(key))!r}{hint}")
            try:
                out[index[key]] = float(number)
            except (TypeError, ValueError):
                raise ShapeError(f"expected a number for {name}[{key!r}], found {printable(repr(number), 80)}") from None
    else:
        try:
            out = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise ShapeError(f"expected numbers for {name}, found {printable(repr(value), 80)}") from None
        if out.ndim == 0 and len(names) == 1:
            out = out.reshape(1)
        if out.shape != (len(names),):
            raise ShapeError(f"expected {name} of shape ({len(names)},), found {out.shape}; its entries are {_listed(names)}")
    if not np.all(np.isfinite(out)):
        raise ShapeError(f"expected finite numbers for {name}, found {out[~np.isfinite(out)][0]}")
    if balls:
        check_balls(out, balls, names)
    return out


def lead_shape(arrays: Sequence[Array], names: Sequence[str], rows: int | None) -> tuple[int, ...]:
    """The common leading shape of a call's arguments; empty for a single evaluation."""
    shapes = [a.shape[:-1] for a in arrays]
    if rows is not None:
        shapes.append((rows,))
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(f"{n} {s}" for n, s in zip([*names, "parameters"], shapes, strict=False) if s)
        raise ShapeError(f"expected leading (batch) dimensions that agree, found {shown}") from None


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(printable(n, 40) for n in names[:most])
    return (shown or "none") + (", …" if len(names) > most else "")

"""Checking what callers pass: shapes, names, numbers; every refusal says what was expected and found."""

from __future__ import annotations

import difflib
import functools
import numbers
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
        return cls(
            mechanism.name,
            tuple(tree.coordinates),
            tuple(tree.speeds),
            tuple(mechanism.states),
            tuple(mechanism.inputs),
            balls,
            _resting(mechanism, tree, balls),
            np.zeros(len(tree.speeds)),
            np.array([s.initial for s in mechanism.states.values()], dtype=float),
            np.array([u.value for u in mechanism.inputs.values()], dtype=float),
        )

    @functools.cached_property
    def _expected(self) -> dict[str, tuple[tuple[str, ...], Array]]:
        """Argument -> names of its entries, and what they are by default."""
        return {
            "q": (self.coordinates, self.q_default),
            "v": (self.speeds, self.v_default),
            "a": (self.speeds, self.v_default),
            "tau": (self.speeds, self.v_default),
            "x": (self.states, self.x_default),
            "u": (self.inputs, self.u_default),
            "t": (("t",), _START),
        }

    def array(self, name: str, value: Any) -> Array:
        """An argument as an array whose last dimension is right; None gives the default."""
        names, default = self._expected[name]
        balls = self.balls if name == "q" else ()
        if value is None:
            return default
        if isinstance(value, Mapping):
            return as_vector(value, name, names, default, balls)
        a = _numbers(name, value)
        if name == "t":
            a = a[..., None]
        elif a.ndim == 0 and len(names) == 1:
            a = a.reshape(1)
        if a.ndim == 0 or a.shape[-1] != len(names):
            raise ShapeError(
                f"expected {name} of shape (..., {len(names)}) for model {printable(self.model)!r}, "
                f"found {a.shape}; its entries are {_listed(names)}"
            )
        if a.ndim == 1 and not a.flags.c_contiguous:
            a = np.ascontiguousarray(a)
        if not a.flags.aligned or any(s % 8 for s in a.strides):
            a = np.array(a)
        if balls:
            check_balls(a, balls, self.coordinates)
        return a


#: time starts here [s]
_START = np.zeros(1)


def _numbers(name: str, value: Any) -> Array:
    """Real numbers as an array of doubles, copied only where they must be."""
    try:
        a = np.asarray(value)
        if a.dtype.kind in "fiub" or a.size == 0:
            return a.astype(np.float64, copy=False)
    except ValueError:
        pass  # rows of different lengths
    raise ShapeError(f"expected real numbers for {name}, found {printable(repr(value), 80)}; pass numbers or arrays")


def _resting(mechanism: Mechanism, tree: Tree, balls: Sequence[int]) -> Array:
    """Where coordinates start when nobody says: as the description starts them, else where its frames are drawn."""
    q = np.zeros(len(tree.coordinates))
    place = {name: i for i, name in enumerate(tree.coordinates)}
    for joint in mechanism.joints.values():
        at = [place[name] for name in joint.coordinates]
        q[at] = joint.reference if joint.initial is None else joint.initial
        for ball in (b for b in balls if b in at and joint.initial is None):
            q[ball : ball + 4] = (1.0, 0.0, 0.0, 0.0)
    return q


def check_balls(q: Array, balls: Sequence[int], names: Sequence[str]) -> None:
    """Quaternions must have unit length."""
    for start in balls:
        size = np.sqrt(np.sum(q[..., start : start + 4] ** 2, axis=-1))
        if not np.all(np.abs(size - 1.0) < 1e-6):
            worst = float(np.ravel(size)[int(np.argmax(np.abs(np.ravel(size) - 1.0)))])
            raise ShapeError(
                f"expected a unit quaternion at q[{start}:{start + 4}] ({printable(names[start], 40)}, …), "
                f"found one of length {worst:g}; divide it by its length"
            )


def as_time(value: Any) -> float:
    """One finite moment [s]."""
    a = _numbers("t", value)
    if a.size != 1 or not np.isfinite(a).all():
        raise ShapeError(f"expected a time t [s], found {printable(repr(value), 80)}; pass one finite number")
    return float(a.ravel()[0])


def as_vector(value: Any, name: str, names: Sequence[str], default: Array, balls: Sequence[int] = ()) -> Array:
    """A fresh vector from numbers in order or by name; what is not named keeps its default."""
    if value is None:
        return default.copy()
    if isinstance(value, Mapping):
        out = default.copy()
        index = {n: i for i, n in enumerate(names)}
        for key, number in value.items():
            if key not in index:
                near = difflib.get_close_matches(str(key), names, n=3)
                hint = f"did you mean {_listed(near)}?" if near else f"there are {_listed(names)}"
                raise ShapeError(f"expected names of {name}, found {printable(str(key))!r}; {hint}")
            a = _numbers(name, number)
            if a.size != 1:
                raise ShapeError(
                    f"expected one number for {name}[{printable(str(key))!r}], found shape {a.shape}; "
                    "for a batch, pass an array of all entries in order"
                )
            out[index[key]] = a.ravel()[0]
    else:
        out = np.array(_numbers(name, value))
        if out.ndim == 0 and len(names) == 1:
            out = out.reshape(1)
        if out.shape != (len(names),):
            raise ShapeError(
                f"expected {name} of shape ({len(names)},), found {out.shape}; its entries are {_listed(names)}"
            )
    if not np.all(np.isfinite(out)):
        raise ShapeError(
            f"expected finite numbers for {name}, found {out[~np.isfinite(out)][0]}; look where it comes from"
        )
    if balls:
        check_balls(out, balls, names)
    return out


def thread_count(value: Any) -> int | None:
    """How many threads a caller allows; None leaves it to us."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise ShapeError(f"expected threads as a whole number, at least 1, found {printable(repr(value), 80)}")
    return int(value)


def lead_shape(arrays: Sequence[Array], names: Sequence[str], rows: tuple[int, ...] | None) -> tuple[int, ...]:
    """The common leading shape of a call's arguments; empty for a single evaluation."""
    shapes = [a.shape[:-1] for a in arrays]
    if rows is not None:
        shapes.append(rows)
    if not any(shapes):
        return ()
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(f"{n} {s}" for n, s in zip([*names, "parameters"], shapes, strict=False) if s)
        raise ShapeError(
            f"expected leading (batch) dimensions that agree, found {shown}; make them equal, or 1 where one serves all"
        ) from None


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(printable(n, 40) for n in names[:most])
    return (shown or "none") + (", …" if len(names) > most else "")

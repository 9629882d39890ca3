"""Modes of vibration: natural frequencies, damping ratios, shapes on all coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import scipy.linalg

from ...codegen.callable import Array
from ...errors import ShapeError, printable
from ..choice import speed_kinds
from ..state import State
from .balance import Balance
from .begin import held_speeds
from .equilibrium import equilibrium
from .labels import labels
from .linear import Linear
from .linearise import linear_of, linearise
from .tangent import Tangent

if TYPE_CHECKING:
    from ..model import Model

#: beside the largest eigenvalue, those below this are zero
ZERO = 1e-7


@dataclass(frozen=True)
class Mode:
    """One way to move on its own.

    Attributes:
        frequency: natural frequency |λ| / 2π [Hz]; zero where nothing brings it back.
        damping: damping ratio -Re λ / |λ|; 1 for what creeps back, -1 for what creeps away, 0 for a free motion.
        eigenvalue: λ [1/s].
        shape: complex displacement along every speed, the largest is 1.
        kind: ``vibration``, ``decay``, ``growth`` or ``free``.
    """

    frequency: float
    damping: float
    eigenvalue: complex
    shape: dict[str, complex]
    kind: str

    @property
    def damped_frequency(self) -> float:
        """The frequency at which it swings [Hz]."""
        return abs(self.eigenvalue.imag) / (2.0 * np.pi)


class Modes(Sequence[Mode]):
    """The modes of a mechanism, by frequency; ``modes[0]`` is the first.

    Attributes:
        linear: the linear system they belong to.
        state: where the mechanism vibrates.
    """

    def __init__(self, model: Model, linear: Linear, found: Sequence[Mode]) -> None:
        self.model, self.linear, self.state = model, linear, linear.state
        self._modes = tuple(found)

    @overload
    def __getitem__(self, index: int) -> Mode: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mode]: ...
    def __getitem__(self, index: int | slice) -> Mode | Sequence[Mode]:
        return self._modes[index]

    def __len__(self) -> int:
        return len(self._modes)

    def __iter__(self) -> Iterator[Mode]:
        return iter(self._modes)

    def __repr__(self) -> str:
        shown = ", ".join(f"{m.frequency:.4g} Hz" for m in self._modes[:6])
        return f"Modes({self.model.name!r}: {shown}{', …' if len(self) > 6 else ''})"

    @property
    def frequencies(self) -> Array:
        """Natural frequencies [Hz]."""
        return np.array([m.frequency for m in self._modes])

    @property
    def damping(self) -> Array:
        """Damping ratios."""
        return np.array([m.damping for m in self._modes])

    @property
    def shapes(self) -> Any:
        """(nv, modes): complex displacements along the speeds."""
        columns = [list(m.shape.values()) for m in self._modes]
        return np.array(columns, dtype=complex).T.reshape(self.model.nv, len(self))

    def animate(self, mode: int, save: str | Path, size: float = 1.0) -> int:
        """Write a GIF of the mechanism swinging in a mode (the first is 1), slowed down; returns how many pictures.

        ``size`` scales the motion, which is drawn larger than the linear equations would have it.
        """
        from .mode_picture import draw_mode

        if isinstance(mode, bool) or not isinstance(mode, int) or not 1 <= mode <= len(self):
            raise ShapeError(f"expected a mode from 1 to {len(self)}, found {printable(repr(mode), 40)}")
        return draw_mode(self.model, self.state, self[mode - 1], Path(save), size)


def modes(model: Model, state: State | None = None, *, hold: Iterable[str] = (), **where: Any) -> Modes:
    """The modes of vibration of a mechanism, with its loops closed and its drives still.

    Args:
        model: what vibrates.
        state: about which state. Without it the equilibrium near ``where`` is found first.
        hold: names of coordinates that stand still.
        where: q, x, inputs, mode, t, parameters, method, as for :func:`.equilibrium.equilibrium`.

    Returns:
        The modes by frequency, free motions first.
    """
    names = (hold,) if isinstance(hold, str) else tuple(hold)
    if state is None:
        return modes_at_rest(model, equilibrium(model, hold=names, **where).state, names)
    linear = linearise(model, state, hold=names, **where)
    return Modes(model, linear, _found(model, linear))


def modes_at_rest(model: Model, state: State, hold: Iterable[str]) -> Modes:
    """The modes about an equilibrium, drives standing still."""
    linear = linear_of(Tangent(Balance(model, state, held_speeds(model, hold), still=True)))
    return Modes(model, linear, _found(model, linear))


def _found(model: Model, linear: Linear) -> list[Mode]:
    n = len(linear.A)
    if not n:
        return []
    values, vectors = np.linalg.eig(linear.A)
    largest = float(np.max(np.abs(values)))
    names = [label.name for label in labels(model)]
    scale = np.array([model.reach if kind == "P" else 1.0 for kind in speed_kinds(model)])

    def made(value: complex, vector: Any, kind: str) -> Mode:
        shape = linear.shapes @ vector
        largest = int(np.argmax(np.abs(shape) / scale)) if len(shape) else 0
        if len(shape) and shape[largest] != 0.0:
            shape = shape / shape[largest]
        size = abs(value)
        damping = -value.real / size if size > 0 else 0.0
        return Mode(
            size / (2.0 * np.pi), float(damping), complex(value), dict(zip(names, shape.tolist(), strict=True)), kind
        )

    out: list[Mode] = []
    zero = np.abs(values) <= ZERO * max(largest, 1.0)
    if zero.any():
        scaled = linear.A / max(largest, 1.0)
        for vector in scipy.linalg.null_space(scaled, rcond=1e-9).T:
            out.append(made(0j, vector, "free"))
    rest = [i for i in range(n) if not zero[i] and values[i].imag >= 0.0]
    for i in sorted(rest, key=lambda i: (round(abs(complex(values[i])), 12), -values[i].real)):
        value = complex(values[i])
        kind = "vibration" if value.imag > 0 else "decay" if value.real < 0 else "growth"
        out.append(made(value, vectors[:, i], kind))
    return out

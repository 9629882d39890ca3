"""A linear system with names: δẏ = A δy + B δu, δz = C δy + D δu; its eigenvalues and responses."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg

from ...codegen.callable import Array
from ...errors import ShapeError, printable
from ..state import State


@dataclass(frozen=True)
class Linear:
    """A mechanism linearised about a state.

    Attributes:
        A: (n, n), what the state does to its own rate.
        B: (n, inputs).
        C: (outputs, n).
        D: (outputs, inputs).
        states: names of the state: displacements of independent coordinates, their speeds ``v.NAME``, first-order
            states. The displacement of a ball along its own axis is ``angle.NAME``.
        inputs: names of the inputs.
        outputs: names as in a recording: coordinates, speeds, first-order states, sensors, forces of loops and drives.
        units: unit of every name.
        state: the state it was linearised about.
        shapes: (nv, n): displacement of every speed that goes with each entry of the state.
        rates: dy/dt at that state: zero at an equilibrium.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    units: dict[str, str]
    state: State
    shapes: Array
    rates: Array
    name: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return (
            f"Linear({self.name!r}: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs)"
        )

    @property
    def eigenvalues(self) -> Any:
        """Of A [1/s], the slowest first."""
        found = np.linalg.eigvals(self.A) if len(self.A) else np.zeros(0, dtype=complex)
        return found[np.lexsort((found.imag, np.abs(found).round(12)))].astype(complex)

    @property
    def stable(self) -> bool:
        """Whether every disturbance dies away."""
        return bool(np.all(self.eigenvalues.real < 0.0))

    # -- responses ---------------------------------------------------------------------------------------
    def frequency_response(self, input: str, output: str, hertz: Any) -> Any:
        """The complex ratio of output to input at each frequency [Hz]; infinite where it has no bound."""
        b, c = self._pick(self.inputs, input, "input"), self._pick(self.outputs, output, "output")
        omega = 2.0 * np.pi * np.atleast_1d(np.asarray(hertz, dtype=float))
        # a Hessenberg form makes every frequency one cheap solve
        h, q = scipy.linalg.hessenberg(self.A, calc_q=True) if len(self.A) else (self.A, self.A)
        left, right = self.C[c] @ q, q.T @ self.B[:, b]
        eye = np.eye(len(h))
        out = np.full(len(omega), complex(np.inf, 0.0))
        for i, w in enumerate(omega):
            with contextlib.suppress(np.linalg.LinAlgError):  # on an eigenvalue without damping there is no bound
                out[i] = left @ np.linalg.solve(1j * w * eye - h, right) + self.D[c, b]
        return out

    def step_response(self, input: str, output: str, t: Any) -> Array:
        """The output at evenly spaced times [s] after the input has stepped by one."""
        b, c = self._pick(self.inputs, input, "input"), self._pick(self.outputs, output, "output")
        times = np.asarray(t, dtype=float)
        if times.ndim != 1 or len(times) < 2 or not np.allclose(np.diff(times), times[1] - times[0], rtol=1e-6):
            raise ShapeError("expected evenly spaced times for a step response, found others; use numpy.linspace")
        n = len(self.A)
        block = np.zeros((n + 1, n + 1))
        block[:n, :n], block[:n, n] = self.A, self.B[:, b]
        move = scipy.linalg.expm(block * (times[1] - times[0]))
        y = np.zeros(n + 1)
        y[n] = 1.0
        out = np.empty(len(times))
        for i in range(len(times)):
            out[i] = self.C[c] @ y[:n] + self.D[c, b]
            y = move @ y
        return out

    def bode(self, input: str, output: str, hertz: Any = None, save: str | Path | None = None) -> Any:
        """Draw size and phase of the frequency response; returns the figure, or writes it."""
        from matplotlib.figure import Figure

        f = np.asarray(hertz, dtype=float) if hertz is not None else self._range()
        ratio = self.frequency_response(input, output, f)
        figure = Figure(figsize=(7.0, 5.0), layout="constrained")
        size, phase = figure.subplots(2, 1, sharex=True)
        size.loglog(f, np.abs(ratio), lw=1.6)
        phase.semilogx(f, np.degrees(np.unwrap(np.angle(ratio))), lw=1.6)
        unit = f"[{self.units.get(output, '')} / {self.units.get(input, '')}]"
        size.set_ylabel(f"size {unit}".replace("$", r"\$"))
        phase.set_ylabel("phase [°]")
        phase.set_xlabel("frequency [Hz]")
        size.set_title(f"{printable(input, 40)} to {printable(output, 40)}".replace("$", r"\$"), loc="left")
        for axes in (size, phase):
            axes.grid(True, which="both", alpha=0.25)
        if save is not None:
            figure.savefig(save, dpi=130)
        return figure

    def _range(self) -> Array:
        sizes = np.abs(self.eigenvalues) / (2.0 * np.pi)
        sizes = sizes[sizes > 1e-6]
        low, high = (float(sizes.min()), float(sizes.max())) if len(sizes) else (1.0, 1.0)
        return np.logspace(np.log10(low) - 1.0, np.log10(high) + 1.0, 800)

    def _pick(self, names: tuple[str, ...], name: str, what: str) -> int:
        if name not in names:
            known = ", ".join(printable(n, 40) for n in names[:12]) or "none"
            raise ShapeError(f"expected an {what} among {known}, found {printable(str(name))!r}")
        return names.index(name)

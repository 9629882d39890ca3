"""The mutable side of a model: time, coordinates, speeds, first-order states, inputs, current parameters."""

from __future__ import annotations

from dataclasses import dataclass

from ..codegen.callable import Array
from .parameters import Parameters


@dataclass(eq=False)
class State:
    """Everything about a model that changes.

    Attributes:
        t: time [s].
        q: coordinates [rad, m, or unit quaternions].
        v: speeds [rad/s, m/s].
        x: first-order states of laws and actuators.
        u: inputs.
        parameters: current values; assigning acts at once.
        mode: of a model with modes, the one it is in.
    """

    t: float
    q: Array
    v: Array
    x: Array
    u: Array
    parameters: Parameters
    mode: str | None = None

    def copy(self) -> State:
        """An independent state with the same contents."""
        return State(
            self.t, self.q.copy(), self.v.copy(), self.x.copy(), self.u.copy(), self.parameters.copy(), self.mode
        )

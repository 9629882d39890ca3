"""The model: a mechanism's functions as machine code, derived and compiled when first asked for.

A model is constant. What changes (time, coordinates, parameters, ...) lives in a :class:`State`, or is passed in.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..codegen.callable import Array, Compiled, batch_threads, compile_function
from ..errors import MechanismError, ShapeError
from ..mechanism import Mechanism
from .arguments import Dimensions, as_vector, lead_shape
from .equations import Equations
from .parameters import Parameters
from .state import State

if TYPE_CHECKING:
    from .recording import Recording

#: what callers may pass for coordinates and the like: numbers in order, or by name
Values = Sequence[float] | Array | Mapping[str, float]


class Energy(NamedTuple):
    """Kinetic and potential energy [J]."""

    kinetic: Any
    potential: Any

    @property
    def total(self) -> Any:
        """Their sum [J]."""
        return self.kinetic + self.potential


class Momentum(NamedTuple):
    """Linear momentum [kg m/s] and angular momentum about the world's origin [kg m²/s], in world axes."""

    linear: Array
    angular: Array


class Model:
    """A compiled mechanism.

    Every function takes arrays whose last dimension is nq, nv, ...; leading dimensions make a batch, which runs on
    vector lanes and all cores. ``x`` are first-order states, ``u`` inputs, ``t`` time [s]; they default to the
    description's initial values. ``parameters`` may be the current ones of a state, or a mapping of changes, whose
    values may be arrays: one entry for each item of the batch.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        problems = mechanism.check()
        if problems:
            more = f" (and {len(problems) - 1} more: see mechanism.check())" if len(problems) > 1 else ""
            raise MechanismError(f"{problems[0]}{more}")
        self.name = mechanism.name
        self.mechanism = mechanism
        self.equations = Equations(mechanism)
        tree = self.equations.tree
        self.coordinates: tuple[str, ...] = tuple(tree.coordinates)
        self.speeds: tuple[str, ...] = tuple(tree.speeds)
        self.states: tuple[str, ...] = tuple(mechanism.states)
        self.inputs: tuple[str, ...] = tuple(mechanism.inputs)
        self.parameters = Parameters(mechanism)
        self.dimensions = Dimensions.of(mechanism, tree)
        self._functions: dict[str, Compiled] = {}
        self._lock = threading.RLock()

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return len(self.speeds)

    def __repr__(self) -> str:
        return f"Model({self.name!r}: nq={self.nq}, nv={self.nv}, {len(self.parameters)} parameters)"

    # -- state -----------------------------------------------------------------------------------------------
    def state(
        self,
        q: Values | None = None,
        v: Values | None = None,
        x: Values | None = None,
        u: Values | None = None,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> State:
        """A state: what is not given is at rest in the reference position, with the description's own values."""
        d = self.dimensions
        return State(
            float(t),
            as_vector(q, "q", d.coordinates, d.q_default, d.balls),
            as_vector(v, "v", d.speeds, d.v_default),
            as_vector(x, "x", d.states, d.x_default),
            as_vector(u, "u", d.inputs, d.u_default),
            Parameters(self.mechanism, parameters),
        )

    # -- functions -------------------------------------------------------------------------------------------
    def function(self, name: str) -> Compiled:
        """A function by name (see :data:`touchweight.simulate.equations.FUNCTIONS`), compiled when first asked for."""
        found = self._functions.get(name)
        if found is None:
            with self._lock:
                found = self._functions.get(name)
                if found is None:
                    found = compile_function(self.equations.derive(name))
                    self._functions[name] = found
        return found

    def inverse(self, q: Any, v: Any, a: Any, **options: Any) -> Array:
        """Generalised forces [N m, N] that produce the accelerations ``a``, beyond the mechanism's own forces."""
        return self._call("inverse", {"q": q, "v": v, "a": a}, options)[0]

    def forward(self, q: Any, v: Any, tau: Any = None, **options: Any) -> Array:
        """Accelerations dv/dt under the generalised forces ``tau`` and the mechanism's own."""
        return self._call("forward", {"q": q, "v": v, "tau": tau}, options)[0]

    def mass_matrix(self, q: Any, **options: Any) -> Array:
        """M(q), shape (..., nv, nv)."""
        flat = self._call("mass_matrix", {"q": q}, options)[0]
        return flat.reshape(*flat.shape[:-1], self.nv, self.nv)

    def bias(self, q: Any, v: Any, **options: Any) -> Array:
        """c(q, v): the generalised forces that hold the speeds constant (gravity, centrifugal terms, own forces)."""
        return self._call("bias", {"q": q, "v": v}, options)[0]

    def jacobian(self, frame: str, q: Any, **options: Any) -> Array:
        """Jacobian of a frame or body, shape (..., 6, nv): velocity of its point, then angular velocity, world axes."""
        frame = getattr(frame, "name", frame)
        self.equations.find_frame(frame)
        flat = self._call(f"jacobian:{frame}", {"q": q}, options)[0]
        return flat.reshape(*flat.shape[:-1], 6, self.nv)

    def energy(self, q: Any, v: Any, **options: Any) -> Energy:
        """Kinetic and potential energy [J]."""
        both = self._call("energy", {"q": q, "v": v}, options)[0]
        return Energy(both[..., 0], both[..., 1])

    def momentum(self, q: Any, v: Any, **options: Any) -> Momentum:
        """Linear and angular momentum about the world's origin, in world axes."""
        six = self._call("momentum", {"q": q, "v": v}, options)[0]
        return Momentum(six[..., :3], six[..., 3:])

    def sensors(self, q: Any, v: Any = None, a: Any = None, **options: Any) -> dict[str, Array]:
        """The reading of every sensor by name; accelerations default to those of free motion."""
        if a is None and any("acceleration" in s.kind for s in self.mechanism.sensors.values()):
            a = self.forward(q, v, **options)
        flat = self._call("sensors", {"q": q, "v": v, "a": a}, options)[0]
        out: dict[str, Array] = {}
        at = 0
        for sensor in self.mechanism.sensors.values():
            n = len(sensor.channels)
            values = flat[..., at : at + n]
            out[sensor.name] = values.reshape(*values.shape[:-1], 3, 3) if sensor.kind == "orientation" else values
            at += n
        return out

    def _call(self, name: str, arguments: dict[str, Any], options: dict[str, Any]) -> list[Array]:
        """Evaluate a function on checked arguments, singly or as a batch."""
        known = {"x", "u", "t", "parameters", "threads"}
        unknown = set(options) - known
        if unknown:
            raise TypeError(f"expected options among {', '.join(sorted(known))}, found {', '.join(sorted(unknown))}")
        function = self.function(name)
        parameters = options.get("parameters")
        changes: Mapping[str, Any] | None = None
        base = self.parameters
        if isinstance(parameters, Parameters):
            base = parameters
        elif isinstance(parameters, State):
            base = parameters.parameters
        elif parameters is not None:
            changes = parameters
        given = {**arguments, **{k: options.get(k) for k in ("x", "u", "t")}}
        arrays = [self.dimensions.array(k, given[k]) for k in function.program.sizes_in]
        rows = base.rows(changes) if changes is not None else None
        if changes is not None and rows is None:
            base = base.copy()
            for key, value in changes.items():
                base[key] = value
        lead = lead_shape(arrays, list(function.program.sizes_in), None if rows is None else rows.shape[0])
        if not lead:
            return function.evaluate(base.table(function), arrays)
        count = int(np.prod(lead))
        flat = [_flat(a, lead) for a in arrays]
        threads = options.get("threads") or batch_threads(function.program, count)
        table = None if rows is not None else base.table(function)
        out = function.batch(table, rows, flat, count, threads) if count else [
            np.empty((0, n)) for n in function.program.sizes_out.values()
        ]
        return [o.reshape(*lead, o.shape[-1]) for o in out]

    # -- running -----------------------------------------------------------------------------------------------
    def simulate(self, duration: float, **options: Any) -> Recording:
        """Run the model for ``duration`` seconds; see :func:`touchweight.simulate.simulation.simulate`."""
        from .simulation import simulate

        return simulate(self, duration, **options)


def _flat(a: Array, lead: tuple[int, ...]) -> Array:
    """An array with its leading dimensions made one; a single item stays single (it is read again and again)."""
    if a.ndim == 1:
        return a[None, :]
    if a.ndim == 2 and (a.shape[0] == lead[0] and len(lead) == 1 or a.shape[0] == 1):
        return a
    full = np.broadcast_to(a, (*lead, a.shape[-1]))
    return np.ascontiguousarray(full).reshape(-1, a.shape[-1])


__all__ = ["Energy", "Model", "Momentum", "ShapeError", "Values"]

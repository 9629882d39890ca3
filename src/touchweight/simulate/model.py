"""The model: a mechanism's functions as machine code, derived and compiled when first asked for.

A model is constant. What changes (time, coordinates, parameters, ...) lives in a :class:`State`, or is passed
in.
"""

from __future__ import annotations

import copy
import functools
import math
import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..codegen.callable import Array, Compiled, batch_threads, compile_function
from ..errors import MechanismError, ShapeError, printable
from ..mechanism import Mechanism
from .arguments import Dimensions, as_time, as_vector, lead_shape, thread_count
from .bound import Bound
from .closed_calls import Solution, solve_closed
from .equations import Equations
from .loops import Loops
from .parameters import ParameterError, Parameters
from .state import State

if TYPE_CHECKING:
    from .analyses import Equilibrium, Linear, Modes, Sensitivity
    from .recording import Recording

#: what callers may pass for coordinates and the like: numbers in order, or by name
Values = Sequence[float] | Array | Mapping[str, float]

#: what every function takes besides its arguments
_OPTIONS = frozenset({"x", "u", "t", "parameters", "threads"})

_FLOAT = np.dtype(np.float64)


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

    Every function takes arrays whose last dimension is nq, nv, ...; leading dimensions make a batch, which
    runs on vector lanes and all cores. ``x`` are first-order states, ``u`` inputs, ``t`` time [s]; they
    default to the description's initial values. ``parameters`` may be a state or its parameters, or a mapping
    of changes, whose values may be arrays: one entry for each item of the batch. ``threads`` limits the cores
    a batch may use. ``independent`` names the speeds to keep independent where there are loops.

    A single evaluation costs 2 to 3 µs more than its arithmetic; :meth:`bind` brings that below half a
    microsecond.
    """

    def __init__(self, mechanism: Mechanism, independent: Sequence[str] | None = None) -> None:
        _refuse(mechanism)
        #: speeds that the user wants independent where there are loops; None leaves the choice to their condition
        self.independent = _named_speeds(mechanism, independent)
        # a copy: the description may go on changing, the model may not
        mechanism = copy.deepcopy(mechanism)
        self.name = mechanism.name
        self.mechanism = mechanism
        #: by mode; a mechanism without modes has one, called None
        self._equations = {mode: Equations(mechanism, mode) for mode in mechanism.modes or (None,)}
        self.equations = next(iter(self._equations.values()))
        tree = self.equations.tree
        self.coordinates: tuple[str, ...] = tuple(tree.coordinates)
        self.speeds: tuple[str, ...] = tuple(tree.speeds)
        self.states: tuple[str, ...] = tuple(mechanism.states)
        self.inputs: tuple[str, ...] = tuple(mechanism.inputs)
        #: default values; constant, as the model is
        self.parameters = Parameters(mechanism).freeze()
        self.dimensions = Dimensions.of(mechanism, tree)
        self._functions: dict[tuple[str | None, str], Compiled] = {}
        self._loops: dict[str | None, Loops] = {}
        self._lock = threading.RLock()
        #: for each thread, the bound functions behind plain calls
        self._here = threading.local()

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return len(self.speeds)

    @property
    def freedom(self) -> int:
        """Degrees of freedom: speeds that no loop, drive or lock decides (in the first mode)."""
        loops = self.loops()
        return len(loops.free) - len(loops.chosen.partition.rows)

    @functools.cached_property
    def reach(self) -> float:
        """A typical length of the mechanism [m]."""
        lengths = [abs(p.value) for p in self.mechanism.parameters.values() if p.symbol.kind == "length" and p.value]
        return float(np.median(lengths)) if lengths else 1.0

    def __repr__(self) -> str:
        return f"Model({self.name!r}: nq={self.nq}, nv={self.nv}, {len(self.parameters)} parameters)"

    # -- state ---------------------------------------------------------------------------------------------
    def state(
        self,
        q: Values | None = None,
        v: Values | None = None,
        x: Values | None = None,
        u: Values | None = None,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> State:
        """A state: what is not given is at rest in the reference position, with the description's values."""
        d = self.dimensions
        return State(
            as_time(t),
            as_vector(q, "q", d.coordinates, d.q_default, d.balls),
            as_vector(v, "v", d.speeds, d.v_default),
            as_vector(x, "x", d.states, d.x_default),
            as_vector(u, "u", d.inputs, d.u_default),
            self.parameters.copy(parameters),
            self.equations.mode,
        )

    # -- functions -----------------------------------------------------------------------------------------
    def function(self, name: str, mode: str | None = None) -> Compiled:
        """A function by name, as in :data:`.equations.FUNCTIONS`, compiled when first asked for."""
        mode = self.equations.mode if mode is None else mode
        found = self._functions.get((mode, name))
        if found is None:
            with self._lock:
                found = self._functions.get((mode, name))
                if found is None:
                    found = compile_function(self._equations[mode].derive(name))
                    self._functions[(mode, name)] = found
        return found

    # -- loops and drives ----------------------------------------------------------------------------------
    def loops(self, mode: str | None = None) -> Loops:
        """What restricts the motion (in a mode): rows of closure, partition, drives; empty for a plain tree."""
        mode = self.equations.mode if mode is None else mode
        if mode not in self._equations:
            known = ", ".join(printable(str(m), 40) for m in self._equations)
            raise MechanismError(f"expected a mode among {known}, found {printable(str(mode))!r}")
        with self._lock:
            found = self._loops.get(mode)
            if found is None:
                found = self._loops[mode] = Loops(self, self._equations[mode])
        return found

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the modes; empty when there is only one way to move."""
        return tuple(m for m in self._equations if m is not None)

    def inverse(self, q: Any, v: Any, a: Any, **options: Any) -> Array:
        """Generalised forces [N m, N] that produce the accelerations ``a``, beyond the mechanism's own."""
        return self._call("inverse", {"q": q, "v": v, "a": a}, options)

    def forward(self, q: Any, v: Any, tau: Any = None, **options: Any) -> Array:
        """Accelerations dv/dt under the generalised forces ``tau`` and the mechanism's own.

        Where there are loops or drives, the state is closed first and they hold; ``mode`` says which of them.
        """
        if self.loops(options.get("mode")):
            return self._closed({"q": q, "v": v, "tau": tau}, options).a
        options.pop("mode", None)
        return self._call("forward", {"q": q, "v": v, "tau": tau}, options)

    def loop_forces(self, q: Any, v: Any, tau: Any = None, **options: Any) -> dict[str, Array]:
        """The force of every row of a loop or constraint and of every drive (Q_d), by name [N or N m].

        Redundant rows take none: what they share with others is with the others.
        """
        found = self._closed({"q": q, "v": v, "tau": tau}, options)
        loops = self.loops(options.get("mode"))
        used = loops.chosen.partition.rows
        nothing = np.zeros(found.forces.shape[:-1])
        out = dict.fromkeys(loops.rows, nothing)
        for k, name in enumerate([*(loops.rows[i] for i in used), *loops.driven]):
            out[name] = found.forces[..., k]
        return out

    def reactions(self, q: Any, v: Any, a: Any = None, tau: Any = None, **options: Any) -> dict[str, Array]:
        """What every joint transmits to its child, by name, (..., 6): force [N] and torque [N m] in world axes.

        The torque is about the origin of the child's frame. Accelerations ``a`` default to those of the motion under
        ``tau``; loops push with the forces they have there. Welds (fixed joints) are included.
        """
        mode = options.get("mode")
        loops = self.loops(mode)
        found = self._closed({"q": q, "v": v, "tau": tau}, options)
        current, _ = self._current(options.get("parameters"))
        lead = found.a.shape[:-1]
        function = self.function("reactions", mode)
        given = {"q": found.q, "v": found.v, "a": found.a if a is None else self.dimensions.array("a", a)}
        arrays = [
            found.forces if k == "force" else given[k] if k in given else self.dimensions.array(k, options.get(k))
            for k in function.program.sizes_in
        ]
        count = math.prod(lead)
        table = current.table(function)
        flat = function.batch(table, None, [_flat(x, lead or (1,)) for x in arrays], count, 1)[0]
        six = flat.reshape(*lead, len(self.mechanism.joints), 6)
        return {name: six[..., k, :] for k, name in enumerate(loops.equations.mechanism.joints)}

    def _closed(self, arguments: dict[str, Any], options: dict[str, Any]) -> Solution:
        """The constrained equations at checked arguments, singly or as a batch."""
        unknown = sorted(set(options) - _OPTIONS - {"mode"})
        if unknown:
            raise TypeError(f"expected options among {', '.join(sorted(_OPTIONS))}, found {', '.join(unknown)}")
        current, rows = self._current(options.get("parameters"))
        if rows is not None:
            raise ShapeError(
                "expected one value for each parameter of a closed model, found arrays; call once for each"
            )
        names = ["q", "v", "tau", "x", "u", "t"]
        arrays = [self.dimensions.array(k, arguments[k] if k in arguments else options.get(k)) for k in names]
        lead = lead_shape(arrays, names, None)
        return solve_closed(self, current, options.get("mode"), arrays, lead)

    def mass_matrix(self, q: Any, **options: Any) -> Array:
        """M(q), shape (..., nv, nv)."""
        flat = self._call("mass_matrix", {"q": q}, options)
        return flat.reshape(*flat.shape[:-1], self.nv, self.nv)

    def bias(self, q: Any, v: Any, **options: Any) -> Array:
        """c(q, v): generalised forces that hold the speeds constant (gravity, centrifugal terms, laws)."""
        return self._call("bias", {"q": q, "v": v}, options)

    def jacobian(self, frame: str, q: Any, **options: Any) -> Array:
        """Jacobian of a frame or body, (..., 6, nv): velocity of its point, angular velocity, world axes."""
        frame = getattr(frame, "name", frame)
        self.equations.find_frame(frame)
        flat = self._call(f"jacobian:{frame}", {"q": q}, options)
        return flat.reshape(*flat.shape[:-1], 6, self.nv)

    def energy(self, q: Any, v: Any, **options: Any) -> Energy:
        """Kinetic and potential energy [J]."""
        both = self._call("energy", {"q": q, "v": v}, options)
        return Energy(both[..., 0][()], both[..., 1][()])

    def momentum(self, q: Any, v: Any, **options: Any) -> Momentum:
        """Linear and angular momentum about the world's origin, in world axes."""
        six = self._call("momentum", {"q": q, "v": v}, options)
        return Momentum(six[..., :3], six[..., 3:])

    def sensors(self, q: Any, v: Any = None, a: Any = None, **options: Any) -> dict[str, Array]:
        """The reading of every sensor by name; accelerations default to those of free motion."""
        if a is None and any("acceleration" in s.kind for s in self.mechanism.sensors.values()):
            a = self.forward(q, v, **options)
        flat = self._call("sensors", {"q": q, "v": v, "a": a}, options)
        out: dict[str, Array] = {}
        at = 0
        for sensor in self.mechanism.sensors.values():
            n = len(sensor.channels)
            values = flat[..., at : at + n]
            out[sensor.name] = values.reshape(*values.shape[:-1], 3, 3) if sensor.kind == "orientation" else values
            at += n
        return out

    def bind(self, name: str, *, parameters: Any = None, **values: Any) -> Bound:
        """A function with fixed arrays and no checks, for loops that must be quick.

        Args:
            name: as in :meth:`function`.
            parameters: a state or its parameters, or a mapping of changes.
            values: what the inputs (q, v, a, tau, x, u, t) hold to begin with.
        """
        if name in ("forward", "rates") and self.loops():
            raise ShapeError(f"expected a function of a closed model to bind, such as reduced or inverse, found {name}")
        current, rows = self._current(parameters)
        if rows is not None:
            raise ShapeError("expected one value for each parameter to bind, found arrays; bind once for each set")
        bound = Bound(self.function(name), current, {"M": (self.nv, self.nv), "J": (6, self.nv)})
        unknown = sorted(set(values) - set(bound.inputs))
        if unknown:
            raise ShapeError(f"expected inputs of {name} among {', '.join(bound.inputs)}, found {', '.join(unknown)}")
        for key, array in bound.inputs.items():
            given = self.dimensions.array(key, values.get(key))
            if given.shape != array.shape:
                raise ShapeError(
                    f"expected {key} of shape {array.shape} to bind, found {given.shape}; a batch cannot be bound"
                )
            array[:] = given
        return bound

    def _call(self, name: str, arguments: dict[str, Any], options: dict[str, Any]) -> Array:
        """The first output of a function on checked arguments, singly or as a batch."""
        current, rows = self._current(options.get("parameters"))
        if rows is None and (not options or tuple(options) == ("parameters",)):
            found = self._plain_call(name, arguments, current)
            if found is not None:
                return found
        unknown = sorted(set(options) - _OPTIONS)
        if unknown:
            raise TypeError(f"expected options among {', '.join(sorted(_OPTIONS))}, found {', '.join(unknown)}")
        function = self.function(name)
        names = list(function.program.sizes_in)
        arrays = [self.dimensions.array(k, arguments[k] if k in arguments else options.get(k)) for k in names]
        lead = lead_shape(arrays, names, None if rows is None else rows.shape[:-1])
        if not lead:
            return function.evaluate(current.table(function), arrays)[0]
        count = math.prod(lead)
        table = current.table(function) if rows is None else None
        own = None if rows is None else _flat(rows, lead)
        threads = thread_count(options.get("threads")) or batch_threads(function.program, count)
        out = function.batch(table, own, [_flat(a, lead) for a in arrays], count, threads)[0]
        return out.reshape(*lead, out.shape[-1])

    def _plain_call(self, name: str, arguments: dict[str, Any], current: Parameters) -> Array | None:
        """The usual call, vectors in and a vector out, at little cost; None where it is not that."""
        plain = vars(self._here).get(name)
        if plain is None:
            plain = vars(self._here)[name] = _Plain(self, name, arguments)
        plain.use(current)
        for (target, default), value in zip(plain.targets, arguments.values(), strict=True):
            if value is None:
                value = default
            elif type(value) is list:
                try:
                    value = np.array(value)
                except ValueError:
                    return None
            if type(value) is not np.ndarray or value.dtype is not _FLOAT or value.shape != target.shape:
                return None
            target[:] = value
        for start in self.dimensions.balls:
            w, x, y, z = plain.targets[0][0][start : start + 4].tolist()
            if not abs(w * w + x * x + y * y + z * z - 1.0) < 1e-6:
                return None
        plain.call()
        result: Array = plain.output.flatten()
        return result

    def _current(self, given: Any) -> tuple[Parameters, Array | None]:
        """The parameters of a call; and where every item of a batch has its own, these as rows."""
        if given is None:
            return self.parameters, None
        if isinstance(given, State):
            given = given.parameters
        if isinstance(given, Parameters):
            if not given.fits(self.parameters):
                raise ParameterError(
                    f"expected parameters of model {printable(self.name)!r}, found those of another; "
                    "take them from a state of it"
                )
            return given, None
        if not isinstance(given, Mapping):
            raise ParameterError(
                "expected parameters as a state, its parameters, or a mapping of names to numbers, "
                f"found {type(given).__name__}"
            )
        rows = self.parameters.rows(given)
        return (self.parameters, rows) if rows is not None else (self.parameters.copy(given), None)

    def equations_text(self, name: str) -> str:
        """The equations of a function as they are evaluated, one to a line, for people."""
        from ..codegen.export import equations_text

        labels = dict.fromkeys(("tau", "a", "c", "dv"), self.speeds)
        return equations_text(self.equations.derive(name), labels)

    # -- running -------------------------------------------------------------------------------------------
    def simulate(self, duration: float, **options: Any) -> Recording:
        """Run the model for ``duration`` seconds; see :func:`touchweight.simulate.simulation.simulate`."""
        from .simulation import simulate

        return simulate(self, duration, **options)

    # -- analyses ------------------------------------------------------------------------------------------
    def assemble(self, q: Values | None = None, **options: Any) -> State:
        """A state with all loops closed, near a guess; see :func:`.assembly.assemble`."""
        from .assembly import assemble

        return assemble(self, q, **options)

    def equilibrium(self, q: Values | None = None, **options: Any) -> Equilibrium:
        """A configuration in which nothing moves; see :func:`.analyses.equilibrium.equilibrium`."""
        from .analyses import equilibrium

        return equilibrium(self, q, **options)

    def linearise(self, state: State | None = None, **options: Any) -> Linear:
        """A, B, C, D about a state; see :func:`.analyses.linearise.linearise`."""
        from .analyses import linearise

        return linearise(self, state, **options)

    def vibrations(self, state: State | None = None, **options: Any) -> Modes:
        """Natural frequencies, damping ratios and shapes; see :func:`.analyses.modes.modes`."""
        from .analyses import modes

        return modes(self, state, **options)

    def kinematics(self, t: Any, drive: Mapping[str, Any], **options: Any) -> Recording:
        """The motion (and the forces) that driven coordinates make; see :func:`.analyses.kinematics.kinematics`."""
        from .analyses import kinematics

        return kinematics(self, t, drive, **options)

    def sensitivity(self, of: Any, by: Any = None, **options: Any) -> Sensitivity:
        """Derivatives of a quantity by parameters; see :func:`.analyses.sensitivity.sensitivity`."""
        from .analyses import sensitivity

        return sensitivity(self, of, by, **options)


class _Plain:
    """What the plain calls of one function in one thread work with."""

    __slots__ = ("bound", "call", "output", "targets", "version")

    def __init__(self, model: Model, name: str, arguments: Mapping[str, Any]) -> None:
        self.bound = model.bind(name)
        self.version = model.parameters.version
        self.call = self.bound.call
        #: where each argument goes, and what it is when it is not given
        self.targets = [(self.bound.inputs[k], model.dimensions.array(k, None)) for k in arguments]
        self.output = next(iter(self.bound.outputs.values()))

    def use(self, parameters: Parameters) -> None:
        """Work with these parameters as they are now."""
        if parameters is not self.bound.parameters or parameters.version != self.version:
            self.version = parameters.version
            self.bound.refresh(parameters)


def _refuse(mechanism: Mechanism) -> None:
    """Errors in the description stop here; what nature would not do is only told."""
    problems = mechanism.check()
    errors = [p for p in problems if p.severity == "error"]
    first = next(iter(errors or problems), None)
    if first is None:
        return
    rest = len(errors or problems) - 1
    told = f"{first} (and {rest} more: see mechanism.check())" if rest else str(first)
    if errors:
        raise MechanismError(told)
    warnings.warn(told, stacklevel=4)


def _named_speeds(mechanism: Mechanism, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Speeds that exist, or a sentence."""
    if names is None:
        return None
    for name in names:
        if name not in mechanism.speeds:
            known = ", ".join(printable(n, 40) for n in mechanism.speeds[:8])
            raise MechanismError(f"expected independent speeds among {known}, found {printable(str(name))!r}")
    return tuple(names)


def _flat(a: Array, lead: tuple[int, ...]) -> Array:
    """An array with its leading dimensions made one; a single item stays single, to be read repeatedly."""
    if a.ndim == 1:
        return a[None, :]
    if a.ndim == 2 and ((a.shape[0] == lead[0] and len(lead) == 1) or a.shape[0] == 1):
        return a
    full = np.broadcast_to(a, (*lead, a.shape[-1]))
    return np.ascontiguousarray(full).reshape(-1, a.shape[-1])


__all__ = ["Energy", "Model", "Momentum", "ShapeError", "Values"]

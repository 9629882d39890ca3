"""Sensitivity: how accelerations, an equilibrium, frequencies or the outcome of a run change with parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.callable import Array
from ...errors import ShapeError, printable
from ..recording import Recording
from ..state import State
from .balance import Balance
from .begin import AnalysisError, begin, closed_again, held_speeds
from .derivatives import Sensitivity, listed
from .differences import by_differences
from .eigen_slopes import eigen_slopes
from .equilibrium import equilibrium
from .labels import force_name, labels
from .modes import modes_at_rest
from .rest import least_step
from .tangent import Cause, Tangent

if TYPE_CHECKING:
    from ..model import Model

#: what the samples of a channel are reduced to
REDUCTIONS: dict[str, Callable[[Recording, str], float]] = {
    "end": lambda run, name: float(run[name][-1]),
    "highest": lambda run, name: float(np.max(run[name])),
    "lowest": lambda run, name: float(np.min(run[name])),
    "mean": lambda run, name: _mean(run[name], run.t),
}


def _mean(x: Array, t: Array) -> float:
    return float(np.sum(0.5 * (x[1:] + x[:-1]) * np.diff(t)) / (t[-1] - t[0])) if len(t) > 1 else float(x[0])


#: a full turn [rad]
TURN = 2.0 * np.pi

OF_MODES = ("frequency", "damping", "eigenvalue")


def sensitivity(
    model: Model,
    of: str | Callable[[Model, State], Any],
    by: Iterable[str] | str | None = None,
    *,
    state: State | None = None,
    hold: Iterable[str] = (),
    duration: float | None = None,
    step: float = 1e-3,
    options: Mapping[str, Any] | None = None,
    **where: Any,
) -> Sensitivity:
    """Derivatives of a quantity by parameters.

    While a parameter changes, what is given of a state stays: independent coordinates and speeds; the loops give the
    others. Derivatives of accelerations and equilibria are exact; the others come from differences of fourth order.

    Args:
        model: the model.
        of: ``acceleration`` at a state (and the forces there), ``equilibrium`` (coordinates and forces), ``frequency``,
            ``damping`` or ``eigenvalue`` of the modes about the equilibrium, or ``end``, ``highest``, ``lowest``,
            ``mean`` of a channel of a run. One entry: ``acceleration:hip``, ``frequency:1``, ``end:tip.z``. Or a
            function of the model and a state, whose parameters vary.
        by: names of parameters; all by default.
        state: at which state, or about which equilibrium, or where the run starts.
        hold: names of coordinates that stand still (for equilibria and modes).
        duration: of the run [s].
        step: of differences, beside the size of the parameter.
        options: of the run, as dt or method.
        where: q, v, x, inputs, mode, t, parameters, instead of a state.

    Returns:
        Values, derivatives, and relative derivatives.
    """
    names = _parameters(model, by)
    if callable(of):
        base = begin(model, state=state, **where)
        return _differences(model, base, names, step, lambda s: _numbered(of(model, s)))
    what, _, entry = str(of).partition(":")
    held = (hold,) if isinstance(hold, str) else tuple(hold)
    if what == "acceleration":
        found = _of_accelerations(model, begin(model, state=state, **where), names)
    elif what == "equilibrium":
        found = _of_equilibrium(model, equilibrium(model, state=state, hold=held, **where).state, names, held)
    elif what in OF_MODES:
        found = _of_modes(model, equilibrium(model, state=state, hold=held, **where).state, names, held, what, step)
    elif what in REDUCTIONS:
        base = begin(model, state=state, **where)
        return _of_run(model, what, entry, names, base, duration, step, options or {})
    else:
        known = ", ".join(("acceleration", "equilibrium", *OF_MODES, *REDUCTIONS))
        raise ShapeError(f"expected a sensitivity of {known} or of a function, found {printable(str(of), 60)!r}")
    return _only(found, entry, what)


def _parameters(model: Model, by: Iterable[str] | str | None) -> tuple[str, ...]:
    names = tuple(model.parameters) if by is None else (by,) if isinstance(by, str) else tuple(by)
    for name in names:
        model.parameters.spec(name)
    if not names:
        raise ShapeError("expected parameters to vary, found none; name some of the mechanism")
    return tuple(dict.fromkeys(names))


def _only(found: Sensitivity, entry: str, what: str) -> Sensitivity:
    if not entry:
        return found
    if entry not in found.of:
        raise ShapeError(f"expected {what} of {listed(found.of)}, found {printable(entry, 60)!r}")
    i = [found.of.index(entry)]
    return Sensitivity((entry,), found.by, found.values[i], found.parameters, found.matrix[i], found.error[i])


def _made(
    of: Sequence[str], names: Sequence[str], values: Any, state: State, matrix: Array, error: Array | None = None
) -> Sensitivity:
    given = np.array([state.parameters[n] for n in names])
    error = np.zeros_like(matrix) if error is None else error
    return Sensitivity(tuple(of), tuple(names), np.asarray(values, dtype=float), given, matrix, error)


# -- exact ---------------------------------------------------------------------------------------------------
def _of_accelerations(model: Model, state: State, names: Sequence[str]) -> Sensitivity:
    at = Balance(model, state)
    g = at.gradients(names)
    cause = Cause(
        len(names),
        drive=(g["P"], g["V"], g["W"]),
        closure=g["H"],
        rate=g["G"],
        drift=g["A"],
        balance=g["R"],
        lag=g["X"],
    )
    effect = Tangent(at).effect(cause)
    names_of = [*model.speeds, *(f"force.{at.loops.rows[i]}" for i in at.used)]
    names_of += _held_names(at)
    values = [*at.a, *at.force, *at.hold_force]
    return _made(names_of, names, values, state, np.vstack([effect.acceleration, effect.force, effect.hold_force]))


def _of_equilibrium(model: Model, state: State, names: Sequence[str], hold: Sequence[str]) -> Sensitivity:
    """Implicit differentiation of the balance of forces, of the loops and of the first-order states."""
    at = Balance(model, state, held_speeds(model, hold), still=True)
    s, g = at.slopes(), at.gradients(names)
    free, m, nx, count = at.free, len(at.used), len(state.x), len(names)
    n = len(free)
    moved = np.zeros((model.nv, count))
    moved[at.loops.driven_speeds] = g["P"]
    matrix = np.zeros((n + nx + m, n + nx + m))
    matrix[:n, :n], matrix[:n, n : n + nx] = s["K"][np.ix_(free, free)], s["E"][free]
    matrix[:n, n + nx :] = -at.jacobian[:, free].T
    matrix[n : n + nx, :n], matrix[n : n + nx, n : n + nx] = s["Xq"][:, free], s["Xx"]
    matrix[n + nx :, :n] = at.jacobian[:, free]
    right = -np.vstack(
        [
            (g["R"] + s["K"] @ moved)[free],
            g["X"] + s["Xq"] @ moved,
            g["H"] + at.jacobian @ moved,
        ]
    )
    found = np.column_stack([least_step(matrix, column, np.ones(len(matrix))) for column in right.T])
    moved[free] = found[:n]
    dx, force = found[n : n + nx], found[n + nx :]
    hold_force = (s["K"] @ moved + s["E"] @ dx + g["R"] - at.jacobian.T @ force)[at.held]
    turns = np.column_stack([at.loops.turn(state.q, e, state.parameters) for e in np.eye(model.nv)])
    names_of = [*model.coordinates, *model.states, *(f"force.{at.loops.rows[i]}" for i in at.used)]
    names_of += _held_names(at)
    values = [*state.q, *state.x, *at.force, *at.hold_force]
    return _made(names_of, names, values, state, np.vstack([turns @ moved, dx, force, hold_force]))


def _held_names(at: Balance) -> list[str]:
    along = labels(at.model)
    return [f"force.{force_name(along[k])}" for k in at.held]


# -- by differences ------------------------------------------------------------------------------------------
def _numbered(values: Any) -> dict[str, float]:
    """What a function returned, with names."""
    if isinstance(values, Mapping):
        return {str(k): float(x) for k, x in values.items()}
    flat = np.ravel(np.asarray(values, dtype=float))
    return {str(i + 1): float(x) for i, x in enumerate(flat)}


def _differences(
    model: Model, base: State, names: Sequence[str], step: float, value: Callable[[State], dict[str, float]]
) -> Sensitivity:
    now = value(base.copy())
    _, loose, _, independent = Balance(model, base, still=True).partition()

    def at(name: str, number: float) -> Array:
        state = base.copy()
        state.parameters[name] = number
        found = value(closed_again(model, state, loose, independent))
        return np.array([found[k] for k in now])

    middle = np.array(list(now.values()))
    columns = [by_differences(model, base.parameters, name, middle, at, step) for name in names]
    matrix, error = (np.column_stack([c[i] for c in columns]) for i in (0, 1))
    return _made(list(now), names, middle, base, matrix, error)


def _of_modes(
    model: Model, state: State, names: Sequence[str], hold: Sequence[str], what: str, step: float
) -> Sensitivity:
    """The matrix A changes with its equilibrium; its eigenvalues follow."""
    found = modes_at_rest(model, state, hold)
    numbered = {i + 1: m.eigenvalue for i, m in enumerate(found) if m.kind != "free"}
    now = found.linear

    def matrix(at: State) -> dict[str, float]:
        linear = modes_at_rest(model, equilibrium(model, state=at, hold=hold).state, hold).linear
        if linear.states != now.states:
            raise AnalysisError(
                "expected a partition that lasts while parameters change, found two; take a smaller step"
            )
        return {str(i): float(x) for i, x in enumerate(linear.A.ravel())}

    slopes = _differences(model, state, names, step, matrix)
    columns = []
    for k in range(len(names)):
        parts = (slopes.matrix[:, k].reshape(now.A.shape), slopes.error[:, k].reshape(now.A.shape))
        columns.append(eigen_slopes(now.A, *parts, list(numbered.values())))
    rates = np.array([c[0] for c in columns]).T.reshape(len(numbered), len(names))
    off = np.array([c[1] for c in columns]).T.reshape(len(numbered), len(names))
    z = np.array(list(numbered.values()), dtype=complex)[:, None]
    size = np.abs(z)
    growth = (z.conj() * rates).real / np.where(size > 0, size, 1.0)
    if what == "frequency":
        values, slope, scale = size[:, 0] / TURN, growth / TURN, 1.0 / TURN
    elif what == "damping":
        values, slope, scale = -z[:, 0].real / size[:, 0], -rates.real / size + z.real * growth / size**2, 1.0 / size
    else:
        of = [f"{i}.{part}" for i in numbered for part in ("real", "imag")]
        values = np.column_stack([z[:, 0].real, z[:, 0].imag]).ravel()
        both = np.stack([rates.real, rates.imag], axis=1).reshape(-1, len(names))
        return _made(of, names, values, state, both, np.repeat(off, 2, axis=0))
    return _made([str(i) for i in numbered], names, values, state, slope, off * scale)


def _of_run(
    model: Model,
    what: str,
    channel: str,
    names: Sequence[str],
    start: State,
    duration: float | None,
    step: float,
    options: Mapping[str, Any],
) -> Sensitivity:
    if duration is None or not channel:
        raise ShapeError(f"expected a channel and a duration, as in {what}:tip.z with duration=2.0, found less")

    def value(at: State) -> dict[str, float]:
        run = model.simulate(duration, state=at, progress=False, **options)
        return {channel: REDUCTIONS[what](run, channel)}

    return _differences(model, start, names, step, value)

"""Runs of the non-smooth method step by step, with what the core says about each step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchweight.mechanism import Body, Mechanism
from touchweight.simulate import Model
from touchweight.simulate.assembly import start
from touchweight.simulate.core import DONE, Core
from touchweight.simulate.engine import METHODS

Array = NDArray[np.float64]

G = 9.81

#: how far the contact problem of a step may be from its solution [sqrt J]
SOLVED = 1e-9
#: looks at the contact problem in one step, at most (twice that where there are loops)
LOOKS = 80


@dataclass
class Watched:
    """A run: states after every step by name, mean forces in every step by name."""

    model: Model
    t: Array
    q: dict[str, Array]
    v: dict[str, Array]
    force: dict[str, Array]
    residual: float
    looks: int
    parameters: Mapping[str, float] | None = None

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy after every step [J]."""
        q, v = (np.stack(list(x.values()), axis=1) for x in (self.q, self.v))
        total: Array = np.asarray(self.model.energy(q, v, parameters=self.parameters).total)
        return total


def watch(
    mechanism: Mechanism,
    duration: float,
    dt: float,
    q: Mapping[str, float] | None = None,
    v: Mapping[str, float] | None = None,
    *,
    theta: float = 0.5,
    parameters: Mapping[str, float] | None = None,
    model: Model | None = None,
    solved: float = SOLVED,
) -> Watched:
    """Run a mechanism with the method moreau; every step must be solved within bounded work."""
    model = model or mechanism.compile()
    state = model.state(q, v, parameters=parameters)  # type: ignore[arg-type]
    start(model, state, q, v)  # type: ignore[arg-type]
    core = Core(model, state.parameters, contacts=True)
    core.memory.theta = theta
    steps = round(duration / dt)
    y = np.concatenate([state.q, state.v, state.x])
    rows, forces, gap = np.empty((steps, len(y))), np.zeros((steps, len(core.force_names))), np.zeros(1)
    worst, looks = 0.0, 0
    for i in range(steps):
        core.record_forces(forces[i:])
        _, ended = core.integrate(METHODS["moreau"], i * dt, dt, 1, y, np.zeros(1), 0, 1, rows[i : i + 1], gap)
        assert ended == DONE
        worst = max(worst, float(core.memory.contact_residual))
        looks = max(looks, int(core.memory.contact_iterations))
    assert worst <= solved
    assert looks <= (2 * LOOKS if core.loops.rows else LOOKS)
    nq = model.nq
    return Watched(
        model,
        dt * np.arange(1, steps + 1),
        dict(zip(model.coordinates, rows[:, :nq].T, strict=True)),
        dict(zip(model.speeds, rows[:, nq : nq + model.nv].T, strict=True)),
        dict(zip(core.force_names, forces.T, strict=True)),
        worst,
        looks,
        parameters,
    )


def flat(
    m: Mechanism, name: str, mass: float, inertia: float, at: tuple[float, float] = (0.0, 0.0), **more: Any
) -> Body:
    """A body that moves in the plane y = 0: coordinates name.x, name.z, name.turn."""
    x, z = m.body(f"{name}.x"), m.body(f"{name}.z")
    body = m.body(name, mass=mass, inertia=(inertia,) * 3)
    m.prismatic(f"{name}.x", m.ground, x, axis="x", initial=[at[0]])
    m.prismatic(f"{name}.z", x, z, axis="z", initial=[at[1]])
    m.revolute(f"{name}.turn", z, body, axis="y", **more)
    return body


def flyer(m: Mechanism, name: str, mass: float, inertia: float, at: tuple[float, float, float]) -> Body:
    """A body that moves freely in space."""
    body = m.body(name, mass=mass, inertia=(inertia,) * 3)
    m.free(name, body, initial=(*at, 1, 0, 0, 0))
    return body

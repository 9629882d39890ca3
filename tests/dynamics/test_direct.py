"""Direct dynamics: the inverse of inverse dynamics, in either form."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Bench, PythonModel, relative
from mechanisms import MOVING, SEEDS, coordinate_rates, random_states, random_tree

from touchweight.codegen.program import make_program
from touchweight.dynamics.direct import FORMS, WAITING, accelerations, likely_forms
from touchweight.dynamics.forces import gather_forces
from touchweight.dynamics.frames import parallel_links, postures
from touchweight.dynamics.tree import build_tree
from touchweight.mechanism import Mechanism
from touchweight.symbolic import symbol


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_after_inverse_is_the_identity(seed: int) -> None:
    m = random_tree(seed).mechanism
    model = PythonModel(m)
    s = random_states(m, seed=seed)
    assert relative(model.forward(s.q, s.v, model.inverse(s.q, s.v, s.a)), s.a) < 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_after_forward_is_the_identity(seed: int) -> None:
    m = random_tree(seed, MOVING, bodies=5).mechanism
    model = PythonModel(m)
    s = random_states(m, seed=seed)
    assert relative(model.inverse(s.q, s.v, model.forward(s.q, s.v, s.tau)), s.tau) < 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_both_forms_agree_with_forces_inside(seed: int) -> None:
    m = random_tree(seed).mechanism
    bodies = list(m.bodies.values())
    m.spring("spring", bodies[0], bodies[-1], 30.0, 0.2, damping=1.5)
    m.force("push", bodies[-1], (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), axes="frame")
    m.joint_law("brake", m.speeds[-1], -2.0 * m.v(m.speeds[-1]))
    s = random_states(m, seed=seed)
    bench = Bench(m).at(s.q, s.v)
    tau = [symbol(f"tau{i}") for i in range(len(m.speeds))]
    found = [
        bench.numbers(
            accelerations(bench.tree, bench.where, tau, gather_forces(m, bench.tree, bench.where), form),
            dict(zip(tau, s.tau.T, strict=True)),
        )
        for form in FORMS
    ]
    assert relative(found[0], found[1]) < 1e-10
    # and the forces do act
    model = PythonModel(m)
    assert relative(model.forward(s.q, s.v, s.tau), found[0]) < 1e-10
    assert relative(model.forward(s.q, s.v, s.tau, parameters={"spring.stiffness": 0.0}), found[0]) > 1e-6


def chain(n: int, axes: str = "xyz") -> Mechanism:
    m = Mechanism()
    parent = m.ground
    for i in range(n):
        body = m.body(f"b{i}", 1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.2))
        m.revolute(f"j{i}", parent, body, axis=axes[i % len(axes)], origin=(0.0, 0.1, 0.3))
        parent = body
    return m


def test_the_form_is_chosen_by_the_shape_of_the_tree() -> None:
    """Short chains factorise, long ones are articulated; in between both are counted out."""
    choices = [tuple(likely_forms(build_tree(chain(n)))) for n in range(1, 40)]
    kinds = list(dict.fromkeys(choices))
    assert kinds == [("factorised",), FORMS, ("articulated",)]
    assert choices[0] == ("factorised",)


@pytest.mark.parametrize("n", [3, 8])
def test_the_shortest_of_the_likely_forms_is_taken(n: int) -> None:
    model = PythonModel(chain(n, "yyz"))
    equations = model.equations
    chosen = model.function("forward").program.operations.total
    tree = equations._short_tree()
    counts = []
    for carried in (frozenset(), parallel_links(tree)):
        for form in likely_forms(tree):
            for by_trace in (False, True):
                made = equations._forward(tree, postures(tree, carried), form, "forward", by_trace)
                count = make_program(made).operations.total
                counts.append((count * (WAITING if form == "articulated" else 1.0), count))
    assert chosen == min(counts)[1]


def test_the_rates_are_those_of_motion_without_drives() -> None:
    m = random_tree(2).mechanism
    model = PythonModel(m)
    s = random_states(m)
    inputs = [s.q, s.v, np.zeros((len(s.q), 0)), np.zeros((len(s.q), 0)), np.zeros((len(s.q), 1))]
    rates = model.function("rates")
    dq, dv, dx = rates.batch(rates.prepare(model.parameters.vector), None, inputs, len(s.q), 1)
    assert relative(dv, model.forward(s.q, s.v)) < 1e-13
    assert dx.shape == (len(s.q), 0)
    assert np.abs(dq - coordinate_rates(m, s.q, s.v)).max() < 1e-14

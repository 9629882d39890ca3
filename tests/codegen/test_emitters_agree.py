"""One program, three languages, the same numbers: C (also in lanes), Python (also on arrays) and Octave."""

import random

import numpy as np
import pytest
from emitted import Array, compiler, joined, octave
from machines import MACHINES, states
from recipes import INPUTS, function, outputs, points, reference, worst

from touchweight.codegen.callable import NativeFunction, PythonFunction
from touchweight.codegen.program import Program, make_program
from touchweight.mechanism import Mechanism
from touchweight.simulate.equations import TREE_FUNCTIONS, Equations

COUNT = 9
NAMES = [f for f in TREE_FUNCTIONS if f not in ("bias", "lags")]


@pytest.fixture(scope="module", params=list(MACHINES))
def machine(request) -> Mechanism:
    return MACHINES[request.param]()


@pytest.fixture(scope="module")
def programs(machine) -> dict[str, Program]:
    equations = Equations(machine)
    wanted = [n for n in NAMES if n != "sensors" or machine.sensors]
    return {n: equations.derive(n) for n in [*wanted, f"jacobian:{next(reversed(machine.bodies))}"]}


@pytest.fixture(scope="module")
def at(machine) -> dict[str, Array]:
    return states(machine, COUNT)


def arguments(program: Program, at: dict[str, Array]) -> list[Array]:
    return [at[k] for k in program.sizes_in]


def python(program: Program, p: Array, inputs: list[Array]) -> Array:
    f = PythonFunction(program)
    table = f.prepare(p)
    return np.array([joined(f.evaluate(table, [a[i] for a in inputs])) for i in range(COUNT)])


def scaled(found: Array, expected: Array) -> float:
    """Largest difference relative to its row: a zero among large numbers is rounded as they are."""
    size = np.maximum(1e-300, np.abs(expected).max(axis=1, keepdims=True, initial=0.0))
    return float(np.max(np.abs(found - expected) / size, initial=0.0))


@pytest.fixture(scope="module")
def bound(machine, programs, at) -> dict[str, float]:
    """How far apart the languages may be: accelerations lose what the mass matrix's condition takes."""
    p = np.array([x.value for x in machine.parameters.values()])
    m = python(programs["mass_matrix"], p, [at["q"]]).reshape(COUNT, len(machine.speeds), -1)
    condition = float(np.max(np.linalg.cond(m)))
    return {n: 1e-12 * (condition if n in ("forward", "rates") else 1.0) for n in programs}


def test_c_and_python(machine, programs, at, bound):
    p = np.array([x.value for x in machine.parameters.values()])
    for name, program in programs.items():
        inputs = arguments(program, at)
        expected = python(program, p, inputs)
        assert np.isfinite(expected).all()
        f = NativeFunction(program, compiler())
        table = f.prepare(p)
        single = np.array([joined(f.evaluate(table, [a[i] for a in inputs])) for i in range(COUNT)])
        assert scaled(single, expected) < bound[name], name


def test_lanes_and_arrays(machine, programs, at, bound):
    p = np.array([x.value for x in machine.parameters.values()])
    own = p * np.random.default_rng(1).uniform(0.9, 1.1, (COUNT, len(p)))
    for name in ("inverse", "forward"):
        program = programs[name]
        inputs = arguments(program, at)
        native, plain = NativeFunction(program, compiler()), PythonFunction(program)
        expected = python(program, p, inputs)
        for f in (native, plain):
            assert scaled(joined(f.batch(f.prepare(p), None, inputs, COUNT, 1)), expected) < bound[name]
        of_each = joined(plain.batch(None, own, inputs, COUNT, 1))
        assert scaled(joined(native.batch(None, own, inputs, COUNT, 1)), of_each) < 2 * bound[name]
        assert scaled(of_each, expected) > 1e-4  # other parameters, other numbers


def test_octave(machine, programs, at, bound, tmp_path):
    p = np.array([x.value for x in machine.parameters.values()])
    named = {n.replace(":", "_").split("_link")[0]: program for n, program in programs.items()}
    back = dict(zip(named, programs, strict=True))
    inputs = {n: arguments(program, at) for n, program in named.items()}
    found = octave(tmp_path, named, dict.fromkeys(named, p), inputs)
    for name, program in named.items():
        assert scaled(found[name], python(program, p, inputs[name])) < bound[back[name]], name


def test_octave_on_random_expressions(tmp_path):
    made = outputs(random.Random(8), 20)
    program = make_program(function(made))
    p, inputs = points(COUNT)
    found = octave(tmp_path, {"f": program}, {"f": p}, {"f": [inputs[k] for k in INPUTS]})["f"]
    assert worst(found, reference(made, p, inputs)) < 1e-11

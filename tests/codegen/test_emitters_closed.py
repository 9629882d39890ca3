"""The functions of closed mechanisms in C and in Python: the same numbers."""

import numpy as np
import pytest

from touchweight.codegen.callable import NativeFunction, PythonFunction
from touchweight.codegen.compiler import find_compiler
from touchweight.library.classics import andrews, four_bar, slider_crank
from touchweight.simulate.equations import CLOSED_FUNCTIONS

MACHINES = {"four-bar": four_bar.build, "slider-crank": slider_crank.build, "andrews": andrews.build}


@pytest.mark.parametrize("name", MACHINES)
def test_c_and_python(name):
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler here")
    model = MACHINES[name]().compile()
    assert model.loops().chosen.partition.rows
    draw = np.random.default_rng(3)
    for wanted in CLOSED_FUNCTIONS:
        program = model.equations.derive(wanted)
        if not any(program.sizes_out.values()):
            continue
        inputs = [draw.uniform(-0.4, 0.4, n) for n in program.sizes_in.values()]
        p = np.array([x.value for x in model.mechanism.parameters.values()])
        answers = []
        for make in (lambda x: NativeFunction(x, compiler), PythonFunction):
            f = make(program)
            answers.append(np.concatenate(f.evaluate(f.prepare(p), inputs)))
        size = np.max(np.abs(answers[1]))
        assert np.isfinite(size)
        assert np.max(np.abs(answers[0] - answers[1])) < 1e-10 * size, wanted

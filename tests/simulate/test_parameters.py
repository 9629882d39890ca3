"""Parameters by name: live, within bounds, and clear about what is not there."""

import numpy as np
import pytest
from apparatus import pendulum
from hypothesis import given
from hypothesis import strategies as st

from touchweight.codegen.callable import PythonFunction
from touchweight.mechanism import Mechanism
from touchweight.simulate import ParameterError, Parameters
from touchweight.simulate.equations import Equations


def machine() -> Mechanism:
    m = pendulum(damping=0.1)
    m.parameter("reach", 0.5, "m", minimum=0.1, maximum=2.0)
    m.parameter("bias", 0.0)
    m.joint_law("motor", "hip", lambda q, v, *, k, r: -k * q + r, k=2.0, r=0.0)
    return m


@pytest.fixture
def parameters() -> Parameters:
    return Parameters(machine())


def test_a_mapping_in_the_order_of_the_description(parameters):
    assert list(parameters) == list(machine().parameters)
    assert parameters.vector.tolist() == [p.value for p in machine().parameters.values()]
    assert len(parameters) == len(parameters.vector)
    assert parameters["arm.mass"] == 1.2 and "arm.mass" in parameters and "arm.colour" not in parameters
    assert parameters.get("arm.colour", 7.0) == 7.0


@given(st.floats(0.1, 2.0))
def test_what_is_set_is_read(value):
    parameters = Parameters(machine())
    parameters["reach"] = value
    assert parameters["reach"] == value


def test_values_given_at_the_start():
    assert Parameters(machine(), {"arm.mass": 3.0})["arm.mass"] == 3.0
    parameters = Parameters(machine())
    parameters.update({"arm.mass": 3.0, "reach": np.float32(1.0)})
    assert (parameters["arm.mass"], parameters["reach"]) == (3.0, 1.0)


def test_a_zero_that_was_declared_stays_live(parameters):
    parameters["bias"] = 1.0
    assert parameters["bias"] == 1.0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("reach", 3.0, r"expected 'reach' to be finite and between 0.1 and 2 m, found 3"),
        ("reach", 0.0, r"between 0.1 and 2 m, found 0"),
        ("reach", np.nan, "found nan"),
        ("reach", np.inf, "found inf"),
        ("arm.mass", -1e-9, r"between 0 and inf kg, found -1e-09"),
        ("reach", "long", "expected a number for 'reach', found 'long'"),
        ("reach", None, "expected a number for 'reach', found None"),
        ("reach", 1j, "expected a number"),
        ("reach", [1.0], r"expected one number for 'reach', found shape \(1,\)"),
        ("reach", [[1.0], [1.0, 2.0]], "expected a number for 'reach'"),
        (
            "arm.com.x",
            1.0,
            "'arm.com.x', which is zero in the description and so has left the equations; .*declare it live",
        ),
        ("hip.friction", 1.0, "which is zero in the description"),
        ("gravity.x", 1.0, "which is zero in the description"),
        ("arm.inertia.xy", 1.0, "which is zero in the description"),
        ("arn.mass", 1.0, r"expected a parameter of the mechanism, found 'arn.mass'; did you mean arm.mass"),
        ("arm.mas", 1.0, r"found 'arm.mas'; did you mean arm.mass"),
        ("xyz", 1.0, "found 'xyz'; there are gravity.z, arm.mass"),
        (3, 1.0, "found '3'; there are"),
        ("new\nline", 1.0, r"found 'new\\\\nline'"),
        ("n" * 10_000, 1.0, "…"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence_and_changes_nothing(parameters, name, value, message):
    before, version = parameters.vector.copy(), parameters.version
    with pytest.raises(ParameterError, match=message) as error:
        parameters[name] = value
    text = str(error.value)
    assert "\n" not in text and len(text) < 600
    assert (parameters.vector == before).all() and parameters.version == version


def test_reading_what_is_not_there(parameters):
    with pytest.raises(ParameterError, match=r"did you mean arm\.mass"):
        parameters["arm.maas"]
    with pytest.raises(KeyError):
        parameters["arm.maas"]
    with pytest.raises(ParameterError, match="expected parameters to stay"):
        del parameters["arm.mass"]


def test_the_vector_is_to_be_read(parameters):
    with pytest.raises(ValueError, match="read-only"):
        parameters.vector[0] = 1.0
    view = parameters.vector
    parameters["arm.mass"] = 9.0
    assert 9.0 in view


def test_spec(parameters):
    spec = parameters.spec("reach")
    assert (spec.unit, spec.minimum, spec.maximum) == ("m", 0.1, 2.0)
    with pytest.raises(ParameterError):
        parameters.spec("rich")


def test_a_copy_goes_its_own_way(parameters):
    other = parameters.copy({"reach": 1.5})
    other["arm.mass"] = 3.0
    assert (parameters["reach"], parameters["arm.mass"]) == (0.5, 1.2)
    assert (other["reach"], other["arm.mass"]) == (1.5, 3.0)
    assert parameters.fits(other) and parameters.fits(Parameters(machine()))
    assert not parameters.fits(Parameters(pendulum()))


def test_frozen_ones_refuse_and_their_copies_do_not(parameters):
    frozen = parameters.freeze()
    with pytest.raises(ParameterError, match="expected the parameters of a model to stay as they are"):
        frozen["arm.mass"] = 3.0
    free = frozen.copy()
    free["arm.mass"] = 3.0
    assert (free["arm.mass"], frozen["arm.mass"]) == (3.0, 1.2)


def test_tables_are_prepared_when_something_has_changed_and_only_then(parameters, monkeypatch):
    function = PythonFunction(Equations(machine()).derive("forward"))
    calls = []
    prepare = function.prepare
    monkeypatch.setattr(function, "prepare", lambda p: calls.append(1) or prepare(p))
    first = parameters.table(function)
    assert parameters.table(function) is first and len(calls) == 1
    parameters["arm.mass"] = 1.2  # the same
    assert parameters.table(function) is first and len(calls) == 1
    copy = parameters.copy()
    assert copy.table(function) is first, "the same values serve a copy too"
    parameters["arm.mass"] = 2.0
    second = parameters.table(function)
    assert len(calls) == 2 and not (second == first).all()
    assert copy.table(function) is first
    copy["arm.mass"] = 2.0
    assert (copy.table(function) == second).all()


def test_rows_for_a_batch(parameters):
    assert parameters.rows({}) is None
    assert parameters.rows({"arm.mass": 2.0, "reach": np.float64(1.0)}) is None
    rows = parameters.rows({"arm.mass": [1.0, 2.0, 3.0], "reach": 0.7})
    names = list(parameters)
    assert rows.shape == (3, len(names))
    assert rows[:, names.index("arm.mass")].tolist() == [1.0, 2.0, 3.0]
    assert (rows[:, names.index("reach")] == 0.7).all()
    others = [i for i, n in enumerate(names) if n not in ("arm.mass", "reach")]
    assert (rows[:, others] == parameters.vector[others]).all()
    grid = parameters.rows({"arm.mass": np.ones((2, 1)), "reach": np.ones(3)})
    assert grid.shape == (2, 3, len(names))
    assert parameters.rows({"arm.mass": []}).shape == (0, len(names))


def test_rows_are_checked(parameters):
    with pytest.raises(ParameterError, match=r"between 0.1 and 2 m, found 5"):
        parameters.rows({"reach": [1.0, 5.0]})
    with pytest.raises(ParameterError, match=r"shapes agree, found arm.mass \(2,\), reach \(3,\)"):
        parameters.rows({"arm.mass": [1, 2], "reach": [1, 1, 1]})


def test_repr_is_short(parameters):
    assert repr(parameters).startswith("Parameters(gravity.z=-9.81, arm.mass=1.2")
    assert "\n" not in repr(parameters) and len(repr(parameters)) < 400

"""Bound functions: the same numbers from fixed arrays, without checks."""

import numpy as np
import pytest
from apparatus import INERTIA, TORQUE, oscillator, pendulum, tilted, top, weld

import touchweight as tw
from touchweight.simulate import Bound, Model


@pytest.fixture(scope="module")
def ball() -> Model:
    return top().compile()


@pytest.fixture(scope="module")
def model() -> Model:
    return pendulum().compile()


def test_it_gives_what_the_model_gives(ball):
    fast = ball.bind("forward")
    draw = np.random.default_rng(1)
    for _ in range(20):
        q = draw.normal(size=4)
        fast.q[:] = q / np.linalg.norm(q)
        fast.v[:], fast.tau[:] = draw.normal(size=(2, 3))
        fast.call()
        assert (fast.a == ball.forward(fast.q.copy(), fast.v.copy(), fast.tau.copy())).all()


@pytest.mark.parametrize(
    ("name", "output", "shape"),
    [
        ("inverse", "tau", (3,)),
        ("mass_matrix", "M", (3, 3)),
        ("bias", "c", (3,)),
        ("jacobian:disc", "J", (6, 3)),
        ("energy", "energy", (2,)),
        ("rates", "dq", (4,)),
    ],
)
def test_every_function(ball, name, output, shape):
    fast = ball.bind(name, q=tilted(0.3))
    fast.call()
    found = getattr(fast, output)
    assert found.shape == shape and fast.outputs[output] is found
    if name == "mass_matrix":
        assert found == pytest.approx(ball.mass_matrix(tilted(0.3)), rel=1e-15)
    if name.startswith("jacobian"):
        assert found == pytest.approx(ball.jacobian("disc", tilted(0.3)), rel=1e-15)


def test_inputs_start_as_given_and_by_default():
    spring = oscillator().compile()
    fast = spring.bind("forward", q={"slide": 0.5}, u=[4.0], t=2.0)
    assert (fast.q[0], fast.v[0], fast.x[0], fast.u[0], fast.t[0]) == (0.5, 0.0, 0.5, 4.0, 2.0)
    fast.call()
    assert fast.a == pytest.approx([(4.0 - 8.0 * 0.5) / 2.0], abs=1e-15)
    assert list(fast.inputs) == ["q", "v", "tau", "x", "u", "t"] and list(fast.outputs) == ["a", "dx"]


def test_arrays_stay_the_same_objects(model):
    fast = model.bind("forward")
    a, q = fast.a, fast.q
    for angle in (0.1, 0.2):
        q[0] = angle
        fast.call()
        assert a[0] == pytest.approx(-TORQUE * np.sin(angle) / INERTIA)
    assert fast.a is a and fast.q is q


def test_parameters_are_read_again_on_request(model):
    state = model.state()
    fast = model.bind("forward", q=[0.3], parameters=state)
    fast.call()
    before = fast.a[0]
    state.parameters["arm.mass"] = 2.4
    fast.call()
    assert fast.a[0] == before
    fast.refresh()
    fast.call()
    assert fast.a[0] == model.forward([0.3], [0.0], parameters=state)[0] != before
    changed = model.bind("forward", q=[0.3], parameters={"arm.mass": 2.4})
    changed.call()
    assert changed.a[0] == fast.a[0]
    assert model.forward([0.3], [0.0])[0] == before


def test_two_of_them_are_independent(model):
    a, b = model.bind("forward", q=[0.1]), model.bind("forward", q=[0.2])
    a.call()
    b.call()
    assert a.a[0] != b.a[0]
    a.call()
    assert a.a[0] == pytest.approx(-TORQUE * np.sin(0.1) / INERTIA)


def test_it_may_outlive_its_model():
    fast = pendulum().compile().bind("forward", q=[0.3])
    fast.call()
    assert fast.a[0] == pytest.approx(-TORQUE * np.sin(0.3) / INERTIA)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda m: m.bind("forward", a=[0.1]),
            tw.ShapeError,
            "expected inputs of forward among q, v, tau, x, u, t, found a",
        ),
        (
            lambda m: m.bind("forward", q=[[0.1], [0.2]]),
            tw.ShapeError,
            r"expected q of shape \(1,\) to bind, found \(2, 1\)",
        ),
        (lambda m: m.bind("forward", t=[0.1, 0.2]), tw.ShapeError, "expected t of shape"),
        (
            lambda m: m.bind("forward", parameters={"arm.mass": [1.0, 2.0]}),
            tw.ShapeError,
            "expected one value for each parameter",
        ),
        (lambda m: m.bind("dance"), tw.MechanismError, "expected a function among"),
        (
            lambda m: setattr(m.bind("forward"), "q", [0.2]),
            tw.ShapeError,
            r"expected q to be written into, found an assignment; write .q\[:\]",
        ),
        (
            lambda m: setattr(m.bind("forward"), "w", 1),
            AttributeError,
            "expected an input among q, v, tau, x, u, t, found 'w'",
        ),
        (
            lambda m: m.bind("forward").w,
            AttributeError,
            "expected an array among q, v, tau, x, u, t, a, dx, found 'w'",
        ),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(model, call, kind, message):
    with pytest.raises(kind, match=message) as error:
        call(model)
    assert "\n" not in str(error.value)


def test_repr(model):
    assert repr(model.bind("forward")) == "Bound('forward': q, v, tau, x, u, t -> a, dx)"
    assert isinstance(model.bind("forward"), Bound)


def test_one_that_was_never_made_says_so():
    with pytest.raises(AttributeError):
        _ = Bound.__new__(Bound).inputs


def test_other_parameters_from_now_on(model):
    fast = model.bind("forward", q=[0.3])
    heavy = model.parameters.copy({"arm.mass": 2.4})
    fast.refresh(heavy)
    fast.call()
    assert fast.a == model.forward([0.3], [0.0], parameters=heavy)
    assert fast.parameters is heavy


def test_without_a_compiler(monkeypatch):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    fast = pendulum().compile().bind("forward", q=[0.3])
    fast.call()
    assert fast.a[0] == pytest.approx(-TORQUE * np.sin(0.3) / INERTIA)


def test_without_freedom():
    fast = weld().compile().bind("forward")
    fast.call()
    assert fast.a.shape == (0,)

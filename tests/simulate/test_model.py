"""A model's functions: shapes, names, batches, parameters, errors; and that it stays as it is."""

import sys
import threading
import time

import numpy as np
import pytest
from apparatus import INERTIA, TORQUE, oscillator, pendulum, tilted, top, weld

import touchweight as tw
from touchweight.codegen.c import emit_unit
from touchweight.codegen.callable import PythonFunction
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model, ParameterError
from touchweight.simulate.equations import Equations


@pytest.fixture(scope="module")
def model() -> Model:
    return pendulum().compile()


@pytest.fixture(scope="module")
def spring() -> Model:
    return oscillator().compile()


@pytest.fixture(scope="module")
def ball() -> Model:
    return top().compile()


# -- numbers -----------------------------------------------------------------------------------------------


def test_the_pendulum_s_own_formula(model):
    assert model.forward([0.3], [0.7], [0.2]) == pytest.approx([(0.2 - TORQUE * np.sin(0.3)) / INERTIA], rel=1e-14)
    assert model.inverse([0.3], [0.7], [1.5]) == pytest.approx([INERTIA * 1.5 + TORQUE * np.sin(0.3)], rel=1e-14)
    assert model.mass_matrix([0.3]) == pytest.approx(np.array([[INERTIA]]), rel=1e-14)
    assert model.bias([0.3], [0.7]) == pytest.approx([TORQUE * np.sin(0.3)], rel=1e-14)
    energy = model.energy([0.3], [0.7])
    assert energy.kinetic == pytest.approx(0.5 * INERTIA * 0.49, rel=1e-14)
    assert energy.total - energy.kinetic == pytest.approx(energy.potential)
    assert model.momentum([0.0], [1.0]).linear == pytest.approx([-1.2 * 0.4, 0, 0])
    assert model.jacobian("arm", [0.3]) == pytest.approx(np.array([[0, 0, 0, 0, 1, 0]]).T)


def test_single_numbers_come_as_numbers(model):
    energy = model.energy([0.3], [0.7])
    assert isinstance(energy.kinetic, float) and isinstance(energy.total, float)


def test_forward_and_inverse_are_each_other_s_inverse(ball):
    draw = np.random.default_rng(1)
    q = draw.normal(size=(20, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    v, tau = draw.normal(size=(2, 20, 3))
    assert ball.inverse(q, v, ball.forward(q, v, tau)) == pytest.approx(tau, rel=1e-11, abs=1e-12)


# -- shapes and names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (2, 1, 3), (0,), (2, 0)])
def test_leading_dimensions_are_kept(ball, lead):
    q = np.broadcast_to(tilted(0.4), (*lead, 4))
    v = np.ones((*lead, 3))
    assert ball.forward(q, v).shape == (*lead, 3)
    assert ball.inverse(q, v, v).shape == (*lead, 3)
    assert ball.bias(q, v).shape == (*lead, 3)
    assert ball.mass_matrix(q).shape == (*lead, 3, 3)
    assert ball.jacobian("disc", q).shape == (*lead, 6, 3)
    assert np.shape(ball.energy(q, v).kinetic) == lead
    momentum = ball.momentum(q, v)
    assert momentum.linear.shape == momentum.angular.shape == (*lead, 3)


def test_a_batch_is_its_items(ball):
    draw = np.random.default_rng(3)
    q = draw.normal(size=(2, 3, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    v, tau = draw.normal(size=(2, 2, 3, 3))
    found = ball.forward(q, v, tau)
    for i in range(2):
        for j in range(3):
            assert found[i, j] == pytest.approx(ball.forward(q[i, j], v[i, j], tau[i, j]), rel=1e-12)


def test_leading_dimensions_broadcast(ball):
    q, v = np.broadcast_to(tilted(0.4), (3, 1, 4)), np.arange(12.0).reshape(4, 3)
    found = ball.forward(q, v)
    assert found.shape == (3, 4, 3)
    assert found[1, 2] == pytest.approx(ball.forward(tilted(0.4), v[2]), rel=1e-12)


@pytest.mark.parametrize(
    "q",
    [
        0.3,
        [0.3],
        (0.3,),
        np.array([0.3]),
        np.float64(0.3),
        {"hip": 0.3},
        np.array([0.3, 9.0])[:1],
        [np.float32(0.3)],
        np.array([0.3], dtype=">f8"),
        np.array([[0.3, 0.0]])[0, ::2],
        np.array([0.3], dtype=np.longdouble),
    ],
    ids=str,
)
def test_any_way_to_say_a_vector(model, q):
    assert model.forward(q, [0.0]) == pytest.approx(model.forward([0.3], [0.0]), rel=1e-6)
    assert model.forward(q, [0.0]).shape == (1,)


def test_whole_numbers_and_single_precision(model):
    assert model.forward([1], [2], [3]) == pytest.approx(model.forward([1.0], [2.0], [3.0]), rel=1e-15)
    single = np.linspace(0, 1, 9, dtype=np.float32)[:, None]
    assert (model.forward(single, [0.0]) == model.forward(single.astype(float), [0.0])).all()


def test_what_lies_oddly_in_memory(model):
    record = np.zeros(9, dtype=[("flag", "i1"), ("q", "f8")])
    record["q"] = np.linspace(0, 1, 9)
    odd = record["q"][:, None]
    assert not odd.flags.aligned or odd.strides[0] % 8
    plain = model.forward(np.linspace(0, 1, 9)[:, None], [0.0])
    assert model.forward(odd, [0.0]) == pytest.approx(plain)
    assert model.forward(odd[::-1], [0.0]) == pytest.approx(plain[::-1])
    assert model.forward(odd[3], [0.0]) == pytest.approx(plain[3])


def test_arguments_are_left_alone_and_results_are_new(model):
    q, v = np.array([0.3]), np.array([0.1])
    first = model.forward(q, v)
    kept = first.copy()
    model.forward(q + 1.0, v)
    assert (first == kept).all() and q[0] == 0.3 and v[0] == 0.1
    first[:] = 0.0
    assert (model.forward(q, v) == kept).all()


def test_defaults_are_the_description_s(spring):
    assert spring.forward([0.0], [0.0]) == pytest.approx([0.0])
    assert spring.forward([0.0], [0.0], u=[4.0]) == pytest.approx([2.0])
    assert spring.forward([0.0], [0.0], u={"push": 4.0}) == pytest.approx([2.0])
    assert spring.forward([0.0], [0.0]) == pytest.approx([0.0]), "an option stays with its call"
    assert spring.forward([0.0], None) == spring.forward([0.0], [0.0])
    state = spring.state()
    assert state.x.tolist() == [0.5] and state.q.tolist() == [0.0]


def test_sensors_by_name(spring):
    found = spring.sensors([0.5], [0.0])
    assert set(found) == {"eye", "gauge"}
    assert found["eye"] == pytest.approx([0.5, 0, 0])
    assert found["gauge"] == pytest.approx([-8.0 * 0.5 / 2.0, 0, 0]), "in free motion"
    assert spring.sensors([0.5], [0.0], [1.25])["gauge"] == pytest.approx([1.25, 0, 0])
    assert spring.sensors(np.zeros((4, 1)))["eye"].shape == (4, 3)


def test_names(spring, ball):
    assert spring.coordinates == ("slide",) and spring.states == ("follower",) and spring.inputs == ("push",)
    assert ball.coordinates == ("tip.qw", "tip.qx", "tip.qy", "tip.qz")
    assert ball.speeds == ("tip.wx", "tip.wy", "tip.wz")
    assert (ball.nq, ball.nv) == (4, 3)
    assert repr(ball) == f"Model('top': nq=4, nv=3, {len(ball.parameters)} parameters)"


# -- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda m: m.forward([0.1, 0.2], [0.0]),
            tw.ShapeError,
            r"expected q of shape \(..., 1\) for model 'pendulum', found \(2,\); its entries are hip",
        ),
        (
            lambda m: m.forward([0.1], [[0.0, 1.0]]),
            tw.ShapeError,
            r"expected v of shape \(..., 1\).*found \(1, 2\)",
        ),
        (lambda m: m.forward([], [0.0]), tw.ShapeError, r"found \(0,\)"),
        (lambda m: m.forward(["a"], [0.0]), tw.ShapeError, r"expected real numbers for q, found \['a'\]"),
        (lambda m: m.forward("0.1", [0.0]), tw.ShapeError, "expected real numbers for q"),
        (lambda m: m.forward([1j], [0.0]), tw.ShapeError, "expected real numbers for q"),
        (lambda m: m.forward(np.array([1j]), [0.0]), tw.ShapeError, "expected real numbers for q"),
        (lambda m: m.forward([None], [0.0]), tw.ShapeError, "expected real numbers for q"),
        (lambda m: m.forward([[0.1], [0.1, 0.2]], [0.0]), tw.ShapeError, "expected real numbers for q"),
        (
            lambda m: m.forward({"hop": 0.1}, [0.0]),
            tw.ShapeError,
            r"expected names of q, found 'hop'; did you mean hip\?",
        ),
        (lambda m: m.forward({"elbow": 0.1}, [0.0]), tw.ShapeError, "found 'elbow'; there are hip"),
        (
            lambda m: m.forward({"hip": [0.1, 0.2]}, [0.0]),
            tw.ShapeError,
            r"expected one number for q\['hip'\], found shape \(2,\)",
        ),
        (
            lambda m: m.forward(np.zeros((2, 1)), np.zeros((3, 1))),
            tw.ShapeError,
            r"leading \(batch\) dimensions that agree, found q \(2,\), v \(3,\)",
        ),
        (lambda m: m.forward([0.1], [0.0], t="noon"), tw.ShapeError, "expected real numbers for t"),
        (
            lambda m: m.forward([0.1], [0.0], x=[1.0]),
            tw.ShapeError,
            r"expected x of shape \(..., 0\).*entries are none",
        ),
        (
            lambda m: m.forward([0.1], [0.0], colour="red"),
            TypeError,
            "expected options among parameters, t, threads, u, x, found colour",
        ),
        (
            lambda m: m.forward(np.zeros((9, 1)), [0.0], threads=0),
            tw.ShapeError,
            "expected threads as a whole number, at least 1, found 0",
        ),
        (
            lambda m: m.forward([0.1], [0.0], parameters=5),
            ParameterError,
            "expected parameters as a state, .* found int",
        ),
        (
            lambda m: m.forward([0.1], [0.0], parameters={"arm.mass": "heavy"}),
            ParameterError,
            "expected a number for 'arm.mass'",
        ),
        (
            lambda m: m.forward([0.1], [0.0], parameters={"arm.mass": [1.0, "b"]}),
            ParameterError,
            "expected a number for 'arm.mass'",
        ),
        (
            lambda m: m.forward([0.1], [0.0], parameters={"arm.mass": -1.0}),
            ParameterError,
            "between 0 and inf kg, found -1",
        ),
        (
            lambda m: m.forward([0.1], [0.0], parameters={"arm.mass": [1.0, np.nan]}),
            ParameterError,
            "finite.*found nan",
        ),
        (
            lambda m: m.forward([0.1], [0.0], parameters={"arm.mass": np.ones(2), "arm.com.z": np.ones(3)}),
            ParameterError,
            "shapes agree, found arm.mass .2,., arm.com.z .3,.",
        ),
        (
            lambda m: m.forward(np.zeros((2, 1)), [0.0], parameters={"arm.mass": np.ones(3)}),
            tw.ShapeError,
            r"q \(2,\), parameters \(3,\)",
        ),
        (
            lambda m: m.jacobian("elbow", [0.1]),
            tw.MechanismError,
            "expected a frame or body of the mechanism, found 'elbow'",
        ),
        (lambda m: m.function("dance"), tw.MechanismError, "expected a function among inverse, forward"),
        (lambda m: m.state(t="noon"), tw.ShapeError, "expected real numbers for t"),
        (lambda m: m.state(t=np.inf), tw.ShapeError, "expected a time t"),
        (lambda m: m.state(q=[np.nan]), tw.ShapeError, "expected finite numbers for q, found nan"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(model, call, kind, message):
    with pytest.raises(kind, match=message) as error:
        call(model)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "q", [[1.0, 1.0, 0.0, 0.0], [0.0] * 4, {"tip.qx": 1.0}, np.array([[1, 0, 0, 0], [2.0, 0, 0, 0]])]
)
def test_quaternions_must_have_unit_length(ball, q):
    with pytest.raises(
        tw.ShapeError, match=r"expected a unit quaternion at q\[0:4\] \(tip.qw, …\), found one of length"
    ):
        ball.forward(q, [0.0] * 3)
    with pytest.raises(tw.ShapeError):
        ball.bind("forward", q=q)


def test_errors_in_the_description_stop_it():
    m = Mechanism("broken")
    m.body("loose", mass=1.0)
    with pytest.raises(tw.MechanismError):
        m.compile()


def test_what_nature_would_not_do_is_told_and_compiled():
    m = Mechanism("odd")
    body = m.body("plate", mass=1.0, inertia=(1.0, 1.0, 5.0))  # 5 > 1 + 1
    m.revolute("pin", m.ground, body, axis="x")
    with pytest.warns(UserWarning, match="plate"):
        model = m.compile()
    assert model.mass_matrix([0.0]) == pytest.approx(np.array([[1.0]]))


# -- parameters --------------------------------------------------------------------------------------------


def test_a_state_s_parameters_act_at_once(model):
    state = model.state()
    before = model.forward([0.3], [0.0], parameters=state)
    state.parameters["arm.mass"] = 2.4
    after = model.forward([0.3], [0.0], parameters=state)
    assert after == pytest.approx([-2 * TORQUE * np.sin(0.3) / (0.07 + 2.4 * 0.16)])
    assert after == model.forward([0.3], [0.0], parameters=state.parameters)
    assert after == model.forward([0.3], [0.0], parameters={"arm.mass": 2.4})
    state.parameters["arm.mass"] = 1.2
    assert model.forward([0.3], [0.0], parameters=state) == before


def test_every_item_may_have_its_own(model):
    masses = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = model.forward([0.3], [0.0], parameters={"arm.mass": masses, "arm.inertia.yy": 0.1})
    expected = -masses * 9.81 * 0.4 * np.sin(0.3) / (0.1 + masses * 0.16)
    assert found[..., 0] == pytest.approx(expected, rel=1e-13)
    q = np.linspace(0.1, 0.6, 6).reshape(2, 3, 1)
    grid = model.forward(q, [0.0], parameters={"arm.mass": masses[0]})
    assert grid.shape == (2, 3, 1)
    assert grid[1, 2] == pytest.approx(model.forward(q[1, 2], [0.0], parameters={"arm.mass": 3.0}))


def test_the_model_s_own_parameters_are_constant(model):
    with pytest.raises(ParameterError, match=r"expected the parameters of a model to stay.*change those of a state"):
        model.parameters["arm.mass"] = 5.0
    assert model.parameters["arm.mass"] == 1.2
    with pytest.raises(ValueError, match="read-only"):
        model.parameters.vector[0] = 5.0


def test_parameters_of_another_model_are_refused(model, spring):
    for other in (spring.state(), spring.parameters):
        with pytest.raises(ParameterError, match="expected parameters of model 'pendulum', found those of another"):
            model.forward([0.1], [0.0], parameters=other)
    again = pendulum().compile()
    assert model.forward([0.1], [0.0], parameters=again.state()) == model.forward([0.1], [0.0])


def test_zeros_are_structural_and_say_so(model):
    with pytest.raises(ParameterError, match=r"'arm.com.x', which is zero in the description.*mechanism.parameter"):
        model.forward([0.1], [0.0], parameters={"arm.com.x": 0.1})


def test_a_description_may_change_and_its_model_does_not():
    m = pendulum()
    model = m.compile()
    m.parameters["arm.mass"].value = 100.0
    hand = m.body("hand", mass=1.0, inertia=(1, 1, 1))
    m.revolute("wrist", "arm", hand)
    m.name = "other"
    assert model.forward([0.3], [0.0]) == pytest.approx([-TORQUE * np.sin(0.3) / INERTIA])
    assert model.state().parameters["arm.mass"] == 1.2
    assert (model.name, model.nq, model.coordinates) == ("pendulum", 1, ("hip",))
    assert m.compile().nq == 2


def test_a_force_parameter_may_be_called_like_a_generalised_force():
    m = pendulum()
    m.joint_law("push", "hip", m.parameter("tau.hip", 2.0, kind="force"))
    model = m.compile()
    assert model.forward([0.0], [0.0], [3.0]) == pytest.approx([5.0 / INERTIA])


# -- single evaluations, quick -----------------------------------------------------------------------------


def test_the_quick_way_and_the_long_way_agree(ball):
    v, tau = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    quick = ball.forward(np.array(tilted(0.4)), v, tau)
    assert (quick == ball.forward(tilted(0.4), v.tolist(), tau.tolist())).all()
    assert (quick == ball.forward(tuple(tilted(0.4)), v, tau)).all()
    assert (quick == ball.forward(tilted(0.4), v, tau, t=0.0)).all()
    assert quick == pytest.approx(ball.forward([tilted(0.4)], v, tau)[0], rel=1e-13)


def test_what_one_call_leaves_behind_does_not_reach_the_next(ball):
    rest = ball.forward(tilted(0.4), [0.0] * 3)
    ball.forward(tilted(0.9), [5.0] * 3, [7.0] * 3)
    with pytest.raises(tw.ShapeError):
        ball.forward(tilted(0.9), [5.0] * 3, [7.0] * 2)
    assert (ball.forward(tilted(0.4), [0.0] * 3) == rest).all()
    assert (ball.forward(tilted(0.4), None) == rest).all()


# -- threads -----------------------------------------------------------------------------------------------


def run_together(work, count: int = 4) -> list[BaseException]:
    """Threads that take turns as often as Python can be made to let them."""
    failures: list[BaseException] = []
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    gate = threading.Barrier(count)

    def guarded(k: int) -> None:
        gate.wait()
        try:
            work(k)
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    sys.setswitchinterval(usual)
    return failures


def test_threads_may_ask_for_the_first_time_together(monkeypatch):
    model = oscillator().compile()
    derived: list[str] = []
    derive = Equations.derive
    monkeypatch.setattr(Equations, "derive", lambda self, name: derived.append(name) or derive(self, name))

    def work(k: int) -> None:
        for _ in range(30):
            assert model.forward([0.5], [0.0]) == pytest.approx([-2.0])
            assert model.inverse([0.5], [0.0], [-2.0]) == pytest.approx([0.0])

    assert run_together(work) == []
    assert sorted(derived) == ["forward", "inverse"]


def test_one_derivation_runs_at_a_time(monkeypatch):
    """They share the table of nodes, which each of them exchanges for a fresh one."""
    energy = Equations._energy
    inside: list[int] = []
    most: list[int] = []

    def slow(self):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)
        made = energy(self)
        inside.pop()
        return made

    monkeypatch.setattr(Equations, "_energy", slow)
    assert run_together(lambda k: Equations(pendulum()).derive("energy")) == []
    assert max(most) == 1


def test_different_models_may_be_derived_together():
    names = ("forward", "inverse", "energy", "mass_matrix")
    alone = Equations(top())
    expected = {n: [f.text for f in emit_unit(alone.derive(n))] for n in names}
    different: list[str] = []

    def work(k: int) -> None:
        mine = Equations(top())
        different.extend(n for n in names if [f.text for f in emit_unit(mine.derive(n))] != expected[n])

    assert run_together(work) == []
    assert different == []


def test_threads_do_not_share_their_numbers(ball):
    values = [ball.forward(tilted(0.1 * k), [k, 0.0, 1.0]) for k in range(4)]

    def work(k: int) -> None:
        for _ in range(300):
            assert (ball.forward(tilted(0.1 * k), [float(k), 0.0, 1.0]) == values[k]).all()

    assert run_together(work) == []


# -- nothing moves -----------------------------------------------------------------------------------------


def test_a_mechanism_without_freedom():
    model = weld().compile()
    assert (model.nq, model.nv) == (0, 0)
    for empty in ([], np.zeros(0)):
        assert model.forward(empty, empty, empty).shape == (0,)
        assert model.mass_matrix(empty).shape == (0, 0)
        assert model.jacobian("base", empty).shape == (6, 0)
        assert model.energy(empty, empty).kinetic == 0.0
        assert model.momentum(empty, empty).linear.tolist() == [0.0] * 3
        assert model.sensors(empty)["eye"] == pytest.approx([0.1, 0.2, 0.3])
    assert model.forward(np.zeros((5, 0)), np.zeros((5, 0))).shape == (5, 0)
    run = model.simulate(0.01)
    assert len(run.t) == 11 and run["eye.z"] == pytest.approx(0.3)


# -- without a compiler ------------------------------------------------------------------------------------


def test_generated_python_answers_alike(monkeypatch, ball):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    slow = top().compile()
    q, v = tilted(0.4), [1.0, 2.0, 3.0]
    assert slow.forward(q, v) == pytest.approx(ball.forward(q, v), rel=1e-12)
    assert isinstance(slow.function("forward"), PythonFunction)
    assert slow.forward([q] * 5, v) == pytest.approx(ball.forward([q] * 5, v), rel=1e-12)
    assert slow.mass_matrix(q) == pytest.approx(ball.mass_matrix(q), rel=1e-12)


def test_calls_with_and_without_parameters_take_turns(model):
    """Plain calls keep a table; it has to be the right one every time."""
    light, heavy = model.state(parameters={"arm.mass": 0.6}), model.state(parameters={"arm.mass": 2.4})
    q = np.array([0.3])

    def expected(mass: float) -> float:
        return -mass * 9.81 * 0.4 * np.sin(0.3) / (0.07 + mass * 0.16)

    for _ in range(3):
        assert model.forward(q, [0.0], parameters=light) == pytest.approx([expected(0.6)])
        assert model.forward(q, [0.0]) == pytest.approx([expected(1.2)])
        assert model.forward(q, [0.0], parameters=heavy.parameters) == pytest.approx([expected(2.4)])
        assert model.forward(q, [0.0], parameters={"arm.mass": 3.0}) == pytest.approx([expected(3.0)])
        assert model.forward(q, [0.0]) == pytest.approx([expected(1.2)])
    heavy.parameters["arm.mass"] = 5.0
    assert model.forward(q, [0.0], parameters=heavy) == pytest.approx([expected(5.0)])

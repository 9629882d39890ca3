"""States are mutable, independent of each other and of the model."""

import numpy as np
import pytest
from apparatus import oscillator, tilted, top

import touchweight as tw


@pytest.fixture(scope="module")
def model() -> tw.Model:
    return oscillator().compile()


def test_what_is_not_given_is_the_description_s(model):
    state = model.state()
    assert (state.t, state.q.tolist(), state.v.tolist(), state.x.tolist(), state.u.tolist()) == (
        0.0,
        [0.0],
        [0.0],
        [0.5],
        [0.0],
    )
    assert top().compile().state().q.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_what_is_given_is_there_and_its_own(model):
    q = np.array([0.3])
    state = model.state(q, {"slide": 0.1}, [2.0], u={"push": 3.0}, t=np.float32(0.5), parameters={"block.mass": 4.0})
    q[0] = 9.0
    assert (state.t, state.q.tolist(), state.v.tolist(), state.x.tolist(), state.u.tolist()) == (
        0.5,
        [0.3],
        [0.1],
        [2.0],
        [3.0],
    )
    assert state.parameters["block.mass"] == 4.0
    assert model.parameters["block.mass"] == 2.0


def test_states_do_not_share(model):
    a, b = model.state(), model.state()
    a.q[0], a.x[0], a.u[0] = 1.0, 1.0, 1.0
    a.parameters["block.mass"] = 9.0
    assert (b.q[0], b.x[0], b.u[0], b.parameters["block.mass"]) == (0.0, 0.5, 0.0, 2.0)
    assert model.state().q[0] == 0.0


def test_a_copy_goes_its_own_way(model):
    a = model.state([0.3])
    b = a.copy()
    b.q[0], b.t = 0.4, 1.0
    b.parameters["block.mass"] = 9.0
    assert (a.q[0], a.t, a.parameters["block.mass"]) == (0.3, 0.0, 2.0)
    assert a != b and a == a


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": [0.1, 0.2]}, r"expected q of shape \(1,\), found \(2,\); its entries are slide"),
        ({"q": [[0.1]]}, r"expected q of shape \(1,\), found \(1, 1\)"),
        ({"v": {"slip": 0.1}}, r"expected names of v, found 'slip'; did you mean slide\?"),
        ({"x": [np.inf]}, "expected finite numbers for x, found inf"),
        ({"u": "much"}, "expected real numbers for u"),
        ({"parameters": {"block.moss": 1.0}}, "did you mean block.mass"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(model, given, message):
    with pytest.raises(tw.TouchweightError, match=message) as error:
        model.state(**given)
    assert "\n" not in str(error.value)


def test_quaternions_are_checked():
    ball = top().compile()
    assert ball.state(q=tilted(0.3)).q[0] == pytest.approx(np.cos(0.15))
    with pytest.raises(tw.ShapeError, match="expected a unit quaternion"):
        ball.state(q=[1.0, 1.0, 0.0, 0.0])
    with pytest.raises(tw.ShapeError, match="expected a unit quaternion"):
        ball.state(q={"tip.qx": 0.5})


def test_a_state_starts_where_the_description_says():
    """At its joints' initial values, else where the frames are as described."""
    m = tw.Mechanism("start")
    a, b = (m.body(name, 1.0, (0.0, 0.1, 0.2), (0.1, 0.1, 0.1)) for name in "ab")
    m.revolute("hinge", m.ground, a, axis="x", reference=0.4)
    m.free("flyer", b)
    m.joints["flyer"].initial = (1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0)
    assert m.compile().state().q.tolist() == [0.4, 1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0]

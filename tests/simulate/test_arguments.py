"""What callers pass becomes arrays the generated code can read, or a sentence."""

import numpy as np
import pytest
from apparatus import oscillator, top
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from touchweight.dynamics.tree import build_tree
from touchweight.errors import ShapeError
from touchweight.simulate.arguments import Dimensions, as_time, as_vector, lead_shape, thread_count


def dimensions(m) -> Dimensions:
    return Dimensions.of(m, build_tree(m))


BALL, SPRING = dimensions(top()), dimensions(oscillator())


def test_none_is_the_default():
    assert BALL.array("q", None).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert BALL.array("tau", None).tolist() == [0.0] * 3
    assert SPRING.array("x", None).tolist() == [0.5]
    assert SPRING.array("t", None).tolist() == [0.0]


numbers = hnp.arrays(
    st.sampled_from(["f8", "f4", ">f8", "i4", "u1", "?"]),
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.just(3)),
    elements={"allow_nan": False},
)


@given(numbers)
def test_any_array_of_numbers_keeps_its_values_and_can_be_walked_in_doubles(a):
    for seen in (a, a[::-1], a.transpose(1, 0, 2), np.asfortranarray(a)):
        made = BALL.array("v", seen)
        assert made.dtype == np.float64 and made.flags.aligned
        assert all(s % 8 == 0 for s in made.strides)
        assert (made == seen.astype(float)).all()


def test_doubles_are_not_copied():
    a = np.zeros((5, 3))
    assert np.shares_memory(BALL.array("v", a), a)


def test_time_has_no_last_dimension():
    assert SPRING.array("t", 2.0).shape == (1,)
    assert SPRING.array("t", [1.0, 2.0]).shape == (2, 1)


def test_a_single_number_serves_where_there_is_one_entry():
    assert SPRING.array("q", 0.3).tolist() == [0.3]
    with pytest.raises(ShapeError, match=r"expected v of shape \(..., 3\) for model 'top', found \(\)"):
        BALL.array("v", 0.3)


def test_defaults_are_not_given_away():
    made = as_vector(None, "q", BALL.coordinates, BALL.q_default)
    made[:] = 7.0
    assert BALL.array("q", None).tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "value", [["1"], [None], [1j], {1, 2}, object(), [object()], [[1.0], [1.0, 2.0]], "abc", b"abc"]
)
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ShapeError, match=r"expected real numbers for v, found .*; pass numbers") as error:
        BALL.array("v", value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 200


def test_long_lists_of_names_are_cut():
    names = [f"joint {i}\n" for i in range(100)]
    with pytest.raises(ShapeError) as error:
        as_vector([1.0], "q", names, np.zeros(100))
    text = str(error.value)
    assert "\n" not in text and "joint 7" in text and "joint 8" not in text and "…" in text


def test_leading_shapes():
    a, b, c = np.zeros((4, 1, 2)), np.zeros((3, 2)), np.zeros(2)
    assert lead_shape([c, c], ["q", "v"], None) == ()
    assert lead_shape([a, b, c], ["q", "v", "u"], None) == (4, 3)
    assert lead_shape([c, c], ["q", "v"], (5,)) == (5,)
    with pytest.raises(ShapeError, match=r"found q \(4, 1\), v \(3,\), parameters \(2,\); make them equal"):
        lead_shape([a, b, c], ["q", "v", "u"], (2,))


@pytest.mark.parametrize(("value", "found"), [(None, None), (1, 1), (np.int64(3), 3)])
def test_threads(value, found):
    assert thread_count(value) == found


@pytest.mark.parametrize("value", [0, -1, 1.5, "2", True, [2]])
def test_threads_must_be_a_count(value):
    with pytest.raises(ShapeError, match="expected threads as a whole number, at least 1, found"):
        thread_count(value)


def test_moments():
    assert as_time(np.float32(0.5)) == 0.5
    assert as_time(3) == 3.0
    for wrong in (np.nan, -np.inf, [1.0, 2.0]):
        with pytest.raises(ShapeError, match="expected a time t"):
            as_time(wrong)

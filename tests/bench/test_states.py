"""The states are the same for all, and agreement is measured per state."""

import numpy as np

from touchweight.bench.states import random_states, relative_error


def test_states_are_reproducible_and_within_reach() -> None:
    states = random_states([False, True, False], count=50)
    again = random_states([False, True, False], count=50)
    assert np.array_equal(states.rows, again.rows)
    assert states.rows.shape == (50, 9)
    assert np.abs(states.q[:, 1]).max() <= 0.1 < 1.0 < np.abs(states.q[:, 0]).max() <= np.pi
    assert np.array_equal(states.rows[7], np.hstack([states.q[7], states.v[7], states.u[7]]))


def test_error_is_relative_to_each_state() -> None:
    expected = np.array([[1.0, 0.0], [1000.0, 2.0]])
    assert relative_error(expected + np.array([[0.0, 0.1], [1.0, 0.0]]), expected) == 0.1
    assert relative_error(expected, expected) == 0.0


def test_what_is_not_finite_agrees_with_nothing() -> None:
    expected = np.ones((2, 2))
    assert relative_error(expected * np.nan, expected) == np.inf

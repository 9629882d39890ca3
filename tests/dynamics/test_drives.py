"""Drives: motions and their rates."""

from __future__ import annotations

import numpy as np
import pytest

from touchweight.dynamics.drives import driven_motions
from touchweight.dynamics.tree import build_tree
from touchweight.mechanism import Mechanism
from touchweight.symbolic import evaluate_all, exp, sin


def _mechanism() -> Mechanism:
    m = Mechanism("driven")
    m.spherical("ball", m.ground, m.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    for name, kind in (("turn", "revolute"), ("slide", "prismatic")):
        m.joint(name, kind, m.bodies["ball"], m.body(name, mass=1.0, inertia=(1.0, 1.0, 1.0)))
    return m


def test_rates_are_derivatives_of_the_motion():
    m = _mechanism()
    k = m.parameter("k", 1.7)
    m.drive("slide", sin(k * m.time) * exp(-m.time) + 0.3 * m.time**2)
    (driven,) = driven_motions(m, build_tree(m))
    assert (driven.name, driven.coordinate, driven.speed) == ("slide", 5, 4), (
        "after the four of the ball, and its three"
    )

    def at(t: float) -> np.ndarray:
        exprs = [driven.position, driven.velocity, driven.acceleration]
        return np.array(evaluate_all(exprs, {m.time: t, k: 1.7}), dtype=float)

    h = 1e-5
    assert (at(0.8 + h) - at(0.8 - h))[:2] / (2 * h) == pytest.approx(at(0.8)[1:], rel=1e-8)
    assert at(0.8)[0] == pytest.approx(np.sin(1.7 * 0.8) * np.exp(-0.8) + 0.3 * 0.64, rel=1e-14)


def test_a_motion_from_outside_comes_by_three_inputs():
    m = _mechanism()
    m.drive("turn")
    (driven,) = driven_motions(m, build_tree(m))
    wanted = [m.inputs[f"turn.{rate}"].symbol for rate in ("position", "velocity", "acceleration")]
    assert [driven.position, driven.velocity, driven.acceleration] == wanted


def test_no_drives():
    m = _mechanism()
    assert driven_motions(m, build_tree(m)) == []

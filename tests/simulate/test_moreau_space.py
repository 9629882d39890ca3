"""The non-smooth method in space: boxes, capsules and balls; a friction problem with a known answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from touching import G, Watched, flyer, watch

import touchweight as tw
from touchweight.mechanism import Mechanism


def test_the_friction_problem_of_one_contact() -> None:
    """u = W r + q with Coulomb's cone: the answer is known to eight digits.

    Three sliders along the principal axes of W, with inertias 1/λ, have W as their compliance at the ball.
    """
    w = np.array([[15.0, -1, -2], [-1, 14, 1], [-2, 1, 16]])  # normal, first tangent (x), second (y)
    free = np.array([-1.0, 2, 3])
    values, axes = np.linalg.eigh(w)
    m = Mechanism("one contact", gravity=(0, 0, 0))
    last = m.ground
    at = axes.T @ np.array([0.1, 0, 0])
    for i in range(3):
        n, x, y = axes[:, i]
        body = m.body(f"b{i}")
        m.prismatic(f"s{i}", last, body, axis=(x, y, n), armature=1 / values[i], initial=[at[i]])
        last = body
    m.sphere("ball", last, (0, 0, 0), 0.1)
    m.plane("floor", m.ground)
    m.contact("hit", "ball", "floor", tw.rigid(), 0.1)
    dt = 1e-3
    run = watch(m, dt, dt, v={f"s{i}": float(x) for i, x in enumerate(axes.T @ free)})
    impulse = dt * np.array([run.force[f"hit{k}"][0] for k in ("", ".friction1", ".friction2")])
    assert impulse == pytest.approx([0.06569568, -0.00367861, -0.00544307], abs=2e-8)


def box(
    friction: float, slope: float, half: tuple[float, float, float], duration: float = 1.0, **speeds: float
) -> Watched:
    m = Mechanism("box", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    m.box("brick", flyer(m, "b", 2.0, 0.05, (0, 0, half[2])), half)
    m.plane("floor", m.ground)
    m.contact("hit", "brick", "floor", tw.rigid(), friction)
    return watch(m, duration, 1e-3, v={f"b.{k}": x for k, x in speeds.items()})


def total(run: Watched, count: int) -> np.ndarray:
    return sum(run.force[f"hit.{i + 1}"] for i in range(count))  # type: ignore[return-value]


def test_a_box_at_rest_presses_with_its_weight() -> None:
    """Four corners, three of which would do."""
    run = box(0.5, 0.0, (0.2, 0.15, 0.1))
    assert total(run, 8)[5:] == pytest.approx(2 * G, rel=1e-6)
    assert max(np.abs(run.q[f"b.{k}"]).max() for k in ("x", "y", "qx", "qy", "qz")) < 1e-12


def test_a_box_slides_down_and_another_stays() -> None:
    slope = 0.3
    run = box(0.2, slope, (0.2, 0.15, 0.1))
    pull = G * (math.sin(slope) - 0.2 * math.cos(slope))
    assert run.v["b.vx"][-1] == pytest.approx(pull, rel=2e-3)
    assert total(run, 8)[50:] == pytest.approx(2 * G * math.cos(slope), rel=1e-6)
    assert abs(box(0.4, slope, (0.2, 0.15, 0.1)).q["b.x"][-1]) < 1e-11


def test_friction_is_opposite_to_the_sliding_in_any_direction() -> None:
    """A box that slides askew slows down along a straight line."""
    run = box(0.3, 0.0, (0.2, 0.15, 0.1), 0.3, vx=1.5, vy=-2.0)
    assert run.v["b.vy"] / run.v["b.vx"] == pytest.approx(-4 / 3, abs=2e-2)
    assert math.hypot(run.v["b.vx"][-1], run.v["b.vy"][-1]) == pytest.approx(2.5 - 0.3 * G * 0.3, abs=2e-2)


def test_a_tall_box_topples() -> None:
    """Over its edge where tan(slope) > width/height, and not below."""
    run = box(0.9, 0.5, (0.1, 0.1, 0.4))
    assert run.q["b.qy"][-1] == pytest.approx(math.sqrt(0.5), abs=1e-2)  # on its side
    run = box(0.9, 0.2, (0.1, 0.1, 0.4))
    assert np.abs(run.q["b.qy"]).max() < 1e-9


def test_a_box_thrown_in_comes_to_rest() -> None:
    m = Mechanism("thrown")
    m.box("brick", flyer(m, "b", 2.0, 0.05, (0, 0, 0.5)), (0.2, 0.15, 0.1))
    m.plane("floor", m.ground)
    m.contact("hit", "brick", "floor", tw.rigid(0.2), 0.5)
    run = watch(m, 3.0, 1e-3, v={"b.wx": 5.0, "b.wy": 3.0, "b.vx": 1.0})
    energy = run.energy
    assert np.diff(energy).max() < 1e-3 * energy[0]
    assert max(np.abs(v[-1]) for v in run.v.values()) < 1e-6
    assert total(run, 8)[-1] == pytest.approx(2 * G, rel=1e-6)


def test_a_capsule_rolls_down() -> None:
    m = Mechanism("capsule", gravity=(3.0, 0, -G))
    m.capsule("rod", flyer(m, "b", 2.0, 0.01, (0, 0, 0.1)), (0, -0.2, 0), (0, 0.2, 0), 0.1)
    m.plane("floor", m.ground)
    m.contact("hit", "rod", "floor", tw.rigid(), 0.5)
    run = watch(m, 1.0, 1e-3)
    assert run.v["b.vx"] == pytest.approx(3.0 / (1 + 0.01 / (2 * 0.01)) * run.t, rel=1e-6)
    assert run.v["b.wy"] == pytest.approx(10 * run.v["b.vx"], rel=1e-6)
    assert total(run, 2) == pytest.approx(2 * G, rel=1e-6)


def test_a_ball_that_slips_askew_rolls_straight() -> None:
    m = Mechanism("ball")
    m.sphere("ball", flyer(m, "b", 1.0, 0.004, (0, 0, 0.1)), (0, 0, 0), 0.1)
    m.plane("floor", m.ground)
    m.contact("hit", "ball", "floor", tw.rigid(), 0.2)
    run = watch(m, 1.0, 1e-3, v={"b.vx": 3.0, "b.vy": 4.0, "b.wz": 10.0})
    assert [run.v["b.vx"][-1], run.v["b.vy"][-1]] == pytest.approx([15 / 7, 20 / 7], abs=1e-6)  # 5/7 of 5 m/s
    rolling = int(np.argmax(np.abs(np.diff(run.v["b.vx"])) < 1e-9))
    assert run.t[rolling] == pytest.approx(0.7281199942, abs=2e-3)


def test_a_ball_on_a_ball_leaves_it_where_it_must() -> None:
    """Without friction, at cos a = 2/3."""
    m = Mechanism("balls")
    m.sphere("top", flyer(m, "b", 1.0, 0.004, (1e-3, 0, math.sqrt(0.16 - 1e-6))), (0, 0, 0), 0.1)
    m.sphere("bottom", m.ground, (0, 0, 0), 0.3)
    m.contact("hit", "top", "bottom", tw.rigid())
    run = watch(m, 1.6, 5e-4)
    leaves = int(np.flatnonzero(run.force["hit"] > 0.0)[-1])
    assert run.q["b.z"][leaves] / 0.4 == pytest.approx(2 / 3, abs=1e-2)
    assert np.hypot(run.q["b.x"], run.q["b.z"])[:leaves] == pytest.approx(0.4, abs=1e-5)
    # from there it flies, with the speed along x that it left with
    assert run.v["b.vx"][-1] == pytest.approx(2 / 3 * math.sqrt(2 / 3 * G * 0.4), rel=2e-3)
    assert run.energy == pytest.approx(G * 0.4, abs=1e-4)


@pytest.mark.parametrize(("factor", "stands"), [(1.3, True), (0.7, False)])
def test_a_rolling_disc_stays_upright_if_it_is_fast_enough(factor: float, stands: bool) -> None:
    """A thin disc on its edge is stable above a spin of sqrt(g/(3 R)) (Routh 1884, for C = 2 A = m R²/2)."""
    m = Mechanism("coin")
    r = 0.2
    body = m.body("coin", mass=1.0, inertia=(r * r / 4, r * r / 2, r * r / 4))
    m.free("coin", body, initial=(0, 0, r, 1, 0, 0, 0))
    m.disc("edge", body, (0, 0, 0), r)
    m.plane("floor", m.ground)
    m.contact("roll", "edge", "floor", tw.rigid(), 0.8)
    spin = factor * math.sqrt(G / (3 * r))
    run = watch(m, 4.0, 1e-3, v={"coin.vx": spin * r, "coin.wy": spin, "coin.wx": 0.01})
    q = {k: run.q[f"coin.q{k}"] for k in "wxyz"}
    lean = np.abs(2 * (q["y"] * q["z"] + q["w"] * q["x"]))  # how much the axis points up
    assert (lean.max() < 0.02) == stands
    if stands:
        assert run.energy[-1] == pytest.approx(run.energy[0], rel=1e-3)


@pytest.mark.parametrize("friction", [0.1, 0.5, 1.2])
@pytest.mark.parametrize("seed", [0, 1])
def test_balls_that_fall_into_a_funnel(seed: int, friction: float) -> None:
    """Many contacts at once, each solved; energy only falls."""
    random = np.random.default_rng(seed)
    m = Mechanism("funnel")
    sides = [(1.0, 0.0, 0.6), (-1.0, 0.0, 0.6), (0.0, 1.0, 0.6), (0.0, -1.0, 0.6), (0.0, 0.0, 1.0)]
    for k, (x, y, z) in enumerate(sides):
        m.plane(f"side{k}", m.ground, (-0.3 * x, -0.3 * y, 0), normal=(x, y, z))
    for i in range(3):
        x, y = random.uniform(-0.1, 0.1, 2)
        m.sphere(f"s{i}", flyer(m, f"b{i}", random.uniform(0.1, 2), 0.004, (x, y, 0.2 + 0.21 * i)), (0, 0, 0), 0.1)
        for k in range(5):
            m.contact(f"{i} side {k}", f"s{i}", f"side{k}", tw.rigid(), friction)
        for j in range(i):
            m.contact(f"{i} and {j}", f"s{i}", f"s{j}", tw.rigid(), friction)
    run = watch(m, 0.6, 1e-3)
    energy = run.energy
    assert np.diff(energy).max() < 2e-3 * (energy[0] - energy[-1])
    assert energy[-1] < energy[0]

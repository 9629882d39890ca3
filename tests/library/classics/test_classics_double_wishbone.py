"""The quarter car: hard points kept, forces in balance, energy kept where nothing takes it."""

import math

import numpy as np
import pytest

from touchweight.library.classics import double_wishbone as corner

G = 9.81
HUNG = sum(what[0] for what in (corner.SPINDLE, corner.UPRIGHT, corner.UPPER_ARM, corner.LOWER_ARM, corner.WHEEL))


def test_freedom():
    car = corner.build().compile()
    assert (car.nv, len(car.loops().rows), len(car.loops().chosen.partition.dependent)) == (6, 4, 4)
    rig = corner.build(fixed_chassis=True).compile()
    assert (rig.nv, len(rig.loops().rows)) == (5, 4)


def test_the_position_of_design_is_closed_and_has_its_hard_points():
    mechanism = corner.build()
    for name, point in (("rack", corner.TIE_ROD_INNER), ("steering arm", corner.TIE_ROD_OUTER),
                        ("shock's bottom", corner.SHOCK_BOTTOM), ("upright's ball", corner.UPPER_BALL)):  # fmt: skip
        mechanism.sensor(f"seen {name}", "position", name)
        mechanism.sensors[f"seen {name}"].expected = point
    model = mechanism.compile()
    q = model.dimensions.q_default
    assert np.abs(model.loops().closure(q, 0.0, model.parameters).h).max() < 1e-12
    seen = model.sensors(q)
    above = seen["chassis"]
    for name, sensor in mechanism.sensors.items():
        if name.startswith("seen"):
            np.testing.assert_allclose(seen[name] - above, sensor.expected, atol=1e-14)
    np.testing.assert_allclose(seen["wheel"], [0.0, 0.7979, corner.TYRE_RADIUS], atol=1e-14)


def test_it_settles_with_its_weight_on_the_tyre():
    run = corner.build().compile().simulate(8.0, dt=1e-3, every=10)
    tyre = corner.TYRE_STIFFNESS * (corner.TYRE_RADIUS - run["wheel.z"][-1])
    assert tyre == pytest.approx((corner.CAR / 4 + HUNG) * G, rel=1e-3)
    assert run["loops.residual"].max() < 1e-10
    assert -0.08 < run["heave"][-1] < -0.02


@pytest.mark.parametrize("fixed", [False, True])
def test_energy_stays_in_the_air_without_a_damper(fixed):
    run = corner.build(fixed_chassis=fixed, tyre=False, damping=0.0).compile().simulate(0.3, dt=1e-4, every=10)
    assert np.ptp(run["energy.total"]) < 1e-7 * run["energy.kinetic"].max()
    assert run["loops.residual"].max() < 1e-10


def test_energy_stays_on_the_tyre_once_its_own_is_counted():
    run = corner.build(damping=0.0).compile().simulate(0.3, dt=1e-4, every=10)
    pressed = np.maximum(corner.TYRE_RADIUS - run["wheel.z"], 0.0)
    assert pressed.max() > 0.01
    total = run["energy.total"] + 0.5 * corner.TYRE_STIFFNESS * pressed**2
    assert np.ptp(total) < 1e-5 * run["energy.kinetic"].max()


def test_the_wheel_follows_the_path_of_the_linkage():
    """Bump travel on the rig, against the loops solved by hand: three balls and a rod of fixed length."""
    from scipy.optimize import fsolve

    run = corner.build(fixed_chassis=True, tyre=False).compile().simulate(0.05, v={"lower arm": -1.0}, dt=1e-3)
    angle = run["lower arm"][-1]
    assert abs(angle) > 5e-3

    def turned(point, a, b, by):
        a, axis = np.array(a), np.subtract(b, a) / math.dist(a, b)
        d = np.subtract(point, a)
        along = axis * (axis @ d)
        return a + along + (d - along) * math.cos(by) + np.cross(axis, d) * math.sin(by)

    lower = turned(corner.LOWER_BALL, corner.LOWER_FRONT, corner.LOWER_REAR, angle)
    points = [corner.LOWER_BALL, corner.UPPER_BALL, corner.TIE_ROD_OUTER, corner.WHEEL_CENTRE]

    def missing(x):
        upper = turned(corner.UPPER_BALL, corner.UPPER_FRONT, corner.UPPER_REAR, x[0])
        arm, wheel = x[1:4], x[4:7]
        now = [lower, upper, arm, wheel]
        gaps = [math.dist(now[i], now[k]) - math.dist(points[i], points[k]) for i in range(4) for k in range(i)]
        return [*gaps, math.dist(arm, corner.TIE_ROD_INNER) - math.dist(corner.TIE_ROD_OUTER, corner.TIE_ROD_INNER)]

    found = fsolve(missing, [0.0, *corner.TIE_ROD_OUTER, *corner.WHEEL_CENTRE], xtol=1e-13)
    assert run["upper arm"][-1] == pytest.approx(found[0], abs=1e-9)
    wheel = [run[f"wheel.{k}"][-1] - run[f"chassis.{k}"][-1] for k in "xyz"]
    np.testing.assert_allclose(wheel, found[4:], atol=1e-9)


def test_a_bump_lifts_the_car():
    run = corner.build().compile().simulate(6.0, inputs={"road": 0.05}, dt=1e-3, every=10)
    flat = corner.build().compile().simulate(6.0, dt=1e-3, every=10)
    assert run["heave"][-1] - flat["heave"][-1] == pytest.approx(0.05, abs=1e-3)

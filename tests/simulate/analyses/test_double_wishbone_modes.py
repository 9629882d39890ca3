"""The modes of the double wishbone against its energies, written down again in NumPy from the hard points alone."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import root

from touchweight.library.classics import double_wishbone as car
from touchweight.simulate.analyses import modes

BODIES = {
    "upper": car.UPPER_ARM,
    "lower": car.LOWER_ARM,
    "upright": car.UPRIGHT,
    "spindle": car.SPINDLE,
    "wheel": car.WHEEL,
}


def turn(w):
    """The rotation by a rotation vector."""
    x, y, z = w
    return expm(np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]))


def about(front, rear, angle):
    """A turn about the line through two points: rotation and where it takes a point."""
    a, b = np.array(front), np.array(rear)
    r = turn(angle * (b - a) / np.linalg.norm(b - a))
    return r, lambda p: a + r @ (np.array(p) - a)


def posture(s):
    """Rotation, and map of points, of every body; heave and the lower arm's angle are free, the rest is closed."""
    heave, angle = s
    lower, at_lower = about(car.LOWER_FRONT, car.LOWER_REAR, angle)
    ball = at_lower(car.LOWER_BALL)
    length = np.linalg.norm(np.subtract(car.TIE_ROD_OUTER, car.TIE_ROD_INNER))

    def upright(w):
        r = turn(w)
        return r, lambda p: ball + r @ np.subtract(p, car.LOWER_BALL)

    def gaps(y):
        _, place = upright(y[:3])
        _, arm = about(car.UPPER_FRONT, car.UPPER_REAR, y[3])
        rod = np.linalg.norm(place(car.TIE_ROD_OUTER) - np.array(car.TIE_ROD_INNER)) - length
        return [*(place(car.UPPER_BALL) - arm(car.UPPER_BALL)), rod]

    found = root(gaps, np.zeros(4), tol=1e-14).x
    wheel, upper = upright(found[:3]), about(car.UPPER_FRONT, car.UPPER_REAR, found[3])
    lift = np.array([0.0, 0.0, heave])
    parts = {"upper": upper, "lower": (lower, at_lower), "upright": wheel, "spindle": wheel, "wheel": wheel}
    return {name: (r, lambda p, place=place: place(p) + lift) for name, (r, place) in parts.items()}


def shock(s):
    top = np.add(car.SHOCK_TOP, (0.0, 0.0, s[0]))
    return np.linalg.norm(top - posture(s)["lower"][1](car.SHOCK_BOTTOM))


def potential(s):
    """Gravity, spring, tyre (which is pressed throughout)."""
    where = posture(s)
    v = 9.81 * car.CAR / 4.0 * s[0]
    v += sum(9.81 * mass * where[name][1](com)[2] for name, (mass, com, _) in BODIES.items())
    squeeze = car.WHEEL_CENTRE[2] - where["wheel"][1](car.WHEEL_CENTRE)[2]
    return v + 0.5 * car.SPRING * (shock(s) - car.SPRING_LENGTH) ** 2 + 0.5 * car.TYRE_STIFFNESS * squeeze**2


def slope(f, s, h=2e-4):
    """Derivative of a function of two coordinates, by differences of fourth order; the last axis is new."""
    columns = []
    for e in np.eye(2):
        a, b, c, d = (np.asarray(f(s + k * h * e)) for k in (-2, -1, 1, 2))
        columns.append((a - 8 * b + 8 * c - d) / (12 * h))
    return np.stack(columns, axis=-1)


def inertia(s):
    """M from velocities of centres of mass and angular velocities."""
    m = np.diag([car.CAR / 4.0, 0.0])
    for name, (mass, com, moments) in BODIES.items():
        j = slope(lambda x, name=name, com=com: posture(x)[name][1](com), s)
        r = posture(s)[name][0]
        spins = np.moveaxis(slope(lambda x, name=name: posture(x)[name][0], s), -1, 0)
        w = np.array([[b[2, 1], b[0, 2], b[1, 0]] for b in (r.T @ d for d in spins)]).T  # in the body's axes
        m += mass * j.T @ j + w.T @ np.diag(moments) @ w
    return m


@pytest.mark.parametrize("damping", [0.0, car.DAMPER])
def test_the_modes_are_those_of_the_energies(damping):
    found = modes(car.build(damping=damping).compile())
    s = np.array([found.state.q[0], found.state.q[2]])
    wanted = root(lambda x: slope(potential, x), np.add(s, (0.004, -0.003)), tol=1e-12).x
    assert s == pytest.approx(wanted, abs=1e-7)
    k = slope(lambda x: slope(potential, x), s)
    rate = slope(shock, s)
    m, d = inertia(s), damping * np.outer(rate, rate)
    a = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(m, k), -np.linalg.solve(m, d)]])
    values = np.linalg.eigvals(a)
    values = sorted(values[values.imag > 0], key=abs)
    assert [mode.eigenvalue for mode in found] == pytest.approx(values, rel=1e-6)

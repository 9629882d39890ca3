"""Andrews' squeezer against the Test Set for IVP Solvers and the IFToMM library of benchmark problems.

Published state: F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, problem andrews. Its last digits
carry an error of 1.4e-9 (angles) and 5e-8 (speeds, relative): the state EXACT was integrated in 80-bit arithmetic until
it no longer changed.
"""

import numpy as np
import pytest

from touchweight.library.classics import andrews
from touchweight.simulate.core import DONE, Core

NAMES = ("beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon")
ROWS = ("E3.1", "E3.2", "E4.1", "E4.2", "E6.1", "E6.2")

PUBLISHED = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263,
)  # fmt: skip
PUBLISHED_SPEEDS = (
    1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385,
    0.5735699284790808, -19.29337464421385, 0.3231791658026955,
)  # fmt: skip
EXACT = (
    15.810771195153709, -15.756371058411842, 0.040822240119645853, -0.534730116342079535,
    0.524409965879954079, 0.534730116342079543, 1.048080741041937941,
)  # fmt: skip
EXACT_SPEEDS = (
    1139.920302259106, -1424.379295177540, 11.03291191061918, 19.29337410503307,
    0.573569914829533, -19.29337410503307, 0.323179149249149,
)  # fmt: skip
#: the sources write M q'' = f - Gᵀ λ, we write + Jᵀ λ: our forces are the opposite of theirs
MULTIPLIERS_AT_START = (98.56687039624, -6.12268834425566, 0.0, 0.0, 0.0, 0.0)
MULTIPLIERS_AT_END = (199.175333373, -29.7553122802, 23.0665411910, 31.4527136548, 22.6424923208, 11.6174070002)


@pytest.fixture(scope="module")
def model():
    return andrews.build().compile()


@pytest.fixture(scope="module")
def run(model):
    return model.simulate(0.03, q=andrews.START, dt=1e-4, method="DOP853", rtol=1e-13, atol=1e-13)


def evaluated(model, q, v):
    """Accelerations and forces of the loops by name, at given angles and speeds."""
    state = model.state(q=dict(zip(NAMES, q, strict=True)), v=dict(zip(NAMES, v, strict=True)))
    core = Core(model, state.parameters)
    ended, rates, forces = core.evaluate(0.0, np.concatenate([state.q, state.v, state.x]), state.u, forces=True)
    assert ended == DONE
    return dict(zip(model.speeds, rates[model.nq :], strict=True)), forces


def test_state_after_30_milliseconds(run):
    angles, speeds = [run[n][-1] for n in NAMES], [run[f"v.{n}"][-1] for n in NAMES]
    np.testing.assert_allclose(angles, EXACT, rtol=0, atol=1e-12)  # found 9e-14
    np.testing.assert_allclose(speeds, EXACT_SPEEDS, rtol=1e-12, atol=1e-10)  # found 3.6e-11 of 1424
    np.testing.assert_allclose(angles, PUBLISHED, rtol=0, atol=2e-9)  # the published state's own error
    np.testing.assert_allclose(speeds, PUBLISHED_SPEEDS, rtol=6e-8)
    assert np.max(run["loops.residual"]) < 1e-14


def test_fixed_steps_reach_the_same_state(model):
    run = model.simulate(0.03, q=andrews.START, dt=3e-6, every=100)
    angles = [run[n][-1] for n in NAMES]
    np.testing.assert_allclose(angles, EXACT, rtol=0, atol=5e-12)  # found 1.3e-12
    assert np.max(run["loops.residual"]) < 1e-14


def test_start_accelerates_as_published(model):
    a, forces = evaluated(model, [andrews.START[n] for n in NAMES], np.zeros(7))
    assert a["beta"] == pytest.approx(14222.4439199541, rel=1e-14)
    assert a["theta"] == pytest.approx(-10666.8329399656, rel=1e-14)
    assert max(abs(a[n]) for n in NAMES[2:]) < 1e-9
    np.testing.assert_allclose(-forces, MULTIPLIERS_AT_START, rtol=1e-13, atol=1e-12)


def test_forces_of_the_loops_at_the_end(run):
    ours = [-run[f"force.{r}"][-1] for r in ROWS]
    # the published ones go with the published state and have its error
    np.testing.assert_allclose(ours, MULTIPLIERS_AT_END, rtol=2e-6)  # found 1.3e-6
    np.testing.assert_allclose(ours, by_hand(np.array(EXACT), np.array(EXACT_SPEEDS)), rtol=1e-11)  # found 2e-13


# -- the same mechanism written down once more: every point is a sum of arms ---------------------------------------
BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON = np.eye(7)
DOWN = -np.pi / 2


def arms(*terms):
    """(length, which angles add up, offset) for each arm of a point."""
    return [(length, angles, offset) for length, angles, offset in terms]


CRANK = (0.007, BETA, 0.0)
TO_G, TO_H = (0.04, DELTA, 0.0), (0.04, EPSILON, DOWN)
BODIES = (
    (arms((0.00092, BETA, 0.0)), BETA),
    (arms(CRANK, (-0.0115, BETA + THETA, 0.0)), BETA + THETA),
    (arms((0.01874, GAMMA, DOWN), (0.01043, GAMMA, 0.0)), GAMMA),
    (arms(TO_G, (0.02 - 0.01421, PHI + DELTA, DOWN)), PHI + DELTA),
    (arms((0.02308, DELTA, 0.0), (0.00916, DELTA, -DOWN)), DELTA),
    (arms(TO_H, (0.02 - 0.01421, OMEGA + EPSILON, 0.0)), OMEGA + EPSILON),
    (arms((0.01228, EPSILON, 0.0), (0.00449, EPSILON, DOWN)), EPSILON),
)
MEETING = arms(CRANK, (-0.028, BETA + THETA, 0.0))
OTHERS = (
    arms((0.035, GAMMA, DOWN)),
    arms(TO_G, (0.02, PHI + DELTA, DOWN)),
    arms(TO_H, (0.02, OMEGA + EPSILON, 0.0)),
)
HOOK = arms((0.018, GAMMA, DOWN), (0.02, GAMMA, 0.0))


def motion(point, q, v):
    """Place, Jacobian, and acceleration without any of the angles', of a point."""
    place, jacobian, drift = np.zeros(2), np.zeros((2, 7)), np.zeros(2)
    for length, angles, offset in point:
        along = length * np.array([np.cos(angles @ q + offset), np.sin(angles @ q + offset)])
        place += along
        jacobian += np.outer([-along[1], along[0]], angles)
        drift -= along * (angles @ v) ** 2
    return place, jacobian, drift


def by_hand(q, v):
    """Multipliers of M q'' + Gᵀ λ = f, G q'' + d = 0."""
    mass, force = np.zeros((7, 7)), 0.033 * BETA
    for (point, angles), m, inertia in zip(BODIES, andrews.MASS, andrews.INERTIA, strict=True):
        _, jacobian, drift = motion(point, q, v)
        mass += m * jacobian.T @ jacobian + inertia * np.outer(angles, angles)
        force = force - m * jacobian.T @ drift
    hook, jacobian, _ = motion(HOOK, q, v)
    span = hook + andrews.B[:2] - np.array(andrews.C[:2])
    length = np.linalg.norm(span)
    force = force - 4530.0 * (1 - 0.07785 / length) * span @ jacobian
    _, here, drift = motion(MEETING, q, v)
    parts = [motion(point, q, v) for point in OTHERS]
    g = np.vstack([here - j for _, j, _ in parts])
    d = np.concatenate([drift - x for _, _, x in parts])
    return np.linalg.solve(np.block([[mass, g.T], [g, np.zeros((6, 6))]]), np.concatenate([force, -d]))[7:]


#: IFToMM library of computational benchmark problems, A03 (RehabEngGroup/MBSbenchmarksInOpenSim): the crank pin F
#: at 10, 20, ... 50 ms, computed by an independent script from beta = -0.0620
PIN = (
    (-0.0038512906, 0.0058453025),
    (-0.0022294118, 0.0066354896),
    (-0.0069702608, -0.0006445655),
    (0.0050512454, -0.0048461242),
    (-0.0051589853, 0.0047312653),
)


def test_iftomm_variant(model):
    run = model.simulate(0.05, q={"beta": -0.0620}, dt=1e-4, method="DOP853", rtol=1e-13, atol=1e-13)
    assert run["beta"][0] == -0.0620
    assert run["theta"][0] == pytest.approx(2.1459e-4, abs=5e-9)
    pin = np.column_stack([run["F.x"], run["F.y"]])[100::100]
    np.testing.assert_allclose(pin, PIN, rtol=0, atol=6e-11)  # print width
    assert run["beta"][-1] == pytest.approx(33.81534072, abs=5e-9)
    # energy balance, the problem's criterion [J]
    balance = run["energy.total"] - run["energy.total"][0] - 0.033 * (run["beta"] - run["beta"][0])
    assert np.max(np.abs(balance)) < 1e-12  # found 1.9e-13

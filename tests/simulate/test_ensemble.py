"""Many copies side by side: each does what the general core does with it alone, and what mechanics says."""

import math

import numpy as np
import pytest

import touchweight as tw
from touchweight.codegen.ensemble_library import lanes_for
from touchweight.errors import ShapeError, TouchweightError
from touchweight.mechanism import Mechanism
from touchweight.simulate.core import Core
from touchweight.simulate.ensemble import Ensemble

MOREAU = 3
STEP = 5e-4
G = 9.81


# -- mechanisms ------------------------------------------------------------------------------------------------------
def hopper() -> Mechanism:
    """A finger on a felt, with dry friction, damping, a spring and a lever that rubs: planar, driven by a force."""
    m = Mechanism("hopper", gravity=(0, 0, -G))
    arm = m.body("arm", mass=0.1, com=(0.1, 0, 0), inertia=(1e-4, 1e-4, 1e-4))
    tip = m.body("tip", mass=0.02, com=(0.02, 0, 0.01), inertia=(1e-5, 1e-5, 1e-5))
    m.revolute("arm", m.ground, arm, axis="-y", friction=2e-3, damping=1e-4, stiffness=0.3)
    m.revolute("tip", arm, tip, axis="-y", origin=(0.2, 0, 0), friction=5e-4, damping=1e-5)
    m.circle("ball", tip, (0.05, 0, 0), 5e-3)
    m.segment("table", m.ground, (0.1, 0, -0.03), (0.4, 0, -0.03))
    m.contact("touch", "ball", "table", tw.felt(5e7, 2.3, 1e8), 0.3)
    m.stop("up", 0.3 - m.q("tip"), tw.felt(1e5, 2.0, 1e4))
    m.stop("down", m.q("tip") + 0.3, tw.hertz(1e4, 0.2))
    force = m.input("force", "N")
    m.joint_law("push", "arm", -0.2 * force)
    return m


def puck(law: tw.ContactLaw | None = None, friction: float = 0.3) -> Mechanism:
    """A ball on the floor of space: a quaternion, sliding in two directions."""
    m = Mechanism("puck", gravity=(0, 0, -G))
    ball = m.body("ball", mass=0.2, inertia=(8e-5, 8e-5, 8e-5))
    m.free("ball", ball, initial=[0, 0, 0.03, 1, 0, 0, 0])
    m.sphere("surface", ball, (0, 0, 0), 0.03)
    m.plane("floor", m.ground)
    m.contact("floor", "surface", "floor", law or tw.rigid(0.4), friction)
    return m


def pusher() -> Mechanism:
    """A slide that is moved from outside pushes a block against a felt; a motor with a lag turns a wheel beside it."""
    m = Mechanism("pusher")
    slide, block = m.body("slide", mass=0.3), m.body("block", mass=0.1)
    wheel = m.body("wheel", mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
    m.prismatic("slide", m.ground, slide, axis="x")
    m.prismatic("block", m.ground, block, axis="x", friction=0.05, damping=0.3)
    m.revolute("wheel", m.ground, wheel, axis="y", damping=1e-4)
    m.actuator("motor", "wheel", lag=5e-3)
    m.stop("gap", m.q("block") + 0.01 - m.q("slide"), tw.felt(1e7, 2.0, 1e7))
    m.drive("slide")
    return m


def incline() -> Mechanism:
    """A block on a slope of 30 degrees, in the plane."""
    m = Mechanism("incline", gravity=(0, 0, -G))
    block = m.body("block", mass=2.0, inertia=(1, 1, 1))
    m.prismatic("x", m.ground, carrier := m.body("carrier", mass=1e-9, inertia=(1e-12,) * 3), axis="x")
    m.prismatic("z", carrier, block, axis="z")
    s, c = math.sin(math.pi / 6), math.cos(math.pi / 6)
    m.circle("foot", block, (0, 0, 0), 0.0)
    m.line("slope", m.ground, (0, 0, 0), normal=(s, 0, c))
    m.contact("slope", "foot", "slope", tw.rigid(), 0.2)
    return m


# -- against the general core ----------------------------------------------------------------------------------------
def difference_by_step(ensemble: Ensemble, inputs: np.ndarray, dt: float = STEP) -> tuple[float, int]:
    """Every step of every copy once more by the general core from the same state: largest difference, steps whose looks
    differ. Differences of single steps: over a run, impacts make large ones of the smallest."""
    n, model = ensemble.copies, ensemble.model
    cores = [Core(model, p, contacts=True) for p in ensemble.parameters]
    record, residual = np.empty((1, ensemble._size)), np.empty(1)
    rows = len(model.loops().driven)
    worst, looks = 0.0, 0
    for k, u in enumerate(inputs):
        before, impulses = ensemble._copies_of_state()[:n].copy(), ensemble.impulses()
        ensemble.step(u, dt)
        after = ensemble._copies_of_state()[:n]
        for i, core in enumerate(cores):
            y = before[i].copy()
            core.impulse[: impulses.shape[1] - rows] = impulses[i, : impulses.shape[1] - rows]
            core.integrate(MOREAU, k * dt, dt, 1, y, np.ascontiguousarray(u[i]), 0, 1, record, residual)
            scale = max(1.0, float(np.abs(y).max()))
            worst = max(worst, float(np.abs(y - after[i]).max()) / scale)
            looks += int(core.memory.contact_iterations != ensemble.looks[i])
            taken = ensemble.impulses()[i, impulses.shape[1] - rows :]
            assert np.allclose(taken, core.drive_impulse[:rows], rtol=1e-8, atol=1e-10)
    return worst, looks


def strokes(copies: int, steps: int, width: int = 1) -> np.ndarray:
    random = np.random.default_rng(3)
    t = STEP * np.arange(steps)[:, None]
    force = random.uniform(0.5, 8.0, copies) * (
        (t * random.uniform(4, 9, copies) + random.uniform(0, 1, copies)) % 1 < 0.5
    )
    return np.repeat(force[:, :, None], width, axis=2)


@pytest.fixture(scope="module")
def hopper_model():
    return hopper().compile()


def varied(model, copies: int, seed: int = 0) -> list[dict[str, float]]:
    random = np.random.default_rng(seed)
    names = [n for n in model.parameters if n.endswith(("stiffness", "mass", "friction", "damping", "exponent"))]
    return [{n: model.parameters[n] * random.uniform(0.85, 1.15) for n in names} for _ in range(copies)]


@pytest.mark.parametrize(("lanes", "copies"), [(2, 1), (2, 3), (4, 6), (8, 11)])
def test_every_step_is_that_of_the_general_core(hopper_model, lanes, copies):
    ensemble = Ensemble(hopper_model, varied(hopper_model, copies), lanes=lanes)
    worst, looks = difference_by_step(ensemble, strokes(copies, 400))
    assert worst < 1e-10
    assert looks <= 400 * copies // 200
    assert ensemble.most_looks.max() > 3  # something happened
    assert ensemble.worst_residual.max() <= 1e-9


@pytest.mark.parametrize("law", [tw.rigid(0.5), tw.felt(1e6, 1.5, 1e3)], ids=["rigid", "felt"])
def test_a_ball_in_space_slides_and_rolls_as_by_the_general_core(law):
    model = puck(law).compile()
    copies = 5
    ensemble = Ensemble(model, varied(model, copies), lanes=4)
    random = np.random.default_rng(1)
    for i in range(copies):
        at = {"ball.z": 0.03 + 0.01 * i}
        ensemble.place(at, dict(zip(model.speeds, random.normal(0, 2, 6), strict=True)), [i])
    worst, looks = difference_by_step(ensemble, np.zeros((600, copies, 0)), 1e-3)
    assert worst < 1e-9
    assert looks <= 10


def test_drives_and_lags_as_by_the_general_core():
    model = pusher().compile()
    copies, steps = 3, 300
    ensemble = Ensemble(model, varied(model, copies), lanes=2)
    t = STEP * np.arange(steps)[:, None]
    w, phase = np.array([20.0, 31.0, 44.0]), np.array([0.0, 0.1, 0.2])
    u = np.zeros((steps, copies, len(model.inputs)))
    part = {"slide.position": 0.03 * (1 - np.cos(w * t)), "slide.velocity": 0.03 * w * np.sin(w * t),
            "slide.acceleration": 0.03 * w**2 * np.cos(w * t), "motor": 0.01 * np.sin(9 * t + phase)}  # fmt: skip
    for k, name in enumerate(model.inputs):
        u[:, :, k] = part[name]
    worst, _ = difference_by_step(ensemble, u)
    assert worst < 1e-10
    assert ensemble.q[:, 1].max() > 0.01  # the block was pushed
    assert np.abs(ensemble.x).max() > 1e-4


def arm(friction: float) -> Mechanism:
    """Five hinges in space, one on another: every speed acts on every other; nothing touches."""
    m = Mechanism("arm", gravity=(0, 0, -G))
    below = m.ground
    for i, axis in enumerate(("z", "y", "x", "y", "z")):
        link = m.body(f"link{i}", mass=1.0 + i, com=(0.02, 0.05 * i, 0.2), inertia=(0.02, 0.03, 0.01))
        m.revolute(f"hinge{i}", below, link, axis=axis, origin=(0.1, 0, 0.4 if i else 0), friction=friction * (i % 2))
        below = link
    return m


@pytest.mark.parametrize("friction", [0.0, 3.0], ids=["smooth", "dry"])
def test_mechanisms_that_touch_nothing_are_carried_too(friction):
    model = arm(friction).compile()
    ensemble = Ensemble(model, varied(model, 3), lanes=2)
    ensemble.v[:] = np.random.default_rng(2).normal(0, 1, (3, 5))
    worst, _ = difference_by_step(ensemble, np.zeros((100, 3, 0)), 1e-3)
    assert worst < 1e-11
    assert np.abs(ensemble.q).max() > 0.05


def test_a_run_is_that_of_simulate_with_every_channel(hopper_model):
    parameters = varied(hopper_model, 3)
    ensemble = Ensemble(hopper_model, parameters)
    forces = [lambda t, i=i: (1.0 + i) * min(1.0, t / 0.01) for i in range(3)]
    runs = ensemble.run(0.1, inputs=[{"force": f} for f in forces], dt=STEP, every=2, record=[2, 0])
    for run, i in zip(runs, (2, 0), strict=True):
        alone = hopper_model.simulate(0.1, parameters=parameters[i], inputs={"force": forces[i]}, dt=STEP, every=2)
        assert list(run) == [n for n in alone if not n.startswith("work.")]
        assert np.array_equal(run.t, alone.t)
        for name in run:
            assert np.allclose(run[name], alone[name], rtol=1e-9, atol=1e-9), name
        assert alone["force.touch"].max() > 0.5
    assert ensemble.t == pytest.approx(0.1)


def test_driven_runs_are_those_of_simulate():
    model = pusher().compile()
    motion = [lambda t, i=i: 0.01 + 0.03 * (1 - math.cos((20 + 9 * i) * t)) for i in range(3)]
    ensemble = Ensemble(model, [{}] * 3)
    runs = ensemble.run(0.2, drives=[{"slide": f} for f in motion], inputs={"motor": 0.01}, dt=STEP)
    for run, f in zip(runs, motion, strict=True):
        alone = model.simulate(0.2, drives={"slide": f}, inputs={"motor": 0.01}, dt=STEP)
        assert list(run) == [n for n in alone if not n.startswith("work.")]
        for name in run:
            assert np.allclose(run[name], alone[name], rtol=1e-9, atol=1e-9), name
        assert alone["force.gap"].max() > 0.1
        assert np.ptp(alone["force.slide"]) > 0.1


def test_one_call_and_single_steps_are_the_same_to_the_last_bit(hopper_model):
    u = strokes(4, 300)
    one, other = (Ensemble(hopper_model, varied(hopper_model, 4)) for _ in range(2))
    advance = one.stepper(STEP)
    for row in u:
        one.inputs[:] = row
        advance()
    times = STEP * np.arange(300)
    other.run(300 * STEP, inputs=[{"force": (times, u[:, i, 0])} for i in range(4)], sampling="steps", record=[])
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(one.v, other.v)


# -- copies -----------------------------------------------------------------------------------------------------------
def test_no_copy_sees_another(hopper_model):
    parameters, u = varied(hopper_model, 8), strokes(8, 300)
    together = Ensemble(hopper_model, parameters, lanes=8)
    for row in u:
        together.step(row)
    for i in (0, 5):
        # the same lanes elsewhere, among copies that do something else
        others = [parameters[i], *varied(hopper_model, 7, seed=9)]
        apart = Ensemble(hopper_model, others, lanes=8)
        for row in u:
            apart.step(np.concatenate([row[i : i + 1], 2.0 * row[1:]]))
        assert np.array_equal(apart.q[0], together.q[i])
        assert np.array_equal(apart.v[0], together.v[i])


def test_parameters_may_change_between_steps(hopper_model):
    ensemble = Ensemble(hopper_model, [{}, {}])
    ensemble.parameters[1]["touch.stiffness"] *= 0.2
    ensemble.refresh()
    for _ in range(800):
        ensemble.step(np.full((2, 1), 3.0))
    depth = [ensemble.model.simulate(0.4, parameters=p, inputs={"force": 3.0}, dt=STEP)["arm"][-1]
             for p in ({}, {"touch.stiffness": 0.2 * hopper_model.parameters["touch.stiffness"]})]  # fmt: skip
    assert ensemble.q[:, 0] == pytest.approx(depth, abs=1e-6)
    assert depth[0] != pytest.approx(depth[1], abs=1e-5)


def test_views_are_read_and_written_by_copy(hopper_model):
    ensemble = Ensemble(hopper_model, [{}] * 5, lanes=4)
    ensemble.q[3] = [0.1, 0.2]
    ensemble.v[:, 1] = np.arange(5)
    assert ensemble.q.shape == (5, 2)
    assert len(ensemble.v) == 5
    assert np.asarray(ensemble.q)[3].tolist() == [0.1, 0.2]
    assert ensemble.v[:, 1].tolist() == [0, 1, 2, 3, 4]
    assert ensemble.q[0].tolist() == [0.0, 0.0]


def test_lanes_suit_the_copies(monkeypatch):
    monkeypatch.setattr("touchweight.codegen.ensemble_library.native_lanes", lambda: 8)
    assert [lanes_for(n) for n in (1, 2, 3, 5, 88)] == [2, 2, 4, 8, 8]
    monkeypatch.setattr("touchweight.codegen.ensemble_library.native_lanes", lambda: 2)
    assert lanes_for(88) == 2


# -- against mechanics ------------------------------------------------------------------------------------------------
def test_blocks_on_a_slope_stick_or_slide_as_their_friction_says():
    model = incline().compile()
    friction = np.array([0.0, 0.2, 0.5, 0.57, 0.59, 1.0])  # tan 30° = 0.577
    ensemble = Ensemble(model, [{"slope.friction": float(f)} for f in friction])
    ensemble.run(0.5, dt=1e-3, record=[])
    speed = np.hypot(ensemble.v[:, 0], ensemble.v[:, 1])
    expected = np.maximum(0.0, G * (0.5 - friction * math.sqrt(0.75))) * 0.5
    assert speed == pytest.approx(expected, abs=1e-6)


def test_balls_bounce_as_high_as_their_restitution_lets_them():
    model = puck(tw.rigid(0.5), 0.0).compile()
    bounce = np.array([0.0, 0.3, 0.6, 0.9])
    ensemble = Ensemble(model, [{"floor.restitution": float(e)} for e in bounce])
    ensemble.place({"ball.z": 0.13})
    runs = ensemble.run(0.6, dt=1e-4)
    for e, run in zip(bounce, runs, strict=True):
        landed = int(np.argmax(run["ball.z"] < 0.0301))
        height = run["ball.z"][landed:].max() - 0.03 if e else 0.0
        assert height == pytest.approx(0.1 * e * e, abs=3e-4)


# -- refusals ---------------------------------------------------------------------------------------------------------
def test_what_cannot_be_carried_is_told(hopper_model):
    from touchweight.library.classics import four_bar

    with pytest.raises(TouchweightError, match="without loops and modes"):
        Ensemble(four_bar.build().compile(), [{}])
    with pytest.raises(ShapeError, match="at least one copy"):
        Ensemble(hopper_model, [])
    with pytest.raises(ShapeError, match="lanes of 2, 4 or 8"):
        Ensemble(hopper_model, [{}], lanes=3)
    with pytest.raises(ShapeError, match="theta"):
        Ensemble(hopper_model, [{}], theta=0.2)
    ensemble = Ensemble(hopper_model, [{}, {}])
    with pytest.raises(ShapeError, match="different copies from 0 to 1"):
        ensemble.run(0.01, record=[2])
    with pytest.raises(ShapeError, match="inputs for 2 copies, found 1"):
        ensemble.run(0.01, inputs=[{"force": 1.0}])
    with pytest.raises(ShapeError, match="positive dt"):
        ensemble.run(0.01, dt=0.0)


def test_a_copy_that_leaves_the_numbers_is_named(hopper_model):
    ensemble = Ensemble(hopper_model, [{}] * 4)
    with pytest.raises(TouchweightError, match="copy 2"):
        ensemble.step(np.array([[0.0], [1.0], [np.nan], [0.0]]))


def test_without_a_compiler_there_is_a_sentence(monkeypatch):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    with pytest.raises(TouchweightError, match="C compiler"):
        Ensemble(hopper().compile(), [{}])

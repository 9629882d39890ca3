"""The mechanisms that come with touchweight: sound, described in a sentence, true to the laws they obey."""

import math
import subprocess
import sys

import numpy as np
import pytest

import touchweight as tw
from touchweight.library import MECHANISMS, build
from touchweight.library.classics import arm, double_pendulum, n_pendulum, pendulum, spinning_top
from touchweight.simulate.assembly import assemble


def starting(mechanism):
    return {
        c: x
        for joint in mechanism.joints.values()
        if joint.initial is not None
        for c, x in zip(joint.coordinates, joint.initial, strict=True)
    }


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_is_sound_and_has_one_sentence(name):
    sentence, builder = MECHANISMS[name]
    mechanism = builder()
    assert mechanism.check() == []
    assert sentence.endswith(".") and sentence.count(".") == 1 and "\n" not in sentence
    assert any(s.kind == "position" for s in mechanism.sensors.values())
    assert builder() is not mechanism


@pytest.mark.parametrize("name", MECHANISMS)
def test_forward_undoes_inverse(name):
    """Inverse dynamics of the accelerations gives back the forces; where there are loops and drives, with theirs."""
    model = build(name).compile()
    rng = np.random.default_rng(1)
    q, v, tau = model.dimensions.q_default.copy(), rng.normal(size=model.nv), rng.normal(size=model.nv)
    if not model.dimensions.balls and not model.loops():
        q += rng.normal(size=model.nq)
    if model.loops():
        state = assemble(model, q, v)
        q, v = state.q, state.v
    total = tau.copy()
    forces = model.loop_forces(q, v, tau)
    loops = model.loops()
    total += loops.closure(q, 0.0, model.parameters).jacobian.T @ [forces[row] for row in loops.rows]
    for row, speed in zip(loops.driven, loops.driven_speeds, strict=True):
        total[speed] += forces[row]
    np.testing.assert_allclose(model.inverse(q, v, model.forward(q, v, tau)), total, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["pendulum", "double-pendulum", "chain", "top"])
def test_energy_stays(name):
    mechanism = build(name)
    v = {"point.wz": 100.0} if name == "top" else None
    run = mechanism.compile().simulate(1.0, q=starting(mechanism), v=v, dt=2e-4, every=10)
    drift = np.ptp(run["energy.total"]) / np.max(run["energy.kinetic"])
    assert drift < 1e-6


def test_the_pendulum_swings_with_the_period_of_a_rod():
    run = pendulum.build(length=0.5).compile().simulate(3.0, q={"hip": 1e-3})
    crossings = run.t[:-1][np.diff(np.sign(run["hip"])) != 0]
    expected = 2 * math.pi * math.sqrt(2 * 0.5 / (3 * 9.81))
    assert 2 * np.mean(np.diff(crossings)) == pytest.approx(expected, rel=2e-3)


def test_the_double_pendulum_hangs_as_long_as_its_rods():
    model = double_pendulum.build(length=0.7).compile()
    np.testing.assert_allclose(model.sensors([0.0, 0.0])["tip"], [0, 0, -1.4], atol=1e-15)


@pytest.mark.parametrize("rods", [1, 2, 5])
def test_a_chain_has_as_many_rods_as_asked_for(rods):
    model = n_pendulum.build(rods=rods, length=1.0, mass=2.0).compile()
    assert model.nv == rods
    assert sum(p.value for n, p in model.mechanism.parameters.items() if n.endswith(".mass")) == pytest.approx(2.0)
    np.testing.assert_allclose(model.sensors(np.zeros(rods))["tip"], [0, 0, -1.0], atol=1e-12)


def test_the_top_precesses_as_fast_as_theory_says():
    mass, height, spin, tilt = 0.2, 0.06, 600.0, 0.5
    mechanism = spinning_top.build(mass, height, tilt)
    run = mechanism.compile().simulate(0.5, q=starting(mechanism), v={"point.wz": spin}, dt=1e-4, every=20)
    angle = np.unwrap(np.arctan2(run["tip.y"], run["tip.x"]))
    rate = np.polyfit(run.t, angle, 1)[0]
    along = mass * 0.05**2 / 2
    assert rate == pytest.approx(mass * 9.81 * height / (along * spin), rel=0.02)


def test_the_arm_holds_its_targets_and_falls_without_servos():
    model = arm.build().compile()
    targets = {f"{n}.target": x for n, x in zip(model.coordinates, (0.5, 0.4, 0.6, -0.3, 0.2, 1.0), strict=True)}
    run = model.simulate(2.0, inputs=targets)
    for name in model.coordinates:
        assert run[name][-1] == pytest.approx(targets[f"{name}.target"], abs=0.03)
    free = arm.build(servos=False)
    assert not free.inputs and free.check() == []


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(tw.MechanismError, match="did you mean double-pendulum"):
        build("duble-pendulum")


def test_the_library_knows_only_mechanisms():
    """Nothing of code generation, simulation or pictures is imported by the descriptions themselves."""
    source = (
        "import sys, types\n"
        "package = types.ModuleType('touchweight'); package.__path__ = [sys.argv[1]]\n"
        "sys.modules['touchweight'] = package\n"
        "import touchweight.library\n"
        "right = ('codegen', 'simulate', 'dynamics', 'cli')\n"
        "print([n for n in sys.modules if n.startswith('touchweight.') and n.split('.')[1] in right])"
    )
    folder = tw.__path__[0]
    done = subprocess.run([sys.executable, "-c", source, folder], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

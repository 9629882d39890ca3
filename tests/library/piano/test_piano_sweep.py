"""Any action within the bounds of its numbers, under any stroke: solved, finite, and no energy from nowhere.

Every copy gets parameters of its own (all of them within their bounds, most near their value) and a stroke of its
own: one or two pushes of a finger of 0.3 to 60 N that rise in 2 to 40 ms.
"""

import numpy as np
import pytest

from touchweight import Ensemble
from touchweight.library import piano
from touchweight.library.piano.datum import UNITS

STEP, STEPS = 2.5e-4, 1600

#: steps in which nobody pushes: felts that start pressed let go
QUIET = 480


@pytest.fixture(scope="module")
def model():
    return piano.build("force").compile()


#: reach towards the bounds by unit: geometry and inertia that still make an action, the rest all the way
REACH = {"mm": 0.02, "rad": 0.05, "g": 0.3, "kg m²": 0.3}

#: compression at which felts of different exponents are compared [m]
DEPTH = 4e-4


def action(draw):
    """Numbers within their bounds; felts up to thirty times softer and harder than described."""
    out = {}
    for name, d in piano.TABLE.items():
        part = REACH.get(d.unit, 1.0) * draw.random() ** 3
        out[name] = ((1 - part) * d.value + part * (d.high if draw.random() < 0.5 else d.low)) * UNITS[d.unit][1]
    for name, d in piano.TABLE.items():
        if name.endswith(".stiffness") and d.unit == "N/m^r":
            felt = name.removesuffix(".stiffness")
            softer = DEPTH ** (piano.TABLE[f"{felt}.exponent"].value - out[f"{felt}.exponent"])
            hard = np.exp(np.log(30.0) * draw.uniform(-1, 1) ** 3)
            out[name] = float(np.clip(d.value * softer * hard, d.low, d.high))
    return out


def strokes(draw, copies):
    """Forces of the finger [N], (steps, copies)."""
    t = STEP * np.arange(STEPS)[:, None]
    force = np.zeros((STEPS, copies))
    for start in (0.12, 0.26):
        size = np.exp(draw.uniform(np.log(0.3), np.log(60.0), copies)) * (draw.random(copies) < (1.0, 0.6)[start > 0.2])
        rise, end = draw.uniform(0.002, 0.04, copies), start + draw.uniform(0.03, 0.12, copies)
        force += size * np.clip((t - start) / rise, 0.0, 1.0) * (t < end)
    return force


def sweep(model, copies, seed, theta):
    draw = np.random.default_rng(seed)
    sets = [action(draw) for _ in range(copies)]
    many = Ensemble(model, sets, theta=theta)
    force = strokes(draw, copies)
    key = model.speeds.index("key")
    arm = np.array([abs(s["finger.x"]) for s in sets])
    rows = {n: np.array([p[n] for p in many.parameters]) for n in model.parameters}
    work = np.zeros(copies)
    first = None
    most = np.zeros(copies)
    springs = {
        model.coordinates.index(joint): [np.array([x[f"{name}_spring.{k}"] for x in sets]) for k in ("torque", "rate")]
        for joint, name in (("lever", "repetition"), ("jack", "jack"))
    }
    for i in range(STEPS):
        before = np.asarray(many.v)[:, key].copy()
        many.step(force[i][:, None], STEP)
        after = np.asarray(many.v)[:, key]
        work += force[i] * arm * 0.5 * (before + after) * STEP
        if i % 40 == 39:
            q, v = np.asarray(many.q), np.asarray(many.v)
            assert np.isfinite(q).all() and np.isfinite(v).all()
            total = np.asarray(model.energy(q, v, parameters=rows).total)
            total = total + sum((torque + 0.5 * rate * q[:, k]) * q[:, k] for k, (torque, rate) in springs.items())
            total = total + felts(model, many.parameters, q)
            if i == QUIET - 1:
                first, work = total, np.zeros(copies)
            elif i >= QUIET:
                most = np.maximum(most, total - first - work)
    return many, most, work


def felts(model, parameters, q):
    """What the felts of every copy hold [J]: the integral of k d^r over their compression d."""
    touch = model.function("touch")
    own = np.array([p.vector for p in parameters])
    gaps = touch.batch(None, own, [np.ascontiguousarray(q), np.zeros((len(q), 1))], len(q), 1)[0]
    held = np.zeros(len(q))
    for k, name in enumerate(model.mechanism.contacts):
        stiffness, exponent = ([p[f"{name}.{part}"] for p in parameters] for part in ("stiffness", "exponent"))
        order = np.array(exponent) + 1.0
        held += np.array(stiffness) * np.maximum(-gaps[:, k], 0.0) ** order / order
    return held


def judge(many, most, work, theta):
    assert float(np.max(many.worst_residual)) < 1e-6
    assert int(np.max(many.most_looks)) <= 80
    if theta < 1.0:
        # the middle of the step keeps second order; felts far too stiff for the step may then gain (20 of 10 000 did)
        return
    # the work of the finger is summed to first order
    allowed = 0.005 + 0.02 * np.abs(work)
    worst = int(np.argmax(most - allowed))
    assert most[worst] <= allowed[worst]


@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_some_actions(model, theta):
    judge(*sweep(model, 200, 1, theta), theta)


@pytest.mark.slow
@pytest.mark.parametrize("theta", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_actions(model, seed, theta):
    judge(*sweep(model, 1000, 100 + seed, theta), theta)

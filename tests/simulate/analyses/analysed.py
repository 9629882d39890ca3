"""Mechanisms to analyse, and central differences of their constrained equations."""

from __future__ import annotations

import math

import numpy as np

import touchweight as tw
from touchweight.symbolic import cos, sin


def rhombus(spring=True) -> tw.Mechanism:
    """A four-bar of four links of 1 m, three of them thin rods of 1 kg, a spring and damper on its diagonal."""
    m = tw.Mechanism("rhombus", gravity=(0, 0, -9.81))
    crank = m.body("crank", mass=1, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 0))
    coupler = m.body("coupler", mass=1, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
    rocker = m.body("rocker", mass=1, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 0))
    m.revolute("crank", m.ground, crank, axis="y", initial=[0.3])
    m.revolute("coupler", crank, coupler, axis="y", origin=(0, 0, 1), initial=[-0.3])
    m.revolute("rocker", m.ground, rocker, axis="y", origin=(1, 0, 0), initial=[0.3])
    tip, top = m.frame("tip", coupler, origin=(1, 0, 0)), m.frame("top", rocker, origin=(0, 0, 1))
    m.cut_pin("pin", tip, top, axis="y")
    if spring:
        m.spring("diagonal", m.ground, tip, 25.0, math.sqrt(2.0), 1.0)
    m.sensor("tip", "position", tip)
    m.sensor("feel", "acceleration", tip)
    m.joint_law("push", "crank", m.input("torque", "N m"))
    return m


def double_pendulum() -> tw.Mechanism:
    m = tw.Mechanism("double pendulum")
    upper = m.body("upper", mass=1.2, com=(0, 0, -0.3), inertia=(0.035, 0.036, 0.002))
    lower = m.body("lower", mass=0.7, com=(0.02, 0, -0.2), inertia=(0.010, 0.0105, 0.001))
    m.revolute("shoulder", m.ground, upper, axis="y", damping=0.2)
    m.revolute("elbow", upper, lower, axis="y", origin=(0, 0, -0.6), damping=0.1)
    m.actuator("motor", "elbow", gear=2.0)
    m.sensor("gauge", "acceleration", m.frame("tip", lower, origin=(0, 0, -0.5)), axes="frame")
    return m


def whirled() -> tw.Mechanism:
    """A double pendulum whose upper arm turns as the clock says."""
    m = double_pendulum()
    m.drive("shoulder", 0.5 + 3.0 * m.time + 0.2 * sin(2.0 * m.time))
    return m


def driven_pendulum() -> tw.Mechanism:
    """A pendulum on a cart whose motion comes from outside."""
    m = tw.Mechanism("driven pendulum")
    cart = m.body("cart", mass=2.0)
    arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 0.001))
    m.prismatic("rail", m.ground, cart, axis="x")
    m.revolute("hip", cart, arm, axis="y", damping=0.05)
    m.drive("rail")
    return m


def slider_crank(drive=False) -> tw.Mechanism:
    m = tw.Mechanism("slider-crank")
    crank = m.body("crank", mass=0.4, com=(0.05, 0, 0), inertia=(0.0002, 0.002, 0.002))
    rod = m.body("rod", mass=0.3, com=(0.15, 0, 0), inertia=(0.0002, 0.003, 0.003))
    piston = m.body("piston", mass=0.5)
    m.revolute("crank", m.ground, crank, axis="-y", damping=0.01, initial=[0.5])
    m.revolute("wrist", crank, rod, axis="-y", origin=(0.1, 0, 0), initial=[-0.7])
    m.prismatic("slide", m.ground, piston, axis="x", damping=2.0, initial=[0.35])
    m.cut_pin("pin", m.frame("end", rod, origin=(0.3, 0, 0)), piston, axis="y")
    m.joint_law("gas", "slide", lambda q, v, *, p: -p * q * q, p=30.0)
    if drive:
        m.drive("crank")
    return m


def ball_and_rod() -> tw.Mechanism:
    """A top on a ball joint whose rim is held by a rod, with a spring: quaternions in a loop."""
    m = tw.Mechanism("ball and rod")
    body = m.body("body", mass=1.5, com=(0.02, 0.0, 0.2), inertia=(0.02, 0.03, 0.01))
    m.spherical("ball", m.ground, body, damping=0.02)
    rim, hook = m.frame("rim", body, origin=(0.2, 0, 0.1)), m.frame("hook", m.ground, origin=(0.3, 0.1, -0.2))
    m.rod("link", hook, rim, 0.35)
    m.spring("spring", m.frame("post", m.ground, origin=(0, 0.3, 0.4)), m.frame("tip", body, origin=(0, 0, 0.4)), 80.0)
    m.sensor("attitude", "orientation", body)
    return m


def top() -> tw.Mechanism:
    m = tw.Mechanism("top")
    body = m.body("disc", mass=0.5, com=(0.0, 0.0, 0.1), inertia=(2e-3, 2e-3, 3e-3))
    m.spherical("tip", m.ground, body)
    return m


def motor_and_lag() -> tw.Mechanism:
    """A four-bar driven by a motor with an electrical lag, and a filter that listens."""
    m = rhombus()
    m.actuator("motor", "rocker", gear=3.0, lag=0.05)
    m.state("filter", lambda x: 4.0 * (m.v("crank") - x) + sin(m.q("coupler")))
    return m


def rolling_disc() -> tw.Mechanism:
    """A knife-edge sledge: it goes along its own direction and not across it."""
    m = tw.Mechanism("sledge")
    body = m.body("sledge", mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.15))
    m.planar("ground", m.ground, body, axis="z")
    x, y, turn = m.coordinates
    m.speed_constraint("edge", -sin(m.q(turn)) * m.v(x) + cos(m.q(turn)) * m.v(y))
    m.joint_law("rope", x, lambda q, v, *, k: -k * q, k=3.0)
    m.joint_law("drag", turn, lambda q, v, *, c: -c * v, c=0.05)
    return m


def differences(model, state, linear, step=1e-5):
    """(A, B, C, D) by central differences of closed states' rates and readings."""
    loops, parameters = model.loops(state.mode), state.parameters
    angles = {n: k for k, s in enumerate(model.speeds) for n in (s, f"angle.{s}")}
    kinds = [
        ("v", model.speeds.index(n[2:])) if n.startswith("v.") else ("q", angles[n]) if n in angles else ("x", n)
        for n in linear.states
    ]
    loose, independent = ([k for what, k in kinds if what == w] for w in "qv")

    def moved(which, size):
        q, v, x, u = state.q.copy(), state.v.copy(), state.x.copy(), state.u.copy()
        what, k = which
        shift = np.zeros(model.nv)
        if what == "q":
            shift[k] = size
        elif what == "v":
            v[k] += size
        elif what == "x":
            x[model.states.index(k)] += size
        else:
            u[k] += size
        q = loops.moved(q, shift, parameters)
        loops.set_drives(q, v, u, state.t, parameters)
        q, gap = loops.close_positions(q, state.t, parameters, hold=loose)
        assert gap < 1e-11
        v, gap = loops.close_speeds(q, v, state.t, parameters, hold=independent)
        assert gap < 1e-10
        a, force, held = loops.accelerations(q, v, x, u, state.t, parameters)
        lags = loops._evaluate("lags", parameters, q, v, x, u, np.array([state.t]))[0] if len(x) else x
        rates = np.concatenate([v[loose], a[independent], lags])
        used = loops.chosen.partition.rows
        y = np.zeros(0)
        if model.mechanism.sensors:
            options = {"x": x, "u": u, "t": state.t, "parameters": parameters}
            y = np.concatenate([r.ravel() for r in model.sensors(q, v, a, **options).values()])
        return rates, np.concatenate([q, v, x, y, force[used], held])

    columns = [*kinds, *(("u", i) for i in range(len(model.inputs)))]
    rates, outputs = [], []
    for which in columns:
        # fourth-order central differences
        (r1, y1), (r2, y2), (r3, y3), (r4, y4) = (moved(which, s * step) for s in (2, 1, -1, -2))
        rates.append((-r1 + 8 * r2 - 8 * r3 + r4) / (12 * step))
        outputs.append((-y1 + 8 * y2 - 8 * y3 + y4) / (12 * step))
    n = len(kinds)
    rate, output = np.array(rates).T, np.array(outputs).T
    return rate[:, :n], rate[:, n:], output[:, :n], output[:, n:]

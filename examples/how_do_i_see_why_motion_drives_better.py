"""How do I see why motion drives better? Drive a mass with a small bump by force, then by motion, and compare."""

import math

import numpy as np

import touchweight as tw

MASS, DIP = 0.27, 10e-3  # kg felt at the finger of a piano key, m


def key(bump, driven):
    """A key as one mass: its weight at the finger 0.35 N, a bump [N] near 8 mm where the hammer is let off."""
    m = tw.Mechanism("one mass", gravity=(0.0, 0.0, 0.0))
    m.prismatic("dip", m.ground, m.body("key", MASS), axis="z", damping=0.5)
    m.joint_law("weight", "dip", lambda q, v, *, n: -n, n=0.35)
    m.joint_law("bump", "dip", lambda q, v, *, n: -n * tw.exp(-(((q - 8e-3) / 0.4e-3) ** 2)), n=bump)
    if driven:
        m.drive("dip")
    else:
        m.joint_law("finger", "dip", m.input("finger", "N"))
    return m.compile()


def press(t, time=0.08):
    """Dip, speed and acceleration of a smooth stroke."""
    x = min(max(t / time, 0.0), 1.0)
    s, v, a = x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)
    return DIP * s, DIP / time * v, DIP / time**2 * a


def finger(t):
    """The force that this stroke would take without a bump."""
    return MASS * press(t)[2] + 0.5 * press(t)[1] + 0.35


for bump in (0.5, 1.0):
    plain, bumpy = (key(n, False).simulate(0.06, inputs={"finger": finger}, dt=1e-4) for n in (0.0, bump))
    motion = np.abs(plain["dip"] - bumpy["dip"]).max()
    plain, bumpy = (key(n, True).simulate(0.06, drives={"dip": press}, dt=1e-4) for n in (0.0, bump))
    force = np.abs(plain["force.dip"] - bumpy["force.dip"]).max()
    print(f"a bump of {bump} N, driven by force: the motion differs by {1e3 * motion:.2f} mm of {1e3 * DIP:.0f} mm")
    print(f"             driven by motion: the force differs by {force:.2f} N of {np.ptp(plain['force.dip']):.2f} N")
    assert math.isclose(force, bump, rel_tol=0.02)

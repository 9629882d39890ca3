"""Mechanisms whose generated code the tests take away and run: every kind of function and of argument."""

import math

import touchweight as tw


def zoo():
    """Springs, stops, saturation, lag, time: every function the emitters know."""
    m = tw.Mechanism("zoo")
    cart = m.body("cart", mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))
    pole = m.body("pole", mass=0.5, com=(0, 0.02, 0.4), inertia=(0.03, 0.031, 0.002))
    m.prismatic("rail", m.ground, cart, axis="x", damping=0.3)
    m.revolute("pivot", cart, pole, axis="y", origin=(0, 0, 0.1), friction=0.05, stiffness=1.5, rest=0.2)
    tip = m.frame("tip", pole, origin=(0, 0, 0.8))
    m.spring("rope", m.frame("wall", m.ground, origin=(1.0, 0, 1.0)), tip, stiffness=30.0, length=0.4, damping=0.7)

    def stop(q, v, *, k, r, edge):
        depth = tw.maximum(tw.absolute(q) - edge, 0.0)
        return tw.select(depth > 0.0, -tw.sign(q) * k * depth**r, 0.0) - 0.1 * tw.tanh(v) * tw.exp(-q * q)

    def odd(q, v, *, k):
        return (
            k * tw.log(1.0 + q * q) * tw.atan2(v, 1.0 + q * q)
            + tw.minimum(q, v) / tw.sqrt(1.0 + v * v)
            + tw.tan(0.1 * q)
        )

    m.joint_law("stop", "rail", stop, k=100.0, r=1.5, edge=0.1)
    m.joint_law("odd", "pivot", odd, k=0.7)
    m.actuator("motor", "rail", gear=3.0, lag=0.05, limit=8.0)
    m.joint_law("shaker", "rail", 2.0 * tw.cos(3.0 * m.time))
    m.sensor("tip", "position", tip)
    m.sensor("spin", "angular_velocity", pole)
    return m


def unbounded():
    """A law with an infinity in it."""
    m = tw.Mechanism("unbounded")
    m.revolute("hip", m.ground, m.body("arm", mass=1.0, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.1)), axis="y")
    m.joint_law("clip", "hip", lambda q, v: -tw.minimum(tw.absolute(q), tw.select(v > 0.0, math.inf, 0.2)))
    return m


def flyer():
    """A free-flying body with a ball on it: quaternions and speeds that are not their rates."""
    m = tw.Mechanism("flyer")
    hull = m.body("hull", mass=3.0, com=(0.1, 0.0, -0.05), inertia=(0.2, 0.3, 0.4, 0.01, 0.02, -0.03))
    ball = m.body("ball", mass=0.7, com=(0, 0.05, 0.2), inertia=(0.02, 0.03, 0.01))
    m.free("fly", hull)
    m.spherical("neck", hull, ball, origin=(0.3, 0.1, 0.2), damping=0.1)
    return m


#: names that would like to be something else
HOSTILE = (
    "*/ int x; /*", "back\\", "??/", "tri??/graph", "[bold red]loud[/]", "café ☕", "\x1b[31mred",
    "new\nline", "tab\t", "int", "a b", "a_b", "a-b", "A.B", "1st",
    "'quote\"", "%{", "#{", "$x^2$", "x" * 150, "{0}",
    "%d%s", '"""', "_", "机械",
)  # fmt: skip


def hostile():
    """A chain whose bodies, joints, parameters, inputs and sensors have such names."""
    m = tw.Mechanism('*/ #error "../../gone" \\')
    above = m.ground
    for i, name in enumerate(HOSTILE):
        body = m.body(name, mass=1.0 + i, com=(0, 0.01 * i, -0.1), inertia=(0.01, 0.02, 0.03))
        if i < 4:
            m.revolute(name, above, body, axis="y", origin=(0, 0, -0.2 if i else 0))
        else:
            m.fixed(name, above, body, origin=(0, 0.01, 0))
        above = body
    for name in HOSTILE[:6]:
        m.joint_law(f"force {name}", HOSTILE[1], m.input(name, "N m") * m.parameter(f"gain {name}", 0.5, name))
    m.sensor(HOSTILE[0], "position", above)
    return m

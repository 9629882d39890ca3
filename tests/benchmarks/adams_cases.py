"""Single bodies on every kind of joint, as MSC ADAMS was run on them.

The cases and their results come with Project Chrono (data/testing/joints; M. Taylor, R. Serban), which tests its own
joints against them. A body of 1 kg falls for 5 s under 9.80665 m/s² from rest; reactions are those on the ground, at
the joint, in world axes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import touchweight as tw
from touchweight.simulate.core import Core
from touchweight.symbolic import sqrt

G = 9.80665
UNIT = (1.0, 0.0, 0.0, 0.0)


def about_x(angle):
    return (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0)


def about_z(angle):
    return (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))


def matrix(quaternion):
    w, x, y, z = quaternion
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


@dataclass
class Case:
    """What to build, and how to read the reactions from a run: a function of model and rows (q, v, a, forces)."""

    name: str
    build: Callable
    reactions: Callable

    @property
    def folder(self):
        """Of its files."""
        return FOLDERS[self.name.split("_")[0]]


FOLDERS = {
    "Revolute": "revolute_joint",
    "Spherical": "spherical_joint",
    "Prismatic": "prismatic_joint",
    "RotSpring": "rotspring_force",
    "Distance": "distance_constraint",
    "TranSpring": "transpring_force",
    "TranSpringCB": "transpringcb_force",
    "RevSpherical": "revsph_constraint",
}


def new(name):
    return tw.Mechanism(name, gravity=(0, 0, -G))


def watched(m, body, com=(0, 0, 0)):
    """Sensors on the centre of mass."""
    place = m.frame("cg", body, origin=com)
    for kind in ("position", "velocity", "acceleration", "orientation", "angular_velocity", "angular_acceleration"):
        m.sensor(kind, kind, place)
    return m


# -- joints of the tree ------------------------------------------------------------------------------------------
def hung(kind, place, rotation, law=None):
    """A body whose joint sits two metres from its centre of mass."""

    def build():
        m = new(kind)
        body = m.body("body", mass=1.0, com=(2.0, 0, 0), inertia=(0.04, 0.1, 0.1))
        options = {} if kind == "spherical" else {"axis": "z"}
        m.joint("joint", kind, m.ground, body, origin=place, rotation=rotation, **options)
        if law is not None:
            m.joint_law("spring", "joint", law)
        return watched(m, body, (2.0, 0, 0))

    return build


def through(joint, place):
    """What a joint passes on to the ground, about a point of it."""

    def read(model, run):
        wrench = model.reactions(run["q"], run["v"], run["a"])[joint]
        origin = model.sensors(run["q"], run["v"], run["a"])["position"] - np.einsum(
            "nij,j->ni", model.sensors(run["q"], run["v"], run["a"])["orientation"], (2.0, 0, 0)
        )
        force, torque = -wrench[:, :3], -wrench[:, 3:]
        return {"Rforce": force, "Rtorque": torque + np.cross(origin - np.array(place), force)}

    return read


# -- free bodies in loops ----------------------------------------------------------------------------------------
def loose(m, place, rotation, inertia=(0.04, 0.1, 0.1)):
    body = m.body("body", mass=1.0, inertia=inertia)
    m.free("body", body, initial=[*place, *rotation])
    return body


def closed(kind, place, rotation):
    """The same body, free, with its joint as a cut."""

    def build():
        m = new(f"{kind} as a cut")
        body = loose(m, np.array(place) + 2.0 * matrix(rotation)[:, 0], rotation)
        here = m.frame("here", m.ground, origin=place, rotation=rotation)
        there = m.frame("there", body, origin=(-2.0, 0, 0))
        m.loop("cut", kind, here, there, axis="z")
        return watched(m, body)

    return build


def from_cut(rotation, hinge):
    """The multipliers of a cut are what acts on the body, torques along axle × (each axis across it)."""

    def read(model, run):
        force = -run["forces"][:, :3]
        if not hinge:
            return {"Rforce": force, "Rtorque": np.zeros_like(force)}
        turn = matrix(rotation)
        across = (turn[:, 1], -turn[:, 0])  # axle × first, axle × second
        return {"Rforce": force, "Rtorque": -sum(np.outer(run["forces"][:, 3 + k], across[k]) for k in range(2))}

    return read


def on_a_rod(point, end, place, rotation):
    """A rod without mass from a point of the ground to a point of the body."""

    def build():
        m = new("rod")
        body = loose(m, place, rotation)
        m.rod(
            "rod",
            m.frame("point", m.ground, origin=point),
            m.frame("end", body, origin=back(end, place, rotation)),
            2.0,
        )
        return ended(m)

    return build


def back(point, place, rotation):
    """A point of the world in the frame of a body that has its place and turn."""
    return tuple((matrix(rotation).T @ (np.array(point, dtype=float) - np.array(place, dtype=float))).tolist())


def ended(m):
    m.sensor("end position", "position", "end")
    return watched(m, "body")


def along_the_rod(point):
    """A rod that is pressed pushes the body away, and the ground back."""

    def read(model, run):
        span = model.sensors(run["q"], run["v"], run["a"])["end position"] - np.array(point, dtype=float)
        return {
            "Rforce": -run["forces"][:, :1] * span / np.linalg.norm(span, axis=1, keepdims=True),
            "Rtorque": 0 * span,
        }

    return read


def on_a_spring(point, end, place, rotation, law):
    def build():
        m = new("spring")
        body = loose(m, place, rotation)
        at = m.frame("end", body, origin=back(end, place, rotation))
        free = float(np.linalg.norm(np.array(end, dtype=float) - np.array(point, dtype=float)))
        m.law("spring", m.frame("point", m.ground, origin=point), at, lambda d, d_dot: law(d - free, d_dot))
        return ended(m)

    return build


def pull(model, run):
    """The only force on the body besides its weight."""
    a = model.sensors(run["q"], run["v"], run["a"])["acceleration"]
    force = -(a + np.array([0, 0, G]))
    return {"Rforce": force, "Rtorque": 0 * force}


def linear(k, c):
    return lambda stretch, rate: k * stretch + c * rate


def progressive(stretch, rate):
    return 50.0 * stretch + 10.0 * abs(stretch) * stretch + 5.0 * rate


# -- a link without mass: hinged to the ground, a ball at the body ---------------------------------------------------
def linked(point, axis, place, as_tree):
    def build():
        m = new("link")
        if as_tree:
            link = m.body("link")
            body = m.body("body", mass=1.0, com=(0, 2.0, 0), inertia=(0.1, 0.04, 0.1))
            m.revolute("hinge", m.ground, link, axis=axis, origin=point)
            m.spherical("ball", link, body, origin=(2.0, 0, 0))
            return watched(m, body, (0, 2.0, 0))
        body = loose(m, place, UNIT, (0.1, 0.04, 0.1))
        m.frame("end", body, origin=(0, -2.0, 0))
        ended(m)
        span = [s - x for s, x in zip(m.sensors["end position"].symbols, point, strict=True)]
        m.constraint("distance", sqrt(sum(s * s for s in span)) - 2.0)
        m.constraint("plane", sum(float(n) * s for n, s in zip(axis, span, strict=True)))
        return m

    return build


def of_link(point, axis, place, as_tree):
    n = np.array(axis, dtype=float)

    def read(model, run):
        if as_tree:
            found = model.reactions(run["q"], run["v"], run["a"])
            hinge, ball = -found["hinge"], found["ball"]
            return {
                "Rforce_Body1": hinge[:, :3],
                "Rtorque_Body1": hinge[:, 3:],
                "Rforce_Body2": ball[:, :3],
                "Rtorque_Body2": ball[:, 3:],
            }
        span = model.sensors(run["q"], run["v"], run["a"])["end position"] - np.array(point, dtype=float)
        e = span / np.linalg.norm(span, axis=1, keepdims=True)
        force = run["forces"][:, :1] * e + run["forces"][:, 1:2] * n
        return {
            "Rforce_Body1": -force,
            "Rtorque_Body1": -np.cross(span, force),
            "Rforce_Body2": force,
            "Rtorque_Body2": 0 * force,
        }

    return read


# -- all of them -------------------------------------------------------------------------------------------------
O, P = (0, 0, 0), (1, 2, 3)
X90, X45 = about_x(-math.pi / 2), about_x(-math.pi / 4)


def spring_of(k, c, more=0.0):
    return lambda q, v: -k * q - more * abs(q) * q - c * v


IN_LINE = (O, (0, 2, 0), (0, 4, 0), about_z(-math.pi / 2))
LINK1, LINK2 = (O, (0, 0, 1), (2, 2, 0)), (P, (0, 1, 1), (3, 4, 3))

CASES = [
    Case("Revolute_Case01", hung("revolute", O, X90), through("joint", O)),
    Case("Revolute_Case02", hung("revolute", P, X45), through("joint", P)),
    Case("Spherical_Case01", hung("spherical", O, UNIT), through("joint", O)),
    Case("Spherical_Case02", hung("spherical", P, X45), through("joint", P)),
    Case("Prismatic_Case01", hung("prismatic", O, UNIT), through("joint", O)),
    Case("Prismatic_Case02", hung("prismatic", P, X45), through("joint", P)),
    Case("Prismatic_Case03", hung("prismatic", P, X90), through("joint", P)),
    Case("RotSpring_Case01", hung("revolute", O, X90, spring_of(200.0, 10.0)), through("joint", O)),
    Case("RotSpring_Case02", hung("revolute", O, X90, spring_of(50.0, 10.0, 10.0)), through("joint", O)),
    Case("Distance_Case01", on_a_rod(O, (0, 2, 0), (0, 2, 0), UNIT), along_the_rod(O)),
    Case("Distance_Case02", on_a_rod(P, (1, 4, 3), (-1, 4, 3), UNIT), along_the_rod(P)),
    Case("Distance_Case03", on_a_rod(*IN_LINE), along_the_rod(O)),
    Case("TranSpring_Case01", on_a_spring(O, O, O, UNIT, linear(10.0, 0.5)), pull),
    Case("TranSpring_Case02", on_a_spring(O, (0, 2, 0), (0, 2, 0), UNIT, linear(100.0, 5.0)), pull),
    Case("TranSpringCB_Case01", on_a_spring(O, O, O, UNIT, linear(10.0, 0.5)), pull),
    Case("TranSpringCB_Case02", on_a_spring(O, (0, 2, 0), (0, 2, 0), UNIT, linear(100.0, 5.0)), pull),
    Case("TranSpringCB_Case03", on_a_spring(P, (1, 4, 3), (-1, 4, 3), UNIT, progressive), pull),
    Case("TranSpringCB_Case04", on_a_spring(*IN_LINE, progressive), pull),
    Case("RevSpherical_Case01", linked(*LINK1, as_tree=True), of_link(*LINK1, as_tree=True)),
    Case("RevSpherical_Case02", linked(*LINK2, as_tree=True), of_link(*LINK2, as_tree=True)),
]

#: the same cases with the joint as a cut, or as equations
CUTS = [
    Case("Revolute_Case01", closed("hinge", O, X90), from_cut(X90, True)),
    Case("Revolute_Case02", closed("hinge", P, X45), from_cut(X45, True)),
    Case("Spherical_Case01", closed("ball", O, UNIT), from_cut(UNIT, False)),
    Case("Spherical_Case02", closed("ball", P, X45), from_cut(X45, False)),
    Case("RevSpherical_Case01", linked(*LINK1, as_tree=False), of_link(*LINK1, as_tree=False)),
    Case("RevSpherical_Case02", linked(*LINK2, as_tree=False), of_link(*LINK2, as_tree=False)),
]


def results(case, tolerance=1e-12):
    """Everything ADAMS reports of a case, at 0, 0.01, ... 5 s, by the names of its files."""
    model = case.build().compile()
    state = model.state()
    for joint in model.mechanism.joints.values():
        if joint.initial is not None:
            for name, x in zip(joint.coordinates, joint.initial, strict=True):
                state.q[model.coordinates.index(name)] = x
    run = model.simulate(5.0, state=state, dt=0.01, method="DOP853", rtol=tolerance, atol=tolerance)
    q = np.column_stack([run[n] for n in model.coordinates])
    v = np.column_stack([run[f"v.{n}"] for n in model.speeds])
    core = Core(model, model.parameters, generated=False, hybrid=True)
    rates, forces = [], []
    for i in range(len(run.t)):
        _, dy, force = core.evaluate(float(run.t[i]), np.concatenate([q[i], v[i]]), np.zeros(0), forces=True)
        rates.append(dy[model.nq :])
        forces.append(force)
    rows = {"q": q, "v": v, "a": np.array(rates), "forces": np.array(forces)}
    seen = model.sensors(q, v, rows["a"])
    return {
        "Pos": seen["position"],
        "Vel": seen["velocity"],
        "Acc": seen["acceleration"],
        "Quat": quaternions(seen["orientation"]),
        "Avel": seen["angular_velocity"],
        "Aacc": seen["angular_acceleration"],
        **case.reactions(model, rows),
    }


def quaternions(turn):
    """Of rotation matrices, by the largest component, continuous in time."""
    out = []
    for r in turn:
        outer = np.array([
            [1 + r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1 - r[0, 0] + r[1, 1] - r[2, 2], r[1, 2] + r[2, 1]],
            [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1 - r[0, 0] - r[1, 1] + r[2, 2]],
        ])  # fmt: skip
        k = int(np.argmax(np.diag(outer)))
        e = outer[k] / (2 * math.sqrt(outer[k, k]))
        out.append(-e if out and out[-1] @ e < 0 else e)
    return np.array(out)

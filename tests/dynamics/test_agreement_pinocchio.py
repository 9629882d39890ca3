"""Every robot of example-robot-data, on a fixed base and flying, against Pinocchio.

All robots run as generated Python, on 20 states at once; a handful as machine code, and all of them when slow
tests are asked for. Each prints its worst errors (``pytest -rP``).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from evaluation import Array, PythonModel, by_diagonal, by_speed
from mechanisms import States, random_states
from pinocchio_oracle import PinocchioOracle

import touchweight as tw
from touchweight.bench.rivals import MissingRival
from touchweight.bench.robots import all_urdfs
from touchweight.bench.states import relative_error
from touchweight.dynamics import direct
from touchweight.simulate import equations

#: relative differences allowed; see MEASURES
TOLERANCE = 1e-9
#: states compared for each robot
COUNT = 20
#: a point of the outermost link, in its axes [m]
POINT = (0.1, -0.2, 0.3)

#: files that hold no robot: a joint to a link that is not there, and no link at all
BROKEN = ("falcon_description/urdf/falcon.urdf", "ur_description/urdf/ur3.urdf")
#: robots with fingers that have no mass, so that nothing can be accelerated: they get drives with inertia
SINGULAR = (
    "bluevolta_description/urdf/bluevolta_bravo7_gripper.urdf",
    "bravo7_description/urdf/bravo7_gripper.urdf",
    "falcon_description/urdf/falcon_bravo7_gripper.urdf",
    "romeo_description/urdf/romeo.urdf",
    "romeo_description/urdf/romeo_laas_small.urdf",
)
#: inertia of those drives [kg m²]
ARMATURE = 0.01
#: what runs as machine code every time
COMPILED = (
    ("panda_description/urdf/panda.urdf", "fixed"),
    ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    ("talos_data/robots/talos_reduced.urdf", "fixed"),
    ("solo_description/robots/solo12.urdf", "free"),
)

Measure = Callable[[Array, Array], float]
MEASURES: dict[str, Measure] = {
    "inverse": by_speed,
    "mass_matrix": by_diagonal,
    "jacobian": relative_error,
    "forward": relative_error,
}


def what_moves(urdf: Path) -> str:
    """All that the dynamics read of a URDF: robots that differ only in looks and limits are the same."""
    lines = []
    for element in ElementTree.parse(urdf).getroot():
        if element.tag == "link":
            kept = [e for e in element.iter() if e.tag in ("mass", "inertia")]
            kept += [e for inertial in element.iter("inertial") for e in inertial.iter("origin")]
        elif element.tag == "joint" and element.get("type"):
            kept = [e for e in element.iter() if e.tag in ("origin", "axis", "parent", "child")]
        else:
            continue
        kind = (element.get("type") or "").replace("continuous", "revolute")
        fields = sorted(f"{e.tag} {sorted((k, numbers(v)) for k, v in e.items())}" for e in kept)
        lines.append(f"{element.tag} {element.get('name')} {kind} {fields}")
    return "\n".join(sorted(lines))


def numbers(text: str) -> list[float] | str:
    try:
        return [float(x) for x in text.split()]
    except ValueError:
        return text


def distinct_robots() -> list[tuple[str, str]]:
    """(file, base) for every robot that moves, each only once."""
    try:
        urdfs = all_urdfs()
    except MissingRival:
        return []
    seen: dict[str, str] = {}
    for name, path in urdfs.items():
        if name not in BROKEN:
            seen.setdefault(what_moves(path), name)
    moving = {name for text, name in seen.items() if any(f" {k} " in text for k in ("revolute", "prismatic"))}
    return [(n, base) for n in seen.values() for base in ("fixed", "free") if base == "free" or n in moving]


ROBOTS = distinct_robots()
pytestmark = [
    pytest.mark.skipif(not ROBOTS, reason="the robots of example-robot-data are not installed"),
    # robots with inertias that no body has are told about; they are compared all the same
    pytest.mark.filterwarnings("ignore:body:UserWarning"),
]
each_robot = pytest.mark.parametrize(("robot", "base"), ROBOTS, ids=[f"{Path(n).stem}-{b}" for n, b in ROBOTS])


class Comparison:
    """A robot here and in Pinocchio, at the same states."""

    def __init__(self, robot: str, base: str, model: type[tw.Model] = PythonModel) -> None:
        pin = pytest.importorskip("pinocchio")
        urdf = all_urdfs()[robot]
        self.mechanism = tw.load(urdf, free_flying=base == "free", passive=False)
        self.body = outermost(self.mechanism)
        self.mechanism.frame("probe", self.body, POINT)
        self.oracle = PinocchioOracle(pin, urdf, self.mechanism)
        if robot in SINGULAR:
            assert any("mass matrix" in p.where for p in self.mechanism.check())
            self.give_armature()
        self.model = model(self.mechanism)
        self.states = random_states(self.mechanism, COUNT, seed=1)

    def give_armature(self) -> None:
        for joint in self.mechanism.joints.values():
            if joint.kind == "revolute":
                joint.armature = self.mechanism.parameter(f"{joint.name}.armature", ARMATURE, kind="mass")
                self.oracle.set_armature(joint.name, ARMATURE)

    def expected(self) -> dict[str, Array]:
        s, pin = self.states, self.oracle
        quantities: dict[str, Callable[[int], Array]] = {
            "inverse": lambda i: pin.inverse(s.q[i], s.v[i], s.a[i]),
            "mass_matrix": lambda i: pin.mass_matrix(s.q[i]),
            "jacobian": lambda i: pin.jacobian(s.q[i], self.body, POINT),
            "forward": lambda i: pin.forward(s.q[i], s.v[i], s.tau[i]),
        }
        return {name: np.array([one(i) for i in range(COUNT)]) for name, one in quantities.items()}

    def found(self, s: States) -> dict[str, Array]:
        return {
            "inverse": self.model.inverse(s.q, s.v, s.a),
            "mass_matrix": self.model.mass_matrix(s.q),
            "jacobian": self.model.jacobian("probe", s.q),
            "forward": self.model.forward(s.q, s.v, s.tau),
        }

    def found_singly(self) -> dict[str, Array]:
        s = self.states
        each = [self.found(States(s.q[i], s.v[i], s.a[i], s.tau[i])) for i in range(COUNT)]
        return {name: np.array([one[name] for one in each]) for name in each[0]}

    def check(self, found: dict[str, Array]) -> None:
        expected = self.expected()
        errors = {name: measure(found[name], expected[name]) for name, measure in MEASURES.items()}
        print(self.mechanism.name, {name: f"{error:.1e}" for name, error in errors.items()})
        allowed = dict.fromkeys(errors, TOLERANCE)
        # solving with a matrix of condition κ costs digits: no code knows accelerations better than to ε κ
        condition = float(np.linalg.cond(expected["mass_matrix"]).max())
        allowed["forward"] = max(TOLERANCE, float(np.finfo(float).eps) * condition)
        assert {n: e for n, e in errors.items() if not e < allowed[n]} == {}


def outermost(mechanism: tw.Mechanism) -> str:
    """The body with most moving joints between it and the ground."""
    depth = {"ground": 0}
    for joint in mechanism.joints.values():  # parents come first in what a reader makes
        depth[joint.child.name] = depth[joint.parent.name] + (joint.kind != "fixed")
    return max(depth, key=lambda name: depth[name])


@each_robot
def test_generated_python_agrees(robot: str, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # large robots take the form that is likely the shortest: to count out all of them takes most of the time
    for module in (direct, equations):
        monkeypatch.setattr(module, "TRIAL_SIZE", 20)
    comparison = Comparison(robot, base)
    comparison.check(comparison.found(comparison.states))


@pytest.mark.parametrize(("robot", "base"), COMPILED, ids=[f"{Path(n).stem}-{b}" for n, b in COMPILED])
def test_machine_code_agrees(robot: str, base: str) -> None:
    comparison = Comparison(robot, base, tw.Model)
    comparison.check(comparison.found_singly())


@pytest.mark.slow
@each_robot
def test_machine_code_of_every_robot_agrees(robot: str, base: str) -> None:
    """One by one, and side by side in vector lanes."""
    comparison = Comparison(robot, base, tw.Model)
    comparison.check(comparison.found_singly())
    comparison.check(comparison.found(comparison.states))


@pytest.mark.parametrize("robot", BROKEN)
def test_files_that_hold_no_robot_are_refused(robot: str) -> None:
    files = all_urdfs()
    if robot not in files:
        pytest.skip("this version of example-robot-data has no such file")
    with pytest.raises(tw.FileError, match="expected"):
        tw.load(files[robot])

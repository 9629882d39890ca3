"""MuJoCo: one step of the same robots without contacts, by Euler and by Runge-Kutta (RK4).

Contacts, limits, friction, damping, springs and actuators are off, so a step is the direct dynamics and its
integration. It is timed by a C program linked to the wheel's library; where that does not build, by
`mujoco.rollout`, and the note says so.
"""

from __future__ import annotations

import itertools
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np

from .joint_table import load_model
from .pinocchio_rival import reference
from .rivals import MissingRival, Progress, RivalTime
from .robots import urdf_path
from .states import Array, States, random_states, relative_error
from .toolchain import HERE, Program, build, run, write_array

INTEGRATORS = {"Euler step": "mjINT_EULER", "RK4 step": "mjINT_RK4"}
STEP = 1e-3
"""Seconds of a step."""
TOLERANCE = 1e-9


def import_mujoco() -> Any:
    """MuJoCo's Python module, or a sentence that says how to install it."""
    try:
        import mujoco
    except ImportError:
        raise MissingRival("MuJoCo is not installed: pip install touchweight[dev].") from None
    return mujoco


def bare_urdf(urdf: Path) -> str:
    """The URDF reduced to what moves: links with inertia, joints with axes; it names no other file."""
    robot = ElementTree.parse(urdf).getroot()
    for child in list(robot):
        if child.tag not in ("link", "joint"):
            robot.remove(child)
    for link in robot.iter("link"):
        for part in list(link):
            if part.tag != "inertial":
                link.remove(part)
    for joint in robot.iter("joint"):
        for part in list(joint):
            if part.tag not in ("origin", "parent", "child", "axis"):
                joint.remove(part)
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
        elif joint.get("type") == "prismatic":
            ElementTree.SubElement(joint, "limit", lower="-1", upper="1", effort="0", velocity="0")
    settings = {"fusestatic": "true", "discardvisual": "true", "strippath": "true", "balanceinertia": "false"}
    ElementTree.SubElement(ElementTree.SubElement(robot, "mujoco"), "compiler", settings)
    return ElementTree.tostring(robot, encoding="unicode")


BARE = (
    "CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "SPRING", "DAMPER", "ACTUATION", "SENSOR", "WARMSTART",
    "EULERDAMP", "ISLAND",
)  # fmt: skip
"""What else can be switched off without changing the motion of a robot without friction."""

SETTINGS = {"everything else off": True, "usual settings, contacts off": False}
"""How MuJoCo is set up: stripped to the bare dynamics, or as a user has it who only switches contacts off."""


def mujoco_model(urdf: Path, integrator: str, bare: bool = True) -> Any:
    """MuJoCo's model of a URDF on a fixed base without friction; `bare`: everything but the dynamics is off."""
    mujoco = import_mujoco()
    try:
        model = mujoco.MjModel.from_xml_string(bare_urdf(urdf))
    except ValueError as error:
        raise MissingRival(f"MuJoCo does not read {urdf.name}: {error}") from None
    off = mujoco.mjtDisableBit
    for name in ("CONTACT", *(BARE if bare else ())):
        model.opt.disableflags |= int(getattr(off, f"mjDSBL_{name}"))
    model.opt.integrator = getattr(mujoco.mjtIntegrator, integrator)
    model.opt.timestep = STEP
    model.opt.gravity[:] = (0.0, 0.0, -9.81)
    for passive in (model.dof_damping, model.dof_frictionloss, model.dof_armature, model.jnt_stiffness):
        passive[:] = 0.0
    return model


def joint_order(model: Any, pinocchio: Any) -> list[int]:
    """For each of MuJoCo's joints, the number of Pinocchio's joint of that name, counted from 0."""
    names = list(pinocchio.names)[1:]
    found = [model.joint(i).name for i in range(model.njnt)]
    if sorted(found) != sorted(names) or model.nv != pinocchio.nv:
        raise MissingRival(f"MuJoCo reads {model.nv} joints from the URDF where Pinocchio reads {pinocchio.nv}.")
    return [names.index(name) for name in found]


def mass_matrices(model: Any, q: Array) -> Array:
    """M at each position, (count, n, n), in MuJoCo's joint order."""
    mujoco = import_mujoco()
    data = mujoco.MjData(model)
    full = np.zeros((len(q), model.nv, model.nv))
    for position, M in zip(q, full, strict=True):
        data.qpos[:] = position
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, M)
    return full


def expected_step(pinocchio: Any, algorithm: str, states: States) -> Array:
    """What a step must give, (count, 2n): q and v after it, integrated here on Pinocchio's ABA."""

    def rate(q: Array, v: Array) -> Array:
        return reference(pinocchio, "aba", States(q, v, states.u))

    q, v, h = states.q, states.v, STEP
    k1 = rate(q, v)
    if algorithm == "Euler step":
        after = v + h * k1
        return np.hstack([q + h * after, after])
    v2 = v + h / 2 * k1
    k2 = rate(q + h / 2 * v, v2)
    v3 = v + h / 2 * k2
    k3 = rate(q + h / 2 * v2, v3)
    v4 = v + h * k3
    k4 = rate(q + h * v3, v4)
    return np.hstack([q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])


def program() -> Program:
    """The C timing program, linked to the library inside the wheel."""
    mujoco = import_mujoco()
    folder = Path(mujoco.__file__).parent
    libraries = sorted(str(file) for file in folder.glob("libmujoco*") if file.is_file())
    if not libraries:
        raise MissingRival("The MuJoCo package carries no library to link.")
    flags = ("-O3", "-march=native", "-w", f"-I{folder / 'include'}")
    source = (HERE / "mujoco_timer.c").read_text()
    link = (libraries[0], f"-Wl,-rpath,{folder}")
    return Program("mujoco_step", source, ".c", flags, link, salt=mujoco.__version__)


def time_in_c(executable: Path, model: Any, states: States, repeat: int) -> tuple[dict[str, float], Array]:
    """Best and median nanoseconds of a step in the C program, and q and v after each step."""
    mujoco = import_mujoco()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        binary, results = folder / "model.mjb", folder / "results.bin"
        mujoco.mj_saveModel(model, str(binary))
        given = write_array(folder / "states.bin", states.rows)
        report = run(executable, binary, given, results, states.count, repeat)
        return report, np.fromfile(results).reshape(states.count, -1)


def time_in_rollout(model: Any, states: States, repeat: int) -> tuple[dict[str, float], Array]:
    """The same by `mujoco.rollout`: its loop over the states is C++, but it also copies states in and out."""
    mujoco = import_mujoco()
    from mujoco import rollout

    data, n = mujoco.MjData(model), model.nv
    kept = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.zeros((states.count, mujoco.mj_stateSize(model, kept)))
    initial[:, 1 : 1 + 2 * n] = np.hstack([states.q, states.v])
    force, spec = states.u[:, None, :], int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
    passes = []
    for _ in range(repeat):
        start = time.perf_counter()
        after, _ = rollout.rollout(model, data, initial, force, control_spec=spec, nstep=1)
        passes.append(1e9 * (time.perf_counter() - start) / states.count)
    return {"best_ns": min(passes), "median_ns": float(np.median(passes))}, after[:, 0, 1 : 1 + 2 * n]


def check(found: Array, expected: Array, what: str) -> float:
    """The relative error, if it is small enough for the time to mean anything."""
    error = relative_error(found, expected)
    if not error < TOLERANCE:
        raise MissingRival(f"MuJoCo's {what} is off by {error:.1e} from Pinocchio's.")
    return error


def measure(
    robot: str, *, repeat: int, count: int = 256, cache: Path | None = None, progress: Progress | None = None
) -> list[RivalTime]:
    """MuJoCo's times on one robot, its mass matrix and its steps checked against Pinocchio."""
    mujoco = import_mujoco()
    urdf = urdf_path(robot)
    pinocchio = load_model(urdf)
    states = random_states([joint.shortname().startswith("JointModelP") for joint in list(pinocchio.joints)[1:]], count)
    try:
        executable, note = build(program(), cache, progress), "mj_step from C, the wheel's library"
    except MissingRival as reason:
        executable, note = None, f"mj_step by mujoco.rollout, not from C: {reason}"
    times = []
    for (algorithm, integrator), (variant, bare) in itertools.product(INTEGRATORS.items(), SETTINGS.items()):
        model = mujoco_model(urdf, integrator, bare)
        order = joint_order(model, pinocchio)
        ours = States(states.q[:, order], states.v[:, order], states.u[:, order])
        M = reference(pinocchio, "crba", states)[:, order][:, :, order]
        check(mass_matrices(model, ours.q), M, "mass matrix")
        if executable:
            report, found = time_in_c(executable, model, ours, repeat)
        else:
            report, found = time_in_rollout(model, ours, repeat)
        after = expected_step(pinocchio, algorithm, states)[:, order + [len(order) + i for i in order]]
        times.append(
            RivalTime(
                rival="mujoco",
                version=mujoco.__version__,
                algorithm=algorithm,
                robot=robot,
                seconds=1e-9 * report["best_ns"],
                note=note,
                variant=variant,
                median=1e-9 * report["median_ns"],
                error=check(found, after, algorithm),
            )
        )
    return times

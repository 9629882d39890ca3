"""touchweight's own times, taken by the very loop that times its rivals; all parameters live."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..codegen.callable import NativeFunction
from ..codegen.compiler import NATIVE, native_lanes
from ..codegen.levels import level_body
from ..codegen.library import build_levels, build_native, build_unit
from ..mechanism.urdf import load_urdf
from ..simulate.model import Model
from .joint_table import joint_table, load_model
from .pinocchio_rival import reference
from .rivals import MissingRival, Progress, RivalTime
from .robots import urdf_path
from .states import Array, States, random_states, relative_error
from .toolchain import HERE, Program, build, run, write_array

#: the counts a bare generator reached before condensation and regrouping, for comparison
PROTOTYPE = {
    ("inverse dynamics", "panda"): 1059, ("inverse dynamics", "ur5"): 432, ("inverse dynamics", "talos"): 4183,
    ("direct dynamics", "panda"): 2123, ("direct dynamics", "ur5"): 730, ("direct dynamics", "talos"): 8165,
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One function of ours, timed in one way."""

    function: str
    algorithm: str
    mode: str
    oracle: str


TASKS = (
    Task("inverse", "inverse dynamics", "one", "rnea"),
    Task("inverse", "batched inverse dynamics", "items", "rnea"),
    Task("inverse", "batched inverse dynamics", "elements", "rnea"),
    Task("mass_matrix", "mass matrix", "one", "crba"),
    Task("forward", "direct dynamics", "one", "aba"),
    Task("forward", "batched direct dynamics", "items", "aba"),
    Task("rates", "RK4 step", "rk4", ""),
    Task("inverse", "inverse dynamics in vector levels", "levels", "rnea"),
    Task("forward", "direct dynamics in vector levels", "levels", "aba"),
)


def timer(cache: Path | None, progress: Progress | None) -> Path:
    """The timing program, built once."""
    text = (HERE / "touchweight_timer.c").read_text(encoding="utf-8")
    header = (NATIVE / "touchweight.h").read_text(encoding="utf-8")
    flags = ("-O2", f"-I{NATIVE}", "-w")
    return build(Program("touchweight_timer", text, ".c", flags, ("-ldl",), header), cache, progress)


def robot_model(robot: str) -> Model:
    """A robot as its rivals see it: rigid bodies and joints, without friction."""
    return load_urdf(urdf_path(robot), passive=False).compile()


def measure(
    robot: str, *, repeat: int, count: int = 256, cache: Path | None = None, progress: Progress | None = None
) -> list[RivalTime]:
    """Our times on one robot."""
    model = robot_model(robot)
    pin_model = load_model(urdf_path(robot))
    rows = joint_table(pin_model)
    # ours in the order of our speeds, theirs in the order of their joints
    order = [[row.name for row in rows].index(name) for name in model.speeds]
    drawn = random_states([row.kind == "P" for row in rows], count)
    states = States(drawn.q[:, order], drawn.v[:, order], drawn.u[:, order])
    program = timer(cache, progress)
    times = []
    for task in TASKS:
        if progress:
            progress(f"touchweight: {robot}, {task.algorithm}")
        report, found, lanes, operations = time_task(model, program, task, states, repeat)
        error = None
        if task.oracle:
            error = relative_error(found, _ordered(reference(pin_model, task.oracle, drawn), order))
            if not error < 1e-9:
                raise MissingRival(f"touchweight's {task.algorithm} is off by {error:.1e} from Pinocchio's.")
        times.append(
            RivalTime(
                rival="touchweight",
                version=__version__,
                algorithm=task.algorithm,
                robot=robot,
                seconds=1e-9 * report["best_ns"],
                note="generated C, live parameters" + (f", {lanes} lanes" if lanes > 1 else ""),
                variant=_variant(task, model),
                median=1e-9 * report["median_ns"],
                operations=operations,
                error=error,
            )
        )
    return times


def _variant(task: Task, model: Model) -> str:
    if task.mode in ("items", "elements"):
        return f"{task.mode} together"
    if task.mode == "levels":
        return f"{level_body(model.function(task.function).program).levels} steps"
    return model.equations.form or "" if task.function in ("forward", "rates") else ""


def _ordered(expected: Array, order: list[int]) -> Array:
    if expected.ndim == 3:
        return expected[:, order][:, :, order]
    return expected[:, order]


def time_task(
    model: Model, timer_program: Path, task: Task, states: States, repeat: int
) -> tuple[Any, Array, int, int]:
    """(report, results, lanes, operations) of one task."""
    function = model.function(task.function)
    if not isinstance(function, NativeFunction):
        raise MissingRival("touchweight is timed as machine code, and there is no C compiler: install one.")
    lanes = native_lanes() if task.mode in ("items", "elements") else 1
    if task.mode == "levels":
        unit = build_levels(function.program, function.compiler)
    else:
        unit = build_unit(function.program, function.compiler, lanes)
    core = build_native(function.compiler)
    table = model.parameters.table(function)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        results = folder / "results.bin"
        slots = write_array(folder / "slots.bin", table)
        given = write_array(folder / "states.bin", states.rows)
        mode = "one" if task.mode == "levels" else task.mode
        sizes = (states.count, repeat, states.q.shape[1])
        report = run(timer_program, mode, unit, core, slots, given, results, *sizes)
        found = np.fromfile(results).reshape(states.count, -1)
    return report, found, lanes, function.program.operations.total

"""CasADi: the same algorithms as generated C, compiled with the flags of our own generated code."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .joint_table import JointRow, joint_table, load_model, pinocchio_model, snapped
from .pinocchio_rival import reference
from .rivals import MissingRival, Progress, RivalTime
from .robots import urdf_path
from .states import Array, States, random_states, relative_error
from .toolchain import HERE, Program, build_all, run, write_array

FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-w")
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Task:
    """One function CasADi generates."""

    variant: str
    algorithm: str
    oracle: str
    """The Pinocchio function it must agree with."""
    inputs: int
    """How many of q, v, u it takes."""


TASKS = (
    Task("rnea", "inverse dynamics", "rnea", 3),
    Task("crba", "mass matrix", "crba", 1),
    Task("aba", "direct dynamics", "aba", 3),
    Task("crba + ldl", "direct dynamics", "aba", 3),
)


def import_casadi() -> Any:
    """CasADi's Python module, or a sentence that says how to install it."""
    try:
        import casadi
    except ImportError:
        raise MissingRival("CasADi is not installed: pip install touchweight[dev].") from None
    return casadi


def function(task: Task, rows: list[JointRow]) -> Any:
    """The CasADi function of a task; the mass matrix is its upper triangle without structural zeros."""
    ca = import_casadi()
    from . import casadi_dynamics as dynamics

    n = len(rows)
    q, v, u = (ca.SX.sym(name, n) for name in ("q", "v", "u"))
    result = {
        "rnea": lambda: dynamics.inverse_dynamics(rows, q, v, u),
        "crba": lambda: ca.triu(dynamics.mass_matrix(rows, q)),
        "aba": lambda: dynamics.articulated_dynamics(rows, q, v, u),
        "crba + ldl": lambda: dynamics.factored_dynamics(rows, q, v, u),
    }[task.variant]()
    return ca.Function("rival", [q, v, u][: task.inputs], [result], {"cse": True})


def operations(f: Any) -> int:
    """Arithmetic operations and elementary functions in one evaluation."""
    ca = import_casadi()
    free = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_PARAMETER}
    return sum(f.instruction_id(k) not in free for k in range(f.n_instructions()))


def dense(f: Any, found: Array) -> Array:
    """Results (count, numbers) with the zeros CasADi left out put back, and a triangle made symmetric."""
    shape, (row, column) = f.size_out(0), f.sparsity_out(0).get_triplet()
    full = np.zeros((found.shape[0], *shape))
    full[:, row, column] = found
    if shape[0] == shape[1] > 1:
        full[:, column, row] = found
    return full


def program(task: Task, robot: str, f: Any) -> Program:
    """The generated C and its timing loop, in one file."""
    ca = import_casadi()
    generator = ca.CodeGenerator("rival", {"with_header": False})
    generator.add(f)
    source = generator.dump() + (HERE / "casadi_timer.c").read_text()
    name = f"casadi_{task.variant.replace(' + ', '_')}_{robot}"
    return Program(name, source, ".c", FLAGS, salt=ca.__version__)


def time_function(executable: Path, task: Task, f: Any, states: States, repeat: int) -> tuple[dict[str, float], Array]:
    """Run one timing program: what it reports, and its results."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        given, results = write_array(folder / "states.bin", states.rows), folder / "results.bin"
        sizes = (task.inputs, states.q.shape[1], f.nnz_out(0))
        report = run(executable, given, results, states.count, repeat, *sizes)
        return report, dense(f, np.fromfile(results).reshape(states.count, -1))


def measure(
    robot: str, *, repeat: int, count: int = 256, cache: Path | None = None, progress: Progress | None = None
) -> list[RivalTime]:
    """CasADi's times on one robot, its quarter turns made exact so that zeros vanish from the code."""
    version = import_casadi().__version__
    rows = snapped(joint_table(load_model(urdf_path(robot))))
    states = random_states([row.kind == "P" for row in rows], count)
    model = pinocchio_model(rows)
    functions = [function(task, rows) for task in TASKS]
    wanted = [program(task, robot, f) for task, f in zip(TASKS, functions, strict=True)]
    times = []
    for task, f, executable in zip(TASKS, functions, build_all(wanted, cache, progress), strict=True):
        report, found = time_function(executable, task, f, states, repeat)
        error = relative_error(found, reference(model, task.oracle, states))
        if not error < TOLERANCE:
            raise MissingRival(f"CasADi's {task.variant} is off by {error:.1e} from Pinocchio's.")
        times.append(
            RivalTime(
                rival="casadi",
                version=version,
                algorithm=task.algorithm,
                robot=robot,
                seconds=1e-9 * report["best_ns"],
                note="generated C, " + " ".join(FLAGS[:-1]),
                variant=task.variant,
                median=1e-9 * report["median_ns"],
                operations=operations(f),
                error=error,
            )
        )
    return times

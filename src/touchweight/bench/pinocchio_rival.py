"""Pinocchio, from its headers, compiled for this machine: RNEA, CRBA and ABA in both conventions.

Timing the Python bindings would measure the bindings; linking the wheel's library would measure code built
for another machine. So a small C++ program is built from the headers alone, and its results are checked
against the bindings'.
"""

from __future__ import annotations

import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from .joint_table import JointRow, import_pinocchio, joint_table, load_model, write_table
from .rivals import MissingRival, Progress, RivalTime
from .robots import urdf_path
from .states import Array, States, random_states, relative_error
from .toolchain import HERE, Program, build_all, run, write_array

FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    "-w",
)
EIGEN = {"": (), "scalar Eigen": ("-DEIGEN_DONT_VECTORIZE",)}
"""Eigen's vector code can cost Pinocchio a third of its speed on small matrices, so both builds are timed."""

ALGORITHMS = {"rnea": "inverse dynamics", "crba": "mass matrix", "aba": "direct dynamics"}
TOLERANCE = 1e-12


def packaged_headers(package: str, witness: str) -> Path | None:
    """The folder from which an installed package's header `witness` is included, if it carries it."""
    try:
        distribution = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return None
    for file in distribution.files or ():
        if file.as_posix().endswith(f"/{witness}"):
            return Path(str(distribution.locate_file(file))).resolve().parents[witness.count("/")]
    return None


def eigen_headers() -> Path:
    """Eigen's headers: the package cmeel-eigen, else those inside CasADi, else the system's."""
    found = packaged_headers("cmeel-eigen", "Eigen/Core") or packaged_headers("casadi", "Eigen/Core")
    system = Path("/usr/include/eigen3")
    if found or (system / "Eigen" / "Core").exists():
        return found or system
    raise MissingRival("Eigen's headers were not found: pip install cmeel-eigen.")


def pinocchio_headers() -> Path:
    """The folder that holds `pinocchio/` and `boost/`."""
    found = packaged_headers("libpinocchio", "pinocchio/multibody.hpp")
    found = found or packaged_headers("pin", "pinocchio/multibody.hpp")
    if found and (found / "boost").is_dir():
        return found
    raise MissingRival("The C++ headers of Pinocchio 4 were not found: pip install 'pin>=4'.")


def programs() -> dict[tuple[str, str], Program]:
    """The timing programs by algorithm and kind of Eigen: apart, so that they build side by side."""
    includes = ("-isystem", str(pinocchio_headers()), "-isystem", str(eigen_headers()))
    source = (HERE / "pinocchio_timer.cpp").read_text()
    version = import_pinocchio().__version__
    found = {}
    for name in ALGORITHMS:
        for eigen, extra in EIGEN.items():
            title = "_".join(["pinocchio", name, *eigen.lower().split()])
            flags = (*FLAGS, *extra, f"-DALGORITHM_{name.upper()}", *includes)
            found[name, eigen] = Program(title, source, ".cpp", flags, salt=version)
    return found


def reference(model: Any, algorithm: str, states: States) -> Array:
    """The Python bindings' results, (count, n) or (count, n, n): what every rival is checked against."""
    pin = import_pinocchio()
    data = model.createData()
    results = []
    for q, v, u in zip(states.q, states.v, states.u, strict=True):
        if algorithm == "crba":
            upper = np.triu(pin.crba(model, data, q))
            results.append(upper + np.triu(upper, 1).T)
        else:
            results.append(getattr(pin, algorithm)(model, data, q, v, u).copy())
    return np.array(results)


def time_table(
    executable: Path, rows: list[JointRow], states: States, repeat: int
) -> list[tuple[dict[str, Any], Array]]:
    """Run one timing program on one robot: for each convention, what it reports and its results."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        table, results = folder / "table.txt", folder / "results.bin"
        table.write_text(write_table(rows))
        given = write_array(folder / "states.bin", states.rows)
        reports = run(executable, table, given, results, states.count, repeat)
        found = np.fromfile(results).reshape(len(reports), states.count, -1)
    return list(zip(reports, found, strict=True))


def measure(
    robot: str, *, repeat: int, count: int = 256, cache: Path | None = None, progress: Progress | None = None
) -> list[RivalTime]:
    """Pinocchio's times on one robot. The first call on a machine builds for some minutes."""
    model = load_model(urdf_path(robot))
    rows = joint_table(model)
    states = random_states([row.kind == "P" for row in rows], count)
    wanted = programs()
    times = []
    for (name, eigen), executable in zip(wanted, build_all([*wanted.values()], cache, progress), strict=True):
        expected = reference(model, name, states)
        for report, found in time_table(executable, rows, states, repeat):
            error = relative_error(found, expected)
            variant = ", ".join(filter(None, (name, report["variant"], eigen)))
            if not error < TOLERANCE:
                raise MissingRival(f"The timing program's {variant} is off by {error:.1e} from Pinocchio's bindings.")
            times.append(
                RivalTime(
                    rival="pinocchio",
                    version=import_pinocchio().__version__,
                    algorithm=ALGORITHMS[name],
                    robot=robot,
                    seconds=1e-9 * report["best_ns"],
                    note="C++ from the headers, -O3 -march=native",
                    variant=variant,
                    median=1e-9 * report["median_ns"],
                    error=error,
                )
            )
    return times

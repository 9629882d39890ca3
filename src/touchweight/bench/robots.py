"""Where the robots' URDF files are: the package example-robot-data, which carries about forty robots."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from .rivals import MissingRival

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}
"""Benchmark name -> file, relative to the package's folder of robots."""

PACKAGE = "example-robot-data"


def all_urdfs() -> dict[str, Path]:
    """Every URDF in the package: path relative to the folder of robots -> file, in alphabetical order."""
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise MissingRival(
            f"The robots are in the package {PACKAGE}, which is not installed: pip install touchweight[dev]."
        ) from None
    marker = f"{PACKAGE}/robots/"
    found = {}
    for file in distribution.files or ():
        name = file.as_posix().partition(marker)[2]
        if file.suffix == ".urdf" and name:
            found[name] = Path(str(distribution.locate_file(file))).resolve()
    return dict(sorted(found.items()))


def urdf_path(robot: str) -> Path:
    """The URDF file of a benchmark robot: "panda" (9 joints), "ur5" (6) or "talos" (32, fixed base)."""
    if robot not in ROBOTS:
        raise ValueError(f"Expected one of the robots {', '.join(ROBOTS)}, found {robot!r}.")
    urdfs = all_urdfs()
    if ROBOTS[robot] not in urdfs:
        raise MissingRival(f"The installed {PACKAGE} has no {ROBOTS[robot]}: pip install --upgrade touchweight[dev].")
    return urdfs[ROBOTS[robot]]

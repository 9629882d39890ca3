"""The rivals measured together: what each takes, on which robot, or why it could not be measured."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[str], None]

RIVALS = ("pinocchio", "casadi", "mujoco")
"""Each has a module `<name>_rival` with a function `measure`."""


class MissingRival(RuntimeError):
    """A rival cannot be measured here; the message is one sentence that says why and what to install."""


@dataclass(frozen=True)
class RivalTime:
    """One algorithm of one rival on one robot."""

    rival: str
    """Whose code: "pinocchio", "casadi" or "mujoco"."""
    version: str
    """The rival's version; empty when it was not measured."""
    algorithm: str
    """Inverse dynamics, mass matrix, direct dynamics, Euler step or RK4 step; all when none was measured."""
    robot: str
    seconds: float | None
    """Seconds per call, the best of the passes; None when not measured."""
    note: str
    """How it was measured, or why it was not."""
    variant: str = ""
    """Which form of the algorithm ("aba, world", "crba + ldl", ...)."""
    median: float | None = None
    """Seconds per call in the median pass."""
    operations: int | None = None
    """Arithmetic operations and functions in generated code."""
    error: float | None = None
    """Largest relative difference from Pinocchio's Python results over the states."""


def measure_rivals(
    robots: Iterable[str] = ("panda", "ur5", "talos"),
    repeat: int = 200,
    progress: Progress | None = None,
    *,
    count: int = 256,
    cache: Path | None = None,
    rivals: Iterable[str] = RIVALS,
) -> list[RivalTime]:
    """Time every rival on every robot: the best of `repeat` passes over `count` random states.

    `progress` is told in words what comes next. Built programs are kept in `cache`, which is
    `toolchain.default_cache()` if not given. A rival that cannot be measured gives an entry without a time
    whose note says why.
    """
    say = progress or (lambda _: None)
    names = tuple(rivals)
    times: list[RivalTime] = []
    for robot in robots:
        for rival in names:
            say(f"{rival}: {robot}")
            module = importlib.import_module(f"{__package__}.{rival}_rival")
            try:
                times += module.measure(robot, repeat=repeat, count=count, cache=cache, progress=say)
            except MissingRival as reason:
                times.append(RivalTime(rival, "", "all", robot, None, str(reason)))
    return times

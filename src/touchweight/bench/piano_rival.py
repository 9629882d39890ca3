"""An explicit code for the same action, from a file outside: ``--rival PATH``, timed in the same run."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import TouchweightError, printable

#: its largest stable step [s]: at 120 µs the same blow explodes
LARGEST_STEP = 1e-4

#: what a control loop gives [s]
TICK = 5e-4


@dataclass(frozen=True)
class RivalTime:
    """Time of an explicit code.

    Attributes:
        what: its file.
        step_s: its step [s].
        steps: its steps for each tick.
        tick_us: best mean time for one key and one tick, called for the whole blow at once [µs].
        strike: speed at which the hammer meets the string [m/s], to see that it does what ours does.
    """

    what: str
    step_s: float
    steps: int
    tick_us: float
    strike: float


def load_rival(path: Path) -> ModuleType:
    """The module at a path: it must have P, settle, run and onsets, as a check model of the action has."""
    spec = importlib.util.spec_from_file_location("piano_rival_outside", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise TouchweightError(f"expected a Python file for --rival, found {printable(str(path), 80)!r}; give its path")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise TouchweightError(
            f"expected {printable(str(path), 80)} to load, found {type(error).__name__}: {printable(str(error), 120)}"
        ) from None
    missing = [name for name in ("P", "settle", "run", "onsets") if not hasattr(module, name)]
    if missing:
        raise TouchweightError(f"expected P, settle, run and onsets in the rival, found no {', '.join(missing)}")
    return module


def time_rival(path: Path, repeat: int, force: float = 35.0, duration: float = 0.3) -> RivalTime:
    """A hard blow by the rival at its largest stable step."""
    rival: Any = load_rival(path)
    numbers = {**rival.P, "dt": LARGEST_STEP}
    _, rest = rival.settle(numbers, 0.6)
    t = 2e-4 * np.arange(round(duration / 2e-4) + 2)
    drive = np.where(t < 0.15, force * np.minimum(1.0, t / 0.01), 0.0)
    best, ticks = np.inf, round(duration / TICK)
    for _ in range(max(3, repeat)):
        begun = time.perf_counter()
        found, _ = rival.run(numbers, duration, 0, drive, 2e-4, rest, 50)
        best = min(best, time.perf_counter() - begun)
    found, _ = rival.run(numbers, duration, 0, drive, 2e-4, rest, 1)
    strikes = rival.onsets(found)
    return RivalTime(
        path.name, LARGEST_STEP, round(TICK / LARGEST_STEP), 1e6 * best / ticks, strikes[0][1] if strikes else 0.0
    )

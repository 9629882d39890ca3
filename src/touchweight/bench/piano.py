"""``touchweight bench piano``: one key's step, and 88 different keys being played on one core."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ..codegen.callable import Array
from ..library.piano.action import build
from ..library.piano.compass import HIGHEST, LOWEST, action_for
from ..simulate.core import Core
from ..simulate.ensemble import Ensemble
from ..simulate.model import Model
from .piano_rival import time_rival

#: what a control loop gives [s]
TICK = 5e-4

#: time in which the actions come to rest before anything is timed [s]
SETTLING = 0.4

#: a hard blow [N], and how long it is looked at [s]
BLOW, BLOW_TIME = 35.0, 0.3

#: the 88 keys are played for so long [s]
PLAYING = 1.0

#: forces of the strokes [N], softest and hardest; from stroke to stroke of one key [s]
FORCES, AGAIN = (2.0, 35.0), (0.18, 0.6)

#: steps for each tick where hard blows should come out to a few percent
FINE = 2

_MOREAU = 3


@dataclass(frozen=True)
class StepTime:
    """Times of one key's steps [µs], best of several runs for each step.

    Attributes:
        what: which code.
        step_s: length of a step [s].
        mean_us: over the stroke.
        worst_us: the slowest step.
        looks: mean number of looks at the contact problem.
        most_looks: in any step.
    """

    what: str
    step_s: float
    mean_us: float
    worst_us: float
    looks: float
    most_looks: int


@dataclass(frozen=True)
class KeysTime:
    """Times of a tick of many keys, all being played, on one core.

    Attributes:
        keys: how many.
        lanes: keys side by side in a register.
        steps: steps of the method for each tick.
        tick_us: mean over the run, best of several runs for each tick [µs].
        worst_us: the slowest tick [µs].
        per_key_us: mean for one key and one tick [µs].
        real_time: how many times faster than real time.
        looks: mean number of looks of a key's step.
        strikes: hammers that met their strings.
        residual: largest residual of any contact problem [sqrt J].
    """

    keys: int
    lanes: int
    steps: int
    tick_us: float
    worst_us: float
    per_key_us: float
    real_time: float
    looks: float
    strikes: int
    residual: float


def blow(t: Array, force: float, hold: float = 0.15) -> Array:
    """Force of a finger that strikes at time 0, holds, and lets go [N]."""
    out: Array = np.where((t >= 0.0) & (t < hold), force * np.clip(t / 0.01, 0.0, 1.0), 0.0)
    return out


def playing(t: Array, keys: int, seed: int = 1) -> Array:
    """Forces on all keys [N], (times, keys): strokes of their own force, pace and phase, over and over."""
    random = np.random.default_rng(seed)
    soft, loud = FORCES
    force = soft * (loud / soft) ** random.uniform(0.0, 1.0, keys)
    pace = random.uniform(*AGAIN, keys)
    phase = random.uniform(0.0, 1.0, keys) * pace
    since = (t[:, None] + phase) % pace
    out: Array = np.where(since < 0.6 * pace, force * np.clip(since / 0.01, 0.0, 1.0), 0.0)
    return out


# -- one key ---------------------------------------------------------------------------------------------------------
def time_core(model: Model, dt: float, repeat: int) -> StepTime:
    """One key by the general core, called step by step."""
    count = round(BLOW_TIME / dt)
    best, looks = np.full(count, np.inf), np.zeros(count)
    u = blow(dt * np.arange(count, dtype=np.float64), BLOW)[:, None].copy()
    rest = _settled(model, [{}], dt)
    for _ in range(repeat):
        core = Core(model, model.state().parameters, contacts=True)
        y = rest._copies_of_state()[0].copy()
        core.impulse[: rest._forces] = rest.impulses()[0]
        record, residual = np.empty((1, len(y))), np.empty(1)
        rows = [u[i : i + 1] for i in range(count)]
        for i in range(count):
            begun = time.perf_counter()
            core.integrate(_MOREAU, i * dt, dt, 1, y, rows[i], 0, 1, record, residual)
            best[i] = min(best[i], time.perf_counter() - begun)
            looks[i] = core.memory.contact_iterations
    return _step_time("general core", dt, best, looks)


def time_one(model: Model, dt: float, repeat: int) -> StepTime:
    """One key by the unit generated for it, called step by step."""
    count = round(BLOW_TIME / dt)
    best, looks = np.full(count, np.inf), np.zeros(count)
    u = blow(dt * np.arange(count, dtype=np.float64), BLOW)[:, None].copy()
    for _ in range(repeat):
        ensemble = _settled(model, [{}], dt)
        seconds, looks = _ticks(ensemble, u[:, None], dt, 1)
        best = np.minimum(best, seconds)
    return _step_time("generated unit", dt, best, looks)


def _step_time(what: str, dt: float, seconds: Array, looks: Array) -> StepTime:
    return StepTime(what, dt, 1e6 * float(seconds.mean()), 1e6 * float(seconds.max()), float(looks.mean()),
                    int(looks.max()))  # fmt: skip


def call_time(repeat: int = 2000) -> float:
    """What reading the clock twice and calling an empty function costs by itself [µs]."""
    seconds = []
    for _ in range(repeat):
        begun = time.perf_counter()
        os.getpid()
        seconds.append(time.perf_counter() - begun)
    return 1e6 * min(seconds)


# -- all keys --------------------------------------------------------------------------------------------------------
def _settled(model: Model, parameters: list[dict[str, float]], dt: float, lanes: int | None = None) -> Ensemble:
    """Actions at rest."""
    ensemble = Ensemble(model, parameters, lanes=lanes)
    ensemble.run(SETTLING, dt=dt, record=[])
    return ensemble


def _ticks(ensemble: Ensemble, u: Array, dt: float, steps: int) -> tuple[Array, Array]:
    """Seconds of every tick, and looks of every key in its last step; ``u`` is (ticks, copies, nu)."""
    advance = ensemble.stepper(dt, steps)
    seconds, looks = np.empty(len(u)), np.empty((len(u), ensemble.copies))
    rows = ensemble.inputs
    for i, row in enumerate(u):
        rows[:] = row
        begun = time.perf_counter()
        advance()
        seconds[i] = time.perf_counter() - begun
        looks[i] = ensemble.looks
    return seconds, looks


def time_keys(model: Model, repeat: int, steps: int = 1, lanes: int | None = None) -> KeysTime:
    """All keys of a piano, each with parameters of its own, all being played; a tick at a time."""
    parameters = [action_for(k) for k in range(LOWEST, HIGHEST + 1)]
    keys, dt = len(parameters), TICK / steps
    t = TICK * np.arange(round(PLAYING / TICK), dtype=np.float64)
    u = playing(t, keys)[:, :, None].copy()
    best = np.full(len(t), np.inf)
    for _ in range(repeat):
        ensemble = _settled(model, parameters, dt, lanes)
        seconds, looks = _ticks(ensemble, u, dt, steps)
        best = np.minimum(best, seconds)
    mean = float(best.mean())
    return KeysTime(
        keys, ensemble.lanes, steps, 1e6 * mean, 1e6 * float(best.max()), 1e6 * mean / keys, TICK / mean,
        float(looks.mean()), _strikes(model, parameters, u, steps), float(ensemble.worst_residual.max()),
    )  # fmt: skip


def _strikes(model: Model, parameters: list[dict[str, float]], u: Array, steps: int) -> int:
    """How often a hammer met its string in the run that was timed."""
    ensemble = _settled(model, parameters, TICK / steps)
    contact = [c.name for c in model.mechanism.contacts.values()].index("hammer-string")
    advance = ensemble.stepper(TICK / steps, steps)
    count, before = 0, np.zeros(len(parameters), dtype=bool)
    for row in u:
        ensemble.inputs[:] = row
        advance()
        now = ensemble.impulses()[:, contact] > 0.0
        count += int(np.sum(now & ~before))
        before = now
    return count


def run(repeat: int = 5, rival: Path | None = None) -> dict[str, Any]:
    """Measure everything; the result is what ``--json`` prints."""
    model = build("force").compile()
    one = [time_core(model, TICK, repeat), time_one(model, TICK, repeat)]
    keys = [time_keys(model, repeat), time_keys(model, repeat, FINE)]
    found: dict[str, Any] = {
        "tick_s": TICK,
        "one_key": [asdict(x) for x in one],
        "keys": [asdict(x) for x in keys],
        "clock_us": call_time(),
    }
    if rival is not None:
        theirs = time_rival(rival, repeat)
        found["rival"] = {
            **asdict(theirs),
            "ratio_one_key": theirs.tick_us / one[1].mean_us,
            "ratio_keys": theirs.tick_us / keys[0].per_key_us,
        }
    return found


def main(repeat: int = 5, as_json: bool = False, rival: Path | None = None) -> None:
    """Print the tables, or JSON."""
    found = run(repeat, rival)
    if as_json:
        print(json.dumps(found, indent=2))
        return
    console = Console()
    table = Table(title=f"One key, a blow of {BLOW:g} N, steps of {1e3 * TICK:g} ms")
    for column in ("", "step (µs)", "worst (µs)", "looks", "most"):
        table.add_column(column)
    for row in found["one_key"]:
        table.add_row(
            row["what"],
            f"{row['mean_us']:.2f}",
            f"{row['worst_us']:.2f}",
            f"{row['looks']:.1f}",
            str(row["most_looks"]),
        )
    console.print(table)
    table = Table(title=f"{found['keys'][0]['keys']} different keys, all played, one core, ticks of {1e3 * TICK:g} ms")
    for column in ("steps a tick", "lanes", "tick (µs)", "worst (µs)", "a key (µs)", "× real time", "strikes"):
        table.add_column(column)
    for row in found["keys"]:
        table.add_row(
            str(row["steps"]), str(row["lanes"]), f"{row['tick_us']:.1f}", f"{row['worst_us']:.1f}",
            f"{row['per_key_us']:.3f}", f"{row['real_time']:.1f}", str(row["strikes"]),
        )  # fmt: skip
    console.print(table)
    if "rival" in found:
        theirs = found["rival"]
        console.print(
            f"{theirs['what']}: {theirs['tick_us']:.2f} µs for a key and tick ({theirs['steps']} steps); "
            f"{theirs['ratio_one_key']:.1f} times one key's step, {theirs['ratio_keys']:.1f} times a key among many"
        )

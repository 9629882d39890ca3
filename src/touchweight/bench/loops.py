"""``touchweight bench loops``: a Stewart platform beside MuJoCo's, and events beside SciPy's, in one run."""

from __future__ import annotations

import functools
import json
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ..codegen.callable import Array
from ..library.classics import four_bar, stewart
from ..mechanism import Mechanism
from ..simulate.assembly import start
from ..simulate.core import Core
from ..simulate.model import Model
from ..simulate.state import State
from .events import best_of, measure_events
from .mjcf_writer import to_mjcf
from .mujoco_rival import import_mujoco
from .rivals import MissingRival

#: step of the platform [s], and steps of one run
STEP, STEPS = 1e-3, 1000


@dataclass(frozen=True)
class LoopTime:
    """Time of a step and how well the loops stay closed.

    Attributes:
        what: whose, and with which settings.
        step_us: best time of one step [µs].
        open_m: largest distance between the two sides of a loop over the run [m].
        note: what else to know.
    """

    what: str
    step_us: float
    open_m: float
    note: str = ""


def platform() -> tuple[Mechanism, Model, State, Array]:
    """The platform, its model, its closed start, and leg forces that nearly carry it."""
    mechanism = stewart.build()
    model = mechanism.compile()
    state = model.state()
    start(model, state, None, None)
    hold = _holding(model, state)
    # a little more on one side, so that it tilts and swings
    return mechanism, model, state, hold * (1.0 + 0.02 * np.cos(np.arange(len(hold))))


def _holding(model: Model, state: State) -> Array:
    """Constant inputs that hold the platform where it is: the accelerations are linear in them."""
    n = len(model.inputs)
    rest = model.forward(state.q, state.v, u=np.zeros(n))
    answers = np.array([model.forward(state.q, state.v, u=row) - rest for row in np.eye(n)])
    found: Array = np.linalg.lstsq(answers.T, -rest, rcond=None)[0]
    return found


def measure_ours(repeat: int) -> list[LoopTime]:
    """Our step by the generated partition and by the generic path."""
    _, model, state, u = platform()
    out = []
    for generated in (True, False):
        name = "generated partition" if generated else "generic path"
        core = Core(model, state.parameters, generated=generated)
        start_y = np.concatenate([state.q, state.v, state.x])
        for method, number in (("RK4", 1), ("Euler", 0)):
            core.memory.newton = core.memory.evaluations = core.memory.most_newton = 0
            residual = np.empty(STEPS)
            seconds = best_of(repeat, functools.partial(_run_ours, core, number, start_y, u, residual))
            found = core.statistics
            note = f"Newton steps: {found.newton / found.evaluations:.2f} an evaluation, at most {found.most_newton}"
            out.append(LoopTime(f"touchweight {method}, {name}", 1e6 * seconds / STEPS, float(residual.max()), note))
    return out


def _run_ours(core: Core, method: int, start_y: Array, u: Array, residual: Array) -> None:
    record = np.empty((STEPS, len(start_y)))
    core.integrate(method, 0.0, STEP, STEPS, start_y.copy(), u, 0, 1, record, residual)


def evaluation_time(repeat: int) -> tuple[float, int]:
    """Direct dynamics of the platform at a closed state, loops closed first [µs]; equations solved."""
    _, model, state, u = platform()
    core = Core(model, state.parameters)
    y = np.concatenate([state.q, state.v, state.x])
    dy = np.empty_like(y)
    ffi, native = core.ffi, core.native
    at, inputs, rates = (ffi.cast("double *", a.ctypes.data) for a in (y, u, dy))
    system, memory, work, null = core.system, core.memory, core.work, ffi.NULL

    def run() -> None:
        for _ in range(1000):
            native.tw_evaluate(system, memory, 0.0, at, inputs, null, rates, null, work)

    return 1e3 * best_of(repeat, run), model.nv - len(model.loops().chosen.partition.rows)


def measure_mujoco(repeat: int) -> list[LoopTime]:
    """MuJoCo's step of the same platform from the same start under the same leg forces."""
    mujoco = import_mujoco()
    from mujoco import rollout

    mechanism, model, state, u = platform()
    out = []
    for integrator in ("RK4", "Euler"):
        for solref, name in (("", "default solref"), (f"{2 * STEP!r} 1", "stiffest solref")):
            theirs = mujoco.MjModel.from_xml_string(to_mjcf(mechanism, STEP, integrator, solref))
            data = mujoco.MjData(theirs)
            _place(mujoco, theirs, data, model, state, u)
            full = mujoco.mjtState.mjSTATE_FULLPHYSICS
            initial = np.empty(mujoco.mj_stateSize(theirs, full))
            mujoco.mj_getState(theirs, data, initial, full)
            control = np.tile(data.ctrl, (1, STEPS, 1))
            seconds = best_of(repeat, functools.partial(rollout.rollout, theirs, data, initial[None, :], control))
            gap = _gap(mujoco, theirs, data, initial)
            out.append(LoopTime(f"MuJoCo {integrator}, {name}", 1e6 * seconds / STEPS, gap))
    return out


def _place(mujoco: Any, theirs: Any, data: Any, model: Model, state: State, u: Array) -> None:
    """The same coordinates and inputs, by name."""
    for name, value in zip(model.coordinates, state.q, strict=True):
        stem, _, part = name.rpartition(".")
        ball = part in ("qw", "qx", "qy", "qz")
        index = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, stem if ball else name)
        offset = ("qw", "qx", "qy", "qz").index(part) if ball else 0
        data.qpos[theirs.jnt_qposadr[index] + offset] = value
    for name, value in zip(model.inputs, u, strict=True):
        data.ctrl[mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_ACTUATOR, name)] = value


def _gap(mujoco: Any, theirs: Any, data: Any, initial: Array) -> float:
    """The largest distance between the sites of a connection over the run [m]."""
    mujoco.mj_setState(theirs, data, initial, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    worst = 0.0
    for _ in range(STEPS):
        mujoco.mj_step(theirs, data)
        mujoco.mj_kinematics(theirs, data)
        for a, b in zip(theirs.eq_obj1id, theirs.eq_obj2id, strict=True):
            worst = max(worst, float(np.linalg.norm(data.site_xpos[a] - data.site_xpos[b])))
    return worst


def worst_step(repeat: int) -> dict[str, float]:
    """Times of single steps of a parallelogram [µs]: the usual one, and the worst through its flat position."""
    model = four_bar.build().compile()
    state = model.state()
    state.v[:] = [1.0 if name.startswith("rod") else -1.0 for name in model.speeds]
    start(model, state, None, None)
    core = Core(model, state.parameters)
    y = np.concatenate([state.q, state.v])
    record, residual = np.empty((1, len(y))), np.empty(1)
    best = np.full(4000, np.inf)
    for _ in range(repeat):
        core = Core(model, state.parameters)
        y = np.concatenate([state.q, state.v])
        for i in range(len(best)):
            begun = time.perf_counter()
            core.integrate(1, i * 1e-3, 1e-3, 1, y, np.zeros(1), 0, 1, record, residual)
            best[i] = min(best[i], time.perf_counter() - begun)
    return {"usual": 1e6 * float(np.median(best)), "worst": 1e6 * float(np.max(best))}


def run(repeat: int = 20) -> dict[str, Any]:
    """Measure everything; the result is what ``--json`` prints."""
    ours = measure_ours(repeat)
    try:
        theirs = measure_mujoco(max(3, repeat // 4))
    except MissingRival as error:
        theirs = []
        note = str(error)
    else:
        note = ""
    ours = [min(pair, key=lambda x: x.step_us) for pair in zip(ours, measure_ours(repeat), strict=True)]
    evaluation, equations = evaluation_time(repeat)
    return {
        "steps": [asdict(t) for t in (*ours, *theirs)],
        "missing": note,
        "evaluation_us": evaluation,
        "equations": equations,
        "events": [asdict(e) for e in measure_events(max(3, repeat // 4))],
        "single_step_us": worst_step(max(3, repeat // 4)),
    }


def main(repeat: int = 20, as_json: bool = False) -> None:
    """Print the tables, or JSON."""
    found = run(repeat)
    if as_json:
        print(json.dumps(found, indent=2))
        return
    console = Console()
    table = Table(title=f"Stewart platform, {STEPS} steps of {STEP:g} s")
    for column in ("", "step (µs)", "loops open by at most (m)", ""):
        table.add_column(column)
    for row in found["steps"]:
        table.add_row(row["what"], f"{row['step_us']:.2f}", f"{row['open_m']:.1e}", row["note"])
    console.print(table)
    if found["missing"]:
        console.print(found["missing"])
    console.print(
        f"direct dynamics, loops closed first: {found['evaluation_us']:.2f} µs, {found['equations']} equations"
    )
    table = Table(title="Bouncing ball, time of one event")
    for column in ("", "event (µs)", "events", "largest error (s)"):
        table.add_column(column)
    for row in found["events"]:
        table.add_row(row["what"], f"{row['event_us']:.1f}", str(row["events"]), f"{row['error_s']:.1e}")
    console.print(table)
    single = found["single_step_us"]
    console.print(
        f"a parallelogram's step, called singly: {single['usual']:.1f} µs usually, {single['worst']:.1f} µs at worst, "
        "through its flat position"
    )

"""``touchweight bench contact``: friction problems beside the solvers of Siconos, in one run, at equal accuracy."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ..codegen.compiler import NATIVE
from ..codegen.compiler import find_compiler as find_ours
from ..codegen.library import build_native
from .friction_problems import FrictionProblem, problems
from .rivals import MissingRival
from .states import Array
from .toolchain import HERE, Program, build, write_array
from .toolchain import run as run_program

#: where Debian's packages put the headers of Siconos
SICONOS = Path("/usr/include/siconos")
#: an answer within so many tolerances still counts as solved: measures differ in the last digit
SLACK = 10.0


@dataclass(frozen=True)
class Timed:
    """One solver on one problem.

    Attributes:
        solver: touchweight, or which of Siconos'.
        solved: whether it says so and its error by Siconos' measure agrees.
        error: that error, relative to |q|.
        seconds: of the best pass.
        median: of the median pass [s].
        iterations: sweeps or steps.
        r: impulses found.
        u: speeds found.
    """

    solver: str
    solved: bool
    error: float
    seconds: float
    median: float
    iterations: int
    r: Array
    u: Array


@dataclass(frozen=True)
class Compared:
    """A problem and what the solvers made of it; ours first, then ours with sweeps only."""

    problem: FrictionProblem
    found: tuple[Timed, ...]

    @property
    def ours(self) -> Timed:
        """Our answer."""
        return self.found[0]

    @property
    def theirs(self) -> list[Timed]:
        """Those of Siconos that solved it."""
        return [t for t in self.found[2:] if t.solved]

    @property
    def ratio(self) -> float | None:
        """How many times longer the fastest of theirs takes; None where none of theirs or ours solved it."""
        if not self.theirs or not self.ours.solved:
            return None
        return min(t.seconds for t in self.theirs) / self.ours.seconds

    @property
    def nsgs_ratio(self) -> float | None:
        """The same for Gauss-Seidel alone, in its faster storage."""
        sweeps = [t.seconds for t in self.theirs if t.solver.startswith("NSGS")]
        return min(sweeps) / self.ours.seconds if sweeps and self.ours.solved else None

    @property
    def difference(self) -> float | None:
        """Of r from the most accurate of theirs, relative to its largest entry; None where there is none."""
        if not self.theirs or not self.ours.solved:
            return None
        best = min(self.theirs, key=lambda t: t.error)
        size = float(np.max(np.abs(best.r)))
        return float(np.max(np.abs(best.r - self.ours.r))) / (size or 1.0)


def timer(cache: Path | None = None) -> Path:
    """The timing program; raises MissingRival where Siconos or a compiler is not there."""
    if not (SICONOS / "numerics" / "FrictionContactProblem.h").exists():
        raise MissingRival("Siconos was not found: install it with apt-get install siconos (Debian, Ubuntu).")
    flags = ("-O2", f"-I{NATIVE}", f"-I{SICONOS}", f"-I{SICONOS / 'numerics'}")
    text = (HERE / "siconos_timer.c").read_text(encoding="utf-8")
    header = (NATIVE / "touchweight.h").read_text(encoding="utf-8")
    program = Program(
        "siconos_timer", text, ".c", flags, ("-lsiconos_numerics", "-lsiconos_externals", "-ldl"), salt=header
    )
    return build(program, cache)


def compare(
    given: Sequence[FrictionProblem],
    tolerance: float = 1e-10,
    passes: int = 50,
    seconds: float = 0.2,
    cache: Path | None = None,
) -> list[Compared]:
    """Solve every problem by ours and by Siconos' solvers, each timed inside its own call.

    Each is called up to ``passes`` times, and no more after ``seconds`` [s].
    """
    compiler = find_ours()
    if compiler is None:
        raise MissingRival("No C compiler was found: install gcc or clang.")
    program, core = timer(cache), build_native(compiler)
    with tempfile.TemporaryDirectory(prefix="touchweight-") as scratch:
        parts = [np.concatenate([[p.dimension, p.contacts], p.W.ravel(), p.q, p.mu]).astype(np.float64) for p in given]
        path = write_array(Path(scratch) / "problems", np.concatenate(parts) if parts else np.zeros(0))
        results = Path(scratch) / "results"
        told = run_program(program, core, path, results, repr(tolerance), passes, repr(seconds))
        numbers = np.fromfile(results)
    out, at = [], 0
    for problem, solvers in zip(given, told, strict=True):
        m = len(problem.q)
        found = []
        for s in solvers:
            r, u = numbers[at : at + m], numbers[at + m : at + 2 * m]
            at += 2 * m
            good = s["ok"] and s["error"] <= SLACK * tolerance
            found.append(
                Timed(s["solver"], good, s["error"], s["best"], s["median"], s["iterations"], r.copy(), u.copy())
            )
        out.append(Compared(problem, tuple(found)))
    return out


def summary(found: Sequence[Compared]) -> list[dict[str, Any]]:
    """A row for every dimension and number of contacts (of stacks: the nearest below)."""
    rows = []
    for key in sorted({(c.problem.dimension, c.problem.contacts) for c in found}):
        these = [c for c in found if (c.problem.dimension, c.problem.contacts) == key]
        both = [c for c in these if c.ratio is not None]
        ratios = [c.ratio for c in both if c.ratio is not None]
        sweeps = [c.nsgs_ratio for c in these if c.nsgs_ratio is not None]
        differences = [c.difference for c in these if c.problem.definite and c.difference is not None]
        rows.append(
            {
                "dimension": key[0],
                "contacts": key[1],
                "problems": len(these),
                "ours_solved": sum(c.ours.solved for c in these),
                "nsgs_solved": sum(any(t.solver.startswith("NSGS") for t in c.theirs) for c in these),
                "theirs_solved": sum(bool(c.theirs) for c in these),
                "ours_us": 1e6 * float(np.median([c.ours.seconds for c in both])) if both else None,
                "theirs_us": 1e6 * float(np.median([min(t.seconds for t in c.theirs) for c in both])) if both else None,
                "ratio": float(np.median(ratios)) if ratios else None,
                "least_ratio": float(np.min(ratios)) if ratios else None,
                "nsgs_ratio": float(np.median(sweeps)) if sweeps else None,
                "slower": sum(x < 1.0 for x in ratios),
                "difference": max(differences) if differences else None,
            }
        )
    return rows


def run(each: int = 3, passes: int = 50, seed: int = 1) -> dict[str, Any]:
    """Measure everything; the result is what ``--json`` prints."""
    found = compare(problems(each, seed=seed), passes=passes)
    details = [
        {
            "kind": c.problem.kind,
            "name": c.problem.name,
            "dimension": c.problem.dimension,
            "contacts": c.problem.contacts,
            "ratio": c.ratio,
            "difference": c.difference if c.problem.definite else None,
            "solvers": [{k: v for k, v in asdict(t).items() if k not in ("r", "u")} for t in c.found],
        }
        for c in found
    ]
    return {"sizes": summary(found), "problems": details}


def main(each: int = 3, passes: int = 50, seed: int = 1, as_json: bool = False) -> None:
    """Print the table, or JSON."""
    try:
        found = run(each, passes, seed)
    except MissingRival as error:
        print(json.dumps({"missing": str(error)}) if as_json else str(error))
        return
    if as_json:
        print(json.dumps(found, indent=2))
        return
    table = Table(title="Friction problems, to an error of 1e-10 by Siconos' measure; medians")
    for column in (
        "contacts", "problems", "solved: ours, NSGS, any", "ours (µs)", "fastest of theirs (µs)", "ratio", "least",
        "NSGS / ours", "largest difference of r",
    ):  # fmt: skip
        table.add_column(column)
    for s in found["sizes"]:
        table.add_row(
            f"{s['contacts']} ({s['dimension']}D)", str(s["problems"]),
            f"{s['ours_solved']}, {s['nsgs_solved']}, {s['theirs_solved']}",
            *(_shown(s[k]) for k in ("ours_us", "theirs_us", "ratio", "least_ratio", "nsgs_ratio", "difference")),
        )  # fmt: skip
    Console().print(table)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"

"""``touchweight bench dynamics``: our generated code beside its rivals, measured in one run.

Every ratio is a rival's best time over ours, both taken by the same loop over the same states in the same run.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from ..codegen.compiler import cpu_identity, find_compiler, native_lanes
from . import ours
from .generation import CASES, GenerationTime, measure_generation
from .rivals import RIVALS, MissingRival, Progress, RivalTime, measure_rivals

ROBOTS = ("panda", "ur5", "talos")

#: what of ours is set against which algorithm of a rival
OPPONENTS = {"batched inverse dynamics": "inverse dynamics", "batched direct dynamics": "direct dynamics"}


@dataclass(frozen=True)
class Ratio:
    """How many times faster we are than a rival's build or form of the same algorithm."""

    robot: str
    algorithm: str
    rival: str
    variant: str
    ours_ns: float
    theirs_ns: float

    @property
    def times(self) -> float:
        """Their time over ours."""
        return self.theirs_ns / self.ours_ns


def ratios(mine: Iterable[RivalTime], theirs: Iterable[RivalTime]) -> list[Ratio]:
    """Our best time for each algorithm and robot against every measured rival."""
    best: dict[tuple[str, str], float] = {}
    for t in mine:
        if t.seconds is not None:
            key = (t.robot, t.algorithm)
            best[key] = min(best.get(key, float("inf")), t.seconds)
    rivals = [t for t in theirs if t.seconds is not None]
    return [
        Ratio(robot, algorithm, r.rival, r.variant, 1e9 * seconds, 1e9 * (r.seconds or 0.0))
        for (robot, algorithm), seconds in best.items()
        for r in rivals
        if r.robot == robot and r.algorithm == OPPONENTS.get(algorithm, algorithm)
    ]


def level_report(mine: Iterable[RivalTime]) -> list[dict[str, Any]]:
    """What grouping the equations of one evaluation into vector levels brings, against straight-line code."""
    times = {(t.robot, t.algorithm): t for t in mine}
    report = []
    for (robot, algorithm), t in times.items():
        if algorithm.endswith("in vector levels") and t.seconds:
            straight = times[(robot, algorithm.removesuffix(" in vector levels"))]
            report.append(
                {
                    "robot": robot,
                    "algorithm": straight.algorithm,
                    "operations": straight.operations,
                    "steps": t.variant,
                    "straight_ns": 1e9 * (straight.seconds or 0.0),
                    "levels_ns": 1e9 * t.seconds,
                }
            )
    return report


def run(
    robots: Iterable[str] = ROBOTS,
    repeat: int = 200,
    rivals: Iterable[str] = RIVALS,
    generation: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure everything; the result is what ``--json`` prints."""
    names = tuple(robots)
    mine = _ours(names, repeat, progress)
    theirs = measure_rivals(names, repeat, progress, rivals=rivals)
    # once more after the rivals: a noisy minute must not count for or against anybody
    mine = _best(mine, _ours(names, repeat, progress))
    generated: list[GenerationTime] = []
    if generation:
        for case in CASES:
            if progress:
                progress(f"generating a {case} of {CASES[case][0]} joints, cold")
            generated.append(measure_generation(case))
    compiler = find_compiler()
    return {
        "machine": {
            "processor": next(
                (x.split(":", 1)[1].strip() for x in cpu_identity().splitlines() if "model name" in x), ""
            ),
            "system": platform.platform(),
            "compiler": compiler.version if compiler else None,
            "lanes": native_lanes(),
        },
        "times": [asdict(t) for t in (*mine, *theirs)],
        "ratios": [{**asdict(r), "times": r.times} for r in ratios(mine, theirs)],
        "levels": level_report(mine),
        "generation": [asdict(g) for g in generated],
    }


def _ours(robots: Iterable[str], repeat: int, progress: Progress | None) -> list[RivalTime]:
    times: list[RivalTime] = []
    for robot in robots:
        try:
            times += ours.measure(robot, repeat=repeat, progress=progress)
        except MissingRival as reason:
            times.append(RivalTime("touchweight", "", "all", robot, None, str(reason)))
    return times


def _best(first: list[RivalTime], second: list[RivalTime]) -> list[RivalTime]:
    pairs = zip(first, second, strict=True)
    return [b if a.seconds and b.seconds and b.seconds < a.seconds else a for a, b in pairs]


def show(result: dict[str, Any], console: Console) -> None:
    """The result as tables."""
    machine = result["machine"]
    console.print(f"{machine['processor']}, {machine['compiler']}, {machine['lanes']} lanes")
    table = Table(title="time of one evaluation, and how many times longer a rival takes")
    for column in ("robot", "algorithm", "ours [ns]", "operations", "rival", "theirs [ns]", "ratio"):
        table.add_column(column, justify="right" if "[" in column or column in ("operations", "ratio") else "left")
    operations = {(t["robot"], t["algorithm"]): t["operations"] for t in result["times"] if t["rival"] == "touchweight"}
    last = None
    for r in result["ratios"]:
        key = (r["robot"], r["algorithm"])
        first = key != last
        last = key
        count = operations.get(key)
        before = ours.PROTOTYPE.get((r["algorithm"], r["robot"]))
        shown = f"{count} (plain {before})" if before else str(count)
        table.add_row(
            r["robot"] if first else "",
            r["algorithm"] if first else "",
            f"{r['ours_ns']:.1f}" if first else "",
            shown if first else "",
            f"{r['rival']} {r['variant']}",
            f"{r['theirs_ns']:.0f}",
            f"{r['times']:.1f}",
        )
    console.print(table)
    for t in result["times"]:
        if t["seconds"] is None:
            console.print(f"not measured: {t['rival']} on {t['robot']}: {t['note']}", markup=False)
    for report in result["levels"]:
        console.print(
            f"{report['robot']}, {report['algorithm']}: {report['operations']} operations "
            f"in {report['steps']} of vector levels take {report['levels_ns']:.0f} ns, "
            f"straight-line code {report['straight_ns']:.0f} ns",
            highlight=False,
        )
    if result["generation"]:
        made = Table(title="generation from nothing")
        for column in (
            "mechanism",
            "functions",
            "operations",
            "derive [s]",
            "compile [s]",
            "peak [MB]",
            "error",
        ):
            made.add_column(column, justify="right" if "[" in column or column in ("operations", "error") else "left")
        for g in result["generation"]:
            made.add_row(
                g["mechanism"], g["functions"], str(g["operations"]), f"{g['derive']:.2f}", f"{g['compile']:.2f}",
                f"{g['megabytes']:.0f}", f"{g['error']:.1e}",
            )  # fmt: skip
        console.print(made)


def main(
    robots: Iterable[str] = ROBOTS,
    repeat: int = 200,
    as_json: bool = False,
    generation: bool = True,
    rivals: Iterable[str] = RIVALS,
) -> None:
    """Run and print, as tables or as JSON."""
    errors = Console(stderr=True)
    with errors.status("measuring") as status:
        result = run(robots, repeat, rivals, generation, lambda text: status.update(text))
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        show(result, Console())

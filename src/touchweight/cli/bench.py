"""``touchweight bench``: the benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import printable
from .find import OptionError

bench = typer.Typer(
    name="bench", help="Time touchweight beside other codes, measured in the same run.", no_args_is_help=True
)


@bench.command()
def dynamics(
    robots: Annotated[str, typer.Option(help="Which robots, separated by commas.")] = "panda,ur5,talos",
    repeat: Annotated[int, typer.Option(min=1, help="How often each time is taken.")] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Time inverse and direct dynamics and the mass matrix beside other codes."""
    from ..bench.dynamics import ROBOTS, main

    wanted = [r.strip() for r in robots.split(",") if r.strip()]
    if not wanted or any(r not in ROBOTS for r in wanted):
        raise OptionError(f"expected --robots among {', '.join(ROBOTS)}, found {printable(robots, 80)!r}")
    main(robots=wanted, repeat=repeat, as_json=as_json)


@bench.command()
def loops(
    repeat: Annotated[int, typer.Option(min=1, help="How often each time is taken.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Time closed loops beside MuJoCo's equality constraints, and events beside SciPy's."""
    from ..bench.loops import main

    main(repeat=repeat, as_json=as_json)


@bench.command()
def piano(
    repeat: Annotated[int, typer.Option(min=1, help="How often each time is taken.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    rival: Annotated[Path | None, typer.Option(help="A Python file with an explicit code for the same action.")] = None,
) -> None:
    """Time a piano key's step, and 88 different keys being played on one core."""
    from ..bench.piano import main

    main(repeat=repeat, as_json=as_json, rival=rival)


@bench.command()
def contact(
    each: Annotated[int, typer.Option(min=1, help="How many problems of each kind and size.")] = 3,
    repeat: Annotated[int, typer.Option(min=1, help="How often each time is taken, at most.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Which random problems.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Solve friction problems beside Siconos' solvers: agreement and times."""
    from ..bench.cone import main

    main(each=each, passes=repeat, seed=seed, as_json=as_json)

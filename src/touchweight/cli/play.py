"""``touchweight play``: a mechanism from its description to a picture of its motion, step by step."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..codegen.callable import NativeFunction, compile_function
from ..codegen.export import identifier
from ..errors import FileError
from ..simulate.skeleton import add_skeleton
from .find import find, start_of
from .stage import SHOWS, Show, conserves
from .terminal import console, safe, seconds


def play(
    what: Annotated[
        str, typer.Argument(help="A name from `touchweight list`, or a YAML, URDF or MJCF file.")
    ] = "double-pendulum",
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the pictures.")] = Path("out"),
    duration: Annotated[
        float | None, typer.Option("--seconds", "-s", min=0.001, max=600.0, help="How long [s].")
    ] = None,
    gif: Annotated[bool, typer.Option(help="Make the animation.")] = True,
    open_it: Annotated[bool, typer.Option("--open", help="Open the pictures when they are done.")] = False,
) -> None:
    """Simulate a mechanism and draw its motion, step by step."""
    out = console()
    show = SHOWS.get(what, Show()) if not os.path.exists(what) else Show()
    length = duration or show.seconds

    with _step(out, "describe") as said:
        mechanism = find(what)
        conserved = conserves(mechanism)
        pieces = add_skeleton(mechanism)
        model = mechanism.compile()
        said.append(f"{safe(model.name)}: {len(mechanism.bodies)} bodies, {len(mechanism.joints)} joints")
    with _step(out, "derive") as said:
        name = "reduced" if model.loops() else "rates"
        if model.loops():
            _ = model.loops().chosen  # closes the loops and picks what is independent
        program = model.equations.derive(name)
        said.append(f"the equations of motion in {program.operations.total} operations")
    with _step(out, "compile") as said:
        function = compile_function(program)
        model.simulate(2.0 * show.dt, dt=show.dt)  # whatever else a run needs
        if isinstance(function, NativeFunction):
            said.append(f"to machine code with {function.compiler.name}")
        else:
            said.append("to Python: there is no C compiler")
    with _step(out, "simulate") as said:
        start = model.state(q=start_of(mechanism), v=dict(show.v))
        every = max(1, round(length / show.dt / 3000))
        began = time.perf_counter()
        run = model.simulate(
            length,
            state=start,
            inputs=dict(show.inputs),
            drives=dict(show.drives),
            dt=show.dt,
            every=every,
            progress=False,
        )
        took = time.perf_counter() - began
        said.append(f"{length:g} s, {round(length / show.dt)} steps: {length / took:.0f} times faster than it happens")

    from ..simulate.picture import animate, draw, make_scene

    _make(output)
    stem = identifier(model.name, longest=48)
    picture, animation = output / f"{stem}.png", output / f"{stem}.gif"
    scene = make_scene(run, pieces, show.disc)
    with _step(out, "draw") as said:
        free = model.freedom
        freedom = f"{free} degrees of freedom" if free != 1 else "one degree of freedom"
        subtitle = f"{freedom}, {program.operations.total} operations an evaluation, {length:g} s of motion"
        draw(scene, model.name, subtitle, conserved, picture)
        said.append("the motion, the coordinates, the energy")
    made = [picture]
    if gif:
        with _step(out, "animate") as said:
            if importlib.util.find_spec("PIL"):
                said.append(f"{animate(scene, animation)} pictures")
                made.append(animation)
            else:
                said.append("left out: pip install pillow for animations")
    out.print()
    out.print(show.sentence)
    for path in made:
        out.print(f"  {safe(path, 400)}  [dim]{path.stat().st_size / 1e3:.0f} kB[/]", soft_wrap=True)
    if open_it:
        _open(made[-1], out)


@contextmanager
def _step(out: Console, verb: str) -> Iterator[list[str]]:
    """Times a step and prints what it says of itself."""
    said: list[str] = []
    began = time.perf_counter()
    yield said
    out.print(f"[bold cyan]{verb:9}[/] {'; '.join(said)}  [dim]{seconds(time.perf_counter() - began)}[/]")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            folder, f"expected a folder for the pictures, found: {error.strerror}; choose another with -o"
        ) from None


def _open(path: Path, out: Console) -> None:
    """Show a file where there is a screen."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        out.print("there is no screen to open them on")
    else:
        webbrowser.open(path.resolve().as_uri())

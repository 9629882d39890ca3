"""``touchweight generate``: a mechanism's functions as files that need nothing of touchweight."""

from __future__ import annotations

import os
import tempfile
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__
from ..codegen.export import Entry, Subject, export
from ..errors import FileError
from ..mechanism import JOINT_KINDS
from ..simulate.model import Model
from .find import OptionError, find
from .terminal import console, plain_table, safe

#: what the arrays are
MEANINGS = {
    "p": "parameters",
    "q": "coordinates",
    "v": "speeds",
    "a": "accelerations dv/dt, in the order of v",
    "tau": "generalised forces, in the order of v (N m where a joint turns, N where it slides)",
    "x": "first-order states",
    "u": "inputs",
    "t": "time [s]",
    "dq": "rates of the coordinates",
    "dv": "accelerations, in the order of v",
    "dx": "rates of the first-order states",
    "M": "mass matrix, row by row",
    "c": "generalised forces that hold the speeds constant, in the order of v",
    "energy": "kinetic and potential energy [J]",
    "momentum": "linear momentum [kg m/s], then angular momentum about the world's origin [kg m^2/s]",
    "y": "readings of the sensors",
    "J": "Jacobian, row by row: velocity of the point, then angular velocity, in world axes; or of the closure",
    "h": "residuals of the loops [m or rad]",
    "r": "rates of the residuals that no speed makes",
    "d": "second rates of the residuals that no acceleration makes",
    "step": "displacement along the speeds that closes the loops, to first order",
    "health": "of the partition: 1 where it was chosen, 0 where it fails",
    "closed": "speeds with the dependent ones made to fit",
    "position": "of what is driven",
    "velocity": "of what is driven",
    "acceleration": "of what is driven",
    "force": "of loops, drives and locks",
    "R": "force [N] and torque [N m] on the child of each joint, at its origin, in world axes",
}


class Target(str, Enum):
    """Languages."""

    c = "c"
    python = "python"
    matlab = "matlab"


def generate(
    file: Annotated[str, typer.Argument(help="A YAML, URDF or MJCF file, or a name from `touchweight list`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to; made if it is not there.")],
    target: Annotated[Target, typer.Option("--target", "-t", help="Language.")] = Target.c,
    functions: Annotated[
        list[str] | None,
        typer.Option(
            "--function",
            help="inverse, forward, rates, mass_matrix, bias, energy, momentum, sensors or jacobian:FRAME; for loops "
            "and drives closure, drift, drives, newton, speeds, reduced, reactions; repeatable; inverse and forward by "
            "default (where there are loops or drives inverse, newton, speeds and reduced).",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
    free_flying: Annotated[
        bool, typer.Option("--free-flying", help="URDF: the root is not fixed to the ground.")
    ] = False,
) -> None:
    """Write the equations as C, Python or MATLAB that needs nothing of touchweight."""
    model = find(file, free_flying).compile()
    usual = ["inverse", "forward"]
    with console(stderr=True).status("deriving the equations"):
        if model.loops():
            _ = model.loops().chosen  # closes the loops and picks what is independent
            usual = ["inverse", *(["newton", "speeds"] if model.loops().rows else []), "reduced"]
        wanted = list(dict.fromkeys(functions or usual))
        programs = {name: model.equations.derive(name) for name in wanted}
    for name, program in programs.items():
        if not any(program.sizes_out.values()):
            raise OptionError(f"expected a function with results, found {name}, which has none here; leave it out")
    files = export(subject_of(model), programs, target.value)
    write_files(output, files, force)
    out = console()
    table = plain_table("file", "lines", numbers=(1,))
    for name, content in files.items():
        table.add_row(safe(output / name, 400), str(content.count("\n")))
    out.print(table)


def subject_of(model: Model) -> Subject:
    """Names, units and defaults of everything the functions of a model take and give."""
    mechanism = model.mechanism
    places = [(j.name, p) for j in mechanism.joints.values() for p in JOINT_KINDS[j.kind].primitives]
    q_units = [u for _, p in places for u in {"R": ["rad"], "P": ["m"], "S": [""] * 4}[p]]
    v_units = [u for _, p in places for u in {"R": ["rad/s"], "P": ["m/s"], "S": ["rad/s"] * 3}[p]]
    q = [float(x) for x in model.dimensions.q_default]
    return Subject(
        name=mechanism.name,
        entries={
            "p": [Entry(p.name, p.unit, p.value) for p in mechanism.parameters.values()],
            "q": [Entry(*each) for each in zip(model.coordinates, q_units, q, strict=True)],
            "v": [Entry(*each) for each in zip(model.speeds, v_units, strict=True)],
            "x": [Entry(s.name, s.unit, s.initial) for s in mechanism.states.values()],
            "u": [Entry(u.name, u.unit, u.value) for u in mechanism.inputs.values()],
            "y": [Entry(c, s.unit) for s in mechanism.sensors.values() for c in s.channels],
        },
        meanings=MEANINGS,
        made_by=f"touchweight {__version__}",
    )


def write_files(folder: Path, files: dict[str, str], force: bool) -> None:
    """All files or none: what is there stays unless ``force``; nothing is written outside the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"expected a folder to write to, found: {error.strerror}; choose another") from None
    for name in files:
        if Path(name).name != name or name in ("", ".", ".."):
            raise FileError(folder, f"expected a plain file name, found {name!r}; rename the mechanism")
        if os.path.lexists(folder / name) and not force:
            raise FileError(folder / name, "expected no file of this name, found one; give --force to overwrite it")
    for name, content in files.items():
        _write(folder / name, content)


def _write(path: Path, content: str) -> None:
    """Write beside the target, then move over it: a symbolic link there is replaced, never followed."""
    try:
        handle, made = tempfile.mkstemp(prefix=".touchweight-", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as f:
                f.write(content)
            os.chmod(made, 0o644)
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
    except OSError as error:
        raise FileError(path, f"expected a place to write to, found: {error.strerror}; choose another folder") from None

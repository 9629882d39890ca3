"""The command line: one file for each verb, and ``main``, which turns a user's mistake into one line."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from .. import __version__
from ..errors import TouchweightError
from .assemble import assemble
from .bench import bench
from .compare import compare
from .doctor import doctor
from .equilibrium import equilibrium
from .generate import generate
from .info import info
from .kinematics import kinematics
from .linearise import linearise
from .modes import modes
from .play import play
from .sensitivity import sensitivity
from .shelf import shelf
from .simulate import simulate
from .terminal import complain

#: exit codes (1 is for mechanisms and installations with problems)
MISTAKE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141

app = typer.Typer(
    name="touchweight",
    help="Feel a mechanism before it exists: describe it, and its equations are derived, compiled and run.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (play, info, simulate, compare, generate, doctor):
    app.command()(verb)
for analysis in (assemble, equilibrium, linearise, modes, kinematics, sensitivity):
    app.command(rich_help_panel="Analyses")(analysis)
app.command("list")(shelf)
app.add_typer(bench)


@app.callback(invoke_without_command=True)
def _touchweight(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Say which version this is.")] = False,
) -> None:
    if version:
        print(f"touchweight {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, io.StringIO())
        elif hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="replace")  # a letter the terminal lacks becomes "?"
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = app(args=arguments, prog_name="touchweight", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except TouchweightError as error:
        return complain(error, MISTAKE)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _mute()
        return BROKEN_PIPE
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return complain(f"{place}{error.strerror or error}", MISTAKE)
    except Exception as error:
        # Typer's own complaints about options and arguments, under whatever name it keeps them
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        return complain(f"{explain().rstrip('.')}; see `touchweight --help`, or --help after a command", MISTAKE)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    complain(message, 0, "warning")


def _mute() -> None:
    """Whoever read our output has left: let what is still in the buffer go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


__all__ = ["app", "main"]

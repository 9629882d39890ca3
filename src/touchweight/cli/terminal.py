"""Writing to the terminal: colours where there are any, plain text elsewhere, names made harmless."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..errors import printable

#: width of what is not read on a terminal [columns]
WIDTH = 110


def console(stderr: bool = False) -> Console:
    """A console on what is standard output (or error) now."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False)


def safe(name: object, limit: int = 80) -> str:
    """A name from a file as Rich may show it: on one line, without control characters, without markup."""
    return escape(printable(str(name), limit))


def complain(message: object, code: int, kind: str = "error") -> int:
    """One line on standard error; returns the exit code."""
    colour = "red" if kind == "error" else "yellow"
    shown = escape(printable(str(message), 1200))
    console(stderr=True).print(f"[bold {colour}]touchweight: {kind}:[/] {shown}", soft_wrap=True)
    return code


def print_json(data: Any) -> None:
    """Data for programs."""
    print(json.dumps(data, indent=2, allow_nan=False))


def plain_table(*columns: str, numbers: tuple[int, ...] = ()) -> Table:
    """A table without walls; ``numbers`` says which columns are aligned to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for i, column in enumerate(columns):
        table.add_column(escape(column), justify="right" if i in numbers else "left", overflow="fold")
    return table


def seconds(t: float) -> str:
    """A time as a person says it."""
    if t >= 1.0:
        return f"{t:.1f} s"
    return f"{t * 1e3:.0f} ms" if t >= 0.01 else f"{t * 1e3:.1f} ms"

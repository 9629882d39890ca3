"""``touchweight list``: the mechanisms that come with touchweight."""

from __future__ import annotations

from typing import Annotated

import typer

from ..library import MECHANISMS
from .terminal import console, plain_table, print_json


def shelf(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the mechanisms that come with touchweight."""
    if as_json:
        print_json([{"name": name, "sentence": sentence} for name, (sentence, _) in MECHANISMS.items()])
        return
    table = plain_table("name", "what it is")
    for name, (sentence, _) in MECHANISMS.items():
        table.add_row(name, sentence)
    out = console()
    out.print(table)
    out.print("\nWatch one: touchweight play NAME. Its equations: touchweight info NAME.")

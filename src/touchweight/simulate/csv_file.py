"""Recordings as comma-separated values: a plain table, and its events in a second file beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from ..codegen.callable import Array
from ..errors import FileError, printable
from .event import Event

if TYPE_CHECKING:
    from .recording import Contents, Recording

#: first row of a file of events; the table of a recording starts with t
EVENT_ROW = ["event", "t [s]", "source", "target"]

#: how the name of a file of events ends
EVENT_ENDING = ".events.csv"


def events_path(path: Path) -> Path:
    """Where the events of the table at ``path`` are: ``run.events.csv`` beside ``run.csv``."""
    return path.with_name(path.stem + EVENT_ENDING)


def write_table(recording: Recording, file: IO[bytes]) -> None:
    """A row of names, a row of units, then one row for each sample."""
    names = list(recording)
    with _text(file) as f:
        out = csv.writer(f)
        out.writerow(["t", *names])
        out.writerow(["s", *(recording.units.get(n, "") for n in names)])
        # a slice at a time: as Python numbers a long recording would take many times its memory
        for start in range(0, len(recording.t), 4096):
            rows = slice(start, start + 4096)
            out.writerows(np.column_stack([recording.t[rows], *(recording[n][rows] for n in names)]).tolist())


def write_events(recording: Recording, file: IO[bytes]) -> None:
    """One row for each event: name, time [s], the mode it left and the mode it entered."""
    with _text(file) as f:
        out = csv.writer(f)
        out.writerow(EVENT_ROW)
        out.writerows([e.name, float(e.t), e.source, e.target] for e in recording.events)


@contextmanager
def _text(file: IO[bytes]) -> Iterator[IO[str]]:
    """Text on top of a binary file, which stays open."""
    f = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield f
    finally:
        f.detach()


def read_csv(path: Path) -> Contents:
    """What :func:`write_table` wrote, and the events beside it if there are any."""
    rows = _rows(path)
    names, units = _head(path, [row for _, row in islice(rows, 2)])
    data: list[Array] = []
    for line, row in rows:
        if len(row) != len(names) + 1:
            raise FileError(
                path, f"expected {len(names) + 1} numbers, found {len(row)} fields; take a whole recording", line
            )
        data.append(np.array(_numbers(path, line, row)))
    table = np.array(data).reshape(len(data), len(names) + 1).T.copy()
    return path.stem, table[0], dict(zip(names, table[1:], strict=True)), units, read_events(events_path(path))


def _head(path: Path, rows: list[list[str]]) -> tuple[list[str], dict[str, str]]:
    """Names and units of the channels, from the first two rows."""
    if len(rows) < 2 or not rows[0] or rows[0][0] != "t" or len(rows[1]) != len(rows[0]):
        raise FileError(
            path,
            "expected a row of names that starts with t and a row of units, found something else; "
            "give a file that save() wrote",
            1,
        )
    names = rows[0][1:]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise FileError(path, f"expected channels of different names, found {printable(twice)!r} twice; rename one", 1)
    return names, dict(zip(names, rows[1][1:], strict=True))


def read_events(path: Path) -> list[Event]:
    """The events in a file, none if there is no such file."""
    if not path.exists():
        return []
    if not is_events_file(path):
        raise FileError(
            path, f"expected events, which start with {','.join(EVENT_ROW)}, found something else; rename this file", 1
        )
    events = []
    for line, row in list(_rows(path))[1:]:
        if len(row) != len(EVENT_ROW):
            raise FileError(path, f"expected {len(EVENT_ROW)} fields, found {len(row)}; take a whole file", line)
        events.append(Event(_numbers(path, line, row[1:2])[0], row[0], *row[2:]))
    return events


def is_events_file(path: Path) -> bool:
    """Whether a file starts as :func:`write_events` starts one."""
    head = ",".join(EVENT_ROW).encode()
    try:
        with path.open("rb") as f:
            return f.readline(len(head) + 2).rstrip(b"\r\n") == head
    except OSError:
        return False


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file, each with its line."""
    try:
        with path.open(newline="", encoding="utf-8") as f:
            reader = csv.reader(f)
            for row in reader:
                yield reader.line_num, row
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(path, f"expected a recording, found: {error}; give a file that save() wrote") from None


def _numbers(path: Path, line: int, row: list[str]) -> list[float]:
    try:
        return [float(x) for x in row]
    except ValueError as error:
        raise FileError(path, f"expected numbers, found: {error}; take a whole recording", line) from None

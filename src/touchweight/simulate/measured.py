"""Measurements: columns of a table from a laboratory as a recording, and a smooth motion from noisy samples.

measured = read_measured("stroke.csv", {"dip": Column("y [mm]", 1e-3), "force": Column(3)}, time=Column("ms", 1e-3))
motion = smooth(measured.t, measured["dip"], "low-pass", cutoff=200.0)
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..codegen.callable import Array
from ..errors import FileError, ShapeError, printable
from .recording import Recording

#: position, velocity and acceleration at a time [s]
Motion = Callable[[float], tuple[float, float, float]]

#: how samples are made smooth
SMOOTHINGS = ("spline", "low-pass", "none")

#: order of the low-pass filter, which runs forwards and backwards, so that nothing is delayed
ORDER = 4

#: least samples of a measurement
FEWEST = 12

#: largest file [bytes]
LARGEST = 500_000_000


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its name in the first row, or its number, from 1 on.
        factor: from the file's unit to the one wanted: 1e-3 for mm to m.
        offset: added afterwards, in the unit wanted.
    """

    name: str | int
    factor: float = 1.0
    offset: float = 0.0


def read_measured(path: str | Path, columns: Mapping[str, Column], time: Column | None = None) -> Recording:
    """Columns of a CSV file as a recording whose time starts at zero.

    Fields are separated by commas, semicolons or tabs. Lines that start with ``#`` are left out, and so is a row of
    units under the names. Without ``time`` the column ``t``, ``time`` or, failing these, the first one holds seconds.
    """
    source = Path(path)
    names, rows = _table(source)
    if time is None:
        time = Column(next((n for n in names if n.lower() in ("t", "time")), 1))
    wanted = {"time": time, **columns}
    where = {label: _place(source, names, len(rows[0][1]), c) for label, c in wanted.items()}
    found = {label: _values(source, rows, where[label], c) for label, c in wanted.items()}
    t = found.pop("time")
    if len(t) < FEWEST or not np.all(np.diff(t) > 0.0):
        what = f"{len(t)} of them" if len(t) < FEWEST else "times that do not rise"
        raise FileError(source, f"expected at least {FEWEST} samples with rising times, found {what}; check --time")
    return Recording(source.stem, t - t[0], found, {})


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Names of columns, if there are any, and rows of fields with their lines."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(path, f"expected at most {LARGEST // 1_000_000} MB, found more; take fewer samples")
        text = path.read_text(encoding="utf-8-sig")
        lines = [(i, x) for i, x in enumerate(text.splitlines(), 1) if x.strip() and not x.lstrip().startswith("#")]
        sample = "\n".join(x for _, x in lines[:5])
        separator = max(",;\t", key=sample.count)
        fields = [(i, [f.strip() for f in row]) for (i, _), row in
                  zip(lines, csv.reader((x for _, x in lines), delimiter=separator), strict=True)]  # fmt: skip
    except (OSError, UnicodeError, csv.Error, ValueError) as error:
        if isinstance(error, FileError):
            raise
        found = getattr(error, "strerror", None) or error
        raise FileError(path, f"expected a table of comma-separated values, found: {found}; give another") from None
    heads = 0
    while heads < len(fields) and not _numeric(fields[heads][1]):
        heads += 1
    if heads > 2 or heads == len(fields):
        raise FileError(path, "expected rows of numbers under at most two rows of names and units, found none")
    return fields[0][1] if heads else [], fields[heads:]


def _numeric(row: list[str]) -> bool:
    """Whether a row holds numbers (or nothing) only."""
    for field in row:
        try:
            float(field or "nan")
        except ValueError:
            return False
    return any(row)


def _place(path: Path, names: list[str], width: int, column: Column) -> int:
    """Where a column is."""
    name = column.name
    if isinstance(name, str) and name in names:
        return names.index(name)
    number = int(name) if isinstance(name, int) or name.isdecimal() else 0
    if 1 <= number <= width:
        return number - 1
    known = ", ".join(printable(n, 30) for n in names[:12]) or "no names"
    raise FileError(path, f"expected a column among {known} or 1 to {width}, found {printable(str(name), 60)!r}", 1)


def _values(path: Path, rows: list[tuple[int, list[str]]], place: int, column: Column) -> Array:
    values = np.empty(len(rows))
    for k, (line, row) in enumerate(rows):
        try:
            values[k] = float(row[place])
        except (IndexError, ValueError):
            found = printable(row[place], 40) if place < len(row) else f"{len(row)} fields"
            raise FileError(
                path, f"expected a number in column {printable(str(column.name), 40)}, found {found!r}", line
            ) from None
    if not np.all(np.isfinite(values)):
        line = rows[int(np.argmin(np.isfinite(values)))][0]
        raise FileError(
            path, f"expected finite numbers in column {printable(str(column.name), 40)}, found others", line
        )
    return column.factor * values + column.offset


def smooth(
    t: Array, values: Array, how: str = "spline", *, cutoff: float | None = None, noise: float | None = None
) -> Motion:
    """A motion through or near samples; it stands still before the first and after the last.

    Args:
        t: times [s], rising.
        values: positions.
        how: ``spline``: the smoothest quintic spline that stays within the noise; ``low-pass``: a Butterworth filter
            of order 4, forwards and backwards; ``none``: a quintic spline through all samples.
        cutoff: of the filter [Hz], where both passes together leave half of the amplitude.
        noise: standard deviation of the samples, in their unit; told from their third differences by default.
    """
    from scipy.interpolate import UnivariateSpline, make_interp_spline

    if how not in SMOOTHINGS:
        raise ShapeError(f"expected smoothing among {', '.join(SMOOTHINGS)}, found {printable(repr(how), 40)}")
    if how == "spline":
        sigma = third_differences(values) if noise is None else noise
        curve = UnivariateSpline(t, values, k=5, s=len(t) * sigma**2)
    else:
        kept = _low_pass(t, values, cutoff) if how == "low-pass" else (t, values)
        curve = make_interp_spline(*kept, k=5)
    rate, acceleration = curve.derivative(1), curve.derivative(2)
    first, last = float(t[0]), float(t[-1])

    def motion(now: float) -> tuple[float, float, float]:
        if first <= now <= last:
            return float(curve(now)), float(rate(now)), float(acceleration(now))
        return float(curve(min(max(now, first), last))), 0.0, 0.0

    return motion


def third_differences(values: Array) -> float:
    """Standard deviation of white noise on samples of a smooth curve: third differences have √20 times as much."""
    return float(np.sqrt(np.mean(np.square(np.diff(values, 3))) / 20.0))


def _low_pass(t: Array, values: Array, cutoff: float | None) -> tuple[Array, Array]:
    """Even samples, filtered without delay."""
    from scipy.signal import butter, sosfiltfilt

    even: Array = np.linspace(t[0], t[-1], len(t))
    rate = (len(t) - 1) / float(t[-1] - t[0])
    if cutoff is None or not 0.0 < cutoff < 0.5 * rate:
        raise ShapeError(
            f"expected a cut-off between 0 and half of the sampling rate, {0.5 * rate:g} Hz, found {cutoff}; state one"
        )
    filter_ = butter(ORDER, cutoff, fs=rate, output="sos")
    level = np.interp(even, t, values)
    return even, sosfiltfilt(filter_, level, padlen=min(len(level) - 1, 6 * ORDER))

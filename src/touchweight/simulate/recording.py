"""Recordings: named channels over time, with units; to look at, to save, to plot."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.callable import Array
from ..errors import FileError, TouchweightError, printable

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


class ChannelError(TouchweightError, KeyError):
    """A recording has no such channel."""

    def __str__(self) -> str:
        return str(self.args[0])


class Recording(Mapping[str, Array]):
    """What a run leaves behind: ``run["hip"]`` is an array over ``run.t`` [s].

    A coordinate is found under its own name, its speed under ``v.`` and the name, energies under
    ``energy.kinetic``, ``energy.potential`` and ``energy.total``, states, inputs and sensors' channels under
    their own names. Where two would share a name, the later one is preceded by what it is, as in
    ``input.hip``.
    """

    def __init__(self, name: str, t: Array, channels: Mapping[str, Array], units: Mapping[str, str]) -> None:
        self.name = name
        self.t = t
        self._channels = dict(channels)
        self.units = dict(units)

    def __getitem__(self, channel: str) -> Array:
        found = self._channels.get(channel)
        if found is None:
            near = difflib.get_close_matches(str(channel), self._channels, n=3)
            shown = ", ".join(printable(n, 40) for n in near or list(self._channels)[:12])
            hint = f"did you mean {shown}?" if near else f"there are {shown}"
            raise ChannelError(f"expected a channel of the recording, found {printable(str(channel))!r}; {hint}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._channels)

    def __len__(self) -> int:
        return len(self._channels)

    def __repr__(self) -> str:
        end = f"{self.t[-1]:g}" if len(self.t) else "0"
        return f"Recording({self.name!r}: {len(self._channels)} channels, {len(self.t)} samples to t = {end} s)"

    def dataframe(self) -> pandas.DataFrame:
        """The channels as a pandas table indexed by time (needs pandas)."""
        try:
            import pandas
        except ImportError:
            raise TouchweightError("expected pandas for dataframe(), found none; pip install pandas") from None
        return pandas.DataFrame(self._channels, index=pandas.Index(self.t, name="t"))

    def save(self, path: str | Path) -> Path:
        """Write comma-separated values: a row of names, a row of units, then one row for each sample."""
        target = Path(path)
        names = list(self._channels)
        try:
            with target.open("w", newline="", encoding="utf-8") as f:
                out = csv.writer(f)
                out.writerow(["t", *names])
                out.writerow(["s", *(self.units.get(n, "") for n in names)])
                for row in np.column_stack([self.t, *(self._channels[n] for n in names)]):
                    out.writerow([repr(float(x)) for x in row])
        except OSError as error:
            raise FileError(
                target, f"expected to write a recording, found: {error.strerror}; choose another place"
            ) from None
        return target

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read what :meth:`save` wrote."""
        source = Path(path)
        try:
            with source.open(newline="", encoding="utf-8") as f:
                rows = list(csv.reader(f))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise FileError(source, f"expected a recording, found: {error}; write one with save()") from None
        if len(rows) < 2 or not rows[0] or rows[0][0] != "t" or len(rows[1]) != len(rows[0]):
            raise FileError(
                source,
                "expected a row of names that starts with t and a row of units, found something else",
                1,
            )
        names = rows[0][1:]
        if len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise FileError(
                source,
                f"expected channels of different names, found {printable(twice)!r} twice; rename one",
                1,
            )
        data = np.empty((len(rows) - 2, len(names) + 1))
        for i, row in enumerate(rows[2:]):
            if len(row) != len(names) + 1:
                raise FileError(source, f"expected {len(names) + 1} numbers, found {len(row)} fields", i + 3)
            try:
                data[i] = [float(x) for x in row]
            except ValueError as error:
                raise FileError(source, f"expected numbers, found: {error}", i + 3) from None
        units = dict(zip(names, rows[1][1:], strict=True))
        return cls(source.stem, data[:, 0], {n: data[:, k + 1] for k, n in enumerate(names)}, units)

    def plot(
        self,
        *channels: str,
        save: str | Path | None = None,
        show: bool | None = None,
        title: str | None = None,
    ) -> Figure:
        """Draw channels over time, those of one unit on one panel; all coordinates when none is named.

        ``save`` writes the figure to a file; ``show`` opens a window (by default only when nothing is saved
        and there is a screen).
        """
        from .plotting import plot_channels

        return plot_channels(self, channels, save=save, show=show, title=title)


Units = Mapping[str, str]
Channels = Mapping[str, Any]

"""Recordings: named channels over time, with units; to look at, to save, to compare, to plot."""

from __future__ import annotations

import difflib
import math
import numbers
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..codegen.callable import Array
from ..errors import FileError, ShapeError, TouchweightError, printable
from .csv_file import EVENT_ENDING, events_path, is_events_file, read_csv, write_events, write_table
from .event import Event
from .mcap_file import read_mcap, write_mcap

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

Units = Mapping[str, str]
Channels = Mapping[str, Any]

#: what a file holds: name, times [s], channels, units, events
Contents = tuple[str, Array, dict[str, Array], dict[str, str], list[Event]]

READERS: dict[str, Callable[[Path], Contents]] = {".csv": read_csv, ".mcap": read_mcap}

#: samples that resampling may lead to
MOST_SAMPLES = 100_000_000


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

    Attributes:
        name: what was run.
        t: time of each sample [s].
        units: unit of each channel; empty for a channel without.
        events: transitions from mode to mode, in the order they were taken.
    """

    def __init__(
        self,
        name: str,
        t: Array,
        channels: Mapping[str, Array],
        units: Mapping[str, str],
        events: Iterable[Event] = (),
    ) -> None:
        self.name = name
        self.t = np.asarray(t, dtype=np.float64)
        self._channels = {n: np.asarray(x, dtype=np.float64) for n, x in channels.items()}
        self.units = dict(units)
        self.events: list[Event] = list(events)
        for n, x in self._channels.items():
            if self.t.ndim != 1 or x.shape != self.t.shape:
                raise ShapeError(
                    f"expected one number for each time in channel {printable(str(n), 60)!r}, found shape {x.shape} "
                    f"for times of shape {self.t.shape}; give arrays of one dimension and one length"
                )

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
        count = len(self.events)
        events = f", {count} event{'s' if count > 1 else ''}" if count else ""
        return f"Recording({self.name!r}: {len(self._channels)} channels, {len(self.t)} samples to t = {end} s{events})"

    # -- other forms ---------------------------------------------------------------------------------------

    def array(self, *channels: str) -> Array:
        """The channels side by side, (samples, channels); all of them when none is named."""
        out = np.empty((len(self.t), len(channels or self._channels)))
        for k, name in enumerate(channels or self._channels):
            out[:, k] = self[name]
        return out

    def dataframe(self) -> pandas.DataFrame:
        """The channels as a pandas table indexed by time [s] (needs pandas)."""
        try:
            import pandas
        except ImportError:
            raise TouchweightError("expected pandas for dataframe(), found none; pip install pandas") from None
        return pandas.DataFrame(self._channels, index=pandas.Index(self.t, name="t"))

    def between(self, t0: float, t1: float) -> Recording:
        """A recording of what lies between two times [s], both included; times stay as they are."""
        if not _real(t0) <= _real(t1):
            raise ShapeError(
                f"expected an earlier and a later time [s], found {_shown(t0)} and {_shown(t1)}; give the earlier first"
            )
        inside = (self.t >= t0) & (self.t <= t1)
        events = [e for e in self.events if t0 <= e.t <= t1]
        return self._with(self.t[inside], {n: x[inside] for n, x in self._channels.items()}, events)

    def resample(self, dt: float, kind: str = "cubic") -> Recording:
        """A recording at even times, from the first sample on, to compare runs sample by sample.

        Args:
            dt: from one sample to the next [s].
            kind: ``cubic`` (splines, for what moves smoothly) or ``linear`` (for what jumps, such as a stepped input).
                No spline reaches across an event: between the samples around it, interpolation is linear.
        """
        if kind not in ("cubic", "linear"):
            raise ShapeError(f"expected kind cubic or linear, found {_shown(kind)}; choose one of them")
        grid = _grid(self.t, dt)
        values = _interpolate(self.t, self.array(), grid, kind == "cubic", [e.t for e in self.events])
        return self._with(grid, dict(zip(self._channels, values.T.copy(), strict=True)), self.events)

    def _with(self, t: Array, channels: Mapping[str, Array], events: Iterable[Event]) -> Recording:
        return Recording(self.name, t, channels, self.units, events)

    # -- files ---------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says which kind.

        ``.csv`` is a row of names, a row of units, then one row for each sample; events go to a second file, as
        ``run.events.csv`` beside ``run.csv``. ``.mcap`` holds everything in one file, smaller and faster, for Foxglove
        and PlotJuggler. A file appears when it is complete: what was there before stays until then.
        """
        target = Path(path)
        if _suffix(target) == ".mcap":
            _write([(target, lambda f: write_mcap(self, f))])
            return target
        if target.name.lower().endswith(EVENT_ENDING):
            raise FileError(
                target, f"expected a name for a recording, found one that ends in {EVENT_ENDING}; choose another"
            )
        beside = events_path(target)
        if os.path.lexists(beside) and not is_events_file(beside):
            raise FileError(
                beside,
                f"expected the events of {target.name} or no file, found something else; rename it or the recording",
            )
        table = (target, lambda f: write_table(self, f))
        if self.events:
            _write([(beside, lambda f: write_events(self, f)), table])
        else:
            _write([table], stale=beside)
        return target

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read what :meth:`save` wrote."""
        source = Path(path)
        return cls(*READERS[_suffix(source)](source))

    # -- pictures ------------------------------------------------------------------------------------------

    def plot(
        self,
        *channels: str,
        save: str | Path | None = None,
        show: bool | None = None,
        title: str | None = None,
    ) -> Figure:
        """Draw channels over time, those of one unit on one panel; all coordinates when none is named.

        Events are thin upright lines, and the modes between them shades of the background. ``save`` writes the figure
        to a file; ``show`` opens a window (by default only when nothing is saved and there is a screen).
        """
        from .plotting import plot_channels

        return plot_channels(self, channels, save=save, show=show, title=title)


# -- writing ------------------------------------------------------------------------------------------------
def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in READERS:
        found = repr(printable(path.suffix, 40)) if suffix else "no ending"
        raise FileError(path, f"expected a name that ends in {' or '.join(READERS)}, found {found}; choose one of them")
    return suffix


def _write(files: list[tuple[Path, Callable[[IO[bytes]], None]]], stale: Path | None = None) -> None:
    """Write beside the targets, then move over them: all is written before anything is replaced or removed."""
    made: list[tuple[Path, Path]] = []
    target = files[0][0]
    try:
        for target, write in files:
            if target.is_dir():
                raise IsADirectoryError(0, "a folder of this name")
            beside = target.with_name(f".touchweight-{secrets.token_hex(8)}")
            with beside.open("xb") as f:
                made.append((beside, target))
                write(f)
                f.flush()
                os.fsync(f.fileno())
        for beside, target in made:
            os.replace(beside, target)
        if stale is not None:
            stale.unlink(missing_ok=True)
    except UnicodeEncodeError:
        raise FileError(
            target, "expected names that can be written as UTF-8, found half a character; rename, or save as .mcap"
        ) from None
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or error
        raise FileError(target, f"expected to write a recording, found: {found}; choose another place") from None
    finally:
        for beside, _ in made:
            beside.unlink(missing_ok=True)


def _real(value: Any) -> float:
    return float(value) if isinstance(value, numbers.Real) else math.nan


def _shown(value: object) -> str:
    return printable(repr(value), 40)


# -- resampling ---------------------------------------------------------------------------------------------
def _grid(t: Array, dt: float) -> Array:
    """Even times from the first sample to the last."""
    if not 0.0 < _real(dt) < math.inf:
        raise ShapeError(f"expected a positive step dt [s], found {_shown(dt)}; give a number such as 0.001")
    if len(t) == 0 or not np.all(np.isfinite(t)) or np.any(np.diff(t) < 0.0):
        raise ShapeError(
            "expected samples at times that never fall, found none or others; resample what simulate() recorded"
        )
    steps = float(t[-1] - t[0]) / dt
    if steps > MOST_SAMPLES:
        raise ShapeError(f"expected at most {MOST_SAMPLES} samples, found {steps:.3g}; take a larger dt")
    grid: Array = t[0] + dt * np.arange(math.floor(steps * (1.0 + 1e-12) + 1e-9) + 1)
    np.minimum(grid, t[-1], out=grid)
    return grid


def _interpolate(t: Array, values: Array, grid: Array, cubic: bool, breaks: list[float]) -> Array:
    """Values (samples, channels) at the times of the grid; where a time stands twice, the later sample counts."""
    left = np.clip(np.searchsorted(t, grid, side="right") - 1, 0, max(len(t) - 2, 0))
    right = np.minimum(left + 1, len(t) - 1)
    width = t[right] - t[left]
    part = np.divide(grid - t[left], width, out=np.ones_like(grid), where=width > 0.0)[:, None]
    # exact at samples, and NaN or infinity stay where they are
    out = np.where(part >= 1.0, values[right], values[left])
    within = (part > 0.0) & (part < 1.0)
    with np.errstate(invalid="ignore", over="ignore"):
        np.copyto(out, (1.0 - part) * values[left] + part * values[right], where=within)
    if cubic:
        for start, end in _smooth(t, breaks):
            low, high = np.searchsorted(left, [start, end - 1])
            inside = low + np.flatnonzero(within[low:high, 0])
            finite = np.all(np.isfinite(values[start:end]), axis=0)
            out[np.ix_(inside, finite)] = _spline(t[start:end], values[start:end, finite], grid[inside])
    return out


def _spline(t: Array, values: Array, grid: Array) -> Array:
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(t, values)(grid))


def _smooth(t: Array, breaks: list[float]) -> Iterator[tuple[int, int]]:
    """Stretches of three samples or more, from one to before the other, that no event and no doubled time divides."""
    cuts = {int(i) + 1 for i in np.flatnonzero(np.diff(t) <= 0.0)}
    for e in breaks:
        before, after = (int(np.searchsorted(t, e, side=side)) for side in ("left", "right"))
        if after - before < 2:  # a sample at the very moment may be of either side: it stands alone
            cuts |= {before, after}
    edges = [0, *sorted(cuts - {0, len(t)}), len(t)]
    return ((a, b) for a, b in pairwise(edges) if b - a > 2)

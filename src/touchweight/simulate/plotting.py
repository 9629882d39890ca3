"""Drawing recordings with Matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, TouchweightError, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .recording import Recording

#: colours that stay apart for colour-blind readers (Okabe & Ito)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")

#: lines of one colour differ in their dashes
DASHES = ("-", "--", ":", "-.")

#: backgrounds of modes, pale so that the channels stay in front; the last is for all further modes
SHADES = ("#E4ECF5", "#FBEBDD", "#E3F2E6", "#F3E6F1", "#F7F3D3", "#E9E9E9")

#: lines of events: each name has its own pair of ink and dashes; the last is for all further events
INKS, EVENT_DASHES = ("#555555", "#8B1E3F", "#1E4E8B"), ((0, (4, 2)), (0, (1, 1.5)), "-", (0, (6, 2, 1, 2)))
LOOKS = [(ink, dashes) for ink in INKS for dashes in EVENT_DASHES]

#: a legend of more channels than this stands beside its panel, in columns of at most so many
INSIDE, COLUMN = 4, 24

#: more samples than this, and looking for the emptiest corner would take long
CORNERS = 10_000

#: width of the panels, their least height, and height of a line of a legend [inch]
WIDTH, HEIGHT, LINE = 8.0, 2.2, 0.19


def plot_channels(
    recording: Recording,
    channels: Sequence[str],
    save: str | Path | None = None,
    show: bool | None = None,
    title: str | None = None,
) -> Figure:
    """Channels over time, one panel for each unit, with events and modes."""
    import matplotlib
    from matplotlib import pyplot

    panels = _panels(recording, channels)
    interactive = matplotlib.get_backend().lower() not in ("agg", "pdf", "svg", "ps", "cairo")
    on_screen = show if show is not None else (save is None and interactive)
    figure, axes = _figure(list(panels.values()), on_screen)
    for axis, (unit, members) in zip(axes, panels.items(), strict=True):
        _panel(axis, recording, unit, members)
    notes = [*_modes(axes, recording), *_events(axes, recording)]
    if notes:
        figure.legend(
            handles=notes, loc="outside lower center", ncols=min(len(notes), 4), fontsize="small", frameon=False
        )
    axes[-1].set_xlabel("time [s]")
    axes[0].set_title(_plain(title or recording.name))
    if save is not None:
        _save(figure, save)
    if on_screen:
        pyplot.show()
    return figure


def _panels(recording: Recording, channels: Sequence[str]) -> dict[str, list[str]]:
    """Names of channels by unit."""
    names = list(channels) or [n for n in recording if "." not in n][:8] or list(recording)[:4]
    if not names:
        raise TouchweightError("expected a recording with channels to draw, found one without; record something first")
    panels: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        recording[name]  # a clear error for a channel that isn't there
        panels.setdefault(recording.units.get(name, ""), []).append(name)
    return panels


def _figure(panels: list[list[str]], on_screen: bool) -> tuple[Figure, list[Any]]:
    """An empty figure: a panel grows with its legend, and the figure with its panels."""
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    heights = [max(HEIGHT, LINE * min(len(p), COLUMN) + 0.3 if len(p) > INSIDE else 0.0) for p in panels]
    beside = max(_columns(p) for p in panels)
    size = (WIDTH + 1.2 * beside, 1.2 + sum(heights))
    made: Any = pyplot.figure if on_screen else Figure
    figure = made(figsize=size, layout="constrained")
    return figure, list(figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])


def _columns(members: list[str]) -> int:
    """Columns of a legend beside the panel; none when it fits inside."""
    return math.ceil(len(members) / COLUMN) if len(members) > INSIDE else 0


def _panel(axis: Any, recording: Recording, unit: str, members: list[str]) -> None:
    """Channels of one unit."""
    dot = "o" if len(recording.t) == 1 else ""
    for k, name in enumerate(members):
        colour, dashes = COLOURS[k % len(COLOURS)], DASHES[k // len(COLOURS) % len(DASHES)]
        axis.plot(recording.t, recording[name], color=colour, ls=dashes, marker=dot, lw=1.4, label=_plain(name))
    label = _plain(f"[{unit}]") if unit else ""
    if len(members) == 1:
        axis.set_ylabel(f"{_plain(members[0])} {label}".rstrip())
    else:
        axis.set_ylabel(label)
        beside = _columns(members)
        place: dict[str, Any] = {"loc": "best" if len(recording.t) <= CORNERS else "upper right"}
        if beside:
            place = {"loc": "center left", "bbox_to_anchor": (1.005, 0.5), "ncols": beside}
        axis.legend(fontsize="small", framealpha=0.9, **place)
    axis.grid(True, alpha=0.3)
    axis.margins(x=0.0)


def _modes(axes: list[Any], recording: Recording) -> list[Any]:
    """Shade the stretch of each mode, when there are several; returns what the legend shows."""
    from matplotlib.patches import Patch

    spans = mode_spans(recording)
    if len(spans) < 2:
        return []
    notes = []
    for (name, stretches), shade in zip(_fewer("mode", spans, len(SHADES)), SHADES, strict=False):
        for axis in axes:
            across = axis.get_xaxis_transform()
            axis.broken_barh(stretches, (0.0, 1.0), transform=across, color=shade, lw=0, zorder=0)
        notes.append(Patch(color=shade, label=_plain(name)))
    return notes


def _fewer(kind: str, groups: dict[str, list[Any]], most: int) -> list[tuple[str, list[Any]]]:
    """Groups with their labels, at most so many: the last takes all that remain."""
    names = list(groups)
    cut = most if len(names) <= most else most - 1
    out = [(f"{kind}: {n}", groups[n]) for n in names[:cut]]
    rest = [x for n in names[cut:] for x in groups[n]]
    return [*out, (f"other {kind}s", rest)] if rest else out


def mode_spans(recording: Recording) -> dict[str, list[tuple[float, float]]]:
    """For each mode the stretches spent in it, as start and length [s]; nothing without events or samples."""
    if not recording.events or not len(recording.t):
        return {}
    events = sorted(recording.events, key=lambda e: e.t)
    first, last = float(recording.t[0]), float(recording.t[-1])
    starts = [first, *(min(max(e.t, first), last) for e in events), last]
    spans: dict[str, list[tuple[float, float]]] = {}
    for name, start, end in zip([events[0].source, *(e.target for e in events)], starts, starts[1:], strict=False):
        if end > start:
            spans.setdefault(name, []).append((start, end - start))
    return spans


def _events(axes: list[Any], recording: Recording) -> list[Any]:
    """A thin upright line at each event; returns what the legend shows, once for each name."""
    from matplotlib.lines import Line2D

    times: dict[str, list[float]] = {}
    for e in recording.events:
        if len(recording.t) and recording.t[0] <= e.t <= recording.t[-1]:
            times.setdefault(e.name, []).append(e.t)
    notes = []
    faint = min(1.0, max(0.2, 150 / max(1, sum(map(len, times.values())))))
    for (name, at), (ink, dashes) in zip(_fewer("event", times, len(LOOKS)), LOOKS, strict=False):
        for axis in axes:
            across = axis.get_xaxis_transform()
            axis.vlines(at, 0.0, 1.0, transform=across, color=ink, ls=dashes, lw=0.8, alpha=faint, zorder=1)
        count = f" (×{len(at)})" if len(at) > 1 else ""
        notes.append(Line2D([], [], color=ink, ls=dashes, lw=0.8, label=_plain(name) + count))
    return notes


def _save(figure: Figure, path: str | Path) -> None:
    try:
        figure.savefig(Path(path), dpi=130)
    except (OSError, ValueError) as error:  # a folder that isn't there, a format that isn't known
        raise FileError(path, f"expected to write a figure, found: {error}; choose another name or ending") from None


def _plain(text: str) -> str:
    """Names come from files: keep Matplotlib from taking them for mathematics, or hiding them (``_name``)."""
    shown = printable(text, 60).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown

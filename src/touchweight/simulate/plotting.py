"""Drawing recordings with Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, TouchweightError, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .recording import Recording

#: colours that stay apart for colour-blind readers (Okabe & Ito)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")


def plot_channels(
    recording: Recording,
    channels: Sequence[str],
    save: str | Path | None = None,
    show: bool | None = None,
    title: str | None = None,
) -> Figure:
    """Channels over time, one panel for each unit."""
    import matplotlib
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    names = list(channels) or [n for n in recording if "." not in n][:8] or list(recording)[:4]
    if not names:
        raise TouchweightError("expected a recording with channels to draw, found one without; record something first")
    panels: dict[str, list[str]] = {}
    for name in names:
        recording[name]  # a clear error for a channel that isn't there
        panels.setdefault(recording.units.get(name, ""), []).append(name)
    interactive = matplotlib.get_backend().lower() not in ("agg", "pdf", "svg", "ps", "cairo")
    on_screen = show if show is not None else (save is None and interactive)
    size = (8.0, 1.2 + 2.2 * len(panels))
    figure = pyplot.figure(figsize=size) if on_screen else Figure(figsize=size)
    axes: Any = figure.subplots(len(panels), 1, sharex=True, squeeze=False)
    for axis, (unit, members) in zip(axes[:, 0], panels.items(), strict=True):
        for k, name in enumerate(members):
            axis.plot(recording.t, recording[name], color=COLOURS[k % len(COLOURS)], lw=1.4, label=_plain(name))
        if len(members) > 1:
            axis.legend(loc="upper right", fontsize="small", framealpha=0.9)
            axis.set_ylabel(f"[{unit}]" if unit else "")
        else:
            axis.set_ylabel(f"{_plain(members[0])} [{unit}]" if unit else _plain(members[0]))
        axis.grid(True, alpha=0.3)
        axis.margins(x=0.0)
    axes[-1, 0].set_xlabel("time [s]")
    axes[0, 0].set_title(_plain(title or recording.name))
    figure.tight_layout()
    if save is not None:
        try:
            figure.savefig(Path(save), dpi=130)
        except (OSError, ValueError) as error:  # a folder that isn't there, a format that isn't known
            raise FileError(
                save, f"expected to write a figure, found: {error}; choose another name or ending"
            ) from None
    if on_screen:
        pyplot.show()
    return figure


def _plain(text: str) -> str:
    """Names come from files: keep Matplotlib from taking them for mathematics, or hiding them (``_name``)."""
    shown = printable(text, 60).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown

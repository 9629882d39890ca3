"""Progress bars for jobs that take a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: a bar appears once a job has run this long [s]
PATIENCE = 1.0


@contextmanager
def bar(total: int, text: str, wanted: bool | None = None) -> Iterator[Callable[[int], None]]:
    """Yields ``tick(done)``; a bar shows when asked for, or on a terminal when the job takes long."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()) or total <= 0:
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    shown: Progress | None = None
    task = None
    start = time.monotonic()

    def tick(done: int) -> None:
        nonlocal shown, task
        if shown is None and (wanted or time.monotonic() - start > PATIENCE):
            shown = Progress(console=Console(stderr=True), transient=True)
            shown.start()
            task = shown.add_task(text, total=total)
        if shown is not None and task is not None:
            shown.update(task, completed=done)

    try:
        yield tick
    finally:
        if shown is not None:
            shown.stop()

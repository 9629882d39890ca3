"""The errors a user may meet: each one sentence that says what was expected, what was found and what to do."""

from __future__ import annotations


class TouchweightError(Exception):
    """Base of every error raised on purpose; the command line shows it as one line, without a traceback."""


class MechanismError(TouchweightError, ValueError):
    """Something in the description of a mechanism is wrong."""


class FileError(TouchweightError, ValueError):
    """A file cannot be read; the message starts with the file and the place in it."""

    def __init__(self, path: object, message: str, line: int | None = None) -> None:
        self.path = printable(str(path))
        self.line = line
        where = f"{self.path}:{line}" if line else self.path
        super().__init__(f"{where}: {printable(message, 600)}")


class BuildError(TouchweightError, RuntimeError):
    """Generated code could not be compiled or loaded."""


class ShapeError(TouchweightError, ValueError):
    """An array has the wrong shape or holds the wrong numbers."""


def printable(text: str, limit: int = 200) -> str:
    """``text`` on one line, safe for a terminal, shortened: names from files may hold anything."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"

"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import printable


@dataclass(frozen=True)
class Problem:
    """Something wrong with a mechanism.

    Attributes:
        where: the part it is about.
        what: what was expected and what was found.
        advice: what to do.
        severity: "error" (the equations cannot be built or solved) or "warning".
    """

    where: str
    what: str
    advice: str
    severity: str = "error"

    def __str__(self) -> str:
        return printable(f"{self.where}: {self.what}; {self.advice}", 800)

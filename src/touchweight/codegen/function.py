"""A function to be generated: named arrays of symbols in, named arrays of expressions out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..symbolic import Expr, Symbol


@dataclass(frozen=True)
class Function:
    """What to generate.

    Attributes:
        name: an identifier, such as ``inverse``.
        inputs: array name -> its symbols, in order. Names are identifiers of our own, never from files.
        outputs: array name -> its expressions, in order.
        parameters: the live parameters, in the order of the parameter table.
    """

    name: str
    inputs: Mapping[str, Sequence[Symbol]]
    outputs: Mapping[str, Sequence[Expr]]
    parameters: Sequence[Symbol]

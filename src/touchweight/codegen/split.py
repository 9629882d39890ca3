"""Cutting a long block into pieces, so that compile time grows with its length and not faster.

A compiler's register allocation looks at a whole function at once; its work grows faster than the function. Pieces of
bounded length keep it in bounds and can be compiled side by side. Values that one piece makes and a later one reads
travel through a work array.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..symbolic import Expr, Mul, Symbol
from ..symbolic.count import node_operations
from .program import Block


@dataclass
class Piece:
    """Part of a block.

    Attributes:
        steps: the temporaries it makes, in order.
        results: which of the block's results it stores.
        reads: temporaries of earlier pieces that it reads.
        leaves: symbols, sines and cosines that it reads.
    """

    steps: list[Expr]
    results: list[int] = field(default_factory=list)
    reads: list[Expr] = field(default_factory=list)
    leaves: list[Expr] = field(default_factory=list)


@dataclass
class Cut:
    """A block in pieces; ``work`` gives the place in the work array of every value that crosses."""

    pieces: list[Piece]
    work: dict[Expr, int]


def cut(block: Block, operations: int) -> Cut:
    """Cut a block into pieces of about so many operations."""
    pieces = [Piece([])]
    named = set(block.steps)
    cost = 0
    for node in block.steps:
        if cost > operations:
            pieces.append(Piece([]))
            cost = 0
        pieces[-1].steps.append(node)
        cost += _statement_cost(node, named)
    home: dict[Expr, int] = {n: k for k, piece in enumerate(pieces) for n in piece.steps}
    given = {f for a in block.angles for f in (a.sine, a.cosine) if f is not None}
    for r, node in enumerate(block.results):
        needs = _statement_reads(node, home, given, named=True)
        pieces[max((home[n] for n in needs if n in home), default=0)].results.append(r)
    work: dict[Expr, int] = {}
    for k, piece in enumerate(pieces):
        seen: dict[Expr, None] = {}
        for node in piece.steps:
            seen.update(dict.fromkeys(_statement_reads(node, home, given, named=False)))
        for r in piece.results:
            seen.update(dict.fromkeys(_statement_reads(block.results[r], home, given, named=True)))
        for n in seen:
            if n not in home:
                piece.leaves.append(n)
            elif home[n] < k:
                piece.reads.append(n)
                work.setdefault(n, len(work))
    return Cut(pieces, work)


def _statement_cost(node: Expr, named: set[Expr]) -> int:
    """Operations of a step with all that is written inline in it."""
    cost = node_operations(node).total
    stack = list(node.children)
    while stack:
        n = stack.pop()
        if n not in named:
            cost += node_operations(n).total
            stack.extend(n.children)
    return cost


def _statement_reads(node: Expr, home: dict[Expr, int], given: set[Expr], named: bool) -> list[Expr]:
    """The temporaries, symbols, sines and cosines that the statement of a node reads.

    ``named``: the node itself may be a temporary and then is all there is to read.
    """
    found: list[Expr] = []
    stack: list[Expr] = [node]
    first = not named
    while stack:
        n = stack.pop()
        if not first and (n in home or n in given or isinstance(n, Symbol)):
            found.append(n)
            continue
        first = False
        if isinstance(n, Mul) and n.unit is not n and n.unit in home:
            found.append(n.unit)  # written as a multiple of the product without its number
        stack.extend(n.children)
    return found

"""From a function to a program: hoisted, condensed, put in order, ready for any emitter.

A program is a list of steps. Each step gives a value to one temporary, except that sines and cosines of the input
angles come first, all together, because a processor takes several of them at the price of one.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..symbolic import (
    Add,
    Const,
    Expr,
    Func,
    Mul,
    Operations,
    Symbol,
    count_operations,
    is_condition,
    topological,
)
from .condense import condense
from .conditions import cut_conditions
from .function import Function
from .hoist import hoist, hoist_again

#: an expression written inline is at most this deep; deeper parts get a temporary
INLINE_DEPTH = 4

#: graphs with more nodes than this are not condensed: it would save one operation in a hundred and take seconds
THOROUGH = 8000


@dataclass
class SinCos:
    """Sine and cosine of one angle, taken together; a name is None when nobody needs it."""

    angle: Expr
    sine: Expr | None
    cosine: Expr | None


@dataclass
class Block:
    """Straight-line code: steps in order, then results.

    Attributes:
        angles: sines and cosines of input angles, taken together before anything else.
        steps: nodes that get a temporary, in order; what else they use is written inline.
        results: the expressions to store, in order.
    """

    angles: list[SinCos]
    steps: list[Expr]
    results: list[Expr]

    @functools.cached_property
    def operations(self) -> Operations:
        """What evaluating the block costs."""
        return count_operations(self.results)


@dataclass
class Program:
    """A function ready to be emitted.

    Attributes:
        function: what was asked for.
        prepare: parameters -> table of slots.
        body: inputs and slots -> outputs.
        slots: the symbols of the table, in order.
    """

    function: Function
    prepare: Block
    body: Block
    slots: list[Symbol]
    sizes_in: dict[str, int] = field(default_factory=dict)
    sizes_out: dict[str, int] = field(default_factory=dict)

    @property
    def operations(self) -> Operations:
        """Operations of one evaluation, without ``prepare``."""
        return self.body.operations


def make_program(function: Function) -> Program:
    """Hoist, condense and schedule a function."""
    roots = cut_conditions([e for entries in function.outputs.values() for e in entries])
    moving = hoist(roots, function.parameters)
    if len(topological(moving.roots)) < THOROUGH:
        moving.roots = condense(moving.roots)
        if _gathers_slots(moving.roots, moving.slots):
            moving = hoist_again(moving.roots, moving.slots)
    body = schedule(moving.roots)
    # slots in the order in which the body first reads them: one sweep through the table
    order = _first_use(body, list(moving.slots))
    prepare = schedule([moving.slots[s] for s in order])
    return Program(
        function,
        prepare,
        body,
        order,
        {k: len(v) for k, v in function.inputs.items()},
        {k: len(v) for k, v in function.outputs.items()},
    )


def _gathers_slots(roots: Sequence[Expr], slots: Mapping[Symbol, Expr]) -> bool:
    """Whether condensing has brought slots together, as in (m1 + m2) x."""
    return any(n.children and all(c in slots for c in n.children) for n in topological(roots))


def _first_use(body: Block, slots: list[Symbol]) -> list[Symbol]:
    known = set(slots)
    seen: dict[Symbol, None] = {}
    named = set(body.steps)
    for root in (*(a.angle for a in body.angles), *body.steps, *body.results):
        stack = [root]
        first = True
        while stack:
            n = stack.pop()
            if isinstance(n, Symbol) and n in known:
                seen.setdefault(n)
            if first or n not in named:
                stack.extend(reversed(n.children))
            first = False
    return list(seen)


def schedule(roots: Sequence[Expr]) -> Block:
    """Put the nodes that ``roots`` need in an order, and choose which of them get a temporary."""
    order = depth_first(roots)
    uses: dict[Expr, int] = {}
    for n in order:
        for c in n.children:
            uses[c] = uses.get(c, 0) + 1
    present = set(order)
    for n in order:
        if isinstance(n, Mul) and n.coef != 1.0 and n.unit in present and n.unit is not n:
            uses[n.unit] = uses.get(n.unit, 0) + 1
    angles = _input_angles(order)
    given = {f for a in angles for f in (a.sine, a.cosine) if f is not None}
    steps: list[Expr] = []
    depth: dict[Expr, int] = {}
    for n in order:
        if isinstance(n, Const | Symbol) or n in given:
            depth[n] = 0
            continue
        inner = 1 + max((depth[c] for c in n.children), default=0)
        if is_condition(n):
            depth[n] = inner  # truth values are written where they are read
        elif uses.get(n, 0) > 1 or inner > INLINE_DEPTH or isinstance(n, Func) or _powers(n):
            steps.append(n)
            depth[n] = 0
        else:
            depth[n] = inner
    return Block(angles, steps, list(roots))


def depth_first(roots: Sequence[Expr]) -> list[Expr]:
    """Every node that ``roots`` need, each right before its first reader: values are short-lived, registers suffice."""
    present = set(topological(roots))
    order: list[Expr] = []
    done: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(r, False) for r in reversed(roots)]
    while stack:
        n, ready = stack.pop()
        if n in done:
            continue
        if ready:
            done.add(n)
            order.append(n)
            continue
        stack.append((n, True))
        # older children first: they belong to the outward pass that the others build on
        children = sorted(n.children, key=_serial, reverse=True)
        if isinstance(n, Mul) and n.unit is not n and n.unit in present:
            children.append(n.unit)  # the same product without its number serves others: scale it
        stack.extend((c, False) for c in children if c not in done)
    return order


_serial = operator.attrgetter("serial")


def _powers(n: Expr) -> bool:
    return isinstance(n, Mul) and any(e not in (1, 2, -1) for _, e in n.factors)


def _input_angles(order: Sequence[Expr]) -> list[SinCos]:
    """Sines and cosines whose angle is an input or a sum of inputs and parameters."""
    found: dict[Expr, SinCos] = {}
    for n in order:
        if isinstance(n, Func) and n.name in ("sin", "cos") and _is_simple(n.args[0]):
            pair = found.setdefault(n.args[0], SinCos(n.args[0], None, None))
            if n.name == "sin":
                pair.sine = n
            else:
                pair.cosine = n
    return list(found.values())


def _is_simple(angle: Expr) -> bool:
    if isinstance(angle, Symbol):
        return True
    if isinstance(angle, Mul):
        return len(angle.factors) == 1 and isinstance(angle.factors[0][0], Symbol) and angle.factors[0][1] == 1
    return isinstance(angle, Add) and all(isinstance(t, Symbol) for t, _ in angle.terms)

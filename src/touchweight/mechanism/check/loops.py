"""Loops and constraints: what cuts sit on, and what equations may hold."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from ...symbolic import Expr, Symbol, evaluate_all, free_symbols, gradient
from ..loop import LOOP_KINDS, Constraint, Loop
from ..values import shown
from .problem import Problem
from .tools import ON_POSITIONS, ON_SPEEDS, POSITION_SENSORS, SPEED_SENSORS, Tools, listed

#: slopes that differ by this much at two speeds are not those of a linear equation
CURVED = 1e-9


def loop_problems(tools: Tools) -> Iterator[Problem]:
    """Cuts and equations, and rows of one name."""
    owners: dict[str, str] = {}
    for item in tools.mechanism.loops.values():
        if isinstance(item, Constraint):
            yield from _equation(tools, item)
        elif item.kind in LOOP_KINDS:
            yield from _cut(tools, item)
        else:
            where, found = f"loop {shown(item.name)}", shown(item.kind)
            yield Problem(where, f"expected a known kind, found {found}", f"use {listed(LOOP_KINDS)}")
            continue
        for row in item.rows:
            other = owners.setdefault(row, item.name)
            if other != item.name:
                yield Problem(
                    f"loop {shown(item.name)}",
                    f"expected forces of its own, found {shown(row)} of {shown(other)}",
                    "rename one of them",
                )


# -- cuts ------------------------------------------------------------------------------------------------
def _cut(tools: Tools, loop: Loop) -> Iterator[Problem]:
    where = f"loop {shown(loop.name)}"
    yield from tools.place(where, loop.a)
    yield from tools.place(where, loop.b)
    if loop.a.body is loop.b.body:
        yield Problem(
            where,
            f"expected frames on two bodies, found both on {shown(loop.a.body.name)}",
            "put one of them on the other body of the cut",
        )
    if not abs(math.hypot(*loop.axis) - 1.0) < 1e-6:
        yield Problem(where, f"expected an axis of length one, found {shown(loop.axis)}", "normalise it")
    length, problems = tools.finite(f"length of {where}", "a length", [loop.length])
    yield from problems
    if loop.kind == "rod" and length is not None:
        # a negative parameter is told as a parameter
        is_told = length[0] < 0.0 and isinstance(loop.length, Symbol)
        if not length[0] > 0.0 and not is_told:
            advice = "give it the distance of its ends, or use cut_ball()"
            yield Problem(where, f"expected a rod of positive length, found {length[0]:g} m", advice)


# -- equations -------------------------------------------------------------------------------------------
def _equation(tools: Tools, item: Constraint) -> Iterator[Problem]:
    where = f"constraint {shown(item.name)}"
    if item.level not in ("position", "speed"):
        found = shown(item.level)
        yield Problem(where, f"expected the level position or speed, found {found}", "correct it")
        return
    on_speeds = item.level == "speed"
    yield from tools.symbols(where, [item.expression], ON_SPEEDS if on_speeds else ON_POSITIONS)
    used = free_symbols([item.expression])
    rates = [s for s in used if tools.words.get(s) == "speed" or tools.measured(s, SPEED_SENSORS)]
    if on_speeds:
        yield from _speeds(where, item.expression, rates)
        return
    for s in rates:
        if s in tools.sensors:  # a speed itself is told above
            sensor = tools.sensors[s]
            yield Problem(
                where,
                f"expected positions only, found the {sensor.kind} sensor {shown(sensor.name)}",
                "use speed_constraint()",
            )
    if not any(tools.words.get(s) == "coordinate" or tools.measured(s, POSITION_SENSORS) for s in used):
        yield Problem(
            where, "expected an equation of coordinates, found none in it", "add one or remove the constraint"
        )


def _speeds(where: str, expression: Expr, rates: Sequence[Symbol]) -> Iterator[Problem]:
    if not rates:
        yield Problem(
            where,
            "expected an equation of speeds, found none in it",
            "add one, or use constraint() for positions",
        )  # fmt: skip
    elif not _is_linear(expression, rates):
        yield Problem(
            where,
            "expected an equation that is linear in the speeds, found one that is not",
            "write it as a sum of speeds times coefficients",
        )


def _is_linear(expression: Expr, rates: Sequence[Symbol]) -> bool:
    """Whether the slopes along ``rates`` don't depend on them: by their symbols, else by trying some values."""
    slopes = gradient(expression, list(rates))
    if not set(free_symbols(slopes)) & set(rates):
        return True
    random = np.random.default_rng(5)
    values: dict[Symbol, float] = {s: float(random.uniform(0.2, 1.2)) for s in free_symbols([expression])}
    tried = []
    for size in (1.0, -1.0, 0.3):
        here = values | {s: size * float(random.uniform(0.2, 1.2)) for s in rates}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tried.append(np.array([complex(x) for x in evaluate_all(slopes, here)]))
            except (ArithmeticError, ValueError):
                return False
    scale = 1.0 + float(np.abs(tried).max())
    return bool(np.abs(np.array(tried) - tried[0]).max() < CURVED * scale)

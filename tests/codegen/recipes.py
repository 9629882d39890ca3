"""Random functions over inputs and parameters that have a value everywhere and are well conditioned.

Discontinuous functions are only applied where every way to compute their argument gives the same number, so
that no rounding can tip a decision.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from touchweight import symbolic as sy
from touchweight.codegen.function import Function
from touchweight.symbolic import Expr, Symbol, evaluate_all, symbol

Array = NDArray[np.float64]

Q: tuple[Symbol, ...] = sy.symbols("q0 q1 q2 q3", "coordinate")
V: tuple[Symbol, ...] = sy.symbols("v0 v1", "speed")
T: Symbol = symbol("t", "time")
P: tuple[Symbol, ...] = (
    symbol("m1", "mass"),
    symbol("m2", "mass"),
    symbol("l", "length"),
    symbol("k"),
    symbol("F", "force"),
)
INPUTS = {"q": Q, "v": V, "t": (T,)}
LEAVES: tuple[Symbol, ...] = (*Q, *V, T, *P)
NUMBERS = (1.0, -1.0, 2.0, -2.0, 0.5, 3.0, 0.1, -1.5)


def leaf(draw: random.Random) -> Expr:
    return draw.choice(LEAVES) if draw.random() < 0.85 else sy.const(draw.choice(NUMBERS))


def condition(draw: random.Random, depth: int = 2) -> Expr:
    """Comparisons of leaves: their numbers are the same in every emitter."""
    kind = draw.randrange(6 if depth else 3)
    if kind < 3:
        compare = (sy.less, sy.less_equal, sy.equal)[kind]
        return compare(leaf(draw), leaf(draw))
    if kind == 5:
        return sy.negation(condition(draw, depth - 1))
    join = sy.both if kind == 3 else sy.either
    return join(condition(draw, depth - 1), condition(draw, depth - 1))


def expression(draw: random.Random, depth: int = 4) -> Expr:
    """A random expression whose size stays moderate."""
    if depth == 0 or draw.random() < 0.1:
        return leaf(draw)

    def inner() -> Expr:
        return expression(draw, depth - 1)

    def tame() -> Expr:
        return sy.tanh(inner())

    def positive() -> Expr:
        x = inner()
        return x * x + 0.5

    cases = [
        lambda: inner() + inner(),
        lambda: inner() - inner(),
        lambda: inner() + inner() - inner() + draw.choice(NUMBERS) * inner(),
        lambda: inner() * inner(),
        lambda: draw.choice(NUMBERS) * inner(),
        lambda: leaf(draw) * leaf(draw) * inner(),
        lambda: inner() / positive(),
        lambda: positive() ** draw.choice([0.5, -0.5, 1.5, -1, -2, 0.3]),
        lambda: tame() ** draw.choice([2, 3, 4, 5]),
        lambda: positive() ** tame(),
        lambda: sy.sin(leaf(draw) + leaf(draw)) * sy.cos(leaf(draw)),
        lambda: sy.sin(tame()) + sy.cos(inner()),
        lambda: sy.exp(tame()),
        lambda: sy.log(positive()),
        lambda: sy.atan2(inner(), positive()),
        lambda: sy.atan(inner()) + sy.tan(0.5 * tame()),
        lambda: sy.asin(0.9 * tame()) + sy.acos(0.9 * tame()),
        lambda: sy.absolute(inner()),
        lambda: sy.minimum(inner(), inner()) + sy.maximum(inner(), inner()),
        lambda: sy.sign(leaf(draw) - leaf(draw)) * inner(),
        lambda: sy.floor(draw.choice(LEAVES)) * inner(),
        lambda: sy.select(condition(draw), inner(), inner()),
        lambda: sy.share(inner()) * leaf(draw) + leaf(draw),
    ]
    return draw.choice(cases)()


def outputs(draw: random.Random, count: int, depth: int = 4) -> list[Expr]:
    """Several expressions that share parts."""
    made = [expression(draw, depth) for _ in range(count)]
    made += [a * draw.choice(LEAVES) + draw.choice(made) for a in made[: count // 2]]
    return made


def function(made: Sequence[Expr]) -> Function:
    """A function of all inputs with these outputs, in two arrays."""
    half = len(made) // 2
    return Function("f", INPUTS, {"y": list(made[:half]), "z": list(made[half:])}, P)


def points(count: int, seed: int = 1) -> tuple[Array, dict[str, Array]]:
    """Parameter values, and ``count`` values of every input."""
    draw = np.random.default_rng(seed)
    return draw.uniform(0.3, 2.0, len(P)), {k: draw.uniform(-1.5, 1.5, (count, len(s))) for k, s in INPUTS.items()}


def reference(made: Sequence[Expr], p: Array, inputs: dict[str, Array]) -> Array:
    """What the expressions are worth, worked out node by node in NumPy: shape (count, outputs)."""
    values: dict[Expr, Array | float] = dict(zip(P, np.moveaxis(p, -1, 0), strict=True))
    for k, symbols in INPUTS.items():
        values.update(zip(symbols, inputs[k].T, strict=True))
    count = len(inputs["q"])
    return np.stack([np.broadcast_to(x, (count,)) for x in evaluate_all(made, values)], axis=1)


def worst(found: Array, expected: Array) -> float:
    """Largest difference, relative to values above one; infinite where only one of the two is a number."""
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(all="ignore"):
        error = np.where(same, 0.0, np.abs(found - expected) / np.maximum(1.0, np.abs(expected)))
    return float(np.max(np.where(np.isnan(error), np.inf, error), initial=0.0))

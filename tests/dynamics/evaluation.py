"""Numbers without a compiler: models as generated Python, expressions of a mechanism at many states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchweight.codegen.callable import Compiled, PythonFunction
from touchweight.dynamics.frames import Posture, postures
from touchweight.dynamics.kinematics import Kinematics, coordinate_rates
from touchweight.dynamics.tree import Tree, build_tree
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.symbolic import Expr, directional_all, evaluate_all

Array = NDArray[np.float64]


class PythonModel(Model):
    """A model whose functions are generated Python: the same equations, nothing to compile."""

    def function(self, name: str, mode: str | None = None) -> Compiled:
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = PythonFunction(self.equations.derive(name))
        return found


class Bench:
    """A mechanism's tree as described (nothing slid, regrouped or carried), and numbers for its symbols."""

    def __init__(self, mechanism: Mechanism, carried: Iterable[int] = (), tree: Tree | None = None) -> None:
        self.mechanism = mechanism
        self.tree = tree or build_tree(mechanism)
        self.where: Sequence[Posture] = postures(self.tree, frozenset(carried))
        self.world = Kinematics(self.tree, self.where)
        self.values: dict[Expr, Array | float] = {p.symbol: p.value for p in mechanism.parameters.values()}

    def at(self, q: Array, v: Array | None = None, a: Array | None = None) -> Bench:
        """Take these coordinates, speeds and accelerations, (count, n) each, for the numbers that follow."""
        for symbols, columns in ((self.tree.q, q), (self.tree.v, v), (self.tree.a, a)):
            if columns is not None:
                self.values.update(zip(symbols, columns.T, strict=True))
        self.count = len(q)
        return self

    def numbers(self, exprs: Sequence[Expr], more: Mapping[Any, Array | float] | None = None) -> Array:
        """(count, len(exprs)): the expressions at every state."""
        columns = evaluate_all(exprs, {**self.values, **(more or {})})
        return np.stack([np.broadcast_to(np.asarray(c, dtype=float), (self.count,)) for c in columns], axis=1)

    def rates(self, exprs: Sequence[Expr]) -> Array:
        """(count, len(exprs)): the time derivatives of expressions of q and v, exactly."""
        moving: dict[Expr, Expr] = dict(zip(self.tree.q, coordinate_rates(self.tree), strict=True))
        return self.numbers(directional_all(exprs, {**moving, **dict(zip(self.tree.v, self.tree.a, strict=True))}))


def relative(found: NDArray[Any], expected: NDArray[Any]) -> float:
    """The largest difference, over the largest number expected."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{found.shape} is not {expected.shape}"
    return _finite(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))


def by_speed(found: Array, expected: Array) -> float:
    """The largest difference in generalised forces (count, nv), relative to the largest on the same speed.

    Stricter than one scale for all where a finger hangs on a robot. What is zero to rounding counts as such.
    """
    largest = np.abs(expected).max(axis=0)
    scale = np.maximum(largest, 1e-12 * max(largest.max(), 1e-300))
    return _finite((np.abs(found - expected).max(axis=0) / scale).max())


def by_diagonal(found: Array, expected: Array) -> float:
    """The largest difference in mass matrices (count, nv, nv), entry (i, j) relative to √(M_ii M_jj)."""
    root = np.sqrt(np.einsum("nii->ni", expected))
    return _finite((np.abs(found - expected) / (root[:, :, None] * root[:, None, :])).max())


def _finite(x: float) -> float:
    return float(x) if np.isfinite(x) else float("inf")

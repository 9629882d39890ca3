"""Derivatives of eigenvalues: from those of the matrix, by left and right eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...codegen.callable import Array

#: beside the largest eigenvalue, those that are closer than this are one
SAME = 1e-6


def eigen_slopes(a: Array, slope: Array, error: Array, wanted: list[complex]) -> tuple[Any, Array]:
    """dλ for a matrix that changes by ``slope`` (known to ``error``), and how far each may be off.

    Equal eigenvalues part in the directions that the change selects: each of them gets one of the rates.
    """
    values, left, right = scipy.linalg.eig(a, left=True, right=True)
    scale = max(float(np.max(np.abs(values))), 1e-300)
    out, off = np.zeros(len(wanted), dtype=complex), np.zeros(len(wanted))
    taken: dict[tuple[int, ...], int] = {}
    for i, value in enumerate(wanted):
        group = tuple(np.flatnonzero(np.abs(values - value) <= SAME * scale).tolist())
        w, v = left[:, group], right[:, group]
        try:
            block = np.linalg.solve(w.conj().T @ v, w.conj().T @ slope @ v)
            spread = np.linalg.solve(w.conj().T @ v, w.conj().T)
        except np.linalg.LinAlgError:
            out[i], off[i] = np.nan, np.inf
            continue
        rates = np.linalg.eigvals(block)
        rates = rates[np.lexsort((rates.real, rates.imag))]
        k = taken.get(group, 0)
        taken[group] = k + 1
        out[i] = rates[min(k, len(rates) - 1)]
        off[i] = float(np.max(np.abs(spread) @ error @ np.abs(v)))
    return out, off

"""Friction problems in NumPy: slower than the native solver and independent of it, a witness and a substitute.

The one-contact problem is solved by enumeration: sliding is a root of a polynomial of degree four in the slip per
impulse (Bonnefon and Daviet 2011), not the search that the native solver makes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..codegen.callable import Array

#: a scaled contact softer than this cannot be moved in a direction
STIFF = 1e-13
#: Newton steps in one try
MOST_STEPS = 30


def residual(W: Array, q: Array, mu: Array, bilateral: npt.NDArray[Any], d: int, r: Array) -> float:
    """The largest change of one projection |r - P_K(r - u - µ |u_t| e_n)|, scaled, relative to q and r."""
    scale, size = _scales(W, q, d)
    if size == 0.0:
        return 0.0 if not r.any() else 1.0
    D = np.repeat(scale, d)
    return _miss(r * D / size, (W @ r + q) / (D * size), mu, bilateral, d)


def _scales(W: Array, q: Array, d: int) -> tuple[Array, float]:
    """Of each contact a power of two near the root of its block's size; of all the largest scaled speed."""
    trace = np.diagonal(W).reshape(-1, d).sum(axis=1)
    scale = np.where(trace > 0.0, 2.0 ** (np.frexp(trace)[1] // 2), 1.0)
    return scale, float(np.max(np.abs(q) / np.repeat(scale, d), initial=0.0))


def _miss(r: Array, u: Array, mu: Array, bilateral: npt.NDArray[Any], d: int) -> float:
    R, U = r.reshape(-1, d), u.reshape(-1, d)
    x = R - U
    x[:, 0] -= mu * np.linalg.norm(U[:, 1:], axis=1)
    off = np.linalg.norm(R - project(x, mu), axis=1)
    off = np.where(bilateral != 0, np.linalg.norm(U, axis=1), off)
    return float(np.max(off, initial=0.0)) / max(1.0, float(np.max(np.abs(r), initial=0.0)))


def project(x: Array, mu: Array) -> Array:
    """The nearest points of the cones |x_t| ≤ µ x_n, row by row."""
    size = np.linalg.norm(x[:, 1:], axis=1)
    normal = (x[:, 0] + mu * size) / (1.0 + mu * mu)
    side = np.column_stack([normal, x[:, 1:] * (mu * normal / np.where(size > 0.0, size, 1.0))[:, None]])
    inside, opposite = size <= mu * x[:, 0], mu * size <= -x[:, 0]
    return np.where(inside[:, None], x, np.where(opposite[:, None], 0.0, side))


def one_contact(A: Array, b: Array, mu: float, bilateral: bool = False) -> Array:
    """The impulse of one contact, u = A r + b: apart, else sticking, else sliding."""
    d = len(b)
    if bilateral:
        return -np.asarray(np.linalg.lstsq(A, b, rcond=STIFF)[0], dtype=float)
    if b[0] >= 0.0 or A[0, 0] <= STIFF:
        return np.zeros(d)
    held = -np.linalg.lstsq(A, b, rcond=STIFF)[0]
    sticks = np.linalg.norm(A @ held + b) <= 1e-12 * np.linalg.norm(b)
    if sticks and np.linalg.norm(held[1:]) <= mu * held[0]:
        return np.asarray(held, dtype=float)
    if mu == 0.0:
        return np.array([-b[0] / A[0, 0], *np.zeros(d - 1)])
    a = A[1:, 0] / A[0, 0]
    S, g = A[1:, 1:] - np.outer(a, A[0, 1:]), b[1:] - a * b[0]
    values, axes = np.linalg.eigh(S)
    turned, lean = axes.T @ g, axes.T @ a
    best, least = np.zeros(d), np.inf
    for slip in _slips(values, turned, lean, float(-b[0] / A[0, 0]), mu):
        y = -turned / (values + slip)
        size = float(np.linalg.norm(y))
        if size == 0.0:
            continue
        e = mu * (axes @ y) / size
        against = 1.0 + a @ e
        if against <= 0.0:
            continue
        r = np.concatenate([[1.0], e]) * (-b[0] / A[0, 0] / against)
        error = _miss(r, A @ r + b, np.array([mu]), np.zeros(1), d)
        if error < least:
            best, least = r, error
    return best


def _slips(values: Array, g: Array, lean: Array, free: float, mu: float) -> list[float]:
    """Positive roots α of |y|² = µ² (free - lean·y)², y = -g / (values + α), as a polynomial."""
    factors = [np.poly1d([1.0, v]) for v in values]
    whole = np.poly1d([1.0])
    for f in factors:
        whole = whole * f
    parts = [(factors[1 - k] if len(factors) == 2 else np.poly1d([1.0])) * -float(g[k]) for k in range(len(g))]
    normal = whole * free
    for k, part in enumerate(parts):
        normal = normal - part * float(lean[k])
    equation = sum((p * p for p in parts), np.poly1d([0.0])) - normal * normal * (mu * mu)
    found = []
    for root in equation.roots:
        if root.real <= 0.0 or abs(root.imag) > 1e-4 * abs(root):
            continue
        x = float(root.real)
        for _ in range(4):  # polish
            slope = np.polyval(equation.deriv(), x)
            step = float(np.polyval(equation, x) / slope) if slope else 0.0
            x = x - step if x - step > 0.0 else x
        found.append(x)
    return found


def solve(
    W: Array, q: Array, mu: Array, bilateral: npt.NDArray[Any], d: int, tolerance: float, most_sweeps: int, r: Array,
    *, newton: bool = True, relaxation: float = 1.0,
) -> tuple[Any, ...]:  # fmt: skip
    """What the native solver gives, in the order of ``Solution``'s fields."""
    if np.all(q[::d] >= 0.0) and not bilateral.any():  # every contact opens by itself
        return np.zeros_like(r), q.copy(), 0.0, 0, 0, 0, np.zeros(0), True
    out, groups = r.copy(), _groups(W, d)
    worst, sweeps, steps = 0.0, 0, 0
    past: list[list[float]] = []
    for members in groups:
        rows = np.concatenate([np.arange(i * d, (i + 1) * d) for i in members])
        part = _Group(W[np.ix_(rows, rows)], q[rows], mu[members], bilateral[members], d, relaxation)
        out[rows], error, history = part.solve(r[rows], tolerance, most_sweeps, newton)
        worst, sweeps, steps = max(worst, error), max(sweeps, len(history)), steps + part.steps
        past.append([*history, error])
    history = [max((p[min(k, len(p) - 1)] for p in past), default=0.0) for k in range(sweeps)]
    return out, W @ out + q, worst, sweeps, len(groups), steps, np.array(history), worst <= tolerance


def _groups(W: Array, d: int) -> list[list[int]]:
    """Contacts that act on each other, through others or directly."""
    n = len(W) // d
    linked = np.any(W.reshape(n, d, n, d) != 0.0, axis=(1, 3)) if n else np.zeros((0, 0), dtype=bool)
    left, out = set(range(n)), []
    while left:
        reached, fresh = {min(left)}, [min(left)]
        while fresh:
            near = set(np.flatnonzero(linked[fresh.pop()]).tolist()) - reached
            reached |= near
            fresh.extend(near)
        left -= reached
        out.append(sorted(reached))
    return out


class _Group:
    """Contacts that act on each other, scaled so that the blocks on W's diagonal have sizes near 1."""

    def __init__(self, W: Array, q: Array, mu: Array, bilateral: npt.NDArray[Any], d: int, relaxation: float) -> None:
        scale, self.size = _scales(W, q, d)
        self.D = np.repeat(scale, d)
        self.W = W / np.outer(self.D, self.D)
        self.q = q / (self.D * (self.size or 1.0))
        self.mu, self.bilateral, self.d, self.relaxation = mu, bilateral, d, relaxation
        self.steps = 0

    def error(self, r: Array) -> float:
        return _miss(r, self.W @ r + self.q, self.mu, self.bilateral, self.d)

    def solve(self, start: Array, tolerance: float, most: int, newton: bool) -> tuple[Array, float, list[float]]:
        if self.size == 0.0:
            return np.zeros_like(start), 0.0, []
        r = start * self.D / self.size
        history: list[float] = []
        best, least = r, self.error(r)
        while least > tolerance and len(history) < most:
            self.sweep(r, len(history))
            error = self.error(r)
            if newton and error > tolerance and len(history) % 20 == 3:
                tried = self.newton(r, tolerance)
                if self.error(tried) < error:
                    r, error = tried, self.error(tried)
            history.append(error)
            if error <= least:
                best, least = r.copy(), error
        return best * self.size / self.D, least, history

    def sweep(self, r: Array, number: int) -> None:
        order = range(len(self.mu))
        for i in reversed(order) if number % 2 else order:
            at = slice(i * self.d, (i + 1) * self.d)
            A = self.W[at, at]
            b = self.q[at] + self.W[at] @ r - A @ r[at]
            x = one_contact(A, b, float(self.mu[i]), bool(self.bilateral[i]))
            if self.relaxation != 1.0:
                x = r[at] + self.relaxation * (x - r[at])
                x = x if self.bilateral[i] else project(x[None, :], self.mu[i : i + 1])[0]
            r[at] = x

    def newton(self, r: Array, tolerance: float) -> Array:
        """Newton's method on Alart and Curnier's function, least squares for each step; r is left alone."""
        F, J = self.function(r)
        for _ in range(MOST_STEPS):
            step = np.linalg.lstsq(J, -F, rcond=1e-12)[0]
            self.steps += 1
            for length in 0.5 ** np.arange(9):
                tried = r + length * step
                F_tried, J_tried = self.function(tried)
                if F_tried @ F_tried < (1.0 - 1e-3 * length) * (F @ F):
                    break
            else:
                break
            r, F, J = tried, F_tried, J_tried
            if np.max(np.abs(F)) <= 0.01 * tolerance:
                break
        inside = project(r.reshape(-1, self.d), self.mu)
        return np.where(self.bilateral[:, None] != 0, r.reshape(-1, self.d), inside).ravel()

    def function(self, r: Array) -> tuple[Array, Array]:
        """Alart and Curnier's function and its slope, contact by contact."""
        d, u = self.d, self.W @ r + self.q
        F, J = r.copy(), np.eye(len(r))
        for i, mu in enumerate(self.mu):
            at = slice(i * d, (i + 1) * d)
            x, by = r[at] - u[at], np.eye(len(r))[at] - self.W[at]
            if not self.bilateral[i]:
                x, by = _disc(x, by, float(mu))
            F[at] -= x
            J[at] -= by
        return F, J


def _disc(x: Array, by: Array, mu: float) -> tuple[Array, Array]:
    """The trial impulse x, its normal made positive, its tangential part put into the disc µ x_n; and its slope."""
    if x[0] <= 0.0:
        return np.zeros_like(x), np.zeros_like(by)
    size = float(np.linalg.norm(x[1:]))
    if size <= mu * x[0]:
        return x, by
    e = x[1:] / size
    out, slope = x.copy(), by.copy()
    out[1:] = mu * x[0] * e
    slope[1:] = mu * np.outer(e, by[0]) + mu * x[0] / size * (by[1:] - np.outer(e, e @ by[1:]))
    return out, slope

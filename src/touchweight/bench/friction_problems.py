"""Friction problems to measure solvers with: recorded ones, random ones, and stacks and piles of bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .states import Array

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class FrictionProblem:
    """A friction problem u = W r + q with friction coefficients mu.

    Attributes:
        kind: recorded, well (conditioned), badly (conditioned), redundant (W singular), stack, or pile.
        name: which one.
        dimension: rows of each contact, 2 or 3.
        W: Delassus operator [1/kg].
        q: speeds without impulses [m/s].
        mu: friction coefficients.
    """

    kind: str
    name: str
    dimension: int
    W: Array
    q: Array
    mu: Array

    @property
    def contacts(self) -> int:
        """How many contacts."""
        return len(self.mu)

    @property
    def definite(self) -> bool:
        """Whether W is positive definite."""
        return self.kind in ("recorded", "well", "badly") and bool(np.linalg.eigvalsh(self.W)[0] > 0.0)


def recorded() -> list[FrictionProblem]:
    """Four problems from the tests of Siconos (V. Acary and others, Inria, Apache licence 2.0).

    FrictionContact3D_1c, FrictionContact3D_RR_1c, FC3D_Example1_SBM, and FC2D_SliderCrankLagrangian00000, whose W is
    made symmetric.
    """
    crank = np.array(
        [
            [936.561002225357, -464.266440259366365, -915.290849626495, -464.266440259366365],
            [-464.266440259366365, 236.508144569936917, 461.659485666559595, 236.508144569936917],
            [-915.290849626495, 461.659485666559595, 936.561002225357, 461.659485666559595],
            [-464.266440259366365, 236.508144569936917, 461.659485666559595, 236.508144569936917],
        ]
    )
    pull = np.array([-1.179087309965789, -8.407368208001527, -1.179087309965789, -8.407368208001527])
    rolling = np.array(
        [[0.01344, -9.421e-07, 0.001486], [-9.421e-07, 0.1061, 0.0001733], [0.001486, 0.0001733, 0.001442]]
    )
    one = np.array([[15.0, -1.0, -2.0], [-1.0, 14.0, 1.0], [-2.0, 1.0, 16.0]])
    return [
        FrictionProblem("recorded", "3D_1c", 3, one, np.array([-1.0, 2.0, 3.0]), np.array([0.1])),
        FrictionProblem("recorded", "3D_RR_1c", 3, rolling, np.array([-0.1458, -0.2484, -0.1515]), np.array([0.6])),
        FrictionProblem("recorded", "3D_Example1", 3, np.eye(9), np.tile([-1.0, 1.0, 3.0], 3), np.full(3, 0.1)),
        FrictionProblem("recorded", "2D_SliderCrank", 2, crank, pull, np.full(2, 0.01)),
    ]


def random_problem(kind: str, contacts: int, dimension: int, rng: np.random.Generator) -> FrictionProblem:
    """A random problem: W well conditioned, badly (condition number 1e4), or of half the rank it could have."""
    m = contacts * dimension
    mu = rng.uniform(0.1, 0.9, contacts)
    if kind == "redundant":
        H = rng.normal(size=(m, max(1, m // 2)))
        W, q = H @ H.T / m, H @ rng.normal(size=H.shape[1])
    else:
        turn = np.linalg.qr(rng.normal(size=(m, m)))[0]
        W = (turn * 10.0 ** rng.uniform(*((-0.5, 0.5) if kind == "well" else (-3.0, 1.0)), m)) @ turn.T
        q = rng.normal(size=m)
    return FrictionProblem(kind, f"{dimension}D, {contacts}", dimension, 0.5 * (W + W.T), q, mu)


def stack(boxes: int, dimension: int, rng: np.random.Generator, step: float = 1e-3) -> FrictionProblem:
    """Boxes on top of each other, pushed a little; contacts at all corners, so that more is held than can move."""
    corners = [(-0.5, 0.0), (0.5, 0.0)] if dimension == 2 else [(x, y) for x in (-0.5, 0.5) for y in (-0.4, 0.4)]
    free = 3 if dimension == 2 else 6
    mass = rng.uniform(0.5, 2.0, boxes)
    inverse = np.concatenate([_inverse_mass(m, free) for m in mass])
    rows = [
        _side(np.array([x, y, -0.25]), k, boxes, free) - _side(np.array([x, y, 0.25]), k - 1, boxes, free)
        for k in range(boxes)
        for x, y in corners
    ]
    H = np.concatenate(rows)
    v = rng.normal(scale=0.02, size=boxes * free)
    v[(2 if free == 6 else 1) :: free] -= 9.81 * step
    W = (H * inverse) @ H.T
    mu = rng.uniform(0.2, 0.8, len(rows))
    return FrictionProblem("stack", f"{dimension}D, {boxes} boxes", dimension, 0.5 * (W + W.T), H @ v, mu)


def _inverse_mass(mass: float, free: int) -> Array:
    """Of a box of 1 m by 0.8 m by 0.5 m: translations, then rotations."""
    turning = mass / 12.0 * np.array([0.8**2 + 0.5**2, 1.0 + 0.5**2, 1.0 + 0.8**2])
    return 1.0 / (np.array([mass, mass, turning[1]]) if free == 3 else np.concatenate([[mass] * 3, turning]))


def _side(at: Array, body: int, bodies: int, free: int) -> Array:
    """Speeds of a point of a body: up, along x (, along y); zero for the ground below."""
    out = np.zeros((2 if free == 3 else 3, bodies * free))
    if body < 0:
        return out
    x, y, z = at
    if free == 3:  # x, z, turning about y
        out[:, body * 3 : body * 3 + 3] = [[0.0, 1.0, -x], [1.0, 0.0, z]]
    else:
        turn = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        out[:, body * 6 : body * 6 + 6] = np.hstack([np.eye(3), turn])[[2, 0, 1]]
    return out


def pile(contacts: int, dimension: int, rng: np.random.Generator) -> FrictionProblem:
    """Balls of different masses that touch some others: W is sparse."""
    bodies = max(1, int(contacts / 1.6))
    free = 3 if dimension == 2 else 6
    mass = 10.0 ** rng.uniform(-0.5, 0.5, bodies)
    inverse = np.concatenate(
        [1.0 / np.concatenate([[m] * dimension, [0.4 * m * 0.01] * (free - dimension)]) for m in mass]
    )
    H = np.zeros((contacts * dimension, bodies * free))
    for i in range(contacts):
        a = i % bodies
        b = int(rng.integers(-1, bodies - 1))
        b += b >= a  # another one, or the ground
        axes = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body < 0:
                continue
            arm = -sign * 0.1 * axes[0]
            if dimension == 2:
                turn = np.array([[-arm[1]], [arm[0]]])
            else:
                turn = np.array([[0.0, arm[2], -arm[1]], [-arm[2], 0.0, arm[0]], [arm[1], -arm[0], 0.0]])
            H[i * dimension : (i + 1) * dimension, body * free : (body + 1) * free] += (
                sign * axes @ np.hstack([np.eye(dimension), turn])
            )
    W = (H * inverse) @ H.T
    q = H @ rng.normal(scale=0.1, size=bodies * free)
    return FrictionProblem(
        "pile", f"{dimension}D, {contacts}", dimension, 0.5 * (W + W.T), q, rng.uniform(0.1, 0.9, contacts)
    )


def problems(each: int = 3, sizes: tuple[int, ...] = SIZES, seed: int = 1) -> list[FrictionProblem]:
    """The recorded problems and ``each`` of every kind, dimension and size."""
    rng = np.random.default_rng(seed)
    out = recorded()
    for dimension in (2, 3):
        for n in sizes:
            for _ in range(each):
                out += [random_problem(kind, n, dimension, rng) for kind in ("well", "badly", "redundant")]
                out.append(pile(n, dimension, rng))
                corners = 2 if dimension == 2 else 4
                if n >= corners:
                    out.append(stack(n // corners, dimension, rng))
    return out

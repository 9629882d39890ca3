"""Strokes: motions of the key made of moves from dip to dip, and forces of a finger.

double = Motion((Move(0.0, 0.045, 10e-3), Move(0.15, 0.04, 6e-3), Move(0.24, 0.03, 10e-3)))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

#: dip, its rate and its acceleration [m, m/s, m/s²]
Point = tuple[float, float, float]

#: dip to which a stroke goes [m]
FULL = 10e-3


@dataclass(frozen=True)
class Move:
    """One move of the key.

    Attributes:
        start: when [s].
        duration: how long [s].
        dip: where it ends [m].
        shape: ``quintic`` (rest to rest, smooth), ``cosine`` (half a swing), ``steady`` (even speed but for the first
            and last 5 %).
    """

    start: float
    duration: float
    dip: float
    shape: str = "quintic"


def _quintic(x: float) -> Point:
    return (
        x**3 * (10.0 - 15.0 * x + 6.0 * x * x),
        30.0 * x * x * (1.0 - x) ** 2,
        60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
    )


def _cosine(x: float) -> Point:
    a = math.pi * x
    return 0.5 * (1.0 - math.cos(a)), 0.5 * math.pi * math.sin(a), 0.5 * math.pi**2 * math.cos(a)


def _steady(x: float, edge: float = 0.05) -> Point:
    speed = 1.0 / (1.0 - edge)
    if x < edge:
        return 0.5 * speed * x * x / edge, speed * x / edge, speed / edge
    if x > 1.0 - edge:
        s, v, a = _steady(1.0 - x, edge)
        return 1.0 - s, v, -a
    return speed * (x - 0.5 * edge), speed, 0.0


SHAPES: dict[str, Callable[[float], Point]] = {"quintic": _quintic, "cosine": _cosine, "steady": _steady}


@dataclass(frozen=True)
class Motion:
    """Moves one after another; the key stands still between them."""

    moves: tuple[Move, ...]

    @property
    def end(self) -> float:
        """When the last move ends [s]."""
        return max((m.start + m.duration for m in self.moves), default=0.0)

    def at(self, t: float, resting: float = 0.0) -> Point:
        """Dip, rate and acceleration at a time [s], of a key that rests at the dip ``resting`` [m]."""
        dip, rate, acceleration, here = resting, 0.0, 0.0, resting
        for move in self.moves:
            if t <= move.start:
                break
            x = (t - move.start) / move.duration
            way = move.dip - here
            s, v, a = SHAPES[move.shape](x) if x < 1.0 else (1.0, 0.0, 0.0)
            dip, rate, acceleration = here + way * s, way * v / move.duration, way * a / move.duration**2
            here = move.dip
        return dip, rate, acceleration


def press(duration: float, depth: float = FULL, start: float = 0.0) -> Motion:
    """One smooth press: 160 ms is piano, 60 ms mezzoforte, 25 ms forte (Askenfelt)."""
    return Motion((Move(start, duration, depth),))


def slow(speed: float = 10e-3, depth: float = FULL, hold: float = 0.3, back: bool = True) -> Motion:
    """A slow press at an even speed [m/s], a pause, and the way back."""
    time = depth / speed
    down = Move(0.0, time, depth, "steady")
    return Motion((down, Move(time + hold, time, 0.0, "steady")) if back else (down,))


def again(release: float, press: float = 0.045, depth: float = FULL, let: float = 0.04) -> Motion:
    """Two presses: the key comes up only to the dip ``release`` [m] in between, for 50 ms."""
    first, second = press + 0.1, press + 0.15 + let
    return Motion(
        (
            Move(0.0, press, depth),
            Move(first, let, release),
            Move(second, press * (depth - release) / depth, depth),
        )
    )


def trill(rate: float, low: float = 0.0, high: float = FULL, count: int = 9) -> Motion:
    """``count`` strokes, so many in a second, between two dips [m]; the key swings like a pendulum."""
    half = 0.5 / rate
    return Motion(tuple(Move(i * half, half, low if i % 2 else high, "cosine") for i in range(2 * count - 1)))


def push(
    force: float, rise: float = 0.01, release: float = math.inf, hold: float | None = None
) -> Callable[[float], float]:
    """A force of a finger that rises to ``force`` [N] and stays; from ``release`` [s] on it is ``hold`` [N]."""
    after = max(2.5, 0.4 * force) if hold is None else hold
    return lambda t: after if t >= release else force * min(1.0, t / rise)


def repeated(force: float, rate: float) -> Callable[[float], float]:
    """A force [N] that comes and goes, ``rate`` times a second, on for half of the time."""
    return lambda t: force if (t * rate) % 1.0 < 0.5 else 0.0

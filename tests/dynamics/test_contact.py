"""Contact kinematics: gaps, normals and tangents of every pair of shapes, at random positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from evaluation import Bench
from numpy.typing import NDArray

import touchweight as tw
from touchweight.dynamics.contact import Touch, touches
from touchweight.mechanism import Body, Mechanism, Shape
from touchweight.symbolic import cos, evaluate_all, sin, symbol

Array = NDArray[np.float64]
Pair = Callable[[Mechanism, Body, Body], tuple[Shape, Shape]]

PLANE: dict[str, Pair] = {
    "circles": lambda m, a, b: (m.circle("a", a, (0.1, 0, 0.2), 0.3), m.circle("b", b, (0, 0, 0.1), 0.2)),
    "points and circles": lambda m, a, b: (m.circle("a", a, (0.1, 0, 0.2), 0.0), m.circle("b", b, (0, 0, 0.1), 0.2)),
    "circle and segment": lambda m, a, b: (
        m.circle("a", a, (0.1, 0, 0), 0.3),
        m.segment("b", b, (-0.5, 0, 0.1), (0.6, 0, 0.2), 0.05),
    ),
    "segment and circle": lambda m, a, b: (
        m.segment("a", a, (-0.5, 0, 0.1), (0.6, 0, 0.2), 0.05),
        m.circle("b", b, (0.1, 0, 0), 0.3),
    ),
    "circle and line": lambda m, a, b: (m.circle("a", a, (0.1, 0, 0), 0.3), m.line("b", b, (0, 0, 0.1), (0.6, 0, 0.8))),
    "line and circle": lambda m, a, b: (m.line("a", a, (0, 0, 0.1), (0.6, 0, 0.8)), m.circle("b", b, (0.1, 0, 0), 0.3)),
    "point and straight curve": lambda m, a, b: (
        m.circle("a", a, (0.1, 0, 0), 0.0),
        m.curve("b", m.frame("f", b, (0.1, 0, 0.2), (0, 0.3, 0)), lambda x, *, k: k * x - 0.2, k=0.7),
    ),
}  # fmt: skip

SPACE: dict[str, Pair] = {
    "spheres": lambda m, a, b: (m.sphere("a", a, (0.1, 0.2, 0.2), 0.3), m.sphere("b", b, (0, 0, 0.1), 0.2)),
    "sphere and plane": lambda m, a, b: (m.sphere("a", a, (0.1, 0, 0), 0.3), m.plane("b", b, (0, 0, 0.1), (2, -1, 2))),
    "plane and sphere": lambda m, a, b: (m.plane("a", a, (0, 0, 0.1), (2, -1, 2)), m.sphere("b", b, (0.1, 0, 0), 0.3)),
    "disc and plane": lambda m, a, b: (
        m.disc("a", a, (0.1, 0, 0), 0.3, axis=(1, 2, 0)),
        m.plane("b", b, (0, 0, 0.1), (2, -1, 2)),
    ),
    "sphere and capsule": lambda m, a, b: (
        m.sphere("a", a, (0.1, 0, 0), 0.3),
        m.capsule("b", b, (0, 0, -0.3), (0.2, 0.1, 0.5), 0.1),
    ),
    "capsule and plane": lambda m, a, b: (
        m.capsule("a", a, (0, 0, -0.3), (0.2, 0.1, 0.5), 0.1),
        m.plane("b", b, (0, 0, 0.1), (2, -1, 2)),
    ),
    "capsules": lambda m, a, b: (
        m.capsule("a", a, (0, 0, -0.3), (0.2, 0.1, 0.5), 0.1),
        m.capsule("b", b, (-0.4, 0, 0.3), (0.2, 0.7, 0.1), 0.2),
    ),
    "box and plane": lambda m, a, b: (m.box("a", a, (0.1, 0.2, 0.3), (0, 0, 0.1)), m.plane("b", b)),
}


def scene(name: str) -> tuple[Bench, list[Touch], Array]:
    """Two bodies that move freely (in the plane, or in space), and random positions."""
    m = Mechanism("pair")
    bodies = [m.body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("first", "second")]
    random = np.random.default_rng(7)
    count = 40
    if name in PLANE:
        for body in bodies:
            x, z = m.body(f"{body.name}.x"), m.body(f"{body.name}.z")
            m.prismatic(f"{body.name}.x", m.ground, x, axis="x")
            m.prismatic(f"{body.name}.z", x, z, axis="z")
            m.revolute(f"{body.name}.turn", z, body, axis="y")
        q = random.normal(size=(count, 6))
    else:
        for body in bodies:
            m.free(body.name, body)
        q = random.normal(size=(count, 14))
        for at in (3, 10):
            q[:, at : at + 4] /= np.linalg.norm(q[:, at : at + 4], axis=1)[:, None]
    a, b = (PLANE | SPACE)[name](m, *bodies)
    m.contact("touch", a, b, tw.rigid(), 0.5)
    bench = Bench(m).at(q)
    return bench, touches(m, bench.tree, bench.where), q


def rows(bench: Bench, touch: Touch) -> list[Array]:
    """The normal row and the tangents, (count, speeds) each."""
    n = len(bench.tree.speeds)
    return [
        bench.numbers([row.get(k, symbol("nothing") * 0) for k in range(n)]) for row in (touch.normal, *touch.tangents)
    ]


@pytest.mark.parametrize("name", [*PLANE, *SPACE])
def test_the_normal_row_is_the_derivative_of_the_gap(name: str) -> None:
    bench, found, q = scene(name)
    speeds = len(bench.tree.speeds)
    for k in range(speeds):
        v = np.zeros((len(q), speeds))
        v[:, k] = 1.0
        bench.at(q, v)
        for touch in found:
            assert bench.rates([touch.gap])[:, 0] == pytest.approx(rows(bench, touch)[0][:, k], abs=2e-9)


@pytest.mark.parametrize("name", [*PLANE, *SPACE])
def test_directions_are_orthonormal_and_action_is_reaction(name: str) -> None:
    bench, found, q = scene(name)
    half = len(bench.tree.speeds) // 2
    width = 2 if name in PLANE else 3
    for touch in found:
        table = rows(bench, touch)
        assert len(table) == width
        # a's and b's velocities in world axes: the rows hold the directions themselves
        first = np.stack([r[:, :width] for r in table], axis=1)
        second = np.stack([r[:, half : half + width] for r in table], axis=1)
        assert first @ first.transpose(0, 2, 1) == pytest.approx(np.broadcast_to(np.eye(width), first.shape), abs=1e-12)
        assert first == pytest.approx(-second, abs=1e-12)
        if name in SPACE:  # right-handed
            assert np.linalg.det(first) == pytest.approx(np.ones(len(q)), abs=1e-12)


@pytest.mark.parametrize("name", [*PLANE, *SPACE])
def test_a_contact_has_no_torque_on_the_whole(name: str) -> None:
    """Turning both bodies as one about the origin moves nothing against anything, in any direction."""
    bench, found, q = scene(name)
    for touch in found:
        for row in rows(bench, touch):
            if name in PLANE:
                # about y: x' = z, z' = -x, turn' = 1
                along = sum(q[:, i + 1] * row[:, i] - q[:, i] * row[:, i + 1] + row[:, i + 2] for i in (0, 3))
                assert along == pytest.approx(np.zeros(len(q)), abs=1e-9)
                continue
            total = np.zeros((len(q), 3))
            for at, k in ((0, 0), (7, 6)):
                w, x, y, z = q[:, at + 3 : at + 7].T
                axes = np.stack(
                    [
                        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
                        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
                        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
                    ],
                    axis=1,
                )
                total += np.cross(q[:, at : at + 3], row[:, k : k + 3])
                total += np.einsum("nij,nj->ni", axes, row[:, k + 3 : k + 6])
            assert total == pytest.approx(np.zeros_like(total), abs=1e-9)


def test_gaps_of_capsules_are_distances_of_their_segments() -> None:
    """Against a fine grid on both segments."""
    bench, found, _ = scene("capsules")
    gaps = bench.numbers([found[0].gap])[:, 0]
    m = bench.mechanism
    grid = np.linspace(0.0, 1.0, 201)
    ends = []
    for name in "ab":
        shape = m.shapes[name]
        place = bench.tree.place(shape.frame)
        r = bench.numbers([x for row in bench.world.orientation(place) for x in row]).reshape(-1, 3, 3)
        o = bench.numbers(list(bench.world.position(place)))
        p = np.array([[float(x) for x in evaluate_all(point, bench.values)] for point in shape.points])  # type: ignore[arg-type]
        ends.append(o[:, None, :] + np.einsum("nij,kj->nki", r, p))
    a, b = (e[:, :1] + grid[None, :, None] * (e[:, 1:] - e[:, :1]) for e in ends)
    distance = np.linalg.norm(a[:, :, None] - b[:, None], axis=-1).min(axis=(1, 2)) - 0.3
    assert gaps == pytest.approx(distance, abs=3e-3)
    assert np.all(gaps <= distance + 1e-12)


@pytest.mark.parametrize("radius", [0.0, 0.05])
def test_a_circle_over_a_curve_is_as_far_as_from_its_nearest_point(radius: float) -> None:
    m = Mechanism("cam")
    x, body = m.body("x"), m.body("body", mass=1.0)
    m.prismatic("x", m.ground, x, axis="x")
    m.prismatic("z", x, body, axis="z")
    m.circle("tip", body, (0, 0, 0), radius)
    m.curve("cam", m.ground, lambda x, *, a: a * sin(3 * x) + 0.02 * cos(7 * x), a=0.1)
    m.contact("touch", "tip", "cam", tw.rigid(), 0.1)
    random = np.random.default_rng(3)
    along = random.uniform(-1, 1, 50)
    foot = 0.1 * np.sin(3 * along) + 0.02 * np.cos(7 * along)
    slope = 0.3 * np.cos(3 * along) - 0.14 * np.sin(7 * along)
    size = np.sqrt(1 + slope**2)
    away = radius + random.uniform(-0.01, 0.01, 50)
    # a centre straight over a point of the curve, along its normal
    q = np.stack([along - away * slope / size, foot + away / size], axis=1)
    bench = Bench(m).at(q)
    touch = touches(m, bench.tree, bench.where)[0]
    assert bench.numbers([touch.gap])[:, 0] == pytest.approx(away - radius, abs=1e-6)
    normal, tangent = rows(bench, touch)
    assert normal == pytest.approx(np.stack([-slope, np.ones(50)], 1) / size[:, None], abs=1e-3)
    assert tangent == pytest.approx(np.stack([np.ones(50), slope], 1) / size[:, None], abs=1e-3)
    # to first order in the distance, as everyone writes it
    level = (q[:, 1] - 0.1 * np.sin(3 * q[:, 0]) - 0.02 * np.cos(7 * q[:, 0])) / np.sqrt(
        1 + (0.3 * np.cos(3 * q[:, 0]) - 0.14 * np.sin(7 * q[:, 0])) ** 2
    )
    assert bench.numbers([touch.gap])[:, 0] == pytest.approx(level - radius, abs=1.5 * (radius + 0.01) ** 2)
    # energy: the row is the slope of the gap
    v = random.normal(size=(50, 2))
    bench.at(q, v)
    assert bench.rates([touch.gap])[:, 0] == pytest.approx((normal * v).sum(axis=1), abs=2e-3)


def test_shapes_that_coincide_have_no_normal_but_no_infinity() -> None:
    bench, found, q = scene("spheres")
    same = q.copy()
    same[:, 7:] = same[:, :7]
    m = bench.mechanism
    for name in ("a", "b"):
        for axis in "xyz":
            parameter = m.parameters.get(f"{name}.point.{axis}")
            if parameter is not None:
                bench.values[parameter.symbol] = 0.0
    bench.at(same)
    assert np.all(np.isfinite(np.stack(rows(bench, found[0]))))


def test_a_stop_follows_its_expression() -> None:
    m = Mechanism("stop")
    m.revolute("hip", m.ground, m.body("arm", mass=1.0, com=(0, 0, 1)), axis="y")
    m.sensor("tip", "position", m.frame("tip", "arm", (0, 0, 0.5)))
    m.stop("low", m.sensors["tip"].symbols[2] - 0.1)
    q = np.linspace(-1, 1, 5)[:, None]
    bench = Bench(m).at(q)
    touch = touches(m, bench.tree, bench.where)[0]
    assert bench.numbers([touch.gap])[:, 0] == pytest.approx(0.5 * np.cos(q[:, 0]) - 0.1)
    assert bench.numbers([touch.normal[0]])[:, 0] == pytest.approx(-0.5 * np.sin(q[:, 0]))
    assert touch.tangents == []

"""Describing shapes and contacts: what the laws say, and what is refused."""

from __future__ import annotations

import pytest

import touchweight as tw
from touchweight.errors import MechanismError
from touchweight.mechanism import ContactLaw, Mechanism
from touchweight.mechanism.contact import COMPRESSION, COMPRESSION_RATE, LAWS
from touchweight.mechanism.shape import ALONG, SHAPE_KINDS
from touchweight.symbolic import ZERO, evaluate, sin


def pair() -> Mechanism:
    m = Mechanism("pair")
    m.prismatic("z", m.ground, m.body("ball", mass=1.0), axis="z")
    m.circle("disc", "ball", (0, 0, 0), 0.1)
    m.line("floor", m.ground, (0, 0, 0))
    return m


def force(law: ContactLaw, depth: float, rate: float) -> float:
    m = pair()
    e = m.contact("x", "disc", "floor", law).force
    assert e is not None
    values = {p.symbol: p.value for p in m.parameters.values()}
    return float(evaluate(e, {**values, COMPRESSION: depth, COMPRESSION_RATE: rate}))


@pytest.mark.parametrize(
    ("law", "depth", "rate", "expected"),
    [
        # F = k δ^r + b δ² δ̇ (Thorin et al. 2013)
        (tw.felt(2e8, 2.2, 3e8), 1e-3, 0.0, 2e8 * 1e-3**2.2),
        (tw.felt(2e8, 2.2, 3e8), 1e-3, 0.5, 2e8 * 1e-3**2.2 + 3e8 * 1e-6 * 0.5),
        (tw.felt(1e4, 1.0), 2e-3, 9.0, 20.0),
        (tw.linear(1e4, 5.0), 2e-3, 0.1, 20.5),
        (tw.hertz(1e6, 0.3), 4e-4, 1.0, 1e6 * 8e-6 * 1.3),
    ],
)
def test_values_of_laws(law: ContactLaw, depth: float, rate: float, expected: float) -> None:
    assert force(law, depth, rate) == pytest.approx(expected, rel=1e-14)


def test_numbers_become_parameters_with_units_and_bounds() -> None:
    m = pair()
    made = m.contact("hit", "disc", "floor", tw.felt(1e6, 2.5, 3.0), 0.4)
    p = m.parameters
    assert [p[f"hit.{k}"].value for k in ("stiffness", "exponent", "damping", "friction")] == [1e6, 2.5, 3.0, 0.4]
    assert p["hit.exponent"].minimum == 1.0
    assert p["hit.stiffness"].unit == "N/m^r"
    assert made.friction is p["hit.friction"].symbol
    assert p["disc.radius"].minimum == 0.0
    rigid = m.contact("hard", "disc", "floor", tw.rigid(0.5))
    assert rigid.force is None
    assert rigid.restitution is p["hard.restitution"].symbol
    assert m.contact("default", "disc", "floor").restitution is ZERO


def test_a_law_of_ones_own() -> None:
    m = pair()
    d, d_dot = COMPRESSION, COMPRESSION_RATE
    own = m.contact("own", "disc", "floor", lambda d, d_dot, *, k, c: k * d + c * d_dot, k=3.0, c=0.0)
    assert own.force is m.parameters["own.k"].symbol * d
    assert m.stop("expression", m.q("z"), 5 * d + d_dot).force is 5 * d + d_dot
    known = m.contact("class", "disc", "floor", ContactLaw("compliant", lambda d, d_dot, *, k: k * d, {"k": 2.0}))
    assert known.force is m.parameters["class.k"].symbol * d
    assert known.law == ""


def test_a_curve_is_traced() -> None:
    m = pair()
    s = m.curve("cam", "ball", lambda x, *, rise: rise * sin(x), rise=0.1)
    assert s.height is m.parameters["cam.rise"].symbol * sin(ALONG)
    assert s.points == ()
    m.contact("x", m.circle("point", m.ground, (0, 0, 0), 0), s)


def test_everything_we_know_has_a_builder() -> None:
    for kind in SHAPE_KINDS:
        assert callable(getattr(Mechanism, kind))
    for name, kind in LAWS.items():
        assert getattr(tw, name) is kind.make


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda m: m.contact("x", "disc", "nobody"), "a shape of the mechanism, found 'nobody'"),
        (lambda m: m.contact("x", "disc", 3), "a shape of the mechanism, found 3"),
        (lambda m: m.contact("x", "floor", "floor"), "found line and line"),
        (lambda m: m.contact("x", "disc", "floor", tw.felt(1, 2), k=3.0), "no parameters beside the law"),
        (lambda m: m.contact("x", "disc", "floor", lambda d: d), "a law of \\(d, d_dot\\)"),
        (lambda m: m.contact("x", "disc", "floor", lambda d, e: d, k=2.0), "a law of \\(d, d_dot\\)"),
        (lambda m: m.contact("x", "disc", "floor", tw.felt("much", 2)), "a number for x.stiffness"),
        (lambda m: m.circle("disc", "ball", (0, 0, 0), 1), "'disc' a second time"),
        (lambda m: m.circle("x", "nobody", (0, 0, 0), 1), "a frame or body of the mechanism"),
        (lambda m: m.circle("x", "ball", (0, 0), 1), "three components"),
        (lambda m: m.line("x", "ball", (0, 0, 0), normal="up"), "axis"),
        (lambda m: m.curve("x", "ball", lambda: 1), "a law of \\(x\\)"),
        (lambda m: m.stop("", m.q("z")), "a non-empty name"),
    ],
)
def test_what_is_refused(change: object, says: str) -> None:
    with pytest.raises(MechanismError, match=says):
        change(pair())  # type: ignore[operator]

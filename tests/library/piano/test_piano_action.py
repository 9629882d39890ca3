"""The description of the grand piano action: parts, numbers with bounds and sources, three ways to move the key."""

import math
from pathlib import Path

import numpy as np
import pytest

import touchweight as tw
from touchweight.library import piano
from touchweight.library.piano.datum import TAGS, UNITS
from touchweight.library.piano.felts import FINGER
from touchweight.library.piano.sources import SOURCES

CONTACTS = {
    "front-punching", "back-rail", "capstan-heel", "jack-knuckle", "lever-knuckle", "toe-button", "screw-lever",
    "lever-stop", "jack-stop", "jack-window", "hammer-rest", "tail-check", "hammer-string", "key-damper", "damper-seat",
}  # fmt: skip


@pytest.mark.parametrize("drive", ["motion", "force", "finger"])
def test_seven_bodies_fifteen_contacts(drive):
    m = piano.build(drive)
    assert m.check() == []
    assert set(m.bodies) - {"finger"} == {"key", "wippen", "jack", "lever", "hammer", "damper", "string"}
    assert set(m.contacts) - {"finger-key"} == CONTACTS


def test_every_number_has_a_unit_bounds_and_a_source():
    """Nothing in the description but gravity is a bare number."""
    m = piano.build("finger")
    assert set(m.parameters) == {*piano.TABLE, *FINGER, "gravity.z"}
    for name, datum in {**piano.TABLE, **FINGER}.items():
        p = m.parameters[name]
        assert p.minimum <= p.value <= p.maximum and math.isfinite(p.minimum) and math.isfinite(p.maximum), name
        assert p.value == pytest.approx(datum.si) and p.unit == UNITS[datum.unit][0]
        assert datum.tag in TAGS and len(datum.source) > 3 and datum.tag in p.description, name


def test_the_page_lists_every_number():
    """docs/assets/piano_table.py writes it."""
    page = Path(__file__).parents[3] / "docs" / "piano.md"
    rows = {line.split("`")[1]: line for line in page.read_text(encoding="utf-8").splitlines() if "    | `" in line}
    assert set(rows) == {*piano.TABLE, *FINGER}
    for name, datum in {**piano.TABLE, **FINGER}.items():
        assert datum.source in rows[name] and datum.tag in rows[name]
        assert float(rows[name].split(" | ")[2].split()[0]) == pytest.approx(datum.value, rel=5e-3)


def test_what_is_published_names_its_work():
    for name, datum in piano.TABLE.items():
        if datum.tag.startswith("published"):
            assert any(work.split()[0] in datum.source for work in SOURCES), name


def test_the_hammer_turns_about_its_pin_as_published():
    """Hirschkorn: 11.74 g, moment 2.90e-5 kg m² about the centre of mass, so 1.541e-4 about the pin."""
    m = piano.build("force")
    model = m.compile()
    mass = model.mass_matrix(model.dimensions.q_default)
    hammer = model.speeds.index("hammer")
    assert mass[hammer, hammer] == pytest.approx(1.541e-4, rel=1e-3)


def test_the_mass_felt_at_the_finger_is_a_quarter_of_a_kilogram(by_motion, resting):
    """About 0.27 kg: 0.024 of the key, the rest of the hammer at a ratio of 5 to 6 (0.286, Hartman)."""
    mass = by_motion.mass_matrix(resting.q)
    names = by_motion.speeds
    key, hammer = (mass[names.index(n), names.index(n)] for n in ("key", "hammer"))
    turn = piano.measure(by_motion).ratio / 0.1321  # of the hammer, for a way of the finger [rad/m]
    felt = key / 0.225**2 + hammer * turn**2
    assert 0.24 < felt < 0.33


def test_an_unknown_drive_is_told():
    with pytest.raises(tw.MechanismError, match="expected a drive among motion, force, finger, found 'pedal'"):
        piano.build("pedal")


def test_a_number_out_of_bounds_is_told(by_motion):
    with pytest.raises(tw.TouchweightError, match=r"capstan\.height"):
        piano.rest(by_motion, {"capstan.height": 0.5})


def test_the_wrong_touch_is_told(by_force, by_motion):
    with pytest.raises(piano.PlayingError, match="found a motion"):
        piano.play(by_force, piano.press(0.06), 0.1)
    with pytest.raises(piano.PlayingError, match="driven by a force"):
        piano.strike(by_motion, 5.0)
    with pytest.raises(piano.PlayingError, match="driven by motion"):
        piano.measure(by_force)
    with pytest.raises(piano.PlayingError, match="expected a piano action"):
        piano.rest(tw.library.build("pendulum").compile())


def test_moves_end_where_they_should_and_agree_with_their_rates():
    motion = piano.Motion(
        (
            piano.Move(0.0, 0.1, 10e-3),
            piano.Move(0.2, 0.1, 4e-3, "cosine"),
            piano.Move(0.4, 0.5, 9e-3, "steady"),
        )
    )
    assert motion.at(-1.0, -1e-4) == (-1e-4, 0.0, 0.0)
    assert motion.at(0.15)[0] == pytest.approx(10e-3) and motion.at(0.3)[0] == pytest.approx(4e-3)
    assert motion.at(2.0) == pytest.approx((9e-3, 0.0, 0.0))
    t, h = np.linspace(0.0, 1.0, 1501) + 1.3e-5, 1e-6
    dip = np.array([[motion.at(x + k * h)[0] for k in (-1, 1)] for x in t])
    rate = np.array([motion.at(x)[1] for x in t])
    np.testing.assert_allclose((dip[:, 1] - dip[:, 0]) / (2 * h), rate, atol=1e-5)
    speed = np.array([[motion.at(x + k * h)[1] for k in (-1, 1)] for x in t])
    smooth = np.abs(np.diff(speed, axis=1)[:, 0] / (2 * h) - [motion.at(x)[2] for x in t]) < 1e-3
    assert smooth.mean() > 0.99  # but for the corners of the cosine and of the steady move

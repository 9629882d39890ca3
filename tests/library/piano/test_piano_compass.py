"""All 88 keys on one compiled model."""

import pytest

from touchweight.library import piano
from touchweight.library.piano.compass import UNDAMPED


def test_keys_have_names():
    assert [piano.key_number(n) for n in ("A0", "C4", "c8", "F#6", "Gb6", "Bb2")] == [1, 40, 88, 70, 70, 26]
    assert [piano.key_name(n) for n in (1, 40, 88, 70)] == ["A0", "C4", "C8", "F#6"]
    assert all(piano.key_number(piano.key_name(n)) == n for n in range(1, 89))
    for wrong in ("H4", "C9", 0, 89, "", 4.5):
        with pytest.raises(piano.PlayingError, match="expected a key from 1 to 88 or A0 to C8"):
            piano.key_number(wrong)


def test_every_key_is_within_bounds(by_motion):
    for key in range(1, 89):
        by_motion.state(parameters=piano.action_for(key))


def test_hammers_and_felts_follow_the_published_ones():
    """Heads 11 to 3.5 g (Conklin); felts of C2, C4, C7 (Chaigne and Askenfelt 1994), for each string."""
    at = {n: piano.action_for(n) for n in ("A0", "C2", "C4", "C7", "C8")}
    assert at["A0"]["hammer.mass"] - at["C8"]["hammer.mass"] == pytest.approx(7.5e-3)
    assert at["C4"]["hammer.mass"] == pytest.approx(11.74e-3)
    for name, stiffness, exponent in (("C2", 2 * 4e8, 2.3), ("C4", 3 * 4.5e9, 2.5), ("C7", 3e12, 3.0)):
        assert at[name]["hammer-string.stiffness"] == pytest.approx(stiffness)
        assert at[name]["hammer-string.exponent"] == pytest.approx(exponent)
    masses = [piano.action_for(k)["hammer.mass"] for k in range(1, 89)]
    assert masses == sorted(masses, reverse=True)


def test_a_heavier_head_moves_mass_and_moment_as_a_point_does():
    made = piano.heavier_hammer(2.0)
    about = made["hammer.inertia"] + made["hammer.mass"] * (made["hammer.com.x"] ** 2 + made["hammer.com.z"] ** 2)
    assert about == pytest.approx(1.541e-4 + 2e-3 * (0.1321**2 + 0.0356**2), rel=1e-3)
    with pytest.raises(piano.PlayingError, match="keeps a third"):
        piano.heavier_hammer(-10.0)


@pytest.mark.parametrize(("key", "down", "up"), [("A0", 50.0, 20.0), ("E3", 48.5, 21.5), ("C8", 46.0, 24.0)])
def test_touch_weight_goes_from_50_to_46_grams(by_motion, key, down, up):
    """Stanwood, of a Steinway: down 50 to 46 g, up 20 to 24 g; blow, let-off and drop stay regulated."""
    found = piano.measure(by_motion, piano.action_for(key))
    assert found.down_weight == pytest.approx(down, abs=1.0)
    assert found.up_weight == pytest.approx(up, abs=1.0)
    assert found.blow == pytest.approx(46.0, abs=0.3)
    assert 1.0 < found.let_off < 2.5 and 1.0 < found.drop < 2.5


def test_bass_hammers_touch_longer_and_the_treble_has_no_dampers(by_force):
    """Askenfelt: 4 ms in the bass to less than 1 ms at the top."""
    strokes = {}
    for key in (1, 40, UNDAMPED, 88):
        start = piano.rest(by_force, piano.action_for(key))
        strokes[key] = piano.analyse(piano.strike(by_force, 5.0, start=start, substeps=4))
        assert len(strokes[key].strikes) == 1
    times = [1e3 * s.strikes[0].contact_time for s in strokes.values()]
    assert times == sorted(times, reverse=True)
    assert 3.5 < times[0] < 6.0 and times[-1] <= 1.0
    assert strokes[40].moments[0].name == "damper lift"
    for key in (UNDAMPED, 88):
        assert all(m.name != "damper lift" for m in strokes[key].moments)
        assert not strokes[key].damper_lifted[1:].any()

"""Five actions behind one key: what all share, and what statics and kinematics say of each."""

import numpy as np
import pytest

from touchweight.library import piano
from touchweight.library.keyboards import KEYBOARDS, finger_force, harpsichord, key_dip, organ
from touchweight.library.keyboards.reduced import NUMBERS, fit


class Bench:
    """Compiled keyboards at rest, made when they are first asked for."""

    def __init__(self):
        self.made = {}

    def __call__(self, name, motion, duration):
        if name not in self.made:
            model = KEYBOARDS[name].build().compile()
            self.made[name] = model, KEYBOARDS[name].rest(model)
        model, start = self.made[name]
        return KEYBOARDS[name].play(model, motion, duration, start)

    def model(self, name):
        self(name, piano.press(0.1), 0.001)
        return self.made[name][0]


@pytest.fixture(scope="session")
def bench():
    return Bench()


def there_and_back(dip, down=0.06, up=0.2):
    return piano.Motion((piano.Move(0.0, down, dip), piano.Move(down + 0.1, up, 0.0)))


# -- what all share ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", KEYBOARDS)
def test_one_press_is_one_note_and_the_next_press_the_next(bench, name):
    board = KEYBOARDS[name]
    moves = [piano.Move(t, d, to) for t in (0.0, 0.5) for t, d, to in ((t, 0.06, board.dip), (t + 0.16, 0.2, 0.0))]
    run = bench(name, piano.Motion(tuple(moves)), 1.0)
    sounds = board.sounds(run)
    assert len(sounds) == 2
    assert sounds[1].t - sounds[0].t == pytest.approx(0.5, abs=2e-3)
    assert sounds[1].strength == pytest.approx(sounds[0].strength, rel=0.1)
    assert key_dip(run).max() == pytest.approx(board.dip, rel=0.01)


@pytest.mark.parametrize("name", KEYBOARDS)
def test_the_force_at_the_finger_is_the_drives_over_its_arm(bench, name):
    run = bench(name, there_and_back(KEYBOARDS[name].dip), 0.4)
    arm = -bench.model(name).parameters["finger.x"]
    np.testing.assert_allclose(finger_force(run), run["force.key"] / arm, rtol=2e-3)
    assert 0.5 < finger_force(run)[run.t < 0.06].max() < 50.0


@pytest.mark.parametrize("name", ["grand", "model-a", "model-b"])
def test_a_press_that_is_slow_makes_no_sound_on_a_hammer_action(bench, name):
    assert KEYBOARDS[name].sounds(bench(name, piano.press(1.0), 1.2)) == ()


@pytest.mark.parametrize("name", ["harpsichord", "organ"])
def test_and_does_on_the_others(bench, name):
    board = KEYBOARDS[name]
    assert len(board.sounds(bench(name, piano.press(1.0, board.dip), 1.2))) == 1


# -- models A and B ---------------------------------------------------------------------------------------
def test_the_numbers_are_those_that_the_grand_gives(bench):
    found = fit(bench.model("grand"))
    for name, value in found.items():
        assert value == pytest.approx(NUMBERS[name][0], rel=0.03), name


def test_they_weigh_as_much_as_the_grand(bench):
    """Force in a slow press before the damper, down and up, within 0.05 N (5 g)."""
    motion = piano.slow(10e-3, depth=5e-3, hold=0.2)
    for part in (slice(450, 750), slice(1800, 2100)):
        grand, a, b = (finger_force(bench(n, motion, 1.2))[part].mean() for n in ("grand", "model-a", "model-b"))
        assert a == pytest.approx(grand, abs=0.05) and b == pytest.approx(grand, abs=0.05)


def test_a_throws_the_hammer_at_the_ratio_times_the_keys_largest_speed(bench):
    """Where the key begins to slow down; gravity and friction then take their part. 15/8 is the peak of the press."""
    p = bench.model("model-a").parameters
    for time in (0.06, 0.04, 0.025):
        run = bench("model-a", piano.press(time), time + 0.05)
        throw, let_off, strike = run.events[:3]
        assert (throw.name, let_off.name, strike.name) == ("throw", "let-off in flight", "strike")
        leaving = p["ratio"] * 15.0 / 8.0 * 10e-3 / time / 0.225
        at = run["hammer"][np.searchsorted(run.t, throw.t)]
        wanted = np.sqrt(leaving**2 - 2.0 * p["hammer.weight"] / p["hammer.mass"] * (p["blow"] - at))
        assert KEYBOARDS["model-a"].sounds(run)[0].strength == pytest.approx(wanted, rel=0.02)


def test_b_strikes_as_fast_as_the_grand_and_a_more_slowly(bench):
    """The grand's felts throw the hammer ahead of the key; springs can do that, a rigid coupling cannot."""
    for time in (0.16, 0.1, 0.06, 0.04, 0.025):
        grand, a, b = (KEYBOARDS[n].sounds(bench(n, piano.press(time), time + 0.1))[0].strength
                       for n in ("grand", "model-a", "model-b"))  # fmt: skip
        assert b == pytest.approx(grand, rel=0.2)
        assert a < 0.8 * grand or time > 0.06


def test_the_let_off_hammer_rests_where_it_dropped_to(bench):
    p = bench.model("model-a").parameters
    run = bench("model-a", piano.slow(2e-3, back=False), 5.2)
    assert p["blow"] - run["hammer"].max() == pytest.approx(p["let_off"], abs=1e-4)
    assert p["blow"] - run["hammer"][-1] == pytest.approx(p["let_off"] + p["drop"], abs=1e-6)


# -- harpsichord ------------------------------------------------------------------------------------------
def test_a_slow_pluck_is_in_balance(bench):
    """Finger: key, jack and string over their arms, and friction; just before the string slips."""
    n = {k: v[0] for k, v in harpsichord.NUMBERS.items()}
    run = bench("harpsichord", piano.slow(2e-3, depth=7e-3, back=False), 3.5)
    (pluck,) = KEYBOARDS["harpsichord"].sounds(run)
    i = np.searchsorted(run.t, pluck.t) - 40
    lifted = n["jack.mass"] * 9.81 + n["jack.friction"] + n["string.stiffness"] * run["string"][i]
    wanted = (lifted * n["jack.x"] + n["key.balance"] + n["key.friction"]) / -n["finger.x"]
    assert finger_force(run)[i] == pytest.approx(wanted, rel=0.03)
    after = np.searchsorted(run.t, pluck.t) + 40
    assert finger_force(run)[after] < 0.5 * wanted


def test_plucking_force_and_loudness_hardly_depend_on_speed(bench):
    """A harpsichord has no dynamics: 60 to 100 g whatever the touch; a piano hammer's speed goes up fivefold."""
    bends = [
        KEYBOARDS["harpsichord"].sounds(bench("harpsichord", piano.press(t, 7e-3), t + 0.1))[0].strength
        for t in (0.5, 0.16, 0.04)
    ]
    assert np.ptp(bends) < 0.1 * np.mean(bends)
    assert 0.59 < finger_force(bench("harpsichord", piano.press(0.5, 7e-3), 0.6)).max() < 0.98


def test_on_the_way_back_the_tongue_gives_way_and_the_string_hardly_moves(bench):
    run = bench("harpsichord", there_and_back(7e-3), 0.6)
    back = run.t > 0.16
    assert run["tongue"][back].min() < -0.15
    assert -0.15 < run["string"][back].min() / run["string"].max() <= 0.0
    assert np.abs([run["tongue"][-1], run["string"][-1]]).max() < 1e-3


# -- organ ------------------------------------------------------------------------------------------------
def test_the_pluck_of_the_pallet_is_pressure_times_area(bench):
    n = {k: v[0] for k, v in organ.NUMBERS.items()}
    run = bench("organ", piano.slow(2e-3, depth=9.5e-3, back=False), 4.75)
    angle = run["key"]
    x = np.maximum(0.0, run["pallet"])
    wind = n["wind.pressure"] * n["pallet.area"] / (1.0 + (x / n["wind.way"]) ** 2)
    pulled = wind + n["pallet.spring"] + n["pallet.rate"] * run["pallet"]
    wanted = (pulled * n["tracker.x"] + n["key.spring"] + n["key.rate"] * angle + n["key.friction"]) / -n["finger.x"]
    open_ = (run["pallet"] > 0.02e-3) & (key_dip(run) < 9e-3)
    np.testing.assert_allclose(finger_force(run)[open_], wanted[open_], rtol=0.02)
    peak = finger_force(run).max()
    assert peak > 1.6 * finger_force(run)[np.searchsorted(key_dip(run), 5e-3)]
    assert key_dip(run)[np.argmax(finger_force(run))] < 2e-3


def test_a_chest_without_wind_has_no_pluck(bench):
    model = bench.model("organ")
    start = model.state(parameters={"wind.pressure": 0.0})
    model.simulate(0.3, state=start, drives={"key": 0.0}, dt=2.5e-4)
    start.t = 0.0
    force = finger_force(KEYBOARDS["organ"].play(model, piano.slow(5e-3, depth=9e-3, back=False), 1.8, start))
    assert np.all(np.diff(force[600:3000:200]) > -1e-3)

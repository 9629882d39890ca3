"""Strokes of the action: against an independent model, published timing, and its own small steps."""

import numpy as np
import pytest

from touchweight.library import piano
from touchweight.simulate.core import Core
from touchweight.simulate.engine import METHODS

# An independent model of the same action (symplectic Euler at 10 µs, friction by bristles): force of the finger [N],
# speed of the hammer [m/s], time of the strike, key bottom after it, contact time [ms], end of the hammer [mm]
INDEPENDENT = (
    (0.9, 0.56, 127.0, 16.6, 2.2, 2.9),
    (2.0, 1.35, 66.0, 3.6, 2.0, 11.9),
    (5.0, 2.38, 40.0, 1.3, 1.8, 13.9),
    (8.0, 3.07, 32.0, 0.7, 1.7, 16.0),
    (20.0, 4.91, 22.0, -0.1, 1.6, 14.3),
    (35.0, 6.51, 17.0, -0.3, 1.6, 13.6),
)


@pytest.mark.parametrize("row", INDEPENDENT, ids=lambda r: f"{r[0]} N")
def test_it_agrees_with_an_independent_model(struck, row):
    force, speed, time, bottom, contact, end = row
    stroke = struck[force]
    first = stroke.strikes[0]
    assert stroke.speed == pytest.approx(speed, rel=0.1)
    assert 1e3 * first.t == pytest.approx(time, rel=0.05)
    assert 1e3 * (stroke.when("key bottom") - first.t) == pytest.approx(bottom, abs=4.0 if force < 1.0 else 0.6)
    assert 1e3 * first.contact_time == pytest.approx(contact, abs=0.5)  # a sample
    assert 1e3 * stroke.end == pytest.approx(end, abs=1.0)


def test_one_strike_for_each_stroke_and_the_check_catches(struck):
    for force, stroke in struck.items():
        assert len(stroke.strikes) == 1, force
        assert stroke.checked == (force >= 2.0), force
        if force >= 2.0:
            assert 10.0 < 1e3 * stroke.end < 17.0, force


def test_harder_is_faster(struck):
    speeds = [s.speed for s in struck.values()]
    assert speeds == sorted(speeds) and speeds[0] < 0.6 and speeds[-1] > 6.0


def test_travel_time_lies_between_pressed_and_struck(struck):
    """Goebl et al. 2005, finger to string: pressed 98.57 v^-0.715 ms, struck 65.19 v^-0.727 ms; to 10 %."""
    for force, stroke in struck.items():
        v = stroke.speed
        assert 0.9 * 65.19 * v**-0.727 < 1e3 * stroke.strikes[0].t < 1.1 * 98.57 * v**-0.715, force


def test_the_key_is_down_when_measured_ones_are(struck):
    """Goebl et al. 2005, pressed touch: 19.09 v^-0.394 - 12.30 ms after the strike; they reach some 5 m/s so."""
    for force, stroke in struck.items():
        v = stroke.speed
        if v < 5.0:
            after = 1e3 * (stroke.when("key bottom") - stroke.strikes[0].t)
            assert after == pytest.approx(19.09 * v**-0.394 - 12.30, abs=5.0 if v < 1.0 else 2.0), force


def test_the_strings_take_what_the_hammer_gives(struck):
    """The impulse is the change of the hammer's momentum, 1.541e-4 kg m² at 132.1 mm, but for its weight and flange."""
    for force, stroke in struck.items():
        first = stroke.strikes[0]
        momentum = 1.541e-4 / 0.1321**2 * (first.speed + first.rebound)
        assert first.impulse == pytest.approx(momentum, rel=0.05), force
        assert 0.4 < first.rebound / first.speed < 0.62, force


def test_a_second_stroke_sounds_after_a_release_to_6_mm(by_motion, resting):
    for release in (6e-3, 5e-3):
        motion = piano.again(release, depth=10.15e-3)
        stroke = piano.analyse(piano.play(by_motion, motion, motion.end + 0.15, resting))
        assert len(stroke.strikes) == 2
        assert stroke.strikes[1].t > motion.moves[2].start and stroke.strikes[1].speed > 1.5
        assert stroke.when("jack reset") < motion.moves[2].start


def test_without_the_spring_there_is_no_quick_repetition(by_motion):
    motion = piano.again(6e-3, depth=10.15e-3)
    start = piano.rest(by_motion, {"repetition_spring.torque": 0.0, "repetition_spring.rate": 0.0})
    stroke = piano.analyse(piano.play(by_motion, motion, motion.end + 0.15, start))
    assert all(s.speed < 1.0 for s in stroke.strikes[1:])


@pytest.mark.parametrize("low", [0.0, 2e-3, 4e-3])
def test_ten_strokes_a_second_all_sound(by_motion, resting, low):
    for rate in (10.0, 12.0):
        run = piano.play(by_motion, piano.trill(rate, low, 10.2e-3), 9.0 / rate, resting)
        times = [s.t for s in piano.analyse(run).strikes]
        assert len(times) == 9
        np.testing.assert_allclose(np.diff(times), 1.0 / rate, atol=0.01)


def test_a_measured_motion_plays_it(by_motion, by_force, resting):
    """A press seen once in a millisecond, to a micrometre, as samples; and a force seen so."""
    dip = resting.q[0] * 0.225
    times = np.arange(0.0, 0.3, 1e-3)
    seen = np.round([piano.press(0.06, start=0.02).at(t, dip)[0] for t in times], 6)
    stroke = piano.analyse(piano.play(by_motion, (times, seen), 0.25, resting))
    exact = piano.analyse(piano.play(by_motion, piano.press(0.06, start=0.02), 0.25, resting))
    assert len(stroke.strikes) == 1
    assert stroke.speed == pytest.approx(exact.speed, rel=0.01)
    forces = [piano.push(5.0)(t) for t in times]
    stroke = piano.analyse(piano.play(by_force, (times, forces), 0.2))
    assert stroke.speed == pytest.approx(2.37, rel=0.01)


@pytest.mark.parametrize("rate", [3.0, 6.0, 10.0])
def test_a_force_or_a_finger_that_comes_and_goes_strikes_once_each_time(by_force, by_finger, rate):
    forced = piano.play(by_force, piano.repeated(6.0, rate), 9.0 / rate)
    fingered = piano.play(by_finger, piano.trill(rate, -2e-3, 14e-3), 9.0 / rate)
    for run in (forced, fingered):
        strikes = piano.analyse(run).strikes
        assert len(strikes) == 9 and min(s.speed for s in strikes) > 0.5


@pytest.mark.parametrize("key", ["A0", "C4", "C8"])
def test_every_step_is_solved(by_force, key):
    """The contact problem of every step, to its tolerance and in few looks, from pianissimo to far beyond forte."""
    start = piano.rest(by_force, piano.action_for(key))
    core = Core(by_force, start.parameters, contacts=True)
    dt, looks = 5e-4, []
    for force in (0.9, 5.0, 50.0):
        y = np.concatenate([start.q, start.v, start.x])
        row, residual = np.empty((1, len(y))), np.empty(1)
        for i in range(800):
            u = np.array([[force * min(1.0, 100.0 * i * dt) if i < 500 else 0.0]])
            core.integrate(METHODS["moreau"], i * dt, dt, 1, y, u, 0, 1, row, residual)
            assert core.memory.contact_residual <= core.memory.contact_tolerance
            looks.append(core.memory.contact_iterations)
    assert np.mean(looks) < 4.0 and np.quantile(looks, 0.999) < 20


def test_a_finger_plays_it_too(by_finger):
    """A finger of 20 g behind 2000 N/m, bent on going 12 mm down in 60 ms: one strike, some 9 N, and it stays on."""
    run = piano.play(by_finger, piano.press(0.06, 12e-3), 0.4)
    stroke = piano.analyse(run)
    assert len(stroke.strikes) == 1 and stroke.checked
    assert 2.0 < stroke.speed < 3.5
    assert stroke.finger[0] == 0.0 and 5.0 < stroke.finger.max() < 15.0
    # at rest the key bears what the spring pulls, but for friction at the tip on a key that tilts by 0.045
    assert stroke.finger[-1] == pytest.approx(2000.0 * (12e-3 + run["finger"][-1]), rel=0.5 * 0.045)


@pytest.mark.parametrize("force", [2.0, 20.0])
def test_a_checked_hammer_does_not_creep(by_force, force):
    """Ten seconds at the back-check: friction truly holds."""
    stroke = piano.analyse(piano.strike(by_force, force, 10.5))
    assert abs(stroke.gap[-1] - stroke.gap[1000]) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("duration", [0.16, 0.06, 0.025], ids=["piano", "mezzoforte", "forte"])
def test_half_a_millisecond_is_as_good_as_five_microseconds(by_motion, resting, duration):
    """Speed to 1 %, force at the finger to 5 % (root mean square, to 5 ms after the strike), rebound to 10 %."""
    motion = piano.press(duration)
    ours = piano.analyse(piano.play(by_motion, motion, 0.3, resting))
    run = piano.play(by_motion, motion, 0.3, resting, substeps=100)
    means, true = piano.analyse(run), piano.analyse(piano.play(by_motion, motion, 0.3, resting, dt=5e-6, substeps=1))
    assert len(ours.strikes) == len(true.strikes) == 1
    assert ours.speed == pytest.approx(true.speed, rel=0.01)
    assert ours.strikes[0].rebound == pytest.approx(true.strikes[0].rebound, rel=0.10)
    until = (run.t > 0.0) & (run.t <= true.strikes[0].t + 0.005)
    size = np.sqrt(np.mean(means.finger[until] ** 2))
    assert np.sqrt(np.mean((ours.finger - means.finger)[until] ** 2)) < 0.05 * size
    # with plain steps of half a millisecond only the rebound of the hard blow, three steps long, is less exact
    plain = piano.analyse(piano.play(by_motion, motion, 0.3, resting, substeps=1))
    assert plain.speed == pytest.approx(true.speed, rel=0.01)
    assert plain.strikes[0].rebound == pytest.approx(true.strikes[0].rebound, rel=0.20)
    assert np.sqrt(np.mean((plain.finger - means.finger)[until] ** 2)) < 0.05 * size


@pytest.mark.slow
def test_the_mass_that_moves_with_the_string_has_no_effect(by_force):
    """0.2 g and a quarter of it, at steps of 10 µs: the same strike to 1 %, the same rebound to 2 %."""
    found = []
    for mass in (2e-4, 0.5e-4):
        start = piano.rest(by_force, {"string.mass": mass})
        found.append(piano.analyse(piano.strike(by_force, 8.0, 0.1, start, dt=1e-5, substeps=1)).strikes[0])
    assert found[0].speed == pytest.approx(found[1].speed, rel=1e-3)
    assert found[0].rebound == pytest.approx(found[1].rebound, rel=0.02)
    assert found[0].impulse == pytest.approx(found[1].impulse, rel=0.01)

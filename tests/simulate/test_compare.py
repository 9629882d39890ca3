"""Measured against simulated: errors come out as they were put in, and a bad file is one sentence."""

import numpy as np
import pytest

from touchweight.errors import FileError, ShapeError
from touchweight.library import piano
from touchweight.library.keyboards import KEYBOARDS
from touchweight.simulate.compare import compare, difference, drive
from touchweight.simulate.measured import Column, read_measured, smooth, third_differences
from touchweight.simulate.recording import Recording

ARM = 0.22  # m, finger of the organ


@pytest.fixture(scope="module")
def organ():
    return KEYBOARDS["organ"].build().compile()


def frictionless(organ):
    """Where the key stands still, dry friction could be anything that holds it; here there is none."""
    return organ.state(parameters={"key.friction": 0.0})


@pytest.fixture(scope="module")
def stroke(organ):
    """A run of our own: smooth, 0.5 s."""
    motion = piano.Motion((piano.Move(0.05, 0.2, 9e-3), piano.Move(0.3, 0.15, 0.0)))
    start = frictionless(organ)
    organ.simulate(0.5, state=start, drives={"key": 0.0}, dt=2.5e-4)
    start.t = 0.0
    return KEYBOARDS["organ"].play(organ, motion, 0.5, start)


def write(path, run, *, noise=0.0, wobble=0.0, shift=0, head=("time [ms]", "dip [mm]", "force [N]"), rows=None):
    """A laboratory's table of a run: ms, mm, N."""
    random = np.random.default_rng(7)
    n = len(run.t)
    dip = 1e3 * ARM * run["key"] + random.normal(0.0, 1e3 * wobble, n)
    force = np.roll(run["force.key"], shift) / ARM + random.normal(0.0, noise, n)
    table = np.column_stack([1e3 * run.t, dip, force])[:rows]
    lines = [";".join(head), *(";".join(f"{x:.9g}" for x in row) for row in table)]
    path.write_text("\n".join(["# made by hand", *lines]) + "\n", encoding="utf-8")
    return path


def read(path):
    columns = {"angle": Column("dip [mm]", 1e-3 / ARM), "torque": Column(3, ARM)}
    return read_measured(path, columns, Column("time [ms]", 1e-3))


def test_our_own_run_comes_back(organ, stroke, tmp_path):
    measured = read(write(tmp_path / "a.csv", stroke))
    found = compare(
        measured,
        drive(organ, measured, {"key": "angle"}, how="none", state=frictionless(organ)),
        {"torque": "force.key"},
    )["torque"]
    assert found.relative_rms < 0.01 and abs(found.shift) < 1e-4 and found.correlation > 0.999


@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_noise_of_the_force_is_the_error(organ, stroke, tmp_path, noise):
    measured = read(write(tmp_path / "a.csv", stroke, noise=noise))
    found = compare(
        measured,
        drive(organ, measured, {"key": "angle"}, how="none", state=frictionless(organ)),
        {"torque": "force.key"},
    )["torque"]
    assert found.rms / ARM == pytest.approx(noise, rel=0.08)
    assert found.relative_rms == pytest.approx(found.rms / np.sqrt(np.mean(measured["torque"] ** 2)), rel=0.01)
    assert found.peak / ARM < 6.0 * noise


def test_a_delay_of_the_simulation_is_found_and_taken_out(stroke):
    earlier = np.roll(stroke["force.key"], -8)
    measured = Recording("early", stroke.t, {"torque": earlier}, {})
    found = compare(measured, stroke, {"torque": "force.key"})["torque"]
    assert found.shift == pytest.approx(8 * 5e-4, abs=5e-5)
    assert found.aligned_rms < 0.1 * found.rms


def test_a_shift_of_part_of_a_sample():
    t = np.linspace(0.0, 1.0, 1001)
    found = difference(t, np.exp(-(((t - 0.4) / 0.05) ** 2)), np.exp(-(((t - 0.41234) / 0.05) ** 2)))
    assert found.shift == pytest.approx(0.01234, abs=2e-5)


def test_smoothing_gives_the_acceleration_that_differences_bury_in_noise(organ, stroke, tmp_path):
    """20 µm of noise at 2 kHz is 245 m/s² in second differences; the motion itself has 2."""
    measured = read(write(tmp_path / "a.csv", stroke, wobble=20e-6))
    assert third_differences(measured["angle"]) * ARM == pytest.approx(20e-6, rel=0.1)
    errors = {}
    for how, cutoff in (("none", None), ("spline", None), ("low-pass", 40.0)):
        run = drive(organ, measured, {"key": "angle"}, how=how, cutoff=cutoff, state=frictionless(organ))
        errors[how] = compare(measured, run, {"torque": "force.key"})["torque"].relative_rms
    assert errors["none"] > 1.0
    assert errors["spline"] < 0.1 and errors["low-pass"] < 0.1


def test_the_cut_off_is_where_half_of_the_amplitude_is_left():
    t = np.linspace(0.0, 2.0, 4001)
    motion = smooth(t, np.sin(2.0 * np.pi * 50.0 * t), "low-pass", cutoff=50.0)
    assert max(abs(motion(x)[0]) for x in np.linspace(0.8, 1.2, 801)) == pytest.approx(0.5, abs=0.01)


def test_a_motion_stands_still_outside_its_samples():
    t = np.linspace(0.0, 1.0, 101)
    motion = smooth(t, t**2, "none")
    assert motion(0.5) == pytest.approx((0.25, 1.0, 2.0), abs=1e-6)
    assert motion(2.0) == pytest.approx((1.0, 0.0, 0.0)) and motion(-1.0) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_the_picture_shows_both(organ, stroke, tmp_path):
    measured = read(write(tmp_path / "a.csv", stroke, noise=0.05))
    found = compare(measured, stroke, {"torque": "force.key"})
    (axes,) = found.plot(tmp_path / "a.png").axes
    assert [line.get_label() for line in axes.lines] == ["measured: torque", "simulated: force.key"]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


# -- files ------------------------------------------------------------------------------------------------
def test_columns_by_name_and_number_with_and_without_a_head(tmp_path):
    rows = "\n".join(f"{0.01 * i},{i},{2 * i}" for i in range(20))
    (tmp_path / "a.csv").write_text("t,x,y\ns,mm,N\n" + rows)
    (tmp_path / "b.csv").write_text(rows)
    (tmp_path / "c.csv").write_text(rows.replace(",", "\t"))
    for name, x in (("a", "x"), ("a", 2), ("b", 2), ("c", "2")):
        found = read_measured(tmp_path / f"{name}.csv", {"x": Column(x, 1e-3, 1.0)})
        np.testing.assert_allclose(found["x"], 1.0 + 1e-3 * np.arange(20))
        assert found.t[-1] == pytest.approx(0.19)


ROWS = "\n".join(f"{0.01 * i},{i}" for i in range(20))


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("", "rows of numbers"),
        ("a,b\nc,d\ne,f\n1,2\n", "at most two rows"),
        ("t,y\n" + ROWS, "expected a column among t, y or 1 to 2, found 'x'"),
        ("t,x\n" + ROWS + "\n0.2,oops", "expected a number in column x, found 'oops'"),
        ("t,x\n" + ROWS + "\n0.2", "expected a number in column x, found '1 fields'"),
        ("t,x\n" + ROWS + "\n0.2,nan", "finite numbers in column x"),
        ("t,x\n" + ROWS + "\n0.1,3", "times that do not rise"),
        ("t,x\n0,1\n1,2", "2 of them"),
    ],
)
def test_a_bad_table_is_one_sentence(tmp_path, text, wanted):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FileError, match=r"a\.csv") as error:
        read_measured(tmp_path / "a.csv", {"x": Column("x")})
    assert wanted in str(error.value) and "\n" not in str(error.value)


def test_no_table_at_all(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        read_measured(tmp_path / "none.csv", {"x": Column(2)})
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00\x01\x80")
    with pytest.raises(FileError, match="comma-separated"):
        read_measured(tmp_path / "a.csv", {"x": Column(2)})


def test_options_that_make_no_sense(stroke):
    with pytest.raises(ShapeError, match="spline, low-pass, none"):
        smooth(stroke.t, stroke["key"], "magic")
    for cutoff in (None, 0.0, 5000.0):
        with pytest.raises(ShapeError, match="half of the sampling rate, 1000 Hz"):
            smooth(stroke.t, stroke["key"], "low-pass", cutoff=cutoff)
    with pytest.raises(ShapeError, match="common stretch"):
        compare(stroke.between(0.0, 0.1), stroke.between(0.2, 0.3), {"key": "key"})

"""Recordings survive a file, whatever their channels are called, and can be cut, resampled and compared."""

import csv
import io
import json
import os
import re
import sys
from itertools import pairwise

import numpy as np
import pytest
from apparatus import oscillator, pendulum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import touchweight as tw
from touchweight.errors import FileError, ShapeError
from touchweight.simulate import Recording
from touchweight.simulate.event import Event
from touchweight.simulate.mcap_file import field_names
from touchweight.simulate.recording import ChannelError

HOSTILE = [
    "plain", "with space", "comma,comma", 'quote"quote', "new\nline", "carriage\rreturn", "tab\tbed", "$x^2$",
    "$", r"\alpha", "_hidden", "=1+1", "ümlaut", "ω₁", "a;b", "#comment", "'single'", "%percent", "&lt;",
    "{}{0}", "t", " ", "x" * 10_000, "-", "nan", "1.5", "\u2028", "ends\\",
]  # fmt: skip

#: before Python 3.11 the csv module could not read it
NUL = "" if sys.version_info >= (3, 11) else "\x00"


EVENTS = [Event(0.1 + 0.2, "touch down", "flight", "stance"), Event(0.75, "lift off", "stance", "flight")]


def recording(names=("a", "b"), samples: int = 5, units=None, events=()) -> Recording:
    t = np.linspace(0.0, 1.0, samples)
    draw = np.random.default_rng(1)
    return Recording(
        "run",
        t,
        {n: draw.normal(size=samples) for n in names},
        dict.fromkeys(names, "m") if units is None else units,
        events,
    )


def assert_same(a: Recording, b: Recording) -> None:
    assert list(a) == list(b)
    assert a.t.tobytes() == b.t.tobytes()
    for name in a:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
    assert a.units == b.units
    assert a.events == b.events


def one_sentence(error) -> str:
    text = str(error.value)
    assert "\n" not in text and "expected" in text and "found" in text, text
    return text


# -- a mapping ---------------------------------------------------------------------------------------------


def test_a_mapping_of_channels():
    run = recording()
    assert list(run) == ["a", "b"] and len(run) == 2 and "a" in run and "c" not in run
    assert run["a"].shape == (5,)
    assert repr(run) == "Recording('run': 2 channels, 5 samples to t = 1 s)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hips", r"found 'hips'; did you mean hip"),
        ("xyz", "there are hip, v.hip, energy.kinetic"),
        (3, "found '3'"),
        ("a\nb", r"found 'a\\\\nb'"),
    ],
)
def test_a_channel_that_is_not_there(name, message):
    run = pendulum().compile().simulate(0.01)
    with pytest.raises(ChannelError, match=message) as error:
        run[name]
    assert "\n" not in str(error.value)
    with pytest.raises(KeyError):
        run[name]


# -- files -------------------------------------------------------------------------------------------------

both = pytest.mark.parametrize("ending", ["csv", "mcap", "MCAP"])


def test_a_run_survives_a_file_to_the_last_bit(tmp_path):
    run = oscillator().compile().simulate(0.05, q=[1.0 / 3.0])
    for ending in ("csv", "mcap"):
        assert_same(Recording.load(run.save(tmp_path / f"run.{ending}")), run)


@both
def test_odd_numbers_survive(tmp_path, ending):
    odd = np.array([0.1, 1e-310, -0.0, np.nan, np.inf, -np.inf, 1e308, 5e-324])
    run = Recording("odd", np.arange(8.0), {"x": odd}, {"x": ""})
    back = Recording.load(run.save(tmp_path / f"odd.{ending}"))
    assert_same(back, run)
    assert np.signbit(back["x"][2])
    back["x"][0] = 1.0  # what was loaded can be edited


@both
@pytest.mark.parametrize("t", [[-2.0, -1.0, 0.0], [0.0, 0.0, 0.0], [np.nan, 1.0, np.inf], [-np.inf, 1e300, 3.0]])
def test_odd_times_survive(tmp_path, ending, t):
    run = Recording("odd", np.array(t), {"x": np.arange(3.0)}, {"x": ""}, [Event(-1e300, "e", "a", "b"), *EVENTS])
    assert_same(Recording.load(run.save(tmp_path / f"odd.{ending}")), run)


@both
def test_hostile_names_survive(tmp_path, ending):
    run = recording(HOSTILE, events=[Event(0.5, a, b, a) for a, b in pairwise(HOSTILE)])
    assert_same(Recording.load(run.save(tmp_path / f"hostile.{ending}")), run)


letters = st.characters(codec="utf-8", exclude_characters=NUL)
texts = st.text(letters, max_size=20)
names = st.lists(st.text(letters, min_size=1, max_size=20), unique=True, max_size=5)
events = st.lists(st.builds(Event, st.floats(allow_nan=False), texts, texts, texts), max_size=3)
quickly = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(names, texts, events)
@quickly
@pytest.mark.parametrize("ending", ["csv", "mcap"])
def test_any_names_survive(tmp_path, ending, names, unit, events):
    run = recording(names, 2, dict.fromkeys(names, unit), events)
    assert_same(Recording.load(run.save(tmp_path / f"any.{ending}")), run)


@given(st.lists(st.tuples(st.floats(), st.floats(), st.floats()), max_size=8))
@quickly
def test_any_numbers_survive_to_the_last_bit_in_mcap(tmp_path, rows):
    t, a, b = np.array(rows).reshape(len(rows), 3).T
    run = Recording("numbers", t, {"a": a, "b": b}, {"a": "", "b": ""})
    back = Recording.load(run.save(tmp_path / "numbers.mcap"))
    assert back.array().tobytes() == run.array().tobytes() and back.t.tobytes() == run.t.tobytes()


@both
def test_no_samples_and_no_channels(tmp_path, ending):
    empty = Recording("empty", np.zeros(0), {"x": np.zeros(0)}, {"x": "m"})
    assert_same(Recording.load(empty.save(tmp_path / f"a.{ending}")), empty)
    bare = Recording("bare", np.arange(3.0), {}, {}, EVENTS)
    assert_same(Recording.load(bare.save(tmp_path / f"b.{ending}")), bare)


@pytest.mark.parametrize("name", ["run.txt", "run", "run.csv.gz", ".mcap", "run."])
def test_other_endings_are_refused(tmp_path, name):
    for call in (recording().save, Recording.load):
        with pytest.raises(FileError, match=r"expected a name that ends in \.csv or \.mcap, found .*; choose") as error:
            call(tmp_path / name)
        one_sentence(error)
    assert not list(tmp_path.iterdir())


@both
def test_a_place_that_cannot_be_written(tmp_path, ending):
    with pytest.raises(FileError, match=r"expected to write a recording, found: No such file.*; choose another place"):
        recording().save(tmp_path / "nowhere" / f"run.{ending}")
    (tmp_path / f"folder.{ending}").mkdir()
    with pytest.raises(FileError, match="found: a folder of this name; choose another place"):
        recording(events=EVENTS).save(tmp_path / f"folder.{ending}")
    with pytest.raises(FileError, match="expected to write a recording") as error:
        recording().save(tmp_path / f"nul\0.{ending}")
    one_sentence(error)
    assert [p.name for p in tmp_path.iterdir()] == [f"folder.{ending}"]


@pytest.mark.parametrize(
    ("ending", "what"), [("csv", "csv_file.np.column_stack"), ("mcap", "mcap_file.np.column_stack")]
)
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch, ending, what, failure):
    old = recording(samples=3, events=EVENTS[:1])
    path = old.save(tmp_path / f"run.{ending}")
    before = sorted(p.name for p in tmp_path.iterdir())

    def fail(*_):
        raise failure

    monkeypatch.setattr(f"touchweight.simulate.{what}", fail)
    with pytest.raises(KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else FileError):
        recording(samples=9, events=EVENTS).save(path)
    monkeypatch.undo()
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    assert_same(Recording.load(path), old)


@pytest.mark.skipif(os.name != "posix", reason="rights of files")
def test_a_file_has_the_usual_rights(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    assert recording().save(tmp_path / "run.mcap").stat().st_mode == plain.stat().st_mode


# -- CSV ---------------------------------------------------------------------------------------------------


def test_the_file_is_plain(tmp_path):
    path = recording(("a", "b"), 2).save(tmp_path / "plain.csv")
    with path.open(newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    assert rows[:2] == [["t", "a", "b"], ["s", "m", "m"]] and len(rows) == 4
    assert np.loadtxt(path, delimiter=",", skiprows=2).shape == (2, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a row of names that starts with t"),
        ("x,y\nm,m\n1,2\n", r":1: expected a row of names that starts with t"),
        ("t,a\n", ":1: expected a row of names that starts with t and a row of units"),
        ("t,a\ns\n0,1\n", ":1: expected a row of names"),
        ("t,a\ns,m\n0,1\n1\n", ":4: expected 2 numbers, found 1 fields"),
        ("t,a\ns,m\n0,1\n1,2,3\n", ":4: expected 2 numbers, found 3 fields"),
        ("t,a\ns,m\n0,one\n", ":3: expected numbers, found: could not convert string to float: 'one'"),
        ("t,a,a\ns,m,m\n0,1,2\n", ":1: expected channels of different names, found 'a' twice"),
        ("t,a\ns,m\n\n", ":3: expected 2 numbers, found 0 fields"),
        ('t,a\ns,m\n0,"' + "9" * 200_000 + '"\n', "expected a recording, found: field larger"),
    ],
)
def test_a_file_of_something_else_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "wrong.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=message) as error:
        Recording.load(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "binary.csv"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileError, match="expected a recording"):
        Recording.load(path)
    with pytest.raises(FileError, match=r"expected a recording, found: .*No such file"):
        Recording.load(tmp_path / "nowhere.csv")


def test_half_a_character_is_refused(tmp_path):
    run = recording(["\ud800"])
    with pytest.raises(FileError, match=r"expected names .* UTF-8, found half a character; rename, or save as \.mcap"):
        run.save(tmp_path / "half.csv")
    assert not list(tmp_path.iterdir())
    assert_same(Recording.load(run.save(tmp_path / "half.mcap")), run)


def test_events_go_beside_the_table(tmp_path):
    path = recording(samples=2, events=EVENTS).save(tmp_path / "run.csv")
    assert len(path.read_text().splitlines()) == 4, "the table stays plain"
    assert (tmp_path / "run.events.csv").read_text().splitlines() == [
        "event,t [s],source,target",
        "touch down,0.30000000000000004,flight,stance",
        "lift off,0.75,stance,flight",
    ]
    recording(samples=2).save(path)
    assert Recording.load(path).events == [], "those of the older recording are gone"
    assert [p.name for p in tmp_path.iterdir()] == ["run.csv"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,a\ns,m\n0,1\n", r"events\.csv:1: expected events, .* found something else; rename"),
        ("", r"events\.csv:1: expected events"),
        ("event,t [s],source,target\na,0.5,b\n", r"events\.csv:2: expected 4 fields, found 3; take"),
        ("event,t [s],source,target\na,soon,b,c\n", r"events\.csv:2: expected numbers, found: .*'soon'; take"),
    ],
)
def test_something_else_beside_the_table(tmp_path, text, message):
    path = recording().save(tmp_path / "run.csv")
    (tmp_path / "run.events.csv").write_text(text)
    with pytest.raises(FileError, match=message) as error:
        Recording.load(path)
    one_sentence(error)


def test_a_file_of_somebody_else_is_not_replaced_by_events(tmp_path):
    mine = tmp_path / "run.events.csv"
    mine.write_text("dear diary\n")
    for events in (EVENTS, ()):
        with pytest.raises(
            FileError, match=r"expected the events of run\.csv or no file, found something else; rename"
        ):
            recording(events=events).save(tmp_path / "run.csv")
    assert mine.read_text() == "dear diary\n" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(FileError, match=r"found one that ends in \.events\.csv; choose another"):
        recording().save(tmp_path / "other.events.csv")


# -- MCAP --------------------------------------------------------------------------------------------------


def messages(path):
    from mcap.reader import make_reader

    with path.open("rb") as f:
        return list(make_reader(f, validate_crcs=True).iter_messages())


def test_other_programs_can_read_it(tmp_path):
    """Read here as ROS 2 prescribes: four bytes, then the numbers in the order of the definition."""
    run = recording(("hip", "v.hip"), 4, {"hip": "rad", "v.hip": "rad/s"}, EVENTS)
    found = messages(run.save(tmp_path / "run.mcap"))
    assert [m.log_time for _, _, m in found] == sorted(m.log_time for _, _, m in found)
    samples = [(s, c, m) for s, c, m in found if c.topic == "/run"]
    schema, channel, message = samples[2]
    assert (channel.message_encoding, schema.encoding, schema.name) == ("cdr", "ros2msg", "touchweight/msg/Sample")
    assert schema.data.decode().splitlines() == [
        "float64 t # time [s]", "float64 hip # hip [rad]", "float64 v_hip # v.hip [rad/s]",
    ]  # fmt: skip
    assert message.data[:4] == b"\0\1\0\0" and message.log_time == round(run.t[2] * 1e9)
    assert np.frombuffer(message.data[4:], "<f8").tolist() == [run.t[2], run["hip"][2], run["v.hip"][2]]
    schema, channel, message = next(x for x in found if x[1].topic == "/run/events")
    assert (channel.message_encoding, schema.encoding) == ("json", "jsonschema")
    expected = {"t": 0.1 + 0.2, "name": "touch down", "source": "flight", "target": "stance"}
    assert json.loads(message.data) == expected and set(json.loads(schema.data)["properties"]) == set(expected)


@given(st.lists(st.text(max_size=12), unique=True, max_size=12))
@settings(max_examples=100, deadline=None)
def test_fields_have_names_that_ros_allows(channels):
    fields = field_names(channels)
    assert len({"t", *fields}) == len(channels) + 1
    assert all(re.fullmatch(r"[a-z](_?[a-z0-9]+)*", f) for f in fields)


def test_fields_are_named_after_channels():
    found = field_names(["v.hip", "energy.total", "Hip", "hip", "t", "1.5", "ω", "$"])
    assert found == ["v_hip", "energy_total", "hip", "hip_2", "t_2", "channel_1_5", "channel", "channel_2"]


def test_a_time_before_zero_is_counted_from_the_start(tmp_path):
    run = Recording("early", np.array([-1.0, 0.0, 1.0]), {}, {}, [Event(0.5, "e", "a", "b")])
    stamps = [m.log_time for _, _, m in messages(run.save(tmp_path / "early.mcap"))]
    assert stamps == [0, 1_000_000_000, 1_500_000_000, 2_000_000_000]


def test_the_name_survives(tmp_path):
    run = recording()
    run.name = "Ein\nPendel"
    assert Recording.load(run.save(tmp_path / "other.mcap")).name == "Ein\nPendel"


def test_a_long_recording_is_split_and_whole(tmp_path):
    run = recording([f"c{i}" for i in range(30)], 10_000, events=EVENTS)
    assert_same(Recording.load(run.save(tmp_path / "long.mcap")), run)


def test_every_cut_is_noticed(tmp_path):
    path = recording(samples=3, events=EVENTS).save(tmp_path / "whole.mcap")
    whole, cut = path.read_bytes(), tmp_path / "cut.mcap"
    for n in range(0, len(whole), 7):
        cut.write_bytes(whole[:n])
        with pytest.raises(FileError, match=r"expected an? (whole recording|MCAP file), found") as error:
            Recording.load(cut)
        one_sentence(error)


def test_every_damage_is_noticed_or_harmless(tmp_path):
    run = recording(samples=3, events=EVENTS)
    whole, hurt = run.save(tmp_path / "whole.mcap").read_bytes(), tmp_path / "hurt.mcap"
    noticed = 0
    for n in range(0, len(whole), 3):
        hurt.write_bytes(whole[:n] + bytes([whole[n] ^ (1 << n % 8)]) + whole[n + 1 :])
        try:
            assert_same(Recording.load(hurt), run)  # the index at the end is for others
        except FileError as error:
            assert "\n" not in str(error) and "expected" in str(error)
            noticed += 1
    assert noticed > len(whole) / 8


def foreign(library="somebody else", about=None) -> bytes:
    from mcap.writer import Writer

    f = io.BytesIO()
    out = Writer(f)
    out.start(library=library)
    if about is not None:
        out.add_metadata("touchweight.recording", about)
    channel = out.register_channel("/chatter", "json", out.register_schema("", "jsonschema", b"{}"))
    out.add_message(channel, 0, b'{"hello": 1}', 0)
    out.finish()
    return f.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected an MCAP file, found an empty file; give"),
        (b"t,a\ns,m\n0,1\n", "expected an MCAP file, found another kind of file; give"),
        (bytes(10_000), "expected an MCAP file, found another kind of file"),
        (foreign(), "expected a recording of touchweight, found an MCAP file of somebody else; open it with"),
        (foreign(library=""), "found an MCAP file of another program"),
        (foreign(library="a\nb\x1b"), r"found an MCAP file of a\\nb\\x1b"),
        (foreign(library="touchweight"), r"found a damaged or truncated one \(its description is missing\); take"),
        (foreign(about={"version": "2"}), "expected version 1 of a recording, found 2; update touchweight"),
        (foreign(about={}), "expected a whole recording, found a damaged or truncated one .*; take another copy"),
        (foreign(about={"version": "1", "name": "[" * 100_000}), "expected a whole recording"),
        (foreign(about={"version": "1", "name": '""', "samples": "9", "units": "{}", "events": "1"}), "damaged"),
    ],
)
def test_other_files_are_refused(tmp_path, data, message):
    path = tmp_path / "other.mcap"
    path.write_bytes(data)
    with pytest.raises(FileError, match=message) as error:
        Recording.load(path)
    assert str(path) in one_sentence(error)


def test_no_file_and_a_folder(tmp_path):
    for path in (tmp_path / "nowhere.mcap", tmp_path / "folder.mcap"):
        with pytest.raises(
            FileError, match=r"expected a recording, found: (No such file|Is a dir|Perm).*; give"
        ) as error:
            Recording.load(path)
        one_sentence(error)
        (tmp_path / "folder.mcap").mkdir(exist_ok=True)


# -- other forms -------------------------------------------------------------------------------------------


def test_channels_side_by_side():
    run = recording(("a", "b", "c"))
    assert run.array().shape == (5, 3) and recording(()).array().shape == (5, 0)
    assert np.array_equal(run.array("c", "a"), np.column_stack([run["c"], run["a"]]))
    run.array()[:] = 0.0
    assert run["a"].any(), "a copy"
    with pytest.raises(ChannelError, match="expected a channel"):
        run.array("a", "z")


def test_lengths_must_agree():
    with pytest.raises(
        ShapeError, match=r"one number for each time in channel 'a', found shape \(3,\) for .*\(2,\); give"
    ):
        Recording("r", np.zeros(2), {"a": np.zeros(3)}, {})


def test_events_are_counted():
    assert repr(recording(events=EVENTS)).endswith("5 samples to t = 1 s, 2 events)")
    assert repr(recording(events=EVENTS[:1])).endswith(", 1 event)")


def test_a_stretch():
    run = recording(samples=11, events=EVENTS)
    part = run.between(0.25, 0.5)
    assert part.t.tolist() == run.t[3:6].tolist() and part["a"].tolist() == run["a"][3:6].tolist()
    assert part.events == EVENTS[:1] and part.units == run.units and part.name == run.name
    assert_same(run.between(-np.inf, np.inf), run)
    assert len(run.between(5.0, 6.0).t) == 0
    part["a"][:] = 0.0
    assert run["a"][3] != 0.0, "a copy"


@pytest.mark.parametrize("times", [(1.0, 0.0), (np.nan, 1.0), (0.0, "end")])
def test_a_stretch_that_is_none(times):
    with pytest.raises(
        ShapeError, match=r"expected an earlier and a later time \[s\], found .*; give the earlier"
    ) as error:
        recording().between(*times)
    one_sentence(error)


def wave(t, events=()) -> Recording:
    return Recording("wave", t, {"s": np.sin(t), "c": np.cos(3.0 * t)}, {"s": "m", "c": "N"}, events)


def test_runs_of_different_steps_are_compared():
    coarse, fine = wave(np.linspace(0.0, 2.0, 81)), wave(np.linspace(0.0, 2.0, 333))
    a, b = coarse.resample(0.01), fine.resample(0.01)
    assert len(a.t) == 201 and np.array_equal(a.t, b.t) and a.units == coarse.units
    assert np.abs(a.array() - b.array()).max() < 2e-5
    linear = coarse.resample(0.01, "linear")
    assert 1e-4 < np.abs(linear.array() - b.array()).max() < 2e-3
    assert np.allclose(linear["s"], np.interp(a.t, coarse.t, coarse["s"]), rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", ["cubic", "linear"])
def test_samples_stay_what_they_are(kind):
    run = wave(0.125 * np.arange(9.0) + 3.0)
    assert_same(run.resample(0.125, kind), run)
    assert run.resample(10.0, kind).t.tolist() == [3.0]
    single = wave(np.array([2.0]), EVENTS)
    assert_same(single.resample(0.1, kind), single)


@given(st.integers(1, 400), st.floats(1e-4, 10.0), st.floats(-10.0, 10.0))
@settings(max_examples=100, deadline=None)
def test_the_grid_ends_where_the_recording_ends(n, dt, start):
    t = start + dt * np.arange(n)
    grid = wave(t).resample(dt).t
    assert len(grid) == n and grid[-1] <= t[-1] and np.allclose(grid, t, rtol=0, atol=1e-9)


@pytest.mark.parametrize("at", [0.5, 0.55])
def test_no_spline_reaches_across_an_event(at):
    t = np.linspace(0.0, 1.0, 11)
    jump = np.where(t < at, 0.0, 1.0)
    fine = Recording("jump", t, {"x": jump}, {}, [Event(at, "hit", "a", "b")]).resample(0.01)
    assert set(fine["x"][(fine.t < 0.39) | (fine.t > 0.61)]) == {0.0, 1.0}
    assert np.all((fine["x"] >= 0.0) & (fine["x"] <= 1.0)) and len(fine.events) == 1
    smooth = Recording("jump", t, {"x": jump}, {}).resample(0.01)
    assert smooth["x"].max() > 1.01, "without an event it would ring"


def test_a_time_that_stands_twice_is_a_jump():
    t = np.array([0.0, 0.1, 0.2, 0.2, 0.3, 0.4])
    run = Recording("jump", t, {"x": np.array([0.0, 0.01, 0.04, 5.0, 5.0, 5.0])}, {}, [Event(0.2, "hit", "a", "b")])
    x = run.resample(0.05)["x"]
    assert np.allclose(x, [0.0, 0.0025, 0.01, 0.0225, 5.0, 5.0, 5.0, 5.0, 5.0])


def test_numbers_that_are_none_stay_where_they_are():
    t = np.arange(6.0)
    x = np.array([0.0, 1.0, 4.0, np.nan, np.inf, 25.0])
    fine = Recording("odd", t, {"x": x, "y": t**2}, {}).resample(0.5)
    assert np.isnan(fine["x"][5:8]).all() and np.isfinite(fine["x"][:5]).all() and fine["x"][-1] == 25.0
    assert np.allclose(fine["y"], fine.t**2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0,), r"expected a positive step dt \[s\], found 0\.0; give"),
        ((np.nan,), "expected a positive step"),
        (("fast",), "found 'fast'"),
        ((1e-12,), r"expected at most 100000000 samples, found 1e\+12; take a larger dt"),
        ((0.1, "quintic"), "expected kind cubic or linear, found 'quintic'; choose"),
    ],
)
def test_what_cannot_be_resampled(arguments, message):
    with pytest.raises(ShapeError, match=message) as error:
        recording().resample(*arguments)
    one_sentence(error)


@pytest.mark.parametrize("t", [[], [1.0, 0.0], [0.0, np.nan]])
def test_times_that_cannot_be_resampled(t):
    with pytest.raises(ShapeError, match="expected samples at times that never fall, found none or others; resample"):
        wave(np.array(t)).resample(0.1)


def test_a_table_for_pandas():
    pandas = pytest.importorskip("pandas")
    table = recording().dataframe()
    assert isinstance(table, pandas.DataFrame) and list(table.columns) == ["a", "b"]
    assert table.index.name == "t" and table["a"].iloc[0] == recording()["a"][0]


def test_it_is_public():
    assert tw.Recording is Recording

"""Recordings survive a file, whatever their channels are called, and can be drawn."""

import csv
import sys

import numpy as np
import pytest
from apparatus import oscillator, pendulum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import touchweight as tw
from touchweight.errors import FileError
from touchweight.simulate import Recording
from touchweight.simulate.recording import ChannelError

HOSTILE = [
    "plain", "with space", "comma,comma", 'quote"quote', "new\nline", "carriage\rreturn", "tab\tbed", "$x^2$",
    "$", r"\alpha", "_hidden", "=1+1", "ümlaut", "ω₁", "a;b", "#comment", "'single'", "%percent", "&lt;",
    "{}{0}", "t", " ", "x" * 10_000, "-", "nan", "1.5", "\u2028", "ends\\",
]  # fmt: skip

#: before Python 3.11 the csv module could not read it
NUL = "" if sys.version_info >= (3, 11) else "\x00"


def recording(names=("a", "b"), samples: int = 5, units=None) -> Recording:
    t = np.linspace(0.0, 1.0, samples)
    draw = np.random.default_rng(1)
    return Recording(
        "run",
        t,
        {n: draw.normal(size=samples) for n in names},
        dict.fromkeys(names, "m") if units is None else units,
    )


def assert_same(a: Recording, b: Recording) -> None:
    assert list(a) == list(b)
    assert (a.t == b.t).all()
    for name in a:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
    assert a.units == b.units


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


def test_a_run_survives_a_file_to_the_last_bit(tmp_path):
    run = oscillator().compile().simulate(0.05, q=[1.0 / 3.0])
    assert_same(Recording.load(run.save(tmp_path / "run.csv")), run)


def test_odd_numbers_survive(tmp_path):
    odd = np.array([0.1, 1e-310, -0.0, np.nan, np.inf, -np.inf, 1e308, 5e-324])
    run = Recording("odd", np.arange(8.0), {"x": odd}, {"x": ""})
    back = Recording.load(run.save(tmp_path / "odd.csv"))
    assert_same(back, run)
    assert np.signbit(back["x"][2])


def test_hostile_names_survive(tmp_path):
    run = recording(HOSTILE)
    assert_same(Recording.load(run.save(tmp_path / "hostile.csv")), run)


letters = st.characters(codec="utf-8", exclude_characters=NUL)
names = st.lists(st.text(letters, min_size=1, max_size=20), unique=True, max_size=5)


@given(names, st.text(letters, max_size=5))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names_survive(tmp_path, names, unit):
    run = recording(names, 2, dict.fromkeys(names, unit))
    assert_same(Recording.load(run.save(tmp_path / "any.csv")), run)


def test_the_file_is_plain(tmp_path):
    path = recording(("a", "b"), 2).save(tmp_path / "plain.csv")
    with path.open(newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    assert rows[:2] == [["t", "a", "b"], ["s", "m", "m"]] and len(rows) == 4
    assert np.loadtxt(path, delimiter=",", skiprows=2).shape == (2, 3)


def test_no_samples_and_no_channels(tmp_path):
    empty = Recording("empty", np.zeros(0), {"x": np.zeros(0)}, {"x": "m"})
    assert_same(Recording.load(empty.save(tmp_path / "a.csv")), empty)
    bare = Recording("bare", np.arange(3.0), {}, {})
    assert_same(Recording.load(bare.save(tmp_path / "b.csv")), bare)


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
    with pytest.raises(FileError, match="expected to write a recording, found: No such file"):
        recording().save(tmp_path / "nowhere" / "run.csv")


def test_a_table_for_pandas():
    pandas = pytest.importorskip("pandas")
    table = recording().dataframe()
    assert isinstance(table, pandas.DataFrame) and list(table.columns) == ["a", "b"]
    assert table.index.name == "t" and table["a"].iloc[0] == recording()["a"][0]


# -- pictures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_is_written(tmp_path, ending):
    run = pendulum().compile().simulate(0.1, q=[0.3])
    path = tmp_path / f"run.{ending}"
    figure = run.plot(save=path)
    assert path.stat().st_size > 1000
    (axis,) = figure.axes
    assert axis.get_ylabel() == "hip [rad]" and axis.get_xlabel() == "time [s]" and axis.get_title() == "pendulum"


def test_one_panel_for_each_unit():
    run = pendulum().compile().simulate(0.1, q=[0.3])
    figure = run.plot("hip", "v.hip", "energy.kinetic", "energy.total", show=False)
    assert [a.get_ylabel() for a in figure.axes] == ["hip [rad]", "v.hip [rad/s]", "[J]"]
    assert [t.get_text() for t in figure.axes[2].get_legend().get_texts()] == [
        "energy.kinetic",
        "energy.total",
    ]
    assert [line.get_xdata().shape for line in figure.axes[2].lines] == [(101,), (101,)]


def test_hostile_names_are_drawn_as_they_are(tmp_path):
    """No mathematics, nothing hidden, no missing legend, no warning."""
    shown = [n for n in HOSTILE if n != "\u2028" and len(n) < 60]
    run = recording(shown)
    run.name = "title with $x$ and _"
    figure = run.plot(*shown, save=tmp_path / "hostile.png")
    legend = [t.get_text().strip() for t in figure.axes[0].get_legend().get_texts()]
    assert len(legend) == len(shown)
    assert "_hidden" in legend and r"\$x^2\$" in legend and "ümlaut" in legend and r"new\nline" in legend
    svg = tmp_path / "hostile.svg"
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(svg)
    text = svg.read_text(encoding="utf-8")
    assert "$x^2$" in text, "dollars stand for themselves"
    assert "ω₁" in text and "title with $x$ and _" in text


def test_a_long_name_is_shortened():
    figure = recording(["x" * 10_000]).plot(show=False)
    assert len(figure.axes[0].get_ylabel()) < 80


def test_mistakes_are_answered_with_one_sentence(tmp_path):
    run = recording()
    with pytest.raises(ChannelError, match="expected a channel"):
        run.plot("zzz", show=False)
    for wrong in (tmp_path / "nowhere" / "run.png", tmp_path / "run.nonsense"):
        with pytest.raises(FileError, match=r"expected to write a figure, found: .*; choose another") as error:
            run.plot(save=wrong)
        assert "\n" not in str(error.value)


def test_nothing_to_draw():
    with pytest.raises(tw.TouchweightError, match="expected a recording with channels to draw, found one without"):
        Recording("bare", np.arange(3.0), {}, {}).plot(show=False)


def test_it_is_public():
    assert tw.Recording is Recording

"""Pictures of recordings: panels by unit, names as they are, events and modes."""

import warnings

import matplotlib
import numpy as np
import pytest
from apparatus import pendulum

import touchweight as tw
from touchweight.errors import FileError
from touchweight.simulate import Recording
from touchweight.simulate.event import Event
from touchweight.simulate.plotting import COLOURS, SHADES, mode_spans
from touchweight.simulate.recording import ChannelError

HOSTILE = [
    "plain", "with space", "new\nline", "tab\tbed", "$x^2$", "$", r"\alpha", "_hidden", "=1+1", "ümlaut", "ω₁",
    "#comment", "%percent", "&lt;", "{}{0}", "t", " ", "-", "nan", "ends\\",
]  # fmt: skip

HOPS = [
    Event(0.25, "touch down", "flight", "stance"),
    Event(0.5, "lift off", "stance", "flight"),
    Event(0.75, "touch down", "flight", "stance"),
]


def recording(names=("a", "b"), samples: int = 50, unit: str = "m", events=()) -> Recording:
    t = np.linspace(0.0, 1.0, samples)
    return Recording("run", t, {n: np.sin(t + i) for i, n in enumerate(names)}, dict.fromkeys(names, unit), events)


def notes(figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def lines_at(axis) -> list[list[float]]:
    """Where upright lines of events stand, for each name."""
    from matplotlib.collections import LineCollection

    return [
        [float(s[0, 0]) for s in c.get_segments()] for c in axis.collections if isinstance(c, LineCollection)
    ]  # fmt: skip


# -- panels ------------------------------------------------------------------------------------------------


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
    assert [t.get_text() for t in figure.axes[2].get_legend().get_texts()] == ["energy.kinetic", "energy.total"]
    assert [line.get_xdata().shape for line in figure.axes[2].lines] == [(101,), (101,)]
    assert not figure.legends, "nothing below the panels without events"


def test_a_channel_named_twice_is_drawn_once():
    assert len(recording().plot("a", "b", "a", show=False).axes[0].lines) == 2


def test_a_channel_without_a_unit():
    assert recording(["a"], unit="").plot(show=False).axes[0].get_ylabel() == "a"


def boxes(figure):
    figure.draw_without_rendering()
    axis = figure.axes[0]
    return axis.get_window_extent(), axis.get_legend().get_window_extent(), figure.bbox


@pytest.mark.parametrize("count", [5, 12, 60])
def test_a_long_legend_stands_beside_its_panel(count):
    figure = recording([f"channel {i}" for i in range(count)]).plot(*(f"channel {i}" for i in range(count)), show=False)
    panel, legend, whole = boxes(figure)
    assert legend.x0 >= panel.x1 and legend.x1 <= whole.x1 and whole.y0 <= legend.y0 and legend.y1 <= whole.y1
    assert panel.width > 500 and panel.height > 150, "room for the curves"
    looks = {(line.get_color(), line.get_linestyle()) for line in figure.axes[0].lines}
    assert len(looks) == min(count, 4 * len(COLOURS)), "lines of one colour differ in their dashes"


def test_a_short_legend_stands_inside():
    panel, legend, _ = boxes(recording().plot(show=False))
    assert panel.x0 < legend.x0 and legend.x1 < panel.x1


def test_a_long_recording_is_drawn_without_a_warning(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recording(samples=300_000).plot(save=tmp_path / "long.png")


def test_one_sample_is_a_dot_and_none_is_an_empty_panel():
    figure = recording(samples=1, events=[Event(0.0, "e", "a", "b")]).plot(show=False)
    assert figure.axes[0].lines[0].get_marker() == "o"
    assert recording(samples=0, events=HOPS).plot(show=False).axes[0].get_ylabel() == "[m]"


# -- events and modes --------------------------------------------------------------------------------------


def test_events_are_lines_on_every_panel_and_named_once():
    run = recording(events=HOPS)
    run.units["b"] = "N"
    figure = run.plot(show=False)
    assert len(figure.axes) == 2
    for axis in figure.axes:
        assert lines_at(axis) == [[0.25, 0.75], [0.5]]
        assert len(axis.lines) == 1, "channels only"
        assert axis.get_xlim() == (0.0, 1.0)
    assert notes(figure) == ["mode: flight", "mode: stance", "event: touch down (×2)", "event: lift off"]


def test_modes_are_shaded_where_they_hold():
    assert mode_spans(recording(events=HOPS)) == {
        "flight": [(0.0, 0.25), (0.5, 0.25)],
        "stance": [(0.25, 0.25), (0.75, 0.25)],
    }
    assert mode_spans(recording(events=reversed(HOPS))) == mode_spans(recording(events=HOPS)), "in order of time"
    assert mode_spans(recording()) == {} and mode_spans(recording(samples=0, events=HOPS)) == {}
    early = [Event(-1.0, "e", "a", "b"), Event(2.0, "e", "b", "c")]
    assert mode_spans(recording(events=early)) == {"b": [(0.0, 1.0)]}


def test_one_mode_needs_no_shade():
    figure = recording(events=[Event(0.5, "bounce", "fall", "fall")]).plot(show=False)
    assert notes(figure) == ["event: bounce"]


def test_events_outside_the_recording_are_not_drawn():
    figure = recording(events=[Event(2.0, "late", "a", "b")]).plot(show=False)
    assert lines_at(figure.axes[0]) == [] and notes(figure) == [] and figure.axes[0].get_xlim() == (0.0, 1.0)


def test_many_modes_and_many_kinds_of_events_are_gathered(tmp_path):
    events = [Event(0.02 * i, f"e{i}", f"m{i}", f"m{i + 1}") for i in range(1, 40)]
    shown = notes(recording(events=events).plot(save=tmp_path / "many.png"))
    assert shown[: len(SHADES)] == [*(f"mode: m{i}" for i in range(1, len(SHADES))), "other modes"]
    assert shown[-1] == "other events (×28)" and len(shown) == len(SHADES) + 12


def test_thousands_of_events_are_drawn_quickly(tmp_path):
    events = [Event(1.0 - 0.999**i, "bounce", "up", "down") for i in range(5000)]
    figure = recording(events=events).plot(save=tmp_path / "bounces.png")
    assert notes(figure)[-1] == "event: bounce (×5000)" and len(figure.axes[0].collections) < 5


# -- names from anywhere -----------------------------------------------------------------------------------


def test_hostile_names_are_drawn_as_they_are(tmp_path):
    """No mathematics, nothing hidden, no missing legend, no warning."""
    events = [Event(0.02 * i, name, name, f"{name}_") for i, name in enumerate(HOSTILE)]
    run = recording(HOSTILE, unit="$m^2$", events=events)
    run.name = "title with $x$ and _"
    figure = run.plot(*HOSTILE, save=tmp_path / "hostile.png")
    legend = [t.get_text().strip() for t in figure.axes[0].get_legend().get_texts()]
    assert len(legend) == len(HOSTILE)
    assert "_hidden" in legend and r"\$x^2\$" in legend and "ümlaut" in legend and r"new\nline" in legend
    svg = tmp_path / "hostile.svg"
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(svg)
    text = svg.read_text(encoding="utf-8")
    assert "$x^2$" in text and "[$m^2$]" in text, "dollars stand for themselves"
    assert "ω₁" in text and "title with $x$ and _" in text and "event: $x^2$" in text


def test_a_long_name_is_shortened():
    figure = recording(["x" * 10_000], events=[Event(0.5, "y" * 10_000, "a", "b")]).plot(show=False)
    assert len(figure.axes[0].get_ylabel()) < 80 and max(map(len, notes(figure))) < 80


# -- mistakes ----------------------------------------------------------------------------------------------


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

"""``touchweight compare``: a table from a laboratory against a model, in one command."""

import json

import numpy as np
import pytest

import touchweight as tw
from touchweight.cli import main
from touchweight.library import piano
from touchweight.library.keyboards import KEYBOARDS


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Dip [mm] and force of the finger [N] of an organ's key, with 0.05 N of noise."""
    model = KEYBOARDS["organ"].build().compile()
    run = KEYBOARDS["organ"].play(model, piano.press(0.2, 9e-3, 0.05), 0.4)
    force = run["force.key"] / 0.22 + np.random.default_rng(3).normal(0.0, 0.05, len(run.t))
    path = tmp_path_factory.mktemp("laboratory") / "stroke.csv"
    rows = np.column_stack([run.t, 220.0 * run["key"], force])
    np.savetxt(path, rows, delimiter=",", header="t,dip,force", comments="")
    return path


SCALES = ["--factor", f"dip={1e-3 / 0.22!r}", "--factor", "force=0.22"]


def test_the_noise_that_was_put_in_is_the_error(table, tmp_path, capsys):
    files = ["--plot", str(tmp_path / "a.png"), "--save", str(tmp_path / "a.csv")]
    command = ["compare", "organ", str(table), "--motion", "key=dip", "--force", "force", *SCALES, *files]
    assert main([*command, "--smooth", "none", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["force"]
    assert found["rms"] / 0.22 == pytest.approx(0.05, rel=0.1) and abs(found["shift"]) < 5e-4
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "force.key" in tw.Recording.load(tmp_path / "a.csv")
    assert main([*command, "--smooth", "low-pass", "--cutoff", "100"]) == 0
    out = capsys.readouterr().out
    assert "force.key" in out and "picture: " in out and "recording: " in out


def test_parameters_count(table, capsys):
    command = ["compare", "organ", str(table), "--motion", "key=2", "--force", "force.key=3", "--json"]
    factors = ["--factor", f"2={1e-3 / 0.22!r}", "--factor", "3=0.22"]
    assert main([*command, *factors, "--set", "wind.pressure=0"]) == 0
    assert json.loads(capsys.readouterr().out)["3"]["rms"] / 0.22 > 0.1


@pytest.mark.parametrize(
    "options, wanted",
    [
        (["--motion", "key", "--force", "force"], "expected --motion NAME=COLUMN"),
        (["--motion", "key=dop", "--force", "force"], "expected a column among t, dip, force"),
        (["--motion", "kay=dip", "--force", "force"], "expected drives"),
        (["--motion", "key=dip", "--force", "force.kay=force"], "did you mean force.key"),
        (["--motion", "key=dip", "--force", "force", "--factor", "dup=2"], "a column that is used"),
        (["--motion", "key=dip", "--force", "force", "--smooth", "low-pass"], "half of the sampling rate"),
        (["--motion", "key=dip", "--force", "force", "--dt", "0"], "positive step"),
        (["--motion", "key=dip"], "--force"),
    ],
)
def test_a_mistake_is_one_line(table, capsys, options, wanted):
    assert main(["compare", "organ", str(table), *options]) == 2
    out, err = capsys.readouterr()
    assert wanted in err and err.count("\n") == 1 and not out

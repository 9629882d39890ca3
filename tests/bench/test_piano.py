"""``touchweight bench piano``: that it times what it says, with a rival from outside; one look at the goal itself."""

from pathlib import Path

import numpy as np
import pytest

from touchweight.bench import piano
from touchweight.bench.piano_rival import load_rival, time_rival
from touchweight.codegen.compiler import find_compiler
from touchweight.errors import TouchweightError
from touchweight.library.piano.action import build
from touchweight.library.piano.compass import action_for
from touchweight.simulate.ensemble import Ensemble

#: the step with which the library plays [s]
STEP = 2.5e-4

RIVAL = """
import numpy as np
P = {"dt": 1e-5}
def settle(p, T): return None, np.zeros(1)
def run(p, T, mode, drive, hd, st, every):
    assert p["dt"] == 1e-4 and mode == 0
    return {"t": T}, st
def onsets(found): return [(0.01, 6.5)]
"""


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    if find_compiler() is None:
        pytest.skip("no C compiler found")


def test_all_keys_are_played_differently():
    t = piano.TICK * np.arange(2000)
    u = piano.playing(t, 88)
    assert u.shape == (2000, 88)
    assert u.min() == 0.0
    assert np.all(u.max(axis=0) >= piano.FORCES[0])
    assert u.max() <= piano.FORCES[1]
    assert len({tuple(column) for column in u.T}) == 88
    assert np.all((u > 0).mean(axis=0) > 0.3)


def test_the_bench_tells_times_looks_and_the_ratio_to_a_rival(monkeypatch, tmp_path):
    monkeypatch.setattr(piano, "PLAYING", 0.05)
    monkeypatch.setattr(piano, "BLOW_TIME", 0.05)
    monkeypatch.setattr(piano, "SETTLING", 0.02)
    (tmp_path / "rival.py").write_text(RIVAL)
    found = piano.run(1, tmp_path / "rival.py")
    core, unit = found["one_key"]
    assert core["looks"] == pytest.approx(unit["looks"], rel=0.1)
    for row in found["one_key"]:
        assert 0.0 < row["mean_us"] <= row["worst_us"]
    for row, steps in zip(found["keys"], (1, 2), strict=True):
        assert row["keys"] == 88
        assert row["steps"] == steps
        assert row["real_time"] == pytest.approx(500.0 / row["tick_us"])
        assert row["per_key_us"] == pytest.approx(row["tick_us"] / 88)
    assert found["rival"]["steps"] == 5
    assert found["rival"]["strike"] == 6.5
    assert found["rival"]["ratio_keys"] == pytest.approx(found["rival"]["tick_us"] / found["keys"][0]["per_key_us"])


def test_a_rival_that_is_none_is_told(tmp_path):
    with pytest.raises(TouchweightError, match="a Python file for --rival"):
        load_rival(tmp_path / "nowhere.py")
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(TouchweightError, match="ZeroDivisionError"):
        load_rival(tmp_path / "broken.py")
    (tmp_path / "empty.py").write_text("P = {}")
    with pytest.raises(TouchweightError, match="found no settle, run, onsets"):
        time_rival(Path(tmp_path / "empty.py"), 1)


def test_strokes_of_different_keys_are_those_of_the_general_core():
    model = build("force").compile()
    keys = [action_for(k) for k in (1, 16, 28, 40, 52, 64, 76, 88)]
    finger = {"finger.force": lambda t: 0.0 if t < 0.2 else 12.0 * min(1.0, (t - 0.2) / 0.01)}
    runs = Ensemble(model, keys).run(0.4, inputs=finger, dt=STEP, every=4)
    speeds = []
    for run, parameters in zip(runs, keys, strict=True):
        alone = model.simulate(0.4, inputs=finger, parameters=parameters, dt=STEP, every=4)
        for name in run:
            assert np.allclose(run[name], alone[name], rtol=1e-9, atol=1e-9), name
        speeds.append(run["v.hammer"].max())
        assert run["force.hammer-string"].max() > 10.0
    assert np.all(np.diff(speeds) > 0)  # the lighter hammers of the treble are quicker


@pytest.mark.slow
def test_eighty_eight_keys_run_five_times_faster_than_real_time():
    found = piano.time_keys(build("force").compile(), repeat=5)
    assert found.real_time > 5.0
    assert found.strikes > 100

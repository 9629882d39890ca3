"""``touchweight bench``: a thin wrapper."""

from pathlib import Path

from touchweight.cli import main


def test_the_options_reach_the_benchmark(monkeypatch):
    called = []
    monkeypatch.setattr("touchweight.bench.dynamics.main", lambda **given: called.append(given))
    assert main(["bench", "dynamics", "--robots", "ur5, panda", "--repeat", "3", "--json"]) == 0
    assert called == [{"robots": ["ur5", "panda"], "repeat": 3, "as_json": True}]


def test_the_options_of_the_piano_reach_its_benchmark(monkeypatch):
    called = []
    monkeypatch.setattr("touchweight.bench.piano.main", lambda **given: called.append(given))
    assert main(["bench", "piano", "--repeat", "2", "--json", "--rival", "check.py"]) == 0
    assert called == [{"repeat": 2, "as_json": True, "rival": Path("check.py")}]

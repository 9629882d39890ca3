"""``touchweight bench``: a thin wrapper."""

from touchweight.cli import main


def test_the_options_reach_the_benchmark(monkeypatch):
    called = []
    monkeypatch.setattr("touchweight.bench.dynamics.main", lambda **given: called.append(given))
    assert main(["bench", "dynamics", "--robots", "ur5, panda", "--repeat", "3", "--json"]) == 0
    assert called == [{"robots": ["ur5", "panda"], "repeat": 3, "as_json": True}]

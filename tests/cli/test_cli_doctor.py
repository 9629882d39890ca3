"""``touchweight doctor``: it looks at everything, and only what is essential can fail."""

import json

from touchweight.cli import main
from touchweight.cli.doctor import STATES, run_checks


def test_every_check_has_a_state_and_advice_where_something_lacks():
    checks = {c.name: c for c in run_checks()}
    wanted = {
        "Python",
        "NumPy",
        "C compiler",
        "build and run",
        "processor",
        "cache folder",
        "Octave",
        "mujoco",
        "pin",
    }
    assert wanted <= set(checks)
    for c in checks.values():
        assert c.state in STATES and c.found
        assert c.state == "OK" or c.advice, f"{c.name} is {c.state} and nobody says what to do"
    assert checks["build and run"].state == "OK"


def test_table_and_json(capsys):
    assert main(["doctor"]) == 0
    assert "build and run" in capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["healthy"] is True and all(c["state"] in STATES for c in data["checks"])


def test_without_a_compiler_it_is_well_and_says_so(monkeypatch):
    monkeypatch.setenv("TOUCHWEIGHT_NO_COMPILER", "1")
    checks = {c.name: c for c in run_checks()}
    assert checks["C compiler"].state == "missing" and "Python" in checks["C compiler"].advice
    assert checks["build and run"].state == "OK" and "generated Python" in checks["build and run"].found


def test_a_cc_that_is_none_is_told_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setenv("CC", "/no/such/compiler")
    assert main(["doctor"]) in (0, 1)
    out = capsys.readouterr().out
    assert "C compiler" in out and "please report" not in out


def test_a_compiler_that_makes_wrong_code_is_noticed(monkeypatch, capsys):
    monkeypatch.setattr("touchweight.simulate.model.Model.inverse", lambda *a, **k: [0.5])
    assert main(["doctor"]) == 1
    assert "broken" in capsys.readouterr().out


def test_an_unsafe_cache_folder_is_told(monkeypatch, tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("TOUCHWEIGHT_CACHE", str(tmp_path / "open"))
    check = next(c for c in run_checks() if c.name == "cache folder")
    assert check.state == "limited" and "others may write" in check.found


def test_a_check_that_stumbles_does_not_stop_the_others(monkeypatch):
    monkeypatch.setattr("touchweight.codegen.compiler.cpu_features", lambda: 1 / 0)
    checks = {c.name: c for c in run_checks()}
    assert checks["processor"].state == "broken" and "Octave" in checks

"""All rivals together: what is missing gives a reason, what is there gives a time."""

import shutil
import sys
from pathlib import Path

import pytest

from touchweight.bench import casadi_rival, mujoco_rival, pinocchio_rival
from touchweight.bench.rivals import MissingRival, RivalTime, measure_rivals


def test_a_missing_rival_gives_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pinocchio", "casadi", "mujoco"):
        monkeypatch.setitem(sys.modules, name, None)
    times = measure_rivals(["ur5"], repeat=1)
    assert [time.rival for time in times] == ["pinocchio", "casadi", "mujoco"]
    assert all(time.seconds is None and time.note.endswith("pip install touchweight[dev].") for time in times)


def test_one_missing_rival_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(robot: str, **options: object) -> list[RivalTime]:
        raise MissingRival("gone")

    def present(robot: str, **options: object) -> list[RivalTime]:
        return [RivalTime("casadi", "1", "mass matrix", robot, 1e-6, "")]

    monkeypatch.setattr(pinocchio_rival, "measure", absent)
    monkeypatch.setattr(casadi_rival, "measure", present)
    monkeypatch.setattr(mujoco_rival, "measure", absent)
    said: list[str] = []
    times = measure_rivals(["ur5", "panda"], repeat=1, progress=said.append)
    assert [(time.rival, time.robot, time.seconds) for time in times] == [
        (rival, robot, 1e-6 if rival == "casadi" else None)
        for robot in ("ur5", "panda")
        for rival in ("pinocchio", "casadi", "mujoco")
    ]
    assert said[0] == "pinocchio: ur5"


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler is installed")
@pytest.mark.parametrize("rival", ["casadi", "mujoco"])
def test_ur5_is_timed_in_c(rival: str, tmp_path: Path) -> None:
    for name in (rival, "pinocchio"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    times = measure_rivals(["ur5"], repeat=3, count=8, cache=tmp_path, rivals=[rival])
    if times[0].seconds is None:
        pytest.skip(times[0].note)
    for time in times:
        assert time.seconds is not None and time.median is not None and time.error is not None
        assert 1e-8 < time.seconds <= time.median < 1e-2
        assert time.error < 1e-9

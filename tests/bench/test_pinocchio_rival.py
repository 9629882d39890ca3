"""The headers Pinocchio's timing programs are built from are found, or their absence is a sentence."""

from pathlib import Path

import pytest

from touchweight.bench import pinocchio_rival
from touchweight.bench.rivals import MissingRival


def test_programs_differ_in_nothing_but_algorithm_and_eigen() -> None:
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    try:
        programs = pinocchio_rival.programs()
    except MissingRival as reason:
        pytest.skip(str(reason))
    assert len({program.name for program in programs.values()}) == len(programs) == 6
    for (algorithm, eigen), program in programs.items():
        assert f"-DALGORITHM_{algorithm.upper()}" in program.flags
        assert ("-DEIGEN_DONT_VECTORIZE" in program.flags) == bool(eigen)
        assert {"-O3", "-march=native", "-DNDEBUG"} < set(program.flags)
        assert not program.libraries


def test_no_eigen_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinocchio_rival, "packaged_headers", lambda package, witness: None)
    monkeypatch.setattr(Path, "exists", lambda self: False)
    with pytest.raises(MissingRival, match="pip install cmeel-eigen"):
        pinocchio_rival.eigen_headers()


def test_headers_of_a_package_that_is_not_there() -> None:
    assert pinocchio_rival.packaged_headers("no-such-package", "Eigen/Core") is None

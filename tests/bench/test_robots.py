"""The robots are found where their package put them."""

from importlib import metadata

import pytest

from touchweight.bench import robots
from touchweight.bench.rivals import MissingRival


@pytest.mark.parametrize("robot", robots.ROBOTS)
def test_each_robot_is_a_urdf(robot: str) -> None:
    try:
        path = robots.urdf_path(robot)
    except MissingRival as reason:
        pytest.skip(str(reason))
    assert "<robot" in path.read_text()
    assert path in robots.all_urdfs().values()


def test_all_urdfs_exist() -> None:
    try:
        urdfs = robots.all_urdfs()
    except MissingRival as reason:
        pytest.skip(str(reason))
    assert len(urdfs) > 40
    assert all(path.is_file() and path.as_posix().endswith(name) for name, path in urdfs.items())


def test_without_the_package_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", absent)
    with pytest.raises(MissingRival, match=r"pip install touchweight\[dev\]"):
        robots.urdf_path("ur5")


def test_an_unknown_robot_is_named() -> None:
    with pytest.raises(ValueError, match=r"panda, ur5, talos, found 'hal'"):
        robots.urdf_path("hal")

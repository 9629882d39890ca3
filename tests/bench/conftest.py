"""The robots as tables of joints; a test that needs one skips when its packages are absent."""

from collections.abc import Callable

import pytest

from touchweight.bench.joint_table import JointRow, joint_table, load_model
from touchweight.bench.rivals import MissingRival
from touchweight.bench.robots import urdf_path


@pytest.fixture
def table() -> Callable[[str], list[JointRow]]:
    def read(robot: str) -> list[JointRow]:
        try:
            return joint_table(load_model(urdf_path(robot)))
        except MissingRival as reason:
            pytest.skip(str(reason))

    return read

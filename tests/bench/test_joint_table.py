"""The table of joints is the whole robot: rebuilt from it, Pinocchio moves as it does from the URDF."""

from collections.abc import Callable

import numpy as np
import pytest

from touchweight.bench.joint_table import JointRow, load_model, pinocchio_model, snapped, write_table
from touchweight.bench.pinocchio_rival import reference
from touchweight.bench.robots import urdf_path
from touchweight.bench.states import random_states, relative_error

Table = Callable[[str], list[JointRow]]
JOINTS = {"panda": 9, "ur5": 6, "talos": 32}


@pytest.mark.parametrize("robot", JOINTS)
def test_there_and_back(robot: str, table: Table) -> None:
    rows = table(robot)
    assert len(rows) == JOINTS[robot]
    states = random_states([row.kind == "P" for row in rows], count=5)
    expected = reference(load_model(urdf_path(robot)), "rnea", states)
    assert relative_error(reference(pinocchio_model(rows), "rnea", states), expected) < 1e-13


def test_panda_has_two_sliding_fingers(table: Table) -> None:
    fingers = [row for row in table("panda") if row.kind == "P"]
    assert [list(row.axis) for row in fingers] == [[0, 1, 0], [0, -1, 0]]


@pytest.mark.parametrize("robot", JOINTS)
def test_snapping_makes_quarter_turns_exact_and_moves_nothing(robot: str, table: Table) -> None:
    rows = table(robot)
    exact = snapped(rows)
    for row, other in zip(rows, exact, strict=True):
        assert np.abs(row.rotation - other.rotation).max() < 1e-10
        assert np.abs(other.rotation.T @ other.rotation - np.eye(3)).max() < 1e-14
        small = np.abs(other.rotation - np.round(other.rotation))
        assert not np.any((small > 0) & (small < 1e-10))


def test_text_keeps_every_bit(table: Table) -> None:
    rows = table("ur5")
    lines = write_table(rows).splitlines()
    assert lines[0] == "6"
    for row, line in zip(rows, lines[1:], strict=True):
        parent, kind, *numbers = line.split()
        values = np.array(numbers, dtype=float)
        assert (int(parent), kind) == (row.parent, row.kind)
        assert np.array_equal(values[3:12].reshape(3, 3), row.rotation)
        assert values[15] == row.mass
        assert np.array_equal(values[19:], row.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])


def test_a_joint_of_several_freedoms_is_refused() -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    from touchweight.bench.joint_table import joint_table

    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "floating")
    with pytest.raises(ValueError, match="one freedom, found JointModelFreeFlyer at 'floating'"):
        joint_table(model)

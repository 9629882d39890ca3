"""The dynamics CasADi is given are right: they agree with Pinocchio and with one another."""

from collections.abc import Callable

import numpy as np
import pytest

from touchweight.bench.joint_table import JointRow, pinocchio_model, snapped
from touchweight.bench.pinocchio_rival import reference
from touchweight.bench.states import States, random_states, relative_error

ca = pytest.importorskip("casadi", reason="CasADi is not installed")

from touchweight.bench import casadi_rival  # noqa: E402

Table = Callable[[str], list[JointRow]]


def evaluate(task: casadi_rival.Task, rows: list[JointRow], states: States) -> np.ndarray:
    f = casadi_rival.function(task, rows)
    inputs = [states.q, states.v, states.u][: task.inputs]
    results = [f(*(values[k] for values in inputs)).nonzeros() for k in range(states.count)]
    return casadi_rival.dense(f, np.array(results))


@pytest.mark.parametrize("robot", ["panda", "ur5", "talos"])
@pytest.mark.parametrize("task", casadi_rival.TASKS, ids=lambda task: task.variant)
def test_agrees_with_pinocchio(robot: str, task: casadi_rival.Task, table: Table) -> None:
    rows = snapped(table(robot))
    states = random_states([row.kind == "P" for row in rows], count=5)
    expected = reference(pinocchio_model(rows), task.oracle, states)
    assert relative_error(evaluate(task, rows, states), expected) < casadi_rival.TOLERANCE


def test_direct_dynamics_undoes_inverse_dynamics(table: Table) -> None:
    rows = table("ur5")
    states = random_states([False] * 6, count=5)
    inverse, _, *direct = casadi_rival.TASKS
    tau = evaluate(inverse, rows, states)[:, :, 0]
    for task in direct:
        assert relative_error(evaluate(task, rows, States(states.q, states.v, tau)), states.u) < 1e-10


def test_operations_leave_out_inputs_outputs_and_constants() -> None:
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [ca.vertcat(x[0] * x[1] + 3, ca.sin(x[0]))])
    assert casadi_rival.operations(f) == 3


def test_exact_quarter_turns_cost_no_operations(table: Table) -> None:
    rows = table("panda")
    task = casadi_rival.TASKS[0]
    exact = casadi_rival.operations(casadi_rival.function(task, snapped(rows)))
    assert exact < casadi_rival.operations(casadi_rival.function(task, rows))

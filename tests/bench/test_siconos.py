"""Our friction solver against Siconos' on a few problems of every kind."""

import json

import numpy as np
import pytest

from touchweight.bench import cone
from touchweight.bench.friction_problems import SIZES, problems, stack
from touchweight.bench.rivals import MissingRival


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    try:
        return cone.compare(
            problems(1, (1, 2, 3, 5, 10)), tolerance=1e-12, passes=1, cache=tmp_path_factory.mktemp("bench")
        )
    except MissingRival as error:
        pytest.skip(str(error))


def test_ours_solves_all_by_their_measure(compared):
    assert [c.problem.name for c in compared if not c.ours.solved] == []


def test_the_solutions_are_the_same_where_there_is_one(compared):
    found = {c.problem.name: c.difference for c in compared if c.problem.definite and c.theirs}
    assert len(found) > 10 and max(found.values()) <= 1e-8


def test_the_speeds_are_the_same_too(compared):
    for c in compared:
        if c.problem.definite and c.theirs:
            best = min(c.theirs, key=lambda t: t.error)
            assert c.ours.u == pytest.approx(best.u, abs=1e-8 * np.abs(c.problem.q).max())


def test_the_summary_counts_every_problem(compared):
    rows = cone.summary(compared)
    assert sum(row["problems"] for row in rows) == len(compared)
    json.dumps(rows)


def test_problems_are_what_they_are_called():
    made = problems(1, SIZES[:5])
    assert {p.dimension for p in made} == {2, 3} and {p.contacts for p in made} >= set(SIZES[:5])
    for p in made:
        values = np.linalg.eigvalsh(p.W)
        assert p.W.shape == (len(p.q), len(p.q)) and (p.W == p.W.T).all()
        assert values[0] > -1e-9 * values[-1]
        if p.kind == "badly":
            assert values[-1] / values[0] <= 1.001e4


def test_a_stack_s_contacts_see_a_rigid_motion_of_all_boxes_only_at_the_ground():
    """Boxes that translate together do not move against each other."""
    p = stack(3, 3, np.random.default_rng(0))
    assert np.linalg.matrix_rank(p.W) == 18

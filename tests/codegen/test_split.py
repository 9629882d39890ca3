"""A block cut into pieces is the same block: every value reaches the pieces that read it."""

import random

import numpy as np
import pytest
from emitted import Lanes, joined
from hypothesis import given, settings
from hypothesis import strategies as st
from recipes import INPUTS, LEAVES, P, Q, V, function, outputs, points, reference, worst

from touchweight.codegen import c
from touchweight.codegen.program import make_program
from touchweight.codegen.split import cut
from touchweight.symbolic import Const, Expr, Symbol, both, less, negation, select, sin

seeds = st.integers(0, 2**32).map(random.Random)


@given(seeds, st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_pieces_make_every_step_once_and_find_all_they_read(draw, size):
    program = make_program(function(outputs(draw, 5)))
    block = program.body
    made = cut(block, size)
    assert [n for piece in made.pieces for n in piece.steps] == block.steps
    assert sorted(r for piece in made.pieces for r in piece.results) == list(range(len(block.results)))
    assert all(piece.steps for piece in made.pieces[1:]), "an empty piece"
    assert sorted(made.work.values()) == list(range(len(made.work)))

    angles = {n for a in block.angles for n in (a.sine, a.cosine) if n is not None}
    steps = set(block.steps)
    earlier: set[Expr] = set()
    for piece in made.pieces:
        assert set(piece.reads) <= earlier & set(made.work), "read from the work array before it is written"
        assert all(isinstance(n, Symbol) or n in angles for n in piece.leaves)
        here = {*piece.reads, *piece.leaves}

        def found(node: Expr, here: set[Expr] = here) -> bool:
            if node in here or isinstance(node, Const):
                return True
            if node in steps or isinstance(node, Symbol) or node in angles:
                return False
            return all(found(child) for child in node.children)

        for node in piece.steps:
            assert all(found(child) for child in node.children), f"{node} misses what it reads"
            here.add(node)
        for r in piece.results:
            assert found(block.results[r])
        earlier.update(piece.steps)


def test_a_block_that_is_short_enough_is_one_piece():
    block = make_program(function([sin(Q[0]) * V[0], Q[1]])).body
    made = cut(block, 10_000)
    assert len(made.pieces) == 1 and made.work == {}


@pytest.fixture
def short_pieces(monkeypatch):
    monkeypatch.setattr(c, "PIECE", 5)
    monkeypatch.setattr(c, "FILE", 9)


@pytest.mark.parametrize(("lanes", "own"), [(1, False), (4, False), (8, True)])
def test_machine_code_in_pieces_gives_the_same_numbers(short_pieces, lanes, own):
    draw = random.Random(11)
    in_between = sin(Q[0] * Q[1]) * V[0]
    held = both(less(in_between * 0.0 + Q[2], Q[3]), negation(less(P[0], P[1])))
    made = [
        *outputs(draw, 14),
        select(held, in_between, Q[0]),
        *LEAVES,
        select(held, P[0] * P[1], in_between),
    ]
    program = make_program(function(made))
    assert len(program.body.steps) > 50 and len(program.prepare.steps) > 5
    assert len(c.emit_unit(program)) > 4, "not cut"
    p, inputs = points(21)
    rows = p * np.random.default_rng(1).uniform(0.8, 1.2, (21, len(p)))
    f = Lanes(program, lanes)
    arrays = [inputs[k] for k in INPUTS]
    found = f.batch(None, rows, arrays, 21, 1) if own else f.batch(f.prepare(p), None, arrays, 21, 1)
    assert worst(joined(found), reference(made, rows if own else p, inputs)) < 1e-11


def test_one_evaluation_in_pieces(short_pieces):
    made = outputs(random.Random(12), 10)
    program = make_program(function(made))
    p, inputs = points(5)
    f = Lanes(program, 1)
    table = f.prepare(p)
    rows = [joined(f.evaluate(table, [inputs[k][i] for k in INPUTS])) for i in range(5)]
    assert worst(np.array(rows), reference(made, p, inputs)) < 1e-11

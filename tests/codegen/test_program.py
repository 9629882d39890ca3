"""A program can be run from top to bottom: nothing is read before it is there."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recipes import INPUTS, P, Q, function, outputs, points, reference, worst

from touchweight.codegen.conditions import cut_conditions
from touchweight.codegen.function import Function
from touchweight.codegen.hoist import hoist
from touchweight.codegen.program import Block, make_program, schedule
from touchweight.mechanism import Mechanism
from touchweight.simulate.equations import FUNCTIONS, Equations
from touchweight.symbolic import (
    Const,
    Expr,
    Mul,
    Symbol,
    both,
    cos,
    count_operations,
    either,
    evaluate_all,
    free_symbols,
    is_condition,
    less,
    negation,
    select,
    sin,
    topological,
)

seeds = st.integers(0, 2**32).map(random.Random)


def given_by_angles(block: Block) -> set[Expr]:
    return {n for a in block.angles for n in (a.sine, a.cosine) if n is not None}


def assert_runs(block: Block, known: set[Expr]) -> None:
    """Every step and result only reads inputs, earlier steps, and what it spells out itself."""
    for pair in block.angles:
        assert set(free_symbols([pair.angle])) <= known
    done = known | given_by_angles(block)
    steps = set(block.steps)

    def spelled(node: Expr) -> None:
        if node in done or isinstance(node, Const):
            return
        assert not isinstance(node, Symbol), f"{node} is not an input"
        assert node not in steps, f"{node} is read before it is made"
        for child in node.children:
            spelled(child)

    for step in block.steps:
        assert step not in done, "made twice"
        for child in step.children:
            spelled(child)
        done.add(step)
    for node in block.results:
        spelled(node)


def names_of(expr: Expr) -> set[Expr]:
    return set(free_symbols([expr]))


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_programs_run_from_top_to_bottom(draw):
    program = make_program(function(outputs(draw, 6)))
    assert_runs(program.prepare, set(P))
    assert_runs(program.body, {s for symbols in INPUTS.values() for s in symbols} | set(program.slots))


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_prepare_and_body_together_give_the_value(draw):
    made = outputs(draw, 6)
    program = make_program(function(made))
    p, inputs = points(1, draw.randrange(1000))
    values = dict(zip(P, p, strict=True)) | {s: inputs[k][0, i] for k, g in INPUTS.items() for i, s in enumerate(g)}
    slots = dict(zip(program.slots, evaluate_all(program.prepare.results, values), strict=True))
    found = evaluate_all(program.body.results, {**values, **slots})
    assert worst(reference(made, p, inputs), [found]) < 1e-10


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_the_body_costs_no_more_than_what_moves_did(draw):
    made = outputs(draw, 6)
    assert make_program(function(made)).operations.total <= count_operations(hoist(made, P).roots).total


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_nothing_in_the_body_depends_on_slots_alone(draw):
    program = make_program(function(outputs(draw, 6)))
    slots = set(program.slots)
    for node in topological(program.body.results):
        if not isinstance(node, Const | Symbol) and not is_condition(node):
            assert not names_of(node) <= slots, f"{node} belongs into prepare"


def test_condensed_slots_are_prepared():
    """a q + b q = (a + b) q: the sum of two parameters is known before anything moves."""
    a, b, *_ = P
    program = make_program(Function("f", {"q": Q}, {"y": [q * a + q * b for q in Q]}, P))
    assert program.operations.total == len(Q)
    assert len(program.slots) == 1


def first_reads(block: Block, slots: set[Symbol]) -> list[Symbol]:
    """Slots in the order in which the statements spell them, from left to right and from outside in."""
    seen: dict[Symbol, None] = {}
    steps = set(block.steps)

    def read(node: Expr, outermost: bool = False) -> None:
        if isinstance(node, Symbol) and node in slots:
            seen.setdefault(node)
        if outermost or node not in steps:
            for child in node.children:
                read(child)

    for pair in block.angles:
        read(pair.angle, outermost=True)  # spelled out: it comes before any step has a name
    for step in block.steps:
        read(step, outermost=True)
    for node in block.results:
        read(node, outermost=node not in steps)
    return list(seen)


@given(seeds)
@settings(max_examples=50, deadline=None)
def test_slots_lie_in_the_order_in_which_they_are_read(draw):
    program = make_program(function(outputs(draw, 6)))
    assert program.slots == first_reads(program.body, set(program.slots))


def test_sine_and_cosine_of_an_input_are_taken_together_and_first():
    block = schedule([sin(Q[0]) * cos(Q[0]), cos(Q[1] + 0.5 * Q[1]), sin(Q[2] * Q[3])])
    assert {a.angle for a in block.angles} == {Q[0], 1.5 * Q[1]}
    both_taken = next(a for a in block.angles if a.angle is Q[0])
    assert both_taken.sine is sin(Q[0]) and both_taken.cosine is cos(Q[0])
    assert sin(Q[2] * Q[3]) in block.steps  # its angle has to be worked out first


def test_a_multiple_of_a_product_reads_the_product():
    product = Q[0] * Q[1] * Q[2]
    block = schedule([sin(product), 3.0 * product])
    assert product in block.steps
    scaled = block.results[1]
    assert isinstance(scaled, Mul) and scaled.unit is product


def parity(count: int) -> Expr:
    """Whether an odd number of inputs is positive: conditions nested as deep as there are inputs."""
    odd = less(0.0, Q[0])
    for i in range(1, count):
        here = less(0.0, Q[i % len(Q)] + float(i // len(Q)))
        odd = either(both(odd, negation(here)), both(negation(odd), here))
    return odd


def test_conditions_nested_deeply_keep_their_value_and_are_cut():
    (cut,) = cut_conditions([select(parity(40), 1.0, -1.0)])

    def depth(node: Expr) -> int:
        return 1 + max((depth(c) for c in node.children if is_condition(c)), default=0)

    assert max(depth(n) for n in topological([cut]) if is_condition(n)) <= 6
    for seed in range(30):
        draw = random.Random(seed)
        at = {q: draw.uniform(-9.0, 9.0) for q in Q}
        positive = sum(at[Q[i % len(Q)]] + float(i // len(Q)) > 0 for i in range(40))
        assert evaluate_all([cut], at) == [1.0 if positive % 2 else -1.0]


def test_shallow_conditions_are_left_alone():
    roots = [select(less(Q[0], Q[1]), Q[2], sin(Q[3]))]
    assert cut_conditions(roots)[0] is roots[0]


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    """Something of everything: slider, hinges, ball, input, state, spring, a force that goes by the clock."""
    m = Mechanism("crane")
    trolley = m.body("trolley", mass=3.0, inertia=(0.1, 0.1, 0.1))
    hook = m.body("hook", mass=1.0, com=(0.1, 0.0, -0.5), inertia=(0.02, 0.03, 0.04, 0.001, 0.0, 0.0))
    load = m.body("load", mass=2.0, com=(0.0, 0.1, -0.2), inertia=(0.05, 0.04, 0.03))
    m.prismatic("rail", m.ground, trolley, axis="x", damping=2.0)
    m.universal("cable", trolley, hook, axis="x", axis2="y", friction=0.1)
    m.spherical("swivel", hook, load, origin=(0, 0, -1.0))
    m.actuator("winch", "rail", lag=0.05, limit=40.0, gear=2.0)
    m.spring("tie", load, m.ground, stiffness=30.0, length=0.5, damping=1.0)
    m.joint_law("gust", "cable.1", sin(3.0 * m.time) * m.parameter("gust.size", 2.0))
    m.sensor("tip", "position", load)
    return m


@pytest.mark.parametrize("name", [*FUNCTIONS, "jacobian:load"])
def test_the_functions_of_a_mechanism_run_from_top_to_bottom(crane, name):
    program = Equations(crane).derive(name)
    inputs = {s for symbols in program.function.inputs.values() for s in symbols}
    assert_runs(program.prepare, set(program.function.parameters))
    assert_runs(program.body, inputs | set(program.slots))

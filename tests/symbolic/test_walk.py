"""Walking: children before parents, each node once, and no graph too deep for any function."""

import copy
import itertools

import numpy as np
import pytest
from formulas import SYMBOLS, expression, formulas
from hypothesis import given, settings

from touchweight.symbolic import (
    Expr,
    as_expr,
    cos,
    count_operations,
    differentiate,
    evaluate,
    free_symbols,
    fresh_table,
    gradient,
    jacobian,
    latex,
    select,
    share,
    sin,
    substitute,
    symbol,
    symbols,
    text,
    topological,
)

a, b, x, y = symbols("a b x y")


@given(formulas(), formulas())
@settings(max_examples=150, deadline=None)
def test_children_come_first_and_each_node_once(f, g) -> None:
    try:
        roots = [expression(f), expression(g)]
    except (ValueError, ZeroDivisionError):
        return
    order = topological(roots)
    place = {n: i for i, n in enumerate(order)}
    assert len(place) == len(order)
    assert set(roots) <= set(order)
    for n in order:
        assert all(place[child] < place[n] for child in n.children)
    reached = {child for n in order for child in n.children} | set(roots)
    assert reached == set(order)
    assert set(free_symbols(roots)) == set(SYMBOLS) & set(order)


def test_free_symbols_are_sorted_by_priority_then_name() -> None:
    m, q10, q2 = symbol("zz", "mass"), symbol("q10", "coordinate"), symbol("q2", "coordinate")
    assert free_symbols([sin(q10) * m + cos(q2), share(b + a) * q2]) == [m, a, b, q2, q10]
    assert free_symbols([as_expr(1)]) == []
    assert topological([]) == []


def test_walking_takes_an_iterator_and_repeated_roots() -> None:
    assert topological(iter([x + y, x, x + y])) == topological([x + y])


# -- depth ------------------------------------------------------------------------------------------------
STEPS = {
    "sums": lambda e, p: share(e * p + y),
    "products": lambda e, p: share(e * p),
    "functions": lambda e, p: cos(e),
    "selects": lambda e, p: select(e < p, share(e + p), p),
    "roots": lambda e, p: (e + p) ** 0.5,
    "powers": lambda e, p: p**e,
}


@pytest.mark.parametrize(("kind", "depth"), [("sums", 100_000), *[(k, 20_000) for k in STEPS if k != "sums"]])
def test_no_graph_is_too_deep(kind: str, depth: int) -> None:
    with fresh_table():
        e: Expr = x
        for p in itertools.islice(itertools.cycle((a, b, y)), depth):
            e = STEPS[kind](e, p)
        at = {"x": 0.3, "a": 0.9, "b": 0.8, "y": 0.7}
        assert len(topological([e])) > depth
        assert count_operations([e]).total >= depth
        assert x in free_symbols([e])
        value = evaluate(e, at)
        assert np.isfinite(value)
        assert evaluate(substitute(e, {x: a}), {**at, "a": 0.9}) == evaluate(e, {**at, "x": 0.9})
        assert len(text(e)) == 20_000 and len(text(e, limit=50)) == 50 and len(repr(e)) == 400
        assert len(text(e, limit=10**6, compact=True)) > depth
        assert latex(e).count("{") == latex(e).count("}")
        assert e._repr_latex_().startswith(r"$\displaystyle ")
        ((forward,), (one,)) = jacobian([e, x], [x])
        (backward,) = gradient(e, [x])
        assert evaluate(forward, at) == pytest.approx(evaluate(backward, at), abs=1e-12)
        assert one is differentiate(x, x)
        assert copy.deepcopy(e) is e
        assert e + e is 2 * e and e - e is as_expr(0) and abs(-e) is abs(e) and (e < e) is as_expr(0)
    del e, forward, backward  # letting go of it is a walk too

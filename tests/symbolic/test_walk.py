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
    directional_all,
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


# -- depth --------------------------------------------------------------------------------------------------------
DEEP = 100_000


def chain(kind: str) -> Expr:
    e: Expr = x
    if kind == "sums":
        for p in itertools.islice(itertools.cycle((a, b, y)), DEEP):
            e = share(e * p + y)
    elif kind == "products":
        for p in itertools.islice(itertools.cycle((a, b, y)), DEEP):
            e = share(e * p)
    elif kind == "functions":
        for _ in range(DEEP):
            e = cos(e)
    elif kind == "selects":
        for p in itertools.islice(itertools.cycle((a, b, y)), DEEP // 4):
            e = select(e < p, share(e + p), p)
    else:
        for _ in range(DEEP):
            e = (e + 1) ** 0.5
    return e


@pytest.mark.parametrize("kind", ["sums", "products", "functions", "selects", "roots"])
def test_no_graph_is_too_deep(kind: str) -> None:
    with fresh_table():
        e = chain(kind)
        at = {"x": 0.3, "a": 0.9, "b": 0.8, "y": 0.7}
        assert len(topological([e])) > DEEP // 2
        assert count_operations([e]).total > DEEP // 5
        assert set(free_symbols([e])) <= {a, b, x, y}
        assert np.isfinite(evaluate(e, at))
        assert evaluate(substitute(e, {x: 0.3 + a - a}), at) == pytest.approx(evaluate(e, at))
        assert evaluate(substitute(e, {x: y}), {**at, "y": 0.3}) == evaluate(e, {**at, "y": 0.3})
        assert len(text(e)) == 20_000 and len(text(e, limit=50)) == 50 and len(repr(e)) == 400
        assert text(e, limit=10**6, compact=True)
        assert latex(e).count("{") == latex(e).count("}") > 0 or kind in ("products", "functions", "sums")
        assert e._repr_latex_().startswith("$")
        forward = differentiate(e, x)
        (backward,) = gradient(e, [x])
        assert evaluate(forward, at) == pytest.approx(evaluate(backward, at), abs=1e-12)
        assert directional_all([e], {x: y})[0] is not e
        assert len(jacobian([e, x], [x])) == 2
        assert copy.deepcopy(e) is e
        assert e + e is 2 * e and e - e is as_expr(0) and abs(e) is not None and (e < y) is not None
    del e, forward, backward  # letting go of it is a walk too

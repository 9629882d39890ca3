"""Walking the graph without recursion: children are always older than their parents."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from .expr import Add, Expr, Func, Mul, Shared, Symbol

_serial = attrgetter("serial")
_key = attrgetter("key")


def topological(roots: Iterable[Expr]) -> list[Expr]:
    """Every node that ``roots`` reach, each once, children first."""
    seen = set(roots)
    stack = list(seen)
    push = stack.append
    while stack:
        node = stack.pop()
        if type(node) is Add:
            for child, _ in node.terms:
                if child not in seen:
                    seen.add(child)
                    push(child)
        elif type(node) is Mul:
            for child, _ in node.factors:
                if child not in seen:
                    seen.add(child)
                    push(child)
        elif type(node) is Shared:
            child = node.inner
            if child not in seen:
                seen.add(child)
                push(child)
        elif type(node) is Func:
            for child in node.args:
                if child not in seen:
                    seen.add(child)
                    push(child)
    return sorted(seen, key=_serial)


def free_symbols(roots: Iterable[Expr]) -> list[Symbol]:
    """The symbols that ``roots`` depend on, sorted by their key."""
    return sorted((n for n in topological(roots) if type(n) is Symbol), key=_key)

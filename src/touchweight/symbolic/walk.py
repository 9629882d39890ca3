"""Walking the graph without recursion: children are always older than their parents."""

from __future__ import annotations

from collections.abc import Iterable

from .expr import Expr, Symbol


def topological(roots: Iterable[Expr]) -> list[Expr]:
    """Every node that ``roots`` reach, each once, children first."""
    seen: set[Expr] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        stack.extend(c for c in node.children if c not in seen)
    return sorted(seen, key=_serial)


def _serial(node: Expr) -> int:
    return node.serial


def free_symbols(roots: Iterable[Expr]) -> list[Symbol]:
    """The symbols that ``roots`` depend on, sorted by their key."""
    found = [n for n in topological(roots) if isinstance(n, Symbol)]
    return sorted(found, key=lambda s: s.key)

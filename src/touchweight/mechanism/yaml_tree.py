"""YAML as a tree with line numbers: plain data only, no tags, no duplicate keys, aliases within limits."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import yaml

from ..errors import FileError, TouchweightError, printable
from .number_text import is_number, parse_number

#: deepest nesting read
DEPTH_LIMIT = 50
#: how many nodes all aliases together may stand for
ALIAS_LIMIT = 100_000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(eq=False)
class Node:
    """A scalar, list or mapping of a YAML file.

    Attributes:
        path: the file.
        line: where it starts.
        where: the keys that lead to it, as errors name it.
        size: how many nodes it holds, aliases written out.
    """

    path: str
    line: int
    where: str
    size: int = field(default=1, init=False)

    @property
    def noun(self) -> str:
        """What errors call it."""
        return "nothing"

    def error(self, message: str) -> FileError:
        """An error at this node."""
        return FileError(self.path, f"{self.where}: {message}" if self.where else message, self.line)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Errors about the mechanism raised inside are given this node's file and line."""
        try:
            yield
        except FileError:
            raise
        except TouchweightError as error:
            raise self.error(str(error)) from None

    def mapping(self) -> MapNode:
        """This node, which must be a mapping (nothing at all is an empty one)."""
        if isinstance(self, MapNode):
            return self
        if isinstance(self, TextNode) and self.is_null:
            return MapNode(self.path, self.line, self.where)
        raise self.error(f"expected a mapping (key: value), found {self.noun}")

    def items(self, count: int | None = None) -> list[Node]:
        """The entries of this node, which must be a list (of ``count`` entries)."""
        if not isinstance(self, ListNode):
            wanted = "a list" if count is None else f"a list of {count}"
            raise self.error(f"expected {wanted}, found {self.noun}")
        if count is not None and len(self.entries) != count:
            raise self.error(f"expected {count} entries, found {len(self.entries)}")
        return self.entries

    def text(self) -> str:
        """This node as text."""
        if isinstance(self, TextNode) and not self.is_null:
            return self.value
        raise self.error(f"expected text, found {self.noun}")

    def number(self) -> float:
        """This node as a finite number."""
        if not isinstance(self, TextNode):
            raise self.error(f"expected a number, found {self.noun}")
        if self.is_null:
            raise self.error("expected a number, found nothing")
        with self.place():
            return parse_number(self.value)

    def flag(self) -> bool:
        """This node as true or false."""
        if isinstance(self, TextNode) and self.value in ("true", "false"):
            return self.value == "true"
        raise self.error(f"expected true or false, found {self.noun}")


@dataclass(eq=False)
class TextNode(Node):
    """A scalar: text, with quotes or without."""

    value: str = ""
    plain: bool = True

    @property
    def is_null(self) -> bool:
        """Nothing was written."""
        return self.plain and self.value in _NULLS

    @property
    def is_number(self) -> bool:
        """Written as a number, without quotes."""
        return self.plain and is_number(self.value)

    @property
    def noun(self) -> str:
        """What errors call it."""
        return "nothing" if self.is_null else repr(printable(self.value, 60))


@dataclass(eq=False)
class ListNode(Node):
    """A list."""

    entries: list[Node] = field(default_factory=list)

    @property
    def noun(self) -> str:
        """What errors call it."""
        return "a list"


@dataclass(eq=False)
class MapNode(Node):
    """A mapping, in the order of the file."""

    entries: dict[str, Node] = field(default_factory=dict)
    key_lines: dict[str, int] = field(default_factory=dict)

    @property
    def noun(self) -> str:
        """What errors call it."""
        return "a mapping"

    def get(self, key: str) -> Node | None:
        """The node at a key; a key with nothing behind it counts as absent."""
        found = self.entries.get(key)
        return None if isinstance(found, TextNode) and found.is_null else found

    def need(self, key: str) -> Node:
        """The node at a key that must be there."""
        found = self.get(key)
        if found is None:
            raise self.error(f"expected the key {key!r}, found none; add it")
        return found

    def allow(self, keys: Collection[str]) -> None:
        """Refuse keys that are not among ``keys``."""
        for key, node in self.entries.items():
            if key in keys:
                continue
            close = difflib.get_close_matches(key[:100], keys, 1)
            if close:
                hint = f"did you mean {close[0]}?"
            elif isinstance(node, TextNode) and node.is_null:
                hint = "put text that holds a comma in quotes"
            else:
                hint = f"the keys here are {', '.join(keys)}"
            at = f"{self.where}: " if self.where else ""
            message = f"{at}expected a known key, found {printable(key, 60)!r}; {hint}"
            raise FileError(self.path, message, self.key_lines[key])


def parse_yaml(source: str, path: str) -> Node:
    """The tree of one YAML document; ``path`` is what errors name."""
    try:
        return _Composer(path).compose(yaml.parse(source, Loader=_LOADER))
    except FileError:
        raise
    except yaml.MarkedYAMLError as error:
        # a quote that never ends is best looked for where it began
        at_end = "end of stream" in str(error.problem)
        mark = (error.context_mark if at_end else None) or error.problem_mark or error.context_mark
        reason = " ".join(str(part) for part in (error.context, error.problem) if part)
        line = mark.line + 1 if mark else None
        raise FileError(
            path, f"expected well-formed YAML, found: {reason}; check indentation and quotes", line
        ) from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", None)
        line = source.count("\n", 0, position) + 1 if isinstance(position, int) and position > 0 else None
        reason = getattr(error, "reason", None) or str(error).splitlines()[0]
        raise FileError(path, f"expected well-formed YAML, found: {reason}; remove what is not text", line) from None
    except (ValueError, OverflowError) as error:  # the pure Python scanner on an escape such as \UFFFFFFFF
        raise FileError(path, f"expected well-formed YAML, found: {error}; check escapes") from None


class _Composer:
    """Builds the tree from YAML's events: recursion over nesting, which is limited."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.anchors: dict[str, Node] = {}
        self.expanded = 0

    def compose(self, events: Iterator[Any]) -> Node:
        self.events = events
        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise self.error("expected one document, found a second after ---; split the file", event)
                root = self.node(next(events), "", 0)
        if root is None:
            raise FileError(self.path, "expected a description of a mechanism, found an empty file")
        return root

    def error(self, message: str, event: Any) -> FileError:
        return FileError(self.path, message, event.start_mark.line + 1)

    def node(self, event: Any, where: str, depth: int) -> Node:
        line = event.start_mark.line + 1
        if depth > DEPTH_LIMIT:
            raise self.error(f"expected at most {DEPTH_LIMIT} levels of nesting, found more", event)
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        if event.tag is not None:
            raise self.error(f"expected plain data, found the tag {printable(event.tag, 60)}; remove it", event)
        made: Node
        if isinstance(event, yaml.ScalarEvent):
            made = TextNode(self.path, line, where, event.value, not event.style)
        elif isinstance(event, yaml.SequenceStartEvent):
            made = self.sequence(ListNode(self.path, line, where), depth)
        else:
            made = self.pairs(MapNode(self.path, line, where), depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = made
        return made

    def alias(self, event: Any) -> Node:
        found = self.anchors.get(event.anchor)
        if found is None:
            raise self.error(f"expected an anchor &{printable(event.anchor, 60)} before, found none", event)
        self.expanded += found.size
        if self.expanded > ALIAS_LIMIT:
            raise self.error(f"expected aliases for at most {ALIAS_LIMIT} nodes, found more; write it out", event)
        return found

    def sequence(self, made: ListNode, depth: int) -> ListNode:
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            entry = self.node(event, f"{made.where}[{len(made.entries)}]", depth + 1)
            made.entries.append(entry)
            made.size += entry.size
        return made

    def pairs(self, made: MapNode, depth: int) -> MapNode:
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self.node(event, made.where, depth + 1)
            if not isinstance(key, TextNode):
                raise self.error("expected text as a key, found a list or a mapping", event)
            if key.value in made.entries:
                raise self.error(f"expected each key once, found {printable(key.value, 60)!r} again; rename one", event)
            shown = printable(key.value, 60)
            value = self.node(next(self.events), f"{made.where}.{shown}" if made.where else shown, depth + 1)
            made.entries[key.value] = value
            made.key_lines[key.value] = key.line
            made.size += value.size
        return made

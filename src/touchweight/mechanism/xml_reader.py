"""XML for descriptions: elements with attributes and line numbers; no entities, no document type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ..errors import FileError, MechanismError, TouchweightError, printable
from .number_text import parse_number, parse_numbers
from .source import SIZE_LIMIT, read_bytes

#: deepest nesting read: a chain of bodies in MJCF nests as deep as it is long
DEPTH_LIMIT = 1000


@dataclass(eq=False)
class Element:
    """An element of an XML file, with the place it came from.

    Attributes:
        tag: its name as written (prefix included).
        attributes: in the order of the file.
        children: in the order of the file.
        path: the file.
        line: where it starts.
    """

    tag: str
    attributes: dict[str, str]
    path: str
    line: int
    children: list[Element] = field(default_factory=list)

    def all(self, *tags: str) -> list[Element]:
        """The children with one of these tags."""
        return [c for c in self.children if c.tag in tags]

    def only(self, tag: str) -> Element | None:
        """The one child with this tag, or none; two are an error."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"expected at most one <{tag}> in {self.shown}, found {len(found)}; remove one")
        return found[0] if found else None

    @property
    def shown(self) -> str:
        """The element as an error names it: its tag, and its name where it has one."""
        name = self.attributes.get("name")
        tag = printable(self.tag, 60)
        return f"<{tag}>" if name is None else f'<{tag} name="{printable(name, 80)}">'

    def error(self, message: str) -> FileError:
        """An error at this element."""
        return FileError(self.path, message, self.line)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Errors about the mechanism raised inside are given this element's file and line."""
        try:
            yield
        except FileError:
            raise
        except TouchweightError as error:
            raise self.error(f"{self.shown}: {error}") from None

    # -- attributes -------------------------------------------------------------------------------------
    def need(self, attribute: str) -> str:
        """An attribute that must be there and not be empty."""
        value = self.attributes.get(attribute)
        if value is None or not value.strip():
            raise self.error(f"expected the attribute {attribute!r} on {self.shown}, found none; add it")
        return value

    def number(self, attribute: str, default: float | None = None) -> float:
        """An attribute as a number; without a default it must be there."""
        if default is not None and attribute not in self.attributes:
            return default
        try:
            return parse_number(self.need(attribute))
        except MechanismError as error:
            raise self.error(f"{attribute} of {self.shown}: {error}") from None

    def numbers(self, attribute: str, count: int | tuple[int, int], default: list[float] | None = None) -> list[float]:
        """An attribute as numbers between spaces; without a default it must be there."""
        if default is not None and attribute not in self.attributes:
            return list(default)
        try:
            return parse_numbers(self.need(attribute), count)
        except MechanismError as error:
            raise self.error(f"{attribute} of {self.shown}: {error}") from None


def read_xml(path: str | Path, limit: int = SIZE_LIMIT) -> Element:
    """The root element of an XML file of at most ``limit`` bytes."""
    return parse_xml(read_bytes(path, limit), str(path))


def parse_xml(data: bytes, path: str) -> Element:
    """The root element of an XML text; ``path`` is what errors name."""
    builder = _Builder(path)
    parser = builder.parser
    try:
        parser.Parse(data, True)
    except FileError:
        raise
    except expat.ExpatError as error:
        raise FileError(path, _explain(error, data), error.lineno) from None
    except (LookupError, ValueError) as error:
        raise FileError(path, f"expected XML in UTF-8, found text that cannot be decoded: {error}", 1) from None
    if builder.root is None:  # expat itself reports a file without elements
        raise FileError(path, "expected an XML element, found none")
    return builder.root


def _explain(error: expat.ExpatError, data: bytes) -> str:
    reason = expat.errors.messages.get(error.code, str(error))
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"expected XML text, found NUL bytes: {reason}; this is a binary file"
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return f"expected XML, found something else: {reason}"
    return f"expected well-formed XML, found: {reason} (column {error.offset + 1}); repair or export it again"


class _Builder:
    """The handlers of one parse."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.EntityDeclHandler = self.doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self.open) >= DEPTH_LIMIT:
            raise FileError(
                self.path,
                f"expected at most {DEPTH_LIMIT} nested elements, found more; flatten the file",
                line,
            )
        made = Element(tag, attributes, self.path, line)
        if self.open:
            self.open[-1].children.append(made)
        else:
            self.root = made
        self.open.append(made)

    def end(self, tag: str) -> None:
        self.open.pop()

    def doctype(self, *_: object) -> None:
        raise FileError(
            self.path,
            "expected no document type, found one: XML entities are not allowed; remove the DOCTYPE",
            self.parser.CurrentLineNumber,
        )


class Remarks:
    """What a reader leaves aside, counted by kind, to be told in one line each."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lines: list[str] = []

    def ignore(self, tag: str, why: str, count: int = 1) -> None:
        """Count an element or attribute that is not used."""
        self._counts[printable(tag, 60), why] += count

    def say(self, line: str) -> None:
        """A remark of its own."""
        self._lines.append(printable(line, 400))

    def lines(self) -> list[str]:
        """One line per kind, then the others."""
        counted = [f"ignored {n} {tag}: {why}" for (tag, why), n in self._counts.items()]
        return counted + self._lines

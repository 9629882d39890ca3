"""An MJCF file as one tree: included files in place, compiler settings read, default classes resolved."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ...errors import FileError
from ..source import SIZE_LIMIT
from ..values import shown
from ..xml_reader import Element, read_xml

#: most files that one model may be made of
FILE_LIMIT = 100

_ORIENTATION = frozenset({"quat", "axisangle", "xyaxes", "zaxis", "euler"})
_TRUTH = {"true": True, "false": False}

#: whether a range is a limit; None leaves it to the compiler
LIMITED: dict[str, bool | None] = {"true": True, "false": False, "auto": None}

Word = TypeVar("Word")


def choice(element: Element, attribute: str, options: Mapping[str, Word]) -> Word:
    """What an attribute means that is one of a few words."""
    given = element.need(attribute)
    if given not in options:
        raise element.error(f"expected {attribute} to be one of {', '.join(options)}, found {shown(given)}")
    return options[given]


def with_included_files(root: Element, path: str | Path) -> Element:
    """The root of an MJCF file, with the content of the files it includes in place."""
    if root.tag != "mujoco":
        raise root.error(f"expected the element <mujoco> of MJCF, found {root.shown}")
    folder = Path(path).resolve().parent
    seen = {Path(path).resolve()}
    stack = [root]
    budget = SIZE_LIMIT
    while stack:
        element = stack.pop()
        while any(c.tag == "include" for c in element.children):
            children: list[Element] = []
            for child in element.children:
                if child.tag != "include":
                    children.append(child)
                    continue
                found = _included(child, folder, seen)
                if len(seen) > FILE_LIMIT:
                    raise child.error(f"expected at most {FILE_LIMIT} files, found more; merge some")
                with suppress(OSError):  # reading it says what is wrong
                    budget -= found.stat().st_size
                if budget < 0:
                    raise child.error(f"expected at most {SIZE_LIMIT} bytes in all files, found more")
                children.extend(_read_included(child, found))
            element.children = children
        stack.extend(element.children)
    return root


def _included(include: Element, folder: Path, seen: set[Path]) -> Path:
    """The path of an included file: relative, and inside the folder of the model."""
    name = include.need("file")
    try:
        if Path(name).is_absolute() or ":" in name or "\\" in name:
            raise include.error(f"expected a relative path with / to include, found {shown(name)}")
        found = (folder / name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, FileError):
            raise
        raise include.error(f"expected a path to include, found {shown(name)}: {error}") from None
    if not found.is_relative_to(folder):
        raise include.error(
            f"expected a file inside the folder of the model to include, found {shown(name)}; move it there"
        )
    if found in seen:
        raise include.error(
            f"expected each file to be included once, found {shown(name)} again: a cycle or a repetition"
        )
    seen.add(found)
    return found


def _read_included(include: Element, path: Path) -> list[Element]:
    try:
        return read_xml(path).children
    except FileError as error:
        if error.line is not None:
            raise
        raise include.error(f"in an included file: {error}") from None


@dataclass
class Compiler:
    """The settings of <compiler> that change what a model means."""

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertia_from_geom: str = "auto"
    group_range: tuple[int, int] = (0, 5)
    bound_mass: float = 0.0
    bound_inertia: float = 0.0
    balance_inertia: bool = False
    total_mass: float = -1.0

    @classmethod
    def read(cls, root: Element) -> Compiler:
        """The settings of all <compiler> elements; the last word counts."""
        made = cls()
        for element in root.all("compiler"):
            made.take(element)
        return made

    def take(self, element: Element) -> None:
        """Take over what one element says."""
        given = element.attributes
        if "coordinate" in given and given["coordinate"] != "local":
            raise element.error(f"expected local coordinates, found {shown(given['coordinate'])}; convert the file")
        if "angle" in given:
            self.degrees = choice(element, "angle", {"degree": True, "radian": False})
        if "eulerseq" in given:
            self.eulerseq = given["eulerseq"]
            if len(self.eulerseq) != 3 or not set(self.eulerseq) <= set("xyzXYZ"):
                raise element.error(f"expected three of x, y, z, X, Y, Z as eulerseq, found {shown(self.eulerseq)}")
        if "autolimits" in given:
            self.autolimits = choice(element, "autolimits", _TRUTH)
        if "inertiafromgeom" in given:
            self.inertia_from_geom = choice(element, "inertiafromgeom", {k: k for k in ("false", "true", "auto")})
        if "inertiagrouprange" in given:
            low, high = element.numbers("inertiagrouprange", 2)
            self.group_range = (int(low), int(high))
        if "balanceinertia" in given:
            self.balance_inertia = choice(element, "balanceinertia", _TRUTH)
        self.bound_mass = element.number("boundmass", self.bound_mass)
        self.bound_inertia = element.number("boundinertia", self.bound_inertia)
        self.total_mass = element.number("settotalmass", self.total_mass)


@dataclass
class Defaults:
    """Default classes: what each says about each kind of element."""

    parents: dict[str, str | None] = field(default_factory=dict)
    settings: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    top: str = "main"

    @classmethod
    def read(cls, root: Element) -> Defaults:
        """The classes of all <default> sections."""
        made = cls({"main": None}, {"main": {}})
        for section in root.all("default"):
            made.top = section.attributes.get("class", made.top)
            made.take(section)
        return made

    def take(self, section: Element) -> None:
        """Take over one section and the classes nested in it."""
        stack: list[tuple[Element, str, str | None]] = [(section, "main", None)]
        while stack:
            element, name, parent = stack.pop()
            self.parents.setdefault(name, parent)
            own = self.settings.setdefault(name, {})
            for child in element.children:
                if child.tag == "default":
                    nested = child.need("class")
                    if nested in self.parents:
                        raise child.error(f"expected each class of defaults once, found {shown(nested)} again")
                    self.parents[nested] = name
                    stack.append((child, nested, name))
                else:
                    own.setdefault(child.tag, {}).update(child.attributes)

    def resolve(self, element: Element, childclass: str) -> Element:
        """``element`` with what its class says about attributes that it does not give itself."""
        name: str | None = element.attributes.get("class", childclass)
        if name == self.top:
            name = "main"
        if name not in self.parents:
            raise element.error(f"expected a class of defaults, found {shown(name)}; define it in <default>")
        chain = []
        while name is not None:
            chain.append(self.settings[name].get(element.tag, {}))
            name = self.parents[name]
        merged: dict[str, str] = {}
        for layer in [*reversed(chain), element.attributes]:
            if _ORIENTATION & layer.keys():
                merged = {k: v for k, v in merged.items() if k not in _ORIENTATION}
            merged.update(layer)
        return Element(element.tag, merged, element.path, element.line, element.children)

"""The YAML form of a mechanism: read and written without loss. The page on file formats describes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ..errors import FileError
from .mechanism import Mechanism
from .source import decode, read_bytes
from .yaml_reader import VERSION, build
from .yaml_tree import parse_yaml
from .yaml_writer import document

#: largest file read [bytes]
SIZE_LIMIT = 16 * 1024 * 1024


def load_yaml(path: str | Path) -> Mechanism:
    """Read a mechanism from a YAML file."""
    return loads(decode(read_bytes(path, SIZE_LIMIT), path), str(path))


def loads(source: str, path: str = "YAML") -> Mechanism:
    """Read a mechanism from YAML text; ``path`` is what errors name."""
    if len(source) > SIZE_LIMIT:
        raise FileError(path, f"expected at most {SIZE_LIMIT} characters of YAML, found {len(source)}; split it")
    return build(parse_yaml(source, path))


def dumps(mechanism: Mechanism) -> str:
    """The mechanism as YAML text, which :func:`loads` reads back as the same mechanism."""
    data, placed = document(mechanism, VERSION)
    source = _text(data)
    # a number that comes back with other bounds, or not at all, is spelled out
    back = loads(source).parameters
    spelled = frozenset(n for n in placed if n not in back or back[n] != mechanism.parameters[n])
    return _text(document(mechanism, VERSION, spelled)[0]) if spelled else source


def save(mechanism: Mechanism, path: str | Path) -> None:
    """Write the mechanism to a YAML file, which :func:`load_yaml` reads back as the same mechanism."""
    source = dumps(mechanism)
    try:
        Path(path).write_text(source, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(path, f"expected a place to write to, found: {reason}; choose another path") from None


def _text(data: dict[str, Any]) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True)


class _Dumper(yaml.SafeDumper):
    """Plain YAML without anchors."""

    def ignore_aliases(self, data: object) -> bool:
        """Write everything out."""
        return True

    def text(self, data: str) -> yaml.ScalarNode:
        """Text that a terminal would not show goes in double quotes, with escapes."""
        return self.represent_scalar("tag:yaml.org,2002:str", data, None if data.isprintable() else '"')


_Dumper.add_representer(str, _Dumper.text)

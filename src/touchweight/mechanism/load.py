"""Reading a mechanism from a file of any format we know."""

from __future__ import annotations

from pathlib import Path

from ..errors import FileError
from .mechanism import Mechanism
from .mjcf import build_mjcf
from .source import SIZE_LIMIT, decode, read_bytes
from .urdf import build_urdf
from .values import shown
from .xml_reader import parse_xml
from .yaml_format import loads

_MARKUP = (b"<", b"\xef\xbb\xbf<", b"\xff\xfe", b"\xfe\xff")


def load(path: str | Path, *, free_flying: bool | None = None, passive: bool | None = None) -> Mechanism:
    """Read a mechanism from a URDF, MJCF or YAML file; what is inside decides.

    Args:
        path: the file.
        free_flying: URDF only: the root link flies instead of standing on the ground (by default it stands).
        passive: URDF and MJCF: springs, damping and friction in the file act on joints (by default they do).
    """
    given = {k: v for k, v in (("free_flying", free_flying), ("passive", passive)) if v is not None}
    data = read_bytes(path, SIZE_LIMIT)
    suffix = Path(path).suffix.lower()
    if suffix in (".yaml", ".yml") or (suffix not in (".urdf", ".xml", ".mjcf") and not _is_markup(data)):
        _refuse(path, "YAML", given, ())
        return _yaml(data, path)
    root = parse_xml(data, str(path))
    if root.tag == "robot":
        return build_urdf(root, **given)
    if root.tag == "mujoco":
        _refuse(path, "MJCF", given, ("passive",))
        return build_mjcf(root, path, **given)
    raise root.error(f"expected <robot> (URDF) or <mujoco> (MJCF), found {root.shown}")


def _is_markup(data: bytes) -> bool:
    return data[:200].lstrip().startswith(_MARKUP)


def _yaml(data: bytes, path: str | Path) -> Mechanism:
    source = decode(data, path)
    if Path(path).suffix.lower() not in (".yaml", ".yml") and "touchweight:" not in source:
        raise FileError(path, "expected a mechanism as URDF, MJCF or YAML, found something else")
    return loads(source, str(path))


def _refuse(path: str | Path, form: str, given: dict[str, bool], allowed: tuple[str, ...]) -> None:
    for option in given:
        if option not in allowed:
            raise FileError(path, f"expected no option {shown(option)} for {form}, found one; leave it out")

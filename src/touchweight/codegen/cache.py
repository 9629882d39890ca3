"""The on-disk cache of compiled libraries.

A library is named by a hash of everything that made it (source, headers, flags, compiler, processor), then by
a hash of what it holds, so that a damaged one is recognised and built again. Loading a library runs its code,
so the cache must be ours alone: a folder that another user owns or could write to is refused, and a private
temporary folder serves instead.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from ..errors import BuildError

#: what a build that was killed left behind is removed after this long [s]
LEFTOVER = 86_400.0

_private: list[tempfile.TemporaryDirectory[str]] = []


def default_folder() -> Path:
    """``$TOUCHWEIGHT_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("TOUCHWEIGHT_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base) / "touchweight" if base else Path.home() / ".touchweight"
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base and os.path.isabs(base) else Path.home() / ".cache"
    return root / "touchweight"


def why_unsafe(path: Path) -> str | None:
    """Why a file or folder cannot be trusted, or None when it can."""
    try:
        info = os.lstat(path)
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    if stat.S_ISLNK(info.st_mode):
        return "it is a symbolic link"
    if not hasattr(os, "geteuid"):
        return None
    if info.st_uid != os.geteuid():
        return f"it belongs to user {info.st_uid}"
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others may write to it"
    return None


def why_exposed(folder: Path) -> str | None:
    """Why others could put a folder in place of this one, or None: where one above it is open to all."""
    for above in folder.resolve().parents:
        mode = above.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return f"anyone may write to {above}"
    return None


def cache_folder() -> Path:
    """A folder that only this user can write to: the usual one or, with a warning, a temporary one."""
    folder = Path("~/.cache/touchweight")
    try:
        folder = default_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = why_unsafe(folder) or why_exposed(folder)
        if problem is None and not os.access(folder, os.W_OK):
            problem = "it is read-only"
    except OSError as error:
        problem = f"it cannot be made ({error.strerror})"
    except RuntimeError:
        problem = "there is no home folder"
    if problem is None:
        return folder
    if not _private:
        warnings.warn(
            f"expected a private cache folder at {folder}, but {problem}; using a temporary one, so models "
            "are compiled anew each time (set TOUCHWEIGHT_CACHE to a folder of your own)",
            stacklevel=3,
        )
        _private.append(tempfile.TemporaryDirectory(prefix="touchweight-"))
        atexit.register(_private[0].cleanup)
    return Path(_private[0].name)


def key_of(parts: Iterable[str]) -> str:
    """A name for what ``parts`` describe together."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]


def cached(key: str, suffix: str, make: Callable[[Path], None]) -> Path:
    """The file of this ``key``; if it is missing, damaged or unsafe, what ``make(temporary path)`` makes."""
    folder = cache_folder()
    for path in sorted(folder.glob(f"{key}-*{suffix}")):
        if why_unsafe(path) is None and path.is_file() and path.name == _full_name(key, path, suffix):
            return path
    _sweep(folder)
    try:
        with tempfile.TemporaryDirectory(prefix="build-", dir=folder) as scratch:
            made = Path(scratch) / f"{key}{suffix}"
            make(made)
            os.chmod(made, 0o700)
            target = folder / _full_name(key, made, suffix)
            os.replace(made, target)
    except OSError as error:
        raise BuildError(
            f"expected to write a compiled library to {folder}, found: {error.strerror or error}; "
            "make room there, or set TOUCHWEIGHT_CACHE to another folder"
        ) from None
    return target


def _full_name(key: str, path: Path, suffix: str) -> str:
    return f"{key}-{hashlib.sha256(path.read_bytes()).hexdigest()[:24]}{suffix}"


def _sweep(folder: Path) -> None:
    """Remove what killed builds left behind."""
    for path in folder.glob("build-*"):
        try:
            if time.time() - path.lstat().st_mtime > LEFTOVER and why_unsafe(path) is None:
                shutil.rmtree(path)
        except OSError:
            continue

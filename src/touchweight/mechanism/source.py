"""Files on disk as bytes or text: every way in which reading one can fail is one sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import FileError

#: largest description read [bytes]
SIZE_LIMIT = 64 * 1024 * 1024


def read_bytes(path: str | Path, limit: int = SIZE_LIMIT) -> bytes:
    """The bytes of a regular, non-empty file of at most ``limit`` bytes."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise FileError(path, "expected a file, found a folder; name a file inside it")
        if not stat.S_ISREG(mode):
            raise FileError(path, "expected a regular file, found a device, socket or pipe; save it to a file first")
        with open(path, "rb") as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise FileError(path, "expected a file, found nothing there; check the path") from None
    except PermissionError:
        raise FileError(path, "expected a readable file, found permission denied; change its permissions") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(path, f"expected a readable file, found: {reason}; check the path") from None
    if len(data) > limit:
        raise FileError(
            path, f"expected at most {limit} bytes, found more; split the file or remove what is not needed"
        )
    if not data.strip():
        raise FileError(path, "expected a description of a mechanism, found an empty file")
    return data


def decode(data: bytes, path: object) -> str:
    """UTF-8 text (a byte order mark is fine), or one sentence on why it is not."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(
            path,
            f"expected UTF-8 text, found the byte 0x{data[error.start]:02x}; save the file as UTF-8",
            line,
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileError(path, "expected text, found a NUL byte: this is binary or UTF-16; save it as UTF-8", line)
    return text

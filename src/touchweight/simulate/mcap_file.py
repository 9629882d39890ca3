"""Recordings as MCAP, the container of robotics that Foxglove, PlotJuggler and others open and plot.

A sample is one message in the encoding of ROS 2 (CDR, schema ``ros2msg``): the time, then the channels, as doubles. An
event is one message of JSON on a topic of its own. A metadata record in front of them holds what a message cannot: the
channels' true names and units.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..codegen.callable import Array
from ..errors import FileError, printable
from .event import Event, in_words

if TYPE_CHECKING:
    from .recording import Contents, Recording

#: what the file says of its maker
LIBRARY = "touchweight"

#: name of the metadata record that tells a recording from other MCAP files, and the version of what it holds
KIND, VERSION = "touchweight.recording", "1"

#: in front of every CDR message: little-endian, no options
CDR_HEAD = b"\x00\x01\x00\x00"

#: seconds that a time stamp may count: viewers keep them in 32 bits
LATEST = 2.0**32 - 1.0

EVENT_SCHEMA = {
    "type": "object",
    "properties": {
        "t": {"type": "number", "description": "time [s]"},
        "name": {"type": "string", "description": "the transition"},
        "source": {"type": "string", "description": "the mode it left"},
        "target": {"type": "string", "description": "the mode it entered"},
    },
}


# -- writing ------------------------------------------------------------------------------------------------
def write_mcap(recording: Recording, file: IO[bytes]) -> None:
    """Write a recording; a viewer finds it under ``/NAME`` and its events under ``/NAME/events``."""
    from mcap.writer import Writer

    out: Any = Writer(file, enable_data_crcs=True)
    out.start(library=LIBRARY)
    out.add_metadata(KIND, _about(recording))
    topic = f"/{_plain(recording.name, 'recording')}"
    fields = field_names(list(recording))
    sample_schema = out.register_schema("touchweight/msg/Sample", "ros2msg", _definition(recording, fields))
    samples = out.register_channel(topic, "cdr", sample_schema)
    stamps, rows = _stamps(recording), _messages(recording)
    waiting: list[tuple[int, bytes]] = []
    if recording.events:
        event_schema = out.register_schema("touchweight.Event", "jsonschema", json.dumps(EVENT_SCHEMA).encode())
        events = out.register_channel(f"{topic}/events", "json", event_schema)
        texts = [json.dumps(in_words(e)).encode() for e in recording.events]
        waiting = list(zip(_stamps(recording, [e.t for e in recording.events]), texts, strict=True))[::-1]
    for i, (stamp, row) in enumerate(zip(stamps, rows, strict=True)):
        while waiting and waiting[-1][0] <= stamp:
            _put(out, events, *waiting.pop())
        _put(out, samples, stamp, row, i)
    while waiting:
        _put(out, events, *waiting.pop())
    out.finish()


def field_names(channels: list[str]) -> list[str]:
    """Names that a message may have, one for each channel: ``v.hip`` is ``v_hip``. The time is ``t``."""
    taken = {"t"}
    fields = []
    for channel in channels:
        name = base = _plain(channel, "channel")
        number = 2
        while name in taken:
            name = f"{base}_{number}"
            number += 1
        taken.add(name)
        fields.append(name)
    return fields


def _plain(name: str, otherwise: str) -> str:
    """Small letters, digits and single underscores, a letter first: all that ROS 2 allows."""
    plain = re.sub(r"[^a-z0-9]+", "_", name[:80].lower()).strip("_")
    return plain if plain[:1].isalpha() else f"{otherwise}_{plain}".strip("_")


def _definition(recording: Recording, fields: list[str]) -> bytes:
    """The message in the language of ROS 2, with true names and units as comments."""
    lines = ["float64 t # time [s]"]
    for field, channel in zip(fields, recording, strict=True):
        unit = printable(recording.units.get(channel, ""), 40)
        lines.append(f"float64 {field} # {printable(channel, 80)}" + (f" [{unit}]" if unit else ""))
    return "\n".join(lines).encode()


def _about(recording: Recording) -> dict[str, str]:
    units = {n: recording.units.get(n, "") for n in recording}
    return {
        "version": VERSION,
        "name": json.dumps(recording.name),
        "samples": str(len(recording.t)),
        "units": json.dumps(units),
        "events": str(len(recording.events)),
    }


def _stamps(recording: Recording, times: list[float] | None = None) -> list[int]:
    """Times in whole nanoseconds, for viewers: not below zero, and counted from the start if that is."""
    start = min(0.0, float(recording.t[0])) if len(recording.t) and np.isfinite(recording.t[0]) else 0.0
    seconds = np.nan_to_num(np.asarray(recording.t if times is None else times) - start, posinf=LATEST, neginf=0.0)
    stamps: list[int] = np.rint(np.clip(seconds, 0.0, LATEST) * 1e9).astype(np.int64).tolist()
    return stamps


def _messages(recording: Recording) -> Iterator[bytes]:
    """The bytes of each sample."""
    size = len(CDR_HEAD) + 8 * (len(recording) + 1)
    for start in range(0, len(recording.t), 4096):
        part = slice(start, start + 4096)
        columns = np.column_stack([recording.t[part], *(recording[n][part] for n in recording)])
        values = np.ascontiguousarray(columns, dtype="<f8")
        block = np.empty((len(values), size), dtype=np.uint8)
        block[:, :4] = list(CDR_HEAD)
        block[:, 4:] = values.view(np.uint8)
        flat = block.tobytes()
        yield from (flat[i : i + size] for i in range(0, len(flat), size))


def _put(out: Any, channel: int, stamp: int, data: bytes, sequence: int = 0) -> None:
    out.add_message(channel, stamp, data, stamp, sequence)


# -- reading ------------------------------------------------------------------------------------------------
def read_mcap(path: Path) -> Contents:
    """What :func:`write_mcap` wrote; checksums tell whether it is whole."""
    try:
        with path.open("rb") as f:
            return _read(path, f)
    except FileError:
        raise
    except OSError as error:
        raise FileError(path, f"expected a recording, found: {error.strerror}; give a file that save() wrote") from None
    except Exception as error:  # what broken bytes lead to in the libraries below can be anything
        what = printable(str(error), 120) or type(error).__name__
        raise FileError(
            path, f"expected a whole recording, found a damaged or truncated one ({what}); take another copy"
        ) from None


def _read(path: Path, f: IO[bytes]) -> Contents:
    from mcap.records import Channel, Message
    from mcap.stream_reader import StreamReader
    from mcap.writer import MCAP0_MAGIC

    magic = f.read(len(MCAP0_MAGIC))
    if magic != MCAP0_MAGIC:
        found = "another kind of file" if magic else "an empty file"
        raise FileError(path, f"expected an MCAP file, found {found}; give a file that save() wrote")
    f.seek(0)
    records = StreamReader(f, validate_crcs=True, record_size_limit=os.fstat(f.fileno()).st_size).records
    about = _opening(path, records)
    encodings: dict[int, str] = {}
    rows: list[bytes] = []
    events: list[Event] = []
    for record in records:
        if isinstance(record, Channel):
            encodings[record.id] = record.message_encoding
        elif isinstance(record, Message) and encodings[record.channel_id] == "cdr":
            rows.append(record.data)
        elif isinstance(record, Message):
            events.append(Event(**json.loads(record.data)))
    units: dict[str, str] = json.loads(about["units"])
    if (len(rows), len(events)) != (int(about["samples"]), int(about["events"])):
        raise ValueError(f"{len(rows)} of {about['samples']} samples, {len(events)} of {about['events']} events")
    table = _table(rows, len(units) + 1)
    return json.loads(about["name"]), table[0], dict(zip(units, table[1:], strict=True)), units, events


def _opening(path: Path, records: Iterator[Any]) -> dict[str, str]:
    """What the file says about itself before the first message."""
    from mcap.records import Header, Metadata

    header, about = next(records), next(records)
    if not isinstance(about, Metadata) or about.name != KIND:
        maker = printable(header.library, 60) if isinstance(header, Header) else ""
        if maker == LIBRARY:
            raise ValueError("its description is missing")
        raise FileError(
            path,
            f"expected a recording of touchweight, found an MCAP file of {maker or 'another program'}; "
            "open it with what wrote it",
        )
    if about.metadata["version"] != VERSION:
        raise FileError(
            path,
            f"expected version {VERSION} of a recording, found {printable(about.metadata['version'], 20)}; "
            "update touchweight",
        )
    return about.metadata


def _table(rows: list[bytes], width: int) -> Array:
    """One row for each number of a sample, from the bytes of the samples."""
    size = len(CDR_HEAD) + 8 * width
    block: npt.NDArray[np.uint8] = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), size)
    values = np.ascontiguousarray(block[:, len(CDR_HEAD) :]).view("<f8")
    return np.ascontiguousarray(values.T, dtype=np.float64)

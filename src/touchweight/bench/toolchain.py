"""Building the timing programs, each once: a program is kept under a key of all that went into it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .rivals import MissingRival, Progress
from .states import Array

HERE = Path(__file__).parent
COMPILERS = {".c": ("CC", ("cc", "gcc", "clang")), ".cpp": ("CXX", ("c++", "g++", "clang++"))}


@dataclass(frozen=True)
class Program:
    """A timing program to build."""

    name: str
    source: str
    """The text of one C or C++ file; it may include "state_timer.h"."""
    suffix: str
    """".c" or ".cpp"."""
    flags: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    salt: str = ""
    """What else the result depends on: the rival's version."""


def default_cache() -> Path:
    """Where built programs are kept unless the caller says otherwise."""
    return Path.home() / ".cache" / "touchweight" / "bench"


def find_compiler(suffix: str) -> str:
    """The compiler for ".c" ($CC, cc, gcc, clang) or ".cpp" ($CXX, c++, g++, clang++)."""
    variable, names = COMPILERS[suffix]
    for name in (os.environ.get(variable), *names):
        path = name and shutil.which(name)
        if path:
            return path
    raise MissingRival(f"No compiler for {suffix} files was found: install {' or '.join(names)}, or set ${variable}.")


def cpu() -> str:
    """This processor, in words that change whenever `-march=native` would mean something else."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = [platform.processor()]
    telling = ("model name", "flags", "Features", "CPU part")
    return "\n".join([platform.machine(), *sorted({line for line in lines if line.startswith(telling)} or set(lines))])


def key(program: Program) -> str:
    """A hash of everything the built program depends on."""
    compiler = find_compiler(program.suffix)
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    header = (HERE / "state_timer.h").read_text()
    parts = (
        program.source,
        header,
        *program.flags,
        *program.libraries,
        program.salt,
        compiler,
        version,
        cpu(),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def build(program: Program, cache: Path | None = None, progress: Progress | None = None) -> Path:
    """The executable, from the cache if it is there; `progress` is told only when it has to be built."""
    folder = cache or default_cache()
    built = folder / f"{program.name}-{key(program)}"
    if built.exists():
        return built
    if progress:
        progress(f"building {program.name}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        source = Path(scratch) / f"{program.name}{program.suffix}"
        source.write_text(program.source)
        unnamed = Path(scratch) / program.name
        command = [
            find_compiler(program.suffix),
            *program.flags,
            f"-I{HERE}",
            str(source),
            "-o",
            str(unnamed),
        ]
        done = subprocess.run([*command, *program.libraries, "-lm"], capture_output=True, text=True)
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[-200:])
            raise MissingRival(f"The timing program {program.name} does not build: {reason.strip()}")
        os.replace(unnamed, built)
    return built


def build_all(programs: Sequence[Program], cache: Path | None = None, progress: Progress | None = None) -> list[Path]:
    """Several programs, two at a time."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda program: build(program, cache, progress), programs))


def run(executable: Path, *arguments: str | int | Path) -> Any:
    """What the program prints, read as JSON."""
    done = subprocess.run([str(executable), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise MissingRival(f"The timing program {executable.name} failed: {done.stderr.strip() or done.returncode}.")
    return json.loads(done.stdout)


def write_array(path: Path, values: Array) -> Path:
    """Doubles as the timing programs read them."""
    np.ascontiguousarray(values, dtype=np.float64).tofile(path)
    return path

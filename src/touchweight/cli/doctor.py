"""``touchweight doctor``: is everything here that touchweight needs, and what to do about what is not."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__
from ..errors import TouchweightError
from .terminal import console, plain_table, print_json, safe

#: what a check may say, and its colour
STATES = {"OK": "green", "missing": "yellow", "limited": "yellow", "broken": "bold red"}

#: packages that make more possible: module, distribution, what for
OPTIONAL = (
    (
        "ziglang",
        "ziglang",
        "a C compiler from a wheel, for machines that have none",
        "pip install 'touchweight[compiler]'",
    ),
    ("pinocchio", "pin", "tests and benchmarks compare with it", "pip install 'touchweight[oracles]'"),
    ("mujoco", "mujoco", "tests and benchmarks compare with it", "pip install 'touchweight[oracles]'"),
    ("casadi", "casadi", "tests and benchmarks compare with it", "pip install 'touchweight[oracles]'"),
    (
        "example_robot_data",
        "example-robot-data",
        "robots for tests and benchmarks",
        "pip install 'touchweight[oracles]'",
    ),
    ("PIL", "pillow", "`touchweight play` makes animations with it", "pip install pillow"),
)


@dataclass
class Check:
    """What was looked at, how it is, what was found, and what to do."""

    name: str
    state: str
    found: str
    advice: str = ""
    essential: bool = False


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Look at the installation; say what is missing and what to do about it."""
    with console(stderr=True).status("looking around"):
        checks = list(run_checks())
    broken = [c for c in checks if c.essential and c.state == "broken"]
    if as_json:
        print_json({"healthy": not broken, "checks": [asdict(c) for c in checks]})
    else:
        out = console()
        table = plain_table("what", "", "found")
        for c in checks:
            advice = f"\n[dim]{safe(c.advice, 400)}[/]" if c.advice else ""
            table.add_row(safe(c.name), f"[{STATES[c.state]}]{c.state}[/]", safe(c.found, 400) + advice)
        out.print(table)
        out.print("\nSomething essential is broken: see above." if broken else "\nAll that is essential is in order.")
    if broken:
        raise typer.Exit(1)


def run_checks() -> Iterator[Check]:
    """Everything, in the order of the chain; a check that stumbles says so instead of stopping the others."""
    steps: tuple[Callable[[], Iterator[Check]], ...] = (
        _python, _compiler, _model, _processor, _cache, _real_time, _optional,
    )  # fmt: skip
    for step in steps:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what they would say is in the table
                yield from step()
        except Exception as error:
            yield Check(step.__name__.strip("_"), "broken", f"{type(error).__name__}: {error}", "please report this")


def _python() -> Iterator[Check]:
    import numpy

    new = sys.version_info >= (3, 10)
    yield Check(
        "Python", "OK" if new else "broken", f"{platform.python_version()}, {platform.platform()}",
        "" if new else "touchweight needs Python 3.10 or newer", essential=True,
    )  # fmt: skip
    yield Check("touchweight", "OK", f"{__version__}, in {Path(__file__).resolve().parent.parent}")
    yield Check("NumPy", "OK", numpy.__version__, essential=True)


def _compiler() -> Iterator[Check]:
    from ..codegen.compiler import candidates, find_compiler

    order = [" ".join(c) for c in candidates()]
    if os.environ.get("TOUCHWEIGHT_NO_COMPILER"):
        advice = "unset it for machine code; until then generated Python runs, with the same numbers, slower"
        yield Check("C compiler", "missing", "hidden by TOUCHWEIGHT_NO_COMPILER", advice)
        return
    try:
        compiler = find_compiler()
    except TouchweightError as error:
        advice = "generated Python runs with TOUCHWEIGHT_NO_COMPILER=1, slower"
        yield Check("C compiler", "broken", str(error), advice, essential=True)
        return
    if compiler is None:
        advice = "install gcc or clang, or pip install 'touchweight[compiler]'; generated Python runs, slower"
        yield Check("C compiler", "missing", f"tried: {', '.join(order) or 'nothing to try'}", advice)
        return
    yield Check("C compiler", "OK", f"{' '.join(compiler.command)}: {compiler.version}")
    tuned = " ".join(compiler.tune)
    yield Check(
        "tuned code", "OK" if tuned else "limited", tuned or "-march=native is not accepted",
        "" if tuned else "code runs, somewhat slower than it could",
    )  # fmt: skip
    yield Check("fallback order", "OK", ", then ".join([*order, "generated Python"]))


def _model() -> Iterator[Check]:
    """A pendulum from description to number."""
    from ..codegen.callable import NativeFunction
    from ..library.classics.pendulum import build

    began = time.perf_counter()
    try:
        model = build(length=0.5, mass=1.0).compile()
        torque = float(model.inverse([0.3], [0.0], [0.0])[0])
        function = model.function("inverse")
    except TouchweightError as error:
        yield Check("build and run", "broken", str(error), "see the compiler above", essential=True)
        return
    took = time.perf_counter() - began
    expected = 9.81 * 0.25 * 0.29552020666133955
    good = abs(torque - expected) < 1e-12
    how = "machine code" if isinstance(function, NativeFunction) else "generated Python"
    yield Check(
        "build and run", "OK" if good else "broken",
        f"a pendulum as {how} in {took:.2f} s: torque {torque:.6f} N m, expected {expected:.6f}",
        "" if good else "the compiler makes wrong code; try another with CC=...", essential=True,
    )  # fmt: skip


def _processor() -> Iterator[Check]:
    from ..codegen.compiler import cpu_features, native_lanes

    features = cpu_features()
    wide = [
        name
        for flag, name in (("avx2", "AVX2"), ("fma", "FMA"), ("avx512f", "AVX-512"), ("asimd", "NEON"))
        if flag in features
    ]
    lanes = native_lanes()
    yield Check(
        "processor",
        "OK",
        f"{os.cpu_count()} cores, {', '.join(wide) or 'narrow vectors'}: batches take {lanes} states at once",
    )


def _cache() -> Iterator[Check]:
    from ..codegen.cache import default_folder, why_unsafe

    try:
        folder = default_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = why_unsafe(folder) or ("" if os.access(folder, os.W_OK) else "it is read-only")
    except (OSError, RuntimeError) as error:
        yield Check("cache folder", "limited", str(error), "set TOUCHWEIGHT_CACHE to a folder of your own")
        return
    files = [f for f in folder.iterdir() if f.is_file()]
    size = sum(f.stat().st_size for f in files) / 1e6
    yield Check(
        "cache folder", "limited" if problem else "OK",
        f"{folder}: {len(files)} files, {size:.1f} MB" + (f"; {problem}" if problem else ""),
        "models are compiled anew each time; set TOUCHWEIGHT_CACHE to your own folder" if problem else "",
    )  # fmt: skip


def _real_time() -> Iterator[Check]:
    """Rights that a real-time loop wants; nothing in this release needs them."""
    if not hasattr(os, "sched_setscheduler"):
        yield Check(
            "real-time rights",
            "missing",
            f"no POSIX scheduling on {sys.platform}",
            "the real-time loop wants Linux",
        )
        return
    import resource

    advice = "for the real-time loop, later: give your user rtprio and memlock in /etc/security/limits.conf"
    allowed = _try_fifo()
    limit = resource.getrlimit(resource.RLIMIT_RTPRIO)[0] if hasattr(resource, "RLIMIT_RTPRIO") else 0
    yield Check(
        "SCHED_FIFO", "OK" if allowed else "limited",
        f"{'permitted' if allowed else 'refused'}; RLIMIT_RTPRIO {_limit(limit)}", "" if allowed else advice,
    )  # fmt: skip
    locked = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    enough = locked == resource.RLIM_INFINITY or locked >= 64 << 20 or os.geteuid() == 0
    yield Check(
        "locked memory", "OK" if enough else "limited",
        f"RLIMIT_MEMLOCK {_limit(locked, 1 << 20, ' MiB')}", "" if enough else advice,
    )  # fmt: skip
    kernel = Path("/sys/kernel/realtime")
    hard = kernel.exists() and kernel.read_text().strip() == "1"
    yield Check(
        "kernel", "OK" if hard else "limited", f"{platform.release()}{', PREEMPT_RT' if hard else ''}",
        "" if hard else "a kernel with PREEMPT_RT keeps deadlines best; others do for most uses",
    )  # fmt: skip


def _limit(value: int, unit: int = 1, name: str = "") -> str:
    return "unlimited" if value < 0 or value >= 1 << 62 else f"{value // unit}{name}"


def _try_fifo() -> bool:
    """Ask for real-time scheduling in a thread that ends right after."""
    granted = []

    def attempt() -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            granted.append(True)
        except OSError:
            pass

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return bool(granted)


def _optional() -> Iterator[Check]:
    for module, distribution, purpose, advice in OPTIONAL:
        try:
            version = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            version = "unknown version" if importlib.util.find_spec(module) else ""
        yield Check(
            distribution, "OK" if version else "missing", f"{version or 'optional'}: {purpose}",
            "" if version else advice,
        )  # fmt: skip
    octave = shutil.which("octave-cli") or shutil.which("octave")
    version = ""
    if octave:
        try:
            shown = subprocess.run([octave, "--version"], capture_output=True, text=True, timeout=30).stdout
            version = shown.splitlines()[0].rpartition(" ")[2] if shown else "unknown version"
        except (OSError, subprocess.SubprocessError):
            octave = None
    yield Check(
        "Octave", "OK" if octave else "missing",
        f"{version}: runs the generated MATLAB" if octave else "optional: runs the generated MATLAB",
        "" if octave else "install GNU Octave from your system's packages",
    )  # fmt: skip

"""Finding a C compiler and building shared libraries with it."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..errors import BuildError, printable
from .cache import cache_folder

#: where the headers and sources that are not generated live
NATIVE = Path(__file__).resolve().parent.parent / "native"

#: measured: -ffast-math gains nothing here and would remove the guards against NaN
FLAGS = (
    "-std=gnu11",
    "-fno-sanitize=undefined",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fvisibility=hidden",
    "-w",
)

#: seconds a compiler may take before we give up on it
PATIENCE = 600


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command, what it calls itself, and the flag that targets this processor."""

    command: tuple[str, ...]
    version: str
    tune: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its command, for people."""
        return " ".join(Path(self.command[0]).name if i == 0 else part for i, part in enumerate(self.command))


def candidates() -> list[tuple[str, ...]]:
    """The commands to try, in order: $CC, cc, gcc, clang, the compiler inside the ziglang wheel."""
    found: list[tuple[str, ...]] = []
    if _wanted():
        found.append(_wanted())
    for name in ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path:
            found.append((path,))
    if importlib.util.find_spec("ziglang") is not None:
        found.append((sys.executable, "-m", "ziglang", "cc"))
    return found


def _wanted() -> tuple[str, ...]:
    """$CC as a command; empty when it is not set."""
    text = os.environ.get("CC", "")
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise BuildError(f"expected CC to hold a command, found {printable(text)!r}: {error}; correct it") from None


@functools.cache
def _probe(command: tuple[str, ...]) -> Compiler | None:
    try:
        shown = subprocess.run(
            [*command, "--version"], capture_output=True, encoding="utf-8", errors="replace", timeout=60, check=True,
            env=_environment(),
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    version = shown.splitlines()[0].strip() if shown.strip() else "unknown"
    tune: tuple[str, ...] = ()
    for flags in (("-march=native",), ("-mcpu=native",)):
        if _accepts(command, flags):
            tune = flags
            break
    if not tune and not _accepts(command, ()):
        return None
    return Compiler(command, version, tune)


def _accepts(command: tuple[str, ...], flags: tuple[str, ...]) -> bool:
    # not to the null device: a compiler that replaces its output file would replace that
    with tempfile.TemporaryDirectory(prefix="touchweight-") as scratch:
        source = Path(scratch) / "probe.c"
        source.write_text("int tw_probe(int x) { return x + 1; }\n", encoding="utf-8")
        try:
            done = subprocess.run(
                [*command, *flags, "-c", str(source), "-o", str(source.with_suffix(".o"))],
                capture_output=True,
                timeout=120,
                env=_environment(),
            )
        except (OSError, subprocess.SubprocessError):
            return False
        return done.returncode == 0 and source.with_suffix(".o").exists()


def _environment() -> dict[str, str]:
    """What compilers run in: messages in English; zig, which keeps a cache at home, gets one where there is no home."""
    made = {**os.environ, "LC_ALL": "C"}
    if sys.platform != "win32" and not os.access(made.get("HOME", ""), os.W_OK):
        made.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache_folder() / "zig"))
    return made


def find_compiler() -> Compiler | None:
    """The first compiler that works, or None; ``TOUCHWEIGHT_NO_COMPILER=1`` hides them all.

    Whoever sets CC wants that one: when it does not work, that is an error and no other is taken.
    """
    if os.environ.get("TOUCHWEIGHT_NO_COMPILER"):
        return None
    for command in candidates():
        found = _probe(command)
        if found is not None:
            return found
        if _wanted():
            raise BuildError(
                f"expected CC to name a working C compiler, found {printable(os.environ['CC'])!r}, which does not "
                "compile a line of C; correct it, or unset it so that cc, gcc, clang and ziglang are tried"
            )
    return None


@functools.cache
def cpu_identity() -> str:
    """What distinguishes this processor for ``-march=native``: its model and features."""
    try:
        text = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("model name", "flags", "Features", "CPU part", "CPU implementer")
    lines = [line for line in text.splitlines() if line.startswith(wanted)]
    return platform.machine() + "\n" + "\n".join(sorted(set(lines)))


def cpu_features() -> frozenset[str]:
    """Names of vector features, such as avx2, as the kernel gives them."""
    for line in cpu_identity().splitlines():
        if line.startswith(("flags", "Features")):
            return frozenset(line.split(":", 1)[1].split())
    return frozenset()


def native_lanes() -> int:
    """How many doubles a vector register of this processor holds."""
    features = cpu_features()
    if "avx512f" in features:
        return 8
    return 4 if "avx2" in features or "avx" in features else 2


def library_suffix() -> str:
    """File ending of shared libraries here."""
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def optimisation(operations: int) -> str:
    """-O3 while it pays; gentler for very long code, where compile time would run away."""
    return "-O3" if operations < 20_000 else "-O2" if operations < 60_000 else "-O1"


def compile_object(compiler: Compiler, source: Path, target: Path, flags: tuple[str, ...]) -> None:
    """One source to one object file."""
    _run(compiler, [*flags, "-fPIC", "-c", str(source), "-o", str(target)], source)


def link_library(compiler: Compiler, parts: list[Path], target: Path) -> None:
    """Object files to a shared library."""
    extra = [] if sys.platform == "win32" else ["-lm"]
    if sys.platform == "linux" and "ziglang" in compiler.command:
        # zig would first build a C library, for half a minute; who loads ours has one
        extra = ["-nostdlib"]
    _run(compiler, ["-shared", *map(str, parts), "-o", str(target), *extra], target)


def _run(compiler: Compiler, arguments: list[str], what: Path) -> None:
    try:
        done = subprocess.run(
            [*compiler.command, *arguments], capture_output=True, encoding="utf-8", errors="replace", timeout=PATIENCE,
            env=_environment(),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BuildError(
            f"expected {compiler.name} to finish within {PATIENCE} s, it did not; the model may be too large"
        ) from None
    except OSError as error:
        raise BuildError(f"expected to run {compiler.name}, found: {error}; set CC to a working compiler") from None
    if done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:300])
        raise BuildError(
            f"expected {compiler.name} to compile {what.name}, found: {first}; run `touchweight doctor`, or set "
            "TOUCHWEIGHT_NO_COMPILER=1 to run generated Python instead"
        )


def include_flags() -> tuple[str, ...]:
    """Where the native headers are."""
    return (f"-I{NATIVE}",)


def python_platform() -> str:
    """Platform tag, part of every cache key."""
    return sysconfig.get_platform()

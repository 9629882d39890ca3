"""How long generation takes: deriving and compiling large trees from nothing, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass

import numpy as np

from ..codegen.callable import compile_function
from ..mechanism import Mechanism
from ..simulate.model import Model


@dataclass(frozen=True)
class GenerationTime:
    """Seconds to make the functions of a mechanism, cold; memory is the peak of this process and its compilers."""

    mechanism: str
    joints: int
    functions: str
    operations: int
    derive: float
    compile: float
    megabytes: float
    error: float
    """|forward(inverse(a)) - a|, over the largest acceleration."""


def branched_tree(joints: int, branches: int = 2, seed: int = 0) -> Mechanism:
    """A random tree of hinges in which every body carries ``branches`` others; 0 makes a chain."""
    draw = np.random.default_rng(seed)
    m = Mechanism(f"{'chain' if branches == 0 else 'tree'} of {joints}")
    bodies = [m.ground]
    for i in range(joints):
        spread = draw.uniform(0.02, 0.03, 3)
        body = m.body(
            f"body{i}",
            mass=draw.uniform(0.5, 2.0),
            com=draw.uniform(-0.2, 0.2, 3).tolist(),
            inertia=[*spread, *draw.uniform(-0.002, 0.002, 3)],
        )
        parent = bodies[-1] if branches == 0 or i == 0 else bodies[1 + (i - 1) // branches]
        m.revolute(f"joint{i}", parent, body, axis="xyz"[draw.integers(3)], origin=draw.uniform(-0.3, 0.3, 3).tolist())
        bodies.append(body)
    return m


CASES = {"tree": (100, 2), "chain": (400, 0)}


def generate(case: str) -> GenerationTime:
    """Derive and compile inverse and direct dynamics of a case here and now."""
    import resource
    import time

    joints, branches = CASES[case]
    mechanism = branched_tree(joints, branches)
    start = time.perf_counter()
    model = Model(mechanism)
    programs = {name: model.equations.derive(name) for name in ("inverse", "forward")}
    derived = time.perf_counter()
    for name, program in programs.items():
        model._functions[(None, name)] = compile_function(program)
    built = time.perf_counter()
    draw = np.random.default_rng(1)
    q, v, a = (draw.uniform(-1, 1, model.nv) for _ in range(3))
    error = float(np.abs(model.forward(q, v, model.inverse(q, v, a)) - a).max() / np.abs(a).max())
    peak = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + 2 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    )
    return GenerationTime(
        mechanism.name,
        joints,
        f"inverse, direct ({model.equations.form})",
        sum(p.operations.total for p in programs.values()),
        derived - start,
        built - derived,
        peak / 1024.0,
        error,
    )


def measure_generation(case: str) -> GenerationTime:
    """The same in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory(prefix="touchweight-") as cache:
        environment = dict(os.environ, TOUCHWEIGHT_CACHE=cache)
        environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        done = subprocess.run(
            [sys.executable, "-m", "touchweight.bench.generation", case],
            capture_output=True, text=True, env=environment,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"generating the {case} failed: {done.stderr.strip().splitlines()[-1]}")
    return GenerationTime(**json.loads(done.stdout))


if __name__ == "__main__":
    print(json.dumps(asdict(generate(sys.argv[1]))))

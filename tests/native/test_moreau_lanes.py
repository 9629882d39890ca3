"""moreau_lanes.h: the power of felts, and that it builds without warnings with every compiler and any lanes."""

import ctypes
import subprocess

import numpy as np
import pytest

from touchweight.codegen.compiler import FLAGS, NATIVE, find_compiler

SIZES = ["NQ", "NV", "NX", "NU", "CONTACTS", "TANGENTS", "DRY", "DRIVEN", "PARAMETERS", "SLOTS", "ENTRIES", "MASS",
         "BASE", "STIFF", "DAMP"]  # fmt: skip

DRIVER = """
#include "moreau_lanes.h"
void power(const double *x, const double *y, double *out, long n)
{
    for (long i = 0; i + TW_LANES <= n; i += TW_LANES) {
        tw_real a, b, r;
        __builtin_memcpy(&a, x + i, sizeof a);
        __builtin_memcpy(&b, y + i, sizeof b);
        r = tw_power(a, b);
        __builtin_memcpy(out + i, &r, sizeof r);
    }
}
"""


@pytest.fixture(scope="module", params=[2, 4, 8])
def power(request, tmp_path_factory):
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler found: install gcc or clang, set $CC, or pip install ziglang")
    folder = tmp_path_factory.mktemp("power")
    source, target = folder / "power.c", folder / "power.so"
    source.write_text("".join(f"#define {n} 1\n" for n in SIZES) + DRIVER)
    flags = [f for f in FLAGS if f not in ("-w", "-fvisibility=hidden")]
    command = [*compiler.command, *flags, *compiler.tune, "-Wall", "-Wextra", "-Werror", "-Wno-psabi",
               f"-DTW_LANES={request.param}", f"-I{NATIVE}", "-O2", "-fPIC", "-shared", str(source), "-o", str(target),
               "-lm"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    function = ctypes.CDLL(str(target)).power

    def call(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        assert len(x) % 8 == 0
        out = np.empty_like(x)
        function(*(a.ctypes.data_as(ctypes.c_void_p) for a in (x, y, out)), ctypes.c_long(len(x)))
        return out

    return call


def test_powers_of_compressions_are_right_to_thirteen_digits(power):
    random = np.random.default_rng(0)
    x, y = np.exp(random.uniform(-30, 3, 80_000)), random.uniform(-1.0, 5.0, 80_000)
    inside = np.abs(y * np.log(x)) < 100
    exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
    error = np.abs(power(x, y) / exact - 1)[inside].astype(float)
    assert error.max() < 1e-13
    assert np.median(error) < 1e-15


def test_whole_powers_of_two_and_one_are_exact(power):
    x = np.array([1.0, 1.0, 2.0, 4.0, 0.5, 8.0, 0.25, 1.0])
    y = np.array([2.0, 3.3, 3.0, 0.5, 4.0, 1.0, 2.0, -2.0])
    assert power(x, y) == pytest.approx(x**y, rel=1e-15)


def test_ends_are_large_and_small_but_finite(power):
    found = power(np.array([1e-300, 1e300, 1e-300, 1e300] * 2), np.array([50.0, 50.0, -50.0, -50.0] * 2))
    assert np.all(np.isfinite(found))
    assert np.all(found[[0, 3]] < 1e-300)
    assert np.all(found[[1, 2]] > 1e300)

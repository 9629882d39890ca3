"""tw_math.h against higher precision: accuracy in ulp, special values, scalar = lanes, selection."""

import ctypes
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "src" / "touchweight" / "native"
FLAGS = ["-std=c11", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-psabi"]
LANES = (1, 2, 4, 8)
N = 16_000  # points per accuracy range, a multiple of 8
BOUND = 1e6  # the polynomial range of sincos
INF, NAN = np.inf, np.nan
WIDE = np.finfo(np.longdouble).nmant >= 63  # long double holds enough to judge doubles by


# ------------------------------------------------------------------ building


def compilers() -> dict[str, list[str]]:
    """name -> command of every C compiler at hand; -march=native is -mcpu=native for zig."""
    found = {}
    for name in filter(None, (os.environ.get("CC"), "gcc", "clang", "cc")):
        if shutil.which(name):
            found[name] = [name, "-march=native"]
            if name == "gcc":
                found["gcc, no fma"] = [name]  # the plain target, on x86 without fma
            break
    if importlib.util.find_spec("ziglang"):
        found["zig"] = [sys.executable, "-m", "ziglang", "cc", "-mcpu=native"]
    return found


COMPILERS = compilers() or {"none": []}


class Library:
    """math_driver.c at one TW_LANES; methods take and give NumPy arrays."""

    def __init__(self, path: Path, lanes: int):
        self.c, self.lanes = ctypes.CDLL(str(path)), lanes
        assert self.c.lanes() == lanes

    def __call__(self, name: str, *args, outputs: int = 1):
        """apply tw_<name> to arrays of any length, padded to whole registers."""
        args = np.broadcast_arrays(*[np.asarray(a, float) for a in args])
        n, pad = args[0].size, -args[0].size % self.lanes
        args = [np.ascontiguousarray(np.pad(a.ravel(), (0, pad))) for a in args]
        out = [np.empty(n + pad) for _ in range(outputs)]
        getattr(self.c, name + "_")(*map(pointer, args + out), ctypes.c_long(n + pad))
        out = [o[:n] for o in out]
        return out[0] if outputs == 1 else out


def pointer(a: np.ndarray):
    return a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


@pytest.fixture(scope="module", params=list(COMPILERS))
def libraries(request, tmp_path_factory) -> dict[int, Library]:
    """one library per number of lanes, all built at the same time; any warning fails."""
    command = COMPILERS[request.param]
    if not command:
        pytest.skip("no C compiler found: install gcc or clang, set $CC, or pip install ziglang")
    folder = tmp_path_factory.mktemp("math")
    jobs = {}
    for lanes in LANES:
        target = folder / f"math{lanes}.so"
        text = [*command, *FLAGS, *STRICT, "-fPIC", "-shared", f"-DTW_LANES={lanes}", f"-I{NATIVE}"]
        text += [str(HERE / "math_driver.c"), "-o", str(target), "-lm"]
        job = subprocess.Popen(text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        jobs[lanes] = target, job
    for lanes, (_, job) in jobs.items():
        log, _ = job.communicate()
        assert job.returncode == 0, f"TW_LANES={lanes} does not build without warnings:\n{log}"
    return {lanes: Library(target, lanes) for lanes, (target, _) in jobs.items()}


@pytest.fixture(params=LANES)
def library(request, libraries) -> Library:
    return libraries[request.param]


# ------------------------------------------------------------------ judging


def reference(name: str, *args: np.ndarray) -> np.ndarray:
    """the function in long double; where that is no more than double, mpmath (slow, so fewer points)."""
    if WIDE:
        function = {"pow": np.power, "atan2": np.arctan2}.get(name) or getattr(np, name)
        with np.errstate(all="ignore"):
            return function(*[np.asarray(a, np.longdouble) for a in args])
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workprec(120):
        function = {"pow": mpmath.power}.get(name) or getattr(mpmath, name)
        return np.array([function(*map(mpmath.mpf, map(float, a))) for a in zip(*args, strict=True)], object)


def ulps(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """distance in units of the last place of the exact value; 0 where both are the same inf or NaN."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(float)
        same = (got == rounded) & np.isinf(got) | np.isnan(got) & np.isnan(rounded)
        error = np.abs((got.astype(exact.dtype) - exact) / np.spacing(np.abs(rounded)).astype(exact.dtype))
        error = np.where(same, 0.0, error.astype(float))
    return np.where(np.isnan(error), INF, error)


def worst(case: str, library: Library, bound: float) -> None:
    """hold the largest error over a case's sample under the bound."""
    name, args, exact = sample(case)
    error = ulps(library(name, *args), exact)
    i = int(np.argmax(error))
    assert error[i] <= bound, f"{name}{tuple(float(a[i]) for a in args)}: {error[i]:.3f} ulp, allowed {bound}"


@functools.cache
def sample(case: str) -> tuple[str, tuple[np.ndarray, ...], np.ndarray]:
    """function, arguments and exact values, the same for all compilers and widths."""
    rng = np.random.default_rng(1)
    unit, x = rng.uniform(-1, 1, N), positive(rng)
    args = {
        "sin": lambda: (ANGLES,),
        "cos": lambda: (ANGLES,),
        "tan": lambda: (20 * unit,),
        "atan2": lambda: (20 * unit, rng.permutation(20 * unit)),
        "exp": lambda: (np.concatenate([rng.uniform(-745.2, 709.7, N), unit, SPECIAL]),),
        "log": lambda: (np.concatenate([x, np.abs(SPECIAL)]),),
        "tanh": lambda: (np.concatenate([22 * unit, unit, np.exp(rng.uniform(-744, 3, N)), SPECIAL]),),
        "pow": lambda: (x, rng.uniform(-745, 709, x.size) / np.log(x)),  # results over the whole range
        "pow, felt": lambda: (np.exp(rng.uniform(-20, 0, N)), rng.uniform(1, 4, N)),  # compression ** r
        "pow, x < 0": lambda: (-np.exp(3 * unit), rng.integers(-40, 40, N).astype(float)),
    }[case]()
    if not WIDE:
        args = tuple(a[:: max(1, len(a) // 500)] for a in args)
    name = case.split(",")[0]
    return name, args, reference(name, *args)


@functools.cache
def closest_approaches() -> np.ndarray:
    """the 200 doubles within the bound that lie nearest to a multiple of pi/2."""
    k = np.arange(1, 636_619)
    near = k * (np.pi / 2)
    if not WIDE:
        return near[-200:]
    turn = np.longdouble(np.pi) / 2 + np.longdouble(6.123233995736766e-17)
    return near[np.argsort(np.abs(near - k * turn))[:200]]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """equal as bits, any NaN equal to any other."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | np.isnan(a) & np.isnan(b)))


def angles() -> np.ndarray:
    """all sizes up to the bound, and the doubles next to multiples of pi/2, where most cancels."""
    rng = np.random.default_rng(7)
    uniform = [rng.uniform(-b, b, N) for b in (np.pi / 4, 10.0, 1e3, 1e5, BOUND)]
    near = np.concatenate([np.arange(1, 2000), rng.integers(1, 636_619, N)]) * (np.pi / 2)
    near = np.concatenate([near, np.nextafter(near, 0), np.nextafter(near, INF), -near])
    special = [0.0, 5e-324, 1e-310, 1e-300, 1e-9, 1.0, BOUND, np.nextafter(BOUND, 0), 1e5]
    small = np.exp(rng.uniform(-700, 0, N))
    return np.concatenate([*uniform, near[np.abs(near) <= BOUND], special, np.negative(special), small])


def positive(rng: np.random.Generator) -> np.ndarray:
    """the whole range, denormals too; around 1; close to 1."""
    far, near = np.exp(rng.uniform(-744, 709, N)), rng.uniform(0.5, 2, N)
    return np.concatenate([far, near, 1 + rng.uniform(-1e-3, 1e-3, N)])


ANGLES = angles()
FAR = np.array([np.nextafter(BOUND, INF), 1e7, -1e10, 1e22, 1e300, -1.7e308, INF, -INF, NAN])
SPECIAL = np.array([0.0, -0.0, 5e-324, -5e-324, 1e-310, -1e-310, 2.3e-308, 0.3, -0.3, 0.5, -0.5, 1.0, -1.0,
                    1.5, 2.0, -2.0, 3.0, -3.0, 700.0, -800.0, 2.0**52, 2.0**53 - 1, -(2.0**53 + 2), 1e300,
                    -1e300, 1.7e308, INF, -INF, NAN])  # fmt: skip


# ------------------------------------------------------------------ sine and cosine


def test_sincos_is_accurate_within_the_bound(libraries):
    library = libraries[8]
    bound = 0.85 if library.c.has_fma() else 1.1
    worst("sin", library, bound)
    worst("cos", library, bound)


def test_the_reduction_agrees_with_many_digits(libraries):
    """an oracle apart from long double, at the closest approaches of a double to a multiple of pi/2."""
    mpmath = pytest.importorskip("mpmath")
    hard = closest_approaches()
    s, c = libraries[1]("sincos", hard, outputs=2)
    with mpmath.workprec(200):
        for function, got in ((mpmath.sin, s), (mpmath.cos, c)):
            for i, x in enumerate(hard):
                exact = function(mpmath.mpf(float(x)))
                ulp = float(np.spacing(abs(float(exact))))
                assert abs(mpmath.mpf(float(got[i])) - exact) <= 1.1 * ulp, x


def test_sincos_beyond_the_bound_is_still_right(library):
    s, c = library("sincos", FAR, outputs=2)
    finite = np.isfinite(FAR)
    assert np.all(ulps(s, reference("sin", FAR))[finite] <= 1.0)
    assert np.all(ulps(c, reference("cos", FAR))[finite] <= 1.0)
    assert np.all(np.isnan(s[~finite])) and np.all(np.isnan(c[~finite]))


def test_sincos_keeps_signs_and_tiny_numbers(library):
    tiny = np.array([0.0, 5e-324, 1e-310, 1e-200, 1e-9])
    tiny = np.concatenate([tiny, -tiny])
    s, c = library("sincos", tiny, outputs=2)
    assert same_bits(s, tiny) and same_bits(c, np.ones_like(tiny))


def test_sincos_is_odd_and_even_to_the_last_bit(library):
    s, c = library("sincos", ANGLES, outputs=2)
    sm, cm = library("sincos", -ANGLES, outputs=2)
    assert same_bits(s, -sm) and same_bits(c, cm)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 17, 23, 32])
def test_angles_taken_together_equal_angles_taken_alone(library, n):
    """sincos_n = sincos, bit for bit, whether or not some angle needs the far path."""
    size = n * library.lanes
    mixed = np.where(np.arange(size) % 5 == 3, 1e9, ANGLES[-size:])
    for x in (ANGLES[:size], np.resize(FAR, size), mixed):
        x, s, c = np.ascontiguousarray(x), np.zeros(size + 1), np.zeros(size + 1)
        library.c.sincos_n(pointer(x), pointer(s), pointer(c), n)
        one_s, one_c = library("sincos", x, outputs=2)
        assert same_bits(s[:size], one_s) and same_bits(c[:size], one_c)
        assert s[size] == c[size] == 0.0, "written past the end"


# ------------------------------------------------------------------ exp, log, tanh, pow


def test_exp_log_tanh_are_accurate(library):
    worst("exp", library, 1.0)
    worst("log", library, 1.0)
    worst("tanh", library, 2.5 if library.lanes == 1 else 1.1)  # glibc's scalar tanh is the coarser one


def test_pow_is_accurate(library):
    worst("pow", library, 2.0)
    worst("pow, felt", library, 1.1)
    worst("pow, x < 0", library, 1.1)


def test_pow_keeps_every_exception_of_the_standard(library):
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(all="ignore"):
        expected = np.power(x, y)
    got = library("pow", x, y)
    plain = np.isfinite(expected) & (expected != 0)  # elsewhere the very bits, sign of zero included
    assert same_bits(got[~plain], expected[~plain])
    assert np.all(np.abs(got[plain] / expected[plain] - 1) < 1e-15)


def test_exp_log_tanh_at_the_ends(library):
    assert same_bits(library("exp", [0, -0.0, INF, -INF, NAN, 800, -800]), [1, 1, INF, 0, NAN, INF, 0])
    assert same_bits(library("log", [1, 0, -0.0, INF, -1, -INF, NAN]), [0, -INF, -INF, INF, NAN, NAN, NAN])
    ends = [0, -0.0, INF, -INF, NAN, 50, -5e-324]
    assert same_bits(library("tanh", ends), [0, -0.0, 1, -1, NAN, 1, -5e-324])


# ------------------------------------------------------------------ one text, any width


def test_scalar_equals_lanes_bit_for_bit(libraries):
    x = np.concatenate([ANGLES, FAR, SPECIAL])
    rng = np.random.default_rng(3)
    rng.shuffle(x)  # far angles among near ones: a lane must not feel its neighbours
    y = rng.permutation(x)
    for name in ("sin", "cos", "sqrt", "abs", "sign", "floor", "atan", "tan"):
        results = [libraries[lanes](name, x) for lanes in LANES]
        assert all(same_bits(results[0], r) for r in results[1:]), name
    for name in ("min", "max", "select", "lt", "le", "gt", "ge", "eq", "ne"):
        results = [libraries[lanes](name, x, y) for lanes in LANES]
        assert all(same_bits(results[0], r) for r in results[1:]), name


def test_lanes_of_any_number_are_equal_bit_for_bit(libraries):
    """exp, log, tanh, pow: libm in scalar code, one polynomial for 2, 4 and 8 lanes."""
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.uniform(-30, 30, N), np.exp(rng.uniform(-700, 700, N)), SPECIAL])
    rng.shuffle(x)
    y = rng.permutation(x)
    for name, *args in (("exp", x), ("log", x), ("tanh", x), ("pow", x, y), ("pow", np.abs(x), y)):
        results = [libraries[lanes](name, *args) for lanes in LANES[1:]]
        assert all(same_bits(results[0], r) for r in results[1:]), name


def test_the_rest_is_libm(library):
    worst("tan", library, 1.5)
    if WIDE:  # mpmath has no atan2
        worst("atan2", library, 1.5)
    x = np.linspace(-20, 20, 4001)
    for name, oracle, arg in (("asin", "arcsin", x / 20), ("acos", "arccos", x / 20), ("atan", "arctan", x)):
        exact = getattr(np, oracle)(arg.astype(np.longdouble))
        assert np.all(ulps(library(name, arg), exact) <= 1.5), name


# ------------------------------------------------------------------ exact operations


def test_sqrt_abs_floor_are_exact(library):
    x = np.concatenate([ANGLES, FAR, SPECIAL, np.arange(-5, 5, 0.5)])
    with np.errstate(all="ignore"):
        for name in ("sqrt", "abs", "floor"):
            assert same_bits(library(name, x), getattr(np, name)(x)), name


def test_sign(library):
    x = [0.0, -0.0, 5e-324, -5e-324, 3.0, -3.0, INF, -INF, NAN]
    assert same_bits(library("sign", x), [0.0, 0.0, 1, -1, 1, -1, 1, -1, NAN])


def test_min_and_max_let_nan_through(library):
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
    for name, oracle in (("min", np.minimum), ("max", np.maximum)):
        got, expected = library(name, x, y), oracle(x, y)  # numpy's let NaN through too
        zeros = (x == 0) & (y == 0)
        assert same_bits(got[~zeros], expected[~zeros]), name
        assert same_bits(got[zeros], y[zeros]), "of two zeros the second"


def test_comparisons_are_those_of_the_standard(library):
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
    table = {"lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y, "eq": x == y, "ne": x != y}
    for name, expected in table.items():
        assert same_bits(library(name, x, y), expected.astype(float)), name


def test_select_takes_one_side_and_nothing_of_the_other(library):
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
    assert same_bits(library("select", x, y), np.where(x < y, x, y))


def test_any_all_and_broadcast(library):
    n = library.lanes
    for mask in {0, 1, 2 ** (n - 1), 2**n - 1, 2**n - 2}:
        on = np.array([mask >> i & 1 for i in range(n)], bool)
        x = np.where(on, 1.0, -1.0)
        assert library.c.any_positive(pointer(x)) == on.any()
        assert library.c.all_positive(pointer(x)) == on.all()
    for value in (0.0, -0.0, 2.5, NAN):
        out = np.empty(n)
        library.c.set1_(ctypes.c_double(value), pointer(out))
        assert same_bits(out, np.full(n, value))

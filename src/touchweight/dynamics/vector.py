"""Three-vectors and matrices of expressions; zeros cost nothing because the algebra removes them."""

from __future__ import annotations

from collections.abc import Iterable

from ..symbolic import ONE, ZERO, Const, Expr, Scalar, share, total

Vector = tuple[Expr, Expr, Expr]
Matrix = tuple[Vector, Vector, Vector]
#: symmetric matrix as (xx, yy, zz, xy, xz, yz)
Symmetric = tuple[Expr, Expr, Expr, Expr, Expr, Expr]

ZERO3: Vector = (ZERO, ZERO, ZERO)
IDENTITY: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
ZERO_SYMMETRIC: Symmetric = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)


def plus(*vectors: Vector) -> Vector:
    """Sum of vectors."""
    return (total(v[0] for v in vectors), total(v[1] for v in vectors), total(v[2] for v in vectors))


def minus(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def negative(a: Vector) -> Vector:
    """-a."""
    return (-a[0], -a[1], -a[2])


def scale(s: Scalar, a: Vector) -> Vector:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


def dot(a: Vector, b: Vector) -> Expr:
    """a . b."""
    return total((a[0] * b[0], a[1] * b[1], a[2] * b[2]))


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def transform(m: Matrix, a: Vector) -> Vector:
    """M a."""
    return (dot(m[0], a), dot(m[1], a), dot(m[2], a))


def transform_back(m: Matrix, a: Vector) -> Vector:
    """Mᵀ a."""
    return (
        total((m[0][0] * a[0], m[1][0] * a[1], m[2][0] * a[2])),
        total((m[0][1] * a[0], m[1][1] * a[1], m[2][1] * a[2])),
        total((m[0][2] * a[0], m[1][2] * a[1], m[2][2] * a[2])),
    )


def transpose(m: Matrix) -> Matrix:
    """Mᵀ."""
    return ((m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2]))


def product(a: Matrix, b: Matrix) -> Matrix:
    """A B."""
    bt = transpose(b)
    x, y, z = ((dot(row, bt[0]), dot(row, bt[1]), dot(row, bt[2])) for row in a)
    return (x, y, z)


def column(m: Matrix, k: int) -> Vector:
    """The k-th column."""
    return (m[0][k], m[1][k], m[2][k])


def symmetric_matrix(s: Symmetric) -> Matrix:
    """A symmetric matrix written out."""
    xx, yy, zz, xy, xz, yz = s
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def symmetric_of(m: Matrix) -> Symmetric:
    """The six entries of a matrix known to be symmetric."""
    return (m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])


def symmetric_plus(*items: Symmetric) -> Symmetric:
    """Sum of symmetric matrices."""
    a, b, c, d, e, f = (total(s[k] for s in items) for k in range(6))
    return (a, b, c, d, e, f)


def outer(a: Vector, b: Vector) -> Symmetric:
    """a bᵀ + b aᵀ."""
    return (
        2 * (a[0] * b[0]),
        2 * (a[1] * b[1]),
        2 * (a[2] * b[2]),
        a[0] * b[1] + a[1] * b[0],
        a[0] * b[2] + a[2] * b[0],
        a[1] * b[2] + a[2] * b[1],
    )


def square(a: Vector) -> Symmetric:
    """a aᵀ."""
    return (a[0] * a[0], a[1] * a[1], a[2] * a[2], a[0] * a[1], a[0] * a[2], a[1] * a[2])


def congruence(r: Matrix, s: Symmetric) -> Symmetric:
    """R S Rᵀ for a rotation R."""
    if is_identity(r) or all(e is ZERO for e in s):
        return s
    return symmetric_of(turned(r, symmetric_matrix(s)))


def turned(r: Matrix, a: Matrix) -> Matrix:
    """R A Rᵀ for a rotation R."""
    plane = _plane_rotation(r)
    if plane is not None:
        return _turned_in_plane(r, a, *plane)
    half = shared_matrix(product(r, a))
    x, y, z = ((dot(h, r[0]), dot(h, r[1]), dot(h, r[2])) for h in half)
    return (x, y, z)


def _plane_rotation(r: Matrix) -> tuple[int, int, Expr, Expr] | None:
    """(row, column, ±1, determinant) when R turns about one of its axes, up to a swap of axes; else nothing."""
    for i in range(3):
        for j in range(3):
            one = r[i][j]
            if isinstance(one, Const) and all(r[i][k] is ZERO for k in range(3) if k != j):
                i1, i2 = (i + 1) % 3, (i + 2) % 3
                j1, j2 = (j + 1) % 3, (j + 2) % 3
                det = r[i1][j1] * r[i2][j2] - r[i1][j2] * r[i2][j1]
                if isinstance(det, Const):
                    return i, j, one, det
    return None


def _turned_in_plane(r: Matrix, a: Matrix, i: int, j: int, one: Expr, det: Expr) -> Matrix:
    """R A Rᵀ for a turn in a plane.

    With rows (a, b), (c, d) orthonormal, b² = 1 - a² and b d = - a c, so that one product u = a (p - s) + b (q + r)
    serves all four entries of the block ((p, q), (r, s)).
    """
    i1, i2, j1, j2 = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    p, q, t, s = a[j1][j1], a[j1][j2], a[j2][j1], a[j2][j2]
    u = share(r[i1][j1] * share(p - s) + r[i1][j2] * share(q + t))
    au, cu = share(r[i1][j1] * u), share(r[i2][j1] * u)
    out: list[list[Expr]] = [[ZERO] * 3 for _ in range(3)]
    out[i][i] = a[j][j]
    out[i1][i1], out[i2][i2] = s + au, p - au
    out[i1][i2], out[i2][i1] = cu + det * q, cu + det * t
    for row, first, second in ((i1, r[i1][j1], r[i1][j2]), (i2, r[i2][j1], r[i2][j2])):
        out[row][i] = one * (first * a[j1][j] + second * a[j2][j])
        out[i][row] = one * (first * a[j][j1] + second * a[j][j2])
    x, y, z = ((o[0], o[1], o[2]) for o in out)
    return (x, y, z)


def is_identity(m: Matrix) -> bool:
    """Whether a matrix is structurally the identity."""
    return m == IDENTITY


def is_zero(a: Iterable[Expr]) -> bool:
    """Whether every entry is structurally zero."""
    return all(x is ZERO for x in a)


def shared(a: Vector) -> Vector:
    """The components as named intermediates."""
    return (share(a[0]), share(a[1]), share(a[2]))


def shared_matrix(m: Matrix) -> Matrix:
    """The entries as named intermediates."""
    return (shared(m[0]), shared(m[1]), shared(m[2]))


def shared_symmetric(s: Symmetric) -> Symmetric:
    """The entries as named intermediates."""
    a, b, c, d, e, f = (share(x) for x in s)
    return (a, b, c, d, e, f)


def axis_rotation(axis: int, s: Expr, c: Expr) -> Matrix:
    """Rotation about a coordinate axis (0, 1, 2) with sine s and cosine c."""
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    rows: list[list[Expr]] = [[ZERO] * 3 for _ in range(3)]
    rows[i][i] = ONE
    rows[j][j] = rows[k][k] = c
    rows[j][k], rows[k][j] = -s, s
    x, y, z = ((r[0], r[1], r[2]) for r in rows)
    return (x, y, z)


def quaternion_rotation(q: tuple[Expr, Expr, Expr, Expr]) -> Matrix:
    """Rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    xx, yy, zz = share(2 * x * x), share(2 * y * y), share(2 * z * z)
    xy, xz, yz = share(2 * x * y), share(2 * x * z), share(2 * y * z)
    wx, wy, wz = share(2 * w * x), share(2 * w * y), share(2 * w * z)
    return shared_matrix(
        (
            (1 - yy - zz, xy - wz, xz + wy),
            (xy + wz, 1 - xx - zz, yz - wx),
            (xz - wy, yz + wx, 1 - xx - yy),
        )
    )

"""Rows and matrices of a mechanism with contacts as straight-line C: no loop runs over a zero."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

#: an entry of a matrix: (row, column)
Entry = tuple[int, int]


@dataclass(frozen=True)
class Shape:
    """What a mechanism with contacts looks like, without its numbers.

    Attributes:
        nq: coordinates.
        nv: speeds.
        nx: first-order states.
        nu: inputs.
        parameters: length of the parameter vector.
        normal: for each contact the speeds that open it.
        slides: for each contact its sliding rows, each as the speeds that slide it.
        compliant: for each contact whether a law gives its force.
        dry: speeds with dry friction.
        mass: entries of the mass matrix, lower triangle.
        stiffness: entries of the slopes of the smooth forces by coordinates.
        damping: and by speeds.
        driven: (speed, coordinate) of every drive.
        balls: where the quaternions start.
    """

    nq: int
    nv: int
    nx: int
    nu: int
    parameters: int
    normal: list[list[int]]
    slides: list[list[list[int]]]
    compliant: list[bool]
    dry: list[int]
    mass: list[Entry]
    stiffness: list[Entry]
    damping: list[Entry]
    driven: list[Entry] = field(default_factory=list)
    balls: Sequence[int] = ()


class Layout:
    """Numbers of rows and places of entries."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        tangents = [row for rows in shape.slides for row in rows]
        #: speeds of every row with entries: normal, then sliding
        self.rows: list[list[int]] = [*shape.normal, *tangents]
        self.first_dry = len(self.rows)
        self.place: dict[Entry, int] = {}
        for j, row in enumerate(self.rows):
            for k in row:
                self.place[j, k] = len(self.place)
        #: (contact, first sliding row, last + 1)
        self.spans: list[tuple[int, int, int]] = []
        at = len(shape.normal)
        for i, rows in enumerate(shape.slides):
            if rows:
                self.spans.append((i, at, at + len(rows)))
            at += len(rows)
        self.fixed = [k for k, _ in shape.driven]
        mirrored = {(b, a) for a, b in shape.mass}
        self.base = sorted(
            {*shape.mass, *mirrored, *shape.stiffness, *shape.damping, *((k, k) for k in range(shape.nv))}
        )

    def g(self, j: int, k: int) -> str:
        """Where the entry of row j for speed k is."""
        return f"p->g[{self.place[j, k]}]"

    def b(self, k: int, l: int) -> str:
        """Where an entry of A is."""
        return f"p->base[{self.base.index((k, l))}]"


def _sum(terms: Sequence[str]) -> str:
    return " + ".join(terms) or "tw_set1(0.0)"


def make_base(at: Layout) -> list[str]:
    """A = M + θ h (D + θ h K), entry by entry."""
    s = at.shape
    lines = []
    for n, (k, l) in enumerate(at.base):
        held = (k, l) if (k, l) in s.mass else (l, k)
        terms = [f"p->mass[{s.mass.index(held)}]"] if held in s.mass else []
        if (k, l) in s.damping:
            terms.append(f"(h * theta) * p->d[{s.damping.index((k, l))}]")
        if (k, l) in s.stiffness:
            terms.append(f"(h * theta * theta * h) * p->k[{s.stiffness.index((k, l))}]")
        lines.append(f"p->base[{n}] = {_sum(terms)};")
    return lines


def inertia(at: Layout) -> list[str]:
    """A (w - v)."""
    lines = [f"const tw_real x{k} = p->w[{k}] - p->v[{k}];" for k in range(at.shape.nv)]
    for k in range(at.shape.nv):
        terms = [f"{at.b(k, l)} * x{l}" for l in range(at.shape.nv) if (k, l) in at.base]
        lines.append(f"p->moved[{k}] = {_sum(terms)};")
    return lines


def along(at: Layout) -> list[str]:
    """G x for every row."""
    lines = []
    for j, row in enumerate(at.rows):
        lines.append(f"to[{j}] = {_sum([f'{at.g(j, k)} * x[{k}]' for k in row])};")
    return lines + [f"to[{at.first_dry + i}] = x[{k}];" for i, k in enumerate(at.shape.dry)]


def push_back(at: Layout) -> list[str]:
    """r - Gᵀ p."""
    lines = []
    for k in range(at.shape.nv):
        terms = [f"{at.g(j, k)} * impulse[{j}]" for j, row in enumerate(at.rows) if k in row]
        terms += [f"impulse[{at.first_dry + i}]" for i, n in enumerate(at.shape.dry) if n == k]
        if terms:
            lines.append(f"right[{k}] = right[{k}] - " + " - ".join(terms) + ";")
    return lines


def components(size: int, entries: Iterable[Entry]) -> list[list[int]]:
    """Groups of indices that entries connect."""
    root = list(range(size))
    for k, l in entries:
        a, b = root[k], root[l]
        if a != b:
            root = [a if r == b else r for r in root]
    return [[k for k in range(size) if root[k] == r] for r in sorted(set(root))]


def soften(at: Layout) -> list[str]:
    """The inverse of the base by Gauss and Jordan, group by group; then g A⁻¹ gᵀ of every row."""
    lines = [f"tw_real a{k}_{l} = {at.b(k, l)};" for k, l in at.base]
    known = set(at.base)
    for group in components(at.shape.nv, at.base):
        for k in group:
            for l in group:
                if (k, l) not in known:
                    lines.append(f"tw_real a{k}_{l} = tw_set1(0.0);")
                    known.add((k, l))
        for p in group:
            lines.append(f"a{p}_{p} = 1.0 / a{p}_{p};")
            lines += [f"a{p}_{l} = a{p}_{l} * a{p}_{p};" for l in group if l != p]
            for k in group:
                if k != p:
                    lines += [f"a{k}_{l} = a{k}_{l} - a{k}_{p} * a{p}_{l};" for l in group if l != p]
                    lines.append(f"a{k}_{p} = -a{k}_{p} * a{p}_{p};")
    for j, row in enumerate(at.rows):
        parts = []
        for k in row:
            inner = [f"a{k}_{l} * {at.g(j, l)}" for l in row if (k, l) in known]
            parts.append(f"{at.g(j, k)} * ({_sum(inner)})")
        lines.append(f"p->soft[{j}] = {_sum(parts)};")
    lines += [f"p->soft[{at.first_dry + i}] = a{k}_{k};" for i, k in enumerate(at.shape.dry)]
    return lines


def order(free: Sequence[int], entries: set[Entry]) -> tuple[list[int], set[Entry]]:
    """An order of elimination that fills little in, and the entries with those filled in."""
    filled = {(k, l) for k, l in entries if k in free and l in free}
    left = list(free)
    made: list[int] = []
    while left:
        near = {k: {l for l in left if l != k and ((k, l) in filled or (l, k) in filled)} for k in left}
        p = min(left, key=lambda k: (len(near[k]), k))
        rows = [k for k in near[p] if (k, p) in filled]
        columns = [l for l in near[p] if (p, l) in filled]
        filled |= {(k, l) for k in rows for l in columns}
        left.remove(p)
        made.append(p)
    return made, filled


def solve(at: Layout) -> list[str]:
    """The matrix of a Newton step and its solution, driven speeds left out."""
    s = at.shape
    free = [k for k in range(s.nv) if k not in at.fixed]
    plus: dict[Entry, list[str]] = {}
    minus: dict[Entry, list[str]] = {}
    lines = []
    for j, row in enumerate(at.rows):
        for k in row:
            lines.append(f"const tw_real s{j}_{k} = weight[{j}] * {at.g(j, k)};")
            for l in row:
                if l <= k:
                    plus.setdefault((k, l), []).append(f"s{j}_{k} * {at.g(j, l)}")
    for n, k in enumerate(s.dry):
        plus.setdefault((k, k), []).append(f"weight[{at.first_dry + n}]")
    for i, first, last in at.spans:
        for j in range(first, last):
            for k in at.rows[j]:
                lines.append(f"const tw_real f{j}_{k} = follow[{j}] * {at.g(j, k)};")
                for l in s.normal[i]:
                    minus.setdefault((k, l), []).append(f"f{j}_{k} * {at.g(i, l)}")
    for i, first, last in at.spans:
        if last - first == 2:
            reach = sorted({*at.rows[first], *at.rows[first + 1]})
            for k in reach:
                ends = [f"p->slope[{first}] * {at.g(first + 1, k)}"] if k in at.rows[first + 1] else []
                ends += [f"-p->slope[{first + 1}] * {at.g(first, k)}"] if k in at.rows[first] else []
                lines.append(f"const tw_real c{i}_{k} = {_sum(ends)}, d{i}_{k} = side[{i}] * c{i}_{k};")
                for l in reach:
                    if l <= k:
                        plus.setdefault((k, l), []).append(f"d{i}_{k} * c{i}_{l}")
    mirrored = {(l, k) for k, l in plus}
    sequence, filled = order(free, {*at.base, *plus, *mirrored, *minus})
    for (k, l), terms in plus.items():
        if k in free and l in free:
            lines.append(f"const tw_real m{k}_{l} = {_sum(terms)};")
    for k, l in sorted(filled):
        terms = [at.b(k, l)] if (k, l) in at.base else []
        if (k, l) in plus or (l, k) in plus:
            terms.append(f"m{max(k, l)}_{min(k, l)}")
        text = _sum(terms + minus.get((k, l), []))
        lines.append(f"tw_real a{k}_{l} = {text};")
    lines += [f"tw_real r{k} = x[{k}];" for k in free]
    for n, p in enumerate(sequence):
        later = sequence[n + 1 :]
        lines.append(f"const tw_real i{p} = 1.0 / a{p}_{p};")
        for k in later:
            if (k, p) not in filled:
                continue
            lines.append(f"const tw_real e{k}_{p} = a{k}_{p} * i{p};")
            lines += [f"a{k}_{l} = a{k}_{l} - e{k}_{p} * a{p}_{l};" for l in later if (p, l) in filled]
            lines.append(f"r{k} = r{k} - e{k}_{p} * r{p};")
    for n, p in reversed([*enumerate(sequence)]):
        terms = [f" - a{p}_{l} * r{l}" for l in sequence[n + 1 :] if (p, l) in filled]
        lines.append(f"r{p} = (r{p}{''.join(terms)}) * i{p};")
    lines += [f"x[{k}] = r{k};" for k in free]
    lines += [f"x[{k}] = tw_set1(0.0);" for k in at.fixed]
    return lines


def normalise(at: Layout) -> list[str]:
    """Quaternions brought back to length one."""
    lines = ["(void)q;"]
    for b in at.shape.balls:
        squares = _sum([f"q[{b + i}] * q[{b + i}]" for i in range(4)])
        lines.append(f"{{ const tw_real size = tw_sqrt({squares});")
        lines += [f"q[{b + i}] = q[{b + i}] / size;" for i in range(4)]
        lines.append("}")
    return lines

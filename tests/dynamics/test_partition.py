"""The equations of a partition against NumPy: the same mechanism with its multipliers, solved as one system."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation import Array, Bench
from mechanisms import moved, random_states, random_tree
from test_closure import closed_tree

from touchweight.codegen.compiler import find_compiler
from touchweight.dynamics.closure import closure_rows
from touchweight.dynamics.drives import driven_motions
from touchweight.dynamics.forces import gather_forces
from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.dynamics.mass import mass_matrix
from touchweight.dynamics.partition import Partition, Reduction
from touchweight.mechanism import Mechanism
from touchweight.simulate.assembly import assemble
from touchweight.symbolic import Expr, cos, sin

SEEDS = (0, 1, 2, 3)
TIME = 0.3


def tied_tree(seed: int) -> Mechanism:
    """A random tree with a ball, a rod, equations on positions with time and on speeds, a drive and a lag."""
    m = random_tree(seed, bodies=5).mechanism
    bodies = [b for b in m.bodies.values() if b is not m.ground]
    m.cut_ball("ball", m.frame("here", bodies[0], (0.1, 0.2, 0.3)), m.frame("there", bodies[-1], (-0.2, 0.1, 0.0)))
    m.rod("rod", m.frame("post", m.ground, (0.3, -0.4, 0.9)), bodies[len(bodies) // 2], 0.8)
    turns = [j.coordinates[0] for j in m.joints.values() if j.kind in ("revolute", "prismatic")]
    m.constraint("clock", m.q(turns[-1]) - 0.3 * m.q(turns[0]) - 0.2 * sin(3.0 * m.time))
    m.speed_constraint("roll", m.v(m.speeds[-1]) - (0.4 + sin(m.q(turns[0]))) * m.v(m.speeds[1]))
    if len(turns) > 2:
        m.drive(turns[1], 0.5 * sin(2.0 * m.time))
    lag = m.state("lag", lambda x: 3.0 * m.v(turns[0]) - 2.0 * x, initial=0.4)
    m.joint_law("pull", turns[-1], lag - 0.7 * m.v(turns[-1]) - 2.0 * m.q(turns[-1]))
    return m


class Reduced:
    """A mechanism, the partition chosen at a state, and numbers of its expressions there."""

    def __init__(self, mechanism: Mechanism, q: Array, v: Array, locked: int = 0) -> None:
        self.mechanism, self.q, self.v = mechanism, q, v
        self.bench = Bench(mechanism)
        self.tree = self.bench.tree
        self.rows = closure_rows(mechanism, self.tree, self.bench.where)
        self.driven = driven_motions(mechanism, self.tree)
        held = [d.speed for d in self.driven]
        free = [k for k in range(len(v)) if k not in held]
        self.jacobian = self.matrix()
        # locked is what leaves the rows best conditioned
        without = {k: [i for i in free if i != k] for k in free}
        strength = {k: np.linalg.svd(self.jacobian[:, rest], compute_uv=False)[-1] for k, rest in without.items()}
        self.locked = [max(free, key=lambda k: strength[k])] if locked else []
        self.free = [k for k in free if k not in self.locked]
        dependent = self.choose()
        reference = self.jacobian[:, dependent]
        self.partition = Partition(list(range(len(self.rows))), dependent, reference, self.locked)
        self.reduction = Reduction(mechanism, self.tree, self.bench.where, self.partition)

    def numbers(self, exprs: list[Expr], q: Array | None = None, v: Array | None = None) -> Array:
        if not exprs:
            return np.zeros(0)
        at = self.bench.at(*(x[None] for x in (self.q if q is None else q, self.v if v is None else v)))
        more = {self.mechanism.time: TIME, **{s.symbol: 0.4 for s in self.mechanism.states.values()}}
        return at.numbers(exprs, more)[0]

    def matrix(self) -> Array:
        out = np.zeros((len(self.rows), len(self.v)))
        for i, row in enumerate(self.rows):
            out[i, list(row.jacobian)] = self.numbers(list(row.jacobian.values()))
        return out

    def choose(self) -> list[int]:
        """A column for each row, those of positions first, by complete pivoting."""
        a, chosen = self.jacobian.copy(), []
        positions = sum(r.residual is not None for r in self.rows)
        for k in range(len(a)):
            end = positions if k < positions else len(a)
            sizes = np.abs(a[k:end][:, self.free])
            i, j = np.unravel_index(np.argmax(sizes), sizes.shape)
            column = self.free[int(j)]
            a[[k, k + i]] = a[[k + i, k]]
            a[k + 1 :] -= np.outer(a[k + 1 :, column] / a[k, column], a[k])
            chosen.append(column)
            a[:, column] = 0.0
        return chosen

    def closed_speeds(self) -> Array:
        """NumPy's: the dependent ones from the others, drives as given, locks at rest."""
        v = self.v.copy()
        v[self.locked] = 0.0
        d = self.partition.dependent
        v[d] = 0.0
        rate = self.numbers([r.rate for r in self.rows])
        v[d] = np.linalg.solve(self.jacobian[:, d], -self.jacobian @ v - rate)
        return v


@pytest.fixture(params=SEEDS)
def case(request) -> Reduced:
    m = tied_tree(request.param)
    state = random_states(m, 1, request.param)
    return Reduced(m, state.q[0], state.v[0])


def test_dependent_speeds_close_every_row(case):
    expected = case.closed_speeds()
    assert case.numbers(case.reduction.speeds()) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    nonsense = case.v.copy()
    nonsense[case.partition.dependent] = 1e6
    assert case.numbers(case.reduction.speeds(), v=nonsense) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_newton_s_step_is_minus_h_over_j_and_only_on_the_dependent(case):
    residuals, step, health = case.reduction.newton()
    n = len(residuals)
    h = case.numbers(residuals)
    expected = np.zeros(len(case.v))
    d = case.partition.dependent[:n]
    expected[d] = np.linalg.solve(case.jacobian[:n][:, d], -h)
    assert case.numbers(step) == pytest.approx(expected, rel=1e-8, abs=1e-9)
    assert case.numbers([health]) == pytest.approx([1.0], rel=1e-9)


def test_health_watches_rows_on_speeds_as_well():
    m = Mechanism("skate")
    m.planar("ice", m.ground, m.body("sled", mass=1.0, inertia=(1.0, 1.0, 1.0)), axis="z")
    x, y, turn = m.joints["ice"].coordinates
    m.speed_constraint("edge", cos(m.q(turn)) * m.v(y) - sin(m.q(turn)) * m.v(x))
    case = Reduced(m, np.zeros(3), np.ones(3))
    _, _, health = case.reduction.newton()
    for angle in (0.0, 1.0, 1.5, np.pi / 2):
        assert case.numbers([health], q=np.array([0.0, 0.0, angle])) == pytest.approx([abs(np.cos(angle))], abs=1e-12)


@pytest.mark.parametrize("locked", [0, 1])
@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_and_forces_are_those_of_the_whole_system(seed, locked):
    """[M -Jᵀ; J 0] [a; λ] = [-c; -d], with what is driven and locked moved to the right."""
    m = tied_tree(seed)
    state = random_states(m, 1, seed)
    case = Reduced(m, state.q[0], state.v[0], locked)
    v = case.closed_speeds()
    forces = gather_forces(m, case.tree, case.bench.where)
    still: list[Expr] = [0.0 * s for s in case.tree.v]
    tau = inverse_dynamics(case.tree, case.bench.where, still, forces.wrenches)
    c = case.numbers([t - g for t, g in zip(tau, forces.generalised, strict=True)], v=v)
    n = len(v)
    symbolic = mass_matrix(case.tree, case.bench.where)
    mass = case.numbers([symbolic.get(max(i, k), min(i, k)) for i in range(n) for k in range(n)]).reshape(n, n)
    drift = case.numbers([r.drift for r in case.rows], v=v)
    a = np.zeros(n)
    a[[d.speed for d in case.driven]] = case.numbers([d.acceleration for d in case.driven])
    free, rows = case.free, len(case.rows)
    j = case.jacobian[:, free]
    whole = np.block([[mass[np.ix_(free, free)], -j.T], [j, np.zeros((rows, rows))]])
    right = np.concatenate([-(c + mass @ a)[free], -(drift + case.jacobian @ a)])
    found = np.linalg.solve(whole, right)
    a[free] = found[: len(free)]
    rates = case.reduction.rates(with_forces=True)
    scale = np.abs(a).max()
    assert case.numbers(rates.dv) == pytest.approx(a, rel=1e-7, abs=1e-8 * scale)
    assert case.numbers(rates.speeds) == pytest.approx(v, rel=1e-9, abs=1e-9)
    assert case.numbers(rates.dx) == pytest.approx(case.numbers(forces.state_rates, v=v), rel=1e-9, abs=1e-9)
    pushes = found[len(free) :]
    held = [d.speed for d in case.driven] + case.locked
    taken = (mass @ a + c - case.jacobian.T @ pushes)[held]
    largest = np.abs(np.concatenate([pushes, taken])).max()
    assert case.numbers(rates.forces) == pytest.approx(np.concatenate([pushes, taken]), rel=1e-6, abs=1e-8 * largest)
    h = 1e-6
    q1, q0 = (moved(m, case.q[None], v[None], s * h)[0] for s in (1.0, -1.0))
    assert case.numbers(rates.dq) == pytest.approx((q1 - q0) / (2 * h), abs=1e-8)


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler found")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("seed", "kind"), [(100, "hinge"), (101, "body"), (107, "hinge"), (112, "ball"), (113, "rod")])
def test_random_linkages_keep_their_energy_and_stay_closed(seed, kind):
    """Cuts of every kind through random trees, some of their rows redundant, or all: fourth order throughout."""
    m, q, v, _ = closed_tree(seed, kind, random_tree(seed, bodies=3).mechanism)
    model = m.compile()
    drifts = []
    for dt in (4e-3, 2e-3):
        run = model.simulate(0.08, state=assemble(model, state=model.state(q=q, v=0.3 * v)), dt=dt)
        energy = run["energy.total"]
        drifts.append(np.abs(energy - energy[0]).max())
        assert run["loops.residual"].max() < 1e-12
    assert drifts[1] < 1e-12 or 10.0 < drifts[0] / drifts[1] < 24.0

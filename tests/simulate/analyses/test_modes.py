"""Modes: frequencies and shapes known in closed form, and a quarter car derived by hand."""

import math

import analysed
import numpy as np
import pytest

import touchweight as tw
from touchweight.simulate.analyses import modes

#: quarter car: body, wheel, arm [kg], arm and place of the strut on it [m], its height [m], rates [N/m], damper [N s/m]
BODY, WHEEL, ARM = 300.0, 30.0, 6.0
LENGTH, STRUT, HEIGHT, TYRE_HEIGHT = 0.4, 0.25, 0.35, 0.3
SPRING, TYRE, DAMPER, G = 40e3, 180e3, 3000.0, 9.81


def quarter_car() -> tw.Mechanism:
    """The body goes up and down; an arm on it leads the wheel, a body of its own, pinned to the arm: a loop."""
    m = tw.Mechanism("quarter car", gravity=(0, 0, -G))
    body, arm = m.body("body", mass=BODY), m.body("arm", mass=ARM, com=(LENGTH / 2, 0, 0), inertia=(0, 0.08, 0.08))
    m.prismatic("body", m.ground, body, axis="z")
    m.revolute("arm", body, arm, axis="-y")
    across, up = m.body("shuttle", mass=0.0), m.body("wheel", mass=WHEEL)
    m.prismatic("across", m.ground, across, axis="x", origin=(LENGTH, 0, 0))
    m.prismatic("wheel", across, up, axis="z")
    m.cut_pin("pin", m.frame("tip", arm, origin=(LENGTH, 0, 0)), up, axis="y")
    # what arm and body weigh goes through the strut, so that the arm is level at rest
    force = ((BODY + ARM) * LENGTH - ARM * LENGTH / 2) * G / STRUT
    top, low = m.frame("top", body, origin=(STRUT, 0, HEIGHT)), m.frame("seat", arm, origin=(STRUT, 0, 0))
    m.spring("strut", top, low, SPRING, HEIGHT + force / SPRING, DAMPER)
    load = (BODY + ARM + WHEEL) * G
    m.spring("tyre", m.frame("road", m.ground, origin=(LENGTH, 0, -TYRE_HEIGHT)), up, TYRE, TYRE_HEIGHT + load / TYRE)
    return m


def by_hand():
    """In (z, θ): the wheel's height is z + L θ, the strut shortens by s θ: its motion ratio is s / L."""
    half = LENGTH / 2
    m = np.array(
        [
            [BODY + ARM + WHEEL, ARM * half + WHEEL * LENGTH],
            [ARM * half + WHEEL * LENGTH, 0.08 + ARM * half**2 + WHEEL * LENGTH**2],
        ]
    )
    k = TYRE * np.array([[1.0, LENGTH], [LENGTH, LENGTH**2]]) + SPRING * np.array([[0.0, 0.0], [0.0, STRUT**2]])
    d = DAMPER * np.array([[0.0, 0.0], [0.0, STRUT**2]])
    a = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(m, k), -np.linalg.solve(m, d)]])
    values, vectors = np.linalg.eig(a)
    order = np.argsort(np.abs(values))
    return values[order], vectors[:2, order]


@pytest.mark.filterwarnings("ignore:.*no mass", "ignore:.*shuttle", "ignore:.*expected each principal moment")
def test_the_quarter_car_is_the_one_derived_by_hand():
    model = quarter_car().compile()
    found = modes(model)
    assert found.state.q == pytest.approx(np.zeros(4), abs=1e-9)  # in place: the springs were set for it
    values, vectors = by_hand()
    wanted = values[values.imag > 0]
    assert [m.eigenvalue for m in found] == pytest.approx(list(wanted), rel=1e-9)
    assert found.frequencies == pytest.approx(np.abs(wanted) / (2 * math.pi), rel=1e-9)
    assert found.damping == pytest.approx(-wanted.real / np.abs(wanted), rel=1e-8)
    for mode, vector in zip(found, vectors[:, values.imag > 0].T, strict=True):
        assert mode.shape["arm"] / mode.shape["body"] == pytest.approx(vector[1] / vector[0], rel=1e-7)
        height = mode.shape["body"] + LENGTH * mode.shape["arm"]
        assert mode.shape["wheel"] == pytest.approx(height, rel=1e-7)
        assert mode.shape["across"] == pytest.approx(0.0, abs=1e-9)


def test_a_string_of_masses_has_its_textbook_frequencies():
    """n equal masses between n + 1 equal springs: ω = 2 √(k/m) sin(i π / (2 (n + 1)))."""
    n, k, mass = 5, 300.0, 0.7
    m = tw.Mechanism("string", gravity=(0, 0, 0))
    blocks = [m.body(f"block{i}", mass=mass) for i in range(n)]
    for i, block in enumerate(blocks):
        m.prismatic(f"x{i}", m.ground, block, axis="x", origin=(0.1 * (i + 1), 0, 0))
    places = [m.ground, *blocks, m.frame("wall", m.ground, origin=(0.1 * (n + 1), 0, 0))]
    for i in range(n + 1):
        m.spring(f"spring{i}", places[i], places[i + 1], k, 0.1)
    found = modes(m.compile())
    wanted = 2 * math.sqrt(k / mass) * np.sin(np.arange(1, n + 1) * math.pi / (2 * (n + 1))) / (2 * math.pi)
    assert found.frequencies == pytest.approx(wanted, rel=1e-10)
    first = np.sin(np.arange(1, n + 1) * math.pi / (n + 1))
    assert found.shapes[:, 0].real == pytest.approx(first / first.max(), abs=1e-9)
    assert {m.kind for m in found} == {"vibration"}


def test_free_and_creeping_motions_are_told_apart():
    m = tw.Mechanism("mixed", gravity=(0, 0, 0))
    m.prismatic("free", m.ground, m.body("a", mass=1.0), axis="x")
    m.prismatic("slow", m.ground, m.body("b", mass=1.0), axis="x", stiffness=1.0, damping=4.0)
    found = modes(m.compile())
    assert [mode.kind for mode in found] == ["free", "decay", "decay"]
    assert abs(found[0].shape["free"]) == 1.0
    assert [mode.eigenvalue for mode in found[1:]] == pytest.approx([-2 + math.sqrt(3), -2 - math.sqrt(3)])
    assert found.damping == pytest.approx([0.0, 1.0, 1.0])


def test_an_inverted_pendulum_grows():
    m = tw.Mechanism("inverted")
    m.revolute("hip", m.ground, m.body("rod", mass=1.0, com=(0, 0, 0.5), inertia=(1 / 12, 1 / 12, 0)), axis="y")
    found = modes(m.compile())
    rate = math.sqrt(1.5 * 9.81)
    assert sorted(mode.eigenvalue.real for mode in found) == pytest.approx([-rate, rate])
    assert {mode.kind for mode in found} == {"decay", "growth"}


def test_modes_about_a_state_that_was_given():
    model = analysed.rhombus().compile()
    state = model.equilibrium({"crank": -0.6}).state
    assert modes(model, state).frequencies == pytest.approx(modes(model, q={"crank": -0.6}).frequencies)
    assert not len(modes(model, q={"crank": 0.4}, hold=["crank"]))


def test_a_drive_holds_what_it_drives():
    """Pendulum on a cart that is driven: as one with a fixed pivot."""
    found = modes(analysed.driven_pendulum().compile())
    inertia = 0.07 + 1.2 * 0.4**2
    assert found.frequencies == pytest.approx([math.sqrt(1.2 * 9.81 * 0.4 / inertia) / (2 * math.pi)])
    assert found[0].shape["rail"] == 0.0


def test_the_moving_picture_stays_closed(tmp_path):
    pytest.importorskip("PIL")
    from touchweight.simulate.analyses.mode_picture import mode_motion

    model = analysed.rhombus().compile()
    found = modes(model, q={"crank": -0.6})
    t, q = mode_motion(model, found.state, found[0])
    loops = model.loops()
    assert max(np.abs(loops.closure(x, 0.0, found.state.parameters).h).max() for x in q) < 1e-10
    assert 0.3 < np.ptp(q[:, 0]) / 2 < 0.4 and np.ptp(t) == 4.0
    assert found.animate(1, tmp_path / "mode.gif") > 50
    assert (tmp_path / "mode.gif").read_bytes().startswith(b"GIF89a")
    with pytest.raises(tw.ShapeError, match="expected a mode from 1 to 1, found 2"):
        found.animate(2, tmp_path / "mode.gif")
    with pytest.raises(tw.TouchweightError, match="expected a place for a GIF"):
        found.animate(1, tmp_path / "no" / "folder.gif")


def test_a_free_body_on_three_springs_has_names_for_all_it_does():
    """Displacements of a free joint are named after its coordinates, its turns after their axes."""
    m = tw.Mechanism("floating", gravity=(0, 0, 0))
    body = m.body("body", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.free("fly", body)
    for axis, k in (("x", 8.0), ("y", 18.0), ("z", 32.0)):
        m.joint_law(f"spring {axis}", f"fly.v{axis}", -k * m.q(f"fly.{axis}"))
    model = m.compile()
    found = modes(model)
    assert found.frequencies == pytest.approx([0.0, 0.0, 0.0, *(w / (2 * math.pi) for w in (2.0, 3.0, 4.0))], abs=1e-9)
    assert set(found[3].shape) == {"fly.x", "fly.y", "fly.z", "angle.fly.wx", "angle.fly.wy", "angle.fly.wz"}
    assert [max(mode.shape, key=lambda n: abs(mode.shape[n])) for mode in found[3:]] == ["fly.x", "fly.y", "fly.z"]
    assert found.linear.units["fly.x"] == "m" and found.linear.units["angle.fly.wx"] == "rad"
    held = model.equilibrium({"fly.x": 0.25}, hold=["fly.x"])
    assert held.forces == pytest.approx({"fly.x": 8.0 * 0.25}) and held.units["fly.x"] == "N"

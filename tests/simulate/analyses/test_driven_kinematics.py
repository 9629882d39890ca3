"""Kinematics and inverse dynamics along trajectories: closed forms, and forward dynamics as the witness."""

import math

import analysed
import numpy as np
import pytest

import touchweight as tw
from touchweight.library import build
from touchweight.library.classics import stewart
from touchweight.simulate.analyses import AnalysisError, inverse_trajectory, kinematics

CRANK, ROD = 0.1, 0.3


@pytest.fixture(scope="module")
def engine():
    return analysed.slider_crank().compile()


def swing(t):
    """Angle, speed, acceleration."""
    return 0.5 + 3.0 * t + 0.3 * math.sin(2.0 * t), 3.0 + 0.6 * math.cos(2.0 * t), -1.2 * math.sin(2.0 * t)


def test_the_piston_goes_where_trigonometry_says(engine):
    t = np.linspace(0.0, 3.0, 301)
    run = kinematics(engine, t, {"crank": swing})
    angle, w, a = np.array([swing(s) for s in t]).T
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(ROD**2 - CRANK**2 * s**2)
    first = -CRANK * s - CRANK**2 * s * c / root
    second = -CRANK * c - CRANK**2 * (c**2 - s**2) / root - CRANK**4 * s**2 * c**2 / root**3
    np.testing.assert_allclose(run["slide"], CRANK * c + root, atol=1e-13)
    np.testing.assert_allclose(run["v.slide"], first * w, atol=1e-12)
    np.testing.assert_allclose(run["a.slide"], second * w**2 + first * a, atol=1e-11)
    assert run["loops.residual"].max() < 1e-12 and run.units["a.slide"] == "m/s²"
    assert "force.crank" not in run


def forward_agrees(model, run, driven):
    """The forces that inverse dynamics found make the motion they were found for."""
    loops = model.loops()
    at = {n: i for i, n in enumerate(model.speeds)}
    for i in range(0, len(run.t), max(1, len(run.t) // 7)):
        q, v, a = (np.array([run[f"{p}{n}"][i] for n in ns]) for p, ns in _channels(model))
        tau = np.zeros(model.nv)
        for name in driven:
            tau[at[name]] = run[f"force.{name}"][i]
        u = np.array([run[n][i] for n in model.inputs])
        found, force, _ = loops.accelerations(q, v, np.zeros(0), u, float(run.t[i]), model.parameters, tau)
        np.testing.assert_allclose(found, a, atol=1e-8 * (1.0 + np.abs(a).max()))
        rows = [loops.rows[k] for k in loops.chosen.partition.rows]
        wanted = [run[f"force.{r}"][i] for r in rows]
        np.testing.assert_allclose(force[loops.chosen.partition.rows], wanted, atol=1e-8 * (1 + np.abs(force).max()))


def _channels(model):
    return ("", model.coordinates), ("v.", model.speeds), ("a.", model.speeds)


def test_forces_make_the_motion_they_belong_to(engine):
    run = inverse_trajectory(engine, np.linspace(0.0, 2.0, 50), {"crank": swing})
    forward_agrees(engine, run, ["crank"])
    assert run.units["force.crank"] == "N m"


def test_legs_lead_a_platform_and_their_forces_lead_it_too():
    model = stewart.build().compile()
    legs = {
        f"leg{i}": lambda t, i=i: (0.04 * math.sin(2 * t + i), 0.08 * math.cos(2 * t + i), -0.16 * math.sin(2 * t + i))
        for i in range(1, 7)
    }
    run = inverse_trajectory(model, np.linspace(0.0, 1.0, 15), legs)
    forward_agrees(model, run, legs)
    assert run["loops.residual"].max() < 1e-10
    # speeds of a ball are not rates of its coordinates: the turning plate is a witness of both
    h = 1e-3
    near = kinematics(model, [0.5 - h, 0.5, 0.5 + h], legs)
    q = np.column_stack([near[n] for n in model.coordinates])
    before, now, after = model.sensors(q)["attitude"]
    spin = (after - before) @ now.T / (2 * h)
    tilt = [near[f"tilt.{k}"][1] for k in "xyz"]
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], tilt, atol=1e-5)


def test_on_a_tree_it_is_inverse_dynamics():
    model = build("arm").compile()
    t = np.linspace(0.0, 1.0, 21)
    motions = {
        n: lambda t, k=k: (math.sin(k * t), k * math.cos(k * t), -k * k * math.sin(k * t))
        for k, n in enumerate(model.speeds, 1)
    }
    run = inverse_trajectory(model, t, motions)
    q, v, a = (np.column_stack([run[f"{p}{n}"] for n in names]) for p, names in _channels(model))
    np.testing.assert_allclose(
        np.column_stack([run[f"force.{n}"] for n in model.speeds]), model.inverse(q, v, a), atol=1e-10
    )


def test_power_of_the_drive_is_the_gain_of_energy():
    """Without friction, what the crank's torque delivers is stored."""
    model = analysed.rhombus().compile()
    t = np.linspace(0.0, 1.0, 2001)
    run = inverse_trajectory(model, t, {"crank": swing}, parameters={"diagonal.damping": 0.0})
    power = run["force.crank"] * run["v.crank"]
    stored = run["energy.total"] - run["energy.total"][0]
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    np.testing.assert_allclose(work, stored, atol=2e-6 * np.ptp(stored))


# -- sources, branches ---------------------------------------------------------------------------------------
def test_values_samples_functions_and_recordings_say_the_same(engine):
    t = np.linspace(0.0, 1.0, 401)
    angle = 0.5 + np.sin(t)
    exact = kinematics(engine, t, {"crank": lambda s: (0.5 + math.sin(s), math.cos(s), -math.sin(s))})
    for source in (
        angle,
        list(angle),
        (t, angle),
        lambda s: 0.5 + math.sin(s),
        tw.Recording("r", t, {"crank": angle}, {}),
    ):
        run = kinematics(engine, t, {"crank": source})
        for channel, close in (("slide", 1e-12), ("v.slide", 1e-8), ("a.slide", 1e-5)):
            np.testing.assert_allclose(run[channel], exact[channel], atol=close)


def test_the_branch_stays_the_same_however_far_apart_the_samples(engine):
    fine = kinematics(engine, np.linspace(0.0, 1.0, 401), {"crank": lambda t: 0.5 + 6.0 * t})
    coarse = kinematics(engine, np.linspace(0.0, 1.0, 5), {"crank": lambda t: 0.5 + 6.0 * t})
    for name in ("wrist", "slide"):
        np.testing.assert_allclose(coarse[name], fine[name][::100], atol=1e-10)


def test_the_guess_selects_the_branch():
    model = analysed.rhombus(spring=False).compile()
    drive = {"crank": lambda t: 0.4 + 0.2 * t}
    first = kinematics(model, np.linspace(0.0, 1.0, 11), drive)
    other = kinematics(model, np.linspace(0.0, 1.0, 11), drive, q={"coupler": 1.7, "rocker": 2.0})
    np.testing.assert_allclose(first["rocker"], first["crank"], atol=1e-12)
    assert np.abs(other["rocker"] - other["crank"]).min() > 0.1 and other["loops.residual"].max() < 1e-12


def test_a_drive_of_the_description_goes_on():
    model = analysed.whirled().compile()
    t = np.linspace(0.0, 1.0, 11)
    run = inverse_trajectory(model, t, {"elbow": 0.3})
    np.testing.assert_allclose(run["shoulder"], 0.5 + 3.0 * t + 0.2 * np.sin(2.0 * t), atol=1e-14)
    np.testing.assert_allclose(run["v.shoulder"], 3.0 + 0.4 * np.cos(2.0 * t), atol=1e-13)
    assert {"force.elbow", "force.shoulder"} <= set(run)


def test_a_live_drive_takes_its_motion_from_here():
    model = analysed.slider_crank(drive=True).compile()
    run = kinematics(model, np.linspace(0.0, 1.0, 5), {"crank": swing})
    np.testing.assert_allclose(run["crank"], [swing(t)[0] for t in run.t])
    np.testing.assert_allclose(run["crank.velocity"], run["v.crank"])


def test_coordinates_of_a_free_body_can_be_driven():
    """A ball on a string, led in a circle by its x and y; three turns are held."""
    m = tw.Mechanism("string")
    m.free("ball", m.body("ball", mass=0.5, inertia=(1e-3, 1e-3, 1e-3)), initial=[0.3, 0, -0.4, 1, 0, 0, 0])
    m.rod("string", m.frame("hook", m.ground), "ball", 0.5)
    model = m.compile()
    t = np.linspace(0.0, 1.0, 21)
    w = math.sqrt(9.81 / 0.4)  # a conical pendulum: nothing has to push
    circle = {
        "ball.x": lambda t: (0.3 * math.cos(w * t), -0.3 * w * math.sin(w * t), -0.3 * w * w * math.cos(w * t)),
        "ball.y": lambda t: (0.3 * math.sin(w * t), 0.3 * w * math.cos(w * t), -0.3 * w * w * math.sin(w * t)),
    }
    run = inverse_trajectory(model, t, circle, hold=["ball.wx", "ball.wy", "ball.wz"])
    np.testing.assert_allclose(run["ball.z"], -0.4, atol=1e-12)
    np.testing.assert_allclose(run["force.ball.x"], 0.0, atol=1e-10)
    np.testing.assert_allclose(run["force.ball.y"], 0.0, atol=1e-10)
    np.testing.assert_allclose(run["force.string"], -0.5 * 9.81 * 0.5 / 0.4, atol=1e-10)


# -- what cannot be ------------------------------------------------------------------------------------------
def test_a_dead_centre_is_named_with_the_value_reached(engine):
    with pytest.raises(
        AnalysisError, match=r"dead centre at slide = 0\.4 \(t = 0\.666\d* s\), beyond which they cannot"
    ):
        kinematics(engine, np.linspace(0.0, 2.0, 30), {"slide": lambda t: 0.35 + 0.075 * t})


def test_so_many_drives_as_degrees_of_freedom(engine):
    with pytest.raises(AnalysisError, match="degrees of freedom, 1, found 0; there are crank, wrist, slide"):
        kinematics(engine, [0.0, 1.0], {})
    with pytest.raises(AnalysisError, match="degrees of freedom, 1, found 2"):
        kinematics(engine, [0.0, 1.0], {"crank": 0.5, "slide": 0.3})
    with pytest.raises(AnalysisError, match="found 'edge' on speeds"):
        kinematics(analysed.rolling_disc().compile(), [0.0, 1.0], {"ground.x": 0.0})


def test_mistakes_are_one_sentence(engine):
    with pytest.raises(tw.ShapeError, match="expected rising times"):
        kinematics(engine, [1.0, 0.0], {"crank": 0.0})
    with pytest.raises(tw.ShapeError, match="turn or slide to drive, crank, wrist, slide; found 'crunk'"):
        kinematics(engine, [0.0, 1.0], {"crunk": 0.0})
    with pytest.raises(tw.ShapeError, match="as many values as times for 'crank', 2, found shape"):
        kinematics(engine, [0.0, 1.0], {"crank": [0.0, 1.0, 2.0]})
    with pytest.raises(tw.ShapeError, match="finite"):
        kinematics(engine, [0.0, 1.0], {"crank": math.nan})
    with pytest.raises(tw.TouchweightError, match="expected loops that close, found 'pin' open by"):
        kinematics(engine, [0.0, 1.0], {"slide": 2.0})

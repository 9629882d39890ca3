"""``touchweight simulate`` and ``play``: the numbers of the model, in files where they were asked for."""

import importlib.util

import numpy as np
import pytest
from mechanisms_to_take import flyer, hostile, zoo

import touchweight as tw
from touchweight.cli import main
from touchweight.cli.stage import conserves
from touchweight.library import MECHANISMS, build
from touchweight.simulate.picture import make_scene
from touchweight.simulate.skeleton import add_skeleton

pytestmark = pytest.mark.filterwarnings("ignore:.*expected a plain name", "ignore:Glyph .* missing from")


def test_the_recording_is_the_models_own(tmp_path, capsys):
    zoo().save(tmp_path / "zoo.yaml")
    arguments = [
        "--seconds",
        "0.5",
        "--dt",
        "0.002",
        "--q",
        "pivot=0.4",
        "--v",
        "rail=0.3",
        "--set",
        "pole.mass=0.8",
    ]
    table, picture = tmp_path / "run.csv", tmp_path / "run.png"
    files = ["--input", "motor=1.5", "--save", str(table), "--plot", str(picture)]
    assert main(["simulate", str(tmp_path / "zoo.yaml"), *arguments, *files]) == 0
    assert "pivot" in capsys.readouterr().out
    found = tw.Recording.load(table)
    model = zoo().compile()
    state = model.state(q={"pivot": 0.4}, v={"rail": 0.3}, parameters={"pole.mass": 0.8})
    wanted = model.simulate(0.5, state=state, dt=0.002, inputs={"motor": 1.5})
    assert set(found) == set(wanted)
    for channel in wanted:
        np.testing.assert_allclose(found[channel], wanted[channel], rtol=1e-12, atol=1e-14)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_it_starts_where_the_description_says(tmp_path):
    assert main(["simulate", "pendulum", "--seconds", "0.01", "--save", str(tmp_path / "a.csv")]) == 0
    assert tw.Recording.load(tmp_path / "a.csv")["hip"][0] == build("pendulum").joints["hip"].initial[0]


# -- play --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_plays(name, tmp_path, capsys):
    assert main(["play", name, "--seconds", "0.3", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    for step in ("describe", "derive", "compile", "simulate", "draw", "animate"):
        assert f"\n{step}" in f"\n{out}"
    (picture,) = tmp_path.glob("*.png")
    (animation,) = tmp_path.glob("*.gif")
    assert picture.read_bytes().startswith(b"\x89PNG") and animation.read_bytes().startswith(b"GIF89a")
    assert picture.name in out and animation.name in out
    assert animation.stat().st_size < 2_000_000 and picture.stat().st_size < 500_000


@pytest.mark.parametrize("make", [zoo, flyer, hostile])
def test_any_file_plays(make, tmp_path):
    make().save(tmp_path / "it.yaml")
    assert main(["play", str(tmp_path / "it.yaml"), "-s", "0.1", "--no-gif", "-o", str(tmp_path / "out")]) == 0
    (picture,) = (tmp_path / "out").iterdir()
    assert picture.suffix == ".png"


def test_a_wheel_without_length_plays(tmp_path):
    m = tw.Mechanism("wheel")
    m.revolute("axle", m.ground, m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2)), axis="y")
    m.save(tmp_path / "wheel.yaml")
    assert main(["play", str(tmp_path / "wheel.yaml"), "-s", "0.1", "-o", str(tmp_path)]) == 0


def test_without_pillow_the_animation_is_left_out(tmp_path, monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "PIL" else found(name))
    assert main(["play", "pendulum", "-s", "0.1", "-o", str(tmp_path)]) == 0
    assert "pip install pillow" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.gif"))


def test_nothing_opens_by_itself_nor_without_a_screen(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    assert main(["play", "pendulum", "-s", "0.1", "-o", str(tmp_path), "--no-gif", "--open"]) == 0
    assert opened == [] and "no screen" in capsys.readouterr().out
    monkeypatch.setenv("DISPLAY", ":0")
    assert main(["play", "pendulum", "-s", "0.1", "-o", str(tmp_path), "--no-gif"]) == 0
    assert opened == []
    assert main(["play", "pendulum", "-s", "0.1", "-o", str(tmp_path), "--no-gif", "--open"]) == 0
    assert len(opened) == 1 and opened[0].startswith("file://")


def test_the_skeleton_follows_the_sensors():
    mechanism = build("double-pendulum")
    pieces = add_skeleton(mechanism)
    assert len(pieces) == 2
    run = mechanism.compile().simulate(0.2, q={"shoulder": 0.5, "elbow": 0.3})
    scene = make_scene(run, pieces)
    np.testing.assert_allclose(scene.points[:, 0, 0], 0.0, atol=1e-15)
    np.testing.assert_allclose(scene.points[:, 1, 0], np.column_stack([run["middle.x"], run["middle.z"]]), atol=1e-12)
    np.testing.assert_allclose(scene.trace, np.column_stack([run["tip.x"], run["tip.z"]]), atol=1e-12)
    lengths = np.linalg.norm(scene.points[:, :, 1] - scene.points[:, :, 0], axis=2)
    np.testing.assert_allclose(lengths, 0.5, atol=1e-12)


def test_what_conserves_energy_is_known():
    assert conserves(build("double-pendulum")) and conserves(build("top"))
    assert not conserves(build("arm")) and not conserves(zoo())
    m = build("pendulum")
    m.joint_law("drag", "hip", lambda q, v, *, c: -c * v, c=0.1)
    assert not conserves(m)

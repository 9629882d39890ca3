"""The analyses on the command line: the numbers of the functions, and one line for a mistake."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import touchweight as tw
from touchweight.cli import main
from touchweight.simulate.analyses import equilibrium, linearise, modes, sensitivity

sys.path.insert(0, str(Path(__file__).parents[1] / "simulate" / "analyses"))
import analysed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("analyses")
    analysed.rhombus().save(made / "rhombus.yaml")
    analysed.slider_crank().save(made / "slider.yaml")
    analysed.motor_and_lag().save(made / "lag.yaml")
    return made


@pytest.fixture(autouse=True)
def there(folder, monkeypatch):
    monkeypatch.chdir(folder)


def answer(capsys, *arguments):
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


# -- assemble ----------------------------------------------------------------------------------------------
def test_assembly_shows_how_the_loops_hang_together(capsys):
    out = answer(capsys, "assemble", "rhombus.yaml", "--set", "crank=0.5")
    for line in ("crank       rad     0.5    0.5", "degrees of freedom  1", "redundant rows      none"):
        assert line in out
    assert "pin      2" in out and "independent         crank" in out


def test_assembly_of_a_tree_has_nothing_to_close(capsys):
    out = answer(capsys, "assemble", "double-pendulum")
    assert "degrees of freedom  2" in out and "loop" not in out


def test_a_loop_that_cannot_close_is_named(capsys):
    assert main(["assemble", "rhombus.yaml", "--q", "crank=0.5", "--q", "coupler=1.5"]) == 2
    err = capsys.readouterr().err
    assert "found 'pin' open by 0.0627 [m or rad] at best" in err and err.count("\n") == 1


# -- the others --------------------------------------------------------------------------------------------
def test_equilibrium_is_the_functions_own(capsys):
    model = analysed.rhombus().compile()
    wanted = equilibrium(model, {"crank": -0.6})
    found = json.loads(answer(capsys, "equilibrium", "rhombus.yaml", "--q", "crank=-0.6", "--json"))
    assert found["coordinates"]["crank"] == pytest.approx(wanted.state.q[0], abs=1e-12)
    assert found["forces"] == pytest.approx(wanted.forces) and found["stability"] == "stable"
    out = answer(capsys, "equilibrium", "rhombus.yaml", "--q", "crank=-0.6")
    assert "stable equilibrium" in out and "-0.242386 + 2.13396 i" in out
    held = answer(capsys, "equilibrium", "rhombus.yaml", "--q", "crank=0.5", "--hold", "crank")
    assert "crank  N m" in held
    out = answer(capsys, "equilibrium", "lag.yaml", "--q", "crank=-0.6", "--input", "motor=0.2")
    assert "state motor.current  0.2" in out
    assert "stable equilibrium" in answer(capsys, "equilibrium", "rhombus.yaml", "--q", "crank=-0.1", "--relax")


def test_linearise_is_the_functions_own(capsys, folder):
    model = analysed.rhombus().compile()
    wanted = linearise(model, q={"crank": 0.8}, v={"crank": 1.0})
    found = json.loads(answer(capsys, "linearise", "rhombus.yaml", "--q", "crank=0.8", "--v", "crank=1", "--json"))
    for key in "ABCD":
        np.testing.assert_allclose(found[key], getattr(wanted, key), atol=1e-10)
    assert found["states"] == ["crank", "v.crank"]
    out = answer(capsys, "linearise", "rhombus.yaml", "--q", "crank=-0.6", "--rest", "--bode", "torque,tip.z")
    assert "0.34181" in out and (folder / "bode.png").read_bytes().startswith(b"\x89PNG")


def test_modes_are_the_functions_own(capsys, folder):
    found = json.loads(answer(capsys, "modes", "rhombus.yaml", "--q", "crank=-0.6", "--json"))
    wanted = modes(analysed.rhombus().compile(), q={"crank": -0.6})
    assert [m["frequency"] for m in found["modes"]] == pytest.approx(list(wanted.frequencies))
    out = answer(capsys, "modes", "double-pendulum", "--relax")
    assert "0.60324" in out and "vibration" in out
    pytest.importorskip("PIL")
    out = answer(capsys, "modes", "rhombus.yaml", "--q", "crank=-0.6", "--animate", "mode.gif")
    assert "mode 1: mode.gif" in out and (folder / "mode.gif").read_bytes().startswith(b"GIF89a")


def test_kinematics_writes_what_it_found(capsys, folder):
    out = answer(
        capsys, "kinematics", "slider.yaml", "--drive", "crank=0:6.283185307179586", "--forces", "--save", "turn.csv"
    )
    assert "force.crank" in out and "loops closed to" in out
    run = tw.Recording.load(folder / "turn.csv")
    np.testing.assert_allclose(
        run["slide"], 0.1 * np.cos(run["crank"]) + np.sqrt(0.09 - 0.01 * np.sin(run["crank"]) ** 2)
    )
    answer(capsys, "kinematics", "slider.yaml", "--drive", "crank=1", "--plot", "turn.png", "--samples", "5")
    assert (folder / "turn.png").exists()


def test_sensitivity_is_the_functions_own(capsys):
    by = ["rod.mass", "rod.com.z"]
    from touchweight.library import build

    wanted = sensitivity(build("pendulum").compile(), "frequency:1", by, q={"hip": 0.0})
    arguments = ("sensitivity", "pendulum", "--of", "frequency:1", "--by", ",".join(by), "--q", "hip=0")
    found = json.loads(answer(capsys, *arguments, "--json"))
    np.testing.assert_allclose(found["matrix"], wanted.matrix, rtol=1e-9)
    assert "rod.mass" in answer(capsys, *arguments)
    out = answer(capsys, "sensitivity", "pendulum", "--of", "end:tip.z", "--seconds", "0.2", "--by", "rod.com.z")
    assert "tip.z" in out
    out = answer(capsys, "sensitivity", "rhombus.yaml", "--of", "equilibrium:crank", "--q", "crank=-0.6")
    assert "diagonal.length" in out and "coupler.inertia.xx" not in out
    assert math.isfinite(float(out.split("diagonal.length")[1].split()[1]))


# -- mistakes ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "arguments",
    [
        ["assemble", "no-such-thing"],
        ["assemble", "rhombus.yaml", "--set", "nothing=1"],
        ["assemble", "rhombus.yaml", "--hold", "nothing"],
        ["assemble", "rhombus.yaml", "--mode", "nothing"],
        ["assemble", "rhombus.yaml", "--input", "nothing=1"],
        ["equilibrium", "rhombus.yaml", "--q", "crank"],
        ["equilibrium", "rhombus.yaml", "--input", "nothing=1"],
        ["linearise", "rhombus.yaml", "--bode", "torque"],
        ["linearise", "rhombus.yaml", "--bode", "torque,nothing"],
        ["linearise", "rhombus.yaml", "--bode", "torque,tip.z", "--plot", "/no/such/folder/x.png"],
        ["linearise", "rhombus.yaml", "--bode", "torque,tip.z", "--plot", "x.nonsense"],
        ["modes", "rhombus.yaml", "--animate", "x.gif", "--number", "7"],
        ["modes", "rhombus.yaml", "--animate", "/no/such/folder/x.gif"],
        ["kinematics", "slider.yaml"],
        ["kinematics", "slider.yaml", "--drive", "crank"],
        ["kinematics", "slider.yaml", "--drive", "crank=a:b"],
        ["kinematics", "slider.yaml", "--drive", "nothing=1"],
        ["kinematics", "slider.yaml", "--drive", "crank=0:1", "--seconds", "0"],
        ["kinematics", "slider.yaml", "--drive", "slide=0.3:0.6"],
        ["sensitivity", "pendulum"],
        ["sensitivity", "pendulum", "--of", "colour"],
        ["sensitivity", "pendulum", "--of", "frequency", "--by", "nothing"],
        ["sensitivity", "pendulum", "--of", "end:tip.z"],
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_line_and_exit_code_two(arguments, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert err.startswith("touchweight: error: ") and err.count("\n") == 1
    assert "Traceback" not in out + err

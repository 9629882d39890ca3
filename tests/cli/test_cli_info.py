"""``touchweight info``: what it says is what the mechanism is."""

import json

import pytest
from mechanisms_to_take import flyer, zoo

import touchweight as tw
from touchweight.cli import main
from touchweight.library.classics import n_pendulum


@pytest.fixture
def saved(tmp_path):
    def save(mechanism):
        mechanism.save(tmp_path / "mechanism.yaml")
        return str(tmp_path / "mechanism.yaml")

    return save


def test_the_tree_the_dimensions_and_the_counts(saved, capsys):
    assert main(["info", saved(zoo())]) == 0
    out = capsys.readouterr().out
    assert "rail prismatic along x → cart" in out and "pivot revolute about y → pole" in out
    assert "nq 2   nv 2   nx 1   nu 1   bodies 2   joints 2" in out and "sensors 2" in out
    model = zoo().compile()
    for name in ("inverse", "forward", "mass_matrix"):
        line = next(x for x in out.splitlines() if x.startswith(name))
        assert int(line.split()[1]) == model.equations.derive(name).operations.total
    assert f"{model.equations.form} form" in out


def test_json_says_the_same(saved, capsys):
    assert main(["info", saved(flyer()), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    model = flyer().compile()
    assert (data["dimensions"]["nq"], data["dimensions"]["nv"]) == (model.nq, model.nv) == (11, 9)
    assert data["coordinates"] == list(model.coordinates)
    assert data["parameters"]["hull.mass"] == {"value": 3.0, "unit": "kg"}
    assert data["operations"]["inverse"]["total"] == model.equations.derive("inverse").operations.total
    assert data["direct_dynamics"] in ("factorised", "articulated")
    assert data["problems"] == []


def test_limits_and_axes_are_shown(capsys):
    assert main(["info", "arm"]) == 0
    assert "base revolute about z, -2.9 to 2.9 rad → turret" in capsys.readouterr().out


def test_a_long_chain_is_a_table(saved, capsys):
    assert main(["info", saved(n_pendulum.build(rods=40))]) == 0
    out = capsys.readouterr().out
    assert "hinge40" in out and max(map(len, out.splitlines())) <= 110


def test_problems_are_listed_and_the_exit_code_is_one(saved, capsys):
    m = tw.Mechanism("broken")
    arm = m.body("arm", mass=1.0, inertia=(1.0, 1.0, 9.0))
    m.revolute("hip", m.ground, arm)
    lost = m.body("lost", mass=1.0)
    m.revolute("nowhere", lost, m.body("farther", mass=1.0))
    assert main(["info", saved(m)]) == 1
    out = capsys.readouterr().out
    assert "problems" in out and "lost" in out and "not connected to the ground" in out
    assert main(["info", saved(m), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert len(data["problems"]) == len(m.check()) and data["operations"] == {}


def test_remarks_of_the_reader_and_a_flying_base(tmp_path, capsys):
    path = tmp_path / "one.urdf"
    path.write_text(
        '<robot name="one"><link name="base"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual/></link></robot>'
    )
    assert main(["info", str(path), "--free-flying"]) == 0
    out = capsys.readouterr().out
    assert "nv 6" in out and "remarks" in out and "visual" in out


def test_the_equations_of_a_function(capsys):
    assert main(["info", "double-pendulum", "--equations", "inverse"]) == 0
    out = capsys.readouterr().out
    assert "tau[shoulder] =" in out and "sin(q.elbow)" in out and "upper.mass" in out

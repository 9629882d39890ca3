"""Generated files, taken away: they compile without a warning, run alone and give the model's numbers."""

import re
import subprocess

import pytest
from mechanisms_to_take import HOSTILE, flyer, hostile, unbounded, zoo
from take_away import (
    OCTAVE,
    STRICT,
    assert_same,
    compiler_command,
    expected,
    run_c,
    run_octave,
    run_python,
    states,
)  # fmt: skip

from touchweight.cli import main
from touchweight.cli.generate import subject_of, write_files
from touchweight.codegen.export import (
    TARGETS,
    equations_text,
    export,
    identifier,
    remark,
    scalar_math,
    stem,
    unique,
)
from touchweight.errors import FileError
from touchweight.library import build

BASIC = ("inverse", "forward")
ALL = ("inverse", "forward", "rates", "mass_matrix", "bias", "energy", "momentum", "sensors", "jacobian:tip")
CASES = {
    "zoo": (zoo, ALL, True, {"pole.mass": 0.6, "rope.stiffness": 25.0}),
    "flyer": (flyer, ("inverse", "forward", "rates", "energy", "jacobian:ball"), False, {"hull.mass": 3.3}),
    "unbounded": (unbounded, BASIC, False, {}),
    "arm": (lambda: build("arm"), BASIC, False, {"tool.mass": 1.1}),
    "double pendulum": (lambda: build("double-pendulum"), BASIC, False, {}),
    "hostile": (hostile, BASIC, False, {f"{HOSTILE[0]}.mass": 2.5}),
}
pytestmark = pytest.mark.filterwarnings("ignore:.*expected a plain name")  # hostile ones are remarked on
needs_compiler = pytest.mark.skipif(compiler_command() is None, reason="there is no C compiler here")
needs_octave = pytest.mark.skipif(OCTAVE is None, reason="there is no Octave here")


@pytest.fixture(params=CASES)
def taken(request, tmp_path):
    make, functions, timed, changes = CASES[request.param]
    model = make().compile()
    programs = {name: model.equations.derive(name) for name in functions}
    for target in TARGETS:
        write_files(tmp_path / target, export(subject_of(model), programs, target), force=False)
    return model, functions, timed, changes, tmp_path


def check(taken, target, run, **options):
    model, functions, timed, changes, folder = taken
    for given in states(model, 2):
        found = run(folder / target, stem(model.name), model, functions, given, timed, changes, **options)
        for function, result in zip(functions, found, strict=True):
            assert_same(result, expected(model, function, given, changes))


@needs_compiler
@pytest.mark.parametrize(
    "flags", [("-std=gnu11",), ("-std=c11", "-pedantic", "-DTW_PLAIN_MATH")], ids=["fast", "plain"]
)
def test_the_c_file_compiles_cleanly_and_agrees_with_the_model(taken, flags):
    check(taken, "c", run_c, flags=flags)


def test_the_python_module_needs_nothing_and_agrees_with_the_model(taken):
    check(taken, "python", run_python)


@needs_octave
def test_the_matlab_files_agree_with_the_model(taken):
    check(taken, "matlab", run_octave)


@needs_compiler
def test_a_long_function_is_cut_into_pieces_and_agrees(tmp_path, monkeypatch):
    monkeypatch.setattr("touchweight.codegen.export.c.PIECE", 3)
    model = build("chain").compile()
    programs = {name: model.equations.derive(name) for name in BASIC}
    write_files(tmp_path / "c", export(subject_of(model), programs, "c"), force=False)
    source = (tmp_path / "c" / "chain_of_12.c").read_text()
    assert "evaluate_forward_4(" in source and "prepare_forward_0(" in source
    check((model, BASIC, False, {}, tmp_path), "c", run_c)


@needs_compiler
def test_the_example_in_the_header_runs_as_it_stands(taken):
    model, functions, _, _, folder = taken
    name = stem(model.name)
    header = (folder / "c" / f"{name}.h").read_text()
    comment = header[: header.index("*/")]
    example = [line[7:] for line in comment.splitlines() if line.startswith(" *     ") or line == " *"]
    text = "\n".join(example[example.index("#include <stdio.h>") :])
    (folder / "c" / "example.c").write_text(text)
    command = [*compiler_command(), *STRICT, f"{name}.c", "example.c", "-lm", "-o", "example"]
    built = subprocess.run(command, cwd=folder / "c", capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    said = subprocess.run(["./example"], cwd=folder / "c", capture_output=True, text=True, check=True).stdout
    d = model.dimensions
    given = {
        "q": d.q_default,
        "v": d.v_default,
        "a": d.v_default,
        "x": d.x_default,
        "u": d.u_default,
        "t": [0.0],
    }
    found = [float(line.split("=")[1]) for line in said.splitlines()]
    assert found == pytest.approx(list(expected(model, functions[0], given)), abs=1e-12)


@needs_compiler
def test_two_models_live_in_one_program(tmp_path):
    for name in ("pendulum", "double-pendulum"):
        assert main(["generate", name, "-o", str(tmp_path)]) == 0
    lines = [
        '#include "pendulum.h"',
        '#include "double_pendulum.h"',
        "int main(void) { return PENDULUM_Q_HIP; }",
    ]
    (tmp_path / "both.c").write_text("\n".join(lines) + "\n")
    command = [*compiler_command(), *STRICT, "pendulum.c", "double_pendulum.c", "both.c", "-lm", "-o", "both"]
    assert subprocess.run(command, cwd=tmp_path).returncode == 0
    assert subprocess.run([tmp_path / "both"]).returncode == 0


# -- names -----------------------------------------------------------------------------------------------
def test_files_are_plain_ascii_without_a_way_out_of_their_comments(tmp_path):
    model = hostile().compile()
    for target in TARGETS:
        for name, text in export(subject_of(model), {"inverse": model.equations.derive("inverse")}, target).items():
            assert re.fullmatch(r"[a-z0-9_]+\.[a-z]+", name)
            assert text.isascii() and all(c.isprintable() or c == "\n" for c in text)
            if target == "c":
                assert "??/" not in text
                for comment in re.findall(r"/\*.*?\*/", text, re.S):
                    assert "/*" not in comment[2:] and not re.search(r"\\$", comment, re.M)


@pytest.mark.parametrize("words", HOSTILE)
def test_remarks_are_harmless(words):
    said = remark(words)
    assert said.isascii() and said.isprintable()
    assert "*/" not in said and "/*" not in said and "\\" not in said and "??" not in said


def test_identifiers_are_identifiers_and_all_different():
    made = unique(HOSTILE * 2)
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", n) for n in made)
    assert identifier("Épaule gauche") == "epaule_gauche"
    assert identifier("机械") == "model"
    assert identifier("3rd") == "n3rd"


@pytest.mark.parametrize("name", ["int", "math", "string", "import", "function", "tw", "tw math", "NUL", "json"])
def test_words_that_are_taken_are_avoided(name):
    assert stem(name).endswith("_model")


def test_the_inlined_mathematics_is_scalar_and_complete():
    text = scalar_math()
    assert "TW_LANEWISE1_" not in text and "tw_log2_" not in text
    assert len(re.findall(r"^#\s*if", text, re.M)) == len(re.findall(r"^#\s*endif", text, re.M))
    assert "typedef double tw_real;" in text and "tw_sincos_n" in text


# -- the command -----------------------------------------------------------------------------------------
def test_existing_files_stay_unless_forced(tmp_path, capsys):
    assert main(["generate", "pendulum", "-o", str(tmp_path / "new" / "folder")]) == 0
    target = tmp_path / "new" / "folder" / "pendulum.c"
    target.write_text("mine")
    (tmp_path / "new" / "folder" / "pendulum.h").unlink()
    assert main(["generate", "pendulum", "-o", str(target.parent)]) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "mine" and not target.with_suffix(".h").exists()
    assert main(["generate", "pendulum", "-o", str(target.parent), "--force"]) == 0
    assert "generated by touchweight" in target.read_text()


def test_nothing_is_written_outside_the_folder(tmp_path):
    with pytest.raises(FileError):
        write_files(tmp_path / "in", {"../out.c": "x"}, force=True)
    with pytest.raises(FileError):
        write_files(tmp_path / "in", {str(tmp_path / "out.c"): "x"}, force=True)
    outside = tmp_path / "outside.c"
    outside.write_text("mine")
    (tmp_path / "in" / "pendulum.c").symlink_to(outside)
    assert main(["generate", "pendulum", "-o", str(tmp_path / "in")]) == 2
    assert main(["generate", "pendulum", "-o", str(tmp_path / "in"), "--force"]) == 0
    assert outside.read_text() == "mine" and not (tmp_path / "in" / "pendulum.c").is_symlink()
    assert sorted(p.name for p in (tmp_path / "in").iterdir()) == ["pendulum.c", "pendulum.h"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--function", "nope"],
        ["--function", "jacobian:nowhere"],
        ["--target", "cobol"],
        ["--function", "jacobian:"],
    ],
)
def test_a_wrong_option_is_one_line(tmp_path, capsys, arguments):
    assert main(["generate", "pendulum", "-o", str(tmp_path), *arguments]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["generate", "pendulum", "-o", str(tmp_path / "file")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_equations_for_people_name_everything():
    model = build("pendulum").compile()
    text = equations_text(model.equations.derive("inverse"), {"tau": model.speeds})
    assert "rod.mass" in text and "sin(q.hip)" in text and "a.hip" in text and "tau[hip] =" in text

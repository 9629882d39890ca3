"""Names come from files and may hold anything; none of it reaches the text of generated code."""

import re
import warnings

import numpy as np
import pytest
from emitted import octave

import touchweight as tw
from touchweight.codegen import python
from touchweight.codegen.c import emit_unit
from touchweight.codegen.callable import PythonFunction
from touchweight.codegen.matlab import emit_matlab
from touchweight.codegen.program import Program
from touchweight.mechanism import Mechanism
from touchweight.simulate import Model
from touchweight.simulate.equations import FUNCTIONS, Equations

HOSTILE = {
    "quotes": "qu'ote\"d`name`",
    "backslash": "back\\slash\\n\\",
    "newline": "new\nline\r\nsystem('x');\n#define double int\n",
    "comment": "*/ int evil(void); /* // % # ",
    "shell": '"); system("x"); //',
    "format": "%s%n{0}{name}$(reboot)`id`",
    "unicode": "名前\u202e\u2028é\U0001f600",
    "macro": "tw_real TW_SLOT __attribute__((constructor)) import os",
    "slot": "#0",
    "long": "evil_identifier_" * 640,
    "nul": "nul\x00byte",
    "python": "__import__('os').system('x')",
    "octave": "x'); system('reboot'); %{",
}


def machine(word: str) -> Mechanism:
    """One of everything that has a name, all called by ``word`` and a number."""
    m = Mechanism(word)
    a = m.body(f"{word}1", mass=1.0, com=(0.1, 0.0, -0.2), inertia=(0.01, 0.02, 0.03))
    b = m.body(f"{word}2", mass=0.5, com=(0.0, 0.1, -0.1), inertia=(0.01, 0.02, 0.01))
    m.revolute(f"{word}3", m.ground, a, axis="y", damping=0.1, friction=0.2, stiffness=1.0, armature=0.01)
    m.spherical(f"{word}4", a, b, origin=(0.0, 0.0, -0.4))
    frame = m.frame(f"{word}5", b, origin=(0.0, 0.0, -0.3))
    push = m.input(f"{word}6", "N", value=0.5)
    lag = m.state(f"{word}7", lambda x: (push - x) / 0.1, initial=0.2)
    size = m.parameter(f"{word}8", 1.5)
    mass_like = m.parameter(word, 0.3, kind="mass")
    m.joint_law(f"{word}9", f"{word}3", lambda q, v, *, k: -k * q + lag * size + tw.sin(m.time) * mass_like, k=2.0)
    m.spring(f"{word}10", frame, m.ground, stiffness=5.0, length=0.1, damping=0.1)
    m.force(f"{word}11", frame, force=(push, 0.1, 0.0))
    m.sensor(f"{word}12", "velocity", frame)
    return m


def model_of(word: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some are told that a plain name is better
        return machine(word).compile()


@pytest.fixture(scope="module")
def plain() -> Model:
    return machine("plain").compile()


def fragments(word: str) -> list[str]:
    """Parts of a name long enough to be told from code by chance, and anything no code of ours contains."""
    words = [w for w in re.findall(r"\w+", word) if len(w) > 3]
    own = {"double", "void", "tw_real", "TW_SLOT", "include", "define"}
    return [w for w in words if w not in own] + [c for c in word if not c.isascii() or c in "\\`@$\r\x00"]


def texts(name: str, program: Program) -> dict[str, str]:
    return {
        "C": "".join(f.text for f in emit_unit(program)),
        "Python": python.emit_prepare(program) + python.emit_evaluate(program),
        "MATLAB": emit_matlab(program, "f"),
    }


@pytest.mark.parametrize("word", HOSTILE.values(), ids=list(HOSTILE))
def test_no_part_of_a_name_is_in_the_text(word):
    equations = Equations(machine(word))
    for name in (*FUNCTIONS, f"jacobian:{word}5"):
        for language, text in texts(name, equations.derive(name)).items():
            assert text.isascii(), language
            for part in fragments(word):
                assert part not in text, f"{part!r} in {language} of {name[:20]!r}"


def test_the_text_is_that_of_plain_names_but_for_the_order_of_terms():
    """The same characters, sorted: where names decide what comes first, nothing else may change."""
    reference = texts("inverse", Equations(machine("plain")).derive("inverse"))
    for key, word in HOSTILE.items():
        found = texts("inverse", Equations(machine(word)).derive("inverse"))
        for language, text in found.items():
            assert abs(len(text) - len(reference[language])) < 0.1 * len(text), key


@pytest.mark.parametrize("word", HOSTILE.values(), ids=list(HOSTILE))
def test_the_numbers_are_those_of_plain_names(word, plain):
    odd = model_of(word)
    draw = np.random.default_rng(4)
    ball = draw.normal(size=4)
    q = np.concatenate([[0.3], ball / np.linalg.norm(ball)])
    v, tau = draw.normal(size=(2, 4))
    options = {"x": [0.4], "u": [0.7], "t": 0.3}
    assert odd.forward(q, v, tau, **options) == pytest.approx(plain.forward(q, v, tau, **options), rel=1e-11)
    p = odd.parameters.vector
    for name in ("inverse", "sensors"):
        f = PythonFunction(odd.equations.derive(name))
        inputs = {"q": q, "v": v, "a": tau, "x": np.array([0.4]), "u": np.array([0.7]), "t": np.array([0.3])}
        found = f.evaluate(f.prepare(p), [inputs[k] for k in f.program.sizes_in])[0]
        g = plain.function(name)
        expected = g.evaluate(plain.parameters.table(g), [inputs[k] for k in g.program.sizes_in])[0]
        assert found == pytest.approx(expected, rel=1e-11)


def test_octave_runs_it(tmp_path, plain):
    odd = Equations(machine(HOSTILE["octave"])).derive("inverse")
    p = plain.parameters.vector
    inputs = [
        np.array([[0.3, 1.0, 0.0, 0.0, 0.0]]),
        np.ones((1, 4)),
        np.ones((1, 4)),
        [[0.4]],
        [[0.7]],
        [[0.3]],
    ]
    found = octave(tmp_path, {"f": odd}, {"f": p}, {"f": [np.asarray(a) for a in inputs]})["f"]
    expected = plain.inverse(inputs[0], inputs[1], inputs[2], x=[0.4], u=[0.7], t=0.3)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("key", ["newline", "shell", "unicode", "long"])
def test_errors_about_such_names_stay_on_one_line(key):
    word = HOSTILE[key]
    model = model_of(word)
    mistakes = [
        lambda: model.forward([0.0], [0.0]),
        lambda: model.forward({"x" + word: 1.0}, np.zeros(4)),
        lambda: model.state(q=np.zeros(3)),
        lambda: model.state(parameters={word + "8x": 1.0}),
        lambda: model.state(parameters={word + "1.com.y": 1.0}),
        lambda: model.simulate(0.01, inputs={word: 1.0}),
        lambda: model.jacobian("x" + word, np.zeros(5)),
        lambda: model.function("x" + word),
        lambda: model.simulate(0.001)["x" + word],
    ]
    for mistake in mistakes:
        with pytest.raises(tw.TouchweightError) as error:
            mistake()
        text = str(error.value)
        assert text.isprintable() and len(text) < 1000, text[:200]


@pytest.mark.parametrize("key", ["quotes", "newline", "unicode"])
def test_a_run_can_be_recorded_and_read_back(key, tmp_path):
    run = model_of(HOSTILE[key]).simulate(0.005)
    back = tw.Recording.load(run.save(tmp_path / "run.csv"))
    assert list(back) == list(run)
    assert (back[f"{HOSTILE[key]}3"] == run[f"{HOSTILE[key]}3"]).all()

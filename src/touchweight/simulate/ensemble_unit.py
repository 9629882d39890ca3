"""The unit that carries copies of a model: whether there can be one, and having it built."""

from __future__ import annotations

from ..codegen.callable import NativeFunction
from ..codegen.ensemble_library import EnsembleUnit, load_ensemble
from ..errors import TouchweightError
from .core import Core
from .ensemble_equations import derive_ensemble
from .model import Model


def _suitable(model: Model) -> NativeFunction:
    """That a model can be carried in lanes; or a sentence."""
    function = model.function("turn")
    if not isinstance(function, NativeFunction):
        raise TouchweightError(
            "expected a C compiler for many copies, found none; pip install 'touchweight[compiler]' brings one"
        )
    if model.modes or model.loops().rows:
        what = "modes" if model.modes else "loops"
        raise TouchweightError(
            f"expected a mechanism without loops and modes for many copies, found one with {what}; "
            "run its copies one after another with model.simulate"
        )
    return function


def ensemble_unit(model: Model, lanes: int) -> EnsembleUnit:
    """The unit of a model for so many lanes, built when first asked for; a sentence where there can be none."""
    function = _suitable(model)
    made = vars(model).setdefault("_ensemble", {})
    if "parts" not in made:
        made["parts"] = derive_ensemble(model)
    if lanes not in made:
        shape, parts = made["parts"]
        made[lanes] = load_ensemble(shape, parts, function.compiler, lanes)
    unit: EnsembleUnit = made[lanes]
    return unit


def force_names(model: Model) -> list[str]:
    """What the recorded forces are, in order."""
    # the works of contacts and drives are summed by the general core only
    return Core(model, model.parameters, contacts=True).force_names[:-2]

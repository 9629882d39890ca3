"""Evaluations bound beforehand: fixed arrays in and out, no checks, for loops in Python that must be fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..codegen.callable import Array, Compiled
from ..errors import ShapeError
from .parameters import Parameters


class Bound:
    """One function of a model with arrays of its own.

        fast = model.bind("forward", q=[0.3])
        fast.v[:] = 0.1         # write into the inputs, never assign them
        fast.call()             # no checks, nothing allocated
        fast.a                  # the outputs; the next call overwrites them

    An array is found by its name in the function: ``q``, ``v``, ``a``, ``tau``, ``x``, ``u``, ``t``, ``M``,
    ... (:attr:`inputs` and :attr:`outputs` list them). Parameters are read when it is made and by
    :meth:`refresh`. Use it in one thread at a time.

    Attributes:
        inputs: arrays that ``call`` reads, by name.
        outputs: arrays that ``call`` fills, by name.
        call: evaluates.
        parameters: where :meth:`refresh` looks.
    """

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]
    call: Callable[[], object]
    parameters: Parameters
    _function: Compiled
    _table: Array

    def __init__(self, function: Compiled, parameters: Parameters, shapes: Mapping[str, tuple[int, ...]]) -> None:
        made = function.bind(parameters.table(function).copy())
        inputs = dict(zip(function.program.sizes_in, made.inputs, strict=True))
        flat = dict(zip(function.program.sizes_out, made.outputs, strict=True))
        outputs = {k: a.reshape(shapes.get(k, a.shape)) for k, a in flat.items()}
        vars(self).update(
            {**inputs, **outputs, "inputs": inputs, "outputs": outputs, "call": made.call},
            parameters=parameters,
            _function=function,
            _table=made.table,
        )

    def refresh(self, parameters: Parameters | None = None) -> None:
        """Read the parameters again, after some of them have changed; or from now on others."""
        if parameters is not None:
            vars(self)["parameters"] = parameters
        self._table[:] = self.parameters.table(self._function)

    def __getattr__(self, name: str) -> Array:
        known = ", ".join([*vars(self).get("inputs", ()), *vars(self).get("outputs", ())])
        raise AttributeError(f"expected an array among {known}, found {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.inputs:
            raise ShapeError(f"expected {name} to be written into, found an assignment; write .{name}[:] = ...")
        raise AttributeError(f"expected an input among {', '.join(self.inputs)}, found {name!r}")

    def __repr__(self) -> str:
        name = self._function.program.function.name
        return f"Bound({name!r}: {', '.join(self.inputs)} -> {', '.join(self.outputs)})"

"""touchweight: feel a mechanism before it exists.

Describe a mechanism; its equations are derived symbolically, condensed, compiled to machine code and run.

    import touchweight as tw

    m = tw.Mechanism("pendulum")
    arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))
    m.revolute("hip", m.ground, arm, axis="y")
    model = m.compile()
    run = model.simulate(10.0, q={"hip": 0.3})
    run.plot("hip")
"""

from .errors import BuildError, FileError, MechanismError, ShapeError, TouchweightError
from .mechanism import ContactLaw, Mechanism, felt, hertz, linear, rigid
from .mechanism.load import load
from .simulate import Ensemble, Model, Parameters, Recording, State
from .symbolic import (
    absolute,
    atan2,
    cos,
    exp,
    log,
    maximum,
    minimum,
    select,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)

__version__ = "0.1.0"

__all__ = [
    "BuildError", "ContactLaw", "Ensemble", "FileError", "Mechanism", "MechanismError", "Model", "Parameters",
    "Recording", "ShapeError", "State", "TouchweightError", "__version__", "absolute", "atan2", "cos", "exp", "felt",
    "hertz", "linear", "load", "log", "maximum", "minimum", "rigid", "select", "sign", "sin", "sqrt", "tan", "tanh",
]  # fmt: skip

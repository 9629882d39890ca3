"""Running a compiled model offline: evaluation, simulation, recordings and plots."""

from .bound import Bound
from .ensemble import Ensemble
from .event import Event
from .model import Energy, Model, Momentum
from .parameters import ParameterError, Parameters
from .recording import Recording
from .simulation import SimulationError, simulate
from .state import State

__all__ = [
    "Bound",
    "Energy",
    "Ensemble",
    "Event",
    "Model",
    "Momentum",
    "ParameterError",
    "Parameters",
    "Recording",
    "SimulationError",
    "State",
    "simulate",
]

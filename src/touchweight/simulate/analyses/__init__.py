"""Analyses of a model: one file and one command for each. They take loops, drives and modes into account."""

from .begin import AnalysisError
from .equilibrium import Equilibrium, equilibrium
from .kinematics import inverse_trajectory, kinematics
from .linear import Linear
from .linearise import linearise
from .modes import Mode, Modes, modes
from .sensitivity import Sensitivity, sensitivity

__all__ = [
    "AnalysisError",
    "Equilibrium",
    "Linear",
    "Mode",
    "Modes",
    "Sensitivity",
    "equilibrium",
    "inverse_trajectory",
    "kinematics",
    "linearise",
    "modes",
    "sensitivity",
]

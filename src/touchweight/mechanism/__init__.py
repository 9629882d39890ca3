"""What a mechanism is: bodies, joints, forces, signals, parameters; builders and readers."""

from .body import Body, Frame
from .check import Problem
from .joint import JOINT_KINDS, Joint, Limits, Mimic
from .law import FrameForce, PairForce, SpeedForce
from .mechanism import Mechanism
from .mjcf import load_mjcf
from .parameter import Parameter
from .signal import FirstOrder, Input, Sensor
from .urdf import load_urdf
from .yaml_format import load_yaml

__all__ = [
    "JOINT_KINDS", "Body", "FirstOrder", "Frame", "FrameForce", "Input", "Joint", "Limits", "Mechanism",
    "Mimic", "PairForce", "Parameter", "Problem", "Sensor", "SpeedForce", "load_mjcf", "load_urdf",
    "load_yaml",
]  # fmt: skip

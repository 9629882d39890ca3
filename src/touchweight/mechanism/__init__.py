"""What a mechanism is: bodies, joints, forces, signals, parameters; builders and readers."""

from .body import Body, Frame
from .joint import JOINT_KINDS, Joint, Limits, Mimic
from .law import FrameForce, PairForce, SpeedForce
from .mechanism import Mechanism
from .parameter import Parameter
from .signal import FirstOrder, Input, Sensor

__all__ = [
    "JOINT_KINDS", "Body", "FirstOrder", "Frame", "FrameForce", "Input", "Joint", "Limits", "Mechanism", "Mimic",
    "PairForce", "Parameter", "Sensor", "SpeedForce",
]  # fmt: skip

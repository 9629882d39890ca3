"""What a mechanism is: bodies, joints, forces, signals, parameters; builders and readers."""

from .body import Body, Frame
from .check import Problem
from .contact import Contact, ContactLaw, felt, hertz, linear, rigid
from .drive import Drive
from .joint import JOINT_KINDS, Joint, Limits, Mimic
from .law import FrameForce, PairForce, SpeedForce
from .loop import LOOP_KINDS, Constraint, Loop
from .mechanism import Mechanism
from .mjcf import load_mjcf
from .mode import Mode, Transition
from .parameter import Parameter
from .shape import Shape
from .signal import FirstOrder, Input, Sensor
from .urdf import load_urdf
from .yaml_format import load_yaml

__all__ = [
    "JOINT_KINDS", "LOOP_KINDS", "Body", "Constraint", "Contact", "ContactLaw", "Drive", "FirstOrder", "Frame",
    "FrameForce", "Input", "Joint", "Limits", "Loop", "Mechanism", "Mimic", "Mode", "PairForce", "Parameter", "Problem",
    "Sensor", "Shape", "SpeedForce", "Transition", "felt", "hertz", "linear", "load_mjcf", "load_urdf", "load_yaml",
    "rigid",
]  # fmt: skip

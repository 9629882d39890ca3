"""MJCF, the format of MuJoCo: bodies, joints, sites and motors become a mechanism."""

from .reader import build_mjcf, load_mjcf

__all__ = ["build_mjcf", "load_mjcf"]

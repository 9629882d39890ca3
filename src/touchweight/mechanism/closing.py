"""Builders of what restricts the motion: loops, couplings, constraints, drives."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import MechanismError
from ..symbolic import Scalar, Symbol, as_expr
from .body import Body, Frame
from .description import Description
from .drive import Drive
from .loop import LOOP_KINDS, Constraint, Loop, reaction_symbol
from .values import shown, unit_axis

Place = Body | Frame | str


class Closing(Description):
    """Closes loops and drives joints."""

    # -- loops ------------------------------------------------------------------------------------------
    def loop(
        self,
        name: str,
        kind: str,
        a: Place,
        b: Place,
        *,
        axis: str | Sequence[float] = "z",
        length: Scalar = 0.0,
    ) -> Loop:
        """Close a loop by a cut of any kind in :data:`LOOP_KINDS` (the methods named after the kinds are shorter).

        Args:
            name: unique name; also the name of its force, or the stem of several.
            kind: what the cut keeps together.
            a: a frame, or a body for its own frame.
            b: the frame to keep with it.
            axis: of a hinge or a pin: "x", "-y", ... or three numbers, in frame ``a``.
            length: of a rod [m].
        """
        self._claim(self.loops, name, "loop")
        if kind not in LOOP_KINDS:
            raise MechanismError(
                f"expected a loop kind among {', '.join(LOOP_KINDS)}, found {shown(kind)} for {shown(name)}"
            )
        made = Loop(
            name,
            kind,
            self._frame_of(a),
            self._frame_of(b),
            unit_axis(axis, name),
            self._scalar(f"{name}.length", length, "length", "m", 0.0),
        )
        self.loops[name] = made
        return made

    def cut_body(self, name: str, a: Place, b: Place) -> Loop:
        """Weld two frames together: six equations."""
        return self.loop(name, "body", a, b)

    def cut_hinge(self, name: str, a: Place, b: Place, axis: str | Sequence[float] = "z") -> Loop:
        """Hinge two frames together about ``axis`` of ``a``, parallel to that of ``b``: five equations."""
        return self.loop(name, "hinge", a, b, axis=axis)

    def cut_ball(self, name: str, a: Place, b: Place) -> Loop:
        """Hold the origins of two frames together: three equations."""
        return self.loop(name, "ball", a, b)

    def cut_pin(self, name: str, a: Place, b: Place, axis: str | Sequence[float] = "z") -> Loop:
        """Hold the origins of two frames together in the plane normal to ``axis``: two equations."""
        return self.loop(name, "pin", a, b, axis=axis)

    def rod(self, name: str, a: Place, b: Place, length: Scalar) -> Loop:
        """Hold two frames ``length`` [m] apart: one equation. Its force is positive when the rod is pressed."""
        return self.loop(name, "rod", a, b, length=length)

    # -- couplings --------------------------------------------------------------------------------------
    def gear(self, name: str, first: str, second: str, ratio: Scalar, offset: Scalar = 0.0) -> Constraint:
        """Couple two coordinates: ``second = ratio * first + offset``."""
        k = self._scalar(f"{name}.ratio", ratio, "parameter", "")
        start = self._scalar(f"{name}.offset", offset, "parameter", "rad or m")
        return self.constraint(name, self.q(second) - k * self.q(first) - start)

    def rack(self, name: str, pinion: str, rack: str, radius: Scalar) -> Constraint:
        """A rack on a pinion: ``rack = radius * pinion`` [m]."""
        r = self._scalar(f"{name}.radius", radius, "length", "m")
        return self.constraint(name, self.q(rack) - r * self.q(pinion))

    def screw(self, name: str, turn: str, slide: str, pitch: Scalar) -> Constraint:
        """A screw: ``slide`` advances by ``pitch`` [m] with every revolution of ``turn``."""
        p = self._scalar(f"{name}.pitch", pitch, "length", "m")
        return self.constraint(name, self.q(slide) - (p * (0.5 / math.pi)) * self.q(turn))

    # -- equations --------------------------------------------------------------------------------------
    def constraint(self, name: str, expression: Scalar) -> Constraint:
        """Keep an expression of coordinates, time, parameters and position sensors at zero."""
        return self._equation(name, expression, "position")

    def speed_constraint(self, name: str, expression: Scalar) -> Constraint:
        """Keep an expression that is linear in the speeds (or velocity sensors) at zero, as rolling without slip."""
        return self._equation(name, expression, "speed")

    def _equation(self, name: str, expression: Scalar, level: str) -> Constraint:
        self._claim(self.loops, name, "constraint")
        made = Constraint(name, as_expr(expression), level)
        self.loops[name] = made
        return made

    # -- drives -----------------------------------------------------------------------------------------
    def drive(self, coordinate: str, motion: Scalar | None = None) -> Drive:
        """Prescribe the motion of a coordinate (a turn or a slide).

        Args:
            coordinate: its name.
            motion: an expression of ``mechanism.time`` and parameters [rad or m]. Without it the motion comes from
                outside (a hand, a recording, a function): inputs ``NAME.position``, ``NAME.velocity`` and
                ``NAME.acceleration`` are declared for it.
        """
        self._claim(self.drives, coordinate, "drive")
        if motion is None:
            names = (f"{coordinate}.position", f"{coordinate}.velocity", f"{coordinate}.acceleration")
            for name, unit in zip(names, ("rad or m", "rad/s or m/s", "rad/s² or m/s²"), strict=True):
                self.input(name, unit)
            made = Drive(coordinate, None, names)
        else:
            made = Drive(coordinate, as_expr(motion))
        self.drives[coordinate] = made
        return made

    # -- what they take ---------------------------------------------------------------------------------
    def reaction(self, row: str) -> Symbol:
        """The force that a row of a loop, a constraint or a drive takes, for use in guards [N or N m]."""
        rows = [r for loop in self.loops.values() for r in loop.rows] + list(self.drives)
        if row not in rows:
            known = ", ".join(rows[:8]) or "none"
            raise MechanismError(f"expected a row of a loop or a drive among {known}, found {shown(row)}")
        return reaction_symbol(row)

"""Builders of modes and transitions."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TypeVar

from ..errors import MechanismError
from ..symbolic import Expr, Scalar, as_expr
from .description import Description
from .loop import Constraint, reaction_symbol
from .mode import Mode, Transition
from .values import shown

Self = TypeVar("Self", bound="Switching")


class Switching(Description):
    """Describes how a mechanism changes its constraints."""

    def mode(self, name: str, active: Sequence[str] = (), locked: Sequence[str] = ()) -> Mode:
        """Add a mode.

        Args:
            name: unique name; the first mode is the one a run starts in.
            active: names of loops, constraints, drives and forces that act in this mode; what no mode names acts in
                all of them.
            locked: coordinates (turns or slides) that stand still in this mode.
        """
        self._claim(self.modes, name, "mode")
        made = Mode(name, tuple(active), tuple(locked))
        self.modes[name] = made
        return made

    def transition(
        self,
        name: str,
        source: str,
        target: str,
        when: Scalar,
        *,
        reset: Mapping[str, Scalar] | None = None,
        restitution: Scalar | None = None,
        rest: str | bool | None = None,
    ) -> Transition:
        """Add a transition, taken where ``when`` falls through zero; see :class:`Transition` for the rest.

        ``rest=True`` makes a mode to rest in, called ``NAME.rest``: there the guard stays zero as long as that takes a
        push (the constraint ``NAME.contact``), and then the motion goes back to ``source`` (by ``NAME.release``).
        """
        self._claim(self.transitions, name, "transition")
        if rest is True:
            rest = self._resting(name, source, as_expr(when))
        bounce = None
        if restitution is not None:
            bounce = self._scalar(f"{name}.restitution", restitution, "parameter", "", 0.0)
        made = Transition(
            name,
            source,
            target,
            as_expr(when),
            {k: as_expr(e) for k, e in (reset or {}).items()},
            bounce,
            rest or None,
        )
        self.transitions[name] = made
        return made

    def _resting(self, name: str, source: str, guard: Expr) -> str:
        """The mode in which an accumulated impact rests, and the way out of it."""
        if source not in self.modes:
            raise MechanismError(f"expected the mode {shown(source)} before its transitions, found none; add it first")
        contact, resting = f"{name}.contact", f"{name}.rest"
        self._claim(self.loops, contact, "constraint")
        self.loops[contact] = Constraint(contact, guard)
        base = self.modes[source]
        self.mode(resting, (*base.active, contact), base.locked)
        self.transition(f"{name}.release", resting, source, reaction_symbol(contact))
        return resting

    def in_mode(self: Self, name: str | None) -> Self:
        """The mechanism as it is in a mode: what other modes name and this one doesn't is left out."""
        if name is None:
            return self
        if name not in self.modes:
            known = ", ".join(self.modes) or "none"
            raise MechanismError(f"expected a mode among {known}, found {shown(name)}; add it with mode()")
        mode = self.modes[name]
        named = {n for m in self.modes.values() for n in m.active}
        out = copy.copy(self)
        for table in ("loops", "drives", "forces"):
            kept = {k: v for k, v in getattr(self, table).items() if k not in named or k in mode.active}
            setattr(out, table, kept)
        return out

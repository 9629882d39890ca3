"""Builders of modes and transitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..symbolic import Scalar, as_expr
from .description import Description
from .mode import Mode, Transition


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
        rest: str | None = None,
    ) -> Transition:
        """Add a transition, taken where ``when`` falls through zero; see :class:`Transition` for the rest."""
        self._claim(self.transitions, name, "transition")
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
            rest,
        )
        self.transitions[name] = made
        return made

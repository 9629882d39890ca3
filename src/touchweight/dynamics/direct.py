"""Direct dynamics in two forms, chosen by operation count.

Short and bushy trees are cheapest with the mass matrix factorised along the tree; long chains with articulated bodies,
whose cost grows with the number of joints only.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic import ZERO, Expr
from .articulated import articulated_body
from .factor import elimination_order, solve
from .forces import Forces
from .frames import Posture
from .inverse import inverse_dynamics
from .mass import mass_matrix
from .tree import Tree

#: the two forms
FORMS = ("factorised", "articulated")


def accelerations(
    tree: Tree, where: Sequence[Posture], tau: Sequence[Expr], forces: Forces, form: str, by_trace: bool = False
) -> list[Expr]:
    """dv/dt under the generalised forces ``tau`` and the mechanism's own."""
    applied = [t + g for t, g in zip(tau, forces.generalised, strict=True)]
    if form == "articulated":
        return articulated_body(tree, where, applied, forces.wrenches)
    bias = inverse_dynamics(tree, where, [ZERO] * len(tree.speeds), forces.wrenches)
    right = [f - c for f, c in zip(applied, bias, strict=True)]
    return solve(elimination_order(tree), mass_matrix(tree, where, by_trace), right)


#: articulated bodies must take this many times fewer operations to be chosen: each waits for the one before
WAITING = 1.2

#: trees with more links than this are judged by the estimate alone
TRIAL_SIZE = 60


def likely_forms(tree: Tree) -> list[str]:
    """The forms worth counting out: one when the estimate is clear or the tree is large, both when it is close."""
    depth: list[int] = []
    for link in tree.links:
        depth.append(len(link.v) + (depth[link.parent] if link.parent >= 0 else 0))
    factorised = sum(len(link.v) * (d * (d + 1) + 16 * d + 150) for link, d in zip(tree.links, depth, strict=True))
    articulated = sum(350 if link.kind == "R" else 200 for link in tree.links)
    margin = 1.7 if len(tree.links) <= TRIAL_SIZE else 1.0
    if factorised > margin * articulated:
        return ["articulated"]
    if articulated >= margin * factorised:
        return ["factorised"]
    return list(FORMS)

"""Everything that is wrong with a mechanism, as a list: each problem says where, what and what to do.

Checking never stops at the first problem and never raises. An *error* means that the equations cannot be
built or solved; a *warning* means that they can, but that nature would not do this, or that a name is
troublesome.
"""

import numpy as np

from ..mechanism import Mechanism
from .bodies import body_problems, gravity_problems, parameter_problems
from .contacts import contact_problems
from .drives import drive_problems
from .forces import force_problems, frame_problems, signal_problems
from .joints import joint_problems
from .loops import loop_problems
from .modes import mode_problems, transition_problems
from .motion import motion_problems
from .names import name_problems
from .problem import Problem
from .tools import Tools
from .tree import tree_problems


def check(mechanism: Mechanism) -> list[Problem]:
    """Everything that is wrong with ``mechanism``; empty when it is sound."""
    tools = Tools(mechanism)
    problems = [
        *parameter_problems(mechanism),
        *body_problems(tools),
        *joint_problems(tools),
        *tree_problems(mechanism),
    ]
    # what moves can only be told of a tree with numbers
    sound = not any(p.severity == "error" for p in problems)
    if sound:
        with np.errstate(all="ignore"):  # numbers may be as large as they like
            problems += motion_problems(mechanism, tools.defaults)
    return [
        *problems,
        *name_problems(mechanism),
        *gravity_problems(tools),
        *frame_problems(tools),
        *signal_problems(tools),
        *force_problems(tools),
        *contact_problems(tools, sound),
        *loop_problems(tools),
        *drive_problems(tools),
        *mode_problems(tools),
        *transition_problems(tools),
    ]


__all__ = ["Problem", "check"]

"""Generated code to take away: C, Python or MATLAB that needs nothing of touchweight, and equations to read.

Names come from files. In code they appear only as identifiers made here from letters, digits and underscores,
or as quoted literals; in comments they are plain ASCII without anything that could end the comment.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..program import Program
from .c import c_files, scalar_math
from .equations import equations_text
from .matlab import matlab_files
from .names import identifier, remark, stem, unique
from .plan import Entry, Plan, Subject
from .python import python_files

#: languages, and what each gives
TARGETS = {
    "c": "one C file with its header, for any C99 compiler",
    "python": "one Python module that needs only math",
    "matlab": "one MATLAB or Octave file for each function, and one for the parameters",
}


def export(subject: Subject, programs: Mapping[str, Program], target: str) -> dict[str, str]:
    """File name -> text, in a language of :data:`TARGETS`; ``programs`` are the functions by name."""
    plan = Plan(subject, programs)
    return {"c": c_files, "python": python_files, "matlab": matlab_files}[target](plan)


__all__ = [
    "TARGETS", "Entry", "Subject", "equations_text", "export", "identifier", "remark", "scalar_math", "stem", "unique",
]  # fmt: skip

"""Names that are safe anywhere: identifiers from letters, digits and underscores, remarks in plain ASCII."""

from __future__ import annotations

import keyword
import re
import sys
import unicodedata
from collections.abc import Iterable

from ...errors import printable

#: names that a file, a module or a program had better not have, in C, in MATLAB or on Windows
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long main
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
assert complex ctype errno fenv inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
catch classdef elseif end function global otherwise parfor persistent spmd
con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9
"""
_TAKEN = {*_WORDS.split(), *(n.lower() for n in (*keyword.kwlist, *sys.stdlib_module_names))}

#: letters of units and names that have a usual spelling in ASCII
_SPELLED = {"²": "^2", "³": "^3", "·": " ", "µ": "u", "μ": "u", "°": "deg", "–": "-", "…": "..."}


def identifier(name: str, otherwise: str = "model", longest: int = 24) -> str:
    """A name as lower-case letters, digits and underscores; never empty, never starting with a digit."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:longest].strip("_")
    return f"n{made}" if made[:1].isdigit() else made or otherwise


def stem(name: str) -> str:
    """A mechanism's name as the stem of files and functions, clear of words that are taken."""
    made = identifier(name)
    return f"{made}_model" if made in _TAKEN or made.split("_")[0] == "tw" else made


def unique(names: Iterable[str], longest: int = 48) -> list[str]:
    """Identifiers for names, in order, all different."""
    seen: set[str] = set()
    count: dict[str, int] = {}
    out: list[str] = []
    for name in names:
        base = made = identifier(name, "entry", longest)
        while made in seen:
            count[base] = count.get(base, 1) + 1
            made = f"{base}_{count[base]}"
        seen.add(made)
        out.append(made)
    return out


def remark(words: str) -> str:
    """Text for a comment of any language: printable ASCII that cannot end, open or continue a comment."""
    spelled = "".join(_SPELLED.get(c, c) for c in printable(words))
    return "".join(c if " " <= c <= "~" and c not in "*\\?" else f"<U+{ord(c):04X}>" for c in spelled)

"""Write the tables of parameters and sources into docs/piano.md: python docs/assets/piano_table.py"""

from pathlib import Path

from touchweight.library.piano.data import BODIES, JOINTS, PLACES, SPRINGS, STRING
from touchweight.library.piano.felts import FELTS, FINGER
from touchweight.library.piano.sources import SOURCES

PAGE = Path(__file__).parent.parent / "piano.md"
START, END = "<!-- table of parameters -->\n", "<!-- end of the table -->\n"
GROUPS = {
    "Bodies": BODIES,
    "Places, at rest, from the balance point": PLACES,
    "Friction of the pivots": JOINTS,
    "Springs": SPRINGS,
    "Strings": STRING,
    "Felts": FELTS,
    "Finger (only of the drive `finger`)": FINGER,
}


def number(x: float) -> str:
    """A number for people."""
    return f"{x:.3g}" if x and not 0.01 <= abs(x) < 1e4 else f"{round(x, 4):g}"


def tables() -> str:
    """All tables, as Markdown."""
    out = []
    for title, group in GROUPS.items():
        out += [f'??? note "{title}"', "", "    | parameter | value | from | to | known as | source or reason |"]
        out.append("    |---|---|---|---|---|---|")
        for name, d in group.items():
            unit = f" {d.unit}" if d.unit else ""
            row = (f"`{name}`", number(d.value) + unit, number(d.low), number(d.high), d.tag, d.source)
            out.append(f"    | {' | '.join(row)} |")
        out.append("")
    out += [f"- **{short}**: {work}." for short, work in SOURCES.items()]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    PAGE.write_text(before + START + "\n" + tables() + "\n" + END + rest.split(END)[1], encoding="utf-8")

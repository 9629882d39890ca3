"""The grand piano action: described, regulated, played, measured; for any of the 88 keys.

from touchweight.library import piano

model = piano.build("motion").compile()
run = piano.play(model, piano.press(0.06), 0.3)
piano.analyse(run).speed                    # of the hammer at the string [m/s]
piano.measure(model)                        # blow, let-off, drop, down-weight, ...
piano.play(model, piano.press(0.06), 0.3, parameters=piano.action_for("C2"))
"""

from .action import TABLE, build
from .compass import action_for, heavier_hammer, key_name, key_number
from .playing import PlayingError, play, rest, strike
from .regulation import Measures, Regulation, measure, regulate
from .stroke import Moment, Strike, Stroke, analyse
from .strokes import Motion, Move, again, press, push, repeated, slow, trill

__all__ = [
    "TABLE",
    "Measures",
    "Moment",
    "Motion",
    "Move",
    "PlayingError",
    "Regulation",
    "Strike",
    "Stroke",
    "action_for",
    "again",
    "analyse",
    "build",
    "heavier_hammer",
    "key_name",
    "key_number",
    "measure",
    "play",
    "press",
    "push",
    "regulate",
    "repeated",
    "rest",
    "slow",
    "strike",
    "trill",
]

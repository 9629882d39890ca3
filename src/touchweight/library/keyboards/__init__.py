"""Other actions behind the same key: at the touch of a button a grand, two cheaper ones, a harpsichord or an organ.

key = KEYBOARDS["harpsichord"]
model = key.build().compile()
run = key.play(model, piano.press(0.06), 0.3)
"""

from .. import piano
from . import harpsichord, organ, reduced
from .keyboard import (
    Keyboard,
    Sound,
    finger_force,
    key_dip,
    openings,
    plucks,
    strike_events,
    strikes,
)

#: actions by name
KEYBOARDS: dict[str, Keyboard] = {
    k.name: k
    for k in (
        Keyboard("grand", "A grand piano action: seven bodies, fifteen felts.", piano.build, strikes, 10e-3),
        Keyboard(
            "model-a", "Its key and hammer, coupled rigidly until let-off.", reduced.model_a, strike_events, 10e-3
        ),
        Keyboard("model-b", "Its key and hammer on two springs.", reduced.model_b, strike_events, 10e-3),
        Keyboard("harpsichord", "A jack whose plectrum plucks a string.", harpsichord.build, plucks, 7e-3),
        Keyboard("organ", "A tracker that opens a pallet against the wind.", organ.build, openings, 9.5e-3),
    )
}

__all__ = ["KEYBOARDS", "Keyboard", "Sound", "finger_force", "harpsichord", "key_dip", "organ", "reduced"]

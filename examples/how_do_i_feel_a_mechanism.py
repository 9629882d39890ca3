"""How do I feel a mechanism? Drive a coordinate from outside; the force that takes is what a hand feels."""

import math

from touchweight.library.classics import piano_key_b


def hand(t):
    """Plays a trill, two notes a second: position [rad], velocity, acceleration."""
    w = 4.0 * math.pi
    return 0.2 * (1.0 - math.cos(w * t)), 0.2 * w * math.sin(w * t), 0.2 * w * w * math.cos(w * t)


# a key on a spring in the hand, a hammer that rests on it or flies; "manipulandum" is declared with m.drive()
model = piano_key_b.build().compile()
run = model.simulate(3.0, drives={"manipulandum": hand}, dt=1e-3)

felt = run["force.manipulandum"]  # Q_d of the drive [N m]
for second in range(3):
    part = felt[(run.t >= second) & (run.t < second + 1)]
    print(f"in second {second + 1} the hand feels {part.min():.0f} to {part.max():.0f} N m")
for event in run.events[:4]:
    print(f"at {event.t:.3f} s: {event.name}")

# the numbers are live: softer springs, in the same model
soft = model.simulate(3.0, state=model.state(parameters={"k1": 300.0}), drives={"manipulandum": hand}, dt=1e-3)
print(f"through a softer spring at most {soft['force.manipulandum'].max():.0f} N m")

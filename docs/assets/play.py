"""Draw play.png, what `touchweight play` makes of the double pendulum: python docs/assets/play.py"""

from pathlib import Path

from touchweight.cli.find import start_of
from touchweight.cli.stage import SHOWS
from touchweight.library.classics import double_pendulum
from touchweight.simulate.picture import draw, make_scene
from touchweight.simulate.skeleton import add_skeleton

show = SHOWS["double-pendulum"]
mechanism = double_pendulum.build()
pieces = add_skeleton(mechanism)
model = mechanism.compile()
run = model.simulate(show.seconds, q=start_of(mechanism), dt=show.dt, every=4)
operations = model.equations.derive("rates").operations.total
subtitle = f"{model.nv} degrees of freedom, {operations} operations an evaluation, {show.seconds:g} s of motion"
draw(make_scene(run, pieces), model.name, subtitle, True, Path(__file__).with_suffix(".png"), dpi=90)

"""Draw bode.png and mode.gif, the pictures of these pages: python docs/analyses/figures.py"""

import os
import re
from pathlib import Path

from touchweight.library import build

HERE = Path(__file__).parent
os.chdir(HERE)
# the mechanism of the pages, as its page describes it
(text,) = re.findall(r"```python\n(.*?)```", (HERE / "index.md").read_text(encoding="utf-8"), re.S)
names: dict = {}
exec(text.replace('m.save("rhombus.yaml")', ""), names)
model = names["model"]
model.linearise(model.equilibrium({"crank": -0.6}).state).bode("motor", "tip.z", save=HERE / "bode.png")
build("chain").compile().vibrations(q={}).animate(3, save=HERE / "mode.gif")

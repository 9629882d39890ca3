"""How do I change a mass while it runs? Assign to the state's parameters: nothing is compiled again."""

import numpy as np

from touchweight.library.classics import pendulum

model = pendulum.build().compile()
state = model.state(q={"hip": 0.5})

# the same state goes on from run to run; between two of them the rod gets a heavy end
for second in range(6):
    if second == 3:
        state.parameters["rod.com.z"] = -0.45  # its centre of mass moves from the middle to near the end
        state.parameters["rod.mass"] = 3.0
    run = model.simulate(1.0, state=state)
    swings = int(np.sum(np.diff(np.sign(run["hip"])) != 0))
    print(
        f"t = {state.t:.0f} s: mass {state.parameters['rod.mass']:g} kg, angle {state.q[0]:+.3f} rad, "
        f"energy {run['energy.total'][-1]:+.3f} J, {swings} passages through the middle"
    )

# one call may also have parameters of its own, and leaves those of the model alone
torque = model.inverse([0.5], [0.0], [0.0])
heavier = model.inverse([0.5], [0.0], [0.0], parameters={"rod.mass": 2.0})
print(f"to hold it at 0.5 rad takes {torque[0]:.3f} N m, {heavier[0]:.3f} N m with twice the mass")

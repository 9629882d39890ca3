"""How do I simulate a pendulum? Describe it, compile it, let it go."""

import touchweight as tw

m = tw.Mechanism("pendulum")
arm = m.body("arm", mass=1.2, com=(0, 0, -0.4), inertia=(0.07, 0.07, 1e-3))  # kg, m, kg m²
m.revolute("hip", m.ground, arm, axis="y")

model = m.compile()
run = model.simulate(10.0, q={"hip": 0.3})  # from 0.3 rad, at rest

print(f"{run}")
print(f"after 10 s the angle is {run['hip'][-1]:.4f} rad and the speed {run['v.hip'][-1]:.4f} rad/s")
print(f"the energy has changed by {run['energy.total'][-1] - run['energy.total'][0]:.1e} J")

run.plot("hip", "energy.kinetic", "energy.potential", save="pendulum.png")
run.save("pendulum.csv")
print("see pendulum.png and pendulum.csv")

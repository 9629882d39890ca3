"""How do I add a motor and a sensor? Describe both; inputs are then numbers or functions of time."""

import math

import touchweight as tw

m = tw.Mechanism("cart and pole")
cart = m.body("cart", mass=2.0, inertia=(0.02, 0.02, 0.02))
pole = m.body("pole", mass=0.3, com=(0, 0, -0.25), inertia=(0.006, 0.006, 1e-4))
m.prismatic("rail", m.ground, cart, axis="x", damping=0.5)
m.revolute("pivot", cart, pole, axis="y")

m.actuator("motor", "rail", gear=20.0, lag=0.02, limit=15.0)  # an input, a lag of 20 ms, at most 15 N
m.sensor("tip", "position", m.frame("tip", pole, origin=(0, 0, -0.5)))
m.sensor("shake", "acceleration", cart)

model = m.compile()
run = model.simulate(4.0, inputs={"motor": lambda t: 0.4 * math.sin(2 * math.pi * 0.8 * t)})

print("channels:", ", ".join(run))
print(f"the cart moves between {run['rail'].min():.2f} and {run['rail'].max():.2f} m")
print(f"the tip swings up to {run['tip.z'].max():.2f} m")
print(f"the cart feels {abs(run['shake.x']).max():.1f} m/s² at most")

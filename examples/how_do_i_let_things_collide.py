"""How do I let things collide? Name a mode, and a transition where the distance falls to zero."""

import touchweight as tw

m = tw.Mechanism("cart between walls")
cart = m.body("cart", mass=1.0)
pole = m.body("pole", mass=0.3, com=(0, 0, -0.4), inertia=(0.02, 0.02, 0))
m.prismatic("cart", m.ground, cart, axis="x")
m.revolute("pole", cart, pole, axis="y", initial=[1.2])
push = m.input("push", "N")
m.joint_law("motor", "cart", push)

# the impulse of a wall goes through the mass matrix: the pole is jerked, too
m.mode("free")
for name, distance in (("left", m.q("cart") + 0.5), ("right", 0.5 - m.q("cart"))):
    m.transition(name, "free", "free", distance, restitution=0.6, rest=True)

model = m.compile()
run = model.simulate(4.0, inputs={"push": lambda t: 5.0 if t < 2.5 else -5.0})
for event in [*run.events[:3], *run.events[-2:]]:
    print(f"at {event.t:.4f} s: {event.name}, from {event.source} to {event.target}")
print(f"{len(run.events)} events; the cart was never beyond {max(abs(run['cart'])):.6f} m")
print(f"pressed against the wall it takes up to {run['force.right.contact'].max():.2f} N")

"""How do I write my own force law? As a Python function; it becomes part of the generated code."""

import touchweight as tw


def felt(q, v, *, k, r, b, touch):
    """A felt that starts to press at ``touch`` [rad] and stiffens: torque [N m] on a lever at angle ``q``."""
    d = tw.maximum(q - touch, 0.0)  # compression, zero before it touches
    return -(k * d**r + b * d**2 * v)


m = tw.Mechanism("lever on felt")
lever = m.body("lever", mass=0.15, com=(0.10, 0, 0), inertia=(1e-5, 6e-4, 6e-4))
m.revolute("pivot", m.ground, lever, axis="y")
m.joint_law("felt", "pivot", felt, k=40.0, r=2.5, b=30.0, touch=0.05)

# the function is called once, with symbols; k, r, b and touch are live parameters now
model = m.compile()
print("parameters:", ", ".join(n for n in model.parameters if n.startswith("felt")))

for stiffness in (40.0, 400.0):
    state = model.state(parameters={"felt.k": stiffness})
    run = model.simulate(1.5, state=state, dt=1e-4, every=10)
    deepest, end = run["pivot"].max(), run["pivot"][-1]
    print(f"k = {stiffness:g}: the lever falls, dips to {deepest:.3f} rad and ends at {end:.3f} rad")

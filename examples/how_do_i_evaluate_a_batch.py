"""How do I evaluate a batch? Give arrays with a leading dimension; parameters may be arrays too."""

import time

import numpy as np

from touchweight.library.classics import arm

model = arm.build(servos=False).compile()
rng = np.random.default_rng(0)
n = 100_000
q, v, a = (rng.normal(size=(n, model.nv)) for _ in range(3))

model.inverse(q[:8], v[:8], a[:8])  # the first call compiles
began = time.perf_counter()
tau = model.inverse(q, v, a)
took = time.perf_counter() - began
print(f"{n} inverse dynamics of a 6-joint arm in {1e3 * took:.0f} ms: {1e9 * took / n:.0f} ns each")
print("shape of the result:", tau.shape)

# one tool mass for each item
masses = np.linspace(0.1, 5.0, n)
q0, rest = np.full(model.nq, 0.6), np.zeros(model.nv)
holding = model.inverse(q0, rest, rest, parameters={"tool.mass": masses})
for i, item in ((0, "0.1 kg"), (-1, "5 kg")):
    print(f"to hold {item} the shoulder needs {holding[i, 1]:.1f} N m")

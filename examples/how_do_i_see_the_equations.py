"""How do I see the equations? Derive a function and print it."""

from touchweight.codegen.export import equations_text
from touchweight.library.classics import double_pendulum

model = double_pendulum.build().compile()

for name in ("mass_matrix", "inverse"):
    program = model.equations.derive(name)
    print(f"--- {name}: {program.operations}")
    print(equations_text(program, {"tau": model.speeds}))
    print()

# the same from the command line, for any file: touchweight info FILE --equations inverse

"""How do I see the equations? Ask the model for the text of any of its functions."""

from touchweight.library.classics import double_pendulum

model = double_pendulum.build().compile()

for name in ("mass_matrix", "inverse"):
    print(f"--- {name}: {model.equations.derive(name).operations}")
    print(model.equations_text(name))
    print()

# the same from the command line, for any file: touchweight info FILE --equations inverse

"""How do I take the code away? Write it as C, Python or MATLAB that needs nothing of touchweight."""

from pathlib import Path

from touchweight.cli import main

# the same as: touchweight generate double-pendulum --target c --output generated --force
main(["generate", "double-pendulum", "--target", "c", "--output", "generated", "--force"])
main(["generate", "double-pendulum", "--target", "python", "--output", "generated", "--force"])

header = Path("generated/double_pendulum.h").read_text()
print(header[: header.index("*/") + 2])

"""``python -m touchweight.cli``."""

import sys

from . import main

sys.exit(main())

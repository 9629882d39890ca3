"""From expressions to code: scheduling, emitters, building and caching the machine code."""

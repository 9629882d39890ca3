"""The mechanics: one file per piece of theory, from a mechanism to expressions."""

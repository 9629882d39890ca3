"""The grand piano."""

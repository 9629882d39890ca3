"""Benchmarks: every time quoted is a ratio against a rival measured in the same run."""

"""Mechanisms every textbook knows."""

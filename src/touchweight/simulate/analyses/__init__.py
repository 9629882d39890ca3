"""Analyses of a model: one file, one function, one command for each."""

"""Compiled fishing games, many per call."""

"""Klondike's kernels: positions as one number each, the search of the solver, the plans behind hints, many games at once."""

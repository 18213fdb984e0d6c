"""Klondike compiled: positions as one number each, the search of the solver, the plans behind hints."""

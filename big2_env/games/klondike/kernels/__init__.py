"""Kernels of Klondike: packed positions, the solver's search, the plans behind hints, and batches of games."""

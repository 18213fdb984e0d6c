"""Learned agents: networks that score candidate moves, run by numpy and numba. Only training needs torch."""

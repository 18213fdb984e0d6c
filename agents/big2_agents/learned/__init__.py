"""Learned players: networks that score candidate plays, run with numpy and numba; torch only trains them."""

"""The heuristic in plain Python, without numba or numpy: it answers while nothing is compiled, and checks what is."""

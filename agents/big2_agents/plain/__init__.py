"""The heuristic and the learned player in plain Python, without numba or numpy: they answer while nothing is compiled."""

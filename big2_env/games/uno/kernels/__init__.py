"""Kernels of UNO, compiled or interpreted. They reproduce `big2_env.games.uno.game` move by move."""

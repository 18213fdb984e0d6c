"""Reinforcement learning environments for Gymnasium, PettingZoo, Stable-Baselines3, RLlib and TextArena."""

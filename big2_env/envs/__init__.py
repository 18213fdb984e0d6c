"""Reinforcement learning environments for Gymnasium, PettingZoo, Stable-Baselines3 and RLlib."""

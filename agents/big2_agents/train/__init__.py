"""Training of agents by self-play: candidate PPO and MaskablePPO. Needs the extra `sb3` (torch)."""

"""Training of agents by self-play: candidate PPO, MaskablePPO, a critic for search. Needs the extra `sb3` (torch)."""

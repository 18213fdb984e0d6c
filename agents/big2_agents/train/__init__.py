"""Training of agents by self-play: candidate PPO, MaskablePPO, and a critic for search. Needs the extra `sb3` (torch)."""

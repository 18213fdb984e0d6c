"""UNO players: a learned one, one that searches, and baselines."""

"""Weights of the heuristic fitted to what a ruleset pays, by evolution on the compiled engine."""

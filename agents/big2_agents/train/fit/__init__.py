"""Fit of the heuristic's weights to the payoffs of a ruleset, by evolution on the compiled engine."""

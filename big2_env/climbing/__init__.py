"""Rules of the climbing games in plain, readable Python: patterns, rulesets, games, views and settlements."""

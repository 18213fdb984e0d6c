"""One engine for the climbing games: patterns and rulesets are data, `game.py` plays them."""

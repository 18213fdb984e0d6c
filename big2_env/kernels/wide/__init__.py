"""A second compiled engine, for what the first one does not serve: other decks, auctions, sides, draw piles, more seats.

It is fed from the same rulesets and keeps the same interface: `engine.WideEngine` is a `BatchEngine`. Two kinds of rulesets are
served: those in which suits never matter, by their rank tables, and those with small hands, by every choice of places.
`big2_env.kernels.choose.batch_engine` takes the engine that serves a ruleset.
"""

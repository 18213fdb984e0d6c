"""金钩钓鱼, the fishing game for two players.

Players make no decisions: the deal determines the whole game, and the statistic of interest is its length in plays.

| file | contents |
| --- | --- |
| `rules`, `cards` | rule variants, cards and decks as values |
| `game` | reference implementation: single plays, event log, cycle detection |
| `kernels/` | compiled implementation |
| `article_log` | output of the original article's program |
| `analysis/` | Markov chains and tail fits for the length of a game |
| `small_decks` | exhaustive results for small decks |
"""

from __future__ import annotations

from big2_env.games.fishing.cards import DECK_52, DECK_54, FishingDeck
from big2_env.games.fishing.game import FishingGame
from big2_env.games.fishing.plays import FishingEnd, FishingOutcome, FishingPlay, FishingState
from big2_env.games.fishing.rules import LISTING, READINGS, CaptureOrder, FishingRules

__all__ = [
    "DECK_52",
    "DECK_54",
    "LISTING",
    "READINGS",
    "CaptureOrder",
    "FishingDeck",
    "FishingEnd",
    "FishingGame",
    "FishingOutcome",
    "FishingPlay",
    "FishingRules",
    "FishingState",
]

"""The fishing game 金钩钓鱼 of two players: no choices, so a deal is a whole game; how long it lasts is the question.

| file | what it has |
| --- | --- |
| `rules`, `cards` | the reading of the rules, the cards and decks of them, as values |
| `game` | the reference engine: a play at a time, event log, cycles |
| `kernels/` | the same compiled |
| `article_log` | what the article's program prints |
| `analysis/` | Markov chains of a game's length |
| `small_decks` | every deal of a small deck |
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

"""How a person has fared against whom, over the games that are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from big2_env.play.saved import SavedGame


@dataclass
class Tally:
    """How a person has fared against the same opponents in the same game."""

    ruleset: str
    """The game's name."""
    opponents: tuple[str, ...]
    """The agents, sorted."""
    games: int = 0
    """How many games were played to the end."""
    wins: int = 0
    """In how many of them nobody was paid more."""
    payoff: float = 0.0
    """The sum of what they paid."""
    broken_off: int = 0
    """How many further games were broken off."""


def tally(games: Iterable[SavedGame]) -> list[Tally]:
    """One tally for each game and table of opponents, those met most often first."""
    found: dict[tuple[str, tuple[str, ...]], Tally] = {}
    for game in games:
        key = game.ruleset, tuple(sorted(game.opponents))
        one = found.setdefault(key, Tally(*key))
        if game.payoff is None:
            one.broken_off += 1
        else:
            one.games += 1
            one.wins += game.has_won
            one.payoff += game.payoff
    return sorted(found.values(), key=lambda one: (-one.games - one.broken_off, one.ruleset, one.opponents))

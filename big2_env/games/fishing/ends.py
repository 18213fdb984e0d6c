"""How single games end: a few are played out in plain Python, many or very long ones by compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from big2_env.games.fishing.game import MAX_PLAYS, FishingEnd, FishingGame, FishingOutcome
from big2_env.games.fishing.rules import FishingRules
from big2_env.runs.progress import waiting

PLAIN_PLAYS: Final = 400_000
"""Plays that plain Python makes in one process, a second's worth, before the rest is left to compiled code."""


class Ends:
    """Finds how games end.

    Args:
        plain_plays: plays that may be made in plain Python; after those, compiled code decides.
    """

    def __init__(self, plain_plays: int = PLAIN_PLAYS) -> None:
        self._plain_plays = plain_plays

    def decide(self, rules: FishingRules, hands: Sequence[Sequence[int]], *, max_plays: int = MAX_PLAYS) -> FishingOutcome:
        """How the game of two hands ends: what `FishingGame.play_out` says.

        Raises:
            ConfigError: hands that are not the deck.

        >>> from big2_env.games.fishing.rules import LISTING
        >>> Ends().decide(LISTING, LISTING.deck.deal(7))
        FishingOutcome(end=<FishingEnd.EMPTY_HAND: 'empty hand'>, plays=275, loser=1, period=None)
        """
        if self._plain_plays > 0:
            game, most = FishingGame(rules, hands), min(max_plays, self._plain_plays)
            found = game.play_out(most)
            self._plain_plays -= game.plays
            if found.end is not FishingEnd.UNDECIDED or most == max_plays:
                return found
        with waiting():
            from big2_env.games.fishing.kernels import loops

            return loops.decide(rules, hands, max_plays=max_plays)


decide: Final = Ends().decide
"""The same for everybody in this process."""

"""Estimate of the chance to win from a position: sampled arrangements of the hidden cards, each solved with all cards known.

A player does not know the hidden cards, so the true chance is lower. The estimate is quick: every arrangement gets
a short search, and undecided ones get a longer search. An arrangement that is still undecided counts as lost.
"""

from __future__ import annotations

import random
import time
from typing import Final

from big2_env.games.klondike.hint import SAMPLES, drawn
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.solver import interpreted_search
from big2_env.games.klondike.view import KlondikeView

ROUNDS: Final = (200, 1_000)
"""Positions searched per arrangement, in the first search and in the second one."""


class KlondikeChance:
    """Estimate for one view. The view seeds the samples, so the estimate does not depend on hidden cards.

    >>> from big2_env.games.klondike.game import KlondikeGame
    >>> found = KlondikeChance(KlondikeGame.deal(7).view(), samples=10)
    >>> while not found.is_final:
    ...     found.step(1.0)
    >>> found.won, found.done, found.of
    (8, 10, 10)
    """

    def __init__(self, view: KlondikeView, samples: int = SAMPLES) -> None:
        self.of = samples
        """Number of arrangements to examine."""
        self.won = 0
        """Number of examined arrangements that can be won."""
        self.done = 0
        """Number of arrangements examined so far."""
        self._view = view
        self._search = interpreted_search()
        self._rng = random.Random(view.seed())
        self._open: list[KlondikePosition] = []
        """Arrangements that the first search has left open."""

    @property
    def is_final(self) -> bool:
        """True if no work is left."""
        return self.done == self.of and not self._open

    def step(self, seconds: float) -> None:
        """Search for some time, at least one arrangement."""
        end = time.monotonic() + seconds
        while not self.is_final:
            self._examine()
            if time.monotonic() >= end:
                return

    def _examine(self) -> None:
        """Search one arrangement."""
        first, second = ROUNDS
        is_first = self.done < self.of
        state = drawn(self._view, self._rng) if is_first else self._open.pop()
        most = first if is_first else second
        won = self._search(state).run(most, most=most)
        self.won += won is True
        if is_first:
            self.done += 1
            if won is None:
                self._open.append(state)

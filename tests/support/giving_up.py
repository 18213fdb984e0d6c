"""An agent that gives the game up."""

from __future__ import annotations

from big2_env.climbing.forfeit import ForfeitError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View


class GivesUp:
    """Plays the first legal move, and gives up after some moves."""

    def __init__(self, moves: str = "0") -> None:
        self._moves = int(moves)
        self._left = 0

    def reset(self, seed: int) -> None:
        self._left = self._moves

    def act(self, view: View, legal: LegalPlays) -> Play:
        if not self._left:
            raise ForfeitError(f"tired after {self._moves} moves")
        self._left -= 1
        return next(iter(legal))

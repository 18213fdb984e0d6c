"""What a search asks of whoever tries its candidates on sampled deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View


class Opened(NamedTuple):
    """A decision that a search begins."""

    plays: list[Play]
    """The candidates, as legal acts."""
    scores: list[float]
    """What the player who lists them thinks of each: the higher the better."""
    sure: int
    """The candidate that begins a sure win, -1 where none is found."""


class Trials(Protocol):
    """Tries the candidates of one decision after the other."""

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision; the deals that are sampled for it follow from the seed."""
        ...

    def forget(self) -> None:
        """Forget the endings that were solved: what is solved within bounds must follow from the view and the seed alone."""
        ...

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """Try candidates on more sampled deals, each the same for all.

        Args:
            chosen: the candidates.
            samples: how many deals.
            exact: cards in all hands from which on a deal is solved, where that is quick; 0 for never.
            totals: by candidate, to which its weighted payoffs are added.
            squares: by candidate, to which its weighted squared payoffs are added.

        Returns:
            The sum of the deals' weights, and that of their squares.
        """
        ...

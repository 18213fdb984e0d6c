"""A hand parted into plays, so that the parts are worth most together: the plays it is meant to be played in.

Plays of one rank (single, pair, triple, ...) are chosen rank by rank, exactly. Plays of several ranks (straights, full houses,
...) are set aside first, in every combination of plays that do not share a card, up to `MAX_SETS` of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

MAX_MIXED: Final = 40
"""Most plays of several ranks that are looked at, those first that gain most over their cards played apart."""
MAX_SETS: Final = 500
"""Most combinations of them."""
LOOSE: Final = (-2.0, 0.01)
"""Worth and hold of a card that is in no play at all."""


class Part(NamedTuple):
    """A play as a part of a hand."""

    mask: int
    worth: float
    hold: float
    """The chance that nobody covers it."""


class Parting(NamedTuple):
    """The best way to part some cards."""

    worth: float
    """The sum over the parts."""
    run: float
    """The chance that all parts but the weakest hold: that whoever leads goes out without giving the lead away."""


class Partings:
    """The best parting of a hand and of any of its subsets."""

    def __init__(self, hand: int, rank_masks: Sequence[int], plays: Sequence[Part]) -> None:
        self._ranks = [mask for mask in rank_masks if mask & hand]
        alone: dict[int, list[Part]] = {mask: [] for mask in self._ranks}
        mixed = []
        for play in plays:
            rank = next(mask for mask in self._ranks if mask & play.mask)
            if play.mask & ~rank:
                mixed.append(play)
            else:
                alone[rank].append(play)
        self._rank = {mask: _OneRank(parts) for mask, parts in alone.items()}
        self._found: dict[int, Parting] = {}
        self._sets = self._combine(mixed)

    def best(self, cards: int) -> Parting:
        """The best parting of these cards of the hand."""
        found = self._found.get(cards)
        if found is None:
            worth, used, hold, least = max(
                (worth + self._worth_apart(cards ^ used), used, hold, least)
                for used, worth, hold, least in self._sets
                if not used & ~cards
            )
            rest = cards ^ used
            for mask in self._ranks:
                if rest & mask:
                    _, part_hold, part_least = self._rank[mask][rest & mask]
                    hold *= part_hold
                    least = min(least, part_least)
            found = self._found[cards] = Parting(worth, hold / least)
        return found

    def _worth_apart(self, cards: int) -> float:
        """What cards are worth when no play of several ranks is set aside."""
        worth = 0.0
        for mask in self._ranks:
            if part := cards & mask:
                worth += self._rank[mask][part][0]
        return worth

    def _combine(self, mixed: list[Part]) -> list[tuple[int, float, float, float]]:
        """(cards, worth, product of the holds, least hold) of every combination of plays without a common card."""
        if len(mixed) > MAX_MIXED:
            mixed = sorted(mixed, key=lambda part: self._worth_apart(part.mask) - part.worth)[:MAX_MIXED]
        sets = [(0, 0.0, 1.0, 1.0)]
        for mask, more, part_hold in mixed:
            for used, worth, hold, least in sets[: MAX_SETS - len(sets)]:
                if not used & mask:
                    sets.append((used | mask, worth + more, hold * part_hold, min(least, part_hold)))
        return sets


class _OneRank(dict[int, tuple[float, float, float]]):
    """(worth, product of the holds, least hold) of the best parting of any cards of one rank, found when asked for."""

    def __init__(self, plays: Sequence[Part]) -> None:
        super().__init__({0: (0.0, 1.0, 1.0)})
        self._plays = plays

    def __missing__(self, cards: int) -> tuple[float, float, float]:
        low = cards & -cards
        best = self._with(*LOOSE, cards ^ low)
        for mask, worth, hold in self._plays:
            if mask & low and not mask & ~cards:
                best = max(best, self._with(worth, hold, cards ^ mask))
        self[cards] = best
        return best

    def _with(self, worth: float, hold: float, others: int) -> tuple[float, float, float]:
        more, other_hold, least = self[others]
        return worth + more, hold * other_hold, min(hold, least)

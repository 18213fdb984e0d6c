"""A hand parted into plays, so that the parts are worth most together: the plays it is meant to be played in. By places.

Plays of one rank (single, pair, triple, ...) are chosen rank by rank, exactly. Plays of several ranks (straights, full houses,
...) are set aside first, in every combination of plays that do not share a card, up to `MAX_SETS` of those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from big2_agents.formula import LOOSE
from big2_agents.plain.outlook import Outlook
from big2_agents.plain.slot_plays import listed_plays
from big2_agents.plain.unseen_plays import Shapes
from big2_env.climbing.ruleset import RuleSet

MAX_MIXED: Final = 40
"""Most plays of several ranks that are looked at, those first that gain most over their cards played apart."""
MAX_SETS: Final = 500
"""Most combinations of them."""
ALONE: Final = (LOOSE[0], LOOSE[1], LOOSE[1])
"""A card that no play takes, as `_OneRank` has it."""

NOTHING: Final = (0.0, 1.0, 1.0)
"""No cards, likewise."""

Part: TypeAlias = tuple[int, float, float]
"""A play as a part of a hand: its cards, what it is worth, the chance that nobody covers it."""


class Decompositions:
    """The best decomposition of a hand and of any of its subsets.

    Args:
        alone: by the cards of each rank that the hand has, its plays of that rank alone.
        mixed: its other plays.
    """

    def __init__(self, alone: Mapping[int, Sequence[Part]], mixed: Sequence[Part]) -> None:
        self._ranks = [(mask, _OneRank(parts)) for mask, parts in alone.items()]
        self._found: dict[int, tuple[float, float]] = {}
        self._apart: dict[int, float] = {}
        self._sets = self._combine(mixed)

    def best(self, cards: int) -> tuple[float, float]:
        """The best decomposition of these cards of the hand: what it is worth, and the chance that its lead holds to the end.

        That is the chance that nobody covers any of its parts but the weakest.
        """
        found = self._found.get(cards)
        if found is None:
            apart, lacking = self._utility_apart, ~cards
            utility, used, hold, least = max(
                [
                    (utility + apart(cards ^ used), used, hold, least)
                    for used, utility, hold, least in self._sets
                    if not used & lacking
                ]
            )
            rest = cards ^ used
            for mask, table in self._ranks:
                if part := rest & mask:
                    _, part_hold, part_least = table[part]
                    hold *= part_hold
                    if part_least < least:
                        least = part_least
            found = self._found[cards] = utility, hold / least
        return found

    def _utility_apart(self, cards: int) -> float:
        """What cards are worth when no play of several ranks is set aside."""
        found = self._apart.get(cards)
        if found is None:
            found = 0.0
            for mask, table in self._ranks:
                if part := cards & mask:
                    found += table[part][0]
            self._apart[cards] = found
        return found

    def _combine(self, mixed: Sequence[Part]) -> list[tuple[int, float, float, float]]:
        """(cards, utility, product of the holds, least hold) of every combination of plays without a common card."""
        if len(mixed) > MAX_MIXED:
            mixed = sorted(mixed, key=lambda part: self._utility_apart(part[0]) - part[1])[:MAX_MIXED]
        sets = [(0, 0.0, 1.0, 1.0)]
        for mask, more, part_hold in mixed:
            for used, utility, hold, least in sets[: MAX_SETS - len(sets)]:
                if not used & mask:
                    sets.append((used | mask, utility + more, hold * part_hold, min(least, part_hold)))
        return sets


class _OneRank(dict[int, tuple[float, float, float]]):
    """(utility, product of the holds, least hold) of the best decomposition of any cards of one rank, found when asked for."""

    def __init__(self, plays: Sequence[Part]) -> None:
        self[0] = NOTHING
        self._plays = plays

    def __missing__(self, cards: int) -> tuple[float, float, float]:
        low = cards & -cards
        if low == cards:
            best = ALONE
            for mask, utility, hold in self._plays:
                if mask == low:
                    best = max(best, (utility, hold, hold))
            self[cards] = best
            return best
        best = self._with(*LOOSE, cards ^ low)
        for mask, utility, hold in self._plays:
            if mask & low and not mask & ~cards:
                best = max(best, self._with(utility, hold, cards ^ mask))
        self[cards] = best
        return best

    def _with(self, utility: float, hold: float, others: int) -> tuple[float, float, float]:
        more, other_hold, least = self[others]
        return utility + more, hold * other_hold, min(hold, least)


class SlotDecompositions:
    """A hand with its plays and its decompositions, where actions are places in it."""

    def __init__(self, shapes: Shapes, outlook: Outlook, hand: int) -> None:
        self._rules: RuleSet = shapes.ruleset
        self._listing = listing = listed_plays(shapes, hand)
        prospects = [outlook.find(*kind) for kind in listing.kinds]
        self._holds = holds = [one[0] for one in prospects]
        utilities = [one[1] for one in prospects]
        self._is_sure = [one[3] for one in prospects]
        self._sure = 0
        for cards, sure in zip(listing.cards_of, self._is_sure, strict=True):
            if sure:
                self._sure |= cards
        alone = {
            rank: [(cards, utilities[kind], holds[kind]) for cards, kind in plays] for rank, plays in listing.alone.items()
        }
        mixed = [(cards, utilities[kind], holds[kind]) for cards, kind in listing.mixed]
        self._decompositions = Decompositions(alone, mixed)
        self._out: dict[tuple[int, bool], bool] = {}

    def best(self, cards: int) -> tuple[float, float]:
        """The best decomposition of these cards of the hand, as `Decompositions.best` has it."""
        return self._decompositions.best(cards)

    def best_hold(self, category: int, cards: int) -> float:
        """The best hold of a play of a category that these cards have, 0 without one."""
        lacking, plays = ~cards, self._listing.of_category.get(category, ())
        return max([self._holds[kind] for mask, kind in plays if not mask & lacking], default=0.0)

    def goes_out(self, cards: int) -> bool:
        """True if these cards are plays of which at most one can be covered."""
        if self._rules.table.classify(cards):
            return True
        return bool(self._sure & cards) and self._parts(cards, False)

    def _parts(self, cards: int, spent: bool) -> bool:
        """True if cards are sure plays and, unless it is `spent`, one that is not."""
        found = self._out.get((cards, spent))
        if found is None:
            unsure = cards & ~self._sure
            choice = unsure or cards
            lowest = choice & -choice
            found = not (spent and unsure) and any(
                mask & lowest
                and not mask & ~cards
                and (self._is_sure[kind] or not spent)
                and (mask == cards or self._parts(cards ^ mask, spent or not self._is_sure[kind]))
                for mask, kind in self._listing.plays
            )
            self._out[cards, spent] = found
        return found

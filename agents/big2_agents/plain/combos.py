"""How few plays it takes to put down a hand: what the learned players are told of it. As `compiled.combos` counts them."""

from __future__ import annotations

from typing import Final

from big2_agents.plain.slot_rows import ONES, SlotRows, bits, counts_of, unary, unary_of

MAX_COMBOS: Final = 128
"""Most shapes of several ranks that are looked at."""
MANY: Final = 52
"""More plays than any hand has."""


class Combos:
    """A hand with its shapes of several ranks, those of one suit aside."""

    def __init__(self, rows: SlotRows, hand: int) -> None:
        self._suited_sizes = list(rows.suited)
        self._steps = rows.steps_alone
        lacking = ~unary(hand)
        held = [row.need for row in rows.rows if not row.is_alone and not row.need & lacking][:MAX_COMBOS]
        self._combos = [(need, counts_of(need)) for need in held]
        self._fewest: dict[int, int] = {0: 0}
        self._by_rank: dict[int, int] = {}

    def fewest(self, cards: int) -> int:
        """How many plays it takes at least to put down these cards of the hand, with up to two shapes and one of one suit.

        An estimate from above.
        """
        found = self._fewest.get(cards)
        if found is None:
            found = self._fewest[cards] = self._find(cards)
        return found

    def _find(self, cards: int) -> int:
        counts = counts_of(cards)
        best = self._with_combos(counts, MANY)
        for size in self._suited_sizes:
            for suit in range(4):
                held = cards & ONES << suit
                if held.bit_count() < size:
                    continue
                # The cards of the suit that stand alone in their rank go first, then the lowest.
                lone = (counts & ~(counts >> 1) & ~(counts >> 2) & ONES) << suit
                chosen = [*bits(held & lone), *bits(held & ~lone)][:size]
                after = counts - sum([1 << (place & ~3) for place in chosen])
                best = min(best, 1 + self._with_combos(after, best - 1))
        return best

    def _with_combos(self, counts: int, best: int) -> int:
        """The fewest plays for cards given by value, with up to two of the shapes; at most `best`."""
        best = min(best, self._alone(counts))
        held = unary_of(counts)
        for i, (need, taken) in enumerate(self._combos):
            if need & ~held:
                continue
            after = counts - taken
            best = min(best, 1 + self._alone(after))
            lacking = ~unary_of(after)
            for other, more in self._combos[i:]:
                if not other & lacking:
                    best = min(best, 2 + self._alone(after - more))
        return best

    def _alone(self, counts: int) -> int:
        """How many plays of one rank each it takes to put down cards given by value."""
        found = self._by_rank.get(counts)
        if found is None:
            units = unary_of(counts)
            found = sum([step * (units >> n & ONES).bit_count() for n, step in self._steps])
            self._by_rank[counts] = found
        return found

"""Acts as numbers where suits never matter: one id for each play as its ranks tell it, reading included.

Id 0 is the pass. Then come the plays of at most as many cards as a hand ever has, in the order in which the legal list of a
hand of the whole deck has them: by comparison group and number of cards, then by the value of the key, then by the cards
carried. So two readings of the same cards are two actions. An action means the lowest cards of its ranks that the hand holds.
"""

from __future__ import annotations

from array import array
from functools import cached_property

from big2_env.cards import RANK_NAMES
from big2_env.climbing.action_base import ActionSpace
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, IllegalPlayError, Refusal

NIBBLE = 4
"""Bits for the number of cards of one rank: there are at most 8."""


class RankTable(ActionSpace):
    """The action space of a ruleset by ranks.

    Raises:
        ConfigError: suits matter in the ruleset.
    """

    def __init__(self, ruleset: RuleSet) -> None:
        if not ruleset.ranks_only:
            raise ConfigError(f"a rank table needs a ruleset in which suits never matter (ranks_only), got {ruleset.name}")
        table, most = ruleset.table, ruleset.max_hand
        super().__init__(ruleset, table.count(most))  # counted before listing, so that a huge space is refused at once
        self.rows = array("H")
        """The table's row of each play, the first of which has the id 1."""
        self.counts = array("Q")
        """The cards of each play by rank, `NIBBLE` bits each."""
        for row, counts in table.entries():
            if table.rows[row].shape.size <= most:
                self.rows.append(row)
                self.counts.append(sum(number << NIBBLE * rank for rank, number in counts))

    @cached_property
    def _ids(self) -> dict[tuple[str, int, int], int]:
        """The id of each play by pattern, power and cards."""
        rows = self.ruleset.table.rows
        return {
            (rows[row].pattern, rows[row].power, counts): action
            for action, (row, counts) in enumerate(zip(self.rows, self.counts, strict=True), start=1)
        }

    def _code(self, mask: int) -> int:
        """Cards by rank, `NIBBLE` bits each."""
        masks = self.ruleset.order.rank_masks
        return sum([(mask & cards).bit_count() << NIBBLE * rank for rank, cards in enumerate(masks)])

    def _ranks(self, action: int) -> list[tuple[int, int]]:
        """(rank, number) of the cards of an action, ascending by value."""
        code = self.counts[action - 1]
        counts = [(rank, code >> NIBBLE * rank & (1 << NIBBLE) - 1) for rank in self.ruleset.order.ranks]
        return [(rank, number) for rank, number in counts if number]

    def label(self, action: int) -> str:
        """The pattern, its key and the ranks; `"pass"`, or what is said. Raises ConfigError when no action has that number."""
        self._check(action)
        if not action or action >= self.first_call:
            return self.calls[action - self.first_call].pattern if action else "pass"
        row = self.ruleset.table.rows[self.rows[action - 1]]
        cards = " ".join(RANK_NAMES[rank] for rank, number in self._ranks(action) for _ in range(number))
        return f"{row.pattern} by {RANK_NAMES[row.shape.key]}: {cards}"

    def cards(self, action: int, hand: int) -> int:
        """The cards that an action names in a hand, as a mask; 0 for none to name, -1 where the hand has no such cards."""
        self._check(action)
        if not 0 < action < self.first_call:
            return 0
        order, mask = self.ruleset.order, 0
        for rank, number in self._ranks(action):
            held = order.sort(hand & order.rank_masks[rank])
            if len(held) < number:
                return -1
            mask |= sum([1 << card for card in held[:number]])
        return mask

    def _of_cards(self, play: Play, hand: int) -> int:
        return self._ids[play.pattern, play.power, self._code(play.mask)]

    def _verify_cards(self, action: int, legal: LegalPlays) -> Play:
        mask = self.cards(action, legal.hand)
        if mask < 0:
            given = self.label(action)
            raise IllegalPlayError(f"{given}: not in the hand {self.ruleset.text(legal.hand)}", Refusal.NOT_IN_HAND)
        row = self.ruleset.table.rows[self.rows[action - 1]]
        readings = self.ruleset.table.classify(mask)
        return legal.verify_reading(next(play for play in readings if (play.pattern, play.power) == (row.pattern, row.power)))

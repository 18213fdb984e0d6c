"""Acts as numbers: a fixed action space for each ruleset. Id 0 is the pass.

`HandSlots`, the default, has one id for each choice of places in the sorted hand: for each number of cards k that a play of the
ruleset can have, ascending, the C(hand size, k) choices of k places. Places count from 0 at the lowest card, exactly as the
indices of the text format do. Inside the block of size k the choice of places c1 < c2 < ... < ck has the number
C(c1, 1) + C(c2, 2) + ... + C(ck, k) (the combinatorial number system), so a smaller hand uses the first ids of each block.
Adding a pattern of a size that is there changes no id.

Where suits never matter, `big2_env.climbing.rank_table` has one id for each play as its ranks tell it. What an auction allows
has the last ids of either. `action_space` makes the one that a ruleset has.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import combinations
from math import comb

from big2_env.climbing.action_base import ActionSpace
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rank_table import RankTable
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.slots import cards_at, first_legal, slots_of
from big2_env.errors import ConfigError, IllegalPlayError, Refusal


class HandSlots(ActionSpace):
    """The action space of a ruleset by places in the sorted hand.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> space = HandSlots(BIG2)
    >>> space.n, space.slots(0), space.slots(14), space.to_action((0, 2))
    (1379, (), (0, 1), 15)
    """

    def __init__(self, ruleset: RuleSet) -> None:
        self.hand_size = ruleset.max_hand
        self.offsets: dict[int, int] = {}
        """First id of each number of cards."""
        plays = 0
        for size in ruleset.sizes:
            self.offsets[size] = plays + 1
            plays += comb(self.hand_size, size)
        super().__init__(ruleset, plays)

    @cached_property
    def _slots(self) -> tuple[tuple[int, ...], ...]:
        """The places of every action, by id."""
        places: list[tuple[int, ...]] = [()]
        for size in self.offsets:
            places += sorted(combinations(range(self.hand_size), size), key=lambda choice: choice[::-1])
        return tuple(places)

    @cached_property
    def _ids(self) -> dict[tuple[int, ...], int]:
        """The id of every choice of places."""
        return {places: action for action, places in enumerate(self._slots)}

    def slots(self, action: int) -> tuple[int, ...]:
        """The places that an action names, ascending; none for the pass and for what is said in an auction.

        Raises:
            ConfigError: no action has that number.
        """
        self._check(action)
        return self._slots[action] if action < self.first_call else ()

    def label(self, action: int) -> str:
        """The places, `"pass"`, or what is said. Raises ConfigError when no action has that number."""
        if places := self.slots(action):
            return " ".join(map(str, places))
        return self.calls[action - self.first_call].pattern if action else "pass"

    def to_action(self, slots: tuple[int, ...]) -> int:
        """The id of a choice of places, given ascending; 0 for none.

        Raises:
            ConfigError: places that no hand has, out of order, or as many as no play of the ruleset has.
        """
        action = self._ids.get(slots)
        if action is None:
            raise ConfigError(
                f"expected {', '.join(map(str, self.offsets))} of the places 0 to {self.hand_size - 1}, ascending, got {slots}"
            )
        return action

    def _of_cards(self, play: Play, hand: int) -> int:
        return self.to_action(slots_of(self.ruleset, hand, play.mask))

    def cards(self, action: int, hand: int) -> int:
        """The cards that an action names in a hand, as a mask; 0 for the pass, and -1 where a place is past the hand's end."""
        slots = self.slots(action)
        return -1 if slots and slots[-1] >= hand.bit_count() else cards_at(self.ruleset, hand, slots)

    def _verify_cards(self, action: int, legal: LegalPlays) -> Play:
        """The legal play of the cards. Of several legal readings it is the first in the order of the patterns.

        Of equal cards only the first places name a play, as in `ids`.
        """
        mask = self.cards(action, legal.hand)
        if mask < 0:
            given, held = self.slots(action)[-1], legal.hand.bit_count()
            raise IllegalPlayError(f"place {given}: the hand has places 0 to {held - 1}", Refusal.NOT_IN_HAND)
        play = first_legal(legal, mask)
        if play.mask != mask:
            raise IllegalPlayError(f"{play}: of equal cards the first places are to be named", Refusal.NO_PATTERN)
        return play

    def ids(self, legal: LegalPlays) -> list[int]:
        """The id of each legal act, in the order of the acts."""
        if legal.calls:
            return super().ids(legal)
        held = [1 << card for card in self.ruleset.order.sort(legal.hand)]
        return [self._ids[tuple([slot for slot, card in enumerate(held) if play.mask & card])] for play in legal]


@lru_cache(maxsize=32)
def action_space(ruleset: RuleSet) -> ActionSpace:
    """The action space of a ruleset: a rank table where suits never matter, else hand slots. It is made once.

    Raises:
        ConfigError: too many actions.
    """
    return RankTable(ruleset) if ruleset.ranks_only else HandSlots(ruleset)

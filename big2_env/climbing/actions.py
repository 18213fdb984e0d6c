"""Acts as numbers: the fixed action space `HandSlots`, one id for each choice of places in the sorted hand.

Id 0 is the pass. Then come, for each number of cards k that a play of the ruleset can have, ascending, the C(hand size, k)
choices of k places. Places count from 0 at the lowest card, exactly as the indices of the text format do. Inside the block of
size k the choice of places c1 < c2 < ... < ck has the number C(c1, 1) + C(c2, 2) + ... + C(ck, k) (the combinatorial number
system), so a smaller hand uses the first ids of each block. Adding a pattern of a size that is there changes no id.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb

from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, Refusal


class HandSlots:
    """The action space of a ruleset by places in the sorted hand.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> space = HandSlots(BIG2)
    >>> space.n, space.slots(0), space.slots(14), space.to_action((0, 2))
    (1379, (), (0, 1), 15)
    """

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.hand_size = ruleset.hand_size
        self.offsets: dict[int, int] = {}
        """First id of each number of cards."""
        n = 1
        for size in ruleset.sizes:
            self.offsets[size] = n
            n += comb(self.hand_size, size)
        self.n = n
        """How many actions there are."""

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
        """The places that an action names, ascending; none for the pass.

        Raises:
            ConfigError: no action has that number.
        """
        if not 0 <= action < self.n:
            raise ConfigError(f"action {action}: allowed is 0 to {self.n - 1}")
        return self._slots[action]

    def to_action(self, slots: tuple[int, ...]) -> int:
        """The id of a choice of places, given ascending; 0 for none.

        Raises:
            ConfigError: places that no hand has, out of order, or as many as no play of the ruleset has.
        """
        action = self._ids.get(slots)
        if action is None:
            raise ConfigError(
                f"places {slots}: allowed are {', '.join(map(str, self.offsets))} of 0 to {self.hand_size - 1}, ascending"
            )
        return action

    def of_play(self, play: Play, hand: int) -> int:
        """The id of a play from a hand that holds its cards."""
        if not play:
            return 0
        cards = self.ruleset.order.sort(hand)
        return self.to_action(tuple(slot for slot, card in enumerate(cards) if play.mask >> card & 1))

    def cards(self, action: int, hand: int) -> int:
        """The cards that an action names in a hand, as a mask; 0 for the pass, and -1 where a place is past the hand's end."""
        held = self.ruleset.order.sort(hand)
        slots = self.slots(action)
        if slots and slots[-1] >= len(held):
            return -1
        return sum(1 << held[slot] for slot in slots)

    def verify(self, action: int, legal: LegalPlays) -> Play:
        """The legal act that an action names.

        An action names cards, not a reading: of several legal readings it gets the first in the order of the patterns. Of equal
        cards only the first places name a play, as in `ids`.

        Raises:
            ConfigError: no action has that number.
            IllegalPlayError: it names no legal act, with the reason as `refusal`.
        """
        mask = self.cards(action, legal.hand)
        if mask < 0:
            given, held = self.slots(action)[-1], legal.hand.bit_count()
            raise IllegalPlayError(f"place {given}: the hand has places 0 to {held - 1}", Refusal.NOT_IN_HAND)
        try:
            play = legal.verify(mask) if mask else legal.verify_pass()
        except AmbiguousPlayError:
            return next(play for play in self.ruleset.table.classify(mask) if play in legal)
        if play.mask != mask:
            raise IllegalPlayError(f"{play}: of equal cards the first places are to be named", Refusal.NO_PATTERN)
        return play

    def play(self, action: int, legal: LegalPlays) -> Play | None:
        """The legal act that an action names, `None` where it names none. Otherwise as `verify`."""
        try:
            return self.verify(action, legal)
        except IllegalPlayError:
            return None

    def ids(self, legal: LegalPlays) -> list[int]:
        """The id of each legal act, in the order of the acts."""
        held = [1 << card for card in self.ruleset.order.sort(legal.hand)]
        return [self._ids[tuple([slot for slot, card in enumerate(held) if play.mask & card])] for play in legal]

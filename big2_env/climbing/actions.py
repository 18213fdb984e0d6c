"""Actions as numbers: a fixed action space for each ruleset. Id 0 is the pass.

`HandSlots`, the default, has one id for each choice of places in the sorted hand: for each number of cards k that a play of the
ruleset can have, ascending, the C(hand size, k) choices of k places. Places count from 0 at the lowest card, exactly as the
indices of the text format do. Inside the block of size k the choice of places c1 < c2 < ... < ck has the number
C(c1, 1) + C(c2, 2) + ... + C(ck, k) (the combinatorial number system), so a smaller hand uses the first ids of each block.
Adding a pattern of an existing size changes no id.

`RankTable`, where suits never matter, has one id for each play by ranks, reading included: the plays of at most as many cards
as a hand ever has, in the order in which the legal list of a hand of the whole deck has them (by comparison group and number of
cards, then by the value of the key, then by the cards carried). So two readings of the same cards are two actions. An action
means the lowest cards of its ranks that the hand holds.

What an auction allows has the last ids of either. `action_space` returns the one that a ruleset has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Final

from big2_env.cards import RANK_NAMES
from big2_env.climbing.hands import cards_at, first_legal, slots_of
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, IllegalPlayError, Refusal

MAX_ACTIONS: Final = 1 << 20


class ActionSpace(ABC):
    """Every act of a ruleset by a number of its own."""

    def __init__(self, ruleset: RuleSet, plays: int) -> None:
        self.ruleset = ruleset
        self.calls: tuple[Play, ...] = () if ruleset.auction is None else ruleset.auction.vocabulary
        """What may be said in an auction besides no, which is the pass."""
        self.first_call = plays + 1
        """The id of the first of these; the plays before have the ids from 1 on."""
        self.n = self.first_call + len(self.calls)
        if self.n > MAX_ACTIONS:
            raise ConfigError(f"{ruleset.name} has too many actions: {self.n:,} (limit {MAX_ACTIONS:,})")

    @abstractmethod
    def label(self, action: int) -> str:
        """What an action names, as a text of its own. Raises ConfigError when no action has that number."""

    @abstractmethod
    def cards(self, action: int, hand: int) -> int:
        """The cards that an action names in a hand, as a mask; 0 for none to name, -1 where the hand has no such cards."""

    @abstractmethod
    def _of_cards(self, play: Play, hand: int) -> int:
        """The id of a play that has cards."""

    @abstractmethod
    def _verify_cards(self, action: int, legal: LegalPlays) -> Play:
        """The legal play that an action with cards names."""

    def of_play(self, play: Play, hand: int) -> int:
        """The id of an act; of a play from a hand that holds its cards."""
        if play:
            return self._of_cards(play, hand)
        return 0 if play.is_pass else self.first_call + self.calls.index(play)

    def verify(self, action: int, legal: LegalPlays) -> Play:
        """The legal act that an action names.

        Raises:
            ConfigError: no action has that number.
            IllegalPlayError: it names no legal act, with the reason as `refusal`.
        """
        self._check(action)
        if not action:
            return legal.verify_pass()
        if action >= self.first_call:
            return legal.verify(0, self.calls[action - self.first_call].pattern)
        return self._verify_cards(action, legal)

    def play(self, action: int, legal: LegalPlays) -> Play | None:
        """The legal act that an action names, `None` where it names none. Otherwise as `verify`."""
        try:
            return self.verify(action, legal)
        except IllegalPlayError:
            return None

    def ids(self, legal: LegalPlays) -> list[int]:
        """The id of each legal act, in the order of the acts."""
        return [self.of_play(play, legal.hand) for play in legal]

    def _check(self, action: int) -> None:
        if not 0 <= action < self.n:
            raise ConfigError(f"expected an action of 0 to {self.n - 1}, got {action}")


class HandSlots(ActionSpace):
    """An action space by places in the sorted hand.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> space = HandSlots(BIG2)
    >>> space.n, space.slots(0), space.slots(14), space.to_action((0, 2))
    (1379, (), (0, 1), 15)
    """

    def __init__(self, ruleset: RuleSet) -> None:
        self.hand_size = ruleset.max_hand
        self.offsets: dict[int, int] = {}
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


NIBBLE: Final = 4
"""Bits for the number of cards of one rank: there are at most 8."""


class RankTable(ActionSpace):
    """An action space by ranks, for rulesets in which suits never matter.

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


@lru_cache(maxsize=32)
def action_space(ruleset: RuleSet) -> ActionSpace:
    """The action space of a ruleset: a rank table where suits never matter, else hand slots. It is made once.

    Raises:
        ConfigError: too many actions.
    """
    return RankTable(ruleset) if ruleset.ranks_only else HandSlots(ruleset)

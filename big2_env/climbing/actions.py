"""Fixed action spaces: one integer id for every move of a ruleset. Id 0 is the pass.

`action_space` returns the space of a ruleset, one of two kinds:

* `HandSlots`, the default, has one id for each choice of places in the sorted hand. Places count from 0 at the lowest card,
  like the indices of the text format. Ids are grouped by number of cards k, ascending over the sizes that the ruleset's plays
  can have. Within a group, places c1 < c2 < ... < ck have the number C(c1, 1) + C(c2, 2) + ... + C(ck, k) (the combinatorial
  number system). So a smaller hand uses the first ids of each group, and adding a pattern of an existing size changes no id.
* `RankTable`, for games in which suits never matter, has one id for each play by ranks. Two readings of the same cards are two
  actions. The ids follow the order in which `LegalPlays` lists the plays of the whole deck, limited to plays that fit in a
  hand. An action selects the lowest cards of its ranks in the hand.

In both, auction decisions have the last ids.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any, Final, SupportsIndex

from big2_env.base.cards import RANK_NAMES
from big2_env.base.errors import ConfigError, IllegalPlayError, Refusal
from big2_env.base.validated import Frozen
from big2_env.climbing.hands import cards_at, first_legal, slots_of
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet

MAX_ACTIONS: Final = 1 << 20


class ActionSpace(Frozen, ABC):
    """Mapping between the moves of a ruleset and integer action ids.

    Args:
        ruleset: Rules of the game.
        plays: Number of ids for plays with cards.

    Attributes:
        n: Number of actions.
        calls: Auction decisions, except the pass.
        first_call: Id of the first auction decision. Ids from 1 up to it are plays.

    Raises:
        ConfigError: The ruleset has more than `MAX_ACTIONS` actions.
    """

    def __init__(self, ruleset: RuleSet, plays: int) -> None:
        self.ruleset = ruleset
        self.calls: tuple[Play, ...] = () if ruleset.auction is None else ruleset.auction.vocabulary
        self.first_call = plays + 1
        self.n = self.first_call + len(self.calls)
        if self.n > MAX_ACTIONS:
            raise ConfigError(f"{ruleset.name} has too many actions: {self.n:,} (limit {MAX_ACTIONS:,})")

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        with suppress(TypeError):  # raised for rules that cannot be hashed
            if type(action_space(self.ruleset)) is type(self):
                return action_space, (self.ruleset,)
        return super().__reduce_ex__(protocol)

    @abstractmethod
    def label(self, action: int) -> str:
        """Return a unique text for an action.

        Raises:
            ConfigError: The id is out of range.
        """

    @abstractmethod
    def cards(self, action: int, hand: int) -> int:
        """Return the cards that an action selects from a hand, as a mask.

        Returns:
            0 for an action without cards, -1 if the hand lacks the cards.
        """

    @abstractmethod
    def _of_cards(self, play: Play, hand: int) -> int:
        """Return the id of a play that has cards."""

    @abstractmethod
    def _verify_cards(self, action: int, legal: LegalPlays) -> Play:
        """Return the legal play of an action that has cards."""

    def of_play(self, play: Play, hand: int) -> int:
        """Return the id of a move.

        Args:
            play: A play, pass or auction decision.
            hand: Hand that holds the cards of the play, as a mask.
        """
        if play:
            return self._of_cards(play, hand)
        return 0 if play.is_pass else self.first_call + self.calls.index(play)

    def verify(self, action: int, legal: LegalPlays) -> Play:
        """Return the legal move of an action.

        Raises:
            ConfigError: The id is out of range.
            IllegalPlayError: The move is not legal; the reason is in `refusal`.
        """
        self._check(action)
        if not action:
            return legal.verify_pass()
        if action >= self.first_call:
            return legal.verify(0, self.calls[action - self.first_call].pattern)
        return self._verify_cards(action, legal)

    def play(self, action: int, legal: LegalPlays) -> Play | None:
        """Return the legal move of an action, or None if it is not legal.

        Raises:
            ConfigError: The id is out of range.
        """
        try:
            return self.verify(action, legal)
        except IllegalPlayError:
            return None

    def ids(self, legal: LegalPlays) -> list[int]:
        """Return the id of each legal move, in their order."""
        return [self.of_play(play, legal.hand) for play in legal]

    def _check(self, action: int) -> None:
        if not 0 <= action < self.n:
            raise ConfigError(f"expected an action of 0 to {self.n - 1}, got {action}")


class HandSlots(ActionSpace):
    """Action space over places in the sorted hand. This is the default.

    Raises:
        ConfigError: The ruleset has more than `MAX_ACTIONS` actions.

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
        """Places of every action, indexed by id."""
        places: list[tuple[int, ...]] = [()]
        for size in self.offsets:
            places += sorted(combinations(range(self.hand_size), size), key=lambda choice: choice[::-1])
        return tuple(places)

    @cached_property
    def _ids(self) -> dict[tuple[int, ...], int]:
        """Id of every choice of places."""
        return {places: action for action, places in enumerate(self._slots)}

    def slots(self, action: int) -> tuple[int, ...]:
        """Return the places of an action, ascending; empty for a pass or an auction decision.

        Raises:
            ConfigError: The id is out of range.
        """
        self._check(action)
        return self._slots[action] if action < self.first_call else ()

    def label(self, action: int) -> str:
        """Return the places, `"pass"`, or the name of the auction decision.

        Raises:
            ConfigError: The id is out of range.
        """
        if places := self.slots(action):
            return " ".join(map(str, places))
        return self.calls[action - self.first_call].pattern if action else "pass"

    def to_action(self, slots: tuple[int, ...]) -> int:
        """Return the id for a choice of places.

        Args:
            slots: Places in the hand, ascending; empty for the pass.

        Raises:
            ConfigError: A place is out of range, places are not ascending, or no play has that number of cards.
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
        """Return the cards that an action selects from a hand, as a mask.

        Returns:
            0 for an action without cards, -1 if a place is beyond the end of the hand.
        """
        slots = self.slots(action)
        return -1 if slots and slots[-1] >= hand.bit_count() else cards_at(self.ruleset, hand, slots)

    def _verify_cards(self, action: int, legal: LegalPlays) -> Play:
        """Return the legal play of the cards. With several legal readings, the first in the order of patterns wins.

        Of identical cards, only the first places are accepted, as in `ids`.
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
        """Return the id of each legal move, in their order."""
        if legal.calls:
            return super().ids(legal)
        held = [1 << card for card in self.ruleset.order.sort(legal.hand)]
        return [self._ids[tuple([slot for slot, card in enumerate(held) if play.mask & card])] for play in legal]


NIBBLE: Final = 4
"""Bits for the number of cards of one rank, which is at most 8."""


class RankTable(ActionSpace):
    """Action space over ranks, for rulesets in which suits never matter.

    Args:
        ruleset: Rules of the game, with `ranks_only`.

    Raises:
        ConfigError: Suits matter in the ruleset, or it has more than `MAX_ACTIONS` actions.
    """

    def __init__(self, ruleset: RuleSet) -> None:
        if not ruleset.ranks_only:
            raise ConfigError(f"a rank table needs a ruleset in which suits never matter (ranks_only), got {ruleset.name}")
        table, most = ruleset.table, ruleset.max_hand
        super().__init__(ruleset, table.count(most))  # counted before listing, so that a huge space is refused at once
        self.rows = array("H")
        """Row of the play table for each play. The first play has id 1."""
        self.counts = array("Q")
        """Cards of each play by rank, with `NIBBLE` bits per rank."""
        for row, counts in table.entries():
            if table.rows[row].shape.size <= most:
                self.rows.append(row)
                self.counts.append(sum(number << NIBBLE * rank for rank, number in counts))

    @cached_property
    def _ids(self) -> dict[tuple[str, int, int], int]:
        """Id of each play, by pattern, power and cards."""
        rows = self.ruleset.table.rows
        return {
            (rows[row].pattern, rows[row].power, counts): action
            for action, (row, counts) in enumerate(zip(self.rows, self.counts, strict=True), start=1)
        }

    def _code(self, mask: int) -> int:
        """Return cards by rank, with `NIBBLE` bits per rank."""
        masks = self.ruleset.order.rank_masks
        return sum([(mask & cards).bit_count() << NIBBLE * rank for rank, cards in enumerate(masks)])

    def ranks(self, action: int) -> list[tuple[int, int]]:
        """Return (rank, number) pairs of an action's cards, ascending by value."""
        code = self.counts[action - 1]
        counts = [(rank, code >> NIBBLE * rank & (1 << NIBBLE) - 1) for rank in self.ruleset.order.ranks]
        return [(rank, number) for rank, number in counts if number]

    def label(self, action: int) -> str:
        """Return the pattern, its key rank and all ranks; or `"pass"`, or the name of the auction decision.

        Raises:
            ConfigError: The id is out of range.
        """
        self._check(action)
        if not action or action >= self.first_call:
            return self.calls[action - self.first_call].pattern if action else "pass"
        row = self.ruleset.table.rows[self.rows[action - 1]]
        cards = " ".join(RANK_NAMES[rank] for rank, number in self.ranks(action) for _ in range(number))
        return f"{row.pattern} by {RANK_NAMES[row.shape.key]}: {cards}"

    def cards(self, action: int, hand: int) -> int:
        """Return the cards that an action selects from a hand, as a mask.

        Returns:
            0 for an action without cards, -1 if the hand lacks the cards.
        """
        self._check(action)
        if not 0 < action < self.first_call:
            return 0
        order, mask = self.ruleset.order, 0
        for rank, number in self.ranks(action):
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
    """Return the action space of a ruleset: `RankTable` if suits never matter, else `HandSlots`. The result is cached.

    Raises:
        ConfigError: The ruleset has more than `MAX_ACTIONS` actions.
    """
    return RankTable(ruleset) if ruleset.ranks_only else HandSlots(ruleset)

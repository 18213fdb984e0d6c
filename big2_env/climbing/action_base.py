"""What every action space has in common: ids of acts, acts of ids, labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, IllegalPlayError

MAX_ACTIONS: Final = 1 << 20
"""Most acts that a space may have."""


class ActionSpace(ABC):
    """Every act of a ruleset by a number of its own."""

    def __init__(self, ruleset: RuleSet, plays: int) -> None:
        self.ruleset = ruleset
        self.calls: tuple[Play, ...] = () if ruleset.auction is None else ruleset.auction.vocabulary
        """What may be said in an auction besides no, which is the pass."""
        self.first_call = plays + 1
        """The id of the first of these; the plays before have the ids from 1 on."""
        self.n = self.first_call + len(self.calls)
        """How many actions there are."""
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

"""The parts of a ruleset: a pattern's place, the deal, when a game starts and ends, what a pass locks, what multiplies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from big2_env.cards import Rank
from big2_env.checked import Checked
from big2_env.climbing.patterns import Pattern, pattern
from big2_env.climbing.play import Play
from big2_env.errors import ConfigError
from big2_env.named import Named

MAX_LEVEL: Final = 1000
"""Highest tier and bomb level: compiled tables hold them in 32 bits."""


@dataclass(frozen=True)
class PatternRule(Checked):
    """A pattern's place in a ruleset: what it compares with, and how it ranks there."""

    pattern: Pattern
    group: str = ""
    """Comparison group: patterns of one group and equal numbers of cards cover each other; empty for a group of its own."""
    tier: int = 0
    """Inside a group a higher tier covers every lower one."""
    bomb: int = 0
    """Bomb level: a higher one covers every lower one across groups; 0 for no bomb."""
    bomb_per_card: int = 0
    """What each card adds to the bomb level, where bombs of more cards cover those of fewer."""
    zh: str = ""
    """What this game calls the pattern in Chinese; empty for the pattern's own name."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("tier", "bomb", "bomb_per_card"):
            given = getattr(self, name)
            if not 0 <= given <= MAX_LEVEL:
                raise ConfigError(f"{self.pattern.name}: expected {name} from 0 to {MAX_LEVEL}, got {given}")

    def bomb_level(self, size: int) -> int:
        """The bomb level of a play of so many cards, 0 for no bomb."""
        return self.bomb + self.bomb_per_card * size

    @property
    def group_name(self) -> str:
        """The comparison group, the pattern's own name where none is given."""
        return self.group or self.pattern.name


def pattern_rules(*given: str | Pattern | PatternRule) -> tuple[PatternRule, ...]:
    """Pattern rules of patterns given by name or value; a bare pattern gets a comparison group of its own.

    Raises:
        ConfigError: a name that no pattern has.
    """
    values = (pattern(item) if isinstance(item, str) else item for item in given)
    return tuple(item if isinstance(item, PatternRule) else PatternRule(item) for item in values)


@dataclass(frozen=True)
class Chop(Checked):
    """Plays of one pattern that also cover certain plays of another (Tien Len: four of a kind covers a single two).

    A chop ignores comparison groups, tiers and the number of cards. It adds to what the plays cover anyway.
    """

    pattern: str
    over: str
    rank: Rank | None = None
    """The key rank of the plays that are covered; `None` for every rank."""
    sizes: tuple[int, int] | None = None
    """The numbers of cards of the plays that cover, from and to; `None` for all."""
    over_sizes: tuple[int, int] | None = None
    """The numbers of cards of the plays that are covered, from and to; `None` for all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for sizes in (self.sizes, self.over_sizes):
            if sizes is not None and not 1 <= sizes[0] <= sizes[1]:
                raise ConfigError(f"chop of {self.over} by {self.pattern}: expected sizes from 1 up, ascending, got {sizes}")

    def by(self, pattern: str, size: int) -> bool:
        """True if plays of this pattern and number of cards are the covering ones."""
        return pattern == self.pattern and (self.sizes is None or self.sizes[0] <= size <= self.sizes[1])

    def of(self, pattern: str, size: int, key: Rank) -> bool:
        """True if plays of this pattern, number of cards and key rank are the covered ones."""
        fits = self.over_sizes is None or self.over_sizes[0] <= size <= self.over_sizes[1]
        return pattern == self.over and fits and self.rank in (None, key)


class Rest(Named):
    """What happens to the cards left over from the deal, in games without a draw pile or an auction."""

    NONE = "none"
    """The hands use up the deck."""
    ASIDE = "aside"
    """They are set aside face down and stay hidden."""
    LOWEST_HOLDER = "lowest_holder"
    """The holder of the lowest dealt card takes them up before the first lead."""


class Lead(Named):
    """What the very first play of a game must be."""

    ANY = "any"
    CONTAINS = "contains"
    """Any legal play that contains the lowest dealt card."""
    EXACT = "exact"
    """The lowest dealt card alone."""


class PassLock(Named):
    """How long a pass keeps its player out."""

    NONE = "none"
    """Until the turn comes round again."""
    TRICK = "trick"
    """Until the lead passes on."""
    ROUND = "round"
    """As long as each new lead covers the last play of the trick before (禁止回打)."""


class Ending(Named):
    """When a game is over."""

    FIRST_OUT = "first_out"
    """A hand is empty."""
    LAST_HOLDER = "last_holder"
    """The draw pile is empty and at most one seat holds cards."""


class Refill(Named):
    """When hands are filled up from the draw pile."""

    TRICK_END = "trick_end"
    """When a trick has ended, before the next lead."""
    AFTER_PLAY = "after_play"
    """Each hand as soon as it has played."""


class RefillOrder(Named):
    """In which order seats draw at the end of a trick."""

    WINNER_FULL = "winner_full"
    """The winner of the trick all it needs, then the next seat, ..."""
    ROUND_ROBIN = "round_robin"
    """One card each in turn, the winner first."""


@dataclass(frozen=True)
class Multiplier(Checked):
    """Plays that multiply what a game pays."""

    pattern: str
    factor: int = 2
    """What each such play multiplies by."""
    sizes: tuple[int, int] | None = None
    """The numbers of cards for which it counts, from and to; `None` for all."""
    led: int | None = None
    """The factor of a play that opens a trick (空炸), the game's first play aside; `None` for the same."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.factor < 1 or (self.led is not None and self.led < 1):
            raise ConfigError(f"multiplier of {self.pattern}: expected factors of at least 1, got {self.factor} and {self.led}")

    def of(self, play: Play, leads: bool) -> int:
        """What a play multiplies by; `leads` says that it opened a trick of a game that had begun."""
        if play.pattern != self.pattern or (self.sizes and not self.sizes[0] <= len(play) <= self.sizes[1]):
            return 1
        return self.led if leads and self.led is not None else self.factor

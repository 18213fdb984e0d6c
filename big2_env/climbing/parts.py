"""Parts of a ruleset: pattern rules, chops, deals, leads, pass locks, endings and multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from big2_env.base.cards import Rank
from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError, quoted
from big2_env.base.validated import Checked
from big2_env.climbing.patterns import Pattern, pattern
from big2_env.climbing.play import PASS, Play

MAX_LEVEL: Final = 1000
"""Highest tier and bomb level. Compiled tables store them in 32 bits."""
MAX_NAME: Final = 100
"""Longest name of a ruleset or of a pattern, which every reader of records and results accepts."""


@dataclass(frozen=True)
class PatternRule(Checked):
    """A pattern in a ruleset, with the plays it compares with and its rank among them.

    Args:
        pattern: The pattern.
        group: Comparison group. Plays of one group with equal numbers of cards can beat each other. Empty for a group of its
            own.
        tier: Tier within the group. A higher tier beats every lower one.
        bomb: Bomb level, 0 for no bomb. A higher level beats every lower one in any group.
        bomb_per_card: Amount that each card adds to the bomb level, so that larger bombs beat smaller ones.
        zh: Chinese name in this game; empty for the pattern's own name.
        last: True if its plays are legal only as a hand's last play. Such rules come after all others, so that the other
            readings of their cards come first.

    Raises:
        ConfigError: A level is outside 0 to `MAX_LEVEL`, or no reader would take a name of the pattern.
    """

    pattern: Pattern
    group: str = ""
    tier: int = 0
    bomb: int = 0
    bomb_per_card: int = 0
    zh: str = ""
    last: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        name, zh = getattr(self.pattern, "name", ""), self.zh or getattr(self.pattern, "zh", "")
        if not name.isidentifier() or len(name) > MAX_NAME or name == PASS.pattern:
            raise ConfigError(f"pattern: expected an identifier of at most {MAX_NAME} characters as name, got {quoted(name)}")
        if not zh.strip() or not zh.isprintable() or len(zh) > MAX_NAME:
            raise ConfigError(f"{name}: expected a line of at most {MAX_NAME} characters as Chinese name, got {quoted(zh)}")
        for field in ("tier", "bomb", "bomb_per_card"):
            given = getattr(self, field)
            if not 0 <= given <= MAX_LEVEL:
                raise ConfigError(f"{name}: expected {field} from 0 to {MAX_LEVEL}, got {given}")

    def bomb_level(self, size: int) -> int:
        """Return the bomb level of a play; 0 for no bomb."""
        return self.bomb + self.bomb_per_card * size

    @property
    def group_name(self) -> str:
        """Comparison group, or the pattern's name if none is given."""
        return self.group or self.pattern.name


def pattern_rules(*given: str | Pattern | PatternRule) -> tuple[PatternRule, ...]:
    """Return pattern rules for patterns given by name or value. A bare pattern gets its own comparison group.

    Args:
        *given: Names of patterns, `Pattern` values or `PatternRule` values.

    Raises:
        ConfigError: No pattern has one of the names.
    """
    values = (pattern(item) if isinstance(item, str) else item for item in given)
    return tuple(item if isinstance(item, PatternRule) else PatternRule(item) for item in values)


@dataclass(frozen=True)
class Chop(Checked):
    """Plays of one pattern that beat certain plays of another, such as four of a kind over a single 2 in Tien Len.

    A chop ignores comparison groups, tiers and numbers of cards. It adds to what the plays beat anyway.

    Args:
        pattern: Pattern of the plays that beat.
        over: Pattern of the plays that are beaten.
        rank: Key rank of the beaten plays; None for every rank.
        sizes: Smallest and largest number of cards of the beating plays; None for all.
        over_sizes: Smallest and largest number of cards of the beaten plays; None for all.

    Raises:
        ConfigError: A range of sizes is not ascending from at least 1.
    """

    pattern: str
    over: str
    rank: Rank | None = None
    sizes: tuple[int, int] | None = None
    over_sizes: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for sizes in (self.sizes, self.over_sizes):
            if sizes is not None and not 1 <= sizes[0] <= sizes[1]:
                raise ConfigError(f"chop of {self.over} by {self.pattern}: expected sizes from 1 up, ascending, got {sizes}")

    def by(self, pattern: str, size: int) -> bool:
        """Return True if plays of this pattern and size make the chop."""
        return pattern == self.pattern and (self.sizes is None or self.sizes[0] <= size <= self.sizes[1])

    def of(self, pattern: str, size: int, key: Rank) -> bool:
        """Return True if the chop beats plays of this pattern, size and key rank."""
        fits = self.over_sizes is None or self.over_sizes[0] <= size <= self.over_sizes[1]
        return pattern == self.over and fits and self.rank in (None, key)


class Rest(Named):
    """Use of the cards left over from the deal, in games without a draw pile or an auction."""

    NONE = "none"
    """No cards are left over."""
    ASIDE = "aside"
    """They are set aside face down and stay hidden."""
    LOWEST_HOLDER = "lowest_holder"
    """The holder of the lowest dealt card picks them up before the first lead."""


class Lead(Named):
    """Requirement on the first play of a game."""

    ANY = "any"
    CONTAINS = "contains"
    """Any legal play that contains the lowest dealt card."""
    EXACT = "exact"
    """The lowest dealt card alone."""


class NextLead(Named):
    """Leader of the deals after the first one at a table."""

    LOWEST = "lowest"
    """The holder of the lowest dealt card, as in the first deal."""
    WINNER = "winner"
    """The winner of the deal before, with any play."""


class PassLock(Named):
    """Time for which a player who passes is skipped."""

    NONE = "none"
    """Not at all: the player may play again on the next turn."""
    TRICK = "trick"
    """Until the trick ends."""
    ROUND = "round"
    """As long as each new lead beats the last play of the previous trick (禁止回打)."""


class LastCard(Named):
    """Duty of a player before the next one, still in the trick, who holds one card (頂大, 報單)."""

    NONE = "none"
    HIGHEST = "highest"
    """A single must be the highest one that the player may play, as a lead and as an answer."""


class Ending(Named):
    """Condition for the end of the game."""

    FIRST_OUT = "first_out"
    """A hand is empty."""
    LAST_HOLDER = "last_holder"
    """The draw pile is empty, and at most one seat holds cards."""


class Refill(Named):
    """Time at which hands are refilled from the draw pile."""

    TRICK_END = "trick_end"
    """After a trick, before the next lead."""
    AFTER_PLAY = "after_play"
    """Each hand as soon as it has played."""


class RefillOrder(Named):
    """Order in which seats draw at the end of a trick."""

    WINNER_FULL = "winner_full"
    """The winner of the trick draws all it needs, then the next seat, and so on."""
    ROUND_ROBIN = "round_robin"
    """One card each in turn, starting with the winner."""


@dataclass(frozen=True)
class Multiplier(Checked):
    """Plays that multiply the stake.

    Args:
        pattern: Pattern of the plays.
        factor: Factor of each such play.
        sizes: Smallest and largest number of cards for which the factor applies; None for all.
        led: Factor of a play that opens a trick (空炸), except the game's first play; None for `factor`.

    Raises:
        ConfigError: A factor is below 1.
    """

    pattern: str
    factor: int = 2
    sizes: tuple[int, int] | None = None
    led: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.factor < 1 or (self.led is not None and self.led < 1):
            raise ConfigError(f"multiplier of {self.pattern}: expected factors of at least 1, got {self.factor} and {self.led}")

    def of(self, play: Play, leads: bool) -> int:
        """Return the factor of a play; 1 if it multiplies nothing.

        Args:
            play: The play.
            leads: True if the play opened a trick after the start of the game.
        """
        if play.pattern != self.pattern or (self.sizes and not self.sizes[0] <= len(play) <= self.sizes[1]):
            return 1
        return self.led if leads and self.led is not None else self.factor

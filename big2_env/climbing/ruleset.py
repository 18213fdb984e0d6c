"""A ruleset: everything that makes one climbing game, as a frozen value.

The parameters follow the list that covers all nine climbing games of the sources; the engine reads them and has no branch for
any game. House rules are values too: `BIG2.with_patterns(...)`, `dataclasses.replace(BIG2, scoring=CardsLeft())`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from big2_env.cards import DECK_52, CardSet, CardsLike, Deck, Rank, Suit, as_mask
from big2_env.climbing.order import THREE_TO_TWO, CardOrder
from big2_env.climbing.patterns import Pattern, pattern
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.settlement import SCORINGS, Settlement, settlement
from big2_env.climbing.table import PlayTable
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, Refusal
from big2_env.named import Named


@dataclass(frozen=True)
class PatternRule:
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
        if self.tier < 0 or self.bomb < 0:
            raise ConfigError(f"{self.pattern.name}: tier {self.tier}, bomb {self.bomb}: allowed are 0 or more")
        if self.bomb_per_card < 0:
            raise ConfigError(f"{self.pattern.name}: bomb_per_card {self.bomb_per_card}: allowed is 0 or more")

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
    CIRCLE = "circle"
    """Until the lead passes on."""
    ROUND = "round"
    """As long as each new lead covers the last play of the circle before (禁止回打)."""


class Ending(Named):
    """When a game is over."""

    FIRST_OUT = "first_out"
    """A hand is empty."""
    LAST_HOLDER = "last_holder"
    """The draw pile is empty and at most one seat holds cards."""


@dataclass(frozen=True)
class RuleSet:
    """One climbing game. Equal values are equal games; `replace` makes variants.

    Raises:
        ConfigError: parameters that contradict each other.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> BIG2.num_plays, BIG2.hand_size
    (17186, 13)
    >>> BIG2.play("S[3] H[3]")
    Play(pattern='pair', mask=12, category=1, power=3)
    """

    name: str
    """Identifier, the same in records, commands and environment ids."""
    zh: str
    """Chinese name."""
    patterns: tuple[PatternRule, ...]
    """The patterns in play; `pattern_rules` makes them of names."""
    deck: Deck = DECK_52
    """The cards."""
    min_players: int = 4
    """Fewest seats."""
    max_players: int = 4
    """Most seats."""
    hand_size: int = 13
    """Cards dealt to each seat, and the size that a refill fills up to."""
    draw_pile: bool = False
    """Whether the cards left over from the deal are a pile that refills the hands when a circle ends, its winner first."""
    ranks: tuple[Rank, ...] = THREE_TO_TWO
    """Value order, low to high."""
    suits: tuple[Suit, ...] = (Suit.CLUB, Suit.DIAMOND, Suit.HEART, Suit.SPADE)
    """Suit order, low to high."""
    suits_compare: bool = True
    """Whether suits decide between equal values at all."""
    ranks_only: bool = False
    """Whether suits matter in nothing, so that cards of one rank are worth the same: of the plays with equal ranks only the one
    with the lowest cards is listed, and any other is as legal."""
    extra_covers: tuple[tuple[str, str], ...] = ()
    """(group, covered group): plays of the first cover plays of the second with the same number of cards and less power."""
    lead: Lead = Lead.CONTAINS
    """What the first play must be; the holder of the lowest dealt card makes it."""
    auto_lead: bool = False
    """Whether the engine makes the first play itself where only one is legal (`Lead.EXACT`)."""
    pass_lock: PassLock = PassLock.NONE
    """How long a pass keeps its player out."""
    ending: Ending = Ending.FIRST_OUT
    """When the game is over."""
    scoring: Settlement = SCORINGS["winner"]
    """What each seat gets at the end."""

    def __post_init__(self) -> None:
        names = [rule.pattern.name for rule in self.patterns]
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"patterns {names}: allowed is at least one, each once")
        if not 2 <= self.min_players <= self.max_players:
            raise ConfigError(f"players {self.min_players} to {self.max_players}: allowed are 2 or more, ascending")
        fewest, most = self.hand_size * self.min_players, self.hand_size * self.max_players
        if self.hand_size < 1 or most > self.deck.size or (fewest < self.deck.size and not self.draw_pile):
            raise ConfigError(
                f"{self.min_players} to {self.max_players} hands of {self.hand_size} from {self.deck.size} cards: allowed are "
                "hands that use up the deck, or smaller ones with a draw pile"
            )
        if self.auto_lead and self.lead is not Lead.EXACT:
            raise ConfigError(f"auto_lead with lead {self.lead.value!r}: allowed is {Lead.EXACT.value!r}")
        if self.ending is Ending.FIRST_OUT and self.draw_pile:
            raise ConfigError("a draw pile ends with the last holder: allowed is ending=Ending.LAST_HOLDER")
        if self.ranks_only and self.suits_compare:
            raise ConfigError("ranks_only with suits that compare: allowed is suits_compare=False")
        groups = {rule.group_name for rule in self.patterns}
        for edge in self.extra_covers:
            if unknown := set(edge) - groups:
                raise ConfigError(f"extra_covers {edge}: no group {min(unknown)!r}, allowed are {', '.join(sorted(groups))}")
        _ = self.order  # checks both orders against the deck

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def order(self) -> CardOrder:
        """The order of the cards."""
        return CardOrder(self.deck, self.ranks, self.suits)

    @cached_property
    def table(self) -> PlayTable:
        """The shapes of the patterns, ready for use."""
        return PlayTable(self)

    @cached_property
    def num_plays(self) -> int:
        """How many different plays there are in all."""
        return self.table.count()

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of cards that a play can have, ascending."""
        return tuple(sorted({category.size for category in self.table.categories}))

    def pattern(self, name: str) -> Pattern:
        """The pattern of that name.

        Raises:
            ConfigError: the ruleset has no such pattern.
        """
        for rule in self.patterns:
            if rule.pattern.name == name:
                return rule.pattern
        raise ConfigError(f"pattern {name!r}: {self.name} has {', '.join(r.pattern.name for r in self.patterns)}")

    def with_patterns(self, *given: str | Pattern | PatternRule) -> RuleSet:
        """The same game with more patterns; one of a name that is there already takes its place."""
        added = {rule.pattern.name: rule for rule in pattern_rules(*given)}
        kept = {rule.pattern.name: rule for rule in self.patterns}
        return replace(self, patterns=tuple((kept | added).values()))

    def without_patterns(self, *names: str) -> RuleSet:
        """The same game without some patterns.

        Raises:
            ConfigError: the ruleset has no pattern of a given name.
        """
        gone = {self.pattern(name).name for name in names}
        return replace(self, patterns=tuple(rule for rule in self.patterns if rule.pattern.name not in gone))

    def with_scoring(self, scoring: str | Settlement) -> RuleSet:
        """The same game with another settlement, a value or the name of one of `SCORINGS`."""
        return replace(self, scoring=settlement(scoring))

    def play(self, cards: CardsLike, pattern: str | None = None, *, over: Play | None = None) -> Play:
        """The play that some cards are, no cards being a pass.

        Where cards have several readings, `pattern` names one; or they are told apart by what covers `over`.

        Raises:
            IllegalPlayError: the cards form no pattern (of that name), or nothing that covers `over`.
            AmbiguousPlayError: several readings remain.
        """
        mask = as_mask(cards)
        if not mask:
            return PASS
        readings = [p for p in self.table.classify(mask) if pattern in (None, p.pattern)]
        if not readings:
            allowed = pattern or ", ".join(rule.pattern.name for rule in self.patterns)
            raise IllegalPlayError(f"{self.text(mask)}: no pattern of {self.name} ({allowed})", Refusal.NO_PATTERN)
        if over is not None:
            covering = [p for p in readings if self.covers(p, over)]
            if not covering:
                given = " or ".join(p.pattern for p in readings)
                raise IllegalPlayError(
                    f"{given} {self.text(mask)} does not cover {over.pattern} {self.text(over.mask)}",
                    Refusal.DOES_NOT_COVER,
                )
            readings = covering
        if len(readings) > 1:
            raise AmbiguousPlayError(f"{self.text(mask)} may be {' or '.join(p.pattern for p in readings)}: name one")
        return readings[0]

    def covers(self, play: Play, top: Play) -> bool:
        """Whether a play beats (盖过) another; always strict, and never true where one of them is a pass."""
        return play.category >= 0 <= top.category and self.table.covers(play, top)

    def text(self, cards: int | CardSet) -> str:
        """Cards in notation, ascending in this game."""
        mask = cards if isinstance(cards, int) else cards.mask
        return " ".join(map(str, self.order.sort(mask)))

"""A ruleset: everything that makes one climbing game, as a frozen value.

The parameters follow the list that covers all nine climbing games of the sources; the engine reads them and has no branch for
any game. House rules are values too: `BIG2.with_patterns(...)`, `dataclasses.replace(BIG2, scoring=CardsLeft())`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import index
from typing import Any

from big2_env.cards import DECK_52, CardSet, CardsLike, Deck, Rank, Suit, as_mask
from big2_env.checked import Checked
from big2_env.climbing.auction import Auction
from big2_env.climbing.order import THREE_TO_TWO, CardOrder
from big2_env.climbing.parts import (
    Chop,
    Ending,
    Lead,
    Multiplier,
    PassLock,
    PatternRule,
    Refill,
    RefillOrder,
    Rest,
    pattern_rules,
)
from big2_env.climbing.patterns import Pattern
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.settlement import SCORINGS, Settlement, settlement
from big2_env.climbing.table import PlayTable
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, Refusal

__all__ = ["Chop", "Ending", "Lead", "Multiplier", "PassLock", "PatternRule", "Refill", "RefillOrder", "Rest"]
__all__ += ["RuleSet", "pattern_rules"]


@dataclass(frozen=True)
class RuleSet(Checked):
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
    patterns: tuple[PatternRule, ...]
    """The patterns in play; `pattern_rules` makes them of names."""
    deck: Deck = DECK_52
    min_players: int = 4
    max_players: int = 4
    players: int | None = None
    """Seats where no number is asked for (see `default_players`); `None` for `min_players`."""
    hand_size: int = 13
    """Cards dealt to each seat, and the size that a refill fills up to."""
    rest: Rest = Rest.NONE
    """What happens to the cards left over from the deal, where they are neither a draw pile nor the landlord's."""
    draw_pile: bool = False
    """Whether the cards left over from the deal are a pile that refills the hands."""
    refill: Refill = Refill.TRICK_END
    refill_order: RefillOrder = RefillOrder.WINNER_FULL
    """Who draws before whom at the end of a trick."""
    auction: Auction | None = None
    """How one seat is found that plays against the rest, takes the cards left over from the deal and leads."""
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
    chops: tuple[Chop, ...] = ()
    """Plays that also cover certain plays of another pattern."""
    must_cover: bool = False
    """True if a pass is legal only where no play of the hand covers the top play (必须管)."""
    lead: Lead = Lead.CONTAINS
    """What the first play must be; the holder of the lowest dealt card makes it."""
    auto_lead: bool = False
    """Whether the engine makes the first play itself where only one is legal (`Lead.EXACT`)."""
    pass_lock: PassLock = PassLock.NONE
    """How long a pass keeps its player out."""
    auto_skip_unbeatable: bool = False
    """Whether nobody is asked to answer a play that no cards of the deck cover."""
    ending: Ending = Ending.FIRST_OUT
    scoring: Settlement = SCORINGS["winner"]
    """What each seat gets at the end."""
    multipliers: tuple[Multiplier, ...] = ()
    spring: int = 1
    """What the stake is multiplied by where the landlord wins and no other seat has played a hand (春天)."""
    anti_spring: int = 1
    """What the stake is multiplied by where the others win and the landlord has played one hand (反春)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [rule.pattern.name for rule in self.patterns]
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"expected at least one pattern, each once, got {names}")
        if not 2 <= self.min_players <= self.max_players:
            raise ConfigError(f"expected at least 2 players, ascending, got {self.min_players} to {self.max_players}")
        if not self.min_players <= self.default_players <= self.max_players:
            raise ConfigError(f"expected players from {self.min_players} to {self.max_players}, got {self.players}")
        self._check_deal()
        if self.auto_lead and self.lead is not Lead.EXACT:
            raise ConfigError(f"auto_lead needs lead {Lead.EXACT.value!r}, got {self.lead.value!r}")
        if self.ending is Ending.FIRST_OUT and self.draw_pile:
            raise ConfigError(f"a draw pile needs ending=Ending.LAST_HOLDER, got {self.ending.value!r}")
        self._check_stakes()
        if self.ranks_only and self.suits_compare:
            raise ConfigError("ranks_only needs suits_compare=False")
        groups = {rule.group_name for rule in self.patterns}
        for edge in self.extra_covers:
            if unknown := set(edge) - groups:
                raise ConfigError(
                    f"extra_covers {edge}: unknown group {min(unknown)!r}; expected one of {', '.join(sorted(groups))}"
                )
        for chop in self.chops:
            if missing := [name for name in (chop.pattern, chop.over) if name not in names]:
                raise ConfigError(f"{chop}: no pattern {missing[0]!r} in {self.name}; it has {', '.join(names)}")
        _ = self.order  # checks both orders against the deck

    def _check_deal(self) -> None:
        """Refuse hands that the deck has not enough cards for, and cards left over that nothing is said about."""
        fewest, most = self.hand_size * self.min_players, self.hand_size * self.max_players
        if self.hand_size < 1 or most > self.deck.size or (fewest < self.deck.size and not self.has_rest):
            raise ConfigError(
                "expected hands that use up the deck, or smaller ones with a rest, a draw pile or an auction, got "
                f"{self.min_players} to {self.max_players} hands of {self.hand_size} from {self.deck.size} cards"
            )
        if self.rest is not Rest.NONE and (self.draw_pile or self.auction is not None):
            other = "a draw pile" if self.draw_pile else "an auction"
            raise ConfigError(f"rest {self.rest.value!r} with {other}, which uses the cards left over itself")

    def _check_stakes(self) -> None:
        """Refuse parts of an auction's game without one, and what no auction's game has."""
        if self.auction is None:
            if self.scoring.needs_landlord or self.multipliers or (self.spring, self.anti_spring) != (1, 1):
                raise ConfigError("multipliers and stakes of a landlord need an auction")
            return
        wrong = (
            (self.draw_pile, "a draw pile"),
            (self.lead is not Lead.ANY, f"lead {self.lead.value!r}"),
            (self.ending is not Ending.FIRST_OUT, f"ending {self.ending.value!r}"),
            (self.min_players != self.max_players or self.min_players < 3, f"{self.min_players} to {self.max_players} players"),
            (self.hand_size * self.min_players == self.deck.size, "no cards left over from the deal"),
            (not self.scoring.serves_teams, f"the settlement {self.scoring}"),
            (min(self.spring, self.anti_spring) < 1, f"spring {self.spring}, anti_spring {self.anti_spring}"),
        )
        if faults := [fault for is_wrong, fault in wrong if is_wrong]:
            raise ConfigError(f"an auction cannot go with {', '.join(faults)}")
        names = [rule.pattern.name for rule in self.patterns]
        if unknown := [one.pattern for one in self.multipliers if one.pattern not in names]:
            raise ConfigError(f"multiplier of unknown pattern {unknown[0]!r}; expected one of {', '.join(names)}")

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def has_rest(self) -> bool:
        """Whether the deal may leave cards over."""
        return self.draw_pile or self.auction is not None or self.rest is not Rest.NONE

    @property
    def default_players(self) -> int:
        """The number of seats where none is asked for: `players`, or the nearest number that is allowed."""
        return self.min_players if self.players is None else min(max(self.players, self.min_players), self.max_players)

    def seats(self, num_players: int | None = None) -> int:
        """The number of seats of a game that is asked for with a number of players, `None` for the default.

        Raises:
            ConfigError: the ruleset does not allow so many, or it is no whole number.
        """
        try:
            number = self.default_players if num_players is None else index(num_players)
        except TypeError:
            raise ConfigError(f"expected a whole number of players, got {num_players!r}") from None
        if not self.min_players <= number <= self.max_players:
            fewest = f"{self.min_players} to " if self.min_players < self.max_players else ""
            raise ConfigError(f"{self.name} needs {fewest}{self.max_players} players, got {number}")
        return number

    def cards_aside(self, num_players: int) -> int:
        """How many cards are set aside face down with a number of players."""
        return self.deck.size - self.hand_size * num_players if self.rest is Rest.ASIDE else 0

    @property
    def takes_rest(self) -> bool:
        """True if one hand takes up the cards left over from the deal."""
        return self.auction is not None or self.rest is Rest.LOWEST_HOLDER

    @property
    def max_hand(self) -> int:
        """The most cards that a hand ever has, with any number of players."""
        return self.hand_size + (self.deck.size - self.hand_size * self.min_players if self.takes_rest else 0)

    @cached_property
    def order(self) -> CardOrder:
        """The order of the cards."""
        return CardOrder(self.deck, self.ranks, self.suits)

    @cached_property
    def table(self) -> PlayTable:
        """The shapes of the patterns, ready for use."""
        flags = {"suits_compare": self.suits_compare, "ranks_only": self.ranks_only}
        try:
            return PlayTable(self.order, self.patterns, chops=self.chops, extra_covers=self.extra_covers, **flags)
        except ConfigError as error:
            raise ConfigError(f"{self.name}: {error}") from None

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

    def zh_of(self, name: str) -> str:
        """What this game calls a pattern in Chinese.

        Raises:
            ConfigError: the ruleset has no such pattern.
        """
        pattern = self.pattern(name)
        return next(rule.zh for rule in self.patterns if rule.pattern is pattern) or pattern.zh

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

        Where cards have several readings, `pattern` names one (see `reading_name`); or they are told apart by what covers
        `over`.

        Raises:
            IllegalPlayError: the cards form no pattern (of that name), or nothing that covers `over`.
            AmbiguousPlayError: several readings remain.
        """
        mask = as_mask(cards)
        if not mask:
            return PASS
        readings = [p for p in self.table.classify(mask) if pattern is None or pattern in (p.pattern, self.reading_name(p))]
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
            names = ", ".join(map(self.reading_name, readings))
            raise AmbiguousPlayError(f"{self.text(mask)} can be read in {len(readings)} ways: name one of {names}")
        return readings[0]

    def reading_name(self, play: Play) -> str:
        """The name that tells a play from other readings of its cards.

        It is the pattern's name; where the pattern reads the same cards in several ways, with a number from 1:
        `quad_two_pairs#2`.
        """
        alike = [p for p in self.table.classify(play.mask) if p.pattern == play.pattern]
        return f"{play.pattern}#{alike.index(play) + 1}" if len(alike) > 1 else play.pattern

    def covers(self, play: Play, top: Play) -> bool:
        """Whether a play beats (盖过) another; always strict, and never true where one of them is a pass."""
        return play.category >= 0 <= top.category and self.table.covers(play, top)

    def text(self, cards: int | CardSet) -> str:
        """Cards in notation, ascending in this game."""
        mask = cards if isinstance(cards, int) else cards.mask
        return " ".join(map(str, self.order.sort(mask)))

"""A ruleset: a frozen value that defines one climbing game.

The engine reads the parameters and has no branch for a particular game. House rules are values too: `BIG2.with_patterns(...)`
or `dataclasses.replace(BIG2, scoring=CardsLeft())`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import index
from typing import Any

from big2_env.base.cards import DECK_52, CardSet, CardsLike, Deck, Rank, Suit, as_mask
from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, Refusal, quoted
from big2_env.base.validated import Checked
from big2_env.climbing.auction import Auction
from big2_env.climbing.order import THREE_TO_TWO, CardOrder
from big2_env.climbing.parts import (
    MAX_NAME,
    Chop,
    Ending,
    LastCard,
    Lead,
    Multiplier,
    NextLead,
    PassLock,
    PatternRule,
    Refill,
    RefillOrder,
    Rest,
    pattern_rules,
)
from big2_env.climbing.patterns import Pattern, available_patterns
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.settlement import SCORINGS, Settlement, When, settlement
from big2_env.climbing.table import PlayTable
from big2_env.climbing.vocabulary import Vocabulary

__all__ = ["Chop", "Ending", "LastCard", "Lead", "Multiplier", "NextLead", "PassLock", "PatternRule", "Refill", "RefillOrder"]
__all__ += ["Rest", "RuleSet", "pattern_rules"]


@dataclass(frozen=True)
class RuleSet(Checked):
    """Rules of one climbing game.

    Equal values are equal games. Use `dataclasses.replace`, `with_patterns`, `without_patterns`, `with_deck` or `with_scoring`
    to create variants.

    Args:
        name: Identifier used in records, commands and environment ids, of at most 100 characters.
        zh: Chinese title.
        patterns: Patterns in play; `pattern_rules` creates them from names.
        deck: Cards of the game.
        min_players: Fewest players.
        max_players: Most players.
        players: Default number of players; None for `min_players`. See `default_players`.
        hand_size: Cards dealt to each seat, and the size to which a refill fills a hand.
        hand_sizes: Pairs (players, cards): cards dealt to each seat with other numbers of players. Not in games with a draw
            pile or an auction.
        rest: Use of the cards left over from the deal, unless they form a draw pile or go to the landlord.
        rests: Pairs (players, rest): the same with other numbers of players.
        draw_pile: True if the cards left over form a pile that refills the hands.
        refill: When hands are refilled.
        refill_order: Order in which seats draw at the end of a trick.
        auction: Auction that finds the landlord, who picks up the cards left over and leads; None for no auction.
        ranks: Ranks from lowest to highest value.
        suits: Suits from lowest to highest.
        suits_compare: True if suits break ties between equal ranks.
        ranks_only: True if suits never matter. If so, only the play with the lowest cards is listed for each choice of ranks;
            the other plays are legal too.
        extra_covers: Pairs (group, beaten group). A play of the first group beats a weaker play of the second group with the
            same number of cards.
        chops: Plays that also beat certain plays of another pattern.
        must_cover: True if a pass is legal only if the hand has no play that beats the top play (必须管).
        last_card: Duty before a next player who holds one card.
        lead: Requirement on the first play, which the holder of the lowest dealt card makes.
        next_lead: Leader of the deals after the first one at a table. Games of environments and of the arena are first deals.
        auto_lead: True if the engine makes the first play itself if only one is legal. Requires `Lead.EXACT`.
        pass_lock: Time for which a player who passes is skipped.
        auto_skip_unbeatable: True if the trick ends at once if no cards of the deck can beat a play.
        top_single_final: True if nothing beats the highest card of the deck played alone, not even a bomb. The trick ends at
            once, and its player leads. Requires `suits_compare`, and no `PassLock.ROUND`.
        ending: When the game is over.
        scoring: Settlement, which computes the payoffs at the end.
        multipliers: Plays that multiply the stake.
        spring: Multiplier if the landlord wins and no other seat has made a play (春天).
        anti_spring: Multiplier if the others win and the landlord has made only one play (反春).
        vocabulary: Names of cards and patterns in texts; None for the standard names. Only for one deck without jokers.

    Raises:
        ConfigError: The parameters contradict each other.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> BIG2.num_plays, BIG2.hand_size
    (17186, 13)
    >>> BIG2.play("S[3] H[3]")
    Play(pattern='pair', mask=12, category=1, power=3)
    """

    name: str
    zh: str
    patterns: tuple[PatternRule, ...]
    deck: Deck = DECK_52
    min_players: int = 4
    max_players: int = 4
    players: int | None = None
    hand_size: int = 13
    hand_sizes: tuple[tuple[int, int], ...] = ()
    rest: Rest = Rest.NONE
    rests: tuple[tuple[int, Rest], ...] = ()
    draw_pile: bool = False
    refill: Refill = Refill.TRICK_END
    refill_order: RefillOrder = RefillOrder.WINNER_FULL
    auction: Auction | None = None
    ranks: tuple[Rank, ...] = THREE_TO_TWO
    suits: tuple[Suit, ...] = (Suit.CLUB, Suit.DIAMOND, Suit.HEART, Suit.SPADE)
    suits_compare: bool = True
    ranks_only: bool = False
    extra_covers: tuple[tuple[str, str], ...] = ()
    chops: tuple[Chop, ...] = ()
    must_cover: bool = False
    last_card: LastCard = LastCard.NONE
    lead: Lead = Lead.CONTAINS
    next_lead: NextLead = NextLead.LOWEST
    auto_lead: bool = False
    pass_lock: PassLock = PassLock.NONE
    auto_skip_unbeatable: bool = False
    top_single_final: bool = False
    ending: Ending = Ending.FIRST_OUT
    scoring: Settlement = SCORINGS["winner"]
    multipliers: tuple[Multiplier, ...] = ()
    spring: int = 1
    anti_spring: int = 1
    vocabulary: Vocabulary | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.name) > MAX_NAME:
            raise ConfigError(f"name: expected at most {MAX_NAME} characters, got {quoted(self.name)}")
        names = [rule.pattern.name for rule in self.patterns]
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"expected at least one pattern, each once, got {names}")
        if not 2 <= self.min_players <= self.max_players:
            raise ConfigError(f"expected at least 2 players, ascending, got {self.min_players} to {self.max_players}")
        if self.players is not None and not 2 <= self.players <= self.deck.size:
            raise ConfigError(f"players: expected None or a number from 2 to {self.deck.size}, got {self.players}")
        self._check_deal()
        if self.auto_lead and self.lead is not Lead.EXACT:
            raise ConfigError(f"auto_lead needs lead {Lead.EXACT.value!r}, got {self.lead.value!r}")
        if self.ending is Ending.FIRST_OUT and self.draw_pile:
            raise ConfigError(f"a draw pile needs ending=Ending.LAST_HOLDER, got {self.ending.value!r}")
        self._check_stakes()
        if self.ranks_only and self.suits_compare:
            raise ConfigError("ranks_only needs suits_compare=False")
        if self.top_single_final and not self.suits_compare:
            raise ConfigError("top_single_final needs suits_compare=True, so that one card is the highest")
        if self.top_single_final and self.pass_lock is PassLock.ROUND:
            raise ConfigError("top_single_final cannot go with pass_lock 'round', in which a lead may beat the last play")
        usual = self.usual_patterns
        if self.patterns[: len(usual)] != usual:
            raise ConfigError(f"expected patterns with last=True after all others, got {', '.join(names)}")
        if self.patterns != usual and self.ending is not Ending.FIRST_OUT:
            raise ConfigError(f"patterns with last=True need ending 'first_out', got {self.ending.value!r}")
        groups = {rule.group_name for rule in self.patterns}
        for edge in self.extra_covers:
            if unknown := set(edge) - groups:
                raise ConfigError(
                    f"extra_covers {edge}: unknown group {min(unknown)!r}; expected one of {', '.join(sorted(groups))}"
                )
        for chop in self.chops:
            if missing := [name for name in (chop.pattern, chop.over) if name not in names]:
                raise ConfigError(f"{chop}: no pattern {missing[0]!r} in {self.name}; it has {', '.join(names)}")
        self._check_doublings(names)
        self._check_vocabulary(names)
        _ = self.order  # checks both orders against the deck

    def _check_doublings(self, names: list[str]) -> None:
        """Reject doublings of unknown patterns, and of a last play that does not end the game."""
        for one in self.scoring.doublings:
            known = names if one.when is When.LAST else [*names, *available_patterns()]
            if one.pattern is not None and one.pattern not in known:
                raise ConfigError(f"doubling of unknown pattern {one.pattern!r}; expected one of {', '.join(known)}")
            if one.when is When.LAST and self.ending is not Ending.FIRST_OUT:
                raise ConfigError(f"doubling by the last play needs ending 'first_out', got {self.ending.value!r}")

    def _check_vocabulary(self, names: list[str]) -> None:
        """Reject a vocabulary that lacks cards or patterns of the game."""
        if self.vocabulary is None:
            return
        if self.deck.jokers or self.deck.copies > 1:
            raise ConfigError("a vocabulary needs one deck without jokers")
        if unnamed := [name for name in names if name not in self.vocabulary.by_pattern]:
            raise ConfigError(f"vocabulary: no name for the pattern {unnamed[0]!r}")

    def _check_deal(self) -> None:
        """Reject hands that the deck is too small for, and cards left over without a use."""
        most = max(self.min_players, min(self.max_players, self.deck.size + 1))
        numbers = range(self.min_players, most + 1)
        for name, pairs in (("hand_sizes", self.hand_sizes), ("rests", self.rests)):
            others = [number for number, _ in pairs]
            if len(set(others)) < len(others) or any(number not in numbers for number in others):
                raise ConfigError(f"{name}: expected each number of players once, from those allowed, got {others}")
        if self.hand_sizes and (self.draw_pile or self.auction is not None):
            raise ConfigError(f"hand_sizes cannot go with {'a draw pile' if self.draw_pile else 'an auction'}")
        sizes = [self.cards_each(number) for number in numbers]
        left = [self.deck.size - number * size for number, size in zip(numbers, sizes, strict=True)]
        uses = self.draw_pile or self.auction is not None
        is_left = any(n > 0 and self.rest_of(number) is Rest.NONE for number, n in zip(numbers, left, strict=True))
        if min(sizes) < 1 or min(left) < 0 or (is_left and not uses):
            each = f"{min(sizes)}" if len(set(sizes)) == 1 else " or ".join(map(str, dict.fromkeys(sizes)))
            raise ConfigError(
                "expected hands that use up the deck, or smaller ones with a rest, a draw pile or an auction, got "
                f"{self.min_players} to {self.max_players} hands of {each} from {self.deck.size} cards"
            )
        rests = [rest for rest in map(self.rest_of, numbers) if rest is not Rest.NONE]
        if rests and uses:
            other = "a draw pile" if self.draw_pile else "an auction"
            raise ConfigError(f"rest {rests[0].value!r} with {other}, which uses the cards left over itself")

    def _check_stakes(self) -> None:
        """Reject stakes without an auction, and parts that an auction excludes."""
        if self.auction is None:
            if self.scoring.needs_landlord or self.multipliers or (self.spring, self.anti_spring) != (1, 1):
                raise ConfigError("multipliers and stakes of a landlord need an auction")
            return
        wrong = (
            (self.draw_pile, "a draw pile"),
            (self.lead is not Lead.ANY, f"lead {self.lead.value!r}"),
            (self.next_lead is not NextLead.LOWEST, f"next_lead {self.next_lead.value!r}"),
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

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Hash of the fields. Caches look rulesets up at every move, and there are dozens of nested fields."""
        return hash(tuple(self.__getstate__().values()))

    @property
    def usual_patterns(self) -> tuple[PatternRule, ...]:
        """Patterns that are legal at any time, not only as the last play."""
        return tuple(rule for rule in self.patterns if not rule.last)

    @property
    def default_players(self) -> int:
        """Number of seats used if none is given: `players`, limited to the allowed range, or `min_players`."""
        return self.min_players if self.players is None else min(max(self.players, self.min_players), self.max_players)

    def seats(self, num_players: int | None = None) -> int:
        """Return the number of seats for a requested number of players.

        Args:
            num_players: Requested number of players; None for the default.

        Raises:
            ConfigError: The ruleset does not allow that number, or it is not an integer.
        """
        try:
            number = self.default_players if num_players is None else index(num_players)
        except TypeError:
            raise ConfigError(f"expected a whole number of players, got {num_players!r}") from None
        if not self.min_players <= number <= self.max_players:
            fewest = f"{self.min_players} to " if self.min_players < self.max_players else ""
            raise ConfigError(f"{self.name} needs {fewest}{self.max_players} players, got {number}")
        return number

    def cards_each(self, num_players: int) -> int:
        """Return the number of cards dealt to each seat."""
        return dict(self.hand_sizes).get(num_players, self.hand_size)

    def largest_hand(self, num_players: int) -> int:
        """Return the size of the largest hand that can occur."""
        each = self.cards_each(num_players)
        return each + (self.deck.size - each * num_players if self.takes_rest(num_players) else 0)

    def cards_aside(self, num_players: int) -> int:
        """Return the number of cards set aside face down."""
        return self.deck.size - self.cards_each(num_players) * num_players if self.rest_of(num_players) is Rest.ASIDE else 0

    def rest_of(self, num_players: int) -> Rest:
        """Return the use of the cards left over from the deal."""
        return dict(self.rests).get(num_players, self.rest)

    def takes_rest(self, num_players: int) -> bool:
        """Return True if one hand picks up the cards left over from the deal."""
        return self.auction is not None or self.rest_of(num_players) is Rest.LOWEST_HOLDER

    @property
    def max_hand(self) -> int:
        """Largest hand that can occur, over all numbers of players."""
        return max(self.largest_hand(number) for number in range(self.min_players, self.max_players + 1))

    @cached_property
    def order(self) -> CardOrder:
        """Order of the cards."""
        return CardOrder(self.deck, self.ranks, self.suits)

    @cached_property
    def table(self) -> PlayTable:
        """Compiled form of the patterns, which lists and compares plays."""
        flags = {"suits_compare": self.suits_compare, "ranks_only": self.ranks_only}
        try:
            return PlayTable(
                self.order,
                self.patterns,
                chops=self.chops,
                extra_covers=self.extra_covers,
                most=self.max_hand,
                final=self.order.highest_faces if self.top_single_final else 0,
                **flags,
            )
        except ConfigError as error:
            raise ConfigError(f"{self.name}: {error}") from None

    @cached_property
    def num_plays(self) -> int:
        """Number of different plays in the game."""
        return self.table.count()

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Possible numbers of cards in a play, ascending."""
        return tuple(sorted({category.size for category in self.table.categories}))

    def pattern(self, name: str) -> Pattern:
        """Return the pattern with a given name.

        Raises:
            ConfigError: The ruleset has no such pattern.
        """
        for rule in self.patterns:
            if rule.pattern.name == name:
                return rule.pattern
        raise ConfigError(f"pattern {name!r}: {self.name} has {', '.join(r.pattern.name for r in self.patterns)}")

    def zh_of(self, name: str) -> str:
        """Return the Chinese name of a pattern in this game.

        Raises:
            ConfigError: The ruleset has no such pattern.
        """
        pattern = self.pattern(name)
        return next(rule.zh for rule in self.patterns if rule.pattern is pattern) or pattern.zh

    def with_patterns(self, *given: str | Pattern | PatternRule) -> RuleSet:
        """Return a copy with more patterns, those with `last` at the end. A pattern whose name is taken replaces the old one.

        Args:
            *given: Patterns, as names, `Pattern` values or `PatternRule` values.
        """
        added = {rule.pattern.name: rule for rule in pattern_rules(*given)}
        kept = {rule.pattern.name: rule for rule in self.patterns}
        return replace(self, patterns=tuple(sorted((kept | added).values(), key=lambda rule: rule.last)))

    def without_patterns(self, *names: str) -> RuleSet:
        """Return a copy without some patterns.

        Raises:
            ConfigError: The ruleset does not have one of the patterns.
        """
        gone = {self.pattern(name).name for name in names}
        return replace(self, patterns=tuple(rule for rule in self.patterns if rule.pattern.name not in gone))

    def with_deck(self, deck: Deck | CardsLike, *, hand_size: int | None = None, players: int | None = None) -> RuleSet:
        """Return a copy with another deck. Ranks that the deck lacks leave the order.

        Args:
            deck: The deck, or its cards.
            hand_size: Cards dealt to each seat, whatever the number of players; None for the sizes of this ruleset.
            players: Number of players; None for the numbers of this ruleset.

        Raises:
            NotationError: The cards are not cards of one deck.
            ConfigError: The deck has too few cards for the hands, or a rank that this ruleset has no value for.

        >>> from big2_env.climbing.rulesets import BIG2
        >>> BIG2.with_deck("C[3] D[3] C[4] D[4] C[5] D[5]", hand_size=2, players=2).num_plays
        9
        """
        deck = deck if isinstance(deck, Deck) else Deck.of(deck)
        held = {card.rank for card in deck.cards}
        changes: dict[str, Any] = {"deck": deck, "ranks": tuple(rank for rank in self.ranks if rank in held)}
        if hand_size is not None:
            changes |= {"hand_size": hand_size, "hand_sizes": ()}
        if players is not None:
            changes |= {"min_players": players, "max_players": players, "players": None}
            changes.setdefault("hand_sizes", tuple(pair for pair in self.hand_sizes if pair[0] == players))
            changes["rests"] = tuple(pair for pair in self.rests if pair[0] == players)
        return replace(self, **changes)

    def with_scoring(self, scoring: str | Settlement) -> RuleSet:
        """Return a copy with another settlement.

        Args:
            scoring: A settlement, or a name from `SCORINGS`.
        """
        return replace(self, scoring=settlement(scoring))

    def play(self, cards: CardsLike, pattern: str | None = None, *, over: Play | None = None, hand: int | None = None) -> Play:
        """Return the play that cards form; no cards are a pass.

        Args:
            cards: Cards to read.
            pattern: Pattern name or `reading_name`, to choose between several readings.
            over: Play to beat. Readings that do not beat it are dropped.
            hand: Hand that makes the play, as a mask. Readings that it may not make yet are dropped.

        Raises:
            IllegalPlayError: The cards form no pattern, not the one named by `pattern`, or nothing that beats `over`.
            AmbiguousPlayError: Several readings remain.
        """
        mask = as_mask(cards, self.deck.mask if hand is None else hand)
        if not mask:
            return PASS
        readings = [p for p in self.table.classify(mask) if pattern is None or pattern in (p.pattern, self.reading_name(p))]
        if not readings:
            allowed = pattern or ", ".join(rule.pattern.name for rule in self.patterns)
            raise IllegalPlayError(f"{self.text(mask)}: no pattern of {self.name} ({allowed})", Refusal.NO_PATTERN)
        if over is not None:
            beating = [p for p in readings if self.beats(p, over)]
            if not beating:
                given = " or ".join(p.pattern for p in readings)
                raise IllegalPlayError(
                    f"{given} {self.text(mask)} does not beat {over.pattern} {self.text(over.mask)}",
                    Refusal.DOES_NOT_COVER,
                )
            readings = beating
        if hand is not None:
            readings = [p for p in readings if not self.table.is_early(p, hand)] or readings
        if len(readings) > 1:
            names = ", ".join(map(self.reading_name, readings))
            raise AmbiguousPlayError(f"{self.text(mask)} can be read in {len(readings)} ways: name one of {names}")
        return readings[0]

    def reading_name(self, play: Play) -> str:
        """Return a name that distinguishes a play from other readings of its cards.

        This is the pattern's name. If the pattern itself reads the cards in several ways, a number from 1 is added, as in
        `quad_two_pairs#2`.
        """
        alike = [p for p in self.table.classify(play.mask) if p.pattern == play.pattern]
        return f"{play.pattern}#{alike.index(play) + 1}" if len(alike) > 1 else play.pattern

    def beats(self, play: Play, top: Play) -> bool:
        """Return True if a play beats (蓋過) another. A play never beats an equal one, and passes beat nothing.

        Args:
            play: The play that may beat `top`.
            top: The play to beat.
        """
        return play.category >= 0 <= top.category and self.table.beats(play, top)

    def text(self, cards: int | CardSet) -> str:
        """Return cards in notation, ascending by this game's order.

        Args:
            cards: A bit mask or a `CardSet`.
        """
        mask = cards if isinstance(cards, int) else cards.mask
        return " ".join(map(str, self.order.sort(mask)))

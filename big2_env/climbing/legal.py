"""Legal moves in a position. Games, views, action masks, user interfaces and error messages all use this module."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from big2_env.base.cards import NUM_FACES, CardsLike, as_mask
from big2_env.base.errors import AmbiguousPlayError, IllegalPlayError, Refusal, quoted
from big2_env.base.validated import Frozen
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import Lead, RuleSet


class LegalPlays(Frozen, Collection[Play]):
    """Legal moves of one hand, generated on iteration.

    `in` and `verify` test a single move without listing all of them. Plays come first, ordered by pattern and then by value of
    the key rank, so the cheapest answer is first. The pass comes last, if it is legal. During an auction the moves are the
    `calls` and the pass. There are none once the game is over.

    With `RuleSet.ranks_only`, one play is listed for each choice of ranks, and all of them are legal. Else cards with several
    readings are listed once, under the first that may be played. Attributes are read-only, so an agent cannot change the object
    that its move is checked against.

    Args:
        ruleset: Rules of the game.
        hand: Cards of the seat to move, as a mask.
        top: Play to beat, or None for a lead.
        obligation: Card that the first play must contain, as a mask; 0 if none.
        over: True if the game is over.
        calls: Auction decisions allowed besides the pass.
        highest: True if a single must be the highest one that may be played; see `LastCard`.
    """

    __slots__ = ("_plays", "calls", "hand", "highest", "obligation", "over", "ruleset", "top")
    ruleset: RuleSet
    hand: int
    top: Play | None
    obligation: int
    over: bool
    calls: tuple[Play, ...]
    highest: bool
    _plays: tuple[Play, ...] | None

    def __init__(
        self,
        ruleset: RuleSet,
        hand: int,
        top: Play | None,
        obligation: int = 0,
        over: bool = False,
        calls: tuple[Play, ...] = (),
        highest: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "ruleset", ruleset)
        put(self, "hand", hand)
        put(self, "top", top)
        put(self, "obligation", obligation)
        put(self, "over", over)
        put(self, "calls", calls)
        put(self, "highest", highest)
        put(self, "_plays", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of legal plays cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} of legal plays cannot be deleted")

    def __reduce__(self) -> tuple[type[LegalPlays], tuple[object, ...]]:
        return type(self), (self.ruleset, self.hand, self.top, self.obligation, self.over, self.calls, self.highest)

    def verify(self, cards: CardsLike, pattern: str | None = None) -> Play:
        """Return the legal play that cards form; no cards are a pass.

        Args:
            cards: Cards to play; none for a pass or an auction decision.
            pattern: Pattern or reading of the cards, or the auction decision.

        Raises:
            IllegalPlayError: The play is not legal; the reason is in `refusal`.
            AmbiguousPlayError: With `ranks_only`, the cards have several legal readings, and `pattern` selects none.
        """
        mask = as_mask(cards, self.hand)
        if not mask:
            return self.verify_pass() if pattern in (None, PASS.pattern) else self._verify_call(pattern)
        text = self.ruleset.text
        if self.over:
            raise IllegalPlayError(f"{text(mask)}: the game is over", Refusal.GAME_OVER)
        if self.calls:
            raise IllegalPlayError(f"{text(mask)}: the auction is not over; expected {self._moves()}", Refusal.AUCTION_GOES_ON)
        mask = self.first_copies(mask)
        if mask & ~self.hand:
            raise IllegalPlayError(f"{text(mask & ~self.hand)}: not in the hand {text(self.hand)}", Refusal.NOT_IN_HAND)
        keeps = self._keeps_obligation(mask)
        try:
            play = self._read(mask, pattern)
        except AmbiguousPlayError:
            if keeps:
                raise
        if not keeps:
            alone = " alone" if self.ruleset.lead is Lead.EXACT else ""
            raise IllegalPlayError(
                f"{text(mask)}: the first play of a game must be or contain {text(self.obligation)}{alone}",
                Refusal.MISSES_OPENING_CARD,
            )
        if self.ruleset.table.is_early(play, self.hand):
            raise IllegalPlayError(f"{play.pattern} {text(mask)}: legal only as the last play of a hand", Refusal.NOT_LAST)
        if self._is_lower_single(mask):
            raise IllegalPlayError(
                f"{text(mask)}: the next player holds one card, a single must be the highest: {text(self.highest_singles())}",
                Refusal.NOT_HIGHEST,
            )
        return play

    def _read(self, mask: int, pattern: str | None) -> Play:
        """Return the play that cards form here, whether it keeps the obligation or not."""
        rules = self.ruleset
        reading = None if rules.ranks_only else rules.table.reading(mask, self.top)
        if reading is not None and pattern in (None, reading.pattern, rules.reading_name(reading)):
            return reading
        play = rules.play(mask, pattern, over=self.top, hand=self.hand)
        if reading is not None:
            name = rules.reading_name(reading)
            raise IllegalPlayError(f"{rules.text(mask)}: read as {name} here, not as {pattern}", Refusal.NO_PATTERN)
        return play

    def verify_reading(self, play: Play) -> Play:
        """Return the play if it is legal under exactly this reading.

        Raises:
            IllegalPlayError: It is not legal; the reason is in `refusal`.
        """
        if play in self:
            return play
        with suppress(AmbiguousPlayError):
            self.verify(play.mask, play.pattern)
        top = "" if self.top is None else f" {self.top.pattern} {self.ruleset.text(self.top.mask)}"
        raise IllegalPlayError(f"{play.pattern} {self.ruleset.text(play.mask)} does not beat{top}", Refusal.DOES_NOT_COVER)

    def verify_pass(self) -> Play:
        """Return the pass if it is legal.

        Raises:
            IllegalPlayError: The seat leads, it must beat the top play and can, or the game is over.
        """
        if self.over:
            raise IllegalPlayError("pass: the game is over", Refusal.GAME_OVER)
        if self.top is None and not self.calls:
            raise IllegalPlayError("pass: the leader must play", Refusal.MUST_PLAY)
        if (play := self._must_cover()) is not None:
            example = f"{play.pattern} {self.ruleset.text(play.mask)}"
            raise IllegalPlayError(f"pass: you must beat the top play if you can, as with {example}", Refusal.MUST_COVER)
        return PASS

    def _verify_call(self, name: str) -> Play:
        """Return the auction decision with a given name."""
        if self.over:
            raise IllegalPlayError(f"{name}: the game is over", Refusal.GAME_OVER)
        found = next((call for call in self.calls if call.pattern == name), None)
        if found is not None:
            return found
        auction = self.ruleset.auction
        if auction is None or name not in [move.pattern for move in auction.vocabulary]:
            raise IllegalPlayError(f"expected {self._moves()}, got {quoted(name)} without cards", Refusal.NO_PATTERN)
        refusal = Refusal.DOES_NOT_COVER if self.calls else Refusal.NO_AUCTION
        raise IllegalPlayError(f"expected {self._moves()}, got {name}", refusal)

    def _must_cover(self) -> Play | None:
        """Return a play that the ruleset forces the seat to make instead of a pass, or None."""
        if not self.ruleset.must_cover or self.top is None or self.over:
            return None
        return next(self.ruleset.table.plays(self.hand, self.top), None)

    def _moves(self) -> str:
        """Return a short list of the moves allowed, for messages."""
        if self.calls:
            return ", ".join(move.pattern for move in (*self.calls, PASS))
        return "cards of the hand, or a pass" if self.can_pass else "cards of the hand"

    def can(self, cards: CardsLike, pattern: str | None = None) -> bool:
        """Return True if `verify` would accept these cards.

        Args:
            cards: Cards to play; none for a pass or an auction decision.
            pattern: Pattern or reading to use, or the auction decision.
        """
        try:
            self.verify(cards, pattern)
        except (IllegalPlayError, AmbiguousPlayError):
            return False
        return True

    @property
    def can_pass(self) -> bool:
        """True if a pass is legal."""
        return (self.top is not None or bool(self.calls)) and not self.over and self._must_cover() is None

    def __iter__(self) -> Iterator[Play]:
        return iter(self._listed())

    def _listed(self) -> tuple[Play, ...]:
        """Return all moves, generated once."""
        plays = self._plays
        if plays is None:
            plays = tuple(self._generate())
            object.__setattr__(self, "_plays", plays)
        return plays

    def _generate(self) -> Iterator[Play]:
        if self.over:
            return
        if self.calls:
            yield from (*self.calls, PASS)
            return
        beats = False
        for play in self.ruleset.table.plays(self.hand, self.top):
            if self._keeps_obligation(play.mask) and not self._is_lower_single(play.mask):
                beats = True
                yield play
        if self.top is not None and not (beats and self.ruleset.must_cover):
            yield PASS

    def listed(self, play: Play | None) -> Play | None:
        """Return the listed move that a legal move equals except for suits that never matter; None if it is not legal."""
        return None if play is None or play not in self else self.ruleset.table.listed(play, self.hand)

    def first_copies(self, mask: int) -> int:
        """Return a card mask in which the first copy of a card replaces the second if the hand holds both.

        Args:
            mask: Cards as a mask. In games with one deck it is returned unchanged.
        """
        swap = mask >> NUM_FACES & self.hand & ~mask
        return mask ^ (swap | swap << NUM_FACES)

    def _keeps_obligation(self, mask: int) -> bool:
        if not self.obligation:
            return True
        return mask == self.obligation if self.ruleset.lead is Lead.EXACT else mask & self.obligation == self.obligation

    def highest_singles(self) -> int:
        """Return the cards that may be played alone if `highest` is set: the highest one, or all of its rank without suits."""
        rules, order = self.ruleset, self.ruleset.order
        singles = [p.mask for p in rules.table.plays(self.hand, self.top) if len(p) == 1 and self._keeps_obligation(p.mask)]
        if not singles:
            return 0
        best = order.sort(sum(set(singles)))[-1]
        return 1 << best if rules.suits_compare else self.hand & order.rank_masks[best.rank]

    def _is_lower_single(self, mask: int) -> bool:
        return self.highest and mask.bit_count() == 1 and not mask & self.highest_singles()

    def __contains__(self, item: object) -> bool:
        if type(item) is not Play or not isinstance(item.mask, int):  # a subclass might say that it equals anything
            return False
        if not item.mask:
            return item in self.calls and not self.over if item != PASS else self.can_pass
        return (
            not self.over
            and not self.calls
            and not item.mask & ~self.hand
            and item.mask == self.first_copies(item.mask)
            and self._keeps_obligation(item.mask)
            and not self._is_lower_single(item.mask)
            and not self.ruleset.table.is_early(item, self.hand)
            and (self.top is None or self.ruleset.beats(item, self.top))
            and self._is_reading(item)
        )

    def _is_reading(self, play: Play) -> bool:
        """Return True if a play is a reading of its cards that may be chosen."""
        table = self.ruleset.table
        return play in table.classify(play.mask) if self.ruleset.ranks_only else play == table.reading(play.mask, self.top)

    def __len__(self) -> int:
        return len(self._listed())

    def __bool__(self) -> bool:
        return self.can_pass or next(self._generate(), None) is not None

    def __repr__(self) -> str:
        return f"<LegalPlays of {self.ruleset.name}: {', '.join(map(str, self))}>"

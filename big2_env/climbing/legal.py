"""What may be done in a position: one truth for games, views, masks, user interfaces and error messages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from big2_env.cards import NUM_FACES, CardsLike, as_mask
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import Lead, RuleSet
from big2_env.errors import AmbiguousPlayError, IllegalPlayError, Refusal, quoted


class LegalPlays(Collection[Play]):
    """The legal acts of one hand, as a view: iterating generates them, `in` and `verify` ask about one without that.

    The plays come first, by pattern and then by the value of the key rank, so a hand's cheapest answer is the first;
    the pass comes last, where it is legal. A game that is over has none. In an auction the acts are its `calls`, and the pass.
    Where suits never matter (`RuleSet.ranks_only`), of the plays with equal ranks one is listed and all are legal.
    Its attributes cannot be set: an agent is asked with the same object that its act is looked up in.
    """

    __slots__ = ("_plays", "calls", "hand", "obligation", "over", "ruleset", "top")
    ruleset: RuleSet
    hand: int
    top: Play | None
    obligation: int
    over: bool
    calls: tuple[Play, ...]
    _plays: tuple[Play, ...] | None

    def __init__(
        self,
        ruleset: RuleSet,
        hand: int,
        top: Play | None,
        obligation: int = 0,
        over: bool = False,
        calls: tuple[Play, ...] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "ruleset", ruleset)
        put(self, "hand", hand)
        put(self, "top", top)
        put(self, "obligation", obligation)
        put(self, "over", over)
        put(self, "calls", calls)
        put(self, "_plays", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of legal plays cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} of legal plays cannot be deleted")

    def __reduce__(self) -> tuple[type[LegalPlays], tuple[object, ...]]:
        return type(self), (self.ruleset, self.hand, self.top, self.obligation, self.over, self.calls)

    def verify(self, cards: CardsLike, pattern: str | None = None) -> Play:
        """The play that these cards are here, no cards being a pass.

        Raises:
            IllegalPlayError: with the reason as `refusal`.
            AmbiguousPlayError: several readings are legal and `pattern` names none.
        """
        mask = as_mask(cards)
        if not mask:
            return self.verify_pass() if pattern in (None, PASS.pattern) else self._verify_call(pattern)
        text = self.ruleset.text
        if self.over:
            raise IllegalPlayError(f"{text(mask)}: the game is over", Refusal.GAME_OVER)
        if self.calls:
            raise IllegalPlayError(f"{text(mask)}: the auction goes on; expected {self._acts()}", Refusal.AUCTION_GOES_ON)
        mask = self.first_copies(mask)
        if mask & ~self.hand:
            raise IllegalPlayError(f"{text(mask & ~self.hand)}: not in the hand {text(self.hand)}", Refusal.NOT_IN_HAND)
        keeps = self._keeps_obligation(mask)
        try:
            play = self.ruleset.play(mask, pattern, over=self.top)
        except AmbiguousPlayError:
            if keeps:
                raise
        if not keeps:
            alone = " alone" if self.ruleset.lead is Lead.EXACT else ""
            raise IllegalPlayError(
                f"{text(mask)}: the first play of a game must be or contain {text(self.obligation)}{alone}",
                Refusal.MISSES_OPENING_CARD,
            )
        return play

    def verify_reading(self, play: Play) -> Play:
        """The play, if it is legal here under this very reading.

        Raises:
            IllegalPlayError: it is not, with the reason as `refusal`.
        """
        if play in self:
            return play
        with suppress(AmbiguousPlayError):
            self.verify(play.mask, play.pattern)
        top = "" if self.top is None else f" {self.top.pattern} {self.ruleset.text(self.top.mask)}"
        raise IllegalPlayError(f"{play.pattern} {self.ruleset.text(play.mask)} does not cover{top}", Refusal.DOES_NOT_COVER)

    def verify_pass(self) -> Play:
        """The pass, if it is legal here.

        Raises:
            IllegalPlayError: the seat leads, holds a play that covers where it must cover, or the game is over.
        """
        if self.over:
            raise IllegalPlayError("pass: the game is over", Refusal.GAME_OVER)
        if self.top is None and not self.calls:
            raise IllegalPlayError("pass: whoever opens a round must play", Refusal.MUST_PLAY)
        if (play := self._must_cover()) is not None:
            example = f"{play.pattern} {self.ruleset.text(play.mask)}"
            raise IllegalPlayError(f"pass: you must cover the top play if you can, as with {example}", Refusal.MUST_COVER)
        return PASS

    def _verify_call(self, name: str) -> Play:
        """The act without cards of that name."""
        if self.over:
            raise IllegalPlayError(f"{name}: the game is over", Refusal.GAME_OVER)
        found = next((call for call in self.calls if call.pattern == name), None)
        if found is not None:
            return found
        auction = self.ruleset.auction
        if auction is None or name not in [act.pattern for act in auction.vocabulary]:
            raise IllegalPlayError(f"expected {self._acts()}, got {quoted(name)} without cards", Refusal.NO_PATTERN)
        refusal = Refusal.DOES_NOT_COVER if self.calls else Refusal.NO_AUCTION
        raise IllegalPlayError(f"expected {self._acts()}, got {name}", refusal)

    def _must_cover(self) -> Play | None:
        """The first play that covers the top play, where the ruleset demands one of a hand that has it; else `None`."""
        if not self.ruleset.must_cover or self.top is None or self.over:
            return None
        return next(self.ruleset.table.plays(self.hand, self.top), None)

    def _acts(self) -> str:
        """What may be done, in few words."""
        if self.calls:
            return ", ".join(act.pattern for act in (*self.calls, PASS))
        return "cards of the hand, or a pass" if self.can_pass else "cards of the hand"

    def can(self, cards: CardsLike, pattern: str | None = None) -> bool:
        """Whether `verify` gives a play."""
        try:
            self.verify(cards, pattern)
        except (IllegalPlayError, AmbiguousPlayError):
            return False
        return True

    @property
    def can_pass(self) -> bool:
        """Whether a pass is legal."""
        return (self.top is not None or bool(self.calls)) and not self.over and self._must_cover() is None

    def __iter__(self) -> Iterator[Play]:
        return iter(self._listed())

    def _listed(self) -> tuple[Play, ...]:
        """All of them, generated once."""
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
        covers = False
        for play in self.ruleset.table.plays(self.hand, self.top):
            if self._keeps_obligation(play.mask):
                covers = True
                yield play
        if self.top is not None and not (covers and self.ruleset.must_cover):
            yield PASS

    def first_copies(self, mask: int) -> int:
        """The same faces, with the first copy of a card wherever only the second was named and the hand holds both."""
        swap = mask >> NUM_FACES & self.hand & ~mask
        return mask ^ (swap | swap << NUM_FACES)

    def _keeps_obligation(self, mask: int) -> bool:
        if not self.obligation:
            return True
        return mask == self.obligation if self.ruleset.lead is Lead.EXACT else mask & self.obligation == self.obligation

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
            and (self.top is None or self.ruleset.covers(item, self.top))
            and item in self.ruleset.table.classify(item.mask)
        )

    def __len__(self) -> int:
        return len(self._listed())

    def __bool__(self) -> bool:
        return self.can_pass or next(self._generate(), None) is not None

    def __repr__(self) -> str:
        return f"<LegalPlays of {self.ruleset.name}: {', '.join(map(str, self))}>"

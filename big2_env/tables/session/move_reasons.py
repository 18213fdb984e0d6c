"""One sentence about a move: what it does, from facts that the seat to move can check itself.

`Reason` lists the facts in order of importance. `MoveFacts.because` returns the first one that is true of a move, and
`sentences` puts it into words. Everything is computed from a view, so no sentence depends on hidden cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

from big2_env.agents.advice import Advice
from big2_env.base.language import Words
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.text.events import play_text
from big2_env.text.names import JOKERS, pattern_name, rank_text, ranked_text

MANY: Final = 5
"""Number of cards from which a play sheds many at once."""
HIGH_RANKS: Final = 4
"""Number of highest ranks whose cards make a hand strong in an auction."""
TRIED: Final = 2000
"""Most plays of unseen cards that are compared with a move; with more, nothing is said about them."""


class Reason(Enum):
    """Facts about a move, the most important first. The value is the key of its text."""

    LAST_CARDS = "last_cards"
    """It plays the last cards of the hand, and none are drawn."""
    SURE = "sure"
    """The adviser has found a forced win."""
    SURE_ORDER = "sure_order"
    """It begins an order of plays that wins for certain."""
    CALLS = "calls"
    """It bids for the landlord's seat."""
    DECLINES = "declines"
    """It declines in an auction."""
    OTHER_CALL = "other_call"
    """A call that the adviser does not prefer."""
    OTHER_DECLINE = "other_decline"
    """A refusal that the adviser does not prefer."""
    NO_ANSWER = "no_answer"
    """A pass without any alternative."""
    PARTNER_LEADS = "partner_leads"
    """A pass on a partner's play."""
    SAVES_BOMB = "saves_bomb"
    """A pass, since only bombs beat the top play."""
    SPLITS_ONLY = "splits_only"
    """A pass, since every answer splits equal cards."""
    SAVES_ANSWER = "saves_answer"
    """A pass that keeps the lowest answer."""
    THEN_OUT = "then_out"
    """No opponent can beat it, and the rest of the hand is one play."""
    ONE_CARD_HIGH = "one_card_high"
    """The highest single, as the next player is an opponent with one card."""
    ONE_CARD_MORE = "one_card_more"
    """A lead of several cards, as the next player is an opponent with one card."""
    PARTNER_ONE_CARD = "partner_one_card"
    """The lowest single as a lead, as the next player is a partner with one card."""
    TAKES_TRICK = "takes_trick"
    """No opponent can beat it, and a long play of the rest can lead."""
    UNBEATABLE = "unbeatable"
    """No opponent can beat it."""
    ONLY_ONE = "only_one"
    """One set of unseen cards beats it."""
    BOMB = "bomb"
    """A bomb that beats a play."""
    ONLY_BOMBS = "only_bombs"
    """Only bombs beat it."""
    OVER_PARTNER = "over_partner"
    """It beats a partner's play."""
    SHEDS = "sheds"
    """It plays many cards at once."""
    BREAKS_BOMB = "breaks_bomb"
    """The hand held a bomb before it, and holds none after it."""
    BREAKS_GROUP = "breaks_group"
    """It plays some of several equal cards."""
    BREAKS_PATTERN = "breaks_pattern"
    """The hand held a run or a flush before it, and holds none after it."""
    KEEPS_GROUP = "keeps_group"
    """A lower play of the same kind would split equal cards."""
    KEEPS_PATTERN = "keeps_pattern"
    """A lower play of the same kind would break the only run or flush."""
    CHEAPEST = "cheapest"
    """The lowest play of its pattern that beats the top play."""
    LOWEST = "lowest"
    """A lead with the lowest card of the hand."""
    HIGHEST = "highest"
    """The highest play of its pattern."""
    BREAKS_NOTHING = "breaks_nothing"
    """The rest: it splits no equal cards and breaks no pattern."""
    GOES_IN = "goes_in"
    """The adviser's choice although it breaks something: the number of plays in which the rest can go."""


DRAWBACKS: Final = (Reason.BREAKS_BOMB, Reason.BREAKS_GROUP, Reason.BREAKS_PATTERN, Reason.OVER_PARTNER)
"""Facts that are never a reason for the adviser's choice."""


class Because(NamedTuple):
    """A reason with what its text names."""

    reason: Reason
    play: Play | None = None
    """A play that beats the move, or that a pass keeps."""
    cards: int = 0
    """Cards as a mask: equal ones, or the high ones of an auction."""
    pattern: str = ""
    number: int = 0
    """Number of cards or plays."""
    order: tuple[Play, ...] = ()
    """Plays that win for certain."""


class MoveFacts:
    """Facts about the legal moves of one view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._table = view.ruleset.table
        self._legal = view.legal_plays()
        self._next = next(
            (
                seat
                for seat in ((view.seat + step) % view.num_players for step in range(1, view.num_players))
                if view.cards_left[seat] and not view.passed >> seat & 1
            ),
            view.seat,
        )
        self._bombs = {rule.pattern.name for rule in view.ruleset.patterns if rule.bomb or rule.bomb_per_card}
        """Names of the patterns that are bombs."""

    def because(self, play: Play, *, sure: bool = False, is_best: bool = True) -> Because:
        """Return the most important reason for a legal move.

        Args:
            play: The move.
            sure: True if the adviser has found that it wins by force.
            is_best: True if the adviser prefers it. Then no drawback is its reason, and a hand is called strong or weak in an
                auction.
        """
        if play and play.mask == self.view.hand and not self.view.pile_left:
            return Because(Reason.LAST_CARDS)
        if sure:
            order = certain_win(self.view)
            return Because(Reason.SURE_ORDER, order=order) if order[:1] == (play,) else Because(Reason.SURE)
        if self._legal.calls:
            return self._of_call(play, is_best)
        if not play:
            return self._of_pass()
        found = (reason for reason in self._of_play(play) if not is_best or reason.reason not in DRAWBACKS)
        return next(found, None) or Because(Reason.GOES_IN, number=self._plays_of(self.view.hand & ~play.mask))

    # Moves without cards.

    def _of_call(self, call: Play, is_best: bool) -> Because:
        """Return the reason for a decision in an auction, with the hand's high cards."""
        if not is_best:
            return Because(Reason.OTHER_DECLINE if call.is_pass else Reason.OTHER_CALL)
        order = self.view.ruleset.order
        high = sum(order.rank_masks[rank] for rank in order.ranks[-HIGH_RANKS:])
        return Because(Reason.DECLINES if call.is_pass else Reason.CALLS, cards=self.view.hand & high)

    def _of_pass(self) -> Because:
        """Return the reason for a pass."""
        answers = self._answers
        if not answers:
            return Because(Reason.NO_ANSWER)
        if self._is_partner(self.view.top_seat):
            return Because(Reason.PARTNER_LEADS)
        lowest = min(answers, key=lambda play: (self._is_bomb(play), len(play), play.power))
        if self._is_bomb(lowest):
            return Because(Reason.SAVES_BOMB, lowest)
        if all(any(self._splits(play)) for play in answers):
            return Because(Reason.SPLITS_ONLY, cards=max(self._splits(lowest), key=int.bit_count))
        return Because(Reason.SAVES_ANSWER, lowest)

    # Moves with cards.

    def _of_play(self, play: Play) -> Iterator[Because]:
        """Yield the reasons for a play that does not empty the hand, the most important first."""
        view, rest = self.view, self.view.hand & ~play.mask
        rivals, is_complete = self._beaten_by(play)
        is_unbeatable = is_complete and not rivals
        if is_unbeatable and not view.pile_left and self._table.classify(rest):
            yield Because(Reason.THEN_OUT)
        yield from self._against_one_card(play)
        if is_unbeatable:
            longest = max(self._table.plays(rest), key=len, default=None)
            if longest is not None and len(longest) > 2 and not view.pile_left:
                yield Because(Reason.TAKES_TRICK, longest)
            yield Because(Reason.UNBEATABLE)
        if is_complete and len({rival.mask for rival in rivals}) == 1:
            yield Because(Reason.ONLY_ONE, rivals[0])
        if view.top is not None and self._is_bomb(play):
            yield Because(Reason.BOMB)
        if is_complete and rivals and all(map(self._is_bomb, rivals)):
            yield Because(Reason.ONLY_BOMBS)
        if view.top is not None and self._is_partner(view.top_seat):
            yield Because(Reason.OVER_PARTNER)
        if len(play) >= MANY:
            yield Because(Reason.SHEDS, number=len(play))
        yield from self._of_hand(play)

    def _against_one_card(self, play: Play) -> Iterator[Because]:
        """Yield what a play does about a next player with one card."""
        view = self.view
        if view.pile_left or self._next == view.seat or view.cards_left[self._next] != 1:
            return
        lower, higher = self._compared(play)
        if not self._is_partner(self._next):
            if len(play) == 1 and lower and not higher:
                yield Because(Reason.ONE_CARD_HIGH)
            if len(play) > 1 and view.top is None:
                yield Because(Reason.ONE_CARD_MORE)
        elif len(play) == 1 and view.top is None and higher and not lower:
            yield Because(Reason.PARTNER_ONE_CARD)

    def _of_hand(self, play: Play) -> Iterator[Because]:
        """Yield what a play does to the hand."""
        splits, broken = list(self._splits(play)), self._broken(play)
        if bombs := [name for name in broken if name in self._bombs]:
            yield Because(Reason.BREAKS_BOMB, pattern=bombs[0])
        if splits:
            yield Because(Reason.BREAKS_GROUP, cards=max(splits, key=int.bit_count))
        if broken:
            yield Because(Reason.BREAKS_PATTERN, pattern=broken[0])
        lower, higher = self._compared(play)
        if not splits and not broken:
            yield from self._kept(play, lower)
        if self.view.top is not None and not lower:
            yield Because(Reason.CHEAPEST, pattern=play.pattern)
        if self.view.top is None and play.mask >> self.view.ruleset.order.lowest(self.view.hand) & 1:
            yield Because(Reason.LOWEST)
        if lower and not higher:
            yield Because(Reason.HIGHEST, pattern=play.pattern)
        if not splits and not broken:
            yield Because(Reason.BREAKS_NOTHING)

    def _kept(self, play: Play, lower: Sequence[Play]) -> Iterator[Because]:
        """Yield what a play keeps that the next lower plays of its pattern would break."""
        nearest = sorted(lower, key=lambda other: -other.power)
        for other in nearest:
            for group in self._splits(other):
                if not group & play.mask:
                    yield Because(Reason.KEEPS_GROUP, cards=group)
        if nearest and (broken := self._broken(nearest[0])):
            yield Because(Reason.KEEPS_PATTERN, pattern=broken[0])

    # Facts.

    @cached_property
    def _answers(self) -> list[Play]:
        """Legal plays with cards."""
        return [play for play in self._legal if play]

    def _is_partner(self, seat: int | None) -> bool:
        return seat is not None and seat != self.view.seat and seat in self.view.team

    def _is_bomb(self, play: Play) -> bool:
        return play.pattern in self._bombs

    def _compared(self, play: Play) -> tuple[list[Play], list[Play]]:
        """Return the lower and the higher legal plays of a play's pattern and size."""
        same = [one for one in self._answers if one.pattern == play.pattern and len(one) == len(play)]
        return [one for one in same if one.power < play.power], [one for one in same if one.power > play.power]

    def _beaten_by(self, play: Play) -> tuple[list[Play], bool]:
        """Return plays of unseen cards that beat a play and fit an opponent's hand, and whether these are all of them.

        The search ends once it is clear that neither one set of cards nor bombs alone beat the play.
        """
        view, found = self.view, list[Play]()
        most = max((view.cards_left[seat] for seat in range(view.num_players) if seat not in view.team), default=0)
        if view.pile_left:
            most = max(most, view.ruleset.hand_size)
        tried = 0
        for rival in islice(self._table.plays(view.unseen, play), TRIED):
            tried += 1
            if len(rival) <= most:
                found.append(rival)
                if rival.mask != found[0].mask and not (self._is_bomb(rival) and self._is_bomb(found[0])):
                    return found, False
        return found, tried < TRIED

    def _plays_of(self, hand: int) -> int:
        """Return a number of plays in which a hand can go: the least, unless it takes too long to find."""
        plays = sorted(self._table.plays(hand), key=len, reverse=True)
        tried = 0

        def goes(rest: int, number: int) -> bool:
            nonlocal tried
            tried += 1
            if not rest or not number or tried > TRIED:
                return not rest
            return any(
                goes(rest & ~play.mask, number - 1) for play in plays if play.mask & rest & -rest and not play.mask & ~rest
            )

        return next((number for number in range(hand.bit_count()) if goes(hand, number)), hand.bit_count())

    def _splits(self, play: Play) -> Iterator[int]:
        """Yield the equal cards of the hand, as masks, of which a play uses some but not all."""
        hand = self.view.hand
        for mask in self.view.ruleset.order.rank_masks:
            if play.mask & mask and hand & mask & ~play.mask:
                yield hand & mask

    def _broken(self, play: Play) -> list[str]:
        """Return the bombs, runs and flushes that the hand holds before a play but not after it, except its own pattern."""
        left = self._table.patterns_in(self.view.hand & ~play.mask)
        return [name for name in self._whole if name not in left and name != play.pattern]

    @cached_property
    def _whole(self) -> list[str]:
        """Names of the bombs, runs and flushes that the hand holds, bombs first."""
        rows = self._table.rows
        runs = {row.pattern for row in rows if row.shape.kickers is None and len(row.ranks) > 2}
        held = self._table.patterns_in(self.view.hand)
        names = [rule.pattern.name for rule in self.view.ruleset.patterns]
        return sorted(
            (name for name in names if name in held and name in runs | self._bombs), key=lambda n: n not in self._bombs
        )


def sentences(view: View, advice: Sequence[Advice], tr: Words) -> list[str]:
    """Return one sentence for each suggested move.

    Args:
        view: View of the seat to move.
        advice: Suggested moves, best first.
        tr: Texts in one language.
    """
    facts = MoveFacts(view)
    found = (facts.because(one.play, sure=one.sure, is_best=number == 0) for number, one in enumerate(advice))
    return [said(view.ruleset, because, tr) for because in found]


def said(ruleset: RuleSet, because: Because, tr: Words) -> str:
    """Return a reason in words."""
    values: dict[str, object] = {"count": because.number}
    key = because.reason.value
    if because.reason is Reason.ONLY_ONE and because.play is not None:
        key, values["play"] = _beating(ruleset, because.play, tr)
    elif because.play is not None:
        values["play"] = play_text(ruleset, because.play, tr)
        values["pattern"] = pattern_name(ruleset, because.play.pattern, tr)
    if because.reason in (Reason.CALLS, Reason.DECLINES):
        values["cards"] = ranked_text(ruleset, ruleset.order.sort(because.cards)[::-1], tr)
        key = key if because.cards else f"{key}_plain"
    elif because.cards:
        values["group"] = _group_text(ruleset, because.cards, tr)
    if because.order:
        values["order"] = tr("because.then").join(play_text(ruleset, play, tr) for play in because.order)
    if because.pattern:
        values["pattern"] = pattern_name(ruleset, because.pattern, tr)
    return tr(f"because.{key}", **values)


def _beating(ruleset: RuleSet, play: Play, tr: Words) -> tuple[str, str]:
    """Return the key of the text about the only play that beats a move, and that play: a joker, another card, or a pattern."""
    cards = ruleset.order.sort(play.mask)
    if len(play) == 1 and cards[0].suit is None and ruleset.vocabulary is None:
        return "only_joker", tr(JOKERS[str(cards[0])[:2]])
    shown = ranked_text(ruleset, cards, tr)
    return ("only_card", shown) if len(play) == 1 else ("only_play", f"{pattern_name(ruleset, play.pattern, tr)} {shown}")


def _group_text(ruleset: RuleSet, cards: int, tr: Words) -> str:
    """Return equal cards in words, such as `pair of 2s`."""
    count, rank = cards.bit_count(), ruleset.order.sort(cards)[0].rank
    text = rank_text(ruleset, rank)
    if ruleset.vocabulary is not None:
        return tr("because.many_equal", count=count, rank=text)
    text = tr(JOKERS[text]) if text in JOKERS else text
    key = {2: "because.two_equal", 3: "because.three_equal", 4: "because.four_equal"}.get(count, "because.many_equal")
    return tr(key, count=count, rank=text)

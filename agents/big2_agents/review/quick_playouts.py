"""Games played to their ends in plain Python by quick players: what an act is worth where nothing compiled is at hand."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.cards import Card, iter_cards
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import is_over, outcome_of
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.position import Position, after_decision, after_pass, after_play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64

SLIP = 8
"""Once in so many acts a quick player makes any legal act."""


def open_position(view: View) -> Position:
    """The position of a view as far as it lies open: without hands, pile and further deals."""
    trick = 0
    for mask in view.played if view.captured else ():
        trick |= mask
    for mask in view.captured:
        trick &= ~mask
    return Position(
        hands=(),
        turn=view.turn,
        top=view.top,
        top_seat=view.top_seat,
        passed=view.passed,
        obligation=view.obligation,
        played=view.played,
        finished=view.finished,
        lead_over=view.lead_over,
        bidding=view.bidding,
        said=view.said,
        landlord=view.landlord,
        bottom=view.bottom,
        stake=view.stake,
        factor=view.factor,
        acted=view.acted,
        trick=trick,
        captured=view.captured,
    )


def sampled_deal(view: View, rng: SplitMix64) -> Position:
    """The position of a view with its hidden cards dealt uniformly; nobody calls again where an auction finds nobody."""
    number = view.num_players
    hands = [0] * number
    hands[view.seat] = view.hand
    if view.landlord is not None and view.landlord != view.seat:
        hands[view.landlord] = view.bottom & ~view.played[view.landlord]
    unseen = list(iter_cards(view.unseen & ~sum(hands[seat] for seat in range(number) if seat != view.seat)))
    rng.shuffle(unseen)
    for seat in range(number):
        while hands[seat].bit_count() < view.cards_left[seat]:
            hands[seat] |= 1 << unseen.pop()
    pile = tuple(map(Card, unseen[: view.pile_left]))
    bottom = sum(1 << card for card in unseen) if view.bidding else view.bottom
    return open_position(view)._replace(hands=tuple(hands), pile=pile, bottom=bottom)


def after(ruleset: RuleSet, position: Position, play: Play) -> Position:
    """The position after any legal act."""
    if position.bidding:
        return after_decision(ruleset, position, play)
    return after_play(ruleset, position, play) if play else after_pass(ruleset, position)


def play_out(ruleset: RuleSet, position: Position, rng: SplitMix64, slip: int = SLIP) -> tuple[float, ...]:
    """What each seat is paid where quick players play a position to its end.

    They get rid of cards as fast as they can: a lead has as many cards as possible, whoever can cover covers as cheaply as
    possible, bombs come last; only team mates are left on top. Once in `slip` acts they make any act.
    """
    while not is_over(ruleset, position):
        position = after(ruleset, position, quick_act(ruleset, position, rng, slip))
    return outcome_of(ruleset, position).payoffs


def quick_act(ruleset: RuleSet, position: Position, rng: SplitMix64, slip: int) -> Play:
    """The act of a quick player; in an auction the first word that nobody has topped."""
    hand, top = position.hands[position.turn], position.top
    auction = ruleset.auction
    calls = auction.acts(position.said) if position.bidding and auction is not None else ()
    legal = LegalPlays(ruleset, hand, top, position.obligation, False, calls)
    plays = list(legal)
    if len(plays) == 1 or calls:
        return PASS if calls else plays[0]
    if slip and rng.below(slip) == 0:
        return plays[rng.below(len(plays))]
    landlord = position.landlord
    if landlord is not None and top is not None and position.turn != landlord and position.top_seat != landlord:
        return PASS
    return _cheapest(ruleset, plays, top is None)


def _cheapest(ruleset: RuleSet, plays: Sequence[Play], leads: bool) -> Play:
    categories = ruleset.table.categories

    def price(play: Play) -> tuple[int, ...]:
        bomb = categories[play.category].bomb
        return bomb, -len(play) if leads else 0, play.power, play.mask

    return min((play for play in plays if play), key=price, default=plays[-1])
